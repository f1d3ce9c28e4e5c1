"""`rlhf household inferred`: people's inferred goals beside those of models, measured by hand here."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from experiments.engine.results_docs import read_tables
from experiments.watch_and_help.commands.inferred import HouseholdInferredConfig, report_inferred
from experiments.watch_and_help.inferred_goals import save_goals
from experiments.watch_and_help.watching.people import answers_of_people, measure, people_table, watched_in
from experiments.watch_and_help.watching.recorded import record_shown
from rlhf.records.preferences import InferredGoal, goal_text
from rlhf.store import ParquetStore, open_store
from worlds.errors import UserError
from worlds.household.tasks.benchmark import task

NUMBERS = (41, 61)


def said(store: ParquetStore, name: str, goal: dict[str, int], rater: str, scripted: bool = False) -> InferredGoal:
    return InferredGoal(name, 0, 10, goal_text(goal), rater, 40.0, scripted)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> ParquetStore:
    """Two demonstrations; Ann is right, Bob names one thing too many and misses all of the other goal."""
    folder = tmp_path_factory.mktemp("experiment") / "shown"
    record_shown(folder, "test_1_tasks", NUMBERS)
    store = open_store(folder)
    goals = [dict(task("test_1", number).goal) for number in NUMBERS]
    assert sum(goals[0].values()) > 0 and "on_coffeepot_kitchentable" not in goals[0]
    first, second = store.ids()
    more = {**goals[0], "on_coffeepot_kitchentable": 1}
    store.write_preferences(
        [
            said(store, first, goals[0], "ann"), said(store, second, goals[1], "ann"),
            said(store, first, more, "bob"), said(store, second, {}, "bob"), said(store, first, {}, "oracle", True),
        ]
    )  # fmt: skip
    return store


def test_precision_and_recall_are_those_of_all_answers_together(store: ParquetStore) -> None:
    sizes = [sum(task("test_1", number).goal.values()) for number in NUMBERS]
    watched = watched_in(store)
    assert [each.task for each in watched] == [task("test_1", number).name for number in NUMBERS]
    found = measure(answers_of_people(watched))
    right = 2 * sizes[0] + sizes[1]
    assert found.precision is not None and found.recall is not None and found.exact is not None
    assert found.precision.estimate == pytest.approx(right / (right + 1))
    assert found.recall.estimate == pytest.approx(right / (2 * sum(sizes)))
    assert found.exact.estimate == 0.5 and (found.exact.low, found.exact.high) == (0.0, 1.0)
    assert found.recall.low < found.recall.estimate < found.recall.high


def test_models_and_chance_stand_beside_people(store: ParquetStore, tmp_path: Path) -> None:
    names = [task("test_1", number).name for number in NUMBERS]
    goals = {name: dict(task("test_1", number).goal) for name, number in zip(names, NUMBERS, strict=True)}
    save_goals(tmp_path, 0, "test_1", goals)
    save_goals(tmp_path, 3, "test_1", {names[0]: goals[names[0]], names[1]: {}})
    table = people_table(watched_in(store), tmp_path)
    rows = {row[1]: dict(zip(table.head, row, strict=True)) for row in table.rows}
    assert list(rows) == ["people", "models", "chance"] and {row[0] for row in table.rows} == {"test_1"}
    assert (rows["people"]["raters or seeds"], rows["people"]["answers"]) == ("2", "4")
    assert rows["people"]["median time"] == "40 s"
    assert rows["models"]["precision"].startswith("1.00 (")
    assert rows["models"]["whole goal"].startswith("0.75 (") and rows["models"]["answers"] == "4"
    assert 0 < float(rows["chance"]["precision"]) < 0.5
    assert len(people_table(watched_in(store), None).rows) == 2


def test_the_command_prints_and_writes_the_table(store: ParquetStore, tmp_path: Path, capsys: object) -> None:
    table = report_inferred(HouseholdInferredConfig(store.folder, None, tmp_path / "people.md"))
    assert (tmp_path / "people.md").read_text() == table
    assert len(read_tables(table)[0].rows) == 2


def test_nothing_to_measure_is_one_line(store: ParquetStore, tmp_path: Path) -> None:
    record_shown(tmp_path / "shown", "test_1_tasks", NUMBERS[:1])
    with pytest.raises(UserError, match="nobody has inferred a goal in"):
        report_inferred(HouseholdInferredConfig(tmp_path / "shown"))
    with pytest.raises(UserError, match="has no part watch"):
        report_inferred(HouseholdInferredConfig(store.folder, tmp_path))


def test_episodes_that_are_no_demonstrations_are_left_out(store: ParquetStore) -> None:
    assert watched_in(store, scripted=True)[0].answers[0].rater == "oracle"
    assert len(watched_in(store)) == 2 and np.all(answers_of_people(watched_in(store)).who <= 1)
