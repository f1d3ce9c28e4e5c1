"""Cloning an agent from recorded play: BC and CSS by gradient descent (paper, A.7)."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from agents.agent import AgentState, InteractiveAgent
from agents.batch import ActionBatch, EncodedEpisodes, EpisodeStream, ObservationBatch
from agents.cloning import bc_loss
from agents.computing import ComputingConfig, autocast, prepare
from agents.contrastive import css_loss
from agents.tokenizer import PAD_ID


@dataclass(frozen=True)
class CloningConfig:
    """How an agent is cloned. Weights, window and optimiser default to the paper's (A.7).

    Args:
      updates: gradient steps. max_seconds: stop earlier when this much time has passed; the schedule of the
        learning rate follows whichever ends first.
      steps, batch: window [T, B] of every update.
      movement_weight, language_weight, css_weight: of the terms of the loss.
      learning_rate, beta1, beta2: of Adam. warmup: updates over which the rate rises.
        decay: the rate falls to this fraction of itself along a cosine.
      clip: largest global norm of the gradient. log_every, evaluate_every: in updates.
      computing: precision, compilation and memory.
    """

    updates: int = 20_000
    max_seconds: float | None = None
    steps: int = 50
    batch: int = 96
    movement_weight: float = 1.0
    language_weight: float = 5.0
    css_weight: float = 1.0
    learning_rate: float = 1e-4
    beta1: float = 0.0
    beta2: float = 0.999
    warmup: int = 100
    decay: float = 0.1
    clip: float = 10.0
    log_every: int = 20
    evaluate_every: int = 500
    seed: int = 0
    computing: ComputingConfig = field(default_factory=ComputingConfig)

    def __post_init__(self) -> None:
        for name in ("updates", "steps", "batch", "log_every", "evaluate_every"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is at least 1, not {getattr(self, name)}")


def imitation_terms(
    agent: InteractiveAgent,
    observations: ObservationBatch,
    actions: ActionBatch,
    state: AgentState,
    resets: Tensor,
    computing: ComputingConfig | None = None,
) -> tuple[dict[str, Tensor], AgentState]:
    """The unweighted terms ``movement``, ``language`` and ``css`` on a window of recorded play."""
    with autocast(computing or ComputingConfig(), resets.device):
        output, state = agent(observations, state, resets)
    terms = bc_loss(agent.log_probs(output, actions))
    words = observations.setter_tokens
    asked = words[..., 0] != PAD_ID
    terms["css"] = css_loss(agent.discriminator, output.vision, output.language, words, asked)
    return terms, state


class Cloner:
    """Clones an agent, one update at a time; ``state_dict`` resumes bit-exactly."""

    def __init__(self, agent: InteractiveAgent, episodes: EncodedEpisodes, config: CloningConfig) -> None:
        self.agent, self.config = agent, config
        self.stream = EpisodeStream(episodes, config.steps, config.batch, config.seed)
        self.memory = agent.initial_state(config.batch)
        self.optimizer = torch.optim.Adam(
            agent.parameters(), lr=config.learning_rate, betas=(config.beta1, config.beta2), fused=True
        )
        self.update_index = 0
        prepare(agent, config.computing)

    def update(self, progress: float) -> dict[str, float]:
        """One gradient step; ``progress`` in [0, 1] is how far along the run is.

        Raises:
          FloatingPointError: if a term of the loss is not finite; the weights are left as they were.
        """
        config = self.config
        rate = learning_rate(config, self.update_index, progress)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        observations, actions, resets = self.stream.next(self.agent.device)
        terms, memory = imitation_terms(self.agent, observations, actions, self.memory, resets, config.computing)
        weights = {"movement": config.movement_weight, "language": config.language_weight, "css": config.css_weight}
        loss = torch.stack([weights[name] * term for name, term in terms.items()]).sum()
        if not torch.isfinite(loss):
            values = ", ".join(f"{name} {term.item()}" for name, term in terms.items())
            raise FloatingPointError(f"loss of update {self.update_index} is not finite: {values}")
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(self.agent.parameters(), config.clip)
        self.optimizer.step()
        self.memory = AgentState(memory.hidden.detach(), memory.cell.detach())
        self.update_index += 1
        metrics = {f"bc/{name}": term.item() for name, term in terms.items()}
        return metrics | {"bc/loss": loss.item(), "bc/gradient_norm": norm.item(), "bc/learning_rate": rate}

    def state_dict(self) -> dict[str, Any]:
        return {
            "optimizer": self.optimizer.state_dict(),
            "stream": self.stream.state_dict(),
            "memory": tuple(self.memory),
            "update": self.update_index,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.optimizer.load_state_dict(state["optimizer"])
        self.stream.load_state_dict(state["stream"])
        self.memory = AgentState(*(part.to(self.agent.device) for part in state["memory"]))
        self.update_index = state["update"]


def learning_rate(config: CloningConfig, update: int, progress: float) -> float:
    """Linear warm-up, then a cosine from the full rate to ``decay`` of it as ``progress`` goes from 0 to 1."""
    warm = min(1.0, (update + 1) / max(1, config.warmup))
    cosine = 0.5 * (1.0 + math.cos(math.pi * min(1.0, progress)))
    return config.learning_rate * warm * (config.decay + (1.0 - config.decay) * cosine)


@torch.no_grad()
def held_out_terms(
    agent: InteractiveAgent, episodes: EncodedEpisodes, config: CloningConfig, windows: int = 8
) -> dict[str, float]:
    """Mean terms of the loss on recorded play that is not trained on, always the same windows."""
    stream = EpisodeStream(episodes, config.steps, config.batch, seed=0)
    memory, sums = agent.initial_state(config.batch), dict[str, float]()
    for _ in range(windows):
        observations, actions, resets = stream.next(agent.device)
        terms, memory = imitation_terms(agent, observations, actions, memory, resets, config.computing)
        for name, term in terms.items():
            sums[name] = sums.get(name, 0.0) + term.item() / windows
    return {f"bc_held_out/{name}": value for name, value in sums.items()}


def marginal_entropy(episodes: EncodedEpisodes) -> float:
    """Entropy of the movement actions of one step if nothing were seen: the loss of an agent that learned nothing.

    Sum over ticks and components of the entropy of the bins' frequencies, in nats.
    """
    total = 0.0
    ticks, components = episodes.movement.shape[1:]
    for tick in range(ticks):
        for component in range(components):
            counts = torch.bincount(torch.from_numpy(episodes.movement[:, tick, component]).long()).double()
            p = counts[counts > 0] / counts.sum()
            total -= float((p * p.log()).sum())
    return total


def clone(
    agent: InteractiveAgent,
    episodes: EncodedEpisodes,
    config: CloningConfig,
    held_out: EncodedEpisodes | None = None,
    on_metrics: Callable[[int, dict[str, float]], None] = lambda step, metrics: None,
    on_progress: Callable[[float], None] = lambda fraction: None,
) -> Cloner:
    """Train ``agent`` in place on ``episodes`` and return the cloner that did it."""
    cloner = Cloner(agent, episodes, config)
    agent.train()
    began = time.monotonic()
    while True:
        spent = time.monotonic() - began
        progress = cloner.update_index / config.updates
        if config.max_seconds is not None:
            progress = max(progress, spent / config.max_seconds)
        if progress >= 1.0:
            break
        metrics = cloner.update(progress)
        index = cloner.update_index
        if held_out is not None and (index % config.evaluate_every == 0):
            metrics |= held_out_terms(agent, held_out, config)
        if index % config.log_every == 0 or len(metrics) > 6:
            frames = index * config.steps * config.batch
            on_metrics(index, metrics | {"bc/frames_per_second": frames / (time.monotonic() - began)})
        on_progress(progress)
    agent.eval()
    return cloner
