"""RIDE (Raileanu and Rocktäschel, 2020): a step is rewarded by how much it changes what the agent can affect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from experiments.social_ai.exploration.counts import EpisodicCounts
from experiments.social_ai.exploration.networks import FEATURES, as_input, image_encoder, learn, optimizer_of
from worlds.ranges import Count, Positive, Seed, Weight
from worlds.settings import settings

_HIDDEN = 256
Transition = tuple[np.ndarray, int, np.ndarray]  # what was seen, the action, what is seen then


def impacts(before: Tensor, after: Tensor, counts: Tensor) -> Tensor:
    """Return the change of features, by the root of how often what follows was seen: [N] (their Eq. 4).

    Args:
      before: [N, D], features of a step's observation.
      after: [N, D], features of the next one.
      counts: [N], how often the next one has been observed in its episode, itself included.
    """
    return torch.linalg.vector_norm(after - before, dim=1) / counts.sqrt()


@settings
class ImpactSettings:
    """Settings of RIDE.

    Args:
      coefficient: of the bonus.
      forward_weight: of the loss of the model of what follows an action.
      inverse_weight: of the loss of the model of the action between two observations.
      learning_rate: of both models and of the features.
      batch: steps after which they learn, from just these.
      seed: of the weights.

    Raises:
      UserError: a number out of its range.
    """

    coefficient: Weight = 0.01
    forward_weight: Weight = 10.0
    inverse_weight: Weight = 0.1
    learning_rate: Positive = 1e-4
    batch: Count = 64
    seed: Seed = 0


class ImpactModels(nn.Module):
    """Features of maps, and the two models that teach them what an action changes."""

    def __init__(self, shape: tuple[int, int, int], actions: int) -> None:
        super().__init__()
        self.actions = actions
        self.features = image_encoder(shape[-1])
        with torch.no_grad():
            width = self.features(torch.zeros(1, shape[-1], *shape[:2])).shape[1]
        assert width % FEATURES == 0
        self.following = nn.Sequential(nn.Linear(width + actions, _HIDDEN), nn.ReLU(), nn.Linear(_HIDDEN, width))
        self.acting = nn.Sequential(nn.Linear(2 * width, _HIDDEN), nn.ReLU(), nn.Linear(_HIDDEN, actions))

    def losses(self, before: Tensor, action: Tensor, after: Tensor) -> tuple[Tensor, Tensor]:
        """Return the losses of the forward and of the inverse model, means over N steps.

        Args:
          before: float [N, channels, H, W], what was seen.
          action: int64 [N], done then.
          after: float [N, channels, H, W], what was seen next.
        """
        here, there = self.features(before), self.features(after)
        expected = self.following(torch.cat([here, F.one_hot(action, self.actions).to(here.dtype)], dim=1))
        guessed = self.acting(torch.cat([here, there], dim=1))
        return torch.linalg.vector_norm(expected - there, dim=1).mean(), F.cross_entropy(guessed, action)


class ImpactBonus:
    """RIDE: the bonus is the change of learned features, less for what was often seen in the episode.

    Args:
      shape: height, width and channels of the observed map.
      actions: number of primitive actions, none included.
      key: of the observations' map, uint8.
    """

    def __init__(
        self,
        shape: tuple[int, int, int],
        actions: int,
        settings: ImpactSettings | None = None,
        key: str = "image",
    ) -> None:
        self.settings, self._key = settings or ImpactSettings(), key
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.settings.seed)
            self.models = ImpactModels(shape, actions)
        self._optimizer = optimizer_of(self.models.parameters(), self.settings.learning_rate)
        self._counts, self._before = EpisodicCounts(), np.zeros(shape, np.uint8)
        self._steps: list[Transition] = []

    def begin(self, seen: Mapping[str, Any]) -> None:
        self._before = np.asarray(seen[self._key], np.uint8)
        self._counts.forget()
        self._counts.see({self._before.tobytes()})

    def step(self, seen: Mapping[str, Any], action: Any, ended: bool) -> float:
        before, after = self._before, np.asarray(seen[self._key], np.uint8)
        (known,) = self._counts.see({after.tobytes()})
        (bonus,) = self.bonuses(before[None], after[None], np.array([known + 1]))
        self._steps.append((before, primitive(action, self.models.actions), after))
        self._before = after
        if len(self._steps) >= self.settings.batch:
            self.learn(self._steps)
            self._steps = []
        return 0.0 if ended else float(bonus)

    def bonuses(self, before: np.ndarray, after: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """Return the bonuses, float [N]; nothing is learned.

        Args:
          before: uint8 [N, H, W, channels], what was seen.
          counts: [N], how often that was observed in its episode, itself included.
        """
        with torch.no_grad():
            here, there = self.models.features(as_input(before)), self.models.features(as_input(after))
            return self.settings.coefficient * impacts(here, there, torch.from_numpy(counts)).numpy()

    def learn(self, steps: Sequence[Transition]) -> tuple[float, float]:
        """Take one step of learning, and return the losses of both models before it."""
        before, after = (as_input(np.stack([step[part] for step in steps])) for part in (0, 2))
        following, acting = self.models.losses(before, torch.tensor([step[1] for step in steps]), after)
        total = self.settings.forward_weight * following + self.settings.inverse_weight * acting
        learn(self.models, self._optimizer, total)
        return following.item(), acting.item()


def primitive(action: Any, actions: int) -> int:
    """Return the number of the primitive action of an action of several parts, its first; none is the last number.

    Args:
      action: a whole number, or an array whose first entry is the primitive, -1 or NaN for none.
      actions: number of primitive actions, none included.
    """
    first = float(np.asarray(action).reshape(-1)[0])
    return actions - 1 if np.isnan(first) or first < 0 else min(int(first), actions - 1)
