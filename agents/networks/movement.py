"""The movement policy: eight consecutive actions, one a tick, each given the one before (paper, A.4).

Within a step, the probability of tick k's action depends on the features and on the action of tick k-1, so
that eight actions sampled one after the other are coherent; components within a tick are independent given both.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from agents.config import AgentConfig
from worlds.contract import MOVEMENT_BINS, TICKS_PER_STEP

_BINS = int(MOVEMENT_BINS.max())
_COMPONENTS = len(MOVEMENT_BINS)


class MovementPolicy(nn.Module):
    """Features [..., D] and the last action before this step [..., C] to distributions over [..., 8, C]."""

    missing: Tensor
    offsets: Tensor

    def __init__(self, config: AgentConfig) -> None:
        super().__init__()
        self.plan = nn.Linear(config.memory_width, TICKS_PER_STEP * config.tick_width)
        self.follow = nn.Embedding(_COMPONENTS * _BINS, config.tick_width)
        self.decide = nn.Linear(config.tick_width, _COMPONENTS * _BINS)
        nn.init.normal_(self.follow.weight, std=0.1)
        missing = torch.arange(_BINS) >= torch.tensor(MOVEMENT_BINS.tolist())[:, None]
        # Saved with the weights: `from_pretrained` does not compute buffers again.
        self.register_buffer("missing", missing)  # bins that a component does not have
        self.register_buffer("offsets", torch.arange(_COMPONENTS) * _BINS)

    def _previous(self, movement: Tensor) -> Tensor:
        """Embedding of actions [..., C]: [..., tick_width]."""
        index = movement.long() + self.offsets
        embedded = F.embedding_bag(index.reshape(-1, _COMPONENTS), self.follow.weight, mode="sum")
        return embedded.view(*movement.shape[:-1], -1)

    def _logits(self, plan: Tensor, previous: Tensor) -> Tensor:
        """[..., C, bins], minus infinity in all but name for bins that do not exist."""
        logits = self.decide(F.relu(plan + previous)).unflatten(-1, (_COMPONENTS, _BINS))
        return logits.masked_fill(self.missing, -1e9)

    def _plan(self, features: Tensor) -> Tensor:
        return self.plan(features).unflatten(-1, (TICKS_PER_STEP, -1))

    def distributions(self, features: Tensor, before: Tensor, movement: Tensor) -> Tensor:
        """Log-probabilities of every bin, teacher-forced: [..., 8, C, bins].

        Args:
          features: [..., D].
          before: int [..., C], the action of the tick before this step.
          movement: int [..., 8, C], the actions.
        """
        preceding = torch.cat([before.unsqueeze(-2), movement[..., :-1, :]], dim=-2)
        return torch.log_softmax(self._logits(self._plan(features), self._previous(preceding)), dim=-1)

    @torch.no_grad()
    def sample(
        self, features: Tensor, before: Tensor, generator: torch.Generator | None = None, greedy: bool = False
    ) -> tuple[Tensor, Tensor]:
        """Choose the eight actions of a step.

        Args:
          features: [N, D].
          before: int [N, C], the action of the tick before this step.
          generator: source of randomness; the global one if None.
          greedy: take the likeliest action instead of a sample.

        Returns:
          Actions int8 [N, 8, C] and their log-probability [N].
        """
        plan = self._plan(features)
        shape = (len(features), TICKS_PER_STEP, _COMPONENTS, _BINS)
        noise = torch.zeros(shape, device=plan.device) if greedy else gumbel(shape, plan.device, generator)
        actions, log_prob, previous = [], plan.new_zeros(len(features)), before
        for tick in range(TICKS_PER_STEP):
            logits = self._logits(plan[:, tick], self._previous(previous)).float()
            previous = (logits + noise[:, tick]).argmax(-1)
            chosen = logits.gather(-1, previous.unsqueeze(-1)).squeeze(-1) - logits.logsumexp(-1)
            log_prob = log_prob + chosen.sum(-1)
            actions.append(previous)
        return torch.stack(actions, dim=1).to(torch.int8), log_prob


def gumbel(shape: tuple[int, ...], device: torch.device, generator: torch.Generator | None) -> Tensor:
    """Standard Gumbel noise: the argmax of logits plus it is a sample of their softmax."""
    uniform = torch.rand(shape, device=device, generator=generator).clamp_(1e-9, 1.0 - 1e-7)
    return -torch.log(-torch.log(uniform))


def log_prob(distributions: Tensor, movement: Tensor) -> Tensor:
    """Log-probability [...] of ``movement`` [..., 8, C] under ``distributions`` [..., 8, C, bins]."""
    return distributions.gather(-1, movement.long().unsqueeze(-1)).squeeze(-1).sum((-1, -2))


def entropy(distributions: Tensor) -> Tensor:
    """Sum of the entropies of all ticks' components, each given the actions before it: [...]."""
    return -(distributions.exp() * distributions).sum((-1, -2, -3))
