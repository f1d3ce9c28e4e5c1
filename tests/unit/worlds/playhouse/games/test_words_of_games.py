"""The words of every game: many phrasings, none long, each read back by its game to the same meaning."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from worlds.playhouse import Playhouse
from worlds.playhouse.games import registry
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.requests.phrasing import as_typed

DRAWS = {"instruction": 60, "question": 200}  # whether an instruction can be followed takes long to find out
PHRASINGS = 30
ANEW = 0.6  # share at least of draws that say something else, of games that can seldom be asked
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


@pytest.mark.parametrize("name", GAMES)
def test_there_are_many_phrasings_and_none_is_long(name: str) -> None:
    texts = [request.words for _, request in requests(name, DRAWS[registry.get(name).kind])]
    kept = [text for text in texts if registry.is_short(text)]
    assert len(set(kept)) >= min(PHRASINGS, ANEW * len(kept)) > 0, sorted(set(texts))[:40]
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
