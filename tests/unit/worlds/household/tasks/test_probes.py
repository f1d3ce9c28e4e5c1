"""Requests of the five sets in an apartment, and their success checks step by step."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from worlds.contract import Event, TaskSpec, WorldError
from worlds.household.homes.placing import place
from worlds.household.state.vocabulary import Held
from worlds.household.tasks.language.understanding import goal_of
from worlds.household.tasks.oracle import obstacles
from worlds.household.tasks.placing import place_config
from worlds.household.tasks.probes import make_task, probe
from worlds.household.tasks.progress import HORIZON
from worlds.household.tasks.sampling import sample
from worlds.household.tasks.sets import NAMES
from worlds.household.tasks.splits import TEST_1, TRAIN, goals_of


class AWorld:
    """The home and state of a configuration, as tasks see them."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.config, self.step_index = config, 0
        self.state = SimpleNamespace()
        self.home, self.state.state = place(config)
        self.state.home = self.home

    def move(self, row: int, held: Held, parent: int) -> None:
        self.state.state.held[row], self.state.state.parent[row] = held, parent
        self.step_index += 1


@pytest.fixture(scope="module")
def world() -> AWorld:
    return AWorld(sample(0, homes=("apartment-1",), tasks=("put_fridge",)))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("split", "of_goals"), [("train", TRAIN), ("held_out", TEST_1)])
def test_a_request_of_every_set_is_feasible_and_of_its_split(
    world: AWorld, name: str, split: str, of_goals: str
) -> None:  # fmt: skip
    goals = [each.goal for each in goals_of(of_goals) if each.sets == (name,)]
    specs = [probe(name, world, seed, split) for seed in range(3)]
    for spec in specs:
        assert spec is not None
        assert (spec.name, spec.max_steps) == (name, HORIZON)
        assert goal_of(spec.instruction) == spec.arguments["goal"]
        assert spec.arguments["goal"] in goals
        assert obstacles(world.home, world.state.state, spec.arguments["goal"], world.home.persons[1]) == []
    assert probe(name, world, 0, split) == specs[0]


def test_unknown_names_are_refused(world: AWorld) -> None:
    with pytest.raises(WorldError, match="no task named 'wash_up'"):
        probe("wash_up", world, 0, "train")
    with pytest.raises(WorldError, match="no split named 'test'; known: train, held_out"):
        probe("put_fridge", world, 0, "test")
    with pytest.raises(WorldError, match="no task named 'wash_up'"):
        make_task(TaskSpec("wash_up", "", {"goal": {}}, 1))
    with pytest.raises(WorldError, match="needs a goal"):
        make_task(TaskSpec("put_fridge", "", {}, 1))


def test_each_thing_put_or_taken_away_is_an_event() -> None:
    world = AWorld(place_config({"inside_apple_fridge": 2}, "apartment-1", 0))
    fridge, table = (int(world.home.rows_of(name)[0]) for name in ("fridge", "kitchentable"))
    first, second = world.home.rows_of("apple")[:2].tolist()
    task = make_task(TaskSpec("put_fridge", "", {"goal": {"inside_apple_fridge": 2}}, 100))
    assert task.update(world, "") == (False, ())  # the solver has not heard the request yet
    world.move(first, Held.INSIDE, fridge)
    assert task.update(world, "") == (False, (Event(1, 1, "apple inside fridge: 1 of 2"),))
    assert task.update(world, "") == (False, ())
    world.move(first, Held.ON, table)
    assert task.update(world, "") == (False, (Event(2, -1, "apple inside fridge: 0 of 2"),))
    world.move(first, Held.INSIDE, fridge)
    world.move(second, Held.INSIDE, fridge)
    done, events = task.update(world, "")
    assert done
    assert [(each.sign, each.step) for each in events] == [(1, 4), (1, 4)]
    world.move(first, Held.ON, table)
    done, events = task.update(world, "")
    assert (done, [each.sign for each in events]) == (True, [-1])  # it has succeeded before


def test_a_wanted_thing_in_a_hand_is_progress_and_put_elsewhere_regress() -> None:
    goal = {"inside_apple_fridge": 1}
    world = AWorld(place_config(goal, "apartment-1", 0))
    fridge, table = (int(world.home.rows_of(name)[0]) for name in ("fridge", "kitchentable"))
    first, second = world.home.rows_of("apple")[:2].tolist()
    plate, bob = int(world.home.rows_of("plate")[0]), world.home.persons[1]
    task = make_task(TaskSpec("put_fridge", "", {"goal": goal}, 100))
    task.update(world, "")
    found = []
    for row, held, parent in (
        (plate, Held.LEFT_HAND, bob),  # nobody wants it
        (first, Held.RIGHT_HAND, bob),
        (first, Held.ON, table),
        (first, Held.RIGHT_HAND, bob),
        (first, Held.INSIDE, fridge),
        (second, Held.RIGHT_HAND, bob),  # one is enough
        (second, Held.ON, table),
        (first, Held.RIGHT_HAND, bob),
        (first, Held.ON, table),
    ):
        world.move(row, held, parent)
        found.append([(each.sign, each.reason) for each in task.update(world, "")[1]])
    taken, elsewhere = [(1, "apple in hand")], [(-1, "apple put elsewhere")]
    there, undone = [(1, "apple inside fridge: 1 of 1")], [(-1, "apple inside fridge: 0 of 1")]
    assert found == [[], taken, elsewhere, taken, there, [], [], undone, elsewhere]


def test_a_carried_thing_counts_for_one_predicate() -> None:
    goal = {"inside_apple_fridge": 1, "on_apple_coffeetable": 1}
    world = AWorld(place_config(goal, "apartment-1", 0))
    task = make_task(TaskSpec("put_fridge+read_book", "", {"goal": goal}, 100))
    task.update(world, "")
    apple, bob = int(world.home.rows_of("apple")[0]), world.home.persons[1]
    world.move(apple, Held.RIGHT_HAND, bob)
    assert len(task.update(world, "")[1]) == 1
    world.move(apple, Held.ON, int(world.home.rows_of("coffeetable")[0]))
    assert [each.sign for each in task.update(world, "")[1]] == [1]
