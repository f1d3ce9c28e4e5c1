"""Reward models learn from preferences, beside marks or instead of them."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest
import torch

from agents.agent import InteractiveAgent
from reward_models.autoregressive import AutoregressiveRewardModel
from reward_models.contract import RewardModel
from reward_models.inter_temporal import InterTemporalRewardModel
from reward_models.learning.training import RewardTrainer, RewardTrainingConfig, train_reward_model
from reward_models.marks.marked_play import MarkedPlay
from reward_models.preferences.config import PreferenceConfig
from reward_models.preferences.examples import preference_examples
from reward_models.preferences.losses import measured_difference
from reward_models.scores.scoring import score
from rlhf.records.preferences import ClipPair, Preference, RequestVerdict, StretchScore, TakeOver
from worlds.errors import UserError

QUICK = RewardTrainingConfig(
    updates=80, steps=20, batch=4, learning_rate=3e-3, warmup=10, evaluate_every=20, css_weight=0.1, bc_weight=0.1
)


@pytest.fixture(scope="module")
def play(lamp_play) -> MarkedPlay:
    return lamp_play(range(150))


@pytest.fixture(scope="module")
def held_out(lamp_play) -> MarkedPlay:
    return lamp_play(range(1000, 1040))


def unmarked(play: MarkedPlay) -> MarkedPlay:
    return replace(play, marks=np.zeros_like(play.marks))


def true_utility(play: MarkedPlay, episode: int) -> np.ndarray:
    """1 from the step on at which the right lamp was lit, -1 from that of a wrong one, [T]."""
    marks = play.marks_of(episode).sum(axis=1)
    return np.cumsum(marks[:, 0].astype(int) - marks[:, 1].astype(int))


def clip_pairs(play: MarkedPlay, count: int, seed: int) -> list[ClipPair]:
    """Answers by the change of the true utility in each clip; both clips begin before any lamp is lit."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(count):
        names, ends, changes = [], [], []
        for episode in rng.choice(len(play), 2, replace=False).tolist():
            utility = true_utility(play, episode)
            end = int(rng.integers(10, len(utility) + 1))
            names.append(play.episode_ids[episode])
            ends.append(end)
            changes.append(int(utility[end - 1]))
        answer = "same" if changes[0] == changes[1] else "a" if changes[0] > changes[1] else "b"
        found.append(ClipPair(names[0], 1, ends[0], names[1], 1, ends[1], answer, "ann", 3.0, True))
    return found


def test_utility_from_clip_pairs_alone_orders_held_out_pairs(
    agent: InteractiveAgent, play: MarkedPlay, held_out: MarkedPlay
) -> None:
    settings = PreferenceConfig(clip_pairs=1.0, batch=16)
    judged = [*clip_pairs(play, 400, 0), *clip_pairs(held_out, 60, 1)]
    result = train_reward_model(
        agent, unmarked(play), unmarked(held_out), replace(QUICK, preferences=settings), preferences=judged
    )
    assert result.best["reward_model_validation/clip_pairs_accuracy"] > 0.85
    assert "reward_model_validation/balanced_accuracy" not in result.best
    utilities = score(result.model, held_out.episodes)  # it also rises where the right lamp is lit, and else falls
    change = [utility[-1] - utility[1] for utility in utilities]
    truth = [true_utility(held_out, episode)[-1] for episode in range(len(held_out))]
    assert np.mean(np.sign(change) == np.sign(truth)) > 0.85


def everything(play: MarkedPlay) -> list[Preference]:
    """A few of each kind, about every third episode."""
    found: list[Preference] = list(clip_pairs(play, 10, 3))
    for number in range(0, len(play), 3):
        name, steps = play.episode_ids[number], int(play.episodes.lengths[number])
        answer = "success" if true_utility(play, number)[-1] > 0 else "failure"
        found.append(RequestVerdict(name, 1, steps, answer, "ann", True))
        found.append(TakeOver(name, steps - 4, steps, "ann", True))
        found.append(StretchScore(name, 1, steps, float(number % 5), 0.0, 5.0, "ann", True))
    return found


ALL_KINDS = PreferenceConfig(clip_pairs=1.0, verdicts=0.5, take_overs=0.25, scores=2.0, batch=3)


def test_each_kind_is_a_term_of_the_loss_beside_marks(
    agent: InteractiveAgent, play: MarkedPlay, held_out: MarkedPlay
) -> None:
    config = replace(QUICK, preferences=ALL_KINDS)
    judged = [*everything(play), *everything(held_out)]
    trainer = RewardTrainer(InterTemporalRewardModel.from_agent(agent), play, held_out, config, judged)
    metrics = trainer.update(0.0)
    weights = {"ibt": 1.0, "movement": 0.1, "language": 0.5, "css": 0.1} | ALL_KINDS.weights
    expected = sum(weight * metrics[f"reward_model/{name}"] for name, weight in weights.items())
    assert metrics["reward_model/loss"] == pytest.approx(expected, rel=1e-5)
    trainer.model.eval()
    found = trainer.evaluate()
    for kind in ALL_KINDS.weights:
        assert 0 <= found[f"reward_model_validation/{kind}_accuracy"] <= 1
        assert found[f"reward_model_validation/{kind}_loss"] > 0


def test_metrics_of_an_evaluation_are_those_of_whole_episodes(
    agent: InteractiveAgent, play: MarkedPlay, held_out: MarkedPlay
) -> None:
    judged = [*clip_pairs(play, 20, 4), *clip_pairs(held_out, 30, 5)]
    config = replace(QUICK, preferences=PreferenceConfig(clip_pairs=1.0))
    trainer = RewardTrainer(InterTemporalRewardModel.from_agent(agent), play, held_out, config, judged)
    found = trainer.evaluator.evaluate(trainer.model)
    utility = np.concatenate(score(trainer.model, held_out.episodes)).astype(np.float64)
    examples = preference_examples(judged[20:], held_out, config.preferences)["clip_pairs"]
    z, p = measured_difference(utility, examples), examples.better
    chance = 1 / (1 + np.exp(-z))
    assert found["clip_pairs_loss"] == pytest.approx(-(p * np.log(chance) + (1 - p) * np.log(1 - chance)).mean())
    assert found["clip_pairs_accuracy"] == np.mean(((z > 0) == (p > 0.5))[p != 0.5])
    right, total = trainer.evaluator.preferences_right(trainer.model)["clip_pairs"]
    assert right.sum() / total.sum() == pytest.approx(found["clip_pairs_accuracy"]) and total.sum() == (p != 0.5).sum()


def test_a_training_with_preferences_resumes_bit_exactly(
    agent: InteractiveAgent, play: MarkedPlay, held_out: MarkedPlay
) -> None:
    config = replace(QUICK, updates=6, evaluate_every=2, evaluation_episodes=5, preferences=ALL_KINDS)
    judged, saved = [*everything(play), *everything(held_out)], []

    def begun() -> RewardTrainer:
        return RewardTrainer(InterTemporalRewardModel.from_agent(agent), play, held_out, config, judged)

    def save() -> None:
        buffer = io.BytesIO()
        torch.save({"model": trainer.model.state_dict(), "training": trainer.state_dict()}, buffer)
        buffer.seek(0)
        saved.append(torch.load(buffer, weights_only=True))

    trainer = begun()
    trainer.run(on_checkpoint=save)
    whole, again = trainer.finish(), begun()
    again.model.load_state_dict(saved[0]["model"])
    again.load_state_dict(saved[0]["training"])
    again.run()
    resumed = again.finish()
    assert resumed.history == whole.history and resumed.best_update == whole.best_update
    expected = whole.model.state_dict()
    assert all(torch.equal(value, expected[name]) for name, value in resumed.model.state_dict().items())


def test_what_cannot_be_learned_from_is_refused(
    agent: InteractiveAgent, play: MarkedPlay, held_out: MarkedPlay
) -> None:
    def refused(
        message: str,
        preferences: Iterable[Preference],
        validation: MarkedPlay = held_out,
        kind: type[RewardModel] = InterTemporalRewardModel,
    ) -> None:
        config = replace(QUICK, preferences=PreferenceConfig(clip_pairs=1.0))
        with pytest.raises(UserError, match=message) as caught:
            RewardTrainer(kind.from_agent(agent), play, validation, config, preferences)
        assert "\n" not in str(caught.value)

    refused(r"no clip pairs of training episodes .*leave out --training.preferences.clip-pairs", [])
    refused("no clip pairs of training episodes", clip_pairs(held_out, 3, 0))
    refused(
        "none of the 40 episodes set aside has a usable mark or preference", clip_pairs(play, 5, 0), unmarked(held_out)
    )
    refused(
        "AR learns from marks only; .*--kind inter_temporal", clip_pairs(play, 5, 0), kind=AutoregressiveRewardModel
    )
