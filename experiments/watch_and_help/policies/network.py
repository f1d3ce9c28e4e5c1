"""The network of all policies: a choice of one candidate of a set, and of what to do with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from agents.config import AgentConfig
from agents.networks.entities import EntityEncoder
from worlds.spaces.observation import Entities

ILLEGAL = -1e9  # logit of what is masked out


class View(NamedTuple):
    """What a policy chooses from: E candidates, V options of each.

    Args:
      categories: int16 [E, categorical features].
      values: float32 [E, real features].
      present: bool [E], rows that are candidates.
      mask: bool [E, V], legal choices, at least one.
    """

    categories: np.ndarray
    values: np.ndarray
    present: np.ndarray
    mask: np.ndarray


def stack(views: list[View]) -> View:
    """Return several views as one, whose arrays have a first dimension more."""
    return View(*(np.stack(each) for each in zip(*views, strict=True)))


@dataclass(frozen=True)
class PolicyConfig:
    """Size of a policy.

    Args:
      width: of tokens.
    """

    width: int = 64


class CandidatePolicy(nn.Module):
    """Policy over the options of candidates, whose order does not matter, and a value.

    Candidates are encoded as a set. The mean and the largest of their tokens are the context, from which the value is
    read. The logit of a choice is read from its candidate's token and the context.
    """

    def __init__(self, config: PolicyConfig, spec: Entities, options: int) -> None:
        super().__init__()
        width = config.width
        self.encoder = EntityEncoder(AgentConfig(width=width, heads=4), spec)
        self.norm = nn.LayerNorm(width)
        self.context = nn.Linear(2 * width, width)
        self.token = nn.Linear(width, width)
        self.logits = nn.Linear(width, options)
        self.value = nn.Linear(width, 1)
        nn.init.normal_(self.logits.weight, std=0.01)
        nn.init.zeros_(self.logits.bias)

    def forward(self, categories: Tensor, values: Tensor, present: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return log-probabilities of all choices, float [N, E * V], and values, float [N].

        Args:
          categories: int16 [N, E, categorical features].
          values: float32 [N, E, real features].
          present: bool [N, E].
          mask: bool [N, E, V].
        """
        tokens = self.norm(self.encoder(categories, values, present))
        there = present.unsqueeze(-1)
        mean = tokens.masked_fill(~there, 0.0).sum(1) / there.sum(1).clamp_min(1)
        context = F.relu(self.context(torch.cat([mean, tokens.masked_fill(~there, -1e4).amax(1)], dim=-1)))
        logits = self.logits(F.relu(self.token(tokens) + context.unsqueeze(1)))
        logits = logits.masked_fill(~mask, ILLEGAL).flatten(1)
        return F.log_softmax(logits, dim=-1), self.value(context).squeeze(-1)

    @torch.no_grad()
    def choose(self, view: View, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draw choices from the policy.

        Args:
          view: of several persons, arrays [B, ...].

        Returns:
          Index of each choice among E * V, int64 [B], and its log-probability, float32 [B].
        """
        log_probs = self(*(torch.from_numpy(each) for each in view))[0].numpy()
        legal = view.mask.reshape(len(log_probs), -1)
        noise = rng.gumbel(size=log_probs.shape)
        chosen = np.where(legal, log_probs + noise, -np.inf).argmax(1)
        return chosen, log_probs[np.arange(len(chosen)), chosen]
