"""Training of a watcher on demonstrations."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from agents.learning.optimization import make_optimizer, optimizer_step
from experiments.watch_and_help.watching.frames import Frames
from experiments.watch_and_help.watching.model import Watcher, WatcherConfig
from experiments.watch_and_help.watching.splicing import partners, splice
from rlhf.learning.config import TrainingConfig
from rlhf.learning.trainer import learning_rate


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
    """Return weights and terms of the loss: cross-entropy of the counts of all predicates.

    Args:
      model: that is trained.
      frames: of demonstrations.
      last_weight: weight of the term of the last frames.
    """
    logits = model(frames)
    lengths = np.diff(frames.first)
    wanted = torch.from_numpy(np.repeat(frames.goal, lengths, axis=0)).long()
    entropy = F.cross_entropy(logits.transpose(1, 2), wanted, reduction="none").sum(-1)
    share = torch.from_numpy(np.repeat(1 / lengths, lengths)).float()
    last = torch.from_numpy(frames.first[1:] - 1)
    return {"posterior": (1.0, (entropy * share).sum() / len(frames)), "last": (last_weight, entropy[last].mean())}


def train_watcher(
    config: WatcherConfig,
    frames: Frames,
    settings: WatchTraining,
    on_update: Callable[[int, dict[str, float]], None] = lambda update, metrics: None,
) -> Watcher:
    """Return a model that was trained from scratch.

    Args:
      config: of the model.
      frames: of the demonstrations of training, as the model sees them.
      settings: of the training.
      on_update: called after every update with its number and metrics.
    """
    training = settings.training
    torch.manual_seed(training.seed)
    model = Watcher(config).train()
    optimizer = make_optimizer(model, training)
    start = time.monotonic()
    for update, batch in zip(range(training.updates), _batches(frames, settings), strict=False):
        passed = (time.monotonic() - start) / training.max_seconds if training.max_seconds else 0.0
        progress = max(update / training.updates, passed)
        if progress >= 1.0:
            break
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(training, update, progress)
        terms = watch_loss(model, batch, settings.last_weight)
        on_update(update, optimizer_step(optimizer, model.parameters(), terms, training.clip, update))
    return model.eval()


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
