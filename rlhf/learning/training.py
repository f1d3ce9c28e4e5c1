"""The loop of every training: updates, evaluations, the best so far, patience and limits of time.

It knows no files: :mod:`pipelines.stages.training` adds a run's folder, checkpoints and metrics.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from torch import Tensor, nn

from rlhf.learning.config import Schedule


class Trainable(Protocol):
    """What a training trains. Its state and its model's weights are all that resuming needs."""

    @property
    def model(self) -> nn.Module: ...

    @property
    def done(self) -> int:
        """Updates made so far, or frames, or whatever else the schedule counts."""
        ...

    @property
    def counted(self) -> Mapping[str, float]:
        """Metrics that say how many of something go by in a second: how many an update has, by name."""
        ...

    def update(self, progress: float) -> dict[str, float]:
        """Learn and return metrics. ``progress`` of the whole training is from 0 to 1."""
        ...

    def evaluate(self) -> dict[str, float]:
        """Return metrics of the model on play that it is not trained on; none if there is no such play."""
        ...

    def score(self, metrics: Mapping[str, float]) -> float | None:
        """Score, the higher the better, by the metrics of an evaluation; None if they have none."""
        ...

    def note(self, metrics: Mapping[str, float]) -> str:
        """Return a few words on an update, shown beside the progress."""
        ...

    def state_dict(self) -> dict[str, Any]: ...

    def load_state_dict(self, state: dict[str, Any]) -> None: ...


@dataclass(frozen=True)
class Report:
    """One update.

    Args:
      score: score of the evaluation; None without one.
    """

    done: int
    metrics: dict[str, float]
    logged: bool
    score: float | None
    best: bool
    ends: bool


@dataclass
class Best:
    """The best evaluation so far. ``since``: evaluations after it; ``weights``: empty unless they are to be kept."""

    update: int = 0
    score: float = -math.inf
    since: int = 0
    weights: dict[str, Tensor] = field(default_factory=dict)


class Training:
    """A training, which may end and be resumed after every update. ``state_dict`` resumes bit-exactly."""

    def __init__(self, trained: Trainable, schedule: Schedule) -> None:
        self.trained, self.schedule = trained, schedule
        self.done = trained.done
        self.seconds = 0.0  # spent on training so far, over all resumptions
        self.best = Best()
        self.kept: dict[str, float] = {}  # metrics of the evaluation of the weights that are kept, and their "update"

    @property
    def progress(self) -> float:
        """Progress by updates or by time, whichever is further; 1 or more is the end."""
        limit = self.schedule.max_seconds
        return max(self.done / self.schedule.updates, self.seconds / limit if limit is not None else 0.0)

    @property
    def finished(self) -> bool:
        """True if no update is left, or the last ``patience`` evaluations brought no improvement."""
        patience = self.schedule.patience
        return self.progress >= 1.0 or (patience is not None and self.best.since >= patience)

    def updates(self) -> Iterator[Report]:
        """Make the remaining updates, and yield a report of each. The loop may be left after any of them."""
        began, before, made = time.monotonic(), self.seconds, 0
        while not self.finished:
            last, made = self.done, made + 1
            metrics, score, best = self.trained.update(self.progress), None, False
            self.done = self.trained.done
            self.seconds = before + time.monotonic() - began
            evaluated = self.finished or crosses(last, self.done, self.schedule.evaluate_every)
            if evaluated:
                measured = self.trained.evaluate()
                score, best = self.compare(measured)
                metrics |= measured
            pace = made / max(self.seconds - before, 1e-9)
            metrics |= {name: count * pace for name, count in self.trained.counted.items()}
            logged = evaluated or crosses(last, self.done, self.schedule.log_every)
            yield Report(self.done, metrics, logged, score, best, self.finished)

    def run(self) -> None:
        """Make the remaining updates, and leave the kept weights in the model."""
        for _ in self.updates():
            pass
        self.keep_best()

    def keep_best(self) -> None:
        """Give the model the best weights, if the schedule keeps them and not the last ones."""
        if self.schedule.keep != "best":
            return
        if not self.best.weights:  # it was ended by other settings before the first evaluation
            self.compare(self.trained.evaluate())
        self.trained.model.load_state_dict(self.best.weights)

    def compare(self, metrics: dict[str, float]) -> tuple[float | None, bool]:
        """Return the score of an evaluation, and whether it is the best so far, which is remembered then.

        A stage that evaluates the model before its first update passes that here: the start may be the best.
        """
        score = self.trained.score(metrics)
        better = score is not None and score > self.best.score
        if better or self.schedule.keep == "last":
            self.kept = {"update": float(self.done)} | metrics
        if score is None or not better:
            self.best.since += score is not None
            return score, False
        weights: dict[str, Tensor] = {}
        if self.schedule.keep == "best":
            weights = {name: value.detach().clone() for name, value in self.trained.model.state_dict().items()}
        self.best = Best(self.done, float(score), 0, weights)
        return score, True

    def lose_patience(self) -> None:
        """End a training with patience as if its last evaluations had brought no improvement."""
        self.best.since = max(self.best.since, self.schedule.patience or 0)

    def state_dict(self) -> dict[str, Any]:
        """Return the state of the training: all but the model's weights."""
        return {
            "trained": self.trained.state_dict(),
            "done": self.done,
            "seconds": self.seconds,
            "best": dict(vars(self.best)),
            "kept": dict(self.kept),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Resume from what :meth:`state_dict` returned; the model must have its weights already.

        Of a training that is finished only what is kept is loaded.

        Raises:
          UserError: if it is of other recorded play.
        """
        self.done, self.seconds = int(state["done"]), float(state["seconds"])
        self.best, self.kept = Best(**state["best"]), dict(state["kept"])
        if self.schedule.keep == "best" and not self.best.weights:
            self.best = Best()  # its weights were not kept until now
        if not self.finished:
            self.trained.load_state_dict(state["trained"])


def crosses(before: int, now: int, every: int) -> bool:
    """Return whether a multiple of ``every`` lies above ``before`` and not above ``now``."""
    return now // every > before // every
