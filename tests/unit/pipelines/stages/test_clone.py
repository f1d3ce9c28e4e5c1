"""`rlhf clone`: other networks than the size's, eyes of a trained model, and agents that learn further."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from agents.agent import InteractiveAgent
from agents.card import ModelCard, card_text
from agents.folder import load_agent, save_agent
from agents.networks.frozen_vision import FrozenVisionEncoder
from agents.tokenizer import Tokenizer
from agents.vision_model import read_vision_model
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
from tests import small_worlds
from tests.unit.agents import test_vision_model
from tests.unit.rlhf import declared_spaces
from worlds.errors import UserError

TOKENIZER = Tokenizer.train(["go to the red ball"], 280)


def with_network(network: Any) -> InteractiveAgent:
    return agent_for(playhouse_spaces(24, 32), "nano", TOKENIZER, network=network)


def test_an_agent_gets_the_encoder_that_is_asked_for_and_its_card_says_so() -> None:
    usual = with_network("{}")
    agent = with_network('{"vision_stem": "windows", "vision_strides": [3, 2], "vision_channels": [8, 16]}')
    assert agent.trunk.vision is not None and agent.trunk.vision.tokens == 4 * 5
    assert "residual blocks: 2, after windows;" in card_text(agent, ModelCard()).lower()
    assert "residual blocks: 2; Transformer" in card_text(usual, ModelCard())


@pytest.mark.parametrize(
    ("network", "message"),
    [
        ("{", "is not JSON"),
        ("[1]", "is a JSON object, e.g."),
        ('{"eyes": 2}', "agents have no eyes; known: .*vision_stem"),
        ('{"image_size": [8, 8]}', "image_size follows from the recordings or from other settings"),
        ('{"vision_stem": "tiles"}', "vision_stem is 'tiles'"),
        ('{"vision_channels": 8}', "do not fit"),
        ('{"width": 65}', "not divisible"),
    ],
)
def test_networks_that_cannot_be_are_refused(network: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        CloneConfig(network=network)
        with_network(network)


@pytest.mark.parametrize("stage", ["reward", "refine", "improve"])
def test_an_image_encoder_that_is_not_there_is_named_before_any_play_is_read(tmp_path: Path, stage: str) -> None:
    small_worlds.register()
    folder = save_agent(agent_for(declared_spaces.GRID, "nano", TOKENIZER), TOKENIZER, tmp_path / "agent")
    given = {"data": (tmp_path / "no recordings",), "agent": folder, "runs": tmp_path}
    world = WorldConfig(name="small-grid", height=4, width=5, settings={}, options={})
    learner = LearnerConfig(frozen_vision=True)
    improving = ImproveConfig(**given, world=world, learner=learner, scripted_reward=True)
    calls: dict[str, Callable[[], object]] = {
        "reward": lambda: reward(RewardConfig(**given, training=RewardTrainingConfig(frozen_vision=True))),
        "refine": lambda: refine(RefineConfig(**given, training=RefiningConfig(frozen_vision=True))),
        "improve": lambda: Improvement(improving).prepare(tmp_path, None),
    }
    group = "learner" if stage == "improve" else "training"
    with pytest.raises(UserError, match=f"{group}.frozen_vision .* --{group}.no-frozen-vision"):
        calls[stage]()
    assert [path.parent for path in tmp_path.glob("*/config.json")] == [folder]


def test_reward_models_and_cloned_agents_keep_the_eyes_that_they_were_given(data: Path, tmp_path: Path) -> None:
    model = test_vision_model.save("dinov3_vit", tmp_path / "model")
    config = CloneConfig(
        data=(data,), runs=tmp_path, network={"vision_grid": [3, 4]}, vision_model=model, held_out=0.25,
        training=CloningConfig(updates=3, steps=2, batch=2), wandb="disabled",
    )  # fmt: skip
    agent, tokenizer = load_agent(clone(config))
    assert agent.config.vision_model is not None and agent.config.vision_grid == (3, 4)
    folder = save_agent(InterTemporalRewardModel.from_agent(agent), tokenizer, tmp_path / "reward_model")
    given = read_vision_model(model).weights
    for seeing in (agent, load_agent(folder, InterTemporalRewardModel)[0]):
        eyes = seeing.trunk.vision
        assert isinstance(eyes, FrozenVisionEncoder)
        assert all(value.equal(given[name]) for name, value in eyes.model.state_dict().items())


# An agent that learns further


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset of the Playhouse."""
    folder, world = tmp_path_factory.mktemp("further") / "data", WorldConfig(height=24, width=32)
    record(RecordConfig(data=folder, episodes=4, steps=8, workers=1, held_out=0.0, world=world))
    return folder


@pytest.fixture(scope="module")
def first(data: Path) -> Path:
    """The agent of a run of cloning."""
    training = CloningConfig(updates=2, steps=4, batch=2, evaluate_every=2, learning_rate=1e-3)
    config = CloneConfig(data=(data,), runs=data.parent, network={"glimpse": True}, wandb="disabled", training=training)
    return clone(config)


@pytest.fixture
def further(data: Path, first: Path, tmp_path: Path) -> CloneConfig:
    training = CloningConfig(updates=1, steps=8, batch=2, learning_rate=1e-5)
    return CloneConfig(data=(data,), agent=first, runs=tmp_path, wandb="disabled", training=training)


def test_training_begins_with_the_agents_weights_words_and_network_and_is_resumed(
    first: Path, further: CloneConfig
) -> None:
    before, its_words = load_agent(first)
    made = clone(further)
    after, words = load_agent(made)
    assert words.digest == its_words.digest and after.config.glimpse
    old, new = before.state_dict(), after.state_dict()
    assert any(not torch.equal(old[name], new[name]) for name in old)
    # Adam's first step is at most its learning rate, so weights that were drawn anew would be far away.
    assert all(torch.allclose(old[name], new[name], atol=2e-5) for name in old if old[name].is_floating_point())
    assert f"It began as the agent in `{first}`" in (made / "README.md").read_text()
    again, _ = load_agent(clone(replace(further, resume=made.parent)))  # it does not begin again
    assert all(torch.equal(value, again.state_dict()[name]) for name, value in new.items())
    with pytest.raises(UserError, match="agent"):
        clone(replace(further, resume=made.parent, agent=None))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"network": {"glimpse": False}}, "keeps its network: leave out --network"),
        ({"role": "setter", "solver": None}, "is a solver, and cannot learn further as a setter"),
        ({"agent": Path(__file__).parent}, "is not an agent's folder"),
    ],
)
def test_what_the_agent_keeps_cannot_be_changed(changed: dict, message: str, further: CloneConfig) -> None:
    with pytest.raises(UserError, match=message):
        clone(replace(further, **changed))
    assert not (further.runs / "clone").exists()
