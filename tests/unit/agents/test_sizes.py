"""The paper's four sizes: as many parameters as it says, and what grows from one to the next."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from agents.agent import InteractiveAgent
from agents.config import AgentConfig

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


def test_heads_that_do_not_divide_the_width_are_refused() -> None:
    with pytest.raises(ValueError, match="pictures of 3x48 pixels are smaller than a patch of 4x4"):
        AgentConfig(image_size=(3, 48), vision_strides=(4, 3))
    with pytest.raises(ValueError, match="width 64 is not divisible by language_heads 3"):
        AgentConfig.preset("nano", language_heads=3)
