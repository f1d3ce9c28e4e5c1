"""What people can say that Alice wanted: all predicates, in words that tell them apart."""

from __future__ import annotations

import pytest

from worlds.household.tasks.choices import MOST_PLACED, OWN, household_goals
from worlds.household.tasks.sets import PREDICATES
from worlds.household.tasks.splits import SPLITS, goals_of


def test_the_thirty_predicates_can_be_chosen_by_place() -> None:
    choices = household_goals().choices
    assert sorted(choice.name for choice in choices) == sorted(PREDICATES) and len(choices) == 30
    assert len({(choice.group, choice.words) for choice in choices}) == 30
    assert {choice.most for choice in choices if choice.group != OWN} == {MOST_PLACED}
    words = {choice.name: f"{choice.words} {choice.group}" for choice in choices}
    assert words["on_plate_kitchentable"] == "plates on the kitchen table"
    assert words["inside_wine_fridge"] == "bottles of wine in the fridge"
    assert words["on_cutleryfork_kitchentable"] == "forks on the kitchen table"
    own = {choice.name: (choice.words, choice.most) for choice in choices if choice.group == OWN}
    assert own == {"holds_book_character": ("holds a book", 1), "sit_sofa": ("sits on the sofa", 1)}
    assert choices[-1].group == OWN


@pytest.mark.parametrize("split", SPLITS)
def test_every_goal_of_the_splits_can_be_chosen(split: str) -> None:
    offered = household_goals()
    for each in goals_of(split):
        offered.check(each.goal)


def test_a_place_without_a_task_has_no_goal() -> None:
    goal_of = household_goals().goal_of
    assert goal_of({"home": "apartment-0"}) is None and goal_of({"task": None}) is None
    assert goal_of({"task": {"name": "put_fridge", "goal": {"inside_apple_fridge": 2}}}) == {"inside_apple_fridge": 2}
