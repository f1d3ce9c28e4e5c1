"""The improvement indicator: off by default, without effect until it is learned, and "good" in play."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from agents.agent import InteractiveAgent, with_improvement_indicator
from agents.folder import load_agent, save_agent
from agents.networks.improvement import GOOD, NOT_GOOD, UNKNOWN, ImprovementIndicator
from agents.tokenizer import Tokenizer
from reward_models.inter_temporal import InterTemporalRewardModel
from tests.unit.agents import made_up_play

SIZES: dict[str, Any] = dict(
    image_size=(12, 12), vision_channels=(8,), vision_strides=(4,), vision_blocks=(1,), width=16, heads=2,
    memory_width=16, tick_width=8, value_width=8,
)  # fmt: skip

INDICATED: dict[str, Any] = SIZES | {"improvement_indicator": True}


def trained(agent: InteractiveAgent) -> InteractiveAgent:
    """The agent with an indicator that matters."""
    made = with_improvement_indicator(agent)
    assert made.improvement is not None
    with torch.no_grad():
        made.improvement.table.weight[1:] = torch.randn(2, 32, generator=torch.Generator().manual_seed(0))
    return made


@torch.no_grad()
def value(agent: InteractiveAgent, *indicator: int) -> torch.Tensor:
    """Log-probabilities of recorded actions [3, 2], with one indicator at all steps or without one."""
    observations, actions = made_up_play.batch(agent.config, 3, 2)
    resets = torch.zeros(3, 2, dtype=torch.bool)
    indicated = [torch.full((3, 2), one) for one in indicator]
    output, _ = agent(observations, agent.initial_state(2), resets, *indicated)
    log_probs = agent.log_probs(output, actions)
    return log_probs.movement + log_probs.language


def test_agents_have_none_unless_they_are_asked_to() -> None:
    plain, other = made_up_play.agent(**SIZES), made_up_play.agent(**INDICATED)
    extra = other.state_dict().keys() - plain.state_dict().keys()
    assert extra == {"improvement.table.weight"}
    with pytest.raises(ValueError, match="no improvement indicator"):
        value(plain, GOOD)


def test_an_agent_that_is_given_one_acts_as_before() -> None:
    plain = made_up_play.agent(**SIZES)
    state = torch.random.get_rng_state()
    given = with_improvement_indicator(plain)
    assert torch.equal(torch.random.get_rng_state(), state)
    for indicator in ((), (UNKNOWN,), (NOT_GOOD,), (GOOD,)):
        assert torch.equal(value(given, *indicator), value(plain))
    before = value(plain)
    with torch.no_grad():
        given.movement.decide.weight.zero_()
    assert torch.equal(value(plain), before) and not torch.equal(value(given), before), "its weights are its own"


def test_good_is_what_is_said_in_play_and_unknown_changes_nothing() -> None:
    plain = made_up_play.agent(**SIZES)
    agent = trained(plain)
    assert torch.equal(value(agent), value(agent, GOOD))
    assert not torch.allclose(value(agent, GOOD), value(agent, NOT_GOOD))
    assert torch.equal(value(agent, UNKNOWN), value(plain))
    again = with_improvement_indicator(agent)
    assert torch.equal(value(again), value(agent)), "what was learned is kept"


def test_it_acts_as_if_it_were_good() -> None:
    agent = trained(made_up_play.agent(**SIZES))
    observations, _ = made_up_play.batch(agent.config, 1, 2)
    resets = torch.ones(1, 2, dtype=torch.bool)
    actions, log_probs, output, _ = agent.act(
        observations, agent.initial_state(2), resets, torch.Generator().manual_seed(0)
    )
    with torch.no_grad():
        good, _ = agent(observations, agent.initial_state(2), resets, torch.full((1, 2), GOOD))
    assert torch.equal(output.features, good.features)
    assert torch.allclose(agent.log_probs(good, actions).movement, log_probs.movement, atol=1e-5)


def test_features_are_scaled_and_shifted_step_by_step() -> None:
    module = ImprovementIndicator(2)
    with torch.no_grad():
        module.table.weight[GOOD] = torch.tensor([1.0, 0.0, 0.0, 5.0])
        module.table.weight[NOT_GOOD] = torch.tensor([-1.0, 0.0, 0.0, 0.0])
    features = torch.tensor([[[2.0, 3.0]], [[2.0, 3.0]], [[2.0, 3.0]]])
    found = module(features, torch.tensor([[GOOD], [NOT_GOOD], [UNKNOWN]]))
    assert found.tolist() == [[[4.0, 8.0]], [[0.0, 3.0]], [[2.0, 3.0]]]
    found.sum().backward()
    assert module.table.weight.grad is not None and not module.table.weight.grad[UNKNOWN].any()


def test_it_is_saved_and_reward_models_have_none(tmp_path: Path) -> None:
    agent = trained(made_up_play.agent(**SIZES))
    loaded, _ = load_agent(save_agent(agent, Tokenizer.train(["go to the ball"], made_up_play.VOCABULARY), tmp_path))
    assert torch.equal(value(loaded), value(agent))
    model = InterTemporalRewardModel.from_agent(agent)
    assert model.improvement is None and not model.config.improvement_indicator
