"""Eyes of a pretrained vision model: tiny random ones, saved by `transformers` as large ones are."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.torch
import torch

from agents.agent import InteractiveAgent
from agents.card import ModelCard, card_text
from agents.folder import load_agent, save_agent
from agents.learning.footprint import visual_tokens
from agents.networks.frozen_vision import FrozenVisionEncoder
from agents.tokenizer import Tokenizer
from agents.vision_model import read_vision_model
from pipelines.stages.clone import agent_for
from rlhf.records.spaces import playhouse_spaces
from tests.unit.agents import made_up_play
from tests.unit.agents.example_spaces import batch
from worlds.errors import UserError

hub: Any = importlib.import_module("transformers")  # whose types are known in part only

SMALL: dict[str, Any] = dict(hidden_size=16, num_hidden_layers=2, num_attention_heads=2, patch_size=4, image_size=16)
TEXT = hub.SiglipTextConfig(
    hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, vocab_size=20
)
SIGLIP = hub.SiglipVisionConfig(**SMALL, intermediate_size=32)


MODELS: dict[str, tuple[Any, Any]] = {
    "dinov2": (hub.Dinov2Model, hub.Dinov2Config(**SMALL, mlp_ratio=2)),
    "dinov3_vit": (hub.DINOv3ViTModel, hub.DINOv3ViTConfig(**SMALL, intermediate_size=32, num_register_tokens=3)),
    "siglip_vision_model": (hub.SiglipVisionModel, SIGLIP),
    "siglip": (hub.SiglipModel, hub.SiglipConfig(text_config=TEXT.to_dict(), vision_config=SIGLIP.to_dict())),
    "gpt2": (hub.GPT2Model, hub.GPT2Config(n_embd=8, n_layer=1, n_head=2, vocab_size=20)),
}


def save(kind: str, folder: Path) -> Path:
    """A tiny model of random weights."""
    torch.manual_seed(0)
    make, config = MODELS[kind]
    make(config).save_pretrained(folder)
    normal = {"image_mean": [0.1, 0.2, 0.3], "image_std": [0.5, 0.6, 0.7]}
    (folder / "preprocessor_config.json").write_text(json.dumps(normal))
    return folder


def seeing(folder: Path) -> tuple[InteractiveAgent, Tokenizer]:
    """An agent with the eyes in a folder."""
    tokenizer = Tokenizer.train(
        ["go to the red ball", "put the yellow chair next to the robot"], made_up_play.VOCABULARY
    )
    torch.manual_seed(1)
    network = {"vision_grid": (3, 4)}
    agent = agent_for(playhouse_spaces(36, 48), "nano", tokenizer, network=network, vision_model=folder)
    return agent.eval(), tokenizer


@pytest.mark.parametrize("kind", ["dinov2", "dinov3_vit", "siglip_vision_model", "siglip"])
def test_an_agent_sees_by_the_pretrained_features(kind: str, tmp_path: Path) -> None:
    agent, tokenizer = seeing(save(kind, tmp_path / "model"))
    eyes = agent.trunk.vision
    assert isinstance(eyes, FrozenVisionEncoder) and eyes.tokens == 12 == visual_tokens(agent.config)
    image = torch.from_numpy(np.random.default_rng(0).integers(0, 256, (3, 36, 48, 3), np.uint8))
    # The same by hand, from the model as `transformers` reads it.
    pixels = torch.nn.functional.interpolate(image.permute(0, 3, 1, 2) / 255.0, size=(12, 16), mode="bilinear")
    pixels = (pixels - torch.tensor([0.1, 0.2, 0.3]).view(3, 1, 1)) / torch.tensor([0.5, 0.6, 0.7]).view(3, 1, 1)
    model = (hub.SiglipVisionModel if kind == "siglip" else MODELS[kind][0]).from_pretrained(tmp_path / "model").eval()
    places = {"interpolate_pos_encoding": True} if "siglip" in kind else {}
    with torch.no_grad():
        features = model(pixel_values=pixels, **places).last_hidden_state[:, -12:]
        expected = eyes.project(eyes.norm(features)) + eyes.place
        torch.testing.assert_close(eyes(image), expected, atol=1e-4, rtol=1e-4)
    settings: Any = agent.config.vision_model
    assert f"frozen features of a pretrained `{settings['model_type']}`" in card_text(agent, ModelCard())
    observations, _ = batch(agent.config, 2, 2)
    resets = torch.zeros(2, 2, dtype=torch.bool)
    with torch.no_grad():
        before, _ = agent(observations, agent.initial_state(2), resets)
    save_agent(agent, tokenizer, tmp_path / "agent")
    loaded, _ = load_agent(tmp_path / "agent")  # complete without the folder of the model
    with torch.no_grad():
        after, _ = loaded(observations, loaded.initial_state(2), resets)
    assert after.features.equal(before.features)


def test_the_pretrained_weights_never_change_and_all_else_learns(tmp_path: Path) -> None:
    agent, _ = seeing(save("dinov2", tmp_path))
    eyes = agent.trunk.vision
    assert isinstance(eyes, FrozenVisionEncoder)
    frozen = {name: value.clone() for name, value in eyes.model.state_dict().items()}
    agent.train()
    assert agent.training and not eyes.model.training
    observations, actions = batch(agent.config, 2, 3)
    optimizer = torch.optim.Adam(agent.parameters(), 1e-2)
    output, _ = agent(observations, agent.initial_state(3), torch.zeros(2, 3, dtype=torch.bool))
    log_probs = agent.log_probs(output, actions)
    odds = agent.discriminator(output.vision, output.language, output.seen)
    (log_probs.movement.sum() + log_probs.language.sum() + output.value.sum() + odds.sum()).backward()
    optimizer.step()
    assert all(value.equal(frozen[name]) for name, value in eyes.model.state_dict().items())
    idle = [name for name, weight in agent.named_parameters() if weight.grad is None]
    assert idle and all(name.startswith("trunk.vision.model.") for name in idle)


def without_norm(folder: Path) -> None:
    weights = safetensors.torch.load_file(folder / "model.safetensors")
    weights.pop("layernorm.weight")
    safetensors.torch.save_file(weights, folder / "model.safetensors", {"format": "pt"})


@pytest.mark.parametrize(
    ("kind", "spoil", "message"),
    [
        ("dinov2", lambda folder: (folder / "config.json").unlink(), "config.json is missing"),
        ("dinov2", lambda folder: (folder / "config.json").write_text("[]"), "cannot be read"),
        ("gpt2", lambda folder: None, "holds a model of the type gpt2"),
        ("dinov2", lambda folder: (folder / "model.safetensors").write_bytes(b"no weights"), "cannot be read"),
        ("dinov2", lambda folder: (folder / "model.safetensors").unlink(), "cannot be read"),
        ("dinov2", without_norm, "lacks the weights layernorm.weight"),
        (
            "dinov2",
            lambda folder: (folder / "preprocessor_config.json").write_text('{"image_mean": [1, 2]}'),
            "no usable image_mean and image_std",
        ),
    ],
)
def test_what_is_no_vision_model_is_refused_in_one_line(
    kind: str, spoil: Callable[[Path], object], message: str, tmp_path: Path
) -> None:
    folder = save(kind, tmp_path / "model")
    spoil(folder)
    with pytest.raises(UserError) as caught:
        read_vision_model(folder)
    assert message in str(caught.value) and "\n" not in str(caught.value)
