"""The loop of every training: when it logs, evaluates, ends and keeps, and that it resumes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
import torch

from rlhf.learning.config import Schedule
from rlhf.learning.training import Training, crosses

SCHEDULE = Schedule(updates=6, log_every=100, evaluate_every=2)


class Counter:
    """Learns to count, ``step`` at a time; its evaluations score as ``scores`` say."""

    counted: Mapping[str, float] = {"steps_per_second": 3.0}

    def __init__(self, scores: Mapping[int, float] | None = None, step: int = 1) -> None:
        self.model, self.done = torch.nn.Linear(1, 1, bias=False), 0
        self.scores, self.step = scores or {}, step
        self.progress: list[float] = []

    def update(self, progress: float) -> dict[str, float]:
        self.progress.append(progress)
        self.done += self.step
        torch.nn.init.constant_(self.model.weight, self.done)
        return {"count": self.done}

    def evaluate(self) -> dict[str, float]:
        return {"score": self.scores[self.done]} if self.done in self.scores else {"seen": 1.0}

    def score(self, metrics: Mapping[str, float]) -> float | None:
        return metrics.get("score")

    def note(self, metrics: Mapping[str, float]) -> str:
        return ""

    def state_dict(self) -> dict[str, Any]:
        return {"done": self.done}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.done = state["done"]

    @property
    def weight(self) -> int:
        return int(self.model.weight.item())


@pytest.mark.parametrize(
    ("schedule", "step", "logged", "evaluated"),
    [
        (dict(updates=5, log_every=2, evaluate_every=4), 1, [2, 4, 5], [4, 5]),  # and at the end
        (dict(updates=4, log_every=1, evaluate_every=2), 1, [1, 2, 3, 4], [2, 4]),
        (dict(updates=3, log_every=9, evaluate_every=9), 1, [3], [3]),
        (dict(updates=100, log_every=50, evaluate_every=40), 30, [60, 90, 120], [60, 90, 120]),  # in steps of 30 frames
    ],
)
def test_updates_are_logged_and_evaluated_in_time(
    schedule: dict[str, int], step: int, logged: list[int], evaluated: list[int]
) -> None:
    trained = Counter(step=step)
    reports = list(Training(trained, Schedule(**schedule)).updates())
    assert [report.done for report in reports if report.logged] == logged
    assert [report.done for report in reports if "seen" in report.metrics] == evaluated
    assert [report.ends for report in reports] == [False] * (len(reports) - 1) + [True]
    assert trained.progress == [index * step / schedule["updates"] for index in range(len(reports))]
    assert all(report.metrics["steps_per_second"] > 0 for report in reports)


@pytest.mark.parametrize(
    ("scores", "settings", "done", "best", "weight"),
    [
        ({2: 1.0, 4: 3.0, 6: 2.0}, dict(), 6, 4, 6),
        ({2: 1.0, 4: 3.0, 6: 2.0}, dict(keep="best"), 6, 4, 4),
        ({2: 3.0, 4: 3.0, 6: 3.0}, dict(keep="best"), 6, 2, 2),  # the first of equals
        ({2: 3.0, 4: 1.0, 6: 4.0}, dict(patience=1), 4, 2, 4),
        ({2: 3.0, 4: 1.0, 6: 4.0}, dict(patience=1, keep="best"), 4, 2, 2),
        ({2: 3.0, 4: 1.0, 6: 4.0}, dict(patience=2, keep="best"), 6, 6, 6),
        ({4: 3.0}, dict(patience=1), 6, 4, 6),  # evaluations without a score are none
    ],
)
def test_patience_ends_it_and_the_best_is_kept_also_if_it_is_resumed(
    scores: dict[int, float], settings: dict[str, Any], done: int, best: int, weight: int
) -> None:
    schedule = replace(SCHEDULE, **settings)
    trained = Counter(scores)
    whole = Training(trained, schedule)
    reports = list(whole.updates())
    whole.keep_best()
    assert (whole.done, whole.best.update, trained.weight) == (done, best, weight)
    assert {report.done: report.score for report in reports if report.score is not None} == {
        update: score for update, score in scores.items() if update <= done
    }
    kept = weight if "keep" in settings else max(update for update in (2, 4, 6) if update <= done)
    assert whole.kept["update"] == kept and whole.finished
    for stop in range(1, done + 1):
        first = Training(trained := Counter(scores), schedule)
        _take(first.updates(), stop)
        again = Counter(scores)
        again.model.load_state_dict(trained.model.state_dict())
        resumed = Training(again, schedule)
        resumed.load_state_dict(first.state_dict())
        resumed.run()
        assert (resumed.done, resumed.best.update, again.weight) == (done, best, weight), stop
        assert resumed.kept == whole.kept


@pytest.mark.parametrize(("start", "best"), [(4.0, 0), (2.0, 4), (None, 4)])
def test_the_start_may_be_the_best(start: float | None, best: int) -> None:
    trained = Counter({0: start, 2: 1.0, 4: 3.0, 6: 2.0} if start else {2: 1.0, 4: 3.0, 6: 2.0})
    training = Training(trained, replace(SCHEDULE, keep="best", patience=9))
    torch.nn.init.zeros_(trained.model.weight)
    training.compare(trained.evaluate())
    training.run()
    assert (training.done, training.best.update, trained.weight) == (6, best, best)


def test_lost_patience_ends_it_with_the_best_also_if_it_is_resumed() -> None:
    scores = {2: 1.0, 4: 3.0, 6: 2.0}
    training = Training(trained := Counter(scores), replace(SCHEDULE, keep="best", patience=9))
    _take(training.updates(), 3)
    training.lose_patience()
    assert training.finished and list(training.updates()) == []
    resumed = Training(again := Counter(scores), training.schedule)
    again.model.load_state_dict(trained.model.state_dict())
    resumed.load_state_dict(training.state_dict())
    assert resumed.finished
    for one in (training, resumed):
        one.keep_best()
    assert trained.weight == again.weight == 2
    patient = Training(Counter(scores), SCHEDULE)
    patient.lose_patience()
    assert not patient.finished, "without patience there is none to lose"


def test_weights_that_were_not_kept_are_not_the_best_of_a_run_resumed_with_patience() -> None:
    scores = {2: 3.0, 4: 1.0, 6: 2.0}
    first = Training(trained := Counter(scores), SCHEDULE)
    _take(first.updates(), 3)
    resumed = Training(again := Counter(scores), replace(SCHEDULE, keep="best"))
    again.model.load_state_dict(trained.model.state_dict())
    resumed.load_state_dict(first.state_dict())
    resumed.run()
    assert (resumed.best.update, again.weight) == (6, 6)


def test_time_ends_it_and_counts_as_progress() -> None:
    trained = Counter()
    training = Training(trained, Schedule(updates=10**9, max_seconds=0.05, evaluate_every=10**9))
    training.run()
    assert 0 < training.done < 10**6 and training.finished
    assert trained.progress == sorted(trained.progress) and trained.progress[-1] < 1.0
    resumed = Training(again := Counter(), training.schedule)
    resumed.load_state_dict(training.state_dict())
    assert resumed.finished and again.done == 0  # what is finished is not loaded


def test_what_ended_before_its_first_evaluation_is_evaluated_to_be_kept() -> None:
    training = Training(trained := Counter({1: 2.0}), replace(SCHEDULE, keep="best"))
    _take(training.updates(), 1)
    training.keep_best()
    assert trained.weight == training.best.update == 1


@pytest.mark.parametrize(
    ("before", "now", "every", "crossed"), [(0, 1, 2, False), (1, 2, 2, True), (2, 3, 2, False), (9, 31, 10, True)]
)
def test_multiples_are_crossed(before: int, now: int, every: int, crossed: bool) -> None:
    assert crosses(before, now, every) == crossed


def _take(reports: Iterator[Any], count: int) -> None:
    for _ in range(count):
        next(reports)
