"""Reward models learn from preferences, beside marks or instead of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reward_models.autoregressive import AutoregressiveRewardModel
from reward_models.learning.training import RewardTrainingConfig, train_reward_model
from reward_models.marks.marked_play import MarkedPlay
from reward_models.preferences.config import PreferenceConfig
from reward_models.preferences.examples import preference_examples
from reward_models.preferences.losses import measured_difference
from reward_models.scores.scoring import score
from tests.unit.reward_models.lamp_preferences import ALL_KINDS, clip_pairs, everything, true_utility
from worlds.errors import UserError

QUICK = RewardTrainingConfig(
    updates=80, steps=20, batch=4, learning_rate=3e-3, warmup=10, evaluate_every=20, css_weight=0.1, bc_weight=0.1
)


def unmarked(play: MarkedPlay) -> MarkedPlay:
    return replace(play, marks=np.zeros_like(play.marks))


def test_utility_from_clip_pairs_alone_orders_held_out_pairs(agent, many: MarkedPlay, held_out: MarkedPlay) -> None:
    config = replace(QUICK, preferences=PreferenceConfig(clip_pairs=1.0, batch=16))
    judged = [*clip_pairs(many, 400, 0), *clip_pairs(held_out, 60, 1)]
    result = train_reward_model(agent, unmarked(many), unmarked(held_out), config, preferences=judged)
    assert result.metrics["reward_model_validation/clip_pairs_accuracy"] > 0.85
    assert "reward_model_validation/balanced_accuracy" not in result.metrics
    utilities = score(result.model, held_out.episodes)  # it also rises where the right lamp is lit, and else falls
    change = [utility[-1] - utility[1] for utility in utilities]
    truth = [true_utility(held_out, episode)[-1] for episode in range(len(held_out))]
    assert np.mean(np.sign(change) == np.sign(truth)) > 0.85


def test_each_kind_is_evaluated(trainer, many: MarkedPlay, held_out: MarkedPlay) -> None:
    begun = trainer(replace(QUICK, preferences=ALL_KINDS), judged=[*everything(many), *everything(held_out)])
    begun.model.eval()
    found = begun.evaluate()
    for kind in ALL_KINDS.weights:
        assert 0 <= found[f"reward_model_validation/{kind}_accuracy"] <= 1
        assert found[f"reward_model_validation/{kind}_loss"] > 0


def test_metrics_of_an_evaluation_are_those_of_whole_episodes(trainer, many: MarkedPlay, held_out: MarkedPlay) -> None:
    judged = [*clip_pairs(many, 20, 4), *clip_pairs(held_out, 30, 5)]
    config = replace(QUICK, preferences=PreferenceConfig(clip_pairs=1.0))
    begun = trainer(config, judged=judged)
    found = begun.evaluator.evaluate(begun.model)
    utility = np.concatenate(score(begun.model, held_out.episodes)).astype(np.float64)
    examples = preference_examples(judged[20:], held_out, config.preferences)["clip_pairs"]
    z, p = measured_difference(utility, examples), examples.better
    chance = 1 / (1 + np.exp(-z))
    assert found["clip_pairs_loss"] == pytest.approx(-(p * np.log(chance) + (1 - p) * np.log(1 - chance)).mean())
    assert found["clip_pairs_accuracy"] == np.mean(((z > 0) == (p > 0.5))[p != 0.5])
    right, total = begun.evaluator.preferences_right(begun.model)["clip_pairs"]
    assert right.sum() / total.sum() == pytest.approx(found["clip_pairs_accuracy"]) and total.sum() == (p != 0.5).sum()


def test_what_cannot_be_learned_from_is_refused(trainer, many: MarkedPlay, held_out: MarkedPlay) -> None:
    none = "no clip pairs of training episodes .*leave out --training.preferences.clip-pairs"
    few = clip_pairs(many, 5, 0)
    config = replace(QUICK, preferences=PreferenceConfig(clip_pairs=1.0))
    for message, others in (
        (none, {"judged": ()}),
        (none, {"judged": clip_pairs(held_out, 3, 0)}),
        ("none of the 40 .*usable mark or preference", {"judged": few, "validation": unmarked(held_out)}),
        ("AR learns from marks only; .*--kind inter_temporal", {"judged": few, "kind": AutoregressiveRewardModel}),
    ):
        with pytest.raises(UserError, match=message) as caught:
            trainer(config, **others)
        assert "\n" not in str(caught.value)
