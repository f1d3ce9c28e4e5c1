"""A study with an agent, and a setter who evaluates it at a server in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from subprocess import Popen

import httpx
import pytest

from agents.folder import save_agent
from agents.tokenizer import Tokenizer
from annotation.games import GameConfig
from annotation.server.security.sessions import COOKIE
from annotation.server.security.visitors import Role
from benchmarks import serving
from benchmarks.serving import new_people, served
from rlhf.store import ParquetStore, open_store
from tests.e2e.browsers import GAME_SEC
from tests.e2e.patient_server import serve
from tests.patience import PATIENCE_SEC, until
from tests.processes import Printing
from tests.unit.agents import made_up_play
from tests.unit.annotation.server.conftest import Browser
from tests.unit.annotation.server.players import Player

SIZES = dict(
    vision_channels=(4,), vision_strides=(4,), vision_blocks=(1,), width=8, heads=2, memory_width=8, tick_width=6,
    value_width=8, image_size=(24, 32),
)  # fmt: skip


def make_study(folder: Path) -> ParquetStore:
    """A study with an agent and an empty dataset to play into."""
    save_agent(made_up_play.agent(**SIZES), Tokenizer.train(["yes"], made_up_play.VOCABULARY), folder / "agent")
    return open_store(folder / "live", create=True)


def serve_short_games(words: list[str]) -> int | None:
    """Do what servers of other tests do, and keep games however soon they are ended."""
    GameConfig.shortest = 1
    return serve(words)


@contextmanager
def evaluating(folder: Path) -> Iterator[tuple[Popen[str], str]]:
    """A server for evaluations, which their setter ends: its process and its URL."""
    settings = ("--agents", "made-up", str(folder / "agent"), "--episode-seconds", str(GAME_SEC))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(serving, "start", partial(Printing, serve_short_games))
        with served(folder, *settings) as (process, url, _):
            yield process, url


def setter(folder: Path) -> str:
    """The cookie of a new setter."""
    return new_people(folder, Role.SETTER, 1)[0]


def browser(url: str, cookie: str) -> Browser:
    """A browser that is signed in."""
    client = httpx.Client(base_url=url, cookies={COOKIE: cookie}, timeout=PATIENCE_SEC)
    found = Browser(client)  # type: ignore[arg-type]
    told = client.get("/api/me").raise_for_status().json()
    found.csrf = told["csrf"]
    client.headers["Origin"] = url
    return found


def ask(browser: Browser, method: str, path: str, body: object = None) -> dict:
    """The answer's JSON."""
    headers = {"X-CSRF-Token": browser.csrf}
    return browser.client.request(method, path, json=body, headers=headers).raise_for_status().json()


def start(browser: Browser, kind: str) -> str:
    """A game of ``kind`` in which they are the setter: its id."""
    (project,) = [found["id"] for found in ask(browser, "GET", "/api/play")["projects"] if found["dataset"] == "live"]
    return ask(browser, "POST", "/api/play/games", {"project": project, "kind": kind, "role": "setter"})["id"]


def play(browser: Browser, words: tuple[str, ...]) -> Player:
    """An evaluation in which these words have been said, one after the other."""
    player = Player(browser, start(browser, "evaluation"))
    player.say(do="ready")
    player.sees(state="playing")
    for number, line in enumerate(words):
        player.say(inputs={"say": line})
        until(lambda number=number: len(player.view["asked"]) > number, "the line")
    return player


def end(player: Player, folder: Path) -> None:
    """End the play, and wait until it is on the disk."""
    player.say(do="end")
    player.sees(state="judging")
    until(lambda: kept(folder), "the play on the disk")


def kept(folder: Path) -> list[Path]:
    """The games whose play is over and on the disk, but not in the dataset yet."""
    return list(folder.glob("annotation.games/*/kept/dataset.json"))


def judge(player: Player, number: int, said: str) -> None:
    """Say it of the line of that number, and wait until the page shows it."""
    player.say(judge={"request_step": player.view["asked"][number]["step"], "said": said})
    until(lambda: player.view["asked"][number]["said"] == said, "the verdict")


def stored(folder: Path) -> list:
    """Every episode of the dataset, once there are some and no game is unfinished."""
    games = folder / "annotation.games"

    def rows() -> list:  # looks at the games first: an episode is stored before its game is gone
        unfinished = any(path.is_dir() for path in games.iterdir())
        return [] if unfinished else open_store(folder / "live").rows()

    found = until(rows, "episodes of finished games", 0.05)
    return [open_store(folder / "live").read(row.episode_id) for row in found]
