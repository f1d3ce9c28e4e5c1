"""Progress of a goal in the small home: counted for whose goal it is, and known only of what was seen."""

from __future__ import annotations

import pytest

from tests.unit.worlds.household.small_home import ROW, small_home
from worlds.contract import WorldError
from worlds.household.state.home import Home, State
from worlds.household.state.vocabulary import Condition, Held
from worlds.household.tasks.goals import check_home, parse_goal
from worlds.household.tasks.progress import SeenProgress, episode_reward, progress, reached, state_reward

SETTER, SOLVER = ROW["setter"], ROW["solver"]


@pytest.fixture
def home_and_state() -> tuple[Home, State]:
    return small_home()


def _move(state: State, thing: str, held: Held, parent: str) -> None:
    state.held[ROW[thing]], state.parent[ROW[thing]] = held, ROW[parent]


def test_progress_counts_things_by_their_own_parent(home_and_state: tuple[Home, State]) -> None:
    home, state = home_and_state
    goal = parse_goal({"on_plate_kitchentable": 2, "inside_apple_fridge": 1, "on_apple_kitchentable": 1}, home.classes)
    # One apple lies on a plate that is on the table: it is not on the table itself.
    assert progress(home, state, goal, SETTER) == {
        "on_plate_kitchentable": 1, "inside_apple_fridge": 1, "on_apple_kitchentable": 0
    }  # fmt: skip
    assert not reached(home, state, goal, SETTER)
    _move(state, "plate 2", Held.ON, "table")
    _move(state, "apple 2", Held.ON, "table")
    assert list(progress(home, state, goal, SETTER).values()) == [2, 1, 1]
    assert reached(home, state, goal, SETTER)


def test_progress_is_no_more_than_is_wanted(home_and_state: tuple[Home, State]) -> None:
    home, state = home_and_state
    _move(state, "plate 2", Held.ON, "table")
    assert progress(home, state, {"on_plate_kitchentable": 1}, SETTER) == {"on_plate_kitchentable": 1}


def test_only_the_person_whose_goal_it_is_holds_and_sits(home_and_state: tuple[Home, State]) -> None:
    home, state = home_and_state
    goal = parse_goal({"holds_book_character": 1, "sit_sofa": 1}, home.classes)
    assert list(progress(home, state, goal, SOLVER).values()) == [0, 0]
    _move(state, "book", Held.LEFT_HAND, "solver")
    _move(state, "solver", Held.SITS, "sofa")
    assert list(progress(home, state, goal, SOLVER).values()) == [1, 1]
    assert list(progress(home, state, goal, SETTER).values()) == [0, 0]
    _move(state, "solver", Held.SITS, "chair")
    assert list(progress(home, state, goal, SOLVER).values()) == [1, 0]


def test_a_person_knows_progress_only_of_places_that_it_saw(home_and_state: tuple[Home, State]) -> None:
    home, state = home_and_state
    seen = SeenProgress(home, {"on_plate_kitchentable": 2, "inside_apple_fridge": 1, "sit_sofa": 1}, SETTER)
    kitchen = state.room == ROW["kitchen"]
    closed = {"on_plate_kitchentable": 1, "inside_apple_fridge": None, "sit_sofa": 0}
    assert seen.update(state, ~kitchen) == {**closed, "on_plate_kitchentable": None}
    assert seen.update(state, kitchen) == closed  # the fridge is closed
    _move(state, "plate", Held.ON, "counter")
    assert seen.update(state, ~kitchen) == closed  # as it was when it was last seen
    state.conditions[ROW["fridge"]] = Condition.OPEN
    assert seen.update(state, kitchen) == {"on_plate_kitchentable": 0, "inside_apple_fridge": 1, "sit_sofa": 0}


def test_a_home_without_the_place_or_with_too_few_things_is_named(home_and_state: tuple[Home, State]) -> None:
    home, _ = home_and_state
    check_home({"on_plate_kitchentable": 2}, home)
    with pytest.raises(WorldError, match="cannot be in small, which has no dishwasher"):
        check_home({"inside_plate_dishwasher": 1}, home)
    with pytest.raises(WorldError, match="needs 3 of the class plate; small has 2"):
        check_home({"on_plate_kitchentable": 1, "on_plate_coffeetable": 2}, home)


def test_rewards_are_the_published_ones() -> None:
    assert state_reward({"on_plate_kitchentable": 2, "sit_sofa": 1}) == 6.0
    assert episode_reward(100, success=True) == pytest.approx(1 - 100 * 0.004)
    assert episode_reward(250, success=False) == -1.0
