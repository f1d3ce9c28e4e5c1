"""Training on recorded play, window by window: what cloning, refining and reward models share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, TypeVar

from torch import Tensor

from agents.agent import InteractiveAgent
from agents.batch import ObservationBatch
from agents.computing import prepare
from agents.learning.optimization import Optimizer
from agents.learning.random_shift import shifted
from rlhf.data.dataset import WindowStream
from rlhf.learning.config import TrainingConfig

State = TypeVar("State", bound=tuple[Tensor, ...])


class Trainer(ABC):
    """A :class:`rlhf.learning.training.Trainable` on windows of recorded play.

    Args:
      model: the model, which is trained in place.
      memory: the model's memory before the first window; a named tuple of tensors.
    """

    prefix: ClassVar[str]  # of its metrics' names

    def __init__(
        self, model: InteractiveAgent, stream: WindowStream, memory: tuple[Tensor, ...], config: TrainingConfig
    ) -> None:
        self.model, self.stream, self.memory, self.config = model, stream, memory, config
        if config.frozen_vision:
            model.freeze_vision()
        self.optimizer = Optimizer(model, config)
        self.done = 0
        prepare(model, config.computing)

    @property
    @abstractmethod
    def weights(self) -> dict[str, float]:
        """Weight of every term that :meth:`terms` may return, by its name."""

    @property
    @abstractmethod
    def shown(self) -> tuple[str, ...]:
        """Terms of the loss beside the progress."""

    @abstractmethod
    def terms(self) -> tuple[dict[str, Tensor], tuple[Tensor, ...]]:
        """Return the unweighted terms of the loss on the next window, and the memory after it."""

    @abstractmethod
    def measure(self) -> dict[str, float]:
        """Return metrics of the model, in evaluation mode, on play that it is not trained on."""

    @abstractmethod
    def score(self, metrics: Mapping[str, float]) -> float | None: ...

    @property
    def counted(self) -> dict[str, float]:
        return {f"{self.prefix}/frames_per_second": self.config.steps * self.config.batch}

    def note(self, metrics: Mapping[str, float]) -> str:
        return ", ".join(f"{name} {metrics[f'{self.prefix}/{name}']:.3f}" for name in self.shown)

    def update(self, progress: float) -> dict[str, float]:
        """Make one gradient step and return its metrics.

        Raises:
          FloatingPointError: if a term of the loss or the gradient is not finite; the weights stay unchanged.
        """
        self.model.train()
        (terms, memory), weights = self.terms(), self.weights
        weighted = {name: (weights[name], term) for name, term in terms.items()}
        metrics = self.optimizer.step(weighted, self.done, progress)
        metrics["learning_rate"] = self.optimizer.learning_rate(self.done, progress)
        self.memory = like(memory, (part.detach() for part in memory))
        self.done += 1
        return {f"{self.prefix}/{name}": value for name, value in metrics.items()}

    def evaluate(self) -> dict[str, float]:
        self.model.eval()
        return self.measure()

    def state_dict(self) -> dict[str, Any]:
        return {
            "optimizer": self.optimizer.state_dict(),
            "stream": self.stream.state_dict(),
            "memory": tuple(self.memory),
            "done": self.done,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Resume from what :meth:`state_dict` returned; the model must have its weights already.

        Raises:
          UserError: if it is of other recorded play.
        """
        self.stream.load_state_dict(state["stream"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.memory = like(self.memory, (part.to(self.model.device) for part in state["memory"]))
        self.done = state["done"]

    def _shifted(self, observations: ObservationBatch) -> ObservationBatch:
        """Return the observations of this update's window with their pictures shifted, as the settings say."""
        return shifted(observations, self.config.shift, self.config.seed, self.done)


def like(state: State, parts: Iterable[Tensor]) -> State:
    """Return ``parts`` as a named tuple of the type of ``state``."""
    return type(state)(*parts)
