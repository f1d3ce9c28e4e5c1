"""Demonstrations of two goals, spliced from two of one goal each.

Goals of training are of one predicate set, those of the second test of two. A model that has only seen goals of one
set learns that one predicate rules out those of other sets. So demonstrations of a batch are spliced with another one,
of other sets. Each is cut where Alice's hands are empty, and the pieces of both are shuffled, each one's in their
order. What does not end with empty hands (she keeps a book, and sits) comes last.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from experiments.watch_and_help.watching.frames import SEEN, Frames, empty_handed
from worlds.household.tasks.sets import PREDICATES, SETS
from worlds.household.tasks.splits import MOST_OF_TWO

NONE = -1
_DRAWS = 4  # of a partner for each demonstration


def splice(frames: Frames, numbers: np.ndarray, then: np.ndarray, rng: np.random.Generator) -> Frames:
    """Return demonstrations, some of which are spliced with another one.

    Args:
      numbers: of the demonstrations: integers [n].
      then: of those with which they are spliced, or -1: integers [n].
    """
    rows, steps, lengths = [], [], []
    empty = empty_handed(frames)
    first: list[int] = frames.first.tolist()
    passed = np.diff(frames.step, prepend=0).astype(np.int64)  # since the frame before
    for one, other in zip(numbers.tolist(), then.tolist(), strict=True):
        order = [np.arange(first[one], first[one] + 1)]
        mine = _pieces(empty, first[one] + 1, first[one + 1])
        if other != NONE:
            mine = _shuffled(mine, _pieces(empty, first[other] + 1, first[other + 1]), empty, rng)
        order += mine
        rows.append(np.concatenate(order))
        steps.append(np.cumsum([0, *passed[rows[-1][1:]]]))
        lengths.append(len(rows[-1]))
    joined, chosen = (then != NONE).astype(np.int16), np.concatenate(rows)
    return Frames(
        **{name: getattr(frames, name)[chosen] for name in SEEN},
        step=np.concatenate(steps).astype(np.int16),
        first=np.cumsum([0, *lengths]),
        steps=frames.steps[numbers] + joined * frames.steps[then],
        goal=frames.goal[numbers] + joined[:, None].astype(np.int8) * frames.goal[then],
    )


def _pieces(empty: np.ndarray, start: int, stop: int) -> list[np.ndarray]:
    """Cut rows where Alice's hands are empty."""
    rows = np.arange(start, stop)
    return [each for each in np.split(rows, np.flatnonzero(empty[rows]) + 1) if len(each)]


def _shuffled(
    mine: Sequence[np.ndarray], more: Sequence[np.ndarray], empty: np.ndarray, rng: np.random.Generator
) -> list[np.ndarray]:
    """Return pieces of two demonstrations in a random order that keeps each one's; an unfinished one comes last."""
    both = [list(mine), list(more)]
    last = [each.pop() for each in both if each and not empty[each[-1][-1]]]
    owners = rng.permutation(np.repeat([0, 1], [len(each) for each in both])).tolist()
    return [both[owner].pop(0) for owner in owners] + last


def partners(goals: np.ndarray, numbers: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Draw with which demonstration each of some is spliced: integers [n], -1 for none.

    A pair has no predicate set in common, and no more things than a goal of two sets may have.

    Args:
      goals: counts of all demonstrations: int8 [demonstrations, predicates].
      numbers: of those that may be spliced: integers [n].
      share: of them that are; those that find no partner in a few draws are not.
    """
    of = _sets()
    one = goals[numbers].astype(np.int64)
    found = np.full(len(numbers), NONE)
    for _ in range(_DRAWS):
        then = rng.integers(len(goals), size=len(numbers))
        other = goals[then].astype(np.int64)
        apart = (((one > 0) @ of > 0) & ((other > 0) @ of > 0)).sum(1) == 0
        fits = (one + other).sum(1) <= MOST_OF_TWO
        found = np.where((found == NONE) & apart & fits, then, found)
    return np.where(rng.random(len(numbers)) < share, found, NONE)


@cache
def _sets() -> np.ndarray:
    """Which predicates are of which sets: int64 [predicates, sets]."""
    return np.array([[int(text in each.predicates) for each in SETS.values()] for text in PREDICATES])
