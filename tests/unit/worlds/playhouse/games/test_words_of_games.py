"""The words of every game: many phrasings, none long, each read back by its game to the same meaning."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

from worlds.playhouse import Playhouse
from worlds.playhouse.games import registry
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.house.catalogue import COLOURS
from worlds.playhouse.requests.lexicon import nouns
from worlds.playhouse.requests.phrasing import as_typed

DRAWS = {"instruction": 20, "question": 60}  # whether an instruction can be followed takes long to find out
ANEW = {"instruction": 0.9, "question": 0.4}  # share of draws at least that say something else
TURNS = 4  # times that requests are proposed in each flat
GAMES = tuple(registry.games())
# What the setter does after it has spoken is a part of what this one means.
SHOWN = ("name what i point at",)
ALSO = {"clear": "take out"}  # "remove everything from the chair" asks for the same as "take the mug off the chair"


@cache
def situations() -> tuple[Situation, ...]:
    made = []
    for seed in (700, 701, 702, 703):
        world = Playhouse(height=6, width=8, views=(), settings={"preset": "flat"}, hands="full")
        world.reset(seed=seed)
        made.append(Situation(world))
    return tuple(made)


def requests(name: str, draws: int):
    """Yield requests of a game, as they are proposed in a few flats."""
    game, left = registry.get(name), draws
    for turn in range(TURNS):
        for seed, situation in enumerate(situations()):
            rng = np.random.default_rng([seed, turn])
            for request, _ in zip(game.propose(situation, rng, None), range(draws // 8), strict=False):
                yield situation, request
                left -= 1
                if left == 0:
                    return


@cache
def combinations() -> re.Pattern[str]:
    """A colour and right after it the name of a kind."""
    kinds = {form: noun for noun in nouns() if noun.meaning == "kind" for form in (noun.singular, noun.plural)}
    return re.compile(rf"\b({'|'.join(COLOURS)}) ({'|'.join(sorted(kinds, key=len, reverse=True))})\b")


@pytest.mark.parametrize("name", [name for name in GAMES if name != "name what i point at"])
def test_every_combination_in_the_words_counts_for_the_split(name: str) -> None:
    """Wherever it is named: "put the mug behind the red ball" is held out where "red ball" is."""
    for _, request in requests(name, DRAWS[registry.get(name).kind]):
        said = {(colour, kind) for colour, kind in request.arguments["said"] if colour}
        for colour, words in combinations().findall(request.words):
            kinds = {k for n in nouns() if words in (n.singular, n.plural) and n.meaning == "kind" for k in n.of}
            assert said & {(colour, kind) for kind in kinds}, (request.words, request.arguments["said"])


@pytest.mark.parametrize("name", GAMES)
def test_requests_are_in_many_words_and_none_is_long(name: str) -> None:
    kind = registry.get(name).kind
    texts = [request.words for _, request in requests(name, DRAWS[kind])]
    kept = [text for text in texts if registry.is_short(text)]
    assert len(set(kept)) >= ANEW[kind] * len(kept) > 0, sorted(set(texts))[:40]
    assert len(kept) >= 0.8 * len(texts)


@pytest.mark.parametrize("name", [name for name in GAMES if name not in SHOWN])
def test_what_is_said_is_what_is_understood(name: str) -> None:
    """Also as people type it: a misspelled request that its game reads is read to the same meaning."""
    rng, game = np.random.default_rng(0), registry.get(name)
    for situation, request in requests(name, 12):
        found = registry.understand(request.words, situation)
        assert found is not None and found[0].name in (name, ALSO.get(name)), request.words
        meant = _meaning(request.arguments)
        if found[0].name == name:
            assert _meaning(found[1]) == meant, request.words

        def same(text: str) -> bool:
            read = game.read(text, situation)  # noqa: B023 - called at once
            return read is not None and _meaning(read) == meant  # noqa: B023

        typed = as_typed(request.words, rng, same)
        understood = registry.understand(typed, situation)
        assert understood is not None, typed


def _meaning(arguments: dict) -> dict:
    """Arguments without the words that were said."""
    return {
        role: _meaning(value) if isinstance(value, dict) else ALSO.get(value, value) if role == "game" else value
        for role, value in arguments.items()
        if role != "said"
    }
