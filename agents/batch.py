"""Time-major batches [T, B, ...] of observations and actions, and windows of recorded play."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import torch
from torch import Tensor

from agents.config import AgentConfig


def send(array: np.ndarray, device: torch.device | str) -> Tensor:
    """Return ``array`` as a tensor on ``device``. On the CPU the memory is shared, not copied.

    To a GPU it goes through page-locked memory, from which it is copied while both sides continue.
    """
    tensor = torch.from_numpy(array)
    if torch.device(device).type == "cuda":
        return tensor.pin_memory().to(device, non_blocking=True)
    return tensor.to(device)


Part = TypeVar("Part", np.ndarray, Tensor)


class Observed(NamedTuple, Generic[Part]):
    """Observations of N slots [N, ...], or of T steps of B slots [T, B, ...]; None where the spaces have no such part.

    :func:`observation_columns` makes the types and shapes from the spaces of an agent.
    """

    image: Part | None  # uint8 [..., H, W, channels]
    setter_tokens: Part  # int64 [..., L]
    solver_tokens: Part  # int64 [..., L]
    previous_movement: Part  # int8 or int16 [..., ticks, C]
    grid: Part | None = None  # int16 [..., height, width, channels]
    entity_categories: Part | None = None  # int16 [..., most, categorical features], zeros after the last entity
    entity_values: Part | None = None  # float32 [..., most, real features], zeros after the last entity
    entity_count: Part | None = None  # int16 [...], entities observed
    vector: Part | None = None  # float32 [..., length]
    legal: Part | None = None  # bool [..., values of all discrete and pointer components]
    texts: Part | None = None  # int64 [..., texts, L], further texts
    visual: Part | None = None  # float32 [..., K, width], tokens of the image, where they are known already

    def map(self, function: Callable[[Part], Part]) -> Observed[Part]:
        """Return ``function`` of every part that is there."""
        return Observed(*(None if part is None else function(part) for part in self))  # type: ignore[arg-type]

    @property
    def shape(self) -> tuple[int, int]:
        """(T, B)."""
        steps, batch = self.setter_tokens.shape[:2]
        return steps, batch


ObservationArrays = Observed[np.ndarray]
ObservationBatch = Observed[Tensor]


def observation_columns(config: AgentConfig) -> dict[str, tuple[np.dtype, tuple[int, ...]]]:
    """Return type and shape of one step of every input that an agent of ``config`` takes, in the order of Observed."""
    player, columns, int64 = config.player, config.columns, np.dtype(np.int64)
    most = 0 if player.observation.entities is None else player.observation.entities.most
    found: dict[str, tuple[np.dtype, tuple[int, ...]]] = {
        name: (dtype, tuple(most if side is None else side for side in shape))
        for name, (dtype, shape) in player.arrays.items()
    }
    found["setter_tokens"] = int64, (config.setter_text_length,)
    found["solver_tokens"] = int64, (config.solver_text_length,)
    found["previous_movement"] = np.dtype(columns.dtype), (columns.ticks, len(columns.counts))
    if most:
        found["entity_count"] = np.dtype(np.int16), ()
    if player.observation.texts:
        found["texts"] = int64, (len(player.observation.texts), config.setter_text_length)
    return {name: found[name] for name in Observed._fields if name in found}


def action_columns(config: AgentConfig) -> dict[str, tuple[np.dtype, tuple[int, ...]]]:
    """Return type and shape of one step of an action, by field of :class:`ActionBatch`."""
    columns = config.columns
    return {
        "movement": (np.dtype(columns.dtype), (columns.ticks, len(columns.counts))),
        "utterance": (np.dtype(np.int64), (config.utterance_length,)),
    }


def map_parts(function: Callable[..., Any], *batches: Observed[Any]) -> ObservationBatch:
    """Return the batch of ``function`` of the parts of ``batches`` that are there; None stays None."""
    parts: list[Any] = [None if part[0] is None else function(*part) for part in zip(*batches, strict=True)]
    return ObservationBatch(*parts)


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
