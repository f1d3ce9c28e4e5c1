"""Random play in any declared spaces, for trials of worlds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from worlds.contract import SETTER, SOLVER, Action, Observation, World, legal_values
from worlds.spaces.random_action import random_action, within_entities, within_legal, words_of

PLAYERS = (SETTER, SOLVER)
STEPS = 12  # of random play

Observed = Mapping[str, Observation]


def random_actions(world: World, seed: int, steps: int = STEPS) -> list[dict[str, Any]]:
    """Return random actions of both players, each held for a whole step, and a few words.

    Pointers may mean more entities than there are when the actions are played (:func:`fitted`).
    """
    rng, actions = np.random.default_rng(seed), []
    specs = {player: world.spec(player) for player in PLAYERS}
    for step in range(steps):
        acted: dict[str, Any] = {}
        for player, spec in specs.items():
            most = spec.observation.entities.most if spec.observation.entities else 0
            acted[player] = random_action(spec.action, rng, entities=most)
            if spec.action.speech is not None and rng.random() < 0.2:
                acted[player]["utterance"] = words_of(spec.action.speech, f"{player} at {step}")
        actions.append(acted)
    return actions


def fitted(world: World, actions: Mapping[str, Any], seen: Observed | None) -> dict[str, Action]:
    """Return ``actions`` with pointers only at entities that are observed in ``seen``; None observes none.

    A value that is not legal now becomes another one that is.
    """
    found: dict[str, Any] = {}
    for player, action in actions.items():
        there: Mapping[str, Any] = {} if seen is None else seen[player]
        spec = world.spec(player).action
        possible = within_entities(spec, action, len(there.get("entity_values", ())))
        found[player] = within_legal(spec, possible, legal_values(world, player))
    return found


def play_on(world: World, actions: Sequence[dict[str, Any]], first: Observed | None = None) -> list[Observed]:
    """Play ``actions`` until the world ends the episode, and return what is observed after each."""
    seen, last = [], first
    for action in actions:
        if not world.agents:
            break
        last = world.step(fitted(world, action, last))[0]
        seen.append(last)
    return seen


def play_from(world: World, config: Mapping[str, Any], actions: Sequence[dict[str, Any]]) -> list[Observed]:
    """Return the observations of ``actions`` in the place ``config``, from the reset to the end of the episode."""
    first = world.reset(options={"config": config})[0]
    return [first, *play_on(world, actions, first)]
