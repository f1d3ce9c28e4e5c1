"""Eq. 2 by hand, and the scale of rewards."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from agents.agent import InteractiveAgent
from reward_models.inter_temporal import InterTemporalRewardModel
from reward_models.marks.marked_play import MarkedPlay
from reward_models.marks.pairs import MINUS, PLUS
from reward_models.scores import scoring


@pytest.fixture
def nine(lamp_play) -> MarkedPlay:
    return lamp_play(range(9))


def sharpen(model: InterTemporalRewardModel, factor: float) -> None:
    """Multiply the differences of utility."""
    last = model.utility[-1]
    assert isinstance(last, torch.nn.Linear)
    with torch.no_grad():
        last.weight.mul_(factor)


def test_reward_is_the_change_of_utility() -> None:
    found = scoring.rewards(np.array([5.0, 5.5, 4.0, 4.0]))
    assert found.dtype == np.float32 and found.tolist() == [0.0, 0.5, -1.5, 0.0]
    assert scoring.rewards(np.array([1.0, 3.0]), scale=0.5).tolist() == [0.0, 1.0]
    assert scoring.rewards(np.array([7.0])).tolist() == [0.0]


def test_scoring_in_pieces_is_scoring_at_once(
    agent: InteractiveAgent, nine: MarkedPlay, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = InterTemporalRewardModel.from_agent(agent)
    at_once = scoring.score(model, nine.episodes)
    monkeypatch.setattr(scoring, "_STEPS_AT_ONCE", 3)
    for whole, pieces in zip(at_once, scoring.score(model, nine.episodes), strict=True):
        np.testing.assert_allclose(pieces, whole, atol=1e-6)


def test_a_plus_is_worth_the_mean_change_across_it() -> None:
    """(+) at 2, (-) at 4, (+) at 5 of 8 steps; the utility rises a little before the first."""
    utility = np.array([0.0, 1.0, 3.0, 3.0, 1.0, 2.0, 2.0, 5.0])
    marks = np.zeros((8, 1, 2), dtype=np.uint8)
    marks[[2, 5], 0, PLUS] = marks[4, 0, MINUS] = 1
    assert list(scoring._changes_at_plus(utility, marks)) == pytest.approx([2.5, 2.0])


def test_calibrated_rewards_make_a_plus_worth_one(agent: InteractiveAgent, nine: MarkedPlay) -> None:
    model = InterTemporalRewardModel.from_agent(agent)
    sharpen(model, 20.0)
    scale = scoring.calibrated_scale(model, nine)
    scored = zip(range(9), scoring.score(model, nine.episodes), strict=True)
    worth = [c for e, u in scored for c in scoring._changes_at_plus(scale * u, nine.marks_of(e))]
    assert np.mean(np.abs(worth)) == pytest.approx(1.0, rel=1e-4)
    unmarked = [e for e in range(9) if not nine.marks_of(e)[..., PLUS].any()]
    assert unmarked and scoring.calibrated_scale(model, nine, unmarked) == 1.0


def test_utility_rewards_step_by_step_equal_those_of_the_whole(agent: InteractiveAgent, nine: MarkedPlay) -> None:
    model = InterTemporalRewardModel.from_agent(agent)
    model.config.reward_scale = 2.0
    wanted = scoring.score(model, nine.episodes, [3, 8])
    rows = np.stack([np.arange(nine.episodes.starts[e], nine.episodes.starts[e] + 6) for e in (3, 8)], axis=1)
    scorer = scoring.UtilityScorer(model, 2)
    rewards = [
        scorer.rewards(nine.episodes.gather(part)[0], nine.episodes.first[part]) for part in (rows[:4], rows[4:])
    ]
    for column, utility in enumerate(wanted):
        expected = 2.0 * utility[:6]
        expected[0] = 0.0
        np.testing.assert_allclose(np.concatenate(rewards)[:, column], expected, atol=1e-5)
    with pytest.raises(ValueError, match="steps of every slot"):
        scorer.rewards(nine.episodes.gather(rows)[0], nine.episodes.first[rows][:, :1])
