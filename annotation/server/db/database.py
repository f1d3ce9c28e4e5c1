"""The database: opened, brought up to date, and asked in transactions that are on disk when they end."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, NoSuchModuleError
from sqlalchemy.orm import Session, sessionmaker

from rlhf.store.files.durable import check_no_links, sqlite_files
from worlds.errors import UserError

BUSY_SEC = 10  # another process, such as an export, may be writing
_MIGRATIONS = Path(__file__).parent / "migrations"


class Database:
    """The database of people, marks and everything else that is not in a dataset.

    Raises UserError if it cannot be opened, or a newer version of this program wrote it.
    """

    def __init__(self, url: str, migrate: bool = True) -> None:
        self._engine = _engine(url)
        try:
            if migrate:
                _migrate(self._engine, url)
        except DatabaseError as error:
            raise UserError(f"the database {_safe(url)} cannot be used ({_gist(error)}); check its URL") from error
        self._sessions = sessionmaker(self._engine, expire_on_commit=False)
        self._writers = sessionmaker(self._engine.execution_options(writes=True), expire_on_commit=False)
        # SQLite has one writer at a time; waiting here is fair and short, SQLite's own waiting polls.
        self._turn = threading.Lock()

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Open a session with one consistent view; nothing that is changed in it is kept."""
        with self._sessions() as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Open a transaction that is on disk when the block ends, and undone if the block raises."""
        with self._turn, self._writers.begin() as session:
            yield session

    def scrub(self) -> None:
        """Wipe what was deleted from SQLite's files; other databases do that themselves.

        Raises UserError if the database has been in use for so long that it could not be done; try again.
        """
        if self._engine.dialect.name != "sqlite":
            return
        connection = self._engine.raw_connection()
        try:
            with self._turn:
                connection.execute("VACUUM")  # type: ignore[attr-defined]
                busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()  # type: ignore[attr-defined]
        except sqlite3.OperationalError as error:
            raise UserError(
                f"the database is in use ({error}); what was deleted is wiped from its file later"
            ) from error
        finally:
            connection.close()
        if busy:
            raise UserError("the database is in use; what was deleted is wiped from its file later")

    def close(self) -> None:
        """Close every connection."""
        self._engine.dispose()


def _engine(url: str) -> Engine:
    try:
        sqlite = url.startswith("sqlite")
        options: dict[str, Any] = {"connect_args": {"timeout": BUSY_SEC}} if sqlite else {"pool_pre_ping": True}
        if sqlite:
            _make_private(make_url(url).database)
        engine = create_engine(url, pool_size=20, max_overflow=40, **options)
    except (NoSuchModuleError, ModuleNotFoundError) as error:
        raise UserError(f"database {_safe(url)} cannot be opened ({_gist(error)}); install its driver") from error
    except ArgumentError as error:
        raise UserError(
            f"database {_safe(url)} cannot be opened ({_gist(error)}); a URL is like postgresql+psycopg://USER@HOST/NAME"
        ) from error
    if sqlite:
        event.listen(engine, "connect", _set_up_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def _make_private(file: str | None) -> None:
    """Let only the owner read a new file, and SQLite's files beside it: they hold names and password hashes.

    Raises UserError if one of them is a link.
    """
    if file and file != ":memory:" and not file.startswith("file:"):
        check_no_links(*sqlite_files(Path(file)))
        with suppress(OSError):  # it exists already, or cannot be made, which SQLite reports better
            os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def _set_up_sqlite(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # transactions are begun by _begin_sqlite, not by the driver's guesses
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
        "secure_delete=ON",
        f"busy_timeout={BUSY_SEC * 1000}",
    ):
        connection.execute(f"PRAGMA {pragma}")
    connection.create_function("lower", 1, _lower, deterministic=True)  # SQLite's own knows English letters only


def _lower(text: Any) -> Any:
    return text.lower() if isinstance(text, str) else text


def _begin_sqlite(connection: Any) -> None:
    """Begin a transaction. A writer locks at once: one that read first could not wait for the lock."""
    connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get("writes") else "BEGIN")


def _migrate(engine: Engine, url: str) -> None:
    """Bring the tables up to date. Raises UserError if they are of a later version than this program, or too old."""
    scripts = _scripts()
    with engine.execution_options(writes=True).begin() as connection:
        found = MigrationContext.configure(connection).get_current_revision()
        if found == scripts.get_current_head():
            return
        known = sorted(script.revision for script in scripts.walk_revisions())
        if found is not None and found < known[0]:
            raise UserError(
                f"an older version wrote the database {_safe(url)} ({found}), which this one cannot read: write its "
                "marks into the datasets with that version (`rlhf marks collect`), then move it away to begin another"
            )
        if found is not None and found not in known:
            raise UserError(f"a newer version wrote the database {_safe(url)} ({found}); update interactive-rlhf")
        config = _config()
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    return config


@cache
def _scripts() -> ScriptDirectory:
    return ScriptDirectory.from_config(_config())


def _safe(url: str) -> str:
    """Return a URL without the part before its @, which may be a password."""
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}"


def _gist(error: BaseException) -> str:
    return (str(getattr(error, "orig", None) or error).splitlines() or [type(error).__name__])[0]
