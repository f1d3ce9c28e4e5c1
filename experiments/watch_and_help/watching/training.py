"""Training of a watcher on demonstrations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from agents.learning.optimization import Optimizer
from experiments.watch_and_help.watching.frames import Frames
from experiments.watch_and_help.watching.model import Watcher, WatcherConfig
from experiments.watch_and_help.watching.splicing import partners, splice
from rlhf.learning.config import TrainingConfig


@dataclass(frozen=True)
class WatchTraining:
    """Settings of the training of a watcher.

    Args:
      training: of the optimizer; batch is the number of demonstrations.
      last_weight: weight of the loss after the last frame, compared to the mean over all frames.
      spliced: share of the demonstrations that are spliced with one of another goal
        (:mod:`experiments.watch_and_help.watching.splicing`), as far as they find one.
    """

    training: TrainingConfig = field(
        default_factory=lambda: TrainingConfig(
            updates=2500, batch=32, learning_rate=2e-3, beta1=0.9, decay=0.02, warmup=100, clip=1.0
        )
    )
    last_weight: float = 1.0
    spliced: float = 0.0


def watch_loss(model: Watcher, frames: Frames, last_weight: float) -> dict[str, tuple[float, Tensor]]:
    """Return weights and terms of the loss: cross-entropy of the counts of all predicates."""
    logits = model(frames)
    lengths = np.diff(frames.first)
    wanted = torch.from_numpy(np.repeat(frames.goal, lengths, axis=0)).long()
    entropy = F.cross_entropy(logits.transpose(1, 2), wanted, reduction="none").sum(-1)
    share = torch.from_numpy(np.repeat(1 / lengths, lengths)).float()
    last = torch.from_numpy(frames.first[1:] - 1)
    return {"posterior": (1.0, (entropy * share).sum() / len(frames)), "last": (last_weight, entropy[last].mean())}


class Watching:
    """A watcher that learns from demonstrations (:class:`rlhf.learning.training.Trainable`).

    Args:
      frames: frames of the demonstrations of training, as the model sees them.
    """

    counted: Mapping[str, float] = {}

    def __init__(self, config: WatcherConfig, frames: Frames, settings: WatchTraining) -> None:
        torch.manual_seed(settings.training.seed)
        self.model, self._settings = Watcher(config).train(), settings
        self._optimizer = Optimizer(self.model, settings.training)
        self._batches = _batches(frames, settings)
        self.done = 0

    def update(self, progress: float) -> dict[str, float]:
        terms = watch_loss(self.model, next(self._batches), self._settings.last_weight)
        metrics = self._optimizer.step(terms, self.done, progress)
        self.done += 1
        return metrics

    def evaluate(self) -> dict[str, float]:
        return {}

    def score(self, metrics: Mapping[str, float]) -> None:
        return None

    def note(self, metrics: Mapping[str, float]) -> str:
        return f"loss {metrics['loss']:.3f}"

    def state_dict(self) -> dict[str, Any]:
        return {"optimizer": self._optimizer.state_dict(), "done": self.done}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._optimizer.load_state_dict(state["optimizer"])
        for _ in range(self.done, state["done"]):  # which follow from the seed
            next(self._batches)
        self.done = state["done"]


def _batches(frames: Frames, settings: WatchTraining) -> Iterator[Frames]:
    """Yield batches without end; demonstrations of similar length are together, as the longest one sets the time."""
    size, rng, lengths = settings.training.batch, np.random.default_rng(settings.training.seed), np.diff(frames.first)
    while True:
        order = rng.permutation(len(frames))
        for pool in np.array_split(order, max(1, len(order) // (size * 8))):
            by_length = pool[np.argsort(lengths[pool], kind="stable")]
            batches = np.array_split(by_length, max(1, round(len(pool) / size)))
            for number in rng.permutation(len(batches)):
                chosen = batches[number]
                if settings.spliced:
                    yield splice(frames, chosen, partners(frames.goal, chosen, settings.spliced, rng), rng)
                else:
                    yield frames.pick(chosen)
