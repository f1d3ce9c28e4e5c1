"""Goals from texts: what can be asked for, and one line about what cannot."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.worlds.household.small_home import small_home
from worlds.contract import WorldError
from worlds.household.catalogue.classes import CLASSES
from worlds.household.tasks.goals import parse_goal, task_of


@pytest.mark.parametrize(
    ("goal", "message"),
    [
        ({}, "give at least one predicate"),
        ([("on_plate_kitchentable", 1)], "give at least one predicate"),
        ({"beside_plate_kitchentable": 1}, "is no predicate; known forms: on_THING_PLACE"),
        ({"on_plate": 1}, "is no predicate"),
        ({"on__kitchentable": 1}, "is no predicate"),
        ({"on_plate_kitchentabel": 1}, "unknown class 'kitchentabel'; did you mean kitchentable?"),
        ({"on_xyzzy_kitchentable": 1}, "unknown class 'xyzzy'"),
        ({"on_plate_kitchentable": 0}, "is 0; give a whole number from 1 up"),
        ({"on_plate_kitchentable": 1.5}, "is 1.5; give a whole number"),
        ({"on_plate_kitchentable": True}, "is True; give a whole number"),
        ({"inside_apple_kitchentable": 1}, "a kitchentable lacks CONTAINERS, it is no container"),
        ({"on_apple_fridge": 1}, "a fridge lacks SURFACES"),
        ({"on_sofa_kitchentable": 1}, "nobody can grab a sofa"),
        ({"sit_fridge": 1}, "a fridge lacks SITTABLE"),
        ({"sit_bob_sofa": 1}, "'bob' where a person belongs"),
        ({"holds_book_sofa": 1}, "'sofa' where a person belongs"),
        ({"holds_book_character": 2, "holds_apple_character": 1}, "hold 3 things; it has 2 hands"),
        ({"sit_sofa": 1, "sit_chair": 1}, "sit on 2 seats at once"),
        ({"sit_sofa": 1, "sit_1_sofa": 1}, "says the same as another of its predicates"),
    ],
)
def test_a_goal_that_cannot_be_is_refused_in_one_line(goal: Any, message: str) -> None:
    with pytest.raises(WorldError) as refused:
        parse_goal(goal, CLASSES)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_task_of_a_place_is_checked() -> None:
    home, _ = small_home()
    task = {"name": "own", "goal": {"on_plate_kitchentable": 2, "sit_1_sofa": 1}}
    assert task_of({"task": task}, home) == {"name": "own", "goal": {"on_plate_kitchentable": 2, "sit_sofa": 1}}
    assert task_of({}, home) is None
    for wrong, message in (
        ({"goal": {}}, 'give {"name": ..., "goal": {predicate: count}}'),
        ("put_fridge", "not 'put_fridge'"),
        ({"name": "dinner", "goal": {"on_plate_kitchentable": 2}}, "no task named 'dinner'; known: setup_table"),
        ({"name": "own", "goal": {}}, "at least one predicate"),
        ({"name": "own", "goal": {"on_plate_kitchentable": 3}}, "needs 3 of the class plate; small has 2"),
    ):
        with pytest.raises(WorldError) as refused:
            task_of({"task": wrong}, home)
        assert message in str(refused.value)
