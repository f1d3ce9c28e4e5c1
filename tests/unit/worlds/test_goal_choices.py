"""Choices of goals: what is refused, by every world that offers some and in general."""

from __future__ import annotations

from typing import Any

import pytest

from worlds import registry
from worlds.contract import WorldError
from worlds.contract.goal_choices import GoalChoice, GoalChoices

PLATES = GoalChoice("plates", "on the table", "plates", 2)
SITS = GoalChoice("sits", "Alice herself", "sits", 1)


@pytest.mark.parametrize("broken", [("", "here", "plates", 1), ("plates", "", "plates", 1), ("plates", "here", "", 1)])
def test_a_choice_has_words(broken: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError, match="a name, a group and words"):
        GoalChoice(*broken)


@pytest.mark.parametrize("most", [0, -1, True, 1.5])
def test_a_choice_has_a_largest_count(most: Any) -> None:
    with pytest.raises(ValueError, match="the largest count of plates is .* from 1 up"):
        GoalChoice("plates", "here", "plates", most)


def test_choices_have_different_names_and_whole_groups() -> None:
    with pytest.raises(ValueError, match="two choices of goals have one name"):
        GoalChoices((PLATES, PLATES), lambda _: None)
    with pytest.raises(ValueError, match="do not follow each other"):
        GoalChoices((PLATES, SITS, GoalChoice("forks", "on the table", "forks", 2)), lambda _: None)
    assert GoalChoices((PLATES, SITS), lambda _: None).names == ("plates", "sits")


def test_counts_that_nobody_can_choose_are_refused_in_one_line() -> None:
    offered = GoalChoices((PLATES, SITS), lambda _: None)
    offered.check({"plates": 2, "sits": 0})
    for counts, message in (
        ({"spoons": 1}, "no predicate 'spoons' to choose; known: plates, sits"),
        ({"plates": 3}, "the count of 'plates' is from 0 to 2, not 3"),
        ({"sits": -1}, "the count of 'sits' is from 0 to 1, not -1"),
    ):
        with pytest.raises(WorldError, match=message) as caught:
            offered.check(counts)
        assert "\n" not in str(caught.value) and not offered.knows(counts)
    assert offered.knows({"plates": 1})


@pytest.mark.parametrize("world", [name for name in ("playhouse", "household") if registry.get(name).goal_choices])
def test_every_goal_that_a_world_draws_can_be_chosen(world: str) -> None:
    entry = registry.get(world)
    assert entry.goal_choices is not None
    offered = entry.goal_choices()
    assert offered.choices
    for seed in range(5):
        config = entry.sample_config(seed)
        goal = offered.goal_of(config)
        assert goal and offered.knows(goal)
    assert offered.goal_of({}) is None
