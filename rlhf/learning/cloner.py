"""Cloning an agent from recorded play: BC and CSS by gradient descent (paper, A.7)."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from agents.agent import AgentState, InteractiveAgent
from agents.batch import RecordedWindow
from agents.computing import ComputingConfig, autocast, prepare
from agents.learning.cloning import bc_loss
from agents.learning.contrastive import css_loss
from agents.learning.optimization import learning_rate, load_optimizer, optimizer_step
from agents.learning.random_shift import shifted
from agents.ranges import Count, CountFromZero, Decay, Pixels, Positive, Seed, Weight, check_ranges
from agents.tokenizer import PAD_ID
from rlhf.data.dataset import Dataset, check_demonstrated


@dataclass(frozen=True)
class CloningConfig:
    """Settings of cloning an agent.

    Window, batch, weights of the losses and Adam with its learning rate default to the paper's (A.7). The paper names
    no warm-up, no decay of the learning rate, no clipping and no number of updates: these defaults are ours.

    Args:
      updates: number of gradient steps.
      max_seconds: stop earlier when this many seconds have passed; None has no limit. The schedule of the learning rate
        follows whichever ends first.
      steps: consecutive steps T of recorded play in every trajectory of a batch.
      batch: trajectories B in every update.
      movement_weight: weight of imitating the movements in the loss.
      language_weight: weight of imitating what was said, and when, in the loss.
      css_weight: weight of the contrastive loss (CSS), which teaches which words belong to which pictures.
      learning_rate: learning rate of Adam, after the warm-up.
      beta1: decay of Adam's mean of gradients, from 0 to less than 1.
      beta2: decay of Adam's mean of squared gradients, from 0 to less than 1.
      warmup: updates over which the learning rate rises from 0 (not in the paper).
      decay: fraction of the learning rate that is left at the end; it falls along a cosine (not in the paper: 1).
      clip: largest global norm of the gradient.
      log_every: updates between entries in the metrics.
      evaluate_every: updates between evaluations on the validation episodes.
      shift: most pixels by which pictures are moved at random in training (paper: 0).
      seed: seed of the order of episodes and of all other draws.
      computing: precision, compilation and memory.
    """

    updates: Count = 20_000
    max_seconds: Positive | None = None
    steps: Count = 50
    batch: Count = 96
    movement_weight: Weight = 1.0
    language_weight: Weight = 5.0
    css_weight: Weight = 1.0
    learning_rate: Weight = 1e-4
    beta1: Decay = 0.0
    beta2: Decay = 0.999
    warmup: CountFromZero = 100
    decay: Weight = 0.1
    clip: Positive = 10.0
    log_every: Count = 20
    evaluate_every: Count = 500
    shift: Pixels = 0
    seed: Seed = 0
    computing: ComputingConfig = field(default_factory=ComputingConfig)

    def __post_init__(self) -> None:
        check_ranges(self)


def imitation_terms(
    agent: InteractiveAgent, window: RecordedWindow, state: AgentState, computing: ComputingConfig | None = None
) -> tuple[dict[str, Tensor], AgentState]:
    """The unweighted terms ``movement``, ``language`` and ``css`` on a window of recorded play.

    Only what was demonstrated is imitated; an agent's own steps are observed and remembered, and CSS learns from them.
    """
    with autocast(computing or ComputingConfig(), window.resets.device):
        output, state = agent(window.observations, state, window.resets)
    terms = bc_loss(agent.log_probs(output, window.actions), window.demonstrated)
    words = window.observations.setter_tokens
    asked = words[..., 0] != PAD_ID
    terms["css"] = css_loss(agent.discriminator, output.vision, output.language, words, asked)
    return terms, state


class Cloner:
    """Clones an agent, one update at a time; ``state_dict`` resumes bit-exactly.

    Raises:
      UserError: if there is nothing to imitate in ``episodes``.
    """

    def __init__(self, agent: InteractiveAgent, episodes: Dataset, config: CloningConfig) -> None:
        check_demonstrated(episodes)
        self.agent, self.episodes, self.config = agent, episodes, config
        self.stream = episodes.stream(config.steps, config.batch, config.seed)
        self.memory = agent.initial_state(config.batch)
        self.optimizer = torch.optim.Adam(
            agent.parameters(), lr=config.learning_rate, betas=(config.beta1, config.beta2), fused=True
        )
        self.update_index = 0
        self.seconds = 0.0  # spent on training so far, over all resumptions
        prepare(agent, config.computing)

    @property
    def progress(self) -> float:
        """Share of the run that is done, by updates or by time, whichever is more; 1 or more: it has ended."""
        by_time = self.seconds / self.config.max_seconds if self.config.max_seconds is not None else 0.0
        return max(self.update_index / self.config.updates, by_time)

    def update(self, progress: float) -> dict[str, float]:
        """One gradient step; ``progress`` in [0, 1] is how far along the run is.

        Raises:
          FloatingPointError: if a term of the loss or the gradient is not finite; the weights are left as they were.
        """
        config = self.config
        rate = learning_rate(config, self.update_index, progress)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        window = self.stream.next(self.agent.device)
        window = window._replace(
            observations=shifted(window.observations, config.shift, config.seed, self.update_index)
        )
        terms, memory = imitation_terms(self.agent, window, self.memory, config.computing)
        weights = {"movement": config.movement_weight, "language": config.language_weight, "css": config.css_weight}
        weighted = {name: (weights[name], term) for name, term in terms.items()}
        metrics = optimizer_step(self.optimizer, self.agent.parameters(), weighted, config.clip, self.update_index)
        self.memory = AgentState(memory.hidden.detach(), memory.cell.detach())
        self.update_index += 1
        return {f"bc/{name}": value for name, value in metrics.items()} | {"bc/learning_rate": rate}

    def run(
        self,
        held_out: Dataset | None = None,
        on_metrics: Callable[[int, dict[str, float]], None] = lambda step, metrics: None,
        on_progress: Callable[[float], None] = lambda fraction: None,
        on_checkpoint: Callable[[], object] = lambda: None,
        checkpoint_every: int | None = None,
    ) -> None:
        """Update to the end.

        Args:
          on_progress: called after every update with how far the run has come, in a state that can be kept as
            ``on_checkpoint`` keeps it; what it raises ends the training.
          on_checkpoint: called every ``checkpoint_every`` updates, if that is given, and at the end, when
            ``state_dict`` and the agent's weights are all that is needed to resume.
        """
        config, kept = self.config, self.update_index
        began, before, first = time.monotonic(), self.seconds, self.update_index
        self.agent.train()
        while (progress := self.progress) < 1.0:
            metrics = self.update(progress)
            index, evaluated = self.update_index, False
            if held_out is not None and (evaluated := index % config.evaluate_every == 0):
                metrics |= held_out_terms(self.agent, held_out, config)
            self.seconds = before + time.monotonic() - began
            if index % config.log_every == 0 or evaluated:
                frames = (index - first) * config.steps * config.batch
                on_metrics(index, metrics | {"bc/frames_per_second": frames / max(self.seconds - before, 1e-9)})
            on_progress(progress)
            if checkpoint_every is not None and index % checkpoint_every == 0:
                on_checkpoint()
                kept = index
        if self.update_index > kept:
            on_checkpoint()
        self.agent.eval()

    def state_dict(self) -> dict[str, Any]:
        return {
            "optimizer": self.optimizer.state_dict(),
            "stream": self.stream.state_dict(),
            "memory": tuple(self.memory),
            "update": self.update_index,
            "seconds": self.seconds,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Resume from what :meth:`state_dict` returned; the agent has to have its weights already.

        Raises:
          UserError: if that was of other recorded play.
        """
        self.stream.load_state_dict(state["stream"])
        load_optimizer(self.optimizer, state["optimizer"], betas=(self.config.beta1, self.config.beta2))
        self.memory = AgentState(*(part.to(self.agent.device) for part in state["memory"]))
        self.update_index, self.seconds = state["update"], state["seconds"]


@torch.no_grad()
def held_out_terms(
    agent: InteractiveAgent, episodes: Dataset, config: CloningConfig, windows: int = 8
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
