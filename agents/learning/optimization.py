"""Gradient descent, the same for cloning, reward models and BC+RL: the optimizer and one step.

Values that are not finite never reach the weights: the run stops and names them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from agents.learning.workers import SINGLE_WORKER, Workers

_NOTHING: Mapping[str, Tensor] = {}


def cosine_decay(progress: float, left: float) -> float:
    """Return the share of a learning rate that falls along a cosine.

    Args:
      progress: of the training, from 0 to 1; beyond it the share stays.
      left: share at the end.
    """
    return left + (1.0 - left) * 0.5 * (1.0 + math.cos(math.pi * min(1.0, progress)))


class AdamConfig(Protocol):
    """Settings of Adam."""

    @property
    def learning_rate(self) -> float: ...
    @property
    def beta1(self) -> float: ...
    @property
    def beta2(self) -> float: ...


def optimizer_step(
    optimizer: torch.optim.Optimizer,
    parameters: Iterable[nn.Parameter],
    terms: Mapping[str, tuple[float, Tensor]],
    clip: float,
    update: int,
    statistics: Mapping[str, Tensor] = _NOTHING,
    workers: Workers = SINGLE_WORKER,
) -> dict[str, float]:
    """Differentiate the weighted sum of ``terms`` and let ``optimizer`` step, unless something is not finite.

    Args:
      optimizer: of ``parameters``.
      parameters: those that are learned.
      terms: weight and value of every term of the loss, by name; values are scalars.
      clip: largest global norm of the gradient.
      update: number of the update, for the message if it fails.
      statistics: scalars that are only reported.
      workers: learners that share the batch.

    Returns:
      Values of terms and statistics, ``loss`` and ``gradient_norm`` (before clipping), by name.

    Raises:
      FloatingPointError: naming what is not finite; the weights are as they were.
    """
    parameters = list(parameters)
    loss = torch.stack([weight * term for weight, term in terms.values()]).sum()
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    measured = {name: term for name, (_, term) in terms.items()} | dict(statistics) | {"loss": loss}
    numbers = workers.average(parameters, torch.stack([value.detach() for value in measured.values()]))
    norm = nn.utils.clip_grad_norm_(parameters, clip)
    # One transfer for all numbers: every other way waits for the device once a number.
    values = dict(zip([*measured, "gradient_norm"], torch.cat([numbers, norm[None]]).tolist(), strict=True))
    names = (*terms, "loss", "gradient_norm")
    broken = [f"{name} is {values[name]}" for name in names if not math.isfinite(values[name])]
    if broken:
        raise FloatingPointError(
            f"update {update} is not finite: {', '.join(broken)}; the weights are as they were before it (a lower "
            "learning_rate or clip may help)"
        )
    optimizer.step()
    return values


def make_optimizer(model: nn.Module, config: AdamConfig) -> torch.optim.Adam:
    """Return the optimizer of all weights of ``model``."""
    betas = (config.beta1, config.beta2)
    return torch.optim.Adam(model.parameters(), lr=config.learning_rate, betas=betas, fused=True)


def load_optimizer(optimizer: torch.optim.Adam, state: dict[str, Any], config: AdamConfig) -> None:
    """Load the moments in ``state`` into ``optimizer``, with the settings of ``config``, which may be other ones."""
    optimizer.load_state_dict(state)
    for group in optimizer.param_groups:
        group.update(lr=config.learning_rate, betas=(config.beta1, config.beta2))
