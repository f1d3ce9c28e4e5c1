"""Words of requests and answers: phrasings, spelling, nouns, and what answers in free words say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worlds.playhouse.house.catalogue import COLOURS
from worlds.playhouse.requests import answers
from worlds.playhouse.requests.facts import Entity, Facts
from worlds.playhouse.requests.language import NUMBERS, Described, answer_in, refer
from worlds.playhouse.requests.lexicon import can_be_called, plural_of
from worlds.playhouse.requests.phrasing import Phrasing, as_typed, variants
from worlds.playhouse.requests.reading import words_of
from worlds.playhouse.requests.relations import holds
from worlds.playhouse.requests.spelling import edits
from worlds.playhouse.requests.wording import place_in_words, words_for


def comparison(said: str) -> tuple[str, str | None] | None:
    given = answers.comparison(said)
    return given and (given[0], given[1].noun if given[1] else None)


def places(said: str) -> list[str]:
    return [place_in_words(place) for place in answers.places_named(said)[0]]


def things(said: str) -> list[str]:
    return [words_for(description) for description in answers.things_named(said)]


MEANINGS: dict[Callable[[str], Any], dict[str, Any]] = {
    answers.yes_or_no: {
        "yes": "yes", "Yeah!": "yes", "yes, there is one on the table": "yes", "there is": "yes", "yse": None,
        "it is not": "no", "no": "no", "nope": "no", "there isn't any": "no", "no it's blue": "no",
        "i don't see any": "no", "blue": None, "no, yes": "no", "": None,
    },
    answers.number: {
        "three": 3, "there are 3 balls": 3, "3": 3, "none": 0, "no balls": 0, "one or two": None, "twelve": 12,
        "there are three, one on the table": 3, "fuor": 4, "i don't know": None, "one": 1,
    },
    answers.colours: {
        "red": ("red",), "it is red color": ("red",), "Its colour is lite blue": ("blue",), "no idea": (),
        "not red but blue": ("blue",), "one is red and the other is green": ("red", "green"), "gray": ("grey",),
        "violett": ("violet",),
    },
    comparison: {
        "larger": ("larger", None), "it is bigger": ("larger", None), "smaler": ("smaller", None),
        "the bed is larger than the sofa": ("larger", "bed"), "the sofa is smaller": ("smaller", "sofa"),
        "same size": ("same", None), "they are the same": ("same", None),
        "they are not the same": ("different", None), "different colors": ("different", None),
    },
    places: {
        "it is on the table": ["on the table"],
        "on the table in the living room": ["on the table", "in the living room"],
        "The ball is in living room, next to the red book.": ["in living room", "next to the red book"],
        "its under the bed near me": ["under the bed near me"], "in the green bin": ["in the green bin"],
        "here": ["in this room"], "between the bed and the wardrobe": ["between the bed and the wardrobe"],
        "i do not know": [], "it is behind you": ["behind you"],
    },
    things: {
        "i see a red ball and a table": ["a red ball", "a table"],
        "a mug, two books, the sofa": ["a mug", "two books", "the sofa"],
        "tissue rolls and soaps": ["tissue rolls", "soaps"], "grapes": ["grapes"], "nothing": [],
    },
}  # fmt: skip


@pytest.mark.parametrize(("read", "said"), [(read, said) for read, table in MEANINGS.items() for said in table])
def test_answers_are_read_as_they_are_meant(read: Callable[[str], Any], said: str) -> None:
    assert read(said) == MEANINGS[read][said]


def test_answers_of_probes_are_found_in_utterances() -> None:
    yes_no = ("yes", "no")
    assert answer_in("It is red.", COLOURS) == "red"
    assert answer_in("there are 3", NUMBERS) == answer_in("three", NUMBERS) == "three"
    assert answer_in("yes and no", yes_no) is None and answer_in("red", yes_no) is None


PUT = Phrasing("(put|place) {x} [right] next to {y}", "take {x} and put it next to {y}")


def test_a_pattern_stands_for_all_its_texts() -> None:
    assert variants("(a|b [c]) d[ e]") == ("a d e", "a d", "b c d e", "b c d", "b d e", "b d")
    assert variants("what [(is|was)] it?") == ("what is it?", "what was it?", "what it?")
    with pytest.raises(ValueError, match="never opened"):
        variants("a) b")


def test_every_text_is_read_back_in_any_frame() -> None:
    rng = np.random.default_rng(0)
    said = {PUT.say(rng, x="the ball", y="the red bed") for _ in range(300)}
    assert len(said) > 30
    for text in said:
        assert {"x": ["the", "ball"], "y": ["the", "red", "bed"]} in list(PUT.readings(text)), text


@pytest.mark.parametrize(
    "typed",
    [
        "what is color of rack",
        "Waht is the colour of the rack??",
        "whats the color of rack",
        "what is the  color of rack .",
    ],
)
def test_fixed_words_may_lack_articles_and_be_misspelled(typed: str) -> None:
    colour = Phrasing("what is the color of {x}?", question=True)
    assert any(slots["x"][-1] == "rack" for slots in colour.readings(typed))
    assert not list(colour.readings("what is the size of the rack"))


def test_slips_keep_the_meaning_that_is_asked_for() -> None:
    rng, text = np.random.default_rng(0), "put the red cushion next to the wardrobe"

    def same(typed: str) -> bool:
        return any(slots["y"][-1] == "wardrobe" for slots in PUT.readings(typed))

    typed = {as_typed(text, rng, same, slips=2) for _ in range(60)}
    assert len(typed) > 25 and all(map(same, typed))
    assert as_typed(text, rng, lambda _: False) == text


LETTERS = st.text(alphabet="abcde", max_size=7)


@pytest.mark.parametrize(
    ("typed", "right"),
    [
        ("wardrode", "wardrobe"),
        ("tissue roil", "tissue roll"),
        ("sofa  in   bed room?", "sofa in bedroom"),
        ("red colour   ball.", "red color ball"),
        ("the ball isn’t on the table", "the ball is not on the table"),
        ("what's left of me", "what is left of me"),
        ("flys in the air", "flies in the air"),
    ],
)
def test_slips_of_people_are_set_right(typed: str, right: str) -> None:
    assert " ".join(words_of(typed, frozenset({"what"}))) == right


@given(LETTERS, LETTERS)
def test_edit_distance_is_that_of_the_recursive_definition(a: str, b: str) -> None:
    """Computed here from the definition, without a table."""

    def distance(i: int, j: int) -> int:
        if min(i, j) == 0:
            return max(i, j)
        if (i, j) not in known:
            options = [distance(i - 1, j) + 1, distance(i, j - 1) + 1, distance(i - 1, j - 1) + (a[i - 1] != b[j - 1])]
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                options.append(distance(i - 2, j - 2) + 1)
            known[i, j] = min(options)
        return known[i, j]

    known: dict[tuple[int, int], int] = {}
    assert edits(a, b) == edits(b, a) == distance(len(a), len(b))


def entity(name: str, what: Any, kind: str, low: tuple[float, ...], high: tuple[float, ...]) -> Entity:
    return Entity(name, what, kind, (kind,), low, high, room="room", holder="floor")  # type: ignore[arg-type]


TABLE = entity("t", "furniture", "dining table", (0.0, 0.0, 0.0), (1.0, 2.0, 0.7))
BALL = replace(entity("b", "object", "ball", (1.2, 0.9, 0.0), (1.4, 1.1, 0.2)), disc=0.1)


@pytest.mark.parametrize(
    ("noun", "plural"),
    [("potted cactus", "potted cacti"), ("bar of soap", "bars of soap"), ("drawers", "drawers"), ("glass", "glasses")],
)
def test_plurals(noun: str, plural: str) -> None:
    assert plural_of(noun) == plural


def test_a_dining_table_is_a_table_and_a_desk_is_none() -> None:
    assert can_be_called(TABLE, "table") and can_be_called(TABLE, "dining table")
    assert not can_be_called(replace(TABLE, kind="desk"), "table")
    assert not can_be_called(replace(TABLE, kind="table"), "dining table")


def test_what_lies_under_a_table_is_not_said_to_be_next_to_it() -> None:
    under = replace(BALL, low=(0.4, 0.9, 0.0), high=(0.6, 1.1, 0.2))
    facts = Facts((TABLE, BALL, under))
    assert holds("next to", BALL, (TABLE,), facts, clearly=True)
    assert not holds("next to", under, (TABLE,), facts, clearly=True)
    assert holds("next to", under, (TABLE,), facts, clearly=False), "but who says so is not wrong"
    assert holds("under", under, (TABLE,), facts, clearly=True)


def test_descriptions_of_probes_are_no_longer_than_needed() -> None:
    ball, mug = Described("a", "ball", "red", "small"), Described("b", "mug", "red", "small")
    alike, large = Described("e", "ball", "red", "small"), Described("c", "ball", "red", "large")
    on_table, blue = Described("d", "ball", "red", "small", on="table"), Described("e", "ball", "blue", "large")
    assert refer(ball, [ball, mug]) == "the red ball"
    assert refer(ball, [ball, large]) == "the small red ball"
    assert refer(on_table, [ball, on_table]) == "the red ball on the table"
    assert refer(ball, [ball, alike]) is None
    assert refer(ball, [ball, mug], say_colour=False) == "the ball"
    assert refer(ball, [ball, blue], say_colour=False) == "the small ball"
