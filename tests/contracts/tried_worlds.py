"""Worlds that the contract tests try, the tier of each, and play in them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests import small_worlds
from worlds.contract import SETTER, SOLVER
from worlds.contract.random_play import fitted
from worlds.contract.tiers import EXACT, TICK_WISE, includes
from worlds.foreign_code.trust import permit
from worlds.spaces.random_action import random_action, words_of

small_worlds.register()

PLAYERS = (SETTER, SOLVER)
STEPS = 40
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


def silent(world, player=SOLVER):
    return world.spec(player).action.silent()


def random_actions(world, seed, steps=STEPS):
    """Play that holds each movement for a few steps, so that it gets somewhere, and sometimes talks."""
    rng, actions = np.random.default_rng(seed), []
    for step in range(steps):
        action = {}
        for agent in PLAYERS:
            spec = world.spec(agent)
            most = spec.observation.entities.most if spec.observation.entities else 0
            again = step % 4 and rng.random() < 0.9
            held = actions[-1][agent] if again else random_action(spec.action, rng, entities=most)
            moved = held if rng.random() < 0.95 else silent(world, agent)
            words = words_of(spec.action.speech, f"{agent} at {step}") if rng.random() < 0.2 else ""
            action[agent] = moved | {"utterance": words}
        actions.append(action)
    return actions


def play(world, actions, first=None):
    """Observations of all steps, to the end of the episode; pointers mean only what has been observed before."""
    seen = []
    for action in actions:
        if world.agents:
            seen.append(world.step(fitted(world, action, seen[-1] if seen else first))[0])
    return seen


def play_from(world, config, actions):
    """Observations of an episode in the place ``config``, from its reset on."""
    first = world.reset(options={"config": config})[0]
    return [first, *play(world, actions, first)]


def assert_same(one, other):
    """Two lists of observations are bit for bit the same."""
    assert len(one) == len(other)
    for step, (a, b) in enumerate(zip(one, other, strict=True)):
        assert a.keys() == b.keys()
        for agent in a:
            for key in a[agent]:
                assert np.array_equal(a[agent][key], b[agent][key]), f"{key} of the {agent} differs at {step}"


def offers_snapshots(world) -> bool:
    try:
        return world.snapshot() is not None
    except NotImplementedError:
        return False


def ticks_of(world) -> int:
    return world.spec(SOLVER).action.ticks
