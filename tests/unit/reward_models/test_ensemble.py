"""Several reward models as one: combined utilities against models scored one by one, and means of weights."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from agents.agent import InteractiveAgent
from reward_models.autoregressive import AutoregressiveRewardModel
from reward_models.contract import RewardModel
from reward_models.ensemble import EnsembleConfig, EnsembleRewardModel, average_weights, combined_model
from reward_models.inter_temporal import InterTemporalRewardModel, ibt_loss
from reward_models.learning.training import RewardTrainingConfig
from reward_models.marks.augmentation import Augmentation
from reward_models.marks.marked_play import MarkedPlay, MarkedStream
from reward_models.scores.scoring import MeanScorer, StreamingScorer, score
from rlhf.data.memory import MemoryDataset
from worlds.errors import UserError


@pytest.fixture
def play(lamp_play) -> MarkedPlay:
    return lamp_play(range(8))


@pytest.fixture
def models(agent: InteractiveAgent) -> list[InterTemporalRewardModel]:
    """Three models of other weights and scales."""
    made = []
    for number, scale in enumerate((0.5, 1.0, 3.0)):
        torch.manual_seed(number)
        model = InterTemporalRewardModel.from_agent(agent, seed=number)
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.add_(0.05 * torch.randn_like(parameter))
        model.config.reward_scale = scale
        made.append(model.eval())
    return made


def gains(models: list[InterTemporalRewardModel], play: MemoryDataset) -> list[np.ndarray]:
    """What every model alone says was gained since each episode began: [K, T] of each episode, in NumPy."""
    alone = [score(model, play) for model in models]
    return [
        np.stack([m.config.reward_scale * (u.astype(np.float64) - u[0]) for m, u in zip(models, of, strict=True)])
        for of in zip(*alone, strict=True)
    ]


@pytest.mark.parametrize("combined_by", ["mean", "minimum", "mean_less_deviation"])
def test_utilities_are_combined_as_those_of_single_models(models, play: MarkedPlay, combined_by) -> None:
    ensemble = EnsembleRewardModel.of(models, combined_by, deviation_weight=0.7)
    found = score(ensemble, play.episodes)
    assert np.concatenate(found).std() > 0.01
    for utility, each in zip(found, gains(models, play.episodes), strict=True):
        expected = {
            "mean": each.mean(0),
            "minimum": each.min(0),
            "mean_less_deviation": each.mean(0) - 0.7 * np.sqrt(((each - each.mean(0)) ** 2).mean(0)),
        }[combined_by]
        np.testing.assert_allclose(utility, expected, atol=1e-5)


def test_scorers_follow_it_from_step_to_step_and_resume_within_an_episode(models, play: MarkedPlay) -> None:
    rows = np.arange(12)[:, None]
    resets = play.episodes.first[rows]

    def rewarded(scorer: Any, begin: int = 0, end: int = 12) -> np.ndarray:
        return scorer.rewards(play.episodes.gather(rows[begin:end])[0], resets[begin:end])

    mean = MeanScorer([StreamingScorer(model, 1) for model in models])
    ensemble = StreamingScorer(EnsembleRewardModel.of(models, "mean"), 1)
    np.testing.assert_allclose(rewarded(ensemble), rewarded(mean), atol=1e-5)
    whole, first, second = (StreamingScorer(EnsembleRewardModel.of(models, "minimum"), 1) for _ in range(3))
    begun = rewarded(first, 0, 5)
    second.load_state_dict(first.state_dict())
    np.testing.assert_allclose(np.concatenate([begun, rewarded(second, 5)]), rewarded(whole), atol=1e-6)


def test_members_learn_as_they_would_alone(models, play: MarkedPlay) -> None:
    ensemble = EnsembleRewardModel.of(models, "mean_less_deviation")
    window = MarkedStream(play, 10, 4, 0, Augmentation(0.3)).next_marked()
    config = RewardTrainingConfig()
    output, _ = ensemble.follow(window, ensemble.initial_state(4))
    alone = []
    for model in models:
        utility, _ = model.utilities(window.observations, model.initial_state(4), window.resets)
        alone.append(ibt_loss(utility, window.marks, window.resets))
    torch.testing.assert_close(ensemble.marks_loss(output, window, config), torch.stack(alone).mean())


def test_an_ensemble_is_trained_and_begun_again_with_its_members(trainer) -> None:
    config = RewardTrainingConfig(steps=10, batch=4, warmup=1, unmarked_drift_weight=1.0, evaluation_episodes=4)
    begun = trainer(config, EnsembleRewardModel)
    assert len(begun.model.others) == 1
    before = {name: value.clone() for name, value in begun.model.state_dict().items()}
    metrics = begun.update(0.0)
    assert all(np.isfinite(value) for value in metrics.values()) and "reward_model/ensemble" in metrics
    begun.update(0.5)
    learned = begun.model.state_dict()
    moved = {name.split(".")[0] for name, value in learned.items() if not torch.equal(value, before[name])}
    assert {"trunk", "utility", "others"} <= moved
    again = EnsembleRewardModel.from_agent(begun.model).state_dict()
    assert all(torch.equal(again[name], value) for name, value in learned.items())
    with pytest.raises(UserError, match="the reward model ensemble learns from marks only"):
        trainer(replace(config, cut_weight=1.0), EnsembleRewardModel)


def test_weights_are_averaged(models, play: MarkedPlay) -> None:
    found = average_weights(models)
    assert type(found) is InterTemporalRewardModel
    states = [model.state_dict() for model in models]
    for name, value in found.state_dict().items():
        expected = sum(state[name].double() for state in states) / 3
        torch.testing.assert_close(value.double(), expected, atol=1e-6, rtol=1e-5)
    assert found.config.reward_scale == pytest.approx(3 / (1 / 0.5 + 1 / 1.0 + 1 / 3.0))
    twin = average_weights([models[0], copy.deepcopy(models[0])])
    for one, two in zip(score(twin, play.episodes), score(models[0], play.episodes), strict=True):
        np.testing.assert_array_equal(one, two)
    assert combined_model(models, "weights").config.reward_scale == found.config.reward_scale


def test_models_that_do_not_fit_are_refused(agent: InteractiveAgent, models) -> None:
    wider = InterTemporalRewardModel.from_agent(agent, utility_width=32)
    predicting: list[RewardModel] = [AutoregressiveRewardModel.from_agent(agent, seed=seed) for seed in (0, 1)]
    for others, complaint in (
        ([models[0]], "two reward models"),
        ([models[0], wider], "another kind or size"),
        ([models[0], predicting[0]], "another kind or size"),
        (predicting, "only inter-temporal"),
    ):
        with pytest.raises(UserError, match=complaint):
            EnsembleRewardModel.of(others)
    assert isinstance(average_weights(predicting), AutoregressiveRewardModel)
    with pytest.raises(ValueError, match="combined_by is one of"):
        EnsembleConfig(combined_by="median")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="two members"):
        EnsembleConfig(members=2, member_scales=[1.0])
