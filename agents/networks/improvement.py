"""The improvement indicator: an input that says whether the actions to come are good ones (off by default).

RECAP (Physical Intelligence 2025, "pi*0.6: a VLA that learns from experience") trains a policy on good and bad actions
alike, gives it a binarised advantage as a further input, and lets it act with "good". The input is left out at random
in training, so that a policy without it is learned, too, as classifier-free guidance needs.
"""

from __future__ import annotations

from torch import Tensor, nn

UNKNOWN, NOT_GOOD, GOOD = 0, 1, 2


class ImprovementIndicator(nn.Module):
    """Features scaled and shifted by the indicator, once for all heads; left as they are where it is unknown.

    It begins by changing nothing, so that a cloned agent that is given one acts as before. The memory does not see it.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.table = nn.Embedding(3, 2 * width, padding_idx=UNKNOWN)
        nn.init.zeros_(self.table.weight)

    def forward(self, features: Tensor, indicator: Tensor) -> Tensor:
        """Return the features [T, B, width] for the ``indicator``, int [T, B]: UNKNOWN, NOT_GOOD or GOOD."""
        scale, shift = self.table(indicator.long()).chunk(2, dim=-1)
        return features * (1.0 + scale) + shift
