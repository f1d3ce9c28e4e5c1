"""Gradient descent, the same for everything that learns: Adam, the schedule of its learning rate, and one step.

Values that are not finite never reach the weights: the run stops and names them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from agents.learning.config import AdamConfig
from agents.learning.workers import SINGLE_WORKER, Workers

_NOTHING: Mapping[str, Tensor] = {}


def cosine_decay(progress: float, left: float) -> float:
    """Return the share of a learning rate that falls along a cosine from 1 to ``left`` at a progress of 1."""
    return left + (1.0 - left) * 0.5 * (1.0 + math.cos(math.pi * min(1.0, progress)))


def linear_decay(progress: float, left: float) -> float:
    """Return the share of a learning rate that falls along a line from 1 to ``left`` at a progress of 1."""
    return 1.0 - (1.0 - left) * min(1.0, progress)


class Optimizer:
    """Adam over all weights of a model. ``state_dict`` resumes bit-exactly.

    Args:
      workers: learners of the same model that share every batch.
      falls: share of the learning rate at a progress, given ``config.decay``.
    """

    def __init__(
        self,
        model: nn.Module,
        config: AdamConfig,
        workers: Workers = SINGLE_WORKER,
        falls: Callable[[float, float], float] = cosine_decay,
    ) -> None:
        self._parameters, self._config, self._workers, self._falls = list(model.parameters()), config, workers, falls
        betas = (config.beta1, config.beta2)
        self.adam = torch.optim.Adam(self._parameters, lr=config.learning_rate, betas=betas, fused=True)

    def learning_rate(self, update: int, progress: float) -> float:
        """Return the learning rate: linear warm-up, then a fall from the full rate to ``decay`` of it.

        Args:
          update: number of the update, from 0.
          progress: progress of the training, from 0 to 1.
        """
        config = self._config
        warm = min(1.0, (update + 1) / max(1, config.warmup))
        return config.learning_rate * warm * self._falls(progress, config.decay)

    def step(
        self,
        terms: Mapping[str, tuple[float, Tensor]],
        update: int,
        progress: float,
        statistics: Mapping[str, Tensor] = _NOTHING,
    ) -> dict[str, float]:
        """Differentiate the weighted sum of ``terms`` and change the weights, unless something is not finite.

        Args:
          terms: weight and value, a scalar, of every term of the loss.
          update: number of the update, from 0.
          progress: progress of the training, from 0 to 1.
          statistics: scalars that are only reported.

        Returns:
          Values of terms and statistics, ``loss`` and ``gradient_norm`` (before clipping), by name.

        Raises:
          FloatingPointError: naming what is not finite; the weights are as they were.
        """
        loss = torch.stack([weight * term for weight, term in terms.values()]).sum()
        self.adam.zero_grad(set_to_none=True)
        loss.backward()
        measured = {name: term for name, (_, term) in terms.items()} | dict(statistics) | {"loss": loss}
        numbers = self._workers.average(self._parameters, torch.stack([value.detach() for value in measured.values()]))
        norm = nn.utils.clip_grad_norm_(self._parameters, self._config.clip)
        # One transfer for all numbers: every other way waits for the device once a number.
        values = dict(zip([*measured, "gradient_norm"], torch.cat([numbers, norm[None]]).tolist(), strict=True))
        names = (*terms, "loss", "gradient_norm")
        broken = [f"{name} is {values[name]}" for name in names if not math.isfinite(values[name])]
        if broken:
            raise FloatingPointError(
                f"update {update} is not finite: {', '.join(broken)}; the weights are as they were before it (a lower "
                "learning_rate or clip may help)"
            )
        for group in self.adam.param_groups:
            group["lr"] = self.learning_rate(update, progress)
        self.adam.step()
        return values

    def state_dict(self) -> dict[str, Any]:
        return self.adam.state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Resume with the moments in ``state``; the settings, which may be other ones, stay."""
        self.adam.load_state_dict(state)
        for group in self.adam.param_groups:
            group.update(lr=self._config.learning_rate, betas=(self._config.beta1, self._config.beta2))
