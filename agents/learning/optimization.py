"""Gradient descent, the same for cloning, reward models and BC+RL: one step, its schedule, and what settings it takes.

What is not finite never reaches the weights: a run that comes upon it stops with the name of what it was.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from agents.learning.workers import SINGLE_WORKER, Workers

_NOTHING: Mapping[str, Tensor] = {}


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
      terms: weight and value of every term of the loss, by name; values are scalars.
      clip: largest global norm of the gradient. update: its number, for what is said if it fails.
      statistics: scalars that are only told. peers: who share the batch.

    Returns: the values of terms and statistics, ``loss`` and ``gradient_norm`` (before clipping), by name.

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
    told = dict(zip([*measured, "gradient_norm"], torch.cat([numbers, norm[None]]).tolist(), strict=True))
    broken = [f"{name} is {told[name]}" for name in (*terms, "loss", "gradient_norm") if not math.isfinite(told[name])]
    if broken:
        raise FloatingPointError(
            f"update {update} is not finite: {', '.join(broken)}; the weights are as they were before it (a lower "
            "learning_rate or clip may help)"
        )
    optimizer.step()
    return told


def learning_rate(config: Any, update: int, progress: float) -> float:
    """Linear warm-up, then a cosine from the full rate to ``decay`` of it as ``progress`` goes from 0 to 1.

    Args:
      config: has learning_rate, warmup and decay: :class:`CloningConfig` or a reward model's settings.
    """
    warm = min(1.0, (update + 1) / max(1, config.warmup))
    cosine = 0.5 * (1.0 + math.cos(math.pi * min(1.0, progress)))
    return config.learning_rate * warm * (config.decay + (1.0 - config.decay) * cosine)


def load_optimizer(optimizer: torch.optim.Optimizer, state: dict[str, Any], **settings: Any) -> None:
    """Give ``optimizer`` the moments in ``state``, but keep to ``settings``, which may have been changed."""
    optimizer.load_state_dict(state)
    for group in optimizer.param_groups:
        group.update(settings)
