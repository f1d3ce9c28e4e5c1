"""Records of the findings on an agent's eyes, and their measurement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pipelines.diagnose.diagnosis import Measure
from pipelines.diagnose.eyes.frames import Truth
from pipelines.diagnose.eyes.readings import MEMORY, TAUGHT, TOKENS, UNTRAINED, WORDS, Named
from pipelines.report.data import Circumstances
from rlhf.run.statistics import ratio_difference_interval, ratio_interval

EYES_FILE = "eyes.json"
PIXELS = (0, 16, 32, 64, 128)  # first of each bin of sizes
METRES = (0.0, 1.0, 1.5, 2.0, 3.0)  # first of each bin of distances
STAGES = ((UNTRAINED, TOKENS), (TAUGHT, TOKENS), (TOKENS, WORDS), (TOKENS, MEMORY))  # compared, in this order


@dataclass(frozen=True)
class BinShares:
    """Shares in the bin of things from ``least`` on to below ``most``, None for no end; pixels or metres."""

    least: float
    most: float | None
    colour: Measure | None
    kind: Measure | None


@dataclass(frozen=True)
class ReadingFindings:
    """Findings on one reading.

    Args:
      name: see :data:`pipelines.diagnose.eyes.readings.READING_WORDS`.
      colour: share of the frames in which it names the colour of the only thing in view.
      by_pixels: both, by the number of pixels that show the thing.
      by_distance: both, by the distance of the thing in metres.
    """

    name: str
    colour: Measure | None
    kind: Measure | None
    by_pixels: tuple[BinShares, ...]
    by_distance: tuple[BinShares, ...]


@dataclass(frozen=True)
class Step:
    """Share of the reading ``second`` less that of ``first``, paired by frame."""

    first: str
    second: str
    colour: Measure | None
    kind: Measure | None


@dataclass(frozen=True)
class EyesFindings:
    """All findings on one agent.

    Args:
      unseen_episodes: recorded episodes that the agent did not learn from, of which all was measured; None if it is not
        known what it learned from.
      learned_frames: frames that probes and the taught network learned from.
      measured_frames: frames with exactly one thing in view that all were measured on.
      commonest_colour: share of the commonest colour in the measured frames, the floor; chance is 1 / colours.
      steps: what is lost or gained from one reading to the next.
    """

    agent: str
    unseen_episodes: int | None
    learned_frames: int
    measured_frames: int
    measured_episodes: int
    colours: tuple[str, ...]
    kinds: tuple[str, ...]
    commonest_colour: float
    commonest_kind: float
    readings: tuple[ReadingFindings, ...]
    steps: tuple[Step, ...]
    circumstances: Circumstances

    def reading(self, name: str) -> ReadingFindings | None:
        """Return the findings on one reading; None if the agent has none of the name."""
        return next((one for one in self.readings if one.name == name), None)

    def step(self, first: str, second: str) -> Step | None:
        """Return one comparison; None if it was not made."""
        return next((one for one in self.steps if (one.first, one.second) == (first, second)), None)


class EyesMeasurer:
    """Measures readings on the frames with exactly one thing in view.

    Args:
      measured: bool [N], frames that nothing learned from.
    """

    def __init__(self, truth: Truth, measured: np.ndarray, seed: int) -> None:
        self._truth, self._seed = truth, seed
        self.rows = np.flatnonzero(measured & truth.alone)
        self._episode = np.unique(truth.episode[self.rows], return_inverse=True)[1]
        self.episodes = len(np.unique(self._episode))

    def commonest(self) -> tuple[float, float]:
        """Shares of the commonest colour and kind in the measured frames."""
        count = len(self.rows)
        colour, kind = (np.bincount(of[self.rows]).max() / count for of in (self._truth.colour, self._truth.kind))
        return float(colour), float(kind)

    def reading(self, name: str, named: Named) -> ReadingFindings:
        """Measure one reading."""
        return ReadingFindings(
            name,
            *self._shares(named, np.ones(len(self.rows), bool)),
            self._binned(named, self._truth.pixels[self.rows], PIXELS),
            self._binned(named, self._truth.distance[self.rows], METRES),
        )

    def steps(self, named: Mapping[str, Named]) -> tuple[Step, ...]:
        """Measure the differences between readings."""
        return tuple(
            Step(first, second, *self._differences(named[first], named[second]))
            for first, second in STAGES
            if first in named and second in named
        )

    def _right(self, named: Named) -> tuple[np.ndarray, np.ndarray]:
        """Frames of the measured ones whose colour, and whose kind, is named rightly: bool [M] each."""
        colour, kind = (part[self.rows] for part in named)
        return colour == self._truth.colour[self.rows], kind == self._truth.kind[self.rows]

    def _shares(self, named: Named, some: np.ndarray) -> tuple[Measure | None, Measure | None]:
        counts = np.bincount(self._episode, some, minlength=self.episodes)
        colour, kind = (
            Measure.of(
                ratio_interval(np.bincount(self._episode, right & some, self.episodes), counts, seed=self._seed),
                counts.sum(),
            )
            for right in self._right(named)
        )
        return colour, kind

    def _binned(self, named: Named, values: np.ndarray, firsts: Sequence[float]) -> tuple[BinShares, ...]:
        ends = [*firsts[1:], None]
        found = []
        for least, most in zip(firsts, ends, strict=True):
            some = (values >= least) & (values < (np.inf if most is None else most))
            found.append(BinShares(least, most, *self._shares(named, some)))
        return tuple(found)

    def _differences(self, first: Named, second: Named) -> tuple[Measure | None, Measure | None]:
        counts, found = np.bincount(self._episode, minlength=self.episodes), []
        for one, other in zip(self._right(first), self._right(second), strict=True):
            gained = np.bincount(self._episode, other.astype(float) - one, self.episodes)
            interval = ratio_difference_interval(gained, counts, seed=self._seed)
            found.append(Measure.of(interval, counts.sum()))
        return found[0], found[1]
