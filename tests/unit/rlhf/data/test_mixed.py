"""Columns shared out among kinds of play, and windows of several kinds side by side."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from agents.config import AgentConfig
from rlhf.data.memory import MemoryDataset
from rlhf.data.mixed import MixedDataset, share_columns
from rlhf.learning.cloner import marginal_entropy
from tests.unit.agents import made_up_play
from tests.unit.rlhf.data.same_windows import same, tensors
from worlds.errors import UserError

CONFIG = AgentConfig(image_size=(8, 8), vocab_size=280, setter_text_length=6, solver_text_length=3, utterance_length=4)


def recorded(shade: int, demonstrated: bool = True) -> MemoryDataset:
    """Play whose pictures all have the ``shade``."""
    made = made_up_play.recorded(CONFIG, [4, 3, 6], seed=shade)
    shaded = made.seeing(image=np.full_like(made.observations.image, shade))
    return replace(shaded, demonstrated=(np.arange(13) % 2 == 0) | demonstrated)


def mixed() -> MixedDataset:
    parts = {"human": recorded(1), "agent+co-pilot": recorded(2, demonstrated=False)}
    return MixedDataset(parts, {"human": 1.0, "agent+co-pilot": 0.5})


@pytest.mark.parametrize(
    ("batch", "weights", "columns"),
    [
        (96, [1, 1], [48, 48]),
        (96, [1, 0.5], [64, 32]),
        (3, [1, 1, 1], [1, 1, 1]),
        (4, [1, 0.001], [3, 1]),  # at least one each
        (10, [7, 2, 1], [7, 2, 1]),
        (7, [2], [7]),
    ],
)
def test_columns_are_shared_out_by_weight(batch: int, weights: list[float], columns: list[int]) -> None:
    names = [f"kind {number}" for number in range(len(weights))]
    assert list(share_columns(batch, dict(zip(names, weights, strict=True))).values()) == columns


def test_too_few_columns() -> None:
    with pytest.raises(UserError, match="a batch of 1 has no column for each of 2 kinds"):
        share_columns(1, {"a": 1.0, "b": 1.0})


def test_every_column_keeps_to_its_kind() -> None:
    stream = mixed().stream(steps=3, batch=6, seed=0)
    for _ in range(20):
        window = stream.next()
        assert window.observations.image[:, :, 0, 0, 0].tolist() == [[1, 1, 1, 1, 2, 2]] * 3
        assert window.demonstrated is not None and window.demonstrated[:, :4].all()
        assert window.resets.shape == window.demonstrated.shape == (3, 6)
        assert 0 < window.demonstrated[:, 4:].sum() < 6
    everything = MixedDataset({"a": recorded(1), "b": recorded(2)}, {"a": 1.0, "b": 1.0})
    assert everything.stream(2, 2, seed=0).next().demonstrated is None


@pytest.mark.parametrize("count", [2, 3, 6])
def test_columns_of_several_learners_are_those_of_one(count: int) -> None:
    share = 6 // count
    whole = mixed().stream(3, 6, seed=0)
    parts = [mixed().stream(3, 6, seed=0, columns=slice(k * share, (k + 1) * share)) for k in range(count)]
    for _ in range(9):
        expected, found = whole.next(), [part.next() for part in parts]
        assert expected.demonstrated is not None and expected.demonstrated.shape == (3, 6)
        together = zip(*(tensors(window) for window in found), strict=True)
        for tensor, split in zip(tensors(expected), together, strict=True):
            assert torch.equal(tensor, torch.cat(split, 1))
    assert all(part.state_dict() == whole.state_dict() for part in parts)


def test_it_resumes_from_its_state() -> None:
    stream = mixed().stream(3, 4, seed=0)
    for _ in range(7):
        stream.next()
    state = json.loads(json.dumps(stream.state_dict()))
    expected = [stream.next() for _ in range(9)]
    other = mixed().stream(3, 4, seed=5)
    other.load_state_dict(state)
    assert all(same(window, other.next()) for window in expected)
    with pytest.raises(UserError, match=r"the run learned from human, agent\+co-pilot, not human"):
        MixedDataset({"human": recorded(1)}, {"human": 1.0}).stream(3, 4, seed=0).load_state_dict(state)


def test_the_summary_is_that_of_the_parts_together() -> None:
    play = mixed()
    assert len(play) == 6 and play.steps_demonstrated == 13 + 7
    counts = sum(part.movement_counts() for part in play.parts.values())
    assert (play.movement_counts() == counts).all() and marginal_entropy(play) > 0
