"""Networks that trade computation for memory; :mod:`agents.computing` turns that on."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class CheckpointedLayers(nn.Module):
    """A network that can drop the activations inside its layers and compute them again for gradients.

    ``transformers`` turns that on and off by the same two attributes.
    """

    gradient_checkpointing: bool = False
    # Nothing random happens in a layer, so no random state needs to be kept for the second time.
    _gradient_checkpointing_func: Any = staticmethod(partial(checkpoint, use_reentrant=False, preserve_rng_state=False))

    def run(self, layer: nn.Module, *inputs: Any, **settings: Any) -> torch.Tensor:
        """Return ``layer(*inputs, **settings)``."""
        if self.gradient_checkpointing and torch.is_grad_enabled():
            return self._gradient_checkpointing_func(layer, *inputs, **settings)
        return layer(*inputs, **settings)
