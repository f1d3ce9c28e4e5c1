"""Several raters of one episode: merged by majority, or weighed by how far they agree with others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from reward_models.autoregressive import ar_loss
from reward_models.inter_temporal import InterTemporalRewardModel, ibt_loss
from reward_models.learning.training import RewardTrainer, RewardTrainingConfig, reward_terms
from reward_models.marks.augmentation import Augmentation
from reward_models.marks.marked_play import MarkedPlay, MarkedStream, mark_play
from reward_models.marks.pairs import MINUS, PLUS
from reward_models.marks.raters import merge, trust, use_raters
from rlhf.records.marks import Mark
from tests.unit.reward_models.given_marks import marks_at

STEPS = 30


def sequence(*moments: int) -> np.ndarray:
    """One rater's marks [T, 2] at these steps; (-) where a step has the sign -."""
    plus, minus = ([abs(step) for step in moments if step * sign > 0] for sign in (1, -1))
    return marks_at(STEPS, plus, minus)[:, 0]


def moments(marks: np.ndarray) -> list[int]:
    """All steps of ``marks`` [T, 1, 2], with their signs."""
    return [int(t) if place == PLUS else -int(t) for t, _, place in np.argwhere(marks)]


@pytest.mark.parametrize(
    ("raters", "tolerance", "expected"),
    [
        # All three at 5, 6, 8; (-), (+), (-) at 12, 13, 12; 20 and 27 are of one rater each.
        ([sequence(5, -12, 20), sequence(6, 13, -27), sequence(8, -12)], 3, [6, -12]),
        ([sequence(5), sequence(8)], 3, [5]),
        ([sequence(5), sequence(8)], 2, []),  # farther apart, they are of two moments
    ],
)
def test_a_moment_counts_if_most_marked_it_with_the_sign_that_most_gave(raters, tolerance, expected) -> None:
    assert moments(merge(np.stack(raters, axis=1), tolerance)) == expected


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(0, 5))
def test_raters_with_equal_marks_are_one(seed: int, raters: int, tolerance: int) -> None:
    rng = np.random.default_rng(seed)
    steps = rng.choice(np.arange(1, STEPS), rng.integers(0, 8), replace=False)
    own = sequence(*(steps * rng.choice([-1, 1], len(steps))).tolist())
    merged = merge(np.stack([own] * raters, axis=1), tolerance)
    assert np.array_equal(merged[:, 0], own)


@pytest.fixture
def rated(make_play, tokenizer, tiny) -> MarkedPlay:
    """Ann and bob agree on episodes a and b, cat marks the opposite of both on a; only dan rated c; d is unmarked."""
    episodes = [make_play(name, ["is it on"] * STEPS) for name in "abcd"]
    marks = [Mark(e, r, step, 1, True) for e in "ab" for r in ("ann", "bob") for step in (4, 10, 20)]
    marks += [Mark("a", "cat", step, -1, True) for step in (4, 10)] + [Mark("c", "dan", 7, 1, True)]
    return mark_play(episodes, marks, tokenizer, tiny)


def test_raters_count_as_much_as_they_agree(rated: MarkedPlay) -> None:
    assert rated.raters == (("ann", "bob", "cat"), ("ann", "bob"), ("dan",), ())
    # Ann: with bob 3 of 3 on a and on b, with cat 0 of 3 (two opposite, one alone): 6 of 9. Cat: 0 of 6.
    weights = trust(rated, tolerance=2)
    mean = (6 * 6 / 9 + 6 * 6 / 9 + 2 * 0.0) / 14
    assert weights == pytest.approx({"ann": 6 / 9 / mean, "bob": 6 / 9 / mean, "cat": 0.0, "dan": 1.0})
    used = use_raters(rated, "agreement", 2)
    assert used.trust is not None and used.trust.shape == rated.marks.shape[:2] and used.marks is rated.marks
    assert used.trust[rated.rows(0)][7].tolist() == pytest.approx([weights[n] for n in ("ann", "bob", "cat")])
    assert used.trust[rated.rows(2)][0].tolist() == [1.0, 1.0, 1.0]
    majority = use_raters(rated, "majority", 2)
    assert majority.marks.shape == (len(rated.marks), 1, 2)
    assert [moments(majority.marks_of(e)) for e in range(4)] == [[4, 10, 20], [4, 10, 20], [7], []]


def test_pairs_of_a_rater_count_as_much_as_the_rater() -> None:
    """Two raters with opposite marks: with all trust in one, the other does not count."""
    marks = torch.zeros(4, 1, 2, 2, dtype=torch.uint8)
    marks[2, 0, 0, PLUS] = marks[2, 0, 1, MINUS] = 1
    utility, resets = torch.randn(4, 1, generator=torch.manual_seed(0)), torch.zeros(4, 1, dtype=torch.bool)
    alone = ibt_loss(utility, marks[:, :, :1], resets)
    only_first = torch.tensor([1.0, 0.0]).expand(4, 1, 2)
    assert ibt_loss(utility, marks, resets, trust=only_first).item() == pytest.approx(alone.item())
    little = torch.tensor([0.2, 0.0]).expand(4, 1, 2)
    assert ibt_loss(utility, marks, resets, trust=little).item() == pytest.approx(alone.item()), "a weighted mean"
    both = torch.ones(4, 1, 2)
    assert torch.equal(ibt_loss(utility, marks, resets, trust=both), ibt_loss(utility, marks, resets))
    logits, label = torch.randn(3, 1, 2, 3), torch.randint(3, (3, 1, 2))
    known = torch.ones(3, 1, 2)
    alone = ar_loss(logits[:, :, :1], label[:, :, :1], known[:, :, :1])
    assert ar_loss(logits, label, known * torch.tensor([1.0, 0.0])).item() == pytest.approx(alone.item())


@pytest.mark.parametrize("how", ["each", "agreement", "majority"])
def test_a_model_can_be_trained_with_any_of_them(agent, lamp_play, how) -> None:
    play: MarkedPlay = lamp_play(range(20))
    twice = replace(play, marks=np.repeat(play.marks, 2, axis=1), raters=(("ann", "bob"),) * len(play))
    config = RewardTrainingConfig(steps=20, batch=8, raters=how, augmentation=0.5)
    trainer = RewardTrainer(InterTemporalRewardModel.from_agent(agent), twice, play, config)
    window = trainer.stream.next_marked()
    assert window.marks.shape[2] == (1 if how == "majority" else 2) and (window.trust is None) == (how != "agreement")
    found, _ = reward_terms(trainer.model, window, trainer.memory, config)
    # Two raters who always agree teach what one of them does.
    single = MarkedStream(play, 20, 8, config.seed, Augmentation(0.5)).next_marked()
    expected, _ = reward_terms(trainer.model, single, trainer.memory, config)
    assert found["ibt"].item() == pytest.approx(expected["ibt"].item(), rel=1e-5)
