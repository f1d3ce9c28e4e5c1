"""Referring expressions: read back they mean just what they were made for, and they are short, varied and true."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from worlds.playhouse import Playhouse
from worlds.playhouse.games.modifiers import MODIFIERS
from worlds.playhouse.games.nouns import number_meant
from worlds.playhouse.house.catalogue import SIZES
from worlds.playhouse.requests.facts import Facts, facts_of
from worlds.playhouse.requests.phrasing import as_typed
from worlds.playhouse.requests.reading import read_things
from worlds.playhouse.requests.referring import LONGEST, Referrer
from worlds.playhouse.requests.spelling import tokens
from worlds.playhouse.requests.wishes import Wish

PLACES = [("plain", 3), ("flat", 0), ("house", 1)]


@cache
def facts_in(preset: str, seed: int) -> Facts:
    settings = {"rooms": (2, 3), "objects": (20, 24)} if preset == "plain" else {"preset": preset}
    world = Playhouse(height=6, width=8, views=(), settings=settings)
    world.reset(seed=seed)
    return facts_of(world)


@pytest.mark.parametrize(("preset", "seed"), PLACES)
def test_unique_names_mean_one_thing_and_what_they_say_of_it_is_so(preset: str, seed: int) -> None:
    facts, named = facts_in(preset, seed), 0
    referrer = Referrer(facts, np.random.default_rng(seed))
    for entity in facts.of("object", "furniture"):
        expression = referrer.the(entity.id)
        if expression is None:
            continue
        named += 1
        read = read_things(expression.words, facts)
        assert read is not None and read.ids == (entity.id,), expression.words
        words = tokens(expression.words)
        assert len(words) <= LONGEST
        head = words[
            : words.index(next((w for w in words if w in ("on", "in", "near", "next", "that", "which")), words[-1]))
        ]
        if expression.description.colour is not None:
            assert entity.colour in head
        if expression.description.size is not None:
            assert entity.size == expression.description.size and entity.size in SIZES
    assert named >= 0.85 * len(facts.of("object", "furniture"))


@pytest.mark.parametrize(("preset", "seed"), PLACES)
def test_groups_are_all_and_only_what_their_words_say(preset: str, seed: int) -> None:
    facts = facts_in(preset, seed)
    referrer = Referrer(facts, np.random.default_rng(seed))
    groups = list(referrer.groups([e.id for e in facts.of("object")], tries=120))
    assert len(groups) > 20
    for group in groups:
        for number, quantifier in ((None, "all"), (1, "any"), (min(2, len(group.ids)), "")):
            expression = referrer.quantified(group, number, quantifier)
            if expression is not None:
                read = read_things(expression.words, facts)
                assert read is not None and read.ids == group.ids, expression.words
                assert number_meant(read.description, len(read.ids)) == (number or len(group.ids)), expression.words


@pytest.mark.parametrize("name", [name for name in MODIFIERS if name != "quantifiers"])
def test_words_keep_to_a_wish(name: str) -> None:
    """The check of the finished words is another one than that of the descriptions."""
    facts, kept = facts_in("house", 1), 0
    referrer = Referrer(facts, np.random.default_rng(0), Wish(name))
    for entity in facts.of("object")[:25]:
        expression = referrer.the(entity.id)
        if expression is not None:
            assert MODIFIERS[name].holds(expression.words), expression.words
            kept += 1
    assert kept >= (3 if name == "vertical" else 8)


def test_negations_and_superlatives_are_needed_or_clear() -> None:
    facts = facts_in("house", 1)
    referrer = Referrer(facts, np.random.default_rng(0))
    words = [e.words for i in range(8) for e in map(referrer.the, [o.id for o in facts.of("object")[:20]]) if e]
    assert not any(" not " in w for w in words)
    assert any("smallest" in w or "largest" in w or "biggest" in w for w in words)


@pytest.mark.parametrize(("preset", "seed"), PLACES)
def test_slips_of_typing_rarely_change_what_is_meant(preset: str, seed: int) -> None:
    """Slips are made blindly here: whatever is typed, most of it is still understood."""
    facts, rng = facts_in(preset, seed), np.random.default_rng(seed)
    referrer, right, tried = Referrer(facts, rng), 0, 0
    for entity in facts.of("object", "furniture"):
        expression = referrer.the(entity.id)
        if expression is not None:
            typed = as_typed(expression.words, rng, lambda _: True)
            read = read_things(typed, facts)
            right += read is not None and read.ids == (entity.id,)
            tried += 1
    assert right / tried > 0.85


@pytest.mark.parametrize(
    ("words", "like"),
    [
        ("red color ball", "the red ball"),
        ("the ball which is in red colour", "the red ball"),
        ("the ball that is red", "the red ball"),
        ("red toy ball", "the red ball"),
        ("all of the white objects which are on the floor", "all the white objects on the floor"),
        ("any one of the books", "any book"),
        ("2 books", "two books"),
        ("the ball which is not placed on the floor", "the ball not on the floor"),
        ("small sized object in this room", "the small object in this room"),
    ],
)
def test_ways_of_people_mean_the_same(words: str, like: str) -> None:
    for preset, seed in PLACES:
        facts = facts_in(preset, seed)
        one, other = read_things(words, facts), read_things(like, facts)
        assert (one and set(one.ids)) == (other and set(other.ids))
