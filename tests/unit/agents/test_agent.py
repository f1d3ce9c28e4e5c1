"""The whole agent: how often it speaks, and its input that says whether actions are good ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from agents.agent import InteractiveAgent, with_improvement_indicator
from agents.batch import map_parts
from agents.folder import load_agent, save_agent
from agents.networks.improvement import GOOD, NOT_GOOD, UNKNOWN, ImprovementIndicator
from agents.tokenizer import PAD_ID, Tokenizer
from reward_models.inter_temporal import InterTemporalRewardModel
from tests.unit.agents import made_up_play
from tests.unit.agents.example_spaces import batch


@torch.no_grad()
def test_it_speaks_with_the_probability_of_the_logit() -> None:
    agent, rows, repeats = made_up_play.tiny(), 6, 400
    observations, _ = batch(agent.config, 1, rows)
    resets = torch.ones(1, rows * repeats, dtype=torch.bool)
    many = map_parts(lambda part: part.repeat_interleave(repeats, dim=1), observations)
    agent.language.speak.weight *= 4.0
    features = agent(observations, agent.initial_state(rows), resets[:, :rows])[0].features[0].numpy()
    weight = agent.language.speak.weight.numpy()[0]
    agent.language.speak.bias.fill_(-1.7 - float((features @ weight).mean()))
    chance = 1.0 / (1.0 + np.exp(-(features @ weight + agent.language.speak.bias.item())))
    assert chance.max() < 0.5 and chance.max() > 2.0 * chance.min()  # or a reversed comparison might pass

    actions, *_ = agent.act(many, agent.initial_state(rows * repeats), resets, torch.Generator().manual_seed(0))
    often = (actions.utterance[0, :, 0] != PAD_ID).view(rows, repeats).double().mean(1).numpy()
    assert np.all(np.abs(often - chance) < 4.0 * np.sqrt(chance * (1.0 - chance) / repeats))
    for bias, speaks in ((-50.0, False), (50.0, True)):
        agent.language.speak.bias.fill_(bias)
        greedy, *_ = agent.act(observations, agent.initial_state(rows), resets[:, :rows], greedy=True)
        assert (greedy.utterance[0, :, 0] != PAD_ID).tolist() == [speaks] * rows


# The improvement indicator


def indicated(agent: InteractiveAgent) -> InteractiveAgent:
    """The agent with an indicator that matters."""
    made = with_improvement_indicator(agent)
    assert made.improvement is not None
    with torch.no_grad():
        made.improvement.table.weight[1:] = torch.randn(2, 16, generator=torch.Generator().manual_seed(0))
    return made


@torch.no_grad()
def value(agent: InteractiveAgent, *indicator: int) -> torch.Tensor:
    """Log-probabilities of recorded actions [3, 2], with one indicator at all steps or without one."""
    observations, actions = batch(agent.config, 3, 2)
    resets = torch.zeros(3, 2, dtype=torch.bool)
    given = [torch.full((3, 2), one) for one in indicator]
    output, _ = agent(observations, agent.initial_state(2), resets, *given)
    log_probs = agent.log_probs(output, actions)
    return log_probs.movement + log_probs.language


def test_an_agent_that_is_given_an_indicator_acts_as_before() -> None:
    plain = made_up_play.tiny()
    with pytest.raises(ValueError, match="no improvement indicator"):
        value(plain, GOOD)
    state = torch.random.get_rng_state()
    given = with_improvement_indicator(plain)
    assert torch.equal(torch.random.get_rng_state(), state)
    assert given.state_dict().keys() - plain.state_dict().keys() == {"improvement.table.weight"}
    for indicator in ((), (UNKNOWN,), (NOT_GOOD,), (GOOD,)):
        assert torch.equal(value(given, *indicator), value(plain))
    before = value(plain)
    with torch.no_grad():
        given.movement.decide.weight.zero_()
    assert torch.equal(value(plain), before) and not torch.equal(value(given), before), "its weights are its own"


def test_it_acts_as_if_its_actions_were_good_and_unknown_changes_nothing(tmp_path: Path) -> None:
    plain = made_up_play.tiny()
    agent = indicated(plain)
    assert torch.equal(value(agent), value(agent, GOOD))
    assert not torch.allclose(value(agent, GOOD), value(agent, NOT_GOOD))
    assert torch.equal(value(agent, UNKNOWN), value(plain))
    observations, _ = batch(agent.config, 1, 2)
    resets = torch.ones(1, 2, dtype=torch.bool)
    *_, output, _ = agent.act(observations, agent.initial_state(2), resets, torch.Generator().manual_seed(0))
    with torch.no_grad():
        good, _ = agent(observations, agent.initial_state(2), resets, torch.full((1, 2), GOOD))
    assert torch.equal(output.features, good.features)
    loaded, _ = load_agent(save_agent(agent, Tokenizer.train(["go to the ball"], made_up_play.VOCABULARY), tmp_path))
    for kept in (loaded, with_improvement_indicator(agent)):
        assert torch.equal(value(kept), value(agent)), "what was learned is kept"
    model = InterTemporalRewardModel.from_agent(agent)
    assert model.improvement is None and not model.config.improvement_indicator


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
