"""The paper's four sizes: as many parameters as it says, and what grows from one to the next."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from agents.agent import InteractiveAgent
from agents.batch import map_parts
from agents.config import AgentConfig
from tests.unit.agents import made_up_play

PAPER = {"5m": 5e6, "18m": 18e6, "71m": 71e6, "165m": 165e6}
DOCS = Path(__file__).resolve().parents[3] / "docs" / "sizes.md"


def unmade(size: str) -> InteractiveAgent:
    """An agent of this size whose weights take no memory."""
    with torch.device("meta"):
        return InteractiveAgent(AgentConfig.preset(size))


@pytest.mark.parametrize("size", PAPER)
def test_the_papers_sizes_have_the_parameters_of_their_names(size: str) -> None:
    agent = unmade(size)
    count = sum(parameter.numel() for parameter in agent.parameters())
    assert count == pytest.approx(PAPER[size], rel=0.05)
    assert agent.config.vocab_size == 512 and agent.config.image_size == (72, 96)
    assert len(agent.trunk.layers) == 8 and agent.value[0].out_features == 512  # both the paper's


def test_only_the_depth_of_the_image_encoder_and_the_widths_grow() -> None:
    grow = {"vision_blocks", "width", "heads", "language_heads", "memory_width"}
    configs = [AgentConfig.preset(size) for size in PAPER]
    for smaller, larger in zip(configs[:-1], configs[1:], strict=True):
        differ = {name for name, value in vars(larger).items() if getattr(smaller, name) != value}
        assert differ == grow
        assert sum(larger.vision_blocks) > sum(smaller.vision_blocks)
        assert all(more >= less for less, more in zip(smaller.vision_blocks, larger.vision_blocks, strict=True))
        assert larger.width > smaller.width and larger.memory_width > smaller.memory_width


@pytest.mark.parametrize("size", PAPER)
def test_every_head_is_64_wide_and_every_token_is_a_whole_patch(size: str) -> None:
    config = AgentConfig.preset(size)
    assert config.width == 64 * config.heads == 64 * config.language_heads
    patch = 12
    assert unmade(size).trunk.vision.tokens == (72 // patch) * (96 // patch)


@pytest.mark.parametrize("size", AgentConfig.preset_names())
def test_the_documentation_gives_every_size_with_its_count(size: str) -> None:
    count = sum(parameter.numel() for parameter in unmade(size).parameters())
    config = AgentConfig.preset(size)
    (row,) = (line for line in DOCS.read_text().splitlines() if line.startswith(f"| `{size}` "))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[1] == f"{count:,}"
    listed = [config.image_size, config.vision_channels, config.vision_strides, config.vision_blocks]
    assert cells[2:6] == [", ".join(map(str, values)) for values in listed]
    rest = [config.width, config.layers, config.heads, config.memory_width, config.tick_width, config.value_width]
    assert cells[6:] == [str(value) for value in rest]


def test_the_smallest_of_the_papers_sizes_plays_and_learns() -> None:
    agent = made_up_play.agent("5m")
    observations, actions = made_up_play.batch(agent.config, 2, 2)
    resets = torch.tensor([[True, False], [False, True]])
    output, _ = agent(observations, agent.initial_state(2), resets)
    log_probs = agent.log_probs(output, actions)
    (output.value.sum() - log_probs.movement.sum() - log_probs.language.sum()).backward()
    assert all(p.grad is None or bool(torch.isfinite(p.grad).all()) for p in agent.parameters())
    done, *_ = agent.act(map_parts(lambda part: part[:1], observations), agent.initial_state(2), resets[:1])
    assert done.utterance.shape == (1, 2, 12)


def test_heads_that_do_not_divide_the_width_are_refused() -> None:
    with pytest.raises(ValueError, match="pictures of 3x48 pixels are smaller than a patch of 4x4"):
        AgentConfig(image_size=(3, 48), vision_strides=(4, 3))
    with pytest.raises(ValueError, match="width 64 is not divisible by language_heads 3"):
        AgentConfig.preset("nano", language_heads=3)
