"""Time-major batches [T, B, ...] of observations and actions, and windows of recorded play."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor


def send(array: np.ndarray, device: torch.device | str) -> Tensor:
    """Return ``array`` as a tensor on ``device``. On the CPU the memory is shared, not copied.

    To a GPU it goes through page-locked memory, from which it is copied while both sides continue.
    """
    tensor = torch.from_numpy(array)
    if torch.device(device).type == "cuda":
        return tensor.pin_memory().to(device, non_blocking=True)
    return tensor.to(device)


class ObservationArrays(NamedTuple):
    """Observations of one step of N slots, in NumPy."""

    image: np.ndarray  # uint8 [N, H, W, 3]
    setter_tokens: np.ndarray  # int64 [N, L]
    solver_tokens: np.ndarray  # int64 [N, L]
    previous_movement: np.ndarray  # int8 [N, 8, C]


class ObservationBatch(NamedTuple):
    """Observations, time-major."""

    image: Tensor  # uint8 [T, B, H, W, 3]
    setter_tokens: Tensor  # int64 [T, B, L]
    solver_tokens: Tensor  # int64 [T, B, L]
    previous_movement: Tensor  # int8 [T, B, 8, C]


class ActionBatch(NamedTuple):
    """Actions, time-major."""

    movement: Tensor  # int8 [T, B, 8, C], bin indices
    utterance: Tensor  # int64 [T, B, M], tokens, EOS (unless it was cut), PAD; silence is all PAD


class PolicyLogProbs(NamedTuple):
    """Log-probabilities [T, B] of actions: eight movements, to speak or not, and the words (0 if silent)."""

    movement: Tensor
    speak: Tensor
    words: Tensor

    @property
    def language(self) -> Tensor:
        """Log-probability of the whole language action: the decision and, where it was to speak, the words."""
        return self.speak + self.words


class RecordedWindow(NamedTuple):
    """Recorded play, time-major. All of it is observed; only demonstrated steps are imitated."""

    observations: ObservationBatch
    actions: ActionBatch
    resets: Tensor  # bool [T, B], true at the first step of an episode
    demonstrated: Tensor | None = None  # bool [T, B], steps to imitate; None for all

    def to(self, device: torch.device | str) -> RecordedWindow:
        """Return the same on ``device``."""
        return RecordedWindow(
            ObservationBatch(*(part.to(device, non_blocking=True) for part in self.observations)),
            ActionBatch(*(part.to(device, non_blocking=True) for part in self.actions)),
            self.resets.to(device, non_blocking=True),
            None if self.demonstrated is None else self.demonstrated.to(device, non_blocking=True),
        )
