"""Sizes of agents: those of the paper, those that do not fit, and the columns of their actions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from agents.agent import InteractiveAgent
from agents.columns import ActionColumns
from agents.config import AgentConfig
from worlds.spaces.action import ActionSpec, Continuous, Discrete

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


@pytest.mark.parametrize(
    ("sizes", "complaint"),
    [
        ({"image_size": (3, 48), "vision_strides": (4, 3)}, "pictures of 3x48 pixels are smaller than a patch of 4x4"),
        ({"width": 65}, "width 65 is not divisible by heads 4"),
        ({"language_heads": 3}, "width 64 is not divisible by language_heads 3"),
        ({"vision_strides": (4,)}, "one entry for every stage"),
        ({"vision_stem": "tiles"}, "vision_stem is 'tiles': it is one of patches, windows, convolutions"),
        ({"vision_grid": (2, 0)}, "vision_grid is a number of rows"),
        (
            {"spaces": {"observation": {"grid": {"depth": 3}}, "action": {"components": []}}},
            "spaces.observation.grid has an unknown key 'depth'",
        ),
    ],
)
def test_sizes_that_do_not_fit_are_refused(sizes: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        AgentConfig(**sizes)


ARM = ActionSpec((Continuous("x", -2.0, 1.0, 0.5), Discrete("hand", ("open", "close")), Continuous("y", 0.0, 1.0)), 3)


@given(st.lists(st.floats(-2.0, 1.0, width=32), min_size=3, max_size=3))
def test_continuous_values_come_back_within_half_a_bin(values: list[float]) -> None:
    columns = ActionColumns(ARM, 33)
    continuous = np.column_stack([values, np.linspace(0, 1, 3)]).astype(np.float32)
    encoded = columns.encode(ARM.neutral_movement(), continuous)
    assert encoded.shape == (3, 3) and encoded.dtype == np.int8
    assert (encoded >= 0).all() and (encoded < columns.counts).all()
    movement, back = columns.decode(encoded)
    assert back is not None and np.array_equal(movement, ARM.neutral_movement())
    assert (np.abs(back - continuous) <= np.array([3.0, 1.0]) / 33 / 2 + 1e-6).all()
    assert np.array_equal(columns.encode(movement, back), encoded), "the middle of a bin is in it"


def test_values_outside_the_bounds_are_in_the_outermost_bins() -> None:
    columns = ActionColumns(ARM, 5)
    continuous = np.array([[-9.0, 9.0], [1.0, 1.0], [-2.0, 0.0]], np.float32)
    assert columns.encode(ARM.neutral_movement(), continuous)[:, 1:].tolist() == [[0, 4], [4, 4], [0, 0]]
