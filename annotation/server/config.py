"""Settings of `rlhf serve` and `rlhf look`. Imports nothing heavy, so that the command line answers at once."""

from __future__ import annotations

import hashlib
import ipaddress
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import Field

from rlhf.run.setting_forms import NamedFolders
from worlds.errors import UserError
from worlds.ranges import Count, Positive, ShareBelowOne
from worlds.settings import settings

DATABASE_FILE = "annotation.sqlite"
CACHE_FOLDER = "annotation.cache"
SECRET_FILE = "annotation.secret"
SECRET_VARIABLE = "RLHF_SERVE_SECRET"  # in the environment: the key that signs sign-ins
_SHORTEST_SECRET = 32

_PUBLIC_URL = re.compile(r"https?://[A-Za-z0-9.:_\[\]-]+(/(?!\.{1,2}(/|$))[A-Za-z0-9._~-]+)*/?")
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}
# Below these paths a request would be the server's own or, with the prefix already taken off, any other.
_OWN_PATHS = re.compile(
    r"/(join|play|mark|judge|compare|watch|study|look|teach|consent|service-worker\.js|(api|static)(/.*)?)"
)

Port = Annotated[int, Field(ge=0, le=65535)]


@settings
class ServeConfig:
    """Settings of `rlhf serve`.

    Args:
      data: folder of the study: a dataset, or a folder of datasets. The study's database is kept in it, too.
      host: address to listen at. Only this machine reaches the default; beyond it, put HTTPS in front.
      port: port to listen at, up to 65535; 0 takes a free one.
      database: URL of another database than the SQLite file in the folder, e.g. postgresql+psycopg://...
      public_url: how people's browsers reach the server, if not by host and port, e.g. https://study.example.org.
        A path may follow, e.g. https://example.org/study1; the proxy may leave it on its requests or take it off.
      lock_minutes: minutes that an episode stays with a rater who has stopped working on it.
      requests_per_second: requests that one person may make a second, on average; bursts of ten times as many pass.
      reward_models: a name and a folder for every reward model to look at episodes with, beside those in the study's
        folder, as NAME FOLDER or NAME=FOLDER.
      agents: a name and a folder for every agent that people can play with, as NAME FOLDER or NAME=FOLDER; none means
        those below the study's folder.
      agent_threads: CPU threads of each agent in a game; 0 divides the machine's processors among the games.
      agent_device: device that computes agents in games: "cpu", "cuda" or "cuda:1".
      games: games that run at once, at most.
      episode_seconds: seconds of play in an episode, from 1 to 3600; the paper's episodes have five minutes.
      held_out: share of people's games, from 0 to less than 1, that are played in held-out places, in which nothing is
        trained: their episodes have the split "held_out". Evaluations and helped sessions always are.
      helpers: names of the helpers that people meet in helped sessions without knowing which it is: those of the
        world, and agents; none means all of the world's.
      helped_tasks: tasks of each person's helped session.
      helped_seed: seed of these tasks, and of who meets which helper in which of them, from 0 to 499.
    """

    data: Path = Path("data")
    host: str = "127.0.0.1"
    port: Port = 8080
    database: str = ""
    public_url: str = ""
    lock_minutes: Count = 30
    requests_per_second: Positive = 20.0
    reward_models: NamedFolders = field(default_factory=dict)
    agents: NamedFolders = field(default_factory=dict)
    agent_threads: Annotated[int, Field(ge=0, le=256)] = 0
    agent_device: str = "cpu"
    games: Count = 4
    episode_seconds: Annotated[int, Field(ge=1, le=3600)] = 300
    held_out: ShareBelowOne = 0.1
    helpers: tuple[str, ...] = ()
    helped_tasks: Annotated[int, Field(ge=1, le=1000)] = 10
    helped_seed: Annotated[int, Field(ge=0, le=499)] = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "data", self.data.expanduser())
        if self.public_url:
            _check_public_url(self.public_url, self.prefix)

    @property
    def database_url(self) -> str:
        """SQLAlchemy's URL of the database."""
        return self.database or f"sqlite:///{(self.data / DATABASE_FILE).absolute()}"

    @property
    def cache(self) -> Path:
        """Folder for files that can be computed again."""
        return self.data / CACHE_FOLDER

    @property
    def secrets(self) -> Path:
        """Folder of the key that signs sign-ins."""
        return self.data

    @property
    def viewing(self) -> bool:
        """True if there is no study, but only datasets to look at."""
        return False

    @property
    def prefix(self) -> str:
        """Path below which browsers find the server, such as "/study1"; "" for none."""
        return urlsplit(self.public_url).path.rstrip("/")

    @property
    def public_origin(self) -> str:
        """Scheme, host and port of the public URL, as browsers name the origin of a request; "" without one."""
        parts = urlsplit(self.public_url)
        origin = f"{parts.scheme}://{parts.netloc.lower()}"
        return origin.removesuffix(":").removesuffix(_DEFAULT_PORTS[parts.scheme]) if self.public_url else ""

    @property
    def cookie_path(self) -> str:
        """Path below which browsers send the session's cookie."""
        return self.prefix or "/"

    @property
    def loopback(self) -> bool:
        """True if only this machine can reach the server."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def secure(self) -> bool:
        """True if browsers come by HTTPS, so that cookies may be kept to it."""
        return self.public_url.startswith("https://")

    def url(self, port: int) -> str:
        """Return the URL at which browsers find the server that listens at ``port``, without a slash at its end."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return self.public_url.rstrip("/") or f"http://{host}:{port}"


@dataclass(frozen=True)
class ViewConfig(ServeConfig):
    """Settings of a server that only shows datasets. It writes nothing into them.

    Args:
      scratch: a folder that is deleted when the server ends.
    """

    scratch: Path = Path("scratch")

    @property
    def database_url(self) -> str:
        return f"sqlite:///{(self.scratch / DATABASE_FILE).absolute()}"

    @property
    def cache(self) -> Path:
        place = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
        of = hashlib.sha256(str(self.data.absolute()).encode()).hexdigest()[:16]
        return Path(place).expanduser() / "interactive-rlhf" / of

    @property
    def secrets(self) -> Path:
        return self.scratch

    @property
    def viewing(self) -> bool:
        return True


def _check_public_url(url: str, prefix: str) -> None:
    """Raises UserError if browsers cannot find the server by ``url``, or its path is one of the server's own."""
    try:
        port_is_valid = urlsplit(url).port != 0
    except ValueError:
        port_is_valid = False
    if not (port_is_valid and _PUBLIC_URL.fullmatch(url)):
        raise UserError(f"public-url is like https://study.example.org or https://example.org/study1, not {url}")
    if _OWN_PATHS.fullmatch(prefix):
        raise UserError(f"public-url ends in {prefix}, a path of the server's own; take another, such as {prefix}1")


def secret_too_short(secret: str) -> bool:
    """Return whether a secret is too short to sign with."""
    return len(secret) < _SHORTEST_SECRET
