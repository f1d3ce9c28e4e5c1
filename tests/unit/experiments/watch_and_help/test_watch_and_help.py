"""The experiment of Watch-And-Help: its parts, the page of their results, and the command."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.engine.declaration import ReproduceConfig, experiments
from experiments.engine.reproduce import reproduce
from experiments.watch_and_help.experiment import plan_watch_and_help
from experiments.watch_and_help.inferred_goals import load_goals, save_goals
from experiments.watch_and_help.parts import load_parts
from pipelines.stages.running.staged_run import Stage
from worlds.errors import UserError

HERE = "tests.unit.experiments.watch_and_help.test_watch_and_help"


def stages(folder: Path, seed: int) -> list[Stage]:
    def do() -> None:
        with (folder / "ran").open("a") as file:
            file.write(f"{seed} ")

    return [Stage("now", "a part", do)]


def section(folder: Path) -> str:
    return "| a |\n| --- |\n| 1 |\n" if (folder / "ran").exists() else ""


def test_parts_that_are_there_run_and_their_tables_are_on_one_page(tmp_path: Path) -> None:
    modules = {"later": "experiments.watch_and_help.not_there.experiment", "now": HERE}
    page = plan_watch_and_help(tmp_path, (0, 2), (), modules).carry_out()

    plan_watch_and_help(tmp_path, (0, 2), (), modules).carry_out()
    assert (tmp_path / "ran").read_text() == "0 2 ", "a stage is done once"
    assert page.read_text().endswith("| a |\n| --- |\n| 1 |\n")
    with pytest.raises(UserError, match="no part 'later'; known: now"):
        load_parts(["later"], modules)


def test_it_is_a_result_that_can_be_reproduced(tmp_path: Path) -> None:
    assert "watch-and-help" in experiments()
    with pytest.raises(UserError, match="no part 'hellp'; known:.* help"):
        reproduce(ReproduceConfig("watch-and-help", (0,), runs=tmp_path, parts=("hellp",)))
    with pytest.raises(UserError, match="leave out --arms"):
        reproduce(ReproduceConfig("watch-and-help", (0,), runs=tmp_path, arms=("HP",)))


def test_goals_that_were_inferred_are_found_by_seed_and_split(tmp_path: Path) -> None:
    goals = {"test_1/put_fridge-0": {"inside_apple_fridge": 2}}
    save_goals(tmp_path, 3, "test_1", goals)
    assert load_goals(tmp_path, 3, "test_1") == goals
    assert load_goals(tmp_path, 0, "test_1") is None
