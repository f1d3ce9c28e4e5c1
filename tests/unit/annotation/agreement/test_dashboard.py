"""The dashboard's numbers against computations of their own."""

from __future__ import annotations

import json

import numpy as np
import pytest

from annotation.agreement.dashboard import measure, over_time
from annotation.agreement.estimates import with_interval
from annotation.agreement.gold import QUALITY, TRAINING
from annotation.agreement.submission import Submission
from rlhf.records.marks import Mark


def work(rater: str, episode: str, *said: tuple[int, int], **more: object) -> Submission:
    marks = tuple(Mark(episode, rater, step, sign, scripted=False) for step, sign in said)
    return Submission(rater, episode, 75, marks, **more)  # type: ignore[arg-type]


WORKS = [
    work("ann", "e1", (10, 1), (30, -1), submitted=100.0, active_sec=60.0),
    work("bob", "e1", (12, 1), (31, 1), submitted=200.0, active_sec=30.0),
    work("ann", "e2", (5, 1), submitted=300.0, active_sec=90.0),
    work("bob", "e2", (8, 1), (50, 1), submitted=4000.0, active_sec=90.0),
    work("cid", "e3", (5, 1), submitted=5000.0),
]


def test_the_numbers_are_those_of_a_count_by_hand() -> None:
    found = measure(WORKS, {}, tolerance=4)
    assert (found["submissions"], found["marks"], found["shared"]) == (5, 8, 2)
    assert found["rates"] == [30.0, 30.0, 15.0, 30.0, 15.0] and found["minutes"] == [1.0, 0.5, 1.5, 1.5, 0.0]
    agreed = found["agreement"]
    # e1: (10, 12) same, (30, 31) opposite; e2: (5, 8) same, 50 bob's alone
    assert agreed["overall"]["value"] == 0.5 and agreed["whether"]["value"] == 0.75
    assert agreed["sign"]["value"] == pytest.approx(2 / 3, abs=1e-6)
    assert agreed["sign"]["chance"] == pytest.approx((5 / 6) ** 2 + (1 / 6) ** 2, abs=1e-6)  # one (-) of six marks
    (pair,) = agreed["pairs"]
    assert pair["raters"] == ["ann", "bob"] and pair["episodes"] == 2 and pair["whether"] == agreed["whether"]
    # units of 5 steps: e1 [1 1] [-1 1] quiet 10//5 + 15//5 + 40//5 = 13; e2 [1 1] [0 1] quiet 1 + 40//5 + 20//5 = 13
    table = [(1, 1), (-1, 1), (1, 1), (0, 1), *[(0, 0)] * 26]
    values = [value for unit in table for value in unit]
    observed = 2 / 30
    expected = 1 - sum(n * (n - 1) for n in (values.count(v) for v in (0, 1, -1))) / (60 * 59)
    assert agreed["alpha"]["value"] == pytest.approx(1 - observed / expected, abs=1e-6)
    json.dumps(found, allow_nan=False)


def test_rates_follow_the_clock_of_the_world() -> None:
    found = measure(WORKS, {}, tolerance=4, steps_per_second=7.5)
    assert found["rates"] == [60.0, 60.0, 30.0, 60.0, 30.0]
    assert found["raters"][0]["rate"] == 3 / 150 * 2250 and found["raters"][0]["rate_difference"]["value"] == -15.0


def test_bias_is_own_against_others_on_the_same_episodes() -> None:
    found = {rater["rater"]: rater for rater in measure(WORKS, {}, tolerance=4)["raters"]}
    ann, bob = found["ann"], found["bob"]
    assert ann["share"] == pytest.approx(2 / 3, abs=1e-6) and ann["share_others"] == 1.0 and bob["share"] == 1.0
    assert ann["rate"] == 3 / 150 * 1125 and ann["rate_difference"]["value"] == -7.5
    assert ann["lag"]["value"] == -2.0 and bob["lag"]["value"] == 2.0  # -2, -1, -3
    assert ann["lag"]["low"] <= -2.0 <= ann["lag"]["high"]
    assert found["cid"]["episodes"] == 0 and found["cid"]["share"] is None and found["cid"]["lag"]["value"] is None


def test_training_is_left_out_and_listed_apart() -> None:
    known = {"g1": (Mark("g1", "", 10, 1, False), Mark("g1", "", 40, -1, False))}
    works = [
        *WORKS, work("ann", "g1", (11, 1), gold=TRAINING), work("bob", "g1", (11, 1), (39, -1), (60, 1), gold=QUALITY),
        work("cid", "g1", gold=QUALITY),
    ]  # fmt: skip
    found = measure(works, known, tolerance=4)
    assert found["shared"] == 3  # e1, e2, and g1 by the two who were not training
    scores = {(score["rater"], score["purpose"]): score for score in found["gold"]}
    assert scores["ann", TRAINING]["precision"] == 1.0 and scores["ann", TRAINING]["recall"] == 0.5
    assert scores["bob", QUALITY]["f1"] == 0.8 and scores["bob", QUALITY]["recall"] == 1.0
    assert scores["cid", QUALITY]["precision"] is None and scores["cid", QUALITY]["f1"] == 0.0


def test_nothing_submitted_has_no_numbers() -> None:
    found = measure([], {}, tolerance=4)
    assert found["agreement"]["alpha"] == {"value": None, "low": None, "high": None} and found["raters"] == []
    assert found["over_time"]["bins"] == []


def test_time_goes_by_hours_and_then_by_days() -> None:
    by_hour = over_time(WORKS)
    assert by_hour["every_sec"] == 3600
    assert [(b["episodes"], b["marks"]) for b in by_hour["bins"]] == [(3, 5), (2, 3)]
    by_day = over_time([*WORKS, work("ann", "e9", (1, 1), submitted=10 * 86400.0)])
    assert by_day["every_sec"] == 86400 and len(by_day["bins"]) == 11 and by_day["bins"][-1]["marks"] == 1
    by_week = over_time([*WORKS, work("ann", "e9", (1, 1), submitted=200 * 86400.0)])
    assert by_week["every_sec"] == 7 * 86400 and sum(b["marks"] for b in by_week["bins"]) == 9


def test_the_interval_holds_what_it_promises() -> None:
    """The mean of 40 draws of a known mean is in the interval about 19 times in 20."""
    rng = np.random.default_rng(1)
    inside = 0
    for _ in range(200):
        rows = np.stack([rng.normal(3.0, 1.0, 40), np.ones(40)], axis=1)
        found = with_interval(rows, lambda sums: sums[..., 0] / sums[..., 1])
        low, high = found["low"], found["high"]
        assert low is not None and high is not None
        inside += low <= 3.0 <= high
    assert 180 <= inside <= 198
