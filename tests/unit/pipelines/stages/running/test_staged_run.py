"""Stages run once, are recorded when they end, and resume after the process died."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from pipelines.stages.running.staged_run import (
    INTERRUPTED_FILE,
    STAGES_FILE,
    Stage,
    finished_stages,
    open_run,
    resume_or_start,
    run_stages,
)
from rlhf.run.config import load_config
from tests.forked import forked
from worlds.errors import UserError


@dataclass(frozen=True)
class Inner:
    updates: int = 3
    note: str = "{}"
    workers: int | None = None


@dataclass(frozen=True)
class Config:
    run: Path = Path("run")
    rounds: int = 2
    rates: dict[str, float] = field(default_factory=lambda: {"a": 1.0})
    inner: Inner = field(default_factory=Inner)


def test_every_stage_is_done_once_in_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done: list[str] = []
    works = [Stage(name, f"makes {name}", lambda name=name: done.append(name)) for name in ("one", "two", "three")]
    assert [stage.name for stage in run_stages(tmp_path, works[:2], total=4)] == ["one", "two"]
    stages = run_stages(tmp_path, works, title="again, ")
    assert done == ["one", "two", "three"]
    assert [(stage.name, stage.note) for stage in stages] == [(name, f"makes {name}") for name in done]
    assert finished_stages(tmp_path) == stages and all(stage.seconds >= 0 for stage in stages)
    message = capsys.readouterr().err.splitlines()
    assert message[0] == "1 of 4: one" and message[2] == "again, 1 of 3: one: there already"


def test_a_run_is_resumed_from_its_checkpoint_or_starts_afresh(tmp_path: Path) -> None:
    @dataclass(frozen=True)
    class Run:
        runs: Path = tmp_path
        name: str = "run"
        resume: Path | None = None

    def begun(config: Run) -> Path:
        seen.append((config, folder.exists()))
        return folder

    folder, seen = tmp_path / "run", list[tuple[Run, bool]]()
    resume_or_start(begun, Run())
    (folder / "checkpoints").mkdir(parents=True)
    resume_or_start(begun, Run())  # what was there without a checkpoint is gone
    (folder / "checkpoints").mkdir(parents=True)
    (folder / "checkpoints" / "latest").touch()
    assert resume_or_start(begun, Run()) == folder
    assert seen == [(Run(), False), (Run(), False), (Run(resume=folder), True)]


def test_a_killed_run_resumes_at_the_stage_it_was_in(tmp_path: Path) -> None:
    folder, log = tmp_path / "run", tmp_path / "log"

    def stage(name: str, fatal: bool = False) -> Stage:
        def run() -> None:
            with log.open("a") as file:
                file.write(f"{name} ")
            if fatal and not (folder / "died").exists():
                (folder / "died").touch()
                os.kill(os.getpid(), signal.SIGKILL)

        return Stage(name, "", run)

    def run() -> None:
        run_stages(folder, [stage("a"), stage("b", fatal=True), stage("c")])

    assert forked(run) == -signal.SIGKILL
    assert forked(run) == 0
    assert log.read_text().split() == ["a", "b", "b", "c"]
    assert [stage.name for stage in finished_stages(folder)] == ["a", "b", "c"]


@pytest.mark.parametrize("text", ["[", "{}x", '[{"name": "a"}]', "[1]"])
def test_damaged_notes_are_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / STAGES_FILE).write_text(text)
    with pytest.raises(UserError, match=r"stages.json is damaged .*; remove it") as caught:
        run_stages(tmp_path, [])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rounds": 3}, "rounds is 2 there and 3 here"),
        ({"rates": {"a": 1.0, "b": 2.0}}, "rates.b is null there and 2.0 here"),
        ({"inner": Inner(updates=4, note="x")}, "inner.updates is 3 there and 4 here (and 1 more)"),
        ({"inner": Inner(note="x" * 50)}, "inner.note differs"),
    ],
)
def test_a_run_may_be_moved_and_is_refused_with_other_settings_by_their_name(
    tmp_path: Path, changes: dict, message: str
) -> None:
    config = Config(run=tmp_path / "run")
    open_run(config.run, config, "trial")
    config = replace(config, run=config.run.rename(tmp_path / "elsewhere"))
    open_run(config.run, config, "trial")
    assert load_config(config.run, Config) == config
    with pytest.raises(UserError) as caught:
        open_run(config.run, replace(config, **changes), "trial")
    refused = f"{config.run} holds another trial: {message}; give this one a folder of its own with --run"
    assert str(caught.value) == refused and load_config(config.run, Config) == config


def test_what_a_stage_makes_is_on_disk_before_it_is_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced, fsync = list[str](), os.fsync
    monkeypatch.setattr(os, "fsync", lambda file: synced.append(os.readlink(f"/proc/self/fd/{file}")) or fsync(file))
    made = tmp_path / "agent" / "model.safetensors"

    def make() -> None:
        made.parent.mkdir()
        made.write_bytes(b"weights")

    run_stages(tmp_path / "run", [Stage("train", "an agent", make, made.parent)])
    noted = next(place for place, path in enumerate(synced) if "stages.json" in path)
    assert {str(made), str(made.parent)} <= set(synced[:noted])


COMPUTE = "import time\nwhile time.process_time() < {}: pass"


def _compute(seconds: float) -> None:
    """Keep the processor busy in a child."""
    subprocess.run([sys.executable, "-c", COMPUTE.format(seconds)], check=True)


def test_the_processor_time_of_children_and_of_interrupted_attempts_counts(tmp_path: Path) -> None:
    def stopped() -> None:
        _compute(0.3)
        raise KeyboardInterrupt

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            run_stages(tmp_path, [Stage("one", "", lambda: time.sleep(0.3)), Stage("two", "", stopped)])
    run_stages(tmp_path, [Stage("one", "", stopped), Stage("two", "", lambda: _compute(0.1))])
    one, two = finished_stages(tmp_path)
    assert one.core_seconds is not None and two.core_seconds is not None
    assert two.core_seconds >= 0.6 and two.seconds >= 0.6 and 0.0 <= one.core_seconds < 0.3 <= one.seconds
    assert not (tmp_path / INTERRUPTED_FILE).exists()
