"""`rlhf serve` on the command line: one clear line for whatever is wrong; its database, and the files of its pages."""

from __future__ import annotations

import hashlib
import re
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine, text

from annotation.server.app import open_study
from annotation.server.config import ServeConfig, ViewConfig
from annotation.server.db import tables
from annotation.server.db.database import Database
from annotation.server.routes.pages import PAGES, STATIC, assets
from annotation.server.serve import (
    LOCK_FILE,
    CollectConfig,
    LinkConfig,
    collect,
    link_admin,
    listening_socket,
    serve,
)
from pipelines.cli.settings import parse
from rlhf.run.config import lock_file
from rlhf.store import open_store
from worlds.errors import UserError

both_databases = pytest.mark.parametrize("tableless_url", ["sqlite", "postgres"], indirect=True)


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"data": "nowhere"}, "there is no folder .*nowhere"),
        ({"data": "play/dataset.json"}, "dataset.json is a file; name the study's"),
        ({"agents": {"bc": Path("play")}}, "agent bc: .*play is not an agent's folder"),
        ({"host": "203.0.113.7"}, "cannot listen at 203.0.113.7"),
        ({"port": 70000}, "port"),
        ({"lock_minutes": 0}, "lock"),
        ({"public_url": "study.example"}, "public-url"),
        ({"games": 0}, "games"),
        ({"episode_seconds": 0}, "episode"),
        ({"helped_tasks": 0}, "helped_tasks"),
        ({"helped_seed": 500}, "helped_seed"),
    ],
)
def test_what_cannot_be_served_is_named(folder: Path, settings: dict[str, Any], named: str) -> None:
    chosen: dict[str, Any] = {"port": 0, **settings, "data": folder / settings.get("data", "")}
    with pytest.raises(UserError, match=named):
        serve(ServeConfig(**chosen))


def test_half_a_pair_is_refused() -> None:
    with pytest.raises(UserError, match="--agents: bc has no value"):
        parse(ServeConfig, ["--agents", "bc"], command="rlhf serve")


def test_a_taken_port_and_a_folder_with_a_server_are_named(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UserError, match=f"port {port} is taken.*--port 0"):
            serve(ServeConfig(data=folder, port=port))
    with (
        lock_file(folder / LOCK_FILE, folder),
        pytest.raises(UserError, match=r"process \d+ on .*; stop that server, or serve another folder"),
    ):
        serve(ServeConfig(data=folder, port=0))


def test_answers_do_not_wait_for_what_was_sent_before(folder: Path) -> None:
    with (
        listening_socket(ServeConfig(data=folder, port=0)) as listener,
        socket.create_connection(listener.getsockname()),
        listener.accept()[0] as connection,
    ):
        assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.parametrize(
    ("host", "loopback"), [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("h", False)]
)
def test_loopback_is_known(host: str, loopback: bool) -> None:
    assert ServeConfig(host=host).loopback is loopback


@pytest.mark.parametrize(
    "command", [lambda folder: collect(CollectConfig(folder)), lambda folder: link_admin(LinkConfig(folder))]
)
def test_commands_of_a_served_study_do_not_make_another_database(folder: Path, command: Callable[[Path], None]) -> None:
    """The server's may be a PostgreSQL: a link from a new file would open nothing."""
    with pytest.raises(UserError, match="no annotation.sqlite in .*name the server's database: --database"):
        command(folder)
    assert not (folder / "annotation.sqlite").exists()


def test_the_home_folder_may_be_written_short(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder.parent))
    short = Path("~") / folder.name
    assert ServeConfig(data=short) == ServeConfig(data=folder) and ViewConfig(data=short) == ViewConfig(data=folder)
    with pytest.raises(UserError, match="no annotation.sqlite in"):
        collect(CollectConfig(short))


def test_collecting_without_submissions_changes_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    open_study(ServeConfig(data=folder)).database.close()
    collect(CollectConfig(data=folder))
    assert "0 newly submitted" in capsys.readouterr().err
    assert open_store(folder / "play").marks() == []


def test_the_server_imports_nothing_that_learns() -> None:
    heavy = "('torch', 'transformers', 'ray', 'mujoco', 'numba', 'wandb', 'matplotlib')"
    code = f"import annotation.server.app, sys; print([name for name in {heavy} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


# ---- the database


@both_databases
def test_the_migrations_make_the_tables_of_the_code(tableless_url: str) -> None:
    for _ in range(2):  # once they are made, they are left alone
        Database(tableless_url).close()
    engine = create_engine(tableless_url)
    with engine.begin() as connection:
        differences = compare_metadata(MigrationContext.configure(connection), tables.Base.metadata)
        assert [str(found) for found in differences] == []
    engine.dispose()


@both_databases
@pytest.mark.parametrize(("revision", "said"), [("0010", "an older version wrote"), ("9999", "a newer version wrote")])
def test_a_database_of_another_version_is_refused_and_left_alone(tableless_url: str, revision: str, said: str) -> None:
    Database(tableless_url).close()
    engine = create_engine(tableless_url)
    with engine.begin() as connection:
        connection.execute(text(f"UPDATE alembic_version SET version_num = '{revision}'"))
    with pytest.raises(UserError, match=said) as refused:
        Database(tableless_url)
    assert revision in str(refused.value) and "\n" not in str(refused.value)
    with engine.connect() as connection:
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalar() == revision
    engine.dispose()


@pytest.mark.parametrize("url", ["nonsense", "nosuch://x/y", "postgresql+nosuch://u:secret@h/d"])
def test_a_wrong_database_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(UserError) as error:
        Database(url)
    assert "secret" not in str(error.value) and (url != "nonsense" or "a URL is like postgresql" in str(error.value))


def test_a_file_that_is_no_database_is_refused(folder: Path) -> None:
    (folder / "annotation.sqlite").write_text("something else\n" * 100)
    with pytest.raises(UserError, match="cannot be used .*not a database"):
        open_study(ServeConfig(data=folder))


def test_the_database_is_its_owners_alone_and_on_disk_when_a_transaction_ends(folder: Path) -> None:
    pragmas = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}
    with open_study(ServeConfig(data=folder)).database.writing() as session:
        files = list(folder.glob("annotation.sqlite*"))
        assert len(files) >= 2 and {path.stat().st_mode & 0o777 for path in files} == {0o600}
        assert {name: session.execute(text(f"PRAGMA {name}")).scalar() for name in pragmas} == pragmas


# ---- the files of the pages

WEB = STATIC.parent / "web"


def test_the_pages_are_built_from_their_sources() -> None:
    """If this fails: `make web`, and commit what it makes."""
    sources = [path for path in (WEB / "src").rglob("*") if path.is_file()]
    sources += [WEB / "package-lock.json", WEB / "build.mjs"]
    said = hashlib.sha256()
    for name, path in sorted((str(path.relative_to(WEB)), path) for path in sources):
        said.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    assert (STATIC / "sources.sha256").read_text().strip() == said.hexdigest()


def test_the_first_page_is_small_and_has_nothing_inline_and_nothing_from_elsewhere() -> None:
    assert sum(len(asset.zipped) for asset in assets().values()) < 150 * 1024
    page = assets()["index.html"].plain.decode()
    assert "style=" not in page and "http" not in page and page.count("<script") == page.count('src="static/')


def test_text_that_people_type_is_never_markup() -> None:
    for path in (WEB / "src").rglob("*.ts*"):
        assert not re.search("innerHTML|insertAdjacentHTML", path.read_text()), path


def test_every_page_of_the_front_end_is_served() -> None:
    main = (WEB / "src" / "main.tsx").read_text()
    table = main.split("const PAGES", 1)[1].split("};", 1)[0]
    assert re.findall(r'^  "(/\w*)":', table, re.MULTILINE) == list(PAGES)
