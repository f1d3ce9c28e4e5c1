"""A PostgreSQL server of the tests' own, where its programs are installed: the other database of `rlhf serve`."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, text

_DEBIAN = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)


def program(name: str) -> str | None:
    """The path of one of PostgreSQL's programs; None where it is not installed."""
    found = shutil.which(name)
    return found or next((str(folder / name) for folder in _DEBIAN if (folder / name).is_file()), None)


@contextmanager
def running() -> Iterator[str]:
    """A server that nothing but a socket in its own folder leads to; the URL of its database, which is empty."""
    account: dict[str, Any] = {"user": "postgres"} if os.geteuid() == 0 else {}  # it refuses to run as root
    initdb, control = program("initdb"), program("pg_ctl")
    assert initdb and control
    with tempfile.TemporaryDirectory(prefix="pg-") as folder:  # a socket's path is short, so not pytest's folder
        data = Path(folder) / "data"
        data.mkdir(mode=0o700)
        if account:
            for path in (Path(folder), data):
                shutil.chown(path, "postgres")
        settings = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
        quiet: dict[str, Any] = account | {"check": True, "stdout": subprocess.DEVNULL, "cwd": folder}
        subprocess.run([initdb, "-D", data, "-U", "study", "--auth=trust", "--no-sync"], **quiet)
        subprocess.run([control, "-D", data, "-w", "-l", Path(folder) / "log", "-o", settings, "start"], **quiet)
        try:
            yield f"postgresql+psycopg://study@/postgres?host={folder}"
        finally:
            subprocess.run([control, "-D", data, "-m", "immediate", "stop"], **quiet)


def copied(url: str, template: str = "postgres") -> str:
    """Return the URL of a copy, of which there is one at a time, of a database to which nobody is connected."""
    engine = create_engine(url.replace("/postgres?", "/template1?"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text("DROP DATABASE IF EXISTS copied WITH (FORCE)"))
        connection.execute(text(f"CREATE DATABASE copied TEMPLATE {template}"))
    engine.dispose()
    return url.replace("/postgres?", "/copied?")
