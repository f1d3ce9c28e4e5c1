"""Other fields of an agent's configuration than its size's, as settings of a command."""

from __future__ import annotations

import pytest

from agents.agent import InteractiveAgent
from agents.card import ModelCard, card_text
from agents.tokenizer import Tokenizer
from pipelines.stages.agent_network import parse_network
from pipelines.stages.clone import CloneConfig, agent_for
from rlhf.records.spaces import playhouse_spaces
from worlds.errors import UserError


def made(network: str) -> InteractiveAgent:
    tokenizer = Tokenizer.train(["go to the red ball"], 280)
    return agent_for(playhouse_spaces(24, 32), "nano", tokenizer, network=network)


def test_an_agent_gets_the_encoder_that_is_asked_for_and_its_card_says_so() -> None:
    agent = made(
        '{"vision_stem": "windows", "vision_norm": true, "vision_strides": [3, 2], "vision_channels": [8, 16]}'
    )
    assert agent.config.vision_stem == "windows" and agent.config.vision_norm and agent.config.vision_strides == (3, 2)
    assert agent.trunk.vision is not None and agent.trunk.vision.tokens == 4 * 5
    assert "Residual blocks: 2, after windows, normed;".lower() in card_text(agent, ModelCard()).lower()
    usual = made("{}")
    assert usual.config.vision_stem == "patches" and "residual blocks: 2; Transformer" in card_text(usual, ModelCard())


@pytest.mark.parametrize(
    ("network", "message"),
    [
        ("{", "network is not JSON"),
        ("[1]", "network is a JSON object of fields"),
        ('{"eyes": 2}', "agents have no eyes; known: .*vision_stem"),
        ('{"image_size": [8, 8]}', "image_size follows from the recordings"),
    ],
)
def test_what_no_agent_has_is_refused_before_anything_begins(network: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        parse_network(network)
    with pytest.raises(UserError, match=message):
        CloneConfig(network=network)


@pytest.mark.parametrize(
    ("network", "message"),
    [
        ('{"vision_stem": "tiles"}', "vision_stem is 'tiles'"),
        ('{"vision_channels": 8}', "do not fit"),
        ('{"width": 65}', "not divisible"),
    ],
)
def test_values_that_do_not_fit_are_refused(network: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        made(network)
