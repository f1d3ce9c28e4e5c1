"""The likelihood of what the solver said, as an input of a utility.

A cloned agent knows something of how sure its answers are: where its policy gives an answer a high probability, it is
right more often (of language models: Kadavath et al. 2022, "Language models (mostly) know what they know"). A reward
model has a copy of that policy, so a few marks on answers can teach it how much that is worth, before they can teach
what makes an answer right. An agent that is rewarded by it answers when it is sure, and draws fewer unlikely answers
(Huang et al. 2024, "Self-improvement in language models: the sharpening mechanism").

Words that are observed at a step were chosen at the step before. They stay observed until others follow: the same words
again are no new utterance.
"""

from __future__ import annotations

import torch
from torch import Tensor

from agents.tokenizer import EOS_ID, PAD_ID

BEFORE_PLAY = -1  # in place of the words of the step before the first
LEAST = -10.0  # nats; an utterance that the policy would never choose is no better than one it hardly would


def newly_said(words: Tensor, before: Tensor, resets: Tensor) -> Tensor:
    """Return the steps at which the solver's words are others than the step before: bool [T, B].

    Args:
      words: int64 [T, B, L], PAD where nothing was said yet.
      before: int64 [B, L], of the step before the first; BEFORE_PLAY where there was none.
      resets: bool [T, B], first steps of episodes, whose words nobody in them said.
    """
    earlier = torch.cat([before[None], words[:-1]])
    begins = resets | (earlier[..., 0] == BEFORE_PLAY)
    return (words != earlier).any(-1) & ~begins & (words[..., 0] != PAD_ID)


def as_utterances(words: Tensor, length: int) -> Tensor:
    """Return observed words int64 [N, L] as a policy chooses them, int64 [N, length]: with EOS, unless they are cut."""
    utterances = words.new_full((len(words), length), PAD_ID)
    kept = min(length, words.shape[1])
    utterances[:, :kept] = words[:, :kept]
    ends = (words != PAD_ID).sum(-1)
    whole = ends < length
    utterances[whole, ends[whole]] = EOS_ID
    return utterances


def carried(found: Tensor, new: Tensor, resets: Tensor, before: Tensor) -> Tensor:
    """Return what was found last at each step: [T, B]; 0 from the first step of an episode on until there is something.

    Args:
      found: [T, B], valid where ``new``.
      before: [B], what was found last before the first step.
    """
    values = torch.cat([before[None], torch.where(new, found, 0.0)])
    steps = torch.arange(1, len(found) + 1, device=found.device)[:, None]
    last = torch.where(new | resets, steps, 0).cummax(0).values
    return values.gather(0, last)
