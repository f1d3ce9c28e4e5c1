"""Results of the sweep over rater noise: one record for each reward model."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pipelines.diagnose.diagnosis import Measure
from pipelines.stages.mark import MarkConfig


@dataclass(frozen=True)
class Noise:
    """Noise of a rater: share of missed events, delay in steps, share of wrong signs, share of marked episodes."""

    miss: float
    delay: float
    mistake: float
    marked: float

    def __post_init__(self) -> None:
        MarkConfig(miss=self.miss, delay=self.delay, mistake=self.mistake)  # refuse impossible values

    @property
    def name(self) -> str:
        """Name of the noise, e.g. "miss-0.3-delay-1-mistake-0.05-marked-1"."""
        return "-".join(f"{axis}-{getattr(self, axis):g}" for axis in AXES)


AXES = ("miss", "delay", "mistake", "marked")


@dataclass(frozen=True)
class NoiseResult:
    """Result of one reward model, evaluated on clean marks of held-out play.

    Args:
      noise: of the rater.
      seed: of the rater and the training.
      episodes: number of training episodes.
      marks: number of training marks.
      update: of the best model.
      accuracy: as in ``PairFindings``; None, like the next three, if nothing could be learned.
      better: as in ``PairFindings``.
      worse: as in ``PairFindings``.
      balanced: as in ``PairFindings``.
      majority: accuracy of always predicting the commoner sign.
      failed: reason why nothing could be learned; "" otherwise.
    """

    noise: Noise
    seed: int
    episodes: int = 0
    marks: int = 0
    update: int = 0
    accuracy: Measure | None = None
    better: Measure | None = None
    worse: Measure | None = None
    balanced: Measure | None = None
    majority: float = math.nan
    failed: str = ""
