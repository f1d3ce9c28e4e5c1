"""A training of more than an hour is announced after its first updates, with a smaller choice."""

from __future__ import annotations

import pytest

from pipelines.stages.running.duration import DurationCheck


def measured(seconds: float, updates: int, done: int = 0) -> DurationCheck:
    """A check that has seen four updates of ``seconds`` each, of ``updates`` in all."""
    now = [0.0]
    check = DurationCheck("--training.updates", done, done / updates, clock=lambda: now[0])
    for update in range(done + 1, done + 9):
        now[0] += seconds if update > done + 1 else 100 * seconds  # the first one is slow and does not count
        check.update(update, update / updates)
    return check


def test_more_than_an_hour_is_announced_once_with_what_fits(capsys: pytest.CaptureFixture[str]) -> None:
    measured(7.0, 20_000)
    (message,) = capsys.readouterr().err.splitlines()
    assert message == (
        "this takes about 38 h 52 min on this machine (7.0 s an update); for an hour of training set "
        "--training.updates 510, or --preset demo for a small one"
    )


def test_less_than_an_hour_is_not_announced(capsys: pytest.CaptureFixture[str]) -> None:
    measured(0.17, 20_000)
    measured(7.0, 20_000, done=19_900)  # a resumed run that is nearly finished
    assert capsys.readouterr().err == ""
