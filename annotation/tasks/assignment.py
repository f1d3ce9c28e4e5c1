"""The choice of the episode that a rater gets next. Pure functions."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Waiting:
    """An episode that may still be given to the rater who asks."""

    key: str
    place: int
    raters: int


def _breadth(waiting: Waiting, rater: str) -> tuple[object, ...]:
    return waiting.raters, waiting.place


def _depth(waiting: Waiting, rater: str) -> tuple[object, ...]:
    return -waiting.raters, waiting.place


def _shuffled(waiting: Waiting, rater: str) -> tuple[object, ...]:
    return (hashlib.sha256(f"{rater} {waiting.key}".encode()).digest(),)


STRATEGIES: dict[str, Callable[[Waiting, str], tuple[object, ...]]] = {
    "breadth": _breadth,  # every episode gets its first rater before any gets its second
    "depth": _depth,  # an episode gets all its raters before the next is begun
    "shuffled": _shuffled,  # to each rater in an order of their own, so that no episode is always the first of the day
}


def next_episode(waiting: Sequence[Waiting], overlap: int, strategy: str, rater: str) -> Waiting | None:
    """Return the episode to give to ``rater``.

    Returns:
      the episode; None if all have as many raters as they are to have.

    Raises ValueError if there is no such strategy.
    """
    if strategy not in STRATEGIES:
        raise ValueError(f"there is no strategy {strategy}; there are {', '.join(STRATEGIES)}")
    wanted = [episode for episode in waiting if episode.raters < overlap]
    return min(wanted, key=lambda episode: STRATEGIES[strategy](episode, rater), default=None)
