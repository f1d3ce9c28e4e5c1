"""The scripted rater's noise is what its settings say; agreement gives hand-computed values."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.agreement.krippendorff import krippendorff_alpha
from annotation.agreement.measures import (
    Agreement,
    match_marks,
    pairwise_agreement,
)
from annotation.scripted_rater import ScriptedRater
from rlhf.records.marks import Mark
from worlds.contract import Event

FAITHFUL = ScriptedRater(delay=(0.0, 0.0), miss=0.0, mistake=0.0, spurious=0.0)


def marks(*moments: tuple[int, int], rater: str = "a") -> list[Mark]:
    return [Mark("e", rater, step, sign, scripted=True) for step, sign in moments]


def test_a_faithful_rater_marks_every_event_at_its_step():
    events = [Event(30, 1, "lifts"), Event(4, -1, "grabs the wrong thing")]
    assert [(m.step, m.sign) for m in FAITHFUL.mark("e", 100, events)] == [(4, -1), (30, 1)]


def test_marks_are_labelled_scripted_and_carry_rater_and_episode():
    (mark,) = FAITHFUL.mark("e7", 10, [Event(3, 1, "arrives")])
    assert (mark.episode_id, mark.rater, mark.scripted) == ("e7", "scripted-rater", True)


def test_misses_mistakes_and_spurious_marks_have_their_rates():
    events = [Event(step, 1, "x") for step in range(0, 40_000, 10)]
    missing = ScriptedRater(miss=0.1, mistake=0.0, spurious=0.0).mark("e", 40_000, events)
    assert len(missing) / len(events) == pytest.approx(0.9, abs=0.02)
    mistaken = ScriptedRater(miss=0.0, mistake=0.05, spurious=0.0).mark("e", 40_000, events)
    assert np.mean([m.sign < 0 for m in mistaken]) == pytest.approx(0.05, abs=0.015)
    spurious = ScriptedRater(spurious=0.01).mark("e", 40_000, [])
    assert len(spurious) == pytest.approx(400, abs=80)
    assert np.mean([m.sign > 0 for m in spurious]) == pytest.approx(0.5, abs=0.1)


def test_marks_land_zero_to_three_steps_after_their_event():
    events = [Event(step, 1, "x") for step in range(0, 4_000, 10)]
    delays = [m.step % 10 for m in ScriptedRater(miss=0.0, spurious=0.0).mark("e", 5_000, events)]
    assert set(delays) == {0, 1, 2, 3}
    assert np.mean(delays) == pytest.approx(1.0, abs=0.15)


def test_marks_stay_within_the_episode_and_in_the_order_of_events():
    rater = ScriptedRater(delay=(3.0, 0.0), miss=0.0, mistake=0.0, spurious=0.0)
    events = [Event(8, -1, "drops"), Event(9, 1, "lifts"), Event(10, 1, "after the last picture")]
    given_marks = rater.mark("e", 10, events)
    assert [(m.step, m.sign) for m in given_marks] == [(9, -1), (9, 1)]
    wobbly = ScriptedRater(delay=(1.5, 3.0), miss=0.0, mistake=0.0, spurious=0.0)
    signs = [1, -1] * 200
    in_order = wobbly.mark("e", 1_000, [Event(i, sign, "x") for i, sign in enumerate(signs)])
    assert [m.sign for m in in_order] == signs


def test_marking_is_deterministic_but_differs_by_episode_rater_and_seed():
    events = [Event(step, 1, "x") for step in range(0, 300, 5)]

    def steps(rater: ScriptedRater, episode: str) -> list[int]:
        return [m.step for m in rater.mark(episode, 300, events)]

    base = steps(ScriptedRater(), "e")
    assert base == steps(ScriptedRater(), "e")
    assert base != steps(ScriptedRater(), "f")
    assert base != steps(ScriptedRater(name="other"), "e")
    assert base != steps(ScriptedRater(seed=1), "e")


@pytest.mark.parametrize("wrong", [{"miss": 1.5}, {"mistake": -0.1}, {"spurious": 2.0}, {"delay": (-1.0, 0.0)}])
def test_impossible_settings_are_refused(wrong):
    with pytest.raises(ValueError, match="rater's"):
        ScriptedRater(**wrong)


def test_matching_by_hand():
    first = marks((10, 1), (20, -1), (50, 1))
    second = marks((12, 1), (19, 1), (90, 1), rater="b")
    pairs = match_marks(first, second, tolerance=3)
    assert [(a.step, b.step) for a, b in pairs] == [(10, 12), (20, 19)]
    assert pairwise_agreement(first, second, 3) == Agreement(same_sign=1, opposite_sign=1, only_first=1, only_second=1)
    assert pairwise_agreement(first, second, 3).overall == 1 / 4
    assert pairwise_agreement(first, second, 3).of_moments == 2 / 4
    assert pairwise_agreement(first, second, 3).of_signs == 1 / 2


def test_matching_prefers_more_pairs_over_nearer_ones():
    # The nearest pair (10, 10) alone would leave 8 and 12 without partners.
    assert len(match_marks(marks((8, 1), (10, 1)), marks((10, 1), (12, 1), rater="b"), 2)) == 2


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 12), st.sampled_from([1, -1])), max_size=4),
    st.lists(st.tuples(st.integers(0, 12), st.sampled_from([1, -1])), max_size=4),
    st.integers(0, 4),
)
def test_number_of_matches_is_the_best_there_is(first, second, tolerance):
    """Against exhaustive search over all one-to-one pairings."""
    best = 0
    for size in range(min(len(first), len(second)) + 1):
        for left in combinations(first, size):
            for right in permutations(second, size):
                if all(abs(a[0] - b[0]) <= tolerance for a, b in zip(left, right, strict=True)):
                    best = max(best, size)
    assert len(match_marks(marks(*first), marks(*second, rater="b"), tolerance)) == best


def test_marks_of_two_episodes_cannot_be_compared():
    with pytest.raises(ValueError, match="one episode"):
        match_marks(marks((1, 1)), [Mark("other", "b", 1, 1, scripted=True)], 3)


def test_alpha_of_krippendorffs_own_example():
    """The four observers and twelve units of Krippendorff (2011), for which he gives 0.743."""
    n = np.nan
    labels = np.array(
        [
            [1, 2, 3, 3, 2, 1, 4, 1, 2, n, n, n],
            [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, n, 3],
            [n, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, n],
            [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, n],
        ]
    )
    assert krippendorff_alpha(labels) == pytest.approx(0.743, abs=5e-4)


def test_alpha_by_hand():
    # Two raters, four units: three agree (+, +, -), one does not. Observed disagreement 1/4;
    # totals: + 5, - 3, so expected disagreement 1 - (5*4 + 3*2) / (8*7) = 30/56; alpha = 1 - (1/4) / (30/56) = 8/15.
    assert krippendorff_alpha(np.array([[1, 1, -1, 1], [1, 1, -1, -1]])) == pytest.approx(8 / 15)
    assert krippendorff_alpha(np.array([[1, 0, -1], [1, 0, -1]])) == pytest.approx(1.0)
    assert np.isnan(krippendorff_alpha(np.array([[1, np.nan], [np.nan, 1]])))
    assert np.isnan(krippendorff_alpha(np.zeros((2, 3))))
    chance = np.random.default_rng(0).integers(0, 3, (2, 20_000))
    assert krippendorff_alpha(chance) == pytest.approx(0.0, abs=0.03)
