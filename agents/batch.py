"""Time-major batches [T, B, ...] of observations and actions, and windows of recorded play."""

from __future__ import annotations

from collections.abc import Callable
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
    """Observations of one step of N slots, in NumPy; None where the agent's spaces have no such part.

    :func:`agents.columns.observation_columns` has the types and shapes for an agent.
    """

    image: np.ndarray | None  # uint8 [N, H, W, channels]
    setter_tokens: np.ndarray  # int64 [N, L]
    solver_tokens: np.ndarray  # int64 [N, L]
    previous_movement: np.ndarray  # int8 or int16 [N, ticks, C]
    grid: np.ndarray | None = None  # int16 [N, height, width, channels]
    entity_categories: np.ndarray | None = None  # int16 [N, most, categorical features], zeros after the last entity
    entity_values: np.ndarray | None = None  # float32 [N, most, real features], zeros after the last entity
    entity_count: np.ndarray | None = None  # int16 [N], entities observed
    vector: np.ndarray | None = None  # float32 [N, length]
    legal: np.ndarray | None = None  # bool [N, values of all discrete and pointer components]
    texts: np.ndarray | None = None  # int64 [N, texts, L], further texts


class ObservationBatch(NamedTuple):
    """Observations, time-major; None where the agent's spaces have no such part."""

    image: Tensor | None  # uint8 [T, B, H, W, channels]
    setter_tokens: Tensor  # int64 [T, B, L]
    solver_tokens: Tensor  # int64 [T, B, L]
    previous_movement: Tensor  # int8 or int16 [T, B, ticks, C]
    grid: Tensor | None = None  # int16 [T, B, height, width, channels]
    entity_categories: Tensor | None = None  # int16 [T, B, most, categorical features], zeros after the last entity
    entity_values: Tensor | None = None  # float32 [T, B, most, real features], zeros after the last entity
    entity_count: Tensor | None = None  # int16 [T, B], entities observed
    vector: Tensor | None = None  # float32 [T, B, length]
    legal: Tensor | None = None  # bool [T, B, values of all discrete and pointer components]
    texts: Tensor | None = None  # int64 [T, B, texts, L], further texts
    visual: Tensor | None = None  # [T, B, K, width], tokens of the image, where they are known already

    @property
    def shape(self) -> tuple[int, int]:
        """(T, B)."""
        steps, batch = self.setter_tokens.shape[:2]
        return steps, batch


def map_parts(function: Callable[..., Tensor], *batches: ObservationBatch | ObservationArrays) -> ObservationBatch:
    """Return the batch of ``function`` of the parts of ``batches`` that are there; None stays None.

    Args:
      function: of one part of every batch.
      batches: of the same spaces.
    """
    parts = zip(*batches, strict=True)
    return ObservationBatch(*(None if part[0] is None else function(*part) for part in parts))  # type: ignore[arg-type]


class ActionBatch(NamedTuple):
    """Actions, time-major."""

    movement: Tensor  # int8 or int16 [T, B, ticks, C], values of the action's columns
    utterance: Tensor  # int64 [T, B, M], tokens, EOS (unless it was cut), PAD; silence is all PAD


class PolicyLogProbs(NamedTuple):
    """Log-probabilities [T, B] of actions: all ticks' movement, to speak or not, and the words (0 if silent)."""

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
            map_parts(lambda part: part.to(device, non_blocking=True), self.observations),
            ActionBatch(*(part.to(device, non_blocking=True) for part in self.actions)),
            self.resets.to(device, non_blocking=True),
            None if self.demonstrated is None else self.demonstrated.to(device, non_blocking=True),
        )
