"""Answers in free words: what they say, read by a table of what people write."""

from __future__ import annotations

import pytest

from worlds.playhouse.requests import answers
from worlds.playhouse.requests.wording import place_in_words, words_for


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("yes", "yes"), ("Yeah!", "yes"), ("yes, there is one on the table", "yes"), ("there is", "yes"), ("yse", None),
        ("it is not", "no"), ("no", "no"), ("nope", "no"), ("there isn't any", "no"), ("no it's blue", "no"),
        ("i don't see any", "no"), ("blue", None), ("no, yes", "no"), ("", None),
    ],
)  # fmt: skip
def test_yes_and_no(said: str, meant: str | None) -> None:
    assert answers.yes_or_no(said) == meant


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("three", 3), ("there are 3 balls", 3), ("3", 3), ("none", 0), ("no balls", 0), ("one or two", None),
        ("there are three, one on the table", 3), ("fuor", 4), ("i don't know", None), ("one", 1), ("twelve", 12),
    ],
)  # fmt: skip
def test_numbers(said: str, meant: int | None) -> None:
    assert answers.number(said) == meant


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("red", ("red",)), ("it is red color", ("red",)), ("Its colour is lite blue", ("blue",)), ("no idea", ()),
        ("not red but blue", ("blue",)), ("one is red and the other is green", ("red", "green")), ("gray", ("grey",)),
        ("violett", ("violet",)),
    ],
)  # fmt: skip
def test_colours(said: str, meant: tuple[str, ...]) -> None:
    assert answers.colours(said) == meant


@pytest.mark.parametrize(
    ("said", "meaning", "of"),
    [
        ("larger", "larger", None), ("it is bigger", "larger", None), ("smaler", "smaller", None),
        ("the bed is larger than the sofa", "larger", "bed"), ("the sofa is smaller", "smaller", "sofa"),
        ("same size", "same", None), ("they are the same", "same", None), ("they are not the same", "different", None),
        ("different colors", "different", None),
    ],
)  # fmt: skip
def test_comparisons(said: str, meaning: str, of: str | None) -> None:
    given = answers.comparison(said)
    assert given is not None and given[0] == meaning
    assert (given[1].noun if given[1] else None) == of


@pytest.mark.parametrize(
    ("said", "places"),
    [
        ("it is on the table", ["on the table"]),
        ("on the table in the living room", ["on the table", "in the living room"]),
        ("The ball is in living room, next to the red book.", ["in living room", "next to the red book"]),
        ("its under the bed near me", ["under the bed near me"]),
        ("in the green bin", ["in the green bin"]),
        ("here", ["in this room"]),
        ("between the bed and the wardrobe", ["between the bed and the wardrobe"]),
        ("i do not know", []),
        ("it is behind you", ["behind you"]),
    ],
)
def test_places(said: str, places: list[str]) -> None:
    assert [place_in_words(place) for place in answers.places_named(said)[0]] == places


@pytest.mark.parametrize(
    ("said", "things"),
    [
        ("i see a red ball and a table", ["a red ball", "a table"]),
        ("a mug, two books, the sofa", ["a mug", "two books", "the sofa"]),
        ("tissue rolls and soaps", ["tissue rolls", "soaps"]),
        ("grapes", ["grapes"]),
        ("nothing", []),
    ],
)
def test_lists_of_things(said: str, things: list[str]) -> None:
    assert [words_for(description) for description in answers.things_named(said)] == things
