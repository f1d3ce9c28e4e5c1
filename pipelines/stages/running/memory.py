"""Checks, before a stage begins, that its batches fit into memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from agents.batch import observation_columns
from agents.computing_config import ComputingConfig
from agents.config import AgentConfig
from agents.learning.footprint import UNCERTAINTY, learning_bytes
from pipelines.stages.improve_config import ImproveConfig
from rlhf.run.machine import usable_memory
from rlhf.run.progress import announce
from worlds.errors import UserError

if TYPE_CHECKING:
    from reward_models.learning.config import RewardTrainingConfig
    from rlhf.learning.refining_config import RefiningConfig
    from rlhf.records.preferences import Preference

_GIB = 2**30
_PROGRAM = 0.6 * _GIB  # Python with PyTorch, before it has learned anything
# Of a frame that is followed for preferences: no policies, no contrastive pairs, and what is not kept is of one window
# only. Estimates over measured memory, nano and mini on the CPU, 400 to 2,950 frames: 1.0 to 1.35.
_FOLLOWED = 0.8


class Agent(Protocol):
    """An agent or a reward model, of which only the size matters."""

    config: Any

    def num_parameters(self) -> int: ...


class Training(Protocol):
    """Settings of a training on windows [T, B] of recorded play."""

    @property
    def steps(self) -> int: ...
    @property
    def batch(self) -> int: ...
    @property
    def computing(self) -> ComputingConfig: ...


def memory_of(device: str) -> int:
    """Return the bytes of memory of ``device``: of this machine for "cpu", else of that GPU."""
    if not device.startswith("cuda"):
        return usable_memory()
    import torch

    return torch.cuda.get_device_properties(device).total_memory


def check_memory(
    setting: str, size: int, needed: Callable[[int], float], usable: int, otherwise: str = "use fewer steps"
) -> None:
    """Refuse a batch that does not fit into memory, and warn of one that may not.

    Args:
      setting: setting of the batch's size, as typed, e.g. "--training.batch".
      needed: estimate of the peak bytes by size, within a factor of :data:`agents.learning.footprint.UNCERTAINTY`.
      usable: usable bytes of memory.
      otherwise: what helps where no size fits, besides a smaller agent.

    Raises:
      UserError: naming both numbers and the largest size that fits.
    """
    estimate = needed(size)
    if estimate <= usable:
        return
    numbers = f"{setting} {size} needs about {estimate / _GIB:,.1f} GiB of memory, {usable / _GIB:,.1f} GiB are usable"
    fits = largest(lambda candidate: needed(candidate) <= usable, size)
    way = f"{setting} {fits} fits" if fits else f"even {setting} 1 does not fit: {otherwise} or a smaller agent"
    if estimate / UNCERTAINTY <= usable:
        announce(f"warning: {numbers}; it may not fit ({way})")
        return
    raise UserError(f"{numbers}; {way}")


def largest(fits: Callable[[int], bool], below: int) -> int:
    """Return the largest integer from 1 to ``below`` that ``fits``, as all smaller ones do; 0 if none does."""
    least, most = 0, below
    while least < most:
        middle = (least + most + 1) // 2
        least, most = (middle, most) if fits(middle) else (least, middle - 1)
    return least


def check_improvement(config: ImproveConfig, agent: Agent, entities: int | None = None) -> None:
    """Refuse more slots, or a larger batch, of `rlhf improve` than fit into memory.

    Args:
      entities: of the frame with most of them; None for as many as the agent's spaces allow.

    Raises:
      UserError: if they need more memory than there is.
    """
    if config.executor != "local" or not isinstance(agent.config, AgentConfig):
        return  # of other machines, or of the user's own agents, memory is not known
    sizes, weights, rows = agent.config, agent.num_parameters(), config.steps + 1
    row = observed_bytes(sizes)

    def needed(slots: int, batch: int) -> float:
        learner = learning_bytes(sizes, rows, slots + batch, weights, config.learner.computing, batch, entities)
        fragments = (config.execution.recent + 1) * rows * slots * row
        return _PROGRAM + learner + fragments

    usable = memory_of(config.device)
    if config.batch is not None and config.batch > config.slots:
        check_memory("--batch", config.batch, lambda batch: needed(config.slots, batch), usable)
    else:
        batch = config.batch
        check_memory("--slots", config.slots, lambda slots: needed(slots, batch or slots), usable)


def observed_bytes(config: AgentConfig) -> int:
    """Return the bytes of one step's observation, as fragments hold it, without words and own actions."""
    columns = observation_columns(config)
    left_out = ("setter_tokens", "solver_tokens", "previous_movement")
    kept = [column for name, column in columns.items() if name not in left_out]
    return sum(math.prod(tail) * np.dtype(dtype).itemsize for dtype, tail in kept)


def check_training(training: Training, agent: Agent, device: str, entities: int | None = None) -> None:
    """Refuse a larger batch of `rlhf clone` or `rlhf reward` than fits into memory.

    Args:
      agent: agent or reward model.
      device: on which it learns.
      entities: of the frame with most of them; None for as many as the agent's spaces allow.

    Raises:
      UserError: if it needs more memory than there is.
    """
    if not isinstance(agent.config, AgentConfig):
        return  # the sizes of the user's own agents are not known
    weights = agent.num_parameters()

    def needed(batch: int) -> float:
        learned = learning_bytes(agent.config, training.steps, batch, weights, training.computing, entities=entities)
        return _PROGRAM + learned

    check_memory("--training.batch", training.batch, needed, memory_of(device))


def check_refining(training: RefiningConfig, agent: Agent, device: str, entities: int | None = None) -> None:
    """Refuse more windows before marks, or a larger batch, of `rlhf refine` than fit into memory together.

    Args:
      device: on which it learns.
      entities: of the frame with most of them; None for as many as the agent's spaces allow.

    Raises:
      UserError: if they need more memory than there is.
    """
    if not (isinstance(agent.config, AgentConfig) and training.on_windows and training.preference_weight):
        check_training(training, agent, device, entities)
        return
    sizes, weights, computing = agent.config, agent.num_parameters(), training.computing
    each = training.window + training.context

    # Estimates over measured memory of the windows, nano on the CPU, 1,536 and 4,608 frames: 1.0 to 1.2.
    def needed(batch: int, windows: int) -> float:
        imitated = learning_bytes(sizes, training.steps, batch, weights, computing, entities=entities)
        return _PROGRAM + imitated + learning_bytes(sizes, 1, windows * each, 0, computing, 0, entities)

    usable, batch, windows = memory_of(device), training.batch, training.windows
    if windows * each > training.steps * batch:
        shorter = "use a smaller --training.window or --training.context"
        check_memory("--training.windows", windows, lambda windows: needed(batch, windows), usable, shorter)
    else:
        check_memory("--training.batch", batch, lambda batch: needed(batch, windows), usable)


def check_followed(
    training: RewardTrainingConfig,
    model: Agent,
    preferences: Sequence[Preference],
    device: str,
    entities: int | None = None,
) -> None:
    """Refuse more examples of preferences and of pairs of requests, or a larger batch, than fit into memory together.

    Args:
      preferences: from which it learns; without any, :func:`check_training` is enough.
      device: on which it learns.
      entities: of the frame with most of them; None for as many as the model's spaces allow.

    Raises:
      UserError: if they need more memory than there is.
    """
    if not isinstance(model.config, AgentConfig):
        return
    from reward_models.preferences.footprint import most_followed  # here, as `rlhf improve` follows none

    sizes, weights, computing, steps = model.config, model.num_parameters(), training.computing, training.steps

    def followed(examples: int) -> int:
        # Of each of a pair of requests the first and the last window are kept.
        pairs = 2 * examples * min(2 * steps, training.preferences.longest + steps) * len(training.request_weights)
        return most_followed(preferences, replace(training.preferences, batch=examples), steps) + pairs

    def needed(batch: int, examples: int) -> float:
        marks = learning_bytes(sizes, steps, batch, weights, computing, entities=entities)
        frames = followed(examples)
        return _PROGRAM + marks + _FOLLOWED * learning_bytes(sizes, 1, frames, 0, computing, 0, entities)

    usable, batch, examples = memory_of(device), training.batch, training.preferences.batch
    frames = followed(examples)
    if frames > steps * batch:
        setting, shorter = "--training.preferences.batch", "use a smaller --training.preferences.longest"
        check_memory(setting, examples, lambda examples: needed(batch, examples), usable, shorter)
    elif frames:
        check_memory("--training.batch", batch, lambda batch: needed(batch, examples), usable)
