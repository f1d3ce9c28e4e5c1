"""Refining a cloned agent on marked play, without playing: what the marks say changes how recorded steps are imitated.

Every method is gradient descent on recorded play with CSS, as cloning is, and differs in what it learns from the marks.
"""

from __future__ import annotations

import numpy as np
from torch import Tensor

from agents.agent import AgentState, InteractiveAgent
from agents.batch import RecordedWindow, send
from agents.networks.improvement import UNKNOWN
from rlhf.data.dataset import Dataset
from rlhf.data.memory import MemoryDataset
from rlhf.data.windows import EpisodeStream
from rlhf.learning.cloner import Imitator, imitation_terms
from rlhf.learning.refining_config import RefiningConfig


class Refiner(Imitator):
    """Trainer that continues a cloned agent: imitation and CSS, and what a method adds."""

    stream: EpisodeStream
    config: RefiningConfig

    def __init__(
        self, agent: InteractiveAgent, play: MemoryDataset, config: RefiningConfig, validation: Dataset | None = None
    ) -> None:
        self.play = play
        super().__init__(agent, play, config, validation)

    @property
    def weights(self) -> dict[str, float]:
        weights, bc = super().weights, self.config.bc_weight
        return weights | {name: bc * weights[name] for name in ("movement", "language")}

    def _next(self) -> tuple[RecordedWindow, np.ndarray]:
        """Return this update's window, its pictures shifted as the settings say, and its rows [T, B]."""
        window, rows = self.stream.next_with_rows(self.model.device)
        return window._replace(observations=self._shifted(window.observations)), rows


class StepwiseRefiner(Refiner):
    """Trainer whose loss has a number of every recorded step.

    Args:
      agent: trained in place.
      play: N steps of recorded play.
      numbers: [N], of every step.
      validation: see :class:`Refiner`.
      possible: bool [N], steps that are imitated: no policy gives the others any probability; None: all.

    Raises:
      ValueError: ``numbers`` are not as many as there are steps.
    """

    def __init__(
        self,
        agent: InteractiveAgent,
        play: MemoryDataset,
        numbers: np.ndarray,
        config: RefiningConfig,
        validation: Dataset | None = None,
        possible: np.ndarray | None = None,
    ) -> None:
        if numbers.shape != play.first.shape:
            raise ValueError(f"numbers {numbers.shape} are not of the {len(play.first)} steps of the play")
        self.numbers = numbers
        self.possible = None if possible is None or possible.all() else possible
        super().__init__(agent, play, config, validation)


class WeightedCloner(StepwiseRefiner):
    """Reward- and advantage-weighted cloning. The numbers are float32 weights (:mod:`rlhf.learning.advantages`)."""

    def terms(self) -> tuple[dict[str, Tensor], AgentState]:
        window, rows = self._next()
        weight = send(self.numbers[rows], self.model.device)
        return imitation_terms(self.model, window, self.memory, self.config.computing, weight)


class ConditionedCloner(StepwiseRefiner):
    """Advantage-conditioned cloning: all steps are imitated, given whether they are good (RECAP).

    The numbers are int64 indicators, and the agent has an improvement indicator. In validation, as in play, every step
    is said to be good.
    """

    def terms(self) -> tuple[dict[str, Tensor], AgentState]:
        window, rows = self._next()
        draws = np.random.default_rng([self.config.seed, self.done])
        dropped = draws.random(rows.shape) < self.config.dropped
        indicator = send(np.where(dropped, UNKNOWN, self.numbers[rows]), self.model.device)
        imitated = None if self.possible is None else send(self.possible[rows], self.model.device)
        everything = window._replace(demonstrated=imitated)
        return imitation_terms(self.model, everything, self.memory, self.config.computing, improvement=indicator)
