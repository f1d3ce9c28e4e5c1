"""Records of the findings of `rlhf diagnose`: all numbers of its figures and its page, with their intervals."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pipelines.report.data import Circumstances
from rlhf.records.json_records import to_json
from rlhf.run.statistics import Interval
from rlhf.store.files.durable import write_file

DIAGNOSIS_FILE = "diagnostics.json"
ALL_SOLVERS = "all solvers"

Part = Literal["held_out", "validation", "transfer", "learned"]
PART_WORDS: dict[str, str] = {
    "held_out": "held-out play",
    "validation": "validation play",
    "transfer": "a new solver's play",
    "learned": "training play",
}


@dataclass(frozen=True)
class Measure:
    """Number and its 95% interval, from ``items`` observations (pairs, marks, requests) in ``episodes`` episodes."""

    estimate: float
    low: float
    high: float
    episodes: int
    items: int

    @classmethod
    def of(cls, interval: Interval | None, items: float) -> Measure | None:
        """Create from an interval; None without one."""
        if interval is None:
            return None
        return cls(interval.estimate, interval.low, interval.high, interval.count, round(items))

    @property
    def interval(self) -> Interval:
        """The number with its bounds, over its episodes."""
        return Interval(self.estimate, self.low, self.high, self.episodes)


@dataclass(frozen=True)
class DistanceFinding:
    """Accuracy on pairs ``least`` to ``most`` steps apart (no upper end if None); see :class:`PairFindings`."""

    least: int
    most: int | None
    accuracy: Measure
    majority: float

    @property
    def steps(self) -> str:
        """Range of distances, e.g. "5–8"."""
        return f"{self.least}+" if self.most is None else f"{self.least}\N{EN DASH}{self.most}"


@dataclass(frozen=True)
class PairFindings:
    """Agreement of the model's order of moments with that of marks.

    Args:
      accuracy: share of all pairs ordered correctly.
      better: share of the pairs that got better.
      worse: share of the pairs that got worse.
      majority: accuracy of always predicting the commoner of the two.
    """

    accuracy: Measure | None
    better: Measure | None
    worse: Measure | None
    balanced: Measure | None
    majority: float | None
    by_distance: tuple[DistanceFinding, ...]


@dataclass(frozen=True)
class BinFinding:
    """Predictions with probabilities from ``low`` to ``high``: mean, share that happened, share of the weight."""

    low: float
    high: float
    predicted: float
    happened: Measure
    share: float


@dataclass(frozen=True)
class CalibrationFindings:
    """Calibration of predicted probabilities.

    Args:
      of: the predicted event, e.g. "the later moment is better".
      log_loss: mean of -log of the probability of the outcome.
    """

    of: str
    error: Measure | None
    log_loss: Measure | None
    base_log_loss: float | None
    bins: tuple[BinFinding, ...]


@dataclass(frozen=True)
class SignFindings:
    """Predicted marks of one sign against raters' marks of that sign.

    Args:
      sign: +1 or -1.
      precision: share of predicted marks that match a given one.
      recall: share of given marks that match a predicted one.
      raters: F1 of one rater against another, the ceiling; None with fewer than two.
      chance: F1 of the marks predicted for another episode, the floor; None where there is no other.
    """

    sign: int
    precision: Measure | None
    recall: Measure | None
    f1: Measure | None
    raters: Measure | None
    chance: Measure | None


@dataclass(frozen=True)
class MarkFindings:
    """Peaks of the reward against raters' marks; ``threshold`` is the smallest size of a peak."""

    threshold: float
    signs: tuple[SignFindings, ...]


@dataclass(frozen=True)
class SignalFindings:
    """Change of utility (in units of reward) at marks and elsewhere (:mod:`reward_models.learning.mark_signal`).

    Args:
      noise: standard deviation of the change over as many steps without marks.
    """

    plus: Measure | None
    minus: Measure | None
    noise: Measure | None
    ratio: Measure | None


@dataclass(frozen=True)
class OutcomeFindings:
    """Findings on requests that succeeded, or on those that failed.

    Args:
      rated_plus: share of (request, rater) with a (+) in the request.
      rated_minus: share of (request, rater) with a (-) in the request.
      predicted_plus: share of requests with a positive peak of the reward.
      predicted_minus: share of requests with a negative peak of the reward.
    """

    mean_return: Measure | None
    returns: tuple[float, ...]
    rated_plus: Measure | None
    rated_minus: Measure | None
    predicted_plus: Measure | None
    predicted_minus: Measure | None


@dataclass(frozen=True)
class SuccessFindings:
    """Modelled return of requests against their scripted success.

    Args:
      auc: probability that a request that succeeded has a larger return than one that failed.
    """

    auc: Measure | None
    by_task: dict[str, Measure]
    succeeded: OutcomeFindings
    failed: OutcomeFindings


@dataclass(frozen=True)
class CurveFinding:
    """Mean over moments of the change of utility (in units of reward) since before them, by offset in steps."""

    offsets: tuple[int, ...]
    mean: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


@dataclass(frozen=True)
class WordsFindings:
    """Scores of the same behaviour under right, plausible and unrelated words (:mod:`reward_models.scores.rescoring`).

    Args:
      change: mean utility after the moment less that before it, in units of reward, for each of the three.
      right_over_plausible: share of moments with this order.
      in_order: share of moments with all three in order.
    """

    moments: int
    change: tuple[Measure, ...]
    right_over_plausible: Measure
    plausible_over_unrelated: Measure
    right_over_unrelated: Measure
    in_order: Measure
    by_kind: dict[str, tuple[Measure, Measure]]
    curves: tuple[CurveFinding, ...]


@dataclass(frozen=True)
class GroupFindings:
    """Findings on one model and one group of episodes: the play of one solver (or of all) in one part of the data."""

    part: str
    solver: str
    episodes: int
    marks: int
    raters: int
    pairs: PairFindings
    calibration: CalibrationFindings
    mark_calibration: tuple[CalibrationFindings, ...]
    marked: MarkFindings | None
    signal: SignalFindings
    success: SuccessFindings
    answers: WordsFindings | None
    instructions: WordsFindings | None

    @property
    def name(self) -> str:
        """Name of the group, e.g. "held-out play, agent:clone"."""
        return f"{PART_WORDS[self.part]}, {self.solver}"


@dataclass(frozen=True)
class ModelFindings:
    """Findings on one reward model; ``known_division`` is true if its run has a record of its training episodes."""

    name: str
    kind: str
    folder: str
    known_division: bool
    groups: tuple[GroupFindings, ...]

    def group(self, part: str, solver: str) -> GroupFindings | None:
        """Return the findings on one group; None if there is no such play."""
        return next((group for group in self.groups if (group.part, group.solver) == (part, solver)), None)


@dataclass(frozen=True)
class Comparison:
    """Pair accuracy of the model ``second`` less that of ``first``, paired by episode."""

    first: str
    second: str
    part: str
    solver: str
    difference: Measure


@dataclass(frozen=True)
class Diagnosis:
    """All findings; ``remarks`` are sentences on what could not be measured, or is uncertain."""

    models: tuple[ModelFindings, ...]
    comparisons: tuple[Comparison, ...]
    remarks: tuple[str, ...]
    scripted: bool
    circumstances: Circumstances

    def groups(self) -> list[tuple[str, str]]:
        """(part, solver) of every group, in the order to show."""
        return [(group.part, group.solver) for group in self.models[0].groups]


def save_diagnosis(diagnosis: Diagnosis, folder: Path) -> Path:
    """Write ``diagnostics.json``; a reader sees the whole file or none."""
    path = folder / DIAGNOSIS_FILE
    write_file(path, (json.dumps(to_json(diagnosis), indent=1) + "\n").encode())
    return path
