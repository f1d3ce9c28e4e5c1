"""Signal-to-noise ratio of a utility: its change where raters marked against its change where they marked nothing.

A model may order most marked moments correctly and still give rewards as large where nothing happens. An agent improved
against it then learns from the noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from reward_models.marks.pairs import MINUS, PLUS, near_marks

TOLERANCE = 4  # steps by which a mark may be early or late
NOISY = 1.0  # ratio below which BC+RL mostly gained nothing or got worse (docs/diagnostics.md)


@dataclass(frozen=True, eq=False)
class SignalTally:
    """Changes of utility over windows: float64 [..., 3] each, their number, their sum and their sum of squares.

    Args:
      unmarked: windows as long without a mark in or near them.
    """

    plus: np.ndarray
    minus: np.ndarray
    unmarked: np.ndarray

    def weighted(self, weights: np.ndarray) -> SignalTally:
        """Weighted sum [..., 3] of tallies [E, 3] of episodes, with ``weights`` [..., E]."""
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
        """Standard deviation of the change in unmarked windows, [...]; nan without any."""
        number, total, squares = np.moveaxis(self.unmarked, -1, 0)
        number = np.where(number > 0, number, np.nan)
        return np.sqrt(np.maximum(squares / number - (total / number) ** 2, 0.0))

    @property
    def ratio(self) -> np.ndarray:
        """Signal to noise, [...]: mean change at a (+) less that at a (-), in units of the noise.

        It is nan without marks of both signs, unmarked windows, or any noise.
        """
        noise = self.noise
        return (self.rise - self.fall) / np.where(noise > 0, noise, np.nan)


def window_changes(utility: np.ndarray, marks: np.ndarray, tolerance: int) -> tuple[np.ndarray, np.ndarray]:
    """Changes of utility over the windows of one episode.

    The window of a step has ``tolerance`` steps on either side, fewer where the episode begins or ends: a rater may
    press so early or late. An unmarked window is whole, and no mark is in it or within twice ``tolerance`` steps of
    it, so that it shares no step with the window of a mark.

    Args:
      utility: [T], up to a constant.
      marks: [T, 2], counts of the marks of all raters.

    Returns:
      The change over the window of every step, float64 [T], and the steps whose windows are unmarked, bool [T].
    """
    steps = np.arange(len(utility))
    before = np.concatenate([utility[:1], utility]).astype(np.float64)  # before[t] is the utility before step t
    change = before[np.minimum(steps + tolerance, len(steps) - 1) + 1] - before[np.maximum(steps - tolerance, 0)]
    near = near_marks(marks.sum(axis=1) > 0, 3 * tolerance)  # half the window, and twice that to the mark
    whole = (steps >= tolerance) & (steps < len(steps) - tolerance)
    return change, whole & ~near


def signal_tally(utility: np.ndarray, marks: np.ndarray, tolerance: int) -> SignalTally:
    """Tally of one episode; the arguments and the windows are those of :func:`window_changes`."""
    change, unmarked = window_changes(utility, marks, tolerance)
    return SignalTally(
        plus=_tally(np.repeat(change, marks[:, PLUS].astype(np.int64))),
        minus=_tally(np.repeat(change, marks[:, MINUS].astype(np.int64))),
        unmarked=_tally(change[unmarked]),
    )


def stack_signal(tallies: Sequence[SignalTally]) -> SignalTally:
    """Stack the tallies of E episodes: [E, 3]."""
    return SignalTally(*(np.array([getattr(t, f.name) for t in tallies]).reshape(-1, 3) for f in fields(SignalTally)))


def _tally(changes: np.ndarray) -> np.ndarray:
    return np.array([len(changes), changes.sum(), (changes**2).sum()])


def _mean(tally: np.ndarray) -> np.ndarray:
    return tally[..., 1] / np.where(tally[..., 0] > 0, tally[..., 0], np.nan)
