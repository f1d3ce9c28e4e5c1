"""The oracle finds what stands in the way of a goal, each obstacle in a home in which nothing else does."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.worlds.household.small_home import ROW, small_home
from worlds.household.state.home import Home, State
from worlds.household.state.vocabulary import Condition, Held
from worlds.household.tasks.oracle import obstacles

SETTER, SOLVER = ROW["setter"], ROW["solver"]
GOAL = {"on_plate_kitchentable": 2, "inside_apple_fridge": 2, "holds_book_character": 1, "sit_sofa": 1}


@pytest.fixture
def home_and_state() -> tuple[Home, State]:
    return small_home()


def _move(state: State, thing: str, held: Held, parent: str) -> None:
    state.held[ROW[thing]], state.parent[ROW[thing]] = held, ROW[parent]
    state.room[ROW[thing]] = state.room[ROW[parent]]


def test_a_goal_that_can_be_reached_has_no_obstacles(home_and_state: tuple[Home, State]) -> None:
    home, state = home_and_state
    before = state.copy()
    assert obstacles(home, state, GOAL, SETTER) == []
    assert all(np.array_equal(getattr(state, name), getattr(before, name)) for name in ("held", "parent", "centre"))


def test_a_thing_serves_one_predicate(home_and_state: tuple[Home, State]) -> None:
    home, state = home_and_state
    assert obstacles(home, state, {"on_book_kitchentable": 1, "holds_book_character": 1}, SETTER) == []
    assert obstacles(home, state, {"on_book_kitchentable": 2, "holds_book_character": 1}, SETTER) == [
        "small: too few things of the class book can be held"
    ]
    assert obstacles(home, state, {"on_plate_kitchentable": 3}, SETTER) == [
        "small: too few things of the class plate can be taken"
    ]


def test_what_is_in_a_switched_on_machine_or_in_another_hand_cannot_be_taken(
    home_and_state: tuple[Home, State],
) -> None:
    home, state = home_and_state
    _move(state, "plate 2", Held.INSIDE, "microwave")
    assert obstacles(home, state, {"on_plate_kitchentable": 2}, SETTER) == []
    state.conditions[ROW["microwave"]] = Condition.CLOSED | Condition.ON
    assert obstacles(home, state, {"on_plate_kitchentable": 2}, SETTER) != []
    _move(state, "plate 2", Held.LEFT_HAND, "solver")
    assert obstacles(home, state, {"on_plate_kitchentable": 2}, SETTER) != []
    assert obstacles(home, state, {"on_plate_kitchentable": 2}, SOLVER) == []


def test_a_full_place_and_a_taken_seat_are_found(home_and_state: tuple[Home, State]) -> None:
    home, state = home_and_state
    assert obstacles(home, state, {"inside_box_microwave": 1}, SETTER) == []
    _move(state, "plate", Held.INSIDE, "microwave")
    state.centre[ROW["plate"]] = state.centre[ROW["microwave"]]
    assert obstacles(home, state, {"inside_box_microwave": 1}, SETTER) == [
        "small: no room for a box INSIDE microwave"
    ]  # fmt: skip
    _move(state, "solver", Held.SITS, "chair")
    assert obstacles(home, state, {"sit_chair": 1}, SETTER) == [
        "small: no chair has a free seat that can be reached"
    ]  # fmt: skip
    assert obstacles(home, state, {"sit_chair": 1}, SOLVER) == []


def test_a_home_without_the_place_is_found(home_and_state: tuple[Home, State]) -> None:
    home, state = home_and_state
    assert obstacles(home, state, {"inside_plate_dishwasher": 1}, SETTER) == [
        "small: no dishwasher can be reached and have something INSIDE"
    ]
    assert obstacles(home, state, {"holds_apple_character": 2, "holds_book_character": 1}, SETTER) == [
        "small: holds_book_character: too few hands"
    ]


def test_what_is_behind_a_wall_cannot_be_taken(home_and_state: tuple[Home, State]) -> None:
    home, state = home_and_state
    between = home.between.copy()
    between[ROW["door"]] = ROW["kitchen"], -1  # leads nowhere
    walled = Home(home.name, home.classes, home.ids, home.kind, home.size, home.yaw, between, home.persons)
    assert obstacles(walled, state, {"on_plate_kitchentable": 2}, SETTER) != []
    assert obstacles(walled, state, {"on_plate_kitchentable": 1}, SETTER) == []
