"""The commands of the web app.

`rlhf serve` serves a study, `rlhf look` only its viewer; `rlhf marks collect` exports what people submitted;
`rlhf people link` prints a sign-in link for the admin; `rlhf people delete` deletes a person's data.
"""

from __future__ import annotations

import errno
import json
import logging
import socket
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from annotation.server.config import DATABASE_FILE, Port, ServeConfig, ViewConfig
from rlhf.run.setting_forms import NamedFolders, Person
from worlds.errors import UserError
from worlds.settings import settings

if TYPE_CHECKING:
    from annotation.server.study import Study
    from annotation.server.teacher import Teacher

__all__ = [
    "CollectConfig",
    "DeleteConfig",
    "LinkConfig",
    "LookConfig",
    "ServeConfig",
    "collect",
    "delete_person",
    "link_admin",
    "look",
    "serve",
]

LOCK_FILE = "annotation.server.lock"  # locked by the server of the study's folder
# Longer than browsers keep a connection for its next request (Chromium 300 s, Firefox 115 s), so that it is always they
# who close it. A server that closes first may do so while a request is on its way, which the browser sees as a reset.
KEEP_ALIVE_SEC = 330
MESSAGE_BYTES = 64 * 1024  # of a WebSocket


@settings
class CollectConfig:
    """Settings of `rlhf marks collect`.

    Args:
      data: the study's folder.
      database: URL of its database, if that is not the SQLite file in the folder.
      submissions: a file, JSON Lines, for a line about each submission: rater, episode, number of marks, share of the
        episode that was seen, seconds of work. None writes none.
    """

    data: Path = Path("data")
    database: str = ""
    submissions: Path | None = None


@settings
class LookConfig:
    """Settings of `rlhf look`.

    Args:
      data: a dataset, or a folder of datasets. Nothing is written into it.
      reward_models: a name and a folder for every reward model to look with, beside those found below the folder, as
        NAME FOLDER or NAME=FOLDER.
      port: port of this machine to listen at, up to 65535; 0 takes a free one.
    """

    data: Path = Path("data")
    reward_models: NamedFolders = field(default_factory=dict)
    port: Port = 0


def look(config: LookConfig, tracer: Sequence[str] = ()) -> None:
    """Show the datasets in a browser on this machine until Ctrl-C.

    Raises UserError if there is no dataset, a reward model is none, or the port cannot be used.
    """
    from annotation.server.app import open_study
    from annotation.server.clock import now
    from annotation.server.services import people

    with tempfile.TemporaryDirectory(prefix="rlhf-look-") as scratch:
        viewing = ViewConfig(
            data=config.data, port=config.port, reward_models=config.reward_models, scratch=Path(scratch),
            requests_per_second=200.0,
        )  # fmt: skip
        with listening_socket(viewing) as listener:
            study = open_study(viewing, tracer)
            with study.database.writing() as session:
                token = people.viewers_link(session, now())
            url = f"{viewing.url(listener.getsockname()[1])}/join#{token}"
            print(f"look at the episodes of {config.data} (the link works once): {url}")
            print("Ctrl-C ends it", flush=True)
            _run(study, listener)


def serve(config: ServeConfig, tracer: Sequence[str] = (), teacher: Teacher | None = None) -> None:
    """Serve the study until Ctrl-C, with the page *Teach* if there is a ``teacher``.

    Raises UserError if the folder, the database or the port cannot be used, or another server serves the folder.
    """
    from annotation.server.app import open_study
    from annotation.server.clock import now
    from annotation.server.services import people

    with listening_socket(config) as listener, _alone(config.data):
        study = open_study(config, tracer, teacher)
        with study.database.writing() as session:
            token = people.teachers_link(session, now()) if teacher else people.admin_link(session, now())
        _greet(config, study.datasets.names(), listener.getsockname()[1], token, teaches=teacher is not None)
        _warn_of_image_sizes(study)
        _run(study, listener)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the lock of ``folder``, as two servers would not know of each other's games and admin's links.

    Raises UserError if another server holds it.
    """
    from rlhf.run.config import lock_file

    with ExitStack() as held:
        if folder.is_dir():  # what else is wrong is reported where it is opened
            held.enter_context(lock_file(folder / LOCK_FILE, folder, hint="stop that server, or serve another folder"))
        yield


def _run(study: Study, listener: socket.socket) -> None:
    """Answer requests to ``listener`` until Ctrl-C."""
    import uvicorn

    from annotation.server.app import create_app

    logging.basicConfig(format="%(levelname)s: %(message)s", level=logging.WARNING, stream=sys.stderr)
    server = uvicorn.Server(
        uvicorn.Config(
            create_app(study), log_level="warning", access_log=False, server_header=False, proxy_headers=False,
            use_colors=False, timeout_keep_alive=KEEP_ALIVE_SEC, ws_max_size=MESSAGE_BYTES,
            ws_per_message_deflate=False,  # pictures are compressed already
            timeout_graceful_shutdown=5,
        )
    )  # fmt: skip
    server.run(sockets=[listener])


def collect(config: CollectConfig) -> None:
    """Write the marks and judgements of submitted work into the study's datasets; a server may be running.

    Raises UserError if some could not be written; each is named in a line before, and the others are written.
    """
    from annotation.server.clock import now
    from annotation.server.export.submitted import NotExported, export_everything
    from annotation.server.services.submissions import all_submissions
    from rlhf.run.progress import announce
    from rlhf.store.files.durable import write_file

    study = _served_before(config.data, config.database)
    reasons: tuple[str, ...] = ()
    try:
        exported = export_everything(study.database, study.datasets, now())
    except NotExported as error:
        exported, reasons = error.exported, error.reasons
    announce(f"the marks and judgements of {exported} newly submitted episodes are in the datasets of {config.data}")
    if config.submissions is not None:
        with study.database.reading() as session:
            lines = [json.dumps(one) + "\n" for one in all_submissions(session)]
        write_file(config.submissions, "".join(lines).encode())
        announce(f"{len(lines)} submissions are described in {config.submissions}")
    if reasons:
        announce("\n".join(reasons))
        raise UserError("not everything is exported, for the reasons above; the same command tries the rest again")


def _served_before(data: Path, database: str) -> Study:
    """Open a study with the database that a server has made.

    Raises UserError if there is none: the server may have another database than the folder's file.
    """
    from annotation.server.app import open_study

    config = ServeConfig(data=data, database=database)
    if config.data.is_dir() and not database and not (config.data / DATABASE_FILE).exists():
        raise UserError(
            f"there is no {DATABASE_FILE} in {config.data}; serve the study first, "
            "or name the server's database: --database URL"
        )
    return open_study(config)


@settings
class LinkConfig:
    """Settings of `rlhf people link`.

    Args:
      data: folder of the study.
      database: URL of its database, if that is not the SQLite file in the folder.
      url: where browsers find the server, without a slash at its end.
    """

    data: Path = Path("data")
    database: str = ""
    url: str = f"http://127.0.0.1:{ServeConfig.port}"


def link_admin(config: LinkConfig) -> None:
    """Print a link that signs the admin in, once and within an hour; a server may be running.

    Raises UserError if the folder or the database cannot be used.
    """
    from annotation.server.clock import now
    from annotation.server.services import people

    study = _served_before(config.data, config.database)
    with study.database.writing() as session:
        token = people.admin_link(session, now())
    study.database.close()
    print(f"sign in as admin (works once, for an hour): {config.url.rstrip('/')}/join#{token}")


@settings
class DeleteConfig:
    """Settings of `rlhf people delete`.

    Args:
      person: whose data is deleted: their name, or their pseudonym in the datasets.
      data: the study's folder.
      database: URL of its database, if that is not the SQLite file in the folder.
      episodes: delete the episodes in which they played, too; otherwise those stay, under the pseudonym.
    """

    person: Person
    data: Path = Path("data")
    database: str = ""
    episodes: bool = False


def delete_person(config: DeleteConfig) -> None:
    """Delete a person's data from the study and its datasets, for good; a server may be running.

    Raises UserError if there is nobody of that name, or they are the study's last admin; nothing is deleted then.
    """
    from annotation.server.app import open_study
    from annotation.server.clock import now
    from annotation.server.errors import Refused
    from annotation.server.services import removing
    from rlhf.run.progress import announce

    study = open_study(ServeConfig(data=config.data, database=config.database))
    unfinished = removing.finish_removals(study.database, study.datasets, study.viewer)
    with study.database.writing() as session:
        person = removing.find_person(session, config.person)
        if person is not None:
            try:
                removing.remove_person(session, person, config.episodes, now())
            except Refused as refused:
                raise UserError(refused.said) from refused
        elif removing.appears_in(study.datasets, config.person):
            removing.note_removal(session, config.person, config.episodes, now())
        elif not unfinished:
            raise UserError(f"nobody in {config.data} is called {config.person}; names are on the page Run the study")
    removing.finish_removals(study.database, study.datasets, study.viewer)
    announce(
        f"nothing of {config.person} is left in {config.data}"
        + ("" if config.episodes else " but the episodes in which they played")
    )


def listening_socket(config: ServeConfig) -> socket.socket:
    """Return a socket that listens where ``config`` says.

    Raises UserError if the address is not this machine's, or the port is taken or not ours to take.
    """
    family = socket.AF_INET6 if ":" in config.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # Connections inherit it. Without it an answer's second part waits 40 ms for the first to be acknowledged; asyncio
    # sets it only on sockets that it has made itself.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        listener.bind((config.host, config.port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise UserError(_why_not(config, error)) from error
    return listener


def _why_not(config: ServeConfig, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {config.port} is taken; end what listens there, or take another: --port 0 finds a free one"
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"no permission to listen at port {config.port}; take one from 1024 on"
    return f"cannot listen at {config.host} ({error.strerror or error}); name an address of this machine"


def _warn_of_image_sizes(study: Study) -> None:
    """Name the datasets whose images no agent can see, before anybody starts a game there."""
    from annotation.server.services.agents import size_clashes
    from annotation.tasks import JUDGING

    sizes = {}
    for name in study.datasets.readable():
        store = study.datasets.store(name)
        size = None if JUDGING.holds(store) else store.description.image_size
        if size is not None:
            sizes[name] = size
    for sentence in size_clashes(study.games.agents.all(), sizes):
        print(f"warning: {sentence}", file=sys.stderr)


def _greet(config: ServeConfig, datasets: list[str], port: int, token: str, teaches: bool) -> None:
    if not config.loopback:
        print(
            f"warning: everybody who reaches {config.host} sees the sign-in page"
            + ("" if config.secure else ", and what they send is not encrypted; put HTTPS in front (--public-url)"),
            file=sys.stderr,
        )
    named = ", ".join(datasets[:5]) + (", ..." if len(datasets) > 5 else "")
    if teaches:
        print(f"the agent plays into {config.data}, and people mark and train it in the browser")
    elif datasets:
        print(f"serving {len(datasets)} dataset{'s' if len(datasets) != 1 else ''} of {config.data}: {named}")
    else:
        print(f"there is no dataset in {config.data} yet; make one on the page Run the study, or with rlhf record")
    what = "teach the agent" if teaches else "sign in as admin"
    print(f"{what} (works once, for an hour): {config.url(port)}/join#{token}")
    print("Ctrl-C ends the server; everything that is saved is kept", flush=True)
