"""Networks that trade work for memory: :mod:`agents.computing` says when."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class CheckpointedLayers(nn.Module):
    """A network that can forget what its layers computed inside, and compute it again when gradients are wanted.

    The two attributes are those by which ``transformers`` turns that on and off, too.
    """

    gradient_checkpointing: bool = False
    # Nothing random happens in a layer, so no random state needs to be kept for the second time.
    _gradient_checkpointing_func: Any = staticmethod(partial(checkpoint, use_reentrant=False, preserve_rng_state=False))

    def run(self, layer: nn.Module, *inputs: Any, **settings: Any) -> torch.Tensor:
        """``layer(*inputs, **settings)``."""
        if self.gradient_checkpointing and torch.is_grad_enabled():
            return self._gradient_checkpointing_func(layer, *inputs, **settings)
        return layer(*inputs, **settings)
