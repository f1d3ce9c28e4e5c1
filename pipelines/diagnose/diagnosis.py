"""What `rlhf diagnose` finds, as records: all that its figures and its page show, every number with its interval."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pipelines.report.data import Circumstances
from rlhf.records.json_records import BadRecord, from_json, to_json
from rlhf.run.statistics import Interval
from rlhf.store import json_text
from rlhf.store.durable import write_file
from worlds.errors import UserError

DIAGNOSIS_FILE = "diagnostics.json"
EVERYBODY = "all solvers"

Part = Literal["held_out", "validation", "transfer", "learned"]
PART_WORDS: dict[str, str] = {
    "held_out": "held-out play",
    "validation": "validation play",
    "transfer": "a new solver's play",
    "learned": "play learned from",
}


@dataclass(frozen=True)
class Measure:
    """A number and its 95% interval, from ``items`` observations (pairs, marks, requests) in ``episodes`` episodes."""

    estimate: float
    low: float
    high: float
    episodes: int
    items: int

    @classmethod
    def of(cls, interval: Interval | None, items: float) -> Measure | None:
        """None where there was nothing to measure."""
        if interval is None:
            return None
        return cls(interval.estimate, interval.low, interval.high, interval.count, round(items))


@dataclass(frozen=True)
class DistanceFinding:
    """Pairs ``least`` to ``most`` steps apart (no upper end if None); see :class:`PairFindings`."""

    least: int
    most: int | None
    accuracy: Measure
    majority: float

    @property
    def steps(self) -> str:
        """E.g. "5–8"."""
        return f"{self.least}+" if self.most is None else f"{self.least}\N{EN DASH}{self.most}"


@dataclass(frozen=True)
class PairFindings:
    """How well the model orders moments as marks do.

    Args:
      accuracy: share of all pairs ordered rightly; better, worse: of those that got better and worse.
      balanced: mean of the two. majority: what always saying the commoner of the two would get.
    """

    accuracy: Measure | None
    better: Measure | None
    worse: Measure | None
    balanced: Measure | None
    majority: float | None
    by_distance: tuple[DistanceFinding, ...]


@dataclass(frozen=True)
class BinFinding:
    """Predictions with probabilities from ``low`` to ``high``: their mean, the share that came true, their weight."""

    low: float
    high: float
    predicted: float
    happened: Measure
    share: float


@dataclass(frozen=True)
class CalibrationFindings:
    """Whether what is said to be so probable comes true so often.

    Args:
      of: what was predicted, e.g. "the later moment is better".
      error: expected calibration error. log_loss: mean of -log of the probability of what happened;
        base_log_loss: the same for whoever always says how often it happens.
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
      raters: F1 of one rater against another, the ceiling; None with fewer than two.
      chance: F1 of the marks predicted for another episode, the floor.
    """

    sign: int
    precision: Measure | None
    recall: Measure | None
    f1: Measure | None
    raters: Measure | None
    chance: Measure | None


@dataclass(frozen=True)
class MarkFindings:
    """Moments at which the reward peaks against raters' marks; ``threshold`` is the least size of a peak."""

    threshold: float
    signs: tuple[SignFindings, ...]


@dataclass(frozen=True)
class SignalFindings:
    """How far the utility (in units of reward) moves at marks and elsewhere (:mod:`reward_models.mark_signal`).

    Args:
      plus, minus: mean change over the steps around a mark of that sign. noise: standard deviation of the change over
        as many steps where nobody marked. ratio: of the difference of the two to the noise.
    """

    plus: Measure | None
    minus: Measure | None
    noise: Measure | None
    ratio: Measure | None


@dataclass(frozen=True)
class OutcomeFindings:
    """Requests that succeeded, or that failed.

    Args:
      mean_return: of modelled reward over the request; returns: of every one.
      rated_plus, rated_minus: share of (request, rater) with a mark of that sign in it.
      predicted_plus, predicted_minus: share of requests in which the model's reward peaks so.
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
      auc: probability that one that succeeded has a larger return than one that failed. by_task: among requests of
        one kind.
    """

    auc: Measure | None
    by_task: dict[str, Measure]
    succeeded: OutcomeFindings
    failed: OutcomeFindings


@dataclass(frozen=True)
class CurveFinding:
    """Mean over moments of the utility (in units of reward) since before them, at every offset where all have one."""

    offsets: tuple[int, ...]
    mean: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


@dataclass(frozen=True)
class WordsFindings:
    """The same behaviour under right, plausible and unrelated words (:mod:`reward_models.rescoring`).

    Args:
      change: mean utility after the moment less that before it, in units of reward, of each of the three.
      right_over_plausible, plausible_over_unrelated, right_over_unrelated: share of moments so ordered; in_order: of
        those in which all three are. by_kind: ``in_order`` and ``right_over_plausible`` by kind of task.
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
    """What one model makes of one group of episodes: the play of one solver (or of all) in one part of the data."""

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
        """E.g. "held-out play, agent:clone"."""
        return f"{PART_WORDS[self.part]}, {self.solver}"


@dataclass(frozen=True)
class ModelFindings:
    """One reward model in all groups. ``known_division``: whether its run says what it learned from."""

    name: str
    kind: str
    folder: str
    known_division: bool
    groups: tuple[GroupFindings, ...]

    def group(self, part: str, solver: str) -> GroupFindings | None:
        """The findings of one group; None if there is no such play."""
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
    """Everything. ``remarks`` are sentences about what could not be measured, or is not certain."""

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


def load_diagnosis(folder: Path) -> Diagnosis:
    """What :func:`save_diagnosis` wrote. Raises UserError if it is missing, damaged or of another version."""
    path = folder / DIAGNOSIS_FILE
    try:
        return from_json(Diagnosis, json_text.from_json(path.read_text(encoding="utf-8")))
    except (FileNotFoundError, NotADirectoryError):
        raise UserError(f"{path} does not exist; `rlhf diagnose` writes it") from None
    except (ValueError, BadRecord) as error:
        raise UserError(f"{path} is damaged ({error}); run `rlhf diagnose` again") from None
