"""The commands `rlhf household`: tasks, homes, demonstrations, and what people inferred and rated."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from experiments.engine.results_docs import read_tables
from experiments.engine.rows import Row
from experiments.watch_and_help.benchmark import task
from experiments.watch_and_help.commands.check import HouseholdCheckConfig, check_home
from experiments.watch_and_help.commands.demonstrate import HouseholdDemonstrateConfig, record_demonstrations
from experiments.watch_and_help.commands.inferred import HouseholdInferredConfig, report_inferred
from experiments.watch_and_help.commands.people import (
    HouseholdPeopleConfig,
    helped_rows,
    report_people,
    results_by_helper,
)
from experiments.watch_and_help.commands.tasks import HouseholdTasksConfig, write_tasks
from experiments.watch_and_help.inferred_goals import save_goals
from experiments.watch_and_help.watching.people import answers_of_people, people_table, share, watched_in
from experiments.watch_and_help.watching.recorded import record_shown
from experiments.watch_and_help.watching.shown import show
from pipelines.stages.settings.play_settings import settings_of_dataset
from rlhf.records.preferences import RATED, HelperRating, InferredGoal, goal_text
from rlhf.store import ParquetStore, open_store
from rlhf.store.synthetic import synthetic_episode
from worlds import registry
from worlds.contract import SETTER, SOLVER
from worlds.errors import UserError
from worlds.household.homes import home
from worlds.household.homes.placing import place
from worlds.household.observing import graph_of
from worlds.household.tasks.progress import progress, reached
from worlds.household.tasks.splits import goals_of


def _config(folder: Path, seed: int = 0) -> HouseholdTasksConfig:
    return HouseholdTasksConfig(folder, seed, 2, 3, 2, 1)


def test_tasks_and_demonstrations_of_all_splits_are_written(tmp_path: Path) -> None:
    folder = write_tasks(_config(tmp_path / "tasks"))
    lines = {path.name: path.read_text().splitlines() for path in sorted(folder.iterdir())}
    assert {name: len(each) for name, each in lines.items()} == {
        "train.jsonl": 2, "test_1.jsonl": 2, "test_2.jsonl": 2,
        "train_demonstrations.jsonl": 3, "test_1_demonstrations.jsonl": 2, "test_2_demonstrations.jsonl": 1,
    }  # fmt: skip
    task = json.loads(lines["test_2.jsonl"][1])
    assert task["name"] == f"test_2/{goals_of('test_2')[1].name}"
    for config in (task["watch"], task["help"], json.loads(lines["train_demonstrations.jsonl"][2])["config"]):
        home, state = place(config)
        assert not any(progress(home, state, config["task"]["goal"], home.persons[0]).values())


def test_a_seed_gives_the_same_files_and_another_gives_others(tmp_path: Path) -> None:
    first, again, other = (
        write_tasks(_config(tmp_path / name, seed)) for name, seed in (("a", 0), ("b", 0), ("c", 1))
    )  # fmt: skip
    for path in first.iterdir():
        assert path.read_bytes() == (again / path.name).read_bytes()
        assert path.read_bytes() != (other / path.name).read_bytes()


def test_a_graph_is_described(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.json"
    graph = graph_of(*home("apartment-4"))
    graph["nodes"][-1]["states"] = ["SHINING"]
    path.write_text(json.dumps(graph))
    check_home(HouseholdCheckConfig(path))
    printed = capsys.readouterr().out
    assert f"home mine: {len(graph['nodes'])} things" in printed
    assert "rooms       livingroom, kitchen, bedroom, bathroom\n" in printed
    assert "activities  setup_table, put_dishwasher, put_fridge, prepare_food\n" in printed  # without a coffee table
    assert "not understood, or assumed:\n  unknown state 'SHINING' is left out" in printed


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot read the graph .*No such file"):
        check_home(HouseholdCheckConfig(tmp_path / "none.json"))
    (tmp_path / "text.json").write_text("{nodes}")
    with pytest.raises(UserError, match="is no JSON file"):
        check_home(HouseholdCheckConfig(tmp_path / "text.json"))
    os.mkfifo(tmp_path / "pipe.json")  # which nobody writes
    with pytest.raises(UserError, match="pipe.json is no file"):
        check_home(HouseholdCheckConfig(tmp_path / "pipe.json"))


@pytest.fixture(scope="module")
def demonstrated(tmp_path_factory: pytest.TempPathFactory) -> ParquetStore:
    folder = tmp_path_factory.mktemp("experiment") / "demonstrations"
    assert len(record_demonstrations(HouseholdDemonstrateConfig(folder, "test_1", 2))) == 2
    return open_store(folder)


def test_alice_does_again_what_she_demonstrated_and_reaches_her_goal(demonstrated: ParquetStore) -> None:
    world, offered = registry.get("household").make(), registry.get("household").goal_choices
    assert offered is not None
    for name, number in zip(demonstrated.ids(), (0, 50), strict=True):
        episode, shown = demonstrated.read(name), show("test_1_tasks", number)
        assert episode.notes["task"] == shown.name and episode.split == "held_out"
        assert len(episode) == len(shown.acts) + 1 and not any(episode.setter_utterance) and not episode.requests
        assert (episode.setter_movement[:-1, 0, 0] == shown.acts[:, 0]).all()
        goal = offered().goal_of(episode.config)
        assert goal == shown.goal
        world.reset(seed=episode.seed, options={"config": dict(episode.config)})
        done = []
        for step in range(len(episode)):
            now = world.state
            done.append(reached(now.home, now.state, goal, now.home.persons[0]))
            world.step({SETTER: episode.setter_action(step), SOLVER: episode.solver_action(step)})
        assert done == [False] * (len(episode) - 1) + [True]


def test_the_same_command_completes_a_dataset(demonstrated: ParquetStore) -> None:
    before = demonstrated.ids()
    ids = record_demonstrations(HouseholdDemonstrateConfig(demonstrated.folder, "test_1", 3))
    assert len(ids) == 3 and set(before) & set(ids) == {"test_1-setup_table-0"}
    assert set(demonstrated.ids()) == {*before, *ids} and demonstrated.verify() == []
    (noted,) = settings_of_dataset(demonstrated.folder)
    assert noted.world.name == "household"


NUMBERS = (41, 61)


def said(store: ParquetStore, name: str, goal: dict[str, int], rater: str, scripted: bool = False) -> InferredGoal:
    return InferredGoal(name, 0, 10, goal_text(goal), rater, 40.0, scripted)


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> ParquetStore:
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


def test_precision_and_recall_are_those_of_all_answers_together(answered: ParquetStore) -> None:
    sizes = [sum(task("test_1", number).goal.values()) for number in NUMBERS]
    watched = watched_in(answered)
    assert [each.task for each in watched] == [task("test_1", number).name for number in NUMBERS]
    rows = answers_of_people(watched)
    precision, recall, exact = share(rows, "both", "inferred"), share(rows, "both", "wanted"), share(rows, "success")
    right = 2 * sizes[0] + sizes[1]
    assert precision is not None and recall is not None and exact is not None
    assert precision.estimate == pytest.approx(right / (right + 1))
    assert recall.estimate == pytest.approx(right / (2 * sum(sizes)))
    assert exact.estimate == 0.5 and (exact.low, exact.high) == (0.0, 1.0)
    assert recall.low < recall.estimate < recall.high


def test_models_and_chance_stand_beside_people(answered: ParquetStore, tmp_path: Path) -> None:
    names = [task("test_1", number).name for number in NUMBERS]
    goals = {name: dict(task("test_1", number).goal) for name, number in zip(names, NUMBERS, strict=True)}
    save_goals(tmp_path, 0, "test_1", goals)
    save_goals(tmp_path, 3, "test_1", {names[0]: goals[names[0]], names[1]: {}})
    table = people_table(watched_in(answered), tmp_path)
    rows = {row[1]: dict(zip(table.head, row, strict=True)) for row in table.rows}
    assert list(rows) == ["people", "models", "chance"] and {row[0] for row in table.rows} == {"test_1"}
    assert (rows["people"]["raters or seeds"], rows["people"]["answers"]) == ("2", "4")
    assert rows["people"]["median time"] == "40 s"
    assert rows["models"]["precision"].startswith("1.00 (")
    assert rows["models"]["whole goal"].startswith("0.75 (") and rows["models"]["answers"] == "4"
    assert 0 < float(rows["chance"]["precision"]) < 0.5
    assert len(people_table(watched_in(answered), None).rows) == 2


def test_the_command_prints_and_writes_the_table(answered: ParquetStore, tmp_path: Path, capsys: object) -> None:
    table = report_inferred(HouseholdInferredConfig(answered.folder, None, tmp_path / "people.md"))
    assert (tmp_path / "people.md").read_text() == table
    assert len(read_tables(table)[0].rows) == 2


def episode(helper: str, person: str, steps: int, reached: bool, rating: int | None = None) -> Row:
    measures = {} if rating is None else dict.fromkeys(RATED, float(rating))
    measures |= {"steps": float(steps)} if reached else {}
    return Row("helped", helper, 0, person, "e", reached, measures)


def test_every_person_counts_the_same() -> None:
    played = [
        episode("a", "ann", 40, True, 7), episode("a", "ann", 60, True, 5), episode("a", "bob", 100, True, 2),
        episode("a", "bob", 250, False, None), episode("b", "ann", 80, True, 4),
    ]  # fmt: skip
    found = results_by_helper(played)
    assert list(found) == ["a", "b"]
    assert found["a"]["success"].mean == pytest.approx((1.0 + 0.5) / 2) and found["a"]["success"].episodes == 4
    assert found["a"]["steps"].mean == pytest.approx((50 + 100) / 2), "only where the goal was reached"
    assert found["a"]["helpful"].mean == pytest.approx((6 + 2) / 2) and found["a"]["helpful"].episodes == 3
    assert found["a"]["steps"].high == pytest.approx(75 + 12.706204736 * 25), "Student's t of the two people's means"
    assert found["a"]["steps"].low == 0 and (found["a"]["helpful"].low, found["a"]["helpful"].high) == (1, 7)
    assert found["b"]["helpful"].low is None, "nothing can be said of one episode"


def test_success_of_everybody_is_no_certainty() -> None:
    played = [episode("a", person, 40, True) for person in ("ann", "bob", "cid")]
    success = results_by_helper(played)["a"]["success"]
    assert success.mean == 1.0 == success.high and success.low == pytest.approx(0.438, abs=0.001), "Wilson's"
    again = results_by_helper([*played, *played, *played])["a"]["success"]
    assert (again.low, again.episodes) == (success.low, 9), "more episodes of the same people are no more people"


def dataset(folder: Path) -> Path:
    """Two helped episodes, of which one is rated, a third of another kind, and a rating by somebody else."""
    store = open_store(folder, create=True)
    about = {"kind": "helped", "helper": "nobody", "goal_reached": True}
    for number, notes in enumerate((about, about, {"kind": "human-human"})):
        made = synthetic_episode(number, steps=6)
        store.write(replace(made, setter="human:ann", notes={**made.notes, **notes}))
    first = store.ids()[0]
    rating = HelperRating(first, 0, 6, 7, 6, 5, "ann", False)
    store.write_preferences([rating, replace(rating, rater="bob", helpful=1)])
    return folder


def test_the_table_and_the_file_have_the_same_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = dataset(tmp_path / "home")
    found = helped_rows(open_store(data))
    assert [(row.probe, row.measures.get("helpful")) for row in found] == [("ann", 6), ("ann", None)]
    report_people(HouseholdPeopleConfig(data, out=tmp_path / "people.json"))
    printed = capsys.readouterr().out
    assert "nobody" in printed and "100%" in printed and "6.0" in printed
    saved = json.loads((tmp_path / "people.json").read_text())
    assert saved["nobody"]["helpful"] == {"mean": 6.0, "low": None, "high": None, "episodes": 1}
    assert saved["nobody"]["steps"]["mean"] == 6.0 and saved["nobody"]["success"]["episodes"] == 2
