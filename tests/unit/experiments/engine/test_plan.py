"""The engine of experiments: what is done is not done again, and a folder holds one experiment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from experiments.engine.plan import Plan
from pipelines.stages.running.staged_run import Stage
from worlds.errors import UserError


@dataclass(frozen=True)
class Settings:
    """Of a made-up experiment."""

    size: int = 3
    seeds: tuple[int, ...] = (0, 1)


@dataclass
class Log:
    """What was done, in order."""

    done: list[str] = field(default_factory=list)
    fails_at: str = ""

    def stage(self, name: str) -> Stage:
        def do() -> None:
            if name == self.fails_at:
                raise UserError(f"{name} fails")
            self.done.append(name)

        return Stage(name, "", do)


def plan(run: Path, log: Log, settings: Settings = Settings(), parts: Sequence[str] = ("a", "b")) -> Plan:  # noqa: B008
    def stages(part: str, seed: int) -> list[Stage]:
        return [log.stage(f"shared by parts, {seed}"), log.stage(f"{part}, {seed}")]

    def report(part: str, seeds: Sequence[int]) -> Path:
        log.done.append(f"report {part} {list(seeds)}")
        return run / "table.md"

    return Plan(run, settings.seeds, stages, report, settings, parts, shared=[log.stage("first")])


def test_stages_of_all_seeds_come_part_after_part_and_shared_ones_once(tmp_path: Path) -> None:
    log = Log()
    assert plan(tmp_path / "run", log).carry_out() == tmp_path / "run" / "table.md"
    assert log.done == [
        "first", "shared by parts, 0", "a, 0", "report a [0]", "shared by parts, 1", "a, 1", "report a [0, 1]",
        "b, 0", "report b [0]", "b, 1", "report b [0, 1]",
    ]  # fmt: skip


def test_an_experiment_that_failed_resumes_where_it_was(tmp_path: Path) -> None:
    log = Log(fails_at="a, 1")
    with pytest.raises(UserError, match="a, 1 fails"):
        plan(tmp_path / "run", log).carry_out()
    log.done.clear()
    log.fails_at = ""
    plan(tmp_path / "run", log, parts=("a",)).carry_out()
    assert [name for name in log.done if not name.startswith("report")] == ["a, 1"]


def test_another_experiment_in_the_folder_is_refused_and_more_seeds_are_not(tmp_path: Path) -> None:
    log = Log()
    plan(tmp_path / "run", log).carry_out()
    with pytest.raises(UserError, match="holds another experiment: size is 3 there and 4 here; .* --runs"):
        plan(tmp_path / "run", log, Settings(size=4)).carry_out()
    log.done.clear()
    plan(tmp_path / "run", log, replace(Settings(), seeds=(0, 1, 2)), parts=("a",)).carry_out()
    assert [name for name in log.done if not name.startswith("report")] == ["shared by parts, 2", "a, 2"]
