"""Gradient descent, the same for cloning, reward models and BC+RL: one step, and its learning rate.

Values that are not finite never reach the weights: the run stops and names them.
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


def learning_rate(config: Any, update: int, progress: float) -> float:
    """Return the learning rate: linear warm-up, then a cosine from the full rate to ``decay`` of it.

    Args:
      config: has learning_rate, warmup and decay: :class:`CloningConfig` or a reward model's settings.
      update: number of the update, from 0.
      progress: share of the training that is done, from 0 to 1.
    """
    warm = min(1.0, (update + 1) / max(1, config.warmup))
    cosine = 0.5 * (1.0 + math.cos(math.pi * min(1.0, progress)))
    return config.learning_rate * warm * (config.decay + (1.0 - config.decay) * cosine)


def load_optimizer(optimizer: torch.optim.Optimizer, state: dict[str, Any], **settings: Any) -> None:
    """Load the moments in ``state`` into ``optimizer``, with ``settings``, which may differ from the saved ones."""
    optimizer.load_state_dict(state)
    for group in optimizer.param_groups:
        group.update(settings)
