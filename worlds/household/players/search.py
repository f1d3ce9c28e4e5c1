"""Monte-Carlo tree search over sub-goals, in the planner's model. Compiled."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from worlds.household.players.model import ANCHOR, MOST_LEGS, NEAR, ROOM, available, is_open_to, kernel, pursue

GAIN = 2.0  # value of a predicate that is satisfied once more
HOPELESS = -100.0  # value of a sub-goal to which nothing leads
UNVISITED = 1e6  # score of a sub-goal that was never tried


class SearchSettings(NamedTuple):
    """Numbers of the search (Watch-And-Help's).

    Args:
      simulations: paths through the tree.
      rollout: most sub-goals tried at random from a leaf on.
      depth: most sub-goals in a row in the tree.
      c_init: weight of exploration.
      c_base: visits after which exploration grows.
      body_stays: suppose that the person is after each sub-goal where it was before.
    """

    simulations: int = 100
    rollout: int = 5
    depth: int = 5
    c_init: float = 0.1
    c_base: float = 1e6
    body_stays: bool = False

    @property
    def rows_needed(self) -> int:
        """Rows of the situations that a search needs."""
        return self.simulations + 3


@kernel
def _copy(now, target, source):
    """Copy a row of the situations to another."""
    for item in range(len(now.items[0])):
        for column in range(3):
            now.items[target, item, column] = now.items[source, item, column]
    for entry in range(5):
        now.body[target, entry] = now.body[source, entry]
    for predicate in range(len(now.remaining[0])):
        now.remaining[target, predicate] = now.remaining[source, predicate]


@kernel
def _keep_body(now, target, source):
    """Copy where the person is and what is within reach from a row of the situations to another."""
    now.body[target, ROOM], now.body[target, ANCHOR] = now.body[source, ROOM], now.body[source, ANCHOR]
    for item in range(len(now.items[0])):
        now.items[target, item, NEAR] = now.items[source, item, NEAR]


@kernel
def _missing(now, row):
    """Return how many times predicates have to be satisfied yet."""
    total = 0
    for predicate in range(len(now.remaining[0])):
        total += max(0, now.remaining[row, predicate])
    return total


@kernel
def _select(visits, value, node, found, count, settings, chance):
    """Return the sub-goal of the highest upper bound; the number ``chance`` in 0 to 1 breaks ties."""
    total, ties, best, chosen = 0.0, 0.0, -1e9, 0
    for k in range(count):
        total += visits[node, found[node, k]]
    weight = (math.log((1.0 + total + settings.c_base) / settings.c_base) + settings.c_init) / count * math.sqrt(total)
    for repeat in range(2):  # scores first, then the one of the best that chance chooses
        drawn = int(ties * chance)
        for k in range(count):
            number = visits[node, found[node, k]]
            score = UNVISITED if number == 0.0 else value[node, found[node, k]] / number + weight / (1.0 + number)
            if repeat == 0:
                ties = 1.0 if score > best else ties + (score == best)
                best = max(best, score)
            elif score == best:
                chosen = found[node, k] if drawn == 0 else chosen
                drawn -= 1
    return chosen


@njit(nogil=True, cache=True, error_model="numpy")
def search(model, now, current, settings, chances):
    """Search for the best sub-goal: the most visited one, -1 if none is available. ``current`` is kept while it is.

    The score of a sub-goal is Q/n + (ln((1 + N + c_base) / c_base) + c_init) / S * sqrt(N) / (1 + n), as in AlphaZero
    with a uniform prior over S sub-goals. A path's value is what its predicates are worth less the cost of its actions.
    From a leaf on, sub-goals are pursued in a random order.

    Args:
      now: a Situation of ``settings.rows_needed`` rows; the first is the present one, the others are overwritten.
      chances: float64 [any], random numbers from 0 to 1, which are used in turn.
    """
    subgoals, most = len(model.subgoals), len(now.body)
    leaf, spare = most - 1, most - 2  # rows in which rollouts happen
    found, child = np.empty((most, subgoals), np.int64), np.full((most, subgoals), -1, np.int64)
    visits, value = np.zeros((most, subgoals)), np.zeros((most, subgoals))
    count, reward = np.zeros(most, np.int64), np.zeros(most)
    passed, legs = np.empty((settings.depth, 2), np.int64), np.empty((MOST_LEGS, 2), np.int64)
    number, draw = 0, 0
    for simulation in range(settings.simulations + 1):
        node, steps, total, subgoal, is_new = 0, 0, 0.0, -1, simulation == 0
        while count[node] > 0 and steps < settings.depth and not is_new:
            subgoal = _select(visits, value, node, found, count[node], settings, chances[draw % len(chances)])
            passed[steps, 0], passed[steps, 1] = node, subgoal
            steps, draw, following = steps + 1, draw + 1, child[node, subgoal]
            is_new = following < 0
            if is_new:
                following = number
                child[node, subgoal] = number
                _copy(now, number, node)
            else:
                total += reward[following]
            node = following
        number += is_new
        tried, row = -1, node  # first what leads to a new node, then what follows it at random
        while is_new and tried < min(count[node], settings.rollout):
            if tried >= 0:
                other = tried + int(chances[draw % len(chances)] * (count[node] - tried))
                found[node, tried], found[node, other] = found[node, other], found[node, tried]
                subgoal, row, draw = found[node, tried], leaf, draw + 1
            if subgoal >= 0 and (tried < 0 or is_open_to(model, now, row, subgoal)):
                _copy(now, spare, row)
                cost = pursue(model, now, row, subgoal, legs)
                worth = HOPELESS if cost < 0.0 else GAIN * (_missing(now, spare) - _missing(now, row)) - cost
                if settings.body_stays:
                    _keep_body(now, row, spare)
                if tried < 0:
                    reward[node] = worth
                if tried < 0 or cost >= 0.0:
                    total += worth
            if tried < 0:
                if reward[node] != HOPELESS:
                    count[node] = available(model, now, node, found)
                _copy(now, leaf, node)
            tried += 1
        for k in range(count[0] if simulation == 0 else 0):
            if found[0, k] == current or count[0] == 1:
                return found[0, k]
        for k in range(steps):
            visits[passed[k, 0], passed[k, 1]] += 1.0
            value[passed[k, 0], passed[k, 1]] += total
    best, chosen = 0.0, -1
    for subgoal in range(subgoals):
        if visits[0, subgoal] > best:
            best, chosen = visits[0, subgoal], subgoal
    return chosen
