"""`rlhf serve`: the web app in which people play, mark and judge. `rlhf marks collect`: its marks into the datasets."""

from __future__ import annotations

import errno
import logging
import socket
import sys
from dataclasses import dataclass
from pathlib import Path

from annotation.server.config import ServeConfig
from rlhf.errors import UserError

__all__ = ["CollectConfig", "ServeConfig", "collect", "serve"]

KEEP_ALIVE_SEC = 75
MESSAGE_BYTES = 64 * 1024  # of a WebSocket


@dataclass(frozen=True)
class CollectConfig:
    """Settings of `rlhf marks collect`.

    Args:
      data: the study's folder.
      database: URL of its database, if that is not the SQLite file in the folder.
    """

    data: Path = Path("data")
    database: str = ""


def serve(config: ServeConfig) -> None:
    """Serve the study until Ctrl-C.

    Raises:
      UserError: if the folder, the database or the port cannot be used.
    """
    import uvicorn

    from annotation.server import people
    from annotation.server.app import create_app, open_study
    from annotation.server.clock import now

    logging.basicConfig(format="%(levelname)s: %(message)s", level=logging.WARNING, stream=sys.stderr)
    with listening(config) as listener:
        study = open_study(config)
        with study.database.writing() as session:
            token = people.admin_link(session, now())
        app = create_app(study)
        _greet(config, study.datasets.names(), listener.getsockname()[1], token)
        server = uvicorn.Server(
            uvicorn.Config(
                app, log_level="warning", access_log=False, server_header=False, proxy_headers=False,
                timeout_keep_alive=KEEP_ALIVE_SEC, ws_max_size=MESSAGE_BYTES,
                ws_per_message_deflate=False,  # pictures are compressed already
                timeout_graceful_shutdown=5,
            )
        )  # fmt: skip
        server.run(sockets=[listener])


def collect(config: CollectConfig) -> None:
    """Write the marks of submitted work into the study's datasets; a server may be running."""
    from annotation.server.app import open_study
    from annotation.server.clock import now
    from annotation.server.exporting import export_submitted
    from rlhf.progress import announce

    study = open_study(ServeConfig(data=config.data, database=config.database))
    submissions = export_submitted(study.database, study.datasets, now())
    announce(f"the marks of {submissions} newly submitted episodes are in the datasets of {config.data}")


def listening(config: ServeConfig) -> socket.socket:
    """A socket that listens where ``config`` says.

    Raises:
      UserError: if the address is not this machine's, or the port is taken or not ours to take.
    """
    family = socket.AF_INET6 if ":" in config.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
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


def _greet(config: ServeConfig, datasets: list[str], port: int, token: str) -> None:
    if not config.loopback:
        print(
            f"warning: everybody who reaches {config.host} sees the sign-in page"
            + ("" if config.secure else ", and what they send is not encrypted; put HTTPS in front (--public-url)"),
            file=sys.stderr,
        )
    named = ", ".join(datasets[:5]) + (", ..." if len(datasets) > 5 else "")
    if datasets:
        print(f"serving {len(datasets)} dataset{'s' if len(datasets) != 1 else ''} of {config.data}: {named}")
    else:
        print(f"there is no dataset in {config.data} yet; make one on the page Run the study, or with rlhf record")
    print(f"sign in as admin (works once, for an hour): {config.url(port)}/join#{token}")
    print("Ctrl-C ends the server; whatever was called saved is kept", flush=True)
