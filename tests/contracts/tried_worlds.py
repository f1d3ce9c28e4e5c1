"""Worlds that the contract tests try, and the tier of each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests import small_worlds
from worlds.contract.random_play import PLAYERS
from worlds.contract.tiers import EXACT, TICK_WISE, includes
from worlds.foreign_code.trust import permit

small_worlds.register()

EXAMPLES = Path(__file__).parents[2] / "examples" / "own_world"
SMALL = {"height": 24, "width": 32, "views": PLAYERS}
PAIR = f"{Path(__file__).parent / 'rendezvous.py'}:Rendezvous"
ANNOUNCED = "announced"  # by an installed package
permit([PAIR])
FOREIGN = ("gym:CartPole-v1", "gym:FrozenLake-v1", "gym:Pendulum-v1", "gym:BabyAI-GoToObj-v0", PAIR)
HOUSEHOLD_PICTURES = "household, pictures"
SCHOOL_PICTURES = "school, pictures"
HOUSEHOLD_WORDS = "household, words"
SCHOOL_WORDS = "school, words"
FULL_HANDS = "playhouse, full hands"
# Options of worlds that are tried with some; the name of the world is what stands before a comma.
PICTURED = {
    "gym:MiniGrid-Empty-5x5-v0": {"picture": 56},
    HOUSEHOLD_PICTURES: {"picture": True},
    SCHOOL_PICTURES: {"picture": True},
    HOUSEHOLD_WORDS: {"text": True, "full": True},
    SCHOOL_WORDS: {"text": True, "dialogue": True},
    FULL_HANDS: {"hands": "full"},
}
# The tier of every world; that of environments of others, which declare none, is the one that they reach.
TIERS = {
    "playhouse": TICK_WISE,
    "household": EXACT,
    "school": EXACT,
    "discs.py": TICK_WISE,
    "shelf.py": EXACT,
    ANNOUNCED: TICK_WISE,
    **dict.fromkeys(small_worlds.WORLDS, EXACT),
    **{name: tier for name, (_, tier) in small_worlds.TIERS.items()},
    **dict.fromkeys((*FOREIGN, *PICTURED), EXACT),
    FULL_HANDS: TICK_WISE,
}


def of_tier(tier: str) -> Callable:
    """Mark a test of all worlds of ``tier`` and of those above it; its argument ``entry`` is a world's."""
    worlds = [name for name, reached in TIERS.items() if includes(reached, tier)]
    return pytest.mark.parametrize("entry", worlds, ids=lambda name: name.rpartition("/")[2], indirect=True)


def make(entry, **settings) -> Any:
    return entry.make(**(SMALL | settings))


def assert_same(one, other):
    """Two lists of observations are bit for bit the same."""
    assert len(one) == len(other)
    for step, (a, b) in enumerate(zip(one, other, strict=True)):
        assert a.keys() == b.keys()
        for agent in a:
            for key in a[agent]:
                assert np.array_equal(a[agent][key], b[agent][key]), f"{key} of the {agent} differs at {step}"
