"""`rlhf serve` on the command line: one clear line for whatever is wrong."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from annotation.server.app import open_study
from annotation.server.config import ServeConfig, ViewConfig
from annotation.server.db.database import Database
from annotation.server.serve import (
    KEEP_ALIVE_SEC,
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


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no folder .*nowhere"):
        serve(ServeConfig(data=tmp_path / "nowhere", port=0))


def test_a_file_in_place_of_the_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "study").touch()
    with pytest.raises(UserError, match="study is a file; name the study's"):
        serve(ServeConfig(data=tmp_path / "study", port=0))


def test_a_folder_that_is_no_agents_is_named(folder: Path) -> None:
    with pytest.raises(UserError, match="agent bc: .*play is not an agent's folder"):
        open_study(ServeConfig(data=folder, agents={"bc": folder / "play"}))


def test_half_a_pair_is_refused() -> None:
    with pytest.raises(UserError, match="--agents: bc has no value"):
        parse(ServeConfig, ["--agents", "bc"], command="rlhf serve")


def test_a_taken_port_is_named(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UserError, match=f"port {port} is taken.*--port 0"):
            serve(ServeConfig(data=folder, port=port))


def test_a_folder_has_one_server_at_a_time(folder: Path) -> None:
    with (
        lock_file(folder / LOCK_FILE, folder),
        pytest.raises(UserError, match=r"process \d+ on .*; stop that server, or serve another folder"),
    ):
        serve(ServeConfig(data=folder, port=0))


def test_an_address_of_another_machine_is_named(folder: Path) -> None:
    with pytest.raises(UserError, match="cannot listen at 203.0.113.7"):
        listening_socket(ServeConfig(data=folder, host="203.0.113.7", port=0))


def test_answers_do_not_wait_for_what_was_sent_before(folder: Path) -> None:
    with (
        listening_socket(ServeConfig(data=folder, port=0)) as listener,
        socket.create_connection(listener.getsockname()),
        listener.accept()[0] as connection,
    ):
        assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_newer_database_is_refused_and_left_alone(folder: Path) -> None:
    config = ServeConfig(data=folder)
    open_study(config).database.close()
    engine = create_engine(config.database_url)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(UserError, match="newer version .*9999.*update interactive-rlhf"):
        open_study(config)
    with engine.connect() as connection:
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalar() == "9999"


@pytest.mark.parametrize("url", ["nonsense", "nosuch://x/y", "postgresql+nosuch://u:secret@h/d"])
def test_a_wrong_database_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(UserError) as error:
        Database(url)
    assert "secret" not in str(error.value)


def test_a_malformed_database_url_is_refused_without_a_driver() -> None:
    with pytest.raises(UserError, match="a URL is like postgresql") as error:
        Database("nonsense")
    assert "driver" not in str(error.value)


def test_the_database_is_its_owners_alone(folder: Path) -> None:
    study = open_study(ServeConfig(data=folder))
    with study.database.writing():
        files = list(folder.glob("annotation.sqlite*"))
        assert len(files) >= 2 and {path.stat().st_mode & 0o777 for path in files} == {0o600}


def test_a_file_that_is_no_database_is_refused(folder: Path) -> None:
    (folder / "annotation.sqlite").write_text("something else\n" * 100)
    with pytest.raises(UserError, match="cannot be used .*not a database"):
        open_study(ServeConfig(data=folder))


def test_the_database_is_on_disk_when_a_transaction_ends(folder: Path) -> None:
    database = open_study(ServeConfig(data=folder)).database
    with database.writing() as session:
        found = {name: session.execute(text(f"PRAGMA {name}")).scalar() for name in ("journal_mode", "synchronous", "foreign_keys")}  # fmt: skip # noqa: E501
    assert found == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}


@pytest.mark.parametrize(
    "wrong",
    [{"port": 70000}, {"lock_minutes": 0}, {"public_url": "study.example"}, {"games": 0}, {"episode_seconds": 0}],
)
def test_wrong_settings_are_named(wrong: dict[str, object]) -> None:
    with pytest.raises(UserError):
        ServeConfig(**wrong)  # type: ignore[arg-type]


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


def test_browsers_close_an_idle_connection_before_the_server_does() -> None:
    """Or a request that is on its way when the server closes it fails (Chromium reuses connections for 300 s)."""
    assert KEEP_ALIVE_SEC > 300
