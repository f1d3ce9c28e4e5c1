"""Settings of the computation of an agent, used by :mod:`agents.computing`. Imports nothing heavy."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ComputingConfig:
    """Trades for speed or memory in training. The result stays the same, up to rounding.

    Args:
      bf16: compute the trunk in bfloat16; weights, value, utility, policies and losses stay float32.
      compile: compile the image encoder and the Transformer; needs a C++ compiler and some minutes, for long runs.
      checkpoint_activations: keep only the inputs of each layer of image encoder and Transformer, and compute the rest
        again for the gradients: a third more work for a fraction of the memory.
    """

    bf16: bool = False
    compile: bool = False
    checkpoint_activations: bool = False
