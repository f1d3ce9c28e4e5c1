"""Requests, their returns, and the area under the ROC curve, against scipy and loops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from reward_models.scores.predicted_marks import MarkedSteps
from reward_models.scores.request_outcomes import (
    RequestSpan,
    counts_by_episode,
    has_moment,
    modelled_return,
    pairwise_wins,
    request_spans,
)
from rlhf.records.episode import Episode, Request
from worlds.contract import TaskSpec


@pytest.fixture
def asked(make_play: Callable[..., Episode]) -> Callable[..., Episode]:
    """An episode of 20 steps with requests (step, task, success step or None)."""

    def make(*requests: tuple[int, str, int | None]) -> Episode:
        return replace(
            make_play("e", [""] * 20),
            requests=tuple(Request(step, TaskSpec(task, f"do {task}", {}, 9)) for step, task, _ in requests),
            success_step=tuple(success for *_, success in requests),
        )

    return make


def test_a_request_reaches_from_being_heard_to_the_next_being_heard(asked) -> None:
    first, second = request_spans(asked((0, "go", 5), (8, "lift", None)))
    assert (first, second) == (RequestSpan("go", True, 1, 9), RequestSpan("lift", False, 9, 20))
    utility = np.random.default_rng(0).normal(size=20)
    reward = np.diff(utility, prepend=utility[:1])
    assert modelled_return(reward, first) == pytest.approx(utility[8] - utility[1])
    assert modelled_return(reward, second) == pytest.approx(utility[19] - utility[9])


def test_late_marks_belong_to_the_request_before() -> None:
    span, moments = RequestSpan("go", True, 10, 20), MarkedSteps(np.array([11]), np.array([20]))
    assert has_moment(moments, span).tolist() == [True, False]
    assert has_moment(moments, span, late=1).tolist() == [False, True]
    assert has_moment(moments, replace(span, heard=0, end=10), late=2).tolist() == [True, False]


@pytest.mark.parametrize("seed", range(5))
def test_weighted_wins_are_the_area_under_the_curve_of_resampled_episodes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values, good = rng.normal(size=50).round(1), rng.random(50) < 0.4
    values[good] += 0.5
    episode = rng.integers(0, 12, 50)
    wins = pairwise_wins(values, good, episode, 12)
    goods, bads = counts_by_episode(good, episode, 12), counts_by_episode(~good, episode, 12)
    for weights in (np.ones(12), rng.multinomial(12, np.full(12, 1 / 12)).astype(float)):
        rows = np.repeat(np.arange(50), weights[episode].astype(int))  # the resampled requests, written out
        statistic = mannwhitneyu(values[rows][good[rows]], values[rows][~good[rows]]).statistic
        expected = statistic / good[rows].sum() / (~good[rows]).sum()
        assert weights @ wins @ weights / ((weights @ goods) * (weights @ bads)) == pytest.approx(expected)
