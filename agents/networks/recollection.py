"""What was seen best of what the setter's words name, since they were said: kept beside the LSTM's memory.

A question is often answered while the thing it asks about is out of view. An LSTM would have to learn which of the
frames to keep. That is known already: the contrastive loss has taught how well each one matches the words.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from agents.networks.memory import AgentState

_PLACES, _MODULUS = 31, 2**23  # below 2**24 every whole number is exact in float32


class Recollection(NamedTuple):
    """The best glimpse of one request, for every environment, and every step if there are steps."""

    glimpse: Tensor  # float [..., D]
    score: Tensor  # float [...], how well it matches the words
    request: Tensor  # float [...], the words, by :func:`request_numbers`


def request_numbers(tokens: Tensor) -> Tensor:
    """Whole numbers from 1 to 2**23, the same for the same words: float32 [N].

    Two requests have the same number by accident once in eight million times.

    Args:
      tokens: int64 [N, L], words of the setter.
    """
    number = torch.zeros_like(tokens[:, 0])
    for token in tokens.unbind(1):
        number = (number * _PLACES + token) % _MODULUS
    return (number + 1).float()


def recollect(glimpse: Tensor, score: Tensor, request: Tensor, past: Recollection, resets: Tensor) -> Recollection:
    """Return the best glimpse since the words changed or the episode began, as it is known at every step.

    Args:
      glimpse: [T, B, D], what is seen of what the words name.
      score: [T, B], how well it matches them.
      request: float [T, B], the words, by :func:`request_numbers`.
      past: what is remembered from before the first step, [B, ...].
      resets: bool [T, B], True at the first step of an episode.

    Returns:
      What is remembered after each step, [T, B, ...].
    """
    kept = []
    for step, reset in enumerate(resets):
        better = reset | (request[step] != past.request) | (score[step] >= past.score)
        past = Recollection(
            torch.where(better.unsqueeze(-1), glimpse[step].to(past.glimpse.dtype), past.glimpse),
            torch.where(better, score[step].to(past.score.dtype), past.score),
            request[step].to(past.request.dtype),
        )
        kept.append(past)
    return Recollection(*map(torch.stack, zip(*kept, strict=True)))


def apart(state: AgentState, memory_width: int) -> tuple[AgentState, Recollection]:
    """Return the LSTM's memory [B, memory_width] and the recollection [B, ...] of which ``state`` consists."""
    memory, rest = zip(*(part.tensor_split([memory_width], dim=1) for part in state), strict=True)
    glimpse, score, request = torch.cat(rest, dim=1).tensor_split([-2, -1], dim=1)
    return AgentState(*memory), Recollection(glimpse, score.squeeze(1), request.squeeze(1))


def together(memory: AgentState, past: Recollection) -> AgentState:
    """Return the memory [B, memory_width] and the last step's ``past`` [T, B, ...] as one state of equal parts."""
    glimpse, score, request = (part[-1] for part in past)
    rest = torch.cat([glimpse, score.unsqueeze(1), request.unsqueeze(1)], dim=1).chunk(2, dim=1)
    return AgentState(*(torch.cat(pair, dim=1) for pair in zip(memory, rest, strict=True)))
