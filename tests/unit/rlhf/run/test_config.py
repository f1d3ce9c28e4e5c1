"""A run's configuration comes back exactly or not at all, and one folder has one writer."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlhf.records.json_records import from_json, to_json
from rlhf.run.config import (
    CONFIG_FILE,
    LOCK_FILE,
    load_config,
    lock_run,
    locked_run,
    new_run_folder,
    read_record,
    save_config,
    whole_run,
)
from rlhf.store.files.durable import write_file
from tests.patience import PATIENCE_SEC
from tests.processes import Forked, killed
from worlds.errors import UserError


@dataclass(frozen=True)
class Inner:
    width: int = 3
    rate: float = 0.1


@dataclass(frozen=True)
class RunConfig:
    name: str = "x"
    folder: Path = Path("runs/x")
    rate: float = 1e-4
    steps: int | None = None
    tasks: tuple[str, ...] = ("go", "lift")
    size: tuple[int, float] = (3, 0.5)
    mode: Literal["fast", "slow"] = "fast"
    weights: Mapping[str, float] = field(default_factory=dict)
    inner: Inner = Inner()
    more: tuple[Inner, ...] = ()
    blob: bytes = b""
    anything: Any = None
    resume: Path | None = None


@dataclass(frozen=True)
class Settings:
    runs: Path
    name: str = "x"
    resume: Path | None = None


floats = st.floats(allow_nan=False)
configs = st.builds(
    RunConfig,
    name=st.text(),
    folder=st.text("abc/.", min_size=1).map(Path),
    rate=floats,
    steps=st.none() | st.integers(),
    tasks=st.lists(st.text()).map(tuple),
    size=st.tuples(st.integers(), floats),
    mode=st.sampled_from(["fast", "slow"]),
    weights=st.dictionaries(st.text(), floats),
    inner=st.builds(Inner, width=st.integers(), rate=floats),
    more=st.lists(st.builds(Inner, rate=floats)).map(tuple),
    blob=st.binary(),
    resume=st.none() | st.just(Path("runs/y")),
)


@given(configs)
def test_records_survive_json_exactly(config: RunConfig) -> None:
    again = from_json(RunConfig, json.loads(json.dumps(to_json(config), allow_nan=False)))
    assert again == config
    assert [type(value) for value in vars(again).values()] == [type(value) for value in vars(config).values()]


def test_saved_configuration_comes_back_with_its_circumstances(tmp_path: Path) -> None:
    config = RunConfig(inner=Inner(width=9), tasks=("a",), folder=Path("/somewhere"))
    assert save_config(tmp_path, config) == tmp_path / CONFIG_FILE
    assert load_config(tmp_path, RunConfig) == config
    record = read_record(tmp_path)
    assert {"kind", "config", "version", "git_commit", "command", "created", "machine"} == record.keys()
    assert record["machine"]["cores"] >= 1
    assert list(tmp_path.iterdir()) == [tmp_path / CONFIG_FILE]


@pytest.mark.parametrize(
    ("path", "value", "complaint"),
    [
        (("stps",), 3, "no setting stps (did you mean steps?)"),
        (("inner", "wdth"), 3, "no setting inner.wdth (did you mean width?)"),
        (("rate",), "fast", "rate is a number, not fast"),
        (("steps",), True, "steps is a whole number, not True"),
        (("name",), None, "name is text, not None"),
        (("tasks",), "go", "tasks is a list, not go"),
        (("weights",), {"go": "x"}, "weights.go is a number, not x"),
    ],
)
def test_settings_that_do_not_fit_are_named(tmp_path: Path, path: tuple[str, ...], value: Any, complaint: str) -> None:
    save_config(tmp_path, RunConfig())
    record = read_record(tmp_path)
    place = record["config"] if len(path) == 1 else record["config"][path[0]]
    place[path[-1]] = value
    (tmp_path / CONFIG_FILE).write_text(json.dumps(record))
    with pytest.raises(UserError) as caught:
        load_config(tmp_path, RunConfig)
    assert complaint in str(caught.value) and str(tmp_path / CONFIG_FILE) in str(caught.value)


def test_settings_that_came_later_have_their_defaults_where_they_may(tmp_path: Path) -> None:
    config = RunConfig(inner=Inner(width=7))
    save_config(tmp_path, config)
    record = read_record(tmp_path)
    del record["config"]["inner"]["rate"], record["config"]["steps"]
    (tmp_path / CONFIG_FILE).write_text(json.dumps(record))
    assert load_config(tmp_path, RunConfig) == config
    record["config"]["inner"]["rat"] = 1
    (tmp_path / CONFIG_FILE).write_text(json.dumps(record))
    with pytest.raises(UserError, match="no setting inner.rat "):
        load_config(tmp_path, RunConfig)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "is not a run's folder"),
        ('{"kind": "RunCon', "is damaged"),
        ('{"lr": 3}', "is not a run's configuration"),
        ('{"kind": "Inner", "config": {}}', "another kind of run"),
    ],
)
def test_a_missing_damaged_or_foreign_file_is_named(tmp_path: Path, text: str | None, message: str) -> None:
    if text is not None:
        (tmp_path / CONFIG_FILE).write_text(text)
    with pytest.raises(UserError, match=message):
        load_config(tmp_path, RunConfig)


def test_values_that_json_cannot_hold_are_refused_when_written() -> None:
    with pytest.raises(TypeError, match="cannot be written"):
        to_json(replace(RunConfig(), anything=object()))


def test_a_new_run_never_overwrites(tmp_path: Path) -> None:
    folder = new_run_folder(tmp_path / "runs", "one")
    assert folder.is_dir()
    assert new_run_folder(tmp_path / "runs", "one") == folder  # nothing is in it yet
    (folder / "x").touch()
    with pytest.raises(UserError, match="holds a run already"):
        new_run_folder(tmp_path / "runs", "one")
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="is a file"):
        new_run_folder(tmp_path, "file")


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "/tmp"])
def test_names_that_are_no_names(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match="name of one folder"):
        new_run_folder(tmp_path, name)


HOLD = "import sys, time; from pathlib import Path; from rlhf.run.config import lock_run\n"
HOLD += "with lock_run(Path(sys.argv[1])): print('held', flush=True); time.sleep(60)"


def test_one_folder_has_one_writer_and_a_dead_one_is_succeeded(tmp_path: Path) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        with pytest.raises(UserError, match=f"process {holder.pid} on "), lock_run(tmp_path):
            pass
        holder.send_signal(signal.SIGKILL)
        holder.wait(timeout=PATIENCE_SEC)
        assert str(holder.pid) in (tmp_path / LOCK_FILE).read_text()  # it could not tidy up
        with lock_run(tmp_path):
            assert f"process {os.getpid()} " in (tmp_path / LOCK_FILE).read_text()
    finally:
        holder.kill()
        holder.wait(timeout=PATIENCE_SEC)


def test_a_folder_that_is_no_run_is_refused_as_one_and_kept(tmp_path: Path) -> None:
    (tmp_path / "valuable").mkdir()
    (tmp_path / "valuable" / "thesis.txt").write_text("years of work")
    resuming = Settings(tmp_path / "runs", resume=tmp_path / "valuable")
    with pytest.raises(UserError, match="it has no config.json"), locked_run(resuming, (), "rlhf clone"):
        pass
    assert (tmp_path / "valuable" / "thesis.txt").read_text() == "years of work"


def test_a_new_run_that_could_not_begin_leaves_no_folder(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    for name in ("x", "link"):
        with pytest.raises(UserError, match="no dataset"), locked_run(Settings(tmp_path, name), (), "rlhf clone"):
            raise UserError("there is no dataset")
    assert not (tmp_path / "x").exists()


def begin(run: Path) -> int:
    with locked_run(Settings(run.parent, run.name), (), "rlhf clone") as folder:
        for name in ("episodes.json", "metrics.jsonl"):
            write_file(folder / name, b"{}")
    return 0


def test_a_run_that_is_killed_before_it_learns_begins_again(tmp_path: Path) -> None:
    for later in range(100):
        run = tmp_path / str(later)
        status = Forked(tmp_path / "errors", killed, run.parent.exists, later, begin, run).wait()
        if status == 0:
            break
        assert status == -signal.SIGKILL
        assert begin(run) == 0
    assert later > 6


def test_a_run_that_cannot_be_resumed_begins_again_until_it_is_whole(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), whole_run(Settings(tmp_path), "page.html"):
        raise ZeroDivisionError
    assert not (tmp_path / "x").exists()
    (tmp_path / "x").mkdir()
    save_config(tmp_path / "x", Settings(tmp_path))
    (tmp_path / "x" / "figures").mkdir()  # it was killed
    with whole_run(Settings(tmp_path), "page.html") as folder:
        write_file(folder / "page.html", b"done")
    with pytest.raises(UserError, match="holds a run already"), whole_run(Settings(tmp_path), "page.html"):
        pass
