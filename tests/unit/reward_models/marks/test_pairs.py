"""Pairs against their definition, written out one pair at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from reward_models.marks.pairs import (
    MINUS,
    PLUS,
    count_marks,
    episode_index,
    pair_agreement,
    pair_signs,
    pair_weights,
    stretch_index,
)
from rlhf.records.marks import Mark
from tests.unit.reward_models.given_marks import marks_at
from worlds.errors import UserError


@st.composite
def marked_sequences(draw) -> tuple[np.ndarray, np.ndarray]:
    """Marks uint8 [T, B, R, 2], few and far between, and resets bool [T, B]."""
    steps, batch, raters = draw(st.integers(1, 12)), draw(st.integers(1, 2)), draw(st.integers(1, 2))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    marks = (rng.random((steps, batch, raters, 2)) < draw(st.sampled_from([0.05, 0.2, 0.6]))).astype(np.uint8)
    marks *= rng.integers(1, 3, marks.shape, dtype=np.uint8)
    return marks, rng.random((steps, batch)) < draw(st.sampled_from([0.0, 0.15]))


def brute_force_sign(marks: np.ndarray, resets: np.ndarray, t1: int, t2: int, column: int, rater: int) -> int:
    """The paper's words, section 4: marks strictly after t1 and up to t2, all of one sign, in one episode."""
    if t2 <= t1 or any(resets[t, column] for t in range(t1 + 1, t2 + 1)):
        return 0
    plus = sum(int(marks[t, column, rater, PLUS]) for t in range(t1 + 1, t2 + 1))
    minus = sum(int(marks[t, column, rater, MINUS]) for t in range(t1 + 1, t2 + 1))
    if plus and not minus:
        return 1
    return -1 if minus and not plus else 0


@given(marked_sequences())
@settings(max_examples=150, deadline=None)
def test_every_pair_has_the_sign_of_its_definition(sequence: tuple[np.ndarray, np.ndarray]) -> None:
    marks, resets = sequence
    signs = pair_signs(torch.from_numpy(marks), episode_index(torch.from_numpy(resets)))
    for t1, t2, column, rater in np.ndindex(*signs.shape):
        assert signs[t1, t2, column, rater] == brute_force_sign(marks, resets, t1, t2, column, rater)


@given(marked_sequences())
@settings(max_examples=100, deadline=None)
def test_every_pair_of_stretches_weighs_one(sequence: tuple[np.ndarray, np.ndarray]) -> None:
    marks, resets = (torch.from_numpy(part) for part in sequence)
    episode = episode_index(resets)
    signs, weights = pair_signs(marks, episode), pair_weights(marks, episode, "stretches")
    assert torch.equal(weights.sign().to(torch.int8), signs)
    stretch = stretch_index(marks, episode)
    for column, rater in np.ndindex(*marks.shape[1:3]):
        groups: dict[tuple[int, int], float] = {}
        for t1, t2 in (signs[:, :, column, rater] != 0).nonzero().tolist():
            group = (int(stretch[t1, column, rater]), int(stretch[t2, column, rater]))
            groups[group] = groups.get(group, 0.0) + abs(float(weights[t1, t2, column, rater]))
        assert all(total == pytest.approx(1.0, abs=1e-5) for total in groups.values())


@given(marked_sequences(), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_agreement_equals_the_count_of_a_loop(sequence: tuple[np.ndarray, np.ndarray], seed: int) -> None:
    marks = sequence[0][:, 0]
    utility = np.random.default_rng(seed).integers(-2, 3, len(marks)).astype(np.float32)  # ties are common
    right, total = {1: 0.0, -1: 0.0}, {1: 0, -1: 0}
    no_resets = np.zeros((len(marks), 1), dtype=bool)
    for t1, t2, rater in np.ndindex(len(marks), len(marks), marks.shape[1]):
        sign = brute_force_sign(marks[:, None], no_resets, t1, t2, 0, rater)
        if sign:
            total[sign] += 1
            change = sign * float(utility[t2] - utility[t1])
            right[sign] += 1.0 if change > 0 else 0.5 if change == 0 else 0.0
    found = pair_agreement(utility, marks)
    assert (found.right_plus, found.plus, found.right_minus, found.minus) == (right[1], total[1], right[-1], total[-1])
    if total[1] + total[-1]:
        assert found.accuracy == pytest.approx((right[1] + right[-1]) / (total[1] + total[-1]))
    else:
        assert math.isnan(found.accuracy) and math.isnan(found.balanced_accuracy)


def test_pairs_of_known_order_are_left_out() -> None:
    """A (-) before the exchanged request measures the model itself, not its attention to the exchanged words."""
    own, altered = marks_at(60, plus=(50,), minus=(10,)), marks_at(60, minus=(10, 50))
    deaf = (np.arange(60) >= 50).astype(float) - (np.arange(60) >= 10)  # right about the marks as they were
    assert pair_agreement(deaf, altered).accuracy_minus == pytest.approx(0.5, abs=0.2)
    found = pair_agreement(deaf, altered, known=own)
    assert found.plus == 0
    assert found.minus == 50 * 10, "from before step 50 to the last ten, the (-) between them or not"
    assert found.right_minus == 0.5 * 10 * 10, "what rose by as much as it had fallen before is a tie"


def test_marks_are_counted_by_rater_and_sign() -> None:
    marks = [Mark("a", "bob", 3, 1, False), Mark("a", "ann", 0, -1, False), Mark("a", "bob", 3, 1, False)]
    counts = count_marks(marks, "a", 5)
    assert counts.shape == (5, 2, 2) and counts.sum() == 3
    assert counts[0, 0, MINUS] == 1 and counts[3, 1, PLUS] == 2
    assert count_marks([], "a", 5).shape == (5, 0, 2)
    with pytest.raises(UserError, match="a mark of episode b was given for episode a"):
        count_marks([Mark("b", "ann", 1, 1, False)], "a", 5)
