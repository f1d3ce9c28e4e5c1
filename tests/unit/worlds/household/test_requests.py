"""Requests of the five sets, and what their success checks note: of a solver alone, and of one who helps the setter."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.unit.worlds.household.small_home import LEFT, RIGHT, ROW, act, small_home
from worlds.contract import SETTER, Event, TaskSpec, WorldError
from worlds.household import rules
from worlds.household.homes.placing import place
from worlds.household.navigation.ways import Ways
from worlds.household.rules import WAITING, Act
from worlds.household.state.vocabulary import Held, Verb
from worlds.household.tasks.language.understanding import goal_of
from worlds.household.tasks.oracle import obstacles
from worlds.household.tasks.placing import place_config
from worlds.household.tasks.probes import make_task, probe
from worlds.household.tasks.progress import HORIZON
from worlds.household.tasks.sampling import sample
from worlds.household.tasks.sets import NAMES
from worlds.household.tasks.splits import TEST_1, TRAIN, goals_of
from worlds.household.tasks.success import HelpTask
from worlds.household.world import Moment


class AWorld:
    """The home and state of a configuration, as tasks see them."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.config, self.step_index = config, 0
        self.home, state = place(config)
        self.state = SimpleNamespace(home=self.home, state=state)

    def first(self, name: str) -> int:
        return int(self.home.rows_of(name)[0])

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
) -> None:
    goals = [each.goal for each in goals_of(of_goals) if each.sets == (name,)]
    specs = [probe(name, world, seed, split) for seed in range(3)]
    for spec in specs:
        assert spec is not None and (spec.name, spec.max_steps) == (name, HORIZON)
        goal = spec.arguments["goal"]
        assert goal_of(spec.instruction) == goal and goal in goals
        assert obstacles(world.home, world.state.state, goal, world.home.persons[1]) == []
    assert probe(name, world, 0, split) == specs[0]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (lambda world: probe("wash_up", world, 0, "train"), "no task named 'wash_up'"),
        (lambda world: probe("put_fridge", world, 0, "test"), "no split named 'test'; known: train, held_out"),
        (lambda world: make_task(TaskSpec("wash_up", "", {"goal": {}}, 1)), "no task named 'wash_up'"),
        (lambda world: make_task(TaskSpec("put_fridge", "", {}, 1)), "needs a goal"),
    ],
)
def test_unknown_names_are_refused(asked: Any, words: str, world: AWorld) -> None:
    with pytest.raises(WorldError, match=words):
        asked(world)


def test_each_thing_put_or_taken_away_is_an_event() -> None:
    world = AWorld(place_config({"inside_apple_fridge": 2}, "apartment-1", 0))
    fridge, table = world.first("fridge"), world.first("kitchentable")
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
    assert done and [(each.sign, each.step) for each in events] == [(1, 4), (1, 4)]
    world.move(first, Held.ON, table)
    done, events = task.update(world, "")
    assert (done, [each.sign for each in events]) == (True, [-1])  # it has succeeded before


def test_a_wanted_thing_in_a_hand_is_progress_and_put_elsewhere_regress() -> None:
    goal = {"inside_apple_fridge": 1}
    world = AWorld(place_config(goal, "apartment-1", 0))
    fridge, table, plate = map(world.first, ("fridge", "kitchentable", "plate"))
    (first, second), bob = world.home.rows_of("apple")[:2].tolist(), world.home.persons[1]
    task = make_task(TaskSpec("put_fridge", "", {"goal": goal}, 100))
    task.update(world, "")
    taken, elsewhere = [(1, "apple in hand")], [(-1, "apple put elsewhere")]
    for row, held, parent, events in (
        (plate, Held.LEFT_HAND, bob, []),  # nobody wants it
        (first, RIGHT, bob, taken),
        (first, Held.ON, table, elsewhere),
        (first, RIGHT, bob, taken),
        (first, Held.INSIDE, fridge, [(1, "apple inside fridge: 1 of 1")]),
        (second, RIGHT, bob, []),  # one is enough
        (second, Held.ON, table, []),
        (first, RIGHT, bob, [(-1, "apple inside fridge: 0 of 1")]),
        (first, Held.ON, table, elsewhere),
    ):
        world.move(row, held, parent)
        assert [(each.sign, each.reason) for each in task.update(world, "")[1]] == events


def test_a_carried_thing_counts_for_one_predicate() -> None:
    goal = {"inside_apple_fridge": 1, "on_apple_coffeetable": 1}
    world = AWorld(place_config(goal, "apartment-1", 0))
    task = make_task(TaskSpec("put_fridge+read_book", "", {"goal": goal}, 100))
    task.update(world, "")
    for held, parent in ((RIGHT, world.home.persons[1]), (Held.ON, world.first("coffeetable"))):
        world.move(world.first("apple"), held, parent)
        assert [each.sign for each in task.update(world, "")[1]] == [1]


APPLES = {"on_apple_kitchentable": 1}


class Both:
    """Both persons in the kitchen, and a request for help."""

    def __init__(self, goal: dict[str, int], seed: int = 0) -> None:
        home, state = small_home()
        for name, where in (("setter", (1.0, 3.0)), ("solver", (1.6, 2.6))):
            state.centre[ROW[name], :2] = where
            state.room[ROW[name]] = state.parent[ROW[name]] = ROW["kitchen"]
        state.centre[ROW["book"]] = state.centre[ROW["plate"]]
        state.parent[ROW["book"]], state.room[ROW["book"]] = ROW["table"], ROW["kitchen"]
        self.step_index, self.state, self.ways = 0, Moment(home, state, seed), Ways(home, state)
        task = make_task(TaskSpec("own", "", {"goal": goal, "whose": SETTER}, 100))
        assert isinstance(task, HelpTask)
        self.task = task
        assert task.update(self, "") == (False, ()), "the first look is only compared with"

    def play(self, his: Act, hers: Act = WAITING) -> list[tuple[int, str]]:
        now = self.state
        now.acts = hers, his
        now.feedback = rules.apply(now.home, now.state, self.ways, now.acts, now.seed)
        self.step_index += 1
        self.done, events = self.task.update(self, "")
        assert all(each.step == self.step_index for each in events)
        return [(each.sign, each.reason) for each in events]


TAKES, OPENS, CLOSES = act(Verb.GRAB, "apple 2"), act(Verb.OPEN, "fridge", LEFT), act(Verb.CLOSE, "fridge")
TAKEN = (1, "apple in hand")
HERSELF = "what she does herself is no event"
# Steps: what he does, what she does, and the event of it if there is one.
HELP: dict[str, list[tuple[Act, Act, tuple[int, str] | None]]] = {
    "bringing what is wanted is progress, taking it away regress": [
        (TAKES, WAITING, TAKEN),
        (act(Verb.PUT_ON, "table"), WAITING, (1, "apple put where it is wanted")),
        (TAKES, WAITING, (-1, "apple taken from where it is wanted")),
    ],
    HERSELF: [(WAITING, TAKES, None), (WAITING, act(Verb.PUT_ON, "table"), None)],
    "what is put elsewhere is regress, and what nobody wants nothing": [
        (TAKES, WAITING, TAKEN),
        (OPENS, WAITING, None),
        (act(Verb.PUT_IN, "fridge"), WAITING, (-1, "apple put elsewhere")),
        (act(Verb.GRAB, "plate"), WAITING, None),
        (act(Verb.PUT_ON, "table"), WAITING, None),
    ],
    "a second thing is no help where one is wanted": [
        (OPENS, WAITING, None),
        (act(Verb.GRAB, "apple"), WAITING, TAKEN),
        (act(Verb.GRAB, "apple 2", LEFT), WAITING, None),
    ],
    "taking what she is about to take is regress": [
        (WAITING, act(Verb.WALK_TOWARDS, "apple 2"), None),
        (TAKES, WAITING, (-1, "apple taken that she was about to use")),
    ],
    "walking elsewhere is no aim": [(WAITING, act(Verb.WALK_TOWARDS, "counter"), None), (TAKES, WAITING, TAKEN)],
    "a pointer of a verb that takes no thing is no aim": [(TAKES, act(Verb.TURN_LEFT, "apple 2"), TAKEN)],
    "closing what she has nothing to do with is no event": [(OPENS, WAITING, None), (CLOSES, WAITING, None)],
    "closing what she is about to use is regress": [
        (OPENS, WAITING, None),
        (WAITING, act(Verb.WALK_TOWARDS, "fridge"), None),
        (CLOSES, WAITING, (-1, "closes the fridge that she was about to use")),
    ],
    "an action that fails is no event": [
        (act(Verb.GRAB, "apple"), WAITING, None),
        (act(Verb.PUT_ON, "table"), WAITING, None),
    ],
}


@pytest.mark.parametrize("steps", HELP.values(), ids=HELP)
def test_what_a_helper_does_is_judged(steps: Any) -> None:
    both = Both(APPLES)
    for his, hers, event in steps:
        assert both.play(his, hers) == ([event] if event else [])
    arrived = [number for number, (*_, event) in enumerate(steps) if event and "where it is wanted" in event[1]]
    assert both.task.succeeded == bool(arrived or steps == HELP[HERSELF]), "what was reached once has succeeded"


def test_what_only_she_can_hold_is_hers() -> None:
    both = Both({"holds_book_character": 1, "on_apple_kitchentable": 1})
    assert both.play(act(Verb.GRAB, "book")) == [(-1, "book taken, which she is to hold")]


def test_who_is_first_where_both_reach_for_the_same_thing_was_in_her_way_if_it_was_he() -> None:
    found: dict[bool, Any] = {}
    for seed in range(8):
        both = Both(APPLES, seed)
        events = both.play(TAKES, TAKES)
        found[int(both.state.state.parent[ROW["apple 2"]]) == ROW["setter"]] = events
    assert found == {True: [], False: [(-1, "in the way at the apple")]}
