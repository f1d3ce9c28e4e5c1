"""Training on recorded play: the loop, optimizer and resumable state that cloning and reward models share."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, TypeVar

from torch import Tensor

from agents.agent import InteractiveAgent
from agents.batch import ObservationBatch
from agents.computing import prepare
from agents.learning.optimization import cosine_decay, load_optimizer, make_optimizer, optimizer_step
from agents.learning.random_shift import shifted
from rlhf.data.dataset import WindowStream
from rlhf.learning.config import TrainingConfig

State = TypeVar("State", bound=tuple[Tensor, ...])


class Trainer(ABC):
    """Trainer of one model, one update at a time; ``state_dict`` resumes bit-exactly.

    Args:
      model: trained in place.
      stream: windows of recorded play.
      memory: the model's memory before the first window; a named tuple of tensors.
      config: settings of the training.
    """

    prefix: ClassVar[str]  # of its metrics' names

    def __init__(
        self, model: InteractiveAgent, stream: WindowStream, memory: tuple[Tensor, ...], config: TrainingConfig
    ) -> None:
        self.model, self.stream, self.memory, self.config = model, stream, memory, config
        if config.frozen_vision:
            model.freeze_vision()
        self.optimizer = make_optimizer(model, config)
        self.update_index = 0
        self.seconds = 0.0  # spent on training so far, over all resumptions
        prepare(model, config.computing)

    @property
    @abstractmethod
    def weights(self) -> dict[str, float]:
        """Weight of every term that :meth:`terms` may return, by its name."""

    @abstractmethod
    def terms(self) -> tuple[dict[str, Tensor], tuple[Tensor, ...]]:
        """Return the unweighted terms of the loss on the next window, and the memory after it."""

    @abstractmethod
    def evaluate(self) -> dict[str, float]:
        """Return metrics of the model on play that it is not trained on; none if there is no such play."""

    @property
    def progress(self) -> float:
        """Progress of the training, by updates or by time, whichever is further; 1 or more is the end."""
        by_time = self.seconds / self.config.max_seconds if self.config.max_seconds is not None else 0.0
        return max(self.update_index / self.config.updates, by_time)

    @property
    def finished(self) -> bool:
        """True if no update is left to make."""
        return self.progress >= 1.0

    def update(self, progress: float) -> dict[str, float]:
        """Make one gradient step.

        Args:
          progress: of the training, in [0, 1].

        Returns:
          Metrics of the step.

        Raises:
          FloatingPointError: if a term of the loss or the gradient is not finite; the weights stay unchanged.
        """
        rate = learning_rate(self.config, self.update_index, progress)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        (terms, memory), weights = self.terms(), self.weights
        weighted = {name: (weights[name], term) for name, term in terms.items()}
        metrics = optimizer_step(self.optimizer, self.model.parameters(), weighted, self.config.clip, self.update_index)
        self.memory = _like(memory, (part.detach() for part in memory))
        self.update_index += 1
        return {f"{self.prefix}/{name}": value for name, value in (metrics | {"learning_rate": rate}).items()}

    def run(
        self,
        on_metrics: Callable[[int, dict[str, float]], None] = lambda update, metrics: None,
        on_progress: Callable[[float], None] = lambda progress: None,
        on_checkpoint: Callable[[], object] = lambda: None,
        checkpoint_every: int | None = None,
    ) -> None:
        """Update to the end, and evaluate now and then and at the end.

        Args:
          on_metrics: called with the update's number and its metrics.
          on_progress: called after every update with the progress of the training, in a state that ``on_checkpoint``
            could save; an exception from it ends the training.
          on_checkpoint: called every ``checkpoint_every`` updates and at the end, when ``state_dict`` and the model's
            weights are all that is needed to resume.
          checkpoint_every: number of updates; None: after every evaluation.
        """
        config, often = self.config, checkpoint_every or self.config.evaluate_every
        began, before, first = time.monotonic(), self.seconds, self.update_index
        self.model.train()
        while not self.finished:
            metrics = self.update(self.progress)
            self.seconds = before + time.monotonic() - began
            evaluates = self.finished or self.update_index % config.evaluate_every == 0
            if evaluates:
                self.model.eval()
                metrics |= self.evaluate()
                self.model.train()
            if evaluates or self.update_index % config.log_every == 0:
                frames = (self.update_index - first) * config.steps * config.batch
                rate = frames / max(self.seconds - before, 1e-9)
                on_metrics(self.update_index, metrics | {f"{self.prefix}/frames_per_second": rate})
            on_progress(min(1.0, self.progress))
            if self.finished or self.update_index % often == 0:
                on_checkpoint()
        self.model.eval()

    def state_dict(self) -> dict[str, Any]:
        """Return the state of the training: all but the model's weights."""
        return {
            "optimizer": self.optimizer.state_dict(),
            "stream": self.stream.state_dict(),
            "memory": tuple(self.memory),
            "update": self.update_index,
            "seconds": self.seconds,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Resume from what :meth:`state_dict` returned; the model must have its weights already.

        Raises:
          UserError: if it is of other recorded play.
        """
        self.stream.load_state_dict(state["stream"])
        load_optimizer(self.optimizer, state["optimizer"], self.config)
        self.memory = _like(self.memory, (part.to(self.model.device) for part in state["memory"]))
        self.update_index, self.seconds = state["update"], state["seconds"]

    def _shifted(self, observations: ObservationBatch) -> ObservationBatch:
        """Return the observations of this update's window with their pictures shifted, as the settings say."""
        return shifted(observations, self.config.shift, self.config.seed, self.update_index)


def learning_rate(config: TrainingConfig, update: int, progress: float) -> float:
    """Return the learning rate: linear warm-up, then a cosine from the full rate to ``decay`` of it.

    Args:
      config: settings of the training.
      update: number of the update, from 0.
      progress: of the training, from 0 to 1.
    """
    warm = min(1.0, (update + 1) / max(1, config.warmup))
    return config.learning_rate * warm * cosine_decay(progress, config.decay)


def _like(state: State, parts: Iterable[Tensor]) -> State:
    """Return ``parts`` as a named tuple of the type of ``state``."""
    return type(state)(*parts)
