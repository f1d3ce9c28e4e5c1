"""What is drawn by lot when a house is sampled."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

_T = TypeVar("_T")


class PlainChance:
    """Draws of the kinds that plain houses need; seeds count on which numbers they take."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def count(self, bounds: tuple[int, int]) -> int:
        """A whole number between two, both included."""
        return int(self._rng.integers(bounds[0], bounds[1] + 1))

    def choose(self, options: Sequence[_T]) -> _T:
        return options[int(self._rng.integers(len(options)))]

    def between(self, low: float, high: float) -> float:
        """A coordinate between low and high, to the millimetre."""
        return round(low + (high - low) * float(self._rng.random()), 3)


class Chance:
    """Draws of the kinds that furnished houses need, ten times as fast."""

    def __init__(self, seed: int) -> None:
        self._draw = random.Random(seed).random

    def count(self, bounds: tuple[int, int]) -> int:
        return bounds[0] + int(self._draw() * (bounds[1] + 1 - bounds[0]))

    def choose(self, options: Sequence[_T]) -> _T:
        return options[int(self._draw() * len(options))]

    def between(self, low: float, high: float) -> float:
        return round(low + (high - low) * self._draw(), 3)

    def happens(self, share: float) -> bool:
        """True with a chance."""
        return self._draw() < share

    def weighed(self, options: Sequence[_T], weights: Sequence[float]) -> _T:
        """One of the options, each with its weight."""
        rest = self._draw() * sum(weights)
        for option, weight in zip(options, weights, strict=True):
            rest -= weight
            if rest < 0.0:
                return option
        return options[-1]

    def shuffled(self, options: Sequence[_T]) -> list[_T]:
        return sorted(options, key=lambda _: self._draw())
