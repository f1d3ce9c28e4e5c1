"""FLOP counts of the GPU's benchmark, and its message on a machine without a GPU."""

from __future__ import annotations

import pytest
import torch

from agents.computing_config import ComputingConfig
from agents.config import AgentConfig
from benchmarks import gpu
from benchmarks.update import seconds

TINY = AgentConfig.preset("nano", width=16, heads=2, memory_width=16, layers=2, language_heads=2)


def test_counts_are_extrapolated_rightly() -> None:
    for steps, columns in ((2, 6), (4, 3)):
        counted = gpu.counted_flops(TINY, steps, columns)
        # Words are few and fall where they fall; everything else is exact.
        assert gpu.update_flops(TINY, steps, columns) == pytest.approx(counted, rel=0.02)


def test_counting_knows_the_largest_matrices() -> None:
    """A wider LSTM costs what its wider matrices cost: a product's two FLOPs, forward and twice backward."""
    wider = AgentConfig.preset("nano", width=16, heads=2, memory_width=32, layers=2, language_heads=2)
    steps, columns = 1, 2
    rows, ours, theirs = (steps + 1) * 2 * columns, TINY.memory_width, wider.memory_width
    gathered = TINY.dedicated_tokens * TINY.width + 12 * (TINY.sketch_width + 1)

    def products(memory: int) -> int:
        """Multiplications a row in what is as wide as the memory: gather, LSTM, policies, value, words' condition."""
        return gathered * memory + 8 * memory**2 + memory * (8 * TINY.tick_width + TINY.value_width + 1)

    more = gpu.counted_flops(wider, steps, columns) - gpu.counted_flops(TINY, steps, columns)
    assert more == pytest.approx(6 * rows * (products(theirs) - products(ours)), rel=0.1)


def test_updates_and_play_are_timed() -> None:
    device = torch.device("cpu")
    config = AgentConfig.preset("nano", vocab_size=300)
    assert seconds(gpu.warm_update(config, ComputingConfig(), 2, 2, device), device) > 0
    assert min(gpu.acting_seconds(config, 2, 2, device)) > 0


def test_overlapping_kernels_are_busy_once() -> None:
    assert gpu.busy_share([(4.0, 6.0), (0.0, 2.0), (1.0, 3.0), (1.0, 1.5), (8.0, 10.0)]) == pytest.approx(0.7)
    assert gpu.busy_share([(3.0, 5.0)]) == 1.0
