"""Requests in words: varied, short enough, and read back exactly; words like them are understood as well."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.worlds.household.small_home import small_home
from worlds.contract import UTTERANCE_MAX_CHARS, WorldError
from worlds.household.catalogue.classes import CLASSES
from worlds.household.state.vocabulary import Property
from worlds.household.tasks.language import answers
from worlds.household.tasks.language.asking import request
from worlds.household.tasks.language.understanding import goal_in, goal_of, is_own
from worlds.household.tasks.sets import SETS
from worlds.household.tasks.splits import goal_splits

GOALS = [each.goal for goals in goal_splits().values() for each in goals]


@pytest.mark.parametrize("own", [False, True])
def test_every_goal_is_asked_for_in_words_that_are_read_back(own: bool) -> None:
    rng = np.random.default_rng(0)
    for goal in GOALS[own::4]:
        words = request(goal, rng, own)
        assert is_own(words) == (own and "sit_sofa" in goal), words
        assert len(words) <= UTTERANCE_MAX_CHARS
        assert goal_of(words) == goal, words


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("own", [False, True])
def test_every_template_of_a_set_is_read_back(name: str, own: bool) -> None:
    goal = {"holds_book_character": 1, "sit_sofa": 1, "on_juice_coffeetable": 1}
    goal = goal if name == "read_book" else {next(iter(SETS[name].most)): 2}
    rng = np.random.default_rng(0)
    said = {request(goal, rng, own) for _ in range(200)}
    assert len(said) >= 25 and [words for words in said if goal_of(words) != goal] == []


def test_any_goal_can_be_asked_for() -> None:
    rng = np.random.default_rng(0)
    things, places, boxes, seats = (
        [each.name for each in CLASSES if wanted in each.properties]
        for wanted in (Property.GRABBABLE, Property.SURFACES, Property.CONTAINERS, Property.SITTABLE)
    )
    for number, thing in enumerate(things):
        goal = {
            f"on_{thing}_{places[number % len(places)]}": 2,
            f"inside_{thing}_{boxes[number % len(boxes)]}": 1,
            f"holds_{thing}_character": 1 + number % 2,
        }
        if number % 3 == 0:
            goal[f"sit_{seats[number % len(seats)]}"] = 1
        words = request(goal, rng)
        assert goal_of(words) == goal, words


@pytest.mark.parametrize(
    ("words", "goal"),
    [
        ("put two plates and a fork on the kitchen table",
         {"on_plate_kitchentable": 2, "on_cutleryfork_kitchentable": 1}),
        ("Put 2 plates onto the dining table!", {"on_plate_kitchentable": 2}),
        ("I want to read a book on the sofa with an apple on the coffee table",
         {"holds_book_character": 1, "sit_sofa": 1, "on_apple_coffeetable": 1}),
        ("load the dishwasher with a plate; serve two apples on the kitchen table",
         {"inside_plate_dishwasher": 1, "on_apple_kitchentable": 2}),
        ("hold a book", {"holds_book_character": 1}),
        ("", None),
        ("what a nice kitchen", None),
        ("put it on the kitchen table", None),
        ("bring me two plates", None),
    ],
)  # fmt: skip
def test_words_are_understood_or_not(words: str, goal: dict[str, int] | None) -> None:
    assert goal_of(words) == goal


def test_what_cannot_be_in_a_home_is_not_understood_there() -> None:
    home, _ = small_home()
    assert goal_in("put two plates on the kitchen table", home) == {"on_plate_kitchentable": 2}
    for words in ("three plates on the kitchen table", "a plate in the dishwasher", "an apple in the kitchen table"):
        assert goal_in(f"put {words}", home) is None


def test_a_goal_that_no_utterance_has_room_for_is_refused() -> None:
    names, places = ("plate", "waterglass", "wineglass", "cutleryfork"), ("kitchentable", "coffeetable", "desk")
    goal = {f"on_{name}_{place}": 2 for place in places for name in names}
    with pytest.raises(WorldError, match="an utterance has 160; leave some of its predicates out"):
        request(goal, np.random.default_rng(0))


def test_answers_name_what_was_found() -> None:
    rng = np.random.default_rng(0)
    assert "I found the apple in the fridge" in {answers.found(rng, "apple", "fridge", inside=True) for _ in range(30)}
    assert "I found the coffee pot" in {answers.found(rng, "coffeepot") for _ in range(30)}
    assert "I cannot find an apple" in {answers.missing(rng, "apple") for _ in range(30)}
