"""Cloning an agent from recorded play: BC and CSS by gradient descent (paper, A.7)."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from agents.agent import AgentState, InteractiveAgent
from agents.batch import RecordedWindow
from agents.computing import ComputingConfig, autocast
from agents.learning.cloning import bc_loss, weighted_bc_loss
from agents.learning.contrastive import css_loss
from agents.tokenizer import PAD_ID
from rlhf.data.dataset import Dataset, check_demonstrated
from rlhf.learning.config import TrainingConfig
from rlhf.learning.trainer import Trainer
from worlds.errors import UserError
from worlds.settings import settings


@settings
class CloningConfig(TrainingConfig):
    """Settings of cloning an agent: those of every training, whose loss is that of imitation and CSS."""


def imitation_terms(
    agent: InteractiveAgent,
    window: RecordedWindow,
    state: AgentState,
    computing: ComputingConfig | None = None,
    weight: Tensor | None = None,
    improvement: Tensor | None = None,
) -> tuple[dict[str, Tensor], AgentState]:
    """The unweighted terms ``movement``, ``language`` and ``css`` on a window of recorded play.

    Only what was demonstrated is imitated; an agent's own steps are observed and remembered, and CSS learns from them.

    Args:
      window: [T, B] of recorded play.
      weight: float [T, B], by which each step is imitated, an agent's own steps too; None imitates what was
        demonstrated, all of it alike.
      improvement: int [T, B], the indicator of an agent that has one; None leaves it to the agent.

    Returns:
      The terms, and the memory after the window.
    """
    with autocast(computing or ComputingConfig(), window.resets.device):
        if improvement is None:
            output, state = agent(window.observations, state, window.resets)
        else:
            output, state = agent(window.observations, state, window.resets, improvement)
    log_probs = agent.log_probs(output, window.actions)
    terms = bc_loss(log_probs, window.demonstrated) if weight is None else weighted_bc_loss(log_probs, weight)
    words = window.observations.setter_tokens
    asked = words[..., 0] != PAD_ID
    terms["css"] = css_loss(agent.discriminator, output.vision, output.language, words, asked, seen=output.seen)
    return terms, state


class Imitator(Trainer):
    """Trainer of an agent that imitates recorded play, evaluated by how well it does so on validation episodes.

    Args:
      agent: the agent, which is trained in place.
      validation: play on which the agent is evaluated, always in the same windows; None: it is not evaluated.

    Raises:
      UserError: if there is no validation episode to select the best agent by.
    """

    prefix = "bc"
    memory: AgentState

    def __init__(
        self, agent: InteractiveAgent, play: Dataset, config: TrainingConfig, validation: Dataset | None = None
    ) -> None:
        if validation is None and config.needs_evaluation:
            raise UserError("keep best and patience need validation episodes; set some aside with --held-out")
        self.validation = validation
        stream = play.stream(config.steps, config.batch, config.seed)
        super().__init__(agent, stream, agent.initial_state(config.batch), config)

    @property
    def shown(self) -> tuple[str, ...]:
        return "movement", "language"

    @property
    def weights(self) -> dict[str, float]:
        config = self.config
        return {"movement": config.movement_weight, "language": config.language_weight, "css": config.css_weight}

    def measure(self) -> dict[str, float]:
        return {} if self.validation is None else held_out_terms(self.model, self.validation, self.config)

    def score(self, metrics: Mapping[str, float]) -> float | None:
        """Minus the weighted loss of imitation."""
        terms = {name: metrics.get(f"bc_held_out/{name}") for name in ("movement", "language")}
        known = [self.weights[name] * loss for name, loss in terms.items() if loss is not None]
        return -sum(known) if known else None


class Cloner(Imitator):
    """Trainer that clones an agent. Raises UserError if there is nothing to imitate in ``play``."""

    def __init__(
        self, agent: InteractiveAgent, play: Dataset, config: CloningConfig, validation: Dataset | None = None
    ) -> None:
        check_demonstrated(play)
        super().__init__(agent, play, config, validation)

    def terms(self) -> tuple[dict[str, Tensor], AgentState]:
        window = self.stream.next(self.model.device)
        window = window._replace(observations=self._shifted(window.observations))
        return imitation_terms(self.model, window, self.memory, self.config.computing)


@torch.no_grad()
def held_out_terms(
    agent: InteractiveAgent, episodes: Dataset, config: TrainingConfig, windows: int = 8
) -> dict[str, float]:
    """Mean terms of the loss on recorded play that is not trained on, always the same windows.

    Terms of imitation are means over what was demonstrated in all windows together; they are left out if nothing was.
    """
    stream = episodes.stream(config.steps, config.batch, seed=0)
    memory = agent.initial_state(config.batch)
    sums, counts = dict[str, float](), dict[str, float]()
    for _ in range(windows):
        window = stream.next(agent.device)
        terms, memory = imitation_terms(agent, window, memory, config.computing)
        imitated = 1.0 if window.demonstrated is None else float(window.demonstrated.float().mean())
        for name, term in terms.items():
            share = (1.0 if name == "css" else imitated) / windows
            sums[name] = sums.get(name, 0.0) + term.item() * share
            counts[name] = counts.get(name, 0.0) + share * windows
    return {f"bc_held_out/{name}": value * windows / counts[name] for name, value in sums.items() if counts[name] > 0.0}


def marginal_entropy(episodes: Dataset) -> float:
    """Entropy of the movement actions of one step if nothing were seen: the loss of an agent that learned nothing.

    Sum over ticks and components of the entropy of the bins' frequencies among what was demonstrated, in nats.
    """
    total = 0.0
    for tick in episodes.movement_counts():
        for bins in tick:
            counts = torch.from_numpy(bins).double()
            p = counts[counts > 0] / counts.sum()
            total -= float((p * p.log()).sum())
    return total
