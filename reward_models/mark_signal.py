"""Signal and noise of a utility: how far it moves where raters marked, and how far where they marked nothing.

A model may put most marked moments in the right order and pay as much where nothing happens. An agent that is improved
against it is then taught by the noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from reward_models.pairs import MINUS, PLUS, near_marks

TOLERANCE = 4  # steps by which raters may be off
NOISY = 1.0  # ratio below which BC+RL mostly gained nothing or did harm (docs/diagnostics.md)


@dataclass(frozen=True, eq=False)
class SignalTally:
    """How far the utility moved over windows: float64 [..., 3] each, their number, the sum and the sum of squares.

    Args:
      plus: windows around the (+).
      minus: windows around the (-).
      unmarked: windows as long in which, and near which, nobody marked.
    """

    plus: np.ndarray
    minus: np.ndarray
    unmarked: np.ndarray

    def weighted(self, weights: np.ndarray) -> SignalTally:
        """Of tallies [E, 3] of episodes that count ``weights`` [..., E] times: [..., 3]."""
        return SignalTally(*(weights @ getattr(self, field.name) for field in fields(self)))

    @property
    def rise(self) -> np.ndarray:
        """Mean change at a (+), [...]; nan without any."""
        return _mean(self.plus)

    @property
    def fall(self) -> np.ndarray:
        """Mean change at a (-), [...]; nan without any."""
        return _mean(self.minus)

    @property
    def noise(self) -> np.ndarray:
        """Standard deviation of the change where nobody marked, [...]; nan without such windows."""
        number, total, squares = np.moveaxis(self.unmarked, -1, 0)
        number = np.where(number > 0, number, np.nan)
        return np.sqrt(np.maximum(squares / number - (total / number) ** 2, 0.0))

    @property
    def ratio(self) -> np.ndarray:
        """Signal to noise, [...]: by how much a (+) moves it further than a (-), in units of the noise; nan without
        marks of both signs, unmarked windows, or any noise."""
        noise = self.noise
        return (self.rise - self.fall) / np.where(noise > 0, noise, np.nan)


def signal_tally(utility: np.ndarray, marks: np.ndarray, tolerance: int) -> SignalTally:
    """The tally of one episode with ``utility`` [T] (up to a constant) and counts of ``marks`` [T, 2] of all raters.

    A window around a mark is of ``tolerance`` steps on either side, less where the episode begins or ends; what happens
    in it is what a rater who presses so early or late meant. An unmarked window is as long and has no mark in it or
    within twice ``tolerance`` steps of one of its own, so none of its steps is in the window of a mark.
    """
    steps = np.arange(len(utility))
    before = np.concatenate([utility[:1], utility]).astype(np.float64)  # before[t] is the utility ahead of step t
    change = before[np.minimum(steps + tolerance, len(steps) - 1) + 1] - before[np.maximum(steps - tolerance, 0)]
    near = near_marks(marks.sum(axis=1) > 0, 3 * tolerance)  # the window's own reach, and twice that to the mark
    whole = (steps >= tolerance) & (steps < len(steps) - tolerance)
    return SignalTally(
        plus=_tally(np.repeat(change, marks[:, PLUS].astype(np.int64))),
        minus=_tally(np.repeat(change, marks[:, MINUS].astype(np.int64))),
        unmarked=_tally(change[whole & ~near]),
    )


def stack_signal(tallies: Sequence[SignalTally]) -> SignalTally:
    """Tallies of E episodes as one, [E, 3]."""
    return SignalTally(*(np.array([getattr(t, f.name) for t in tallies]).reshape(-1, 3) for f in fields(SignalTally)))


def _tally(changes: np.ndarray) -> np.ndarray:
    return np.array([len(changes), changes.sum(), (changes**2).sum()])


def _mean(tally: np.ndarray) -> np.ndarray:
    return tally[..., 1] / np.where(tally[..., 0] > 0, tally[..., 0], np.nan)
