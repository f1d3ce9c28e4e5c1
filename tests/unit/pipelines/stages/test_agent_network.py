"""Other fields of an agent's configuration than its size's, as settings of a command."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from agents.agent import InteractiveAgent
from agents.card import ModelCard, card_text
from agents.folder import load_agent, save_agent
from agents.networks.frozen_vision import FrozenVisionEncoder
from agents.tokenizer import Tokenizer
from agents.vision_model import read_vision_model
from pipelines.stages.agent_network import parse_network
from pipelines.stages.clone import CloneConfig, agent_for, clone
from pipelines.stages.improve import Improvement
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.refine import RefineConfig, refine
from pipelines.stages.reward import RewardConfig, reward
from pipelines.stages.settings.world_config import WorldConfig
from reward_models.inter_temporal import InterTemporalRewardModel
from reward_models.learning.training import RewardTrainingConfig
from rlhf.learning.cloner import CloningConfig
from rlhf.learning.config import LearnerConfig
from rlhf.learning.refining_config import RefiningConfig
from rlhf.records.spaces import playhouse_spaces
from tests.unit.agents import test_vision_model
from tests.unit.rlhf import declared_spaces
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
        ("[1]", "network is a JSON object, e.g."),
        ('{"eyes": 2}', "agents have no eyes; known: .*vision_stem"),
        ('{"image_size": [8, 8]}', "image_size follows from the recordings or from other settings"),
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


def test_a_cloned_agent_keeps_the_eyes_that_it_was_given(tmp_path: Path) -> None:
    world = WorldConfig(height=24, width=32, settings={"rooms": [1, 1], "furniture": [0, 0], "objects": [3, 3]})
    record(RecordConfig(data=tmp_path / "data", episodes=4, steps=6, workers=1, world=world, held_out=0.0))
    model = test_vision_model.save("dinov3_vit", tmp_path / "model")
    config = CloneConfig(
        data=(tmp_path / "data",), runs=tmp_path, network='{"vision_grid": [3, 4]}', vision_model=model, held_out=0.25,
        training=CloningConfig(updates=3, steps=2, batch=2), wandb="disabled",
    )  # fmt: skip
    agent, _ = load_agent(clone(config))
    assert agent.config.vision_model is not None and agent.config.vision_grid == (3, 4)
    eyes, given = agent.trunk.vision, read_vision_model(model).weights
    assert isinstance(eyes, FrozenVisionEncoder)
    assert all(value.equal(given[name]) for name, value in eyes.model.state_dict().items())


def test_a_reward_model_begins_with_the_eyes_of_its_agent(tmp_path: Path) -> None:
    model = test_vision_model.save("dinov2", tmp_path / "model")
    agent, tokenizer = test_vision_model.seeing(model)
    rewarding = InterTemporalRewardModel.from_agent(agent)
    folder = save_agent(rewarding, tokenizer, tmp_path / "reward_model")
    loaded, _ = load_agent(folder, InterTemporalRewardModel)
    image = torch.full((1, 36, 48, 3), 90, dtype=torch.uint8)
    with torch.no_grad():
        one, other, own = (each.trunk.vision(image) for each in (rewarding, loaded, agent))  # type: ignore[misc]
    assert one.equal(other) and one.equal(own)


@pytest.mark.parametrize("stage", ["reward", "refine", "improve"])
def test_an_image_encoder_that_is_not_there_is_named_before_any_play_is_read(tmp_path: Path, stage: str) -> None:
    tokenizer = Tokenizer.train(["go to the red ball"], 280)
    folder = save_agent(agent_for(declared_spaces.GRID, "nano", tokenizer), tokenizer, tmp_path / "agent")
    nothing = (tmp_path / "no recordings",)
    world = WorldConfig(name=str(tmp_path / "no_world.py"), height=4, width=5, settings={}, options={})
    calls: dict[str, Callable[[], Path]] = {
        "reward": lambda: reward(
            RewardConfig(data=nothing, agent=folder, runs=tmp_path, training=RewardTrainingConfig(frozen_vision=True))
        ),
        "refine": lambda: refine(
            RefineConfig(data=nothing, agent=folder, runs=tmp_path, training=RefiningConfig(frozen_vision=True))
        ),
        "improve": lambda: Improvement(
            ImproveConfig(
                data=nothing, agent=folder, world=world, learner=LearnerConfig(frozen_vision=True), scripted_reward=True
            ),
            tmp_path,
        ).run(),
    }
    group = "learner" if stage == "improve" else "training"
    with pytest.raises(UserError, match=f"{group}.frozen_vision .* --{group}.no-frozen-vision"):
        calls[stage]()
    assert not list(tmp_path.glob("*/config.json"))[1:]  # only the agent's
