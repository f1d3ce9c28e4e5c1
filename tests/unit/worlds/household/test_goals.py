"""Goals: what can be asked for, the splits, progress, and the obstacles that an oracle finds."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from tests.unit.worlds.household.small_home import ROW, small_home
from worlds.contract import WorldError
from worlds.household.catalogue.classes import CLASSES
from worlds.household.state.home import Home, State
from worlds.household.state.vocabulary import Condition, Held
from worlds.household.tasks.choices import OWN, household_goals
from worlds.household.tasks.goals import check_home, parse_goal, task_of
from worlds.household.tasks.oracle import obstacles
from worlds.household.tasks.progress import SeenProgress, progress, reached
from worlds.household.tasks.sets import PREDICATES, SETS
from worlds.household.tasks.splits import GOALS_OF_SET, TEST_1, TEST_2, TRAIN, goal_splits, goals_of, sets_of

SPLITS = goal_splits()
SETTER, SOLVER = ROW["setter"], ROW["solver"]
HOME, _ = small_home()


@pytest.fixture
def state() -> State:
    return small_home()[1]


def move(state: State, thing: str, held: Held, parent: str) -> None:
    state.held[ROW[thing]], state.parent[ROW[thing]] = held, ROW[parent]
    state.room[ROW[thing]] = state.room[ROW[parent]]


@pytest.mark.parametrize(
    ("goal", "message"),
    [
        ({}, "give at least one predicate"),
        ([("on_plate_kitchentable", 1)], "give at least one predicate"),
        ({"beside_plate_kitchentable": 1}, "is no predicate; known forms: on_THING_PLACE"),
        ({"on__kitchentable": 1}, "is no predicate"),
        ({"on_plate_kitchentabel": 1}, "unknown class 'kitchentabel'; did you mean kitchentable?"),
        ({"on_plate_kitchentable": 0}, "is 0; give a whole number from 1 up"),
        ({"on_plate_kitchentable": True}, "is True; give a whole number"),
        ({"inside_apple_kitchentable": 1}, "a kitchentable lacks CONTAINERS, it is no container"),
        ({"on_sofa_kitchentable": 1}, "nobody can grab a sofa"),
        ({"sit_fridge": 1}, "a fridge lacks SITTABLE"),
        ({"sit_bob_sofa": 1}, "'bob' where a person belongs"),
        ({"holds_book_character": 2, "holds_apple_character": 1}, "hold 3 things; it has 2 hands"),
        ({"sit_sofa": 1, "sit_chair": 1}, "sit on 2 seats at once"),
        ({"sit_sofa": 1, "sit_1_sofa": 1}, "says the same as another of its predicates"),
    ],
)
def test_a_goal_that_cannot_be_is_refused_in_one_line(goal: Any, message: str) -> None:
    with pytest.raises(WorldError) as refused:
        parse_goal(goal, CLASSES)
    assert message in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("refused", "message"),
    [
        (lambda: task_of({"task": {"goal": {}}}, HOME), 'give {"name": ..., "goal": {predicate: count}}'),
        (lambda: task_of({"task": "put_fridge"}, HOME), "not 'put_fridge'"),
        (lambda: task_of({"task": {"name": "dinner", "goal": {"sit_sofa": 1}}}, HOME), "no task named 'dinner'; known"),
        (lambda: check_home({"inside_plate_dishwasher": 1}, HOME), "cannot be in small, which has no dishwasher"),
        (
            lambda: check_home({"on_plate_kitchentable": 1, "on_plate_coffeetable": 2}, HOME),
            "of the class plate; small",
        ),
        (lambda: goals_of("test"), "no split named 'test'; known: train, test_1, test_2"),
    ],
)
def test_what_a_home_does_not_have_is_named(refused: Any, message: str) -> None:
    with pytest.raises(WorldError, match=message):
        refused()


def test_a_task_of_a_place_is_checked() -> None:
    task = {"name": "own", "goal": {"on_plate_kitchentable": 2, "sit_1_sofa": 1}}
    assert task_of({"task": task}, HOME) == {"name": "own", "goal": {"on_plate_kitchentable": 2, "sit_sofa": 1}}
    assert task_of({}, HOME) is None


def test_people_choose_among_the_thirty_predicates_by_place() -> None:
    offered = household_goals()
    choices = offered.choices
    assert sorted(choice.name for choice in choices) == sorted(PREDICATES) and len(choices) == 30
    assert len({(choice.group, choice.words) for choice in choices}) == 30
    words = {choice.name: f"{choice.words} {choice.group}" for choice in choices}
    assert words["inside_wine_fridge"] == "bottles of wine in the fridge"
    own = {choice.name: (choice.words, choice.most) for choice in choices if choice.group == OWN}
    assert own == {"holds_book_character": ("holds a book", 1), "sit_sofa": ("sits on the sofa", 1)}
    for each in (one for goals in SPLITS.values() for one in goals):
        offered.check(each.goal)
    assert offered.goal_of({"home": "apartment-0"}) is None and offered.goal_of({"task": None}) is None
    goal = {"inside_apple_fridge": 2}
    assert offered.goal_of({"task": {"name": "put_fridge", "goal": goal}}) == goal


def test_sets_have_the_references_ranges() -> None:
    # From 0 to 2 of each of four dishes, 2 to 6 in all: 3^4 less those of 0, 1, 7 and 8 things.
    names = ("setup_table", "put_dishwasher", "put_fridge", "prepare_food", "read_book")
    assert [len(list(SETS[name].goals())) for name in names] == [71, 71, 339, 602, 88]
    for each in SETS.values():
        for goal in each.goals():
            assert all(count <= {**each.most, **each.always}[text] for text, count in goal.items())
            assert 2 <= sum(goal.values()) - goal.get("sit_sofa", 0) <= 6


def test_splits_have_the_published_sizes_and_share_no_goal() -> None:
    assert {split: len(goals) for split, goals in SPLITS.items()} == {TRAIN: 1011, TEST_1: 100, TEST_2: 100}
    assert len({each.key for goals in SPLITS.values() for each in goals}) == 1211
    of_one = Counter(each.sets[0] for split in (TRAIN, TEST_1) for each in SPLITS[split])
    assert of_one == Counter(GOALS_OF_SET)
    assert Counter(each.sets[0] for each in SPLITS[TEST_1]) == dict.fromkeys(SETS, 20)
    for split, goals in SPLITS.items():
        for each in goals:
            assert parse_goal(each.goal, CLASSES) == each.goal and sets_of(each.goal) == each.sets
            assert len(each.sets) == (2 if split == TEST_2 else 1)
    assert {sum(each.goal.values()) for each in SPLITS[TEST_2]} == set(range(2, 9))
    assert set(Counter(each.sets for each in SPLITS[TEST_2]).values()) == {10}


def test_progress_counts_things_by_their_own_parent_and_no_more_than_is_wanted(state: State) -> None:
    goal = {"on_plate_kitchentable": 2, "inside_apple_fridge": 1, "on_apple_kitchentable": 1}
    # One apple lies on a plate that is on the table: it is not on the table itself.
    assert list(progress(HOME, state, goal, SETTER).values()) == [1, 1, 0] and not reached(HOME, state, goal, SETTER)
    move(state, "plate 2", Held.ON, "table")
    move(state, "apple 2", Held.ON, "table")
    assert list(progress(HOME, state, goal, SETTER).values()) == [2, 1, 1] and reached(HOME, state, goal, SETTER)
    assert progress(HOME, state, {"on_plate_kitchentable": 1}, SETTER) == {"on_plate_kitchentable": 1}


def test_only_the_person_whose_goal_it_is_holds_and_sits(state: State) -> None:
    goal = parse_goal({"holds_book_character": 1, "sit_sofa": 1}, HOME.classes)
    move(state, "book", Held.LEFT_HAND, "solver")
    move(state, "solver", Held.SITS, "sofa")
    assert list(progress(HOME, state, goal, SOLVER).values()) == [1, 1]
    assert list(progress(HOME, state, goal, SETTER).values()) == [0, 0]
    move(state, "solver", Held.SITS, "chair")
    assert list(progress(HOME, state, goal, SOLVER).values()) == [1, 0]


def test_a_person_knows_progress_only_of_places_that_it_saw(state: State) -> None:
    seen = SeenProgress(HOME, {"on_plate_kitchentable": 2, "inside_apple_fridge": 1, "sit_sofa": 1}, SETTER)
    kitchen = state.room == ROW["kitchen"]
    closed = {"on_plate_kitchentable": 1, "inside_apple_fridge": None, "sit_sofa": 0}
    assert seen.update(state, ~kitchen) == {**closed, "on_plate_kitchentable": None}
    assert seen.update(state, kitchen) == closed  # the fridge is closed
    move(state, "plate", Held.ON, "counter")
    assert seen.update(state, ~kitchen) == closed  # as it was when it was last seen
    state.conditions[ROW["fridge"]] = Condition.OPEN
    assert seen.update(state, kitchen) == {"on_plate_kitchentable": 0, "inside_apple_fridge": 1, "sit_sofa": 0}


GOAL = {"on_plate_kitchentable": 2, "inside_apple_fridge": 2, "holds_book_character": 1, "sit_sofa": 1}


@pytest.mark.parametrize(
    ("goal", "found"),
    [
        (GOAL, []),
        ({"on_book_kitchentable": 1, "holds_book_character": 1}, []),
        (
            {"on_book_kitchentable": 2, "holds_book_character": 1},
            ["small: too few things of the class book can be held"],
        ),
        ({"on_plate_kitchentable": 3}, ["small: too few things of the class plate can be taken"]),
        ({"inside_plate_dishwasher": 1}, ["small: no dishwasher can be reached and have something INSIDE"]),
        ({"holds_apple_character": 2, "holds_book_character": 1}, ["small: holds_book_character: too few hands"]),
        ({"inside_box_microwave": 1}, []),
    ],
)
def test_the_oracle_names_what_a_goal_lacks_and_changes_nothing(goal: Any, found: list[str], state: State) -> None:
    before = state.copy()
    assert obstacles(HOME, state, goal, SETTER) == found
    assert all(np.array_equal(getattr(state, name), getattr(before, name)) for name in ("held", "parent", "centre"))


def test_what_is_in_a_switched_on_machine_in_another_hand_or_behind_a_wall_cannot_be_taken(state: State) -> None:
    two, one = {"on_plate_kitchentable": 2}, {"on_plate_kitchentable": 1}
    between = HOME.between.copy()
    between[ROW["door"]] = ROW["kitchen"], -1  # leads nowhere
    walled = Home(HOME.name, HOME.classes, HOME.ids, HOME.kind, HOME.size, HOME.yaw, between, HOME.persons)
    assert obstacles(walled, state, two, SETTER) and not obstacles(walled, state, one, SETTER)
    move(state, "plate 2", Held.INSIDE, "microwave")
    assert not obstacles(HOME, state, two, SETTER)
    state.conditions[ROW["microwave"]] = Condition.CLOSED | Condition.ON
    assert obstacles(HOME, state, two, SETTER)
    move(state, "plate 2", Held.LEFT_HAND, "solver")
    assert obstacles(HOME, state, two, SETTER) and not obstacles(HOME, state, two, SOLVER)


def test_a_full_place_and_a_taken_seat_are_obstacles(state: State) -> None:
    move(state, "plate", Held.INSIDE, "microwave")
    state.centre[ROW["plate"]] = state.centre[ROW["microwave"]]
    assert obstacles(HOME, state, {"inside_box_microwave": 1}, SETTER) == ["small: no room for a box INSIDE microwave"]
    move(state, "solver", Held.SITS, "chair")
    free = "small: no chair has a free seat that can be reached"
    assert [obstacles(HOME, state, {"sit_chair": 1}, person) for person in (SETTER, SOLVER)] == [[free], []]
