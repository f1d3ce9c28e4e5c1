"""The whole agent: how often it speaks, and what is computed exactly where the trunk is not."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from agents.agent import InteractiveAgent
from agents.batch import map_parts
from agents.tokenizer import PAD_ID
from tests.unit.agents import made_up_play

SIZES = dict(image_size=(12, 12), vision_channels=(8,), vision_strides=(4,), vision_blocks=(1,), width=16, heads=2)


@pytest.fixture
def agent() -> InteractiveAgent:
    return made_up_play.agent(**SIZES, memory_width=16, tick_width=8, value_width=8)


@torch.no_grad()
def test_it_speaks_with_the_probability_of_the_logit(agent: InteractiveAgent) -> None:
    rows, repeats = 6, 400
    observations, _ = made_up_play.batch(agent.config, 1, rows)
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


@torch.no_grad()
@pytest.mark.parametrize(("bias", "speaks"), [(-5.0, False), (5.0, True)])
def test_greed_speaks_where_speaking_is_likelier(agent: InteractiveAgent, bias: float, speaks: bool) -> None:
    agent.language.speak.weight.zero_()
    agent.language.speak.bias.fill_(bias)
    observations, _ = made_up_play.batch(agent.config, 1, 3)
    resets = torch.ones(1, 3, dtype=torch.bool)
    actions, *_ = agent.act(observations, agent.initial_state(3), resets, greedy=True)
    assert (actions.utterance[0, :, 0] != PAD_ID).tolist() == [speaks] * 3


@torch.no_grad()
def test_value_and_policies_are_exact_where_the_trunk_is_not(agent: InteractiveAgent) -> None:
    observations, actions = made_up_play.batch(agent.config, 3, 4)
    resets = torch.ones(3, 4, dtype=torch.bool)
    exact, _ = agent(observations, agent.initial_state(4), resets)
    with torch.autocast("cpu", torch.bfloat16):
        output, _ = agent(observations, agent.initial_state(4), resets)
    assert not torch.equal(output.features.float(), exact.features)  # the trunk was rounded
    log_probs = agent.log_probs(output, actions)
    assert {t.dtype for t in (output.value, output.speak_logit, *log_probs)} == {torch.float32}

    features = output.features.float()
    close = dict(atol=1e-5, rtol=0.0)
    torch.testing.assert_close(output.value, agent.value(features)[..., 0], **close)
    logit = features @ agent.language.speak.weight[0] + agent.language.speak.bias
    torch.testing.assert_close(output.speak_logit, logit, **close)
    spoke = actions.utterance[..., 0] != PAD_ID
    assert spoke.any() and not spoke.all()
    chance = torch.sigmoid(logit)
    torch.testing.assert_close(log_probs.speak, torch.where(spoke, chance, 1.0 - chance).log(), **close)
    words = torch.zeros(3, 4)
    words[spoke] = agent.language.words_log_prob(features[spoke], actions.utterance[spoke])
    torch.testing.assert_close(log_probs.words, words, **close)
    chosen = agent.movement.distributions(features, output.before, actions.movement)
    moved = chosen.gather(-1, actions.movement.long()[..., None])[..., 0].sum((-1, -2))
    torch.testing.assert_close(log_probs.movement, moved, **close)
