"""Random network distillation (RND; Burda et al., 2018): what a network cannot predict yet is new."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from experiments.social_ai.exploration.networks import as_input, image_encoder, learn, optimizer_of
from worlds.ranges import Count, Positive, Seed, Weight
from worlds.settings import settings


def prediction_errors(predicted: Tensor, target: Tensor) -> Tensor:
    """Return the Euclidean distances [N] of predictions [N, D] from fixed random features [N, D]."""
    return torch.linalg.vector_norm(predicted - target, dim=1)


@settings
class DistillationSettings:
    """Settings of RND.

    Args:
      coefficient: of the bonus.
      loss_weight: of the predictor's loss.
      learning_rate: of the predictor.
      batch: steps after which the predictor learns, from just these.
      seed: of both networks' weights.

    Raises:
      UserError: a number out of its range.
    """

    coefficient: Weight = 0.005
    loss_weight: Positive = 0.1
    learning_rate: Positive = 1e-4
    batch: Count = 64
    seed: Seed = 0


class DistillationBonus:
    """RND: the bonus is the error of a predictor of fixed random features, which learns from what is observed.

    Args:
      shape: height, width and channels of the observed map.
      key: of the observations' map, uint8.
    """

    def __init__(
        self, shape: tuple[int, int, int], settings: DistillationSettings | None = None, key: str = "image"
    ) -> None:
        self.settings, self._key = settings or DistillationSettings(), key
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.settings.seed)
            self.target, self.predictor = image_encoder(shape[-1]), image_encoder(shape[-1])
        nn.Module.requires_grad_(self.target, False)
        self._optimizer = optimizer_of(self.predictor.parameters(), self.settings.learning_rate)
        self._seen: list[np.ndarray] = []

    def begin(self, seen: Mapping[str, Any]) -> None:
        """See :meth:`experiments.social_ai.exploration.bonuses.Bonus.begin`; it has no memory of episodes."""

    def step(self, seen: Mapping[str, Any], action: Any, ended: bool) -> float:
        image = np.asarray(seen[self._key], np.uint8)
        (bonus,) = self.bonuses(image[None])
        self._seen.append(image)
        if len(self._seen) >= self.settings.batch:
            self.learn(np.stack(self._seen))
            self._seen = []
        return 0.0 if ended else float(bonus)

    def bonuses(self, images: np.ndarray) -> np.ndarray:
        """Return the bonuses, float [N], of maps uint8 [N, H, W, channels]; nothing is learned."""
        with torch.no_grad():
            given = as_input(images)
            return self.settings.coefficient * prediction_errors(self.predictor(given), self.target(given)).numpy()

    def learn(self, images: np.ndarray) -> float:
        """Take one step of learning on maps uint8 [N, H, W, channels], and return the loss before it."""
        given = as_input(images)
        loss = self.settings.loss_weight * prediction_errors(self.predictor(given), self.target(given)).mean()
        learn(self.predictor, self._optimizer, loss)
        return loss.item()
