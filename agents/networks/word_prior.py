"""A prior of words that sees the request and nothing else, so that the language policy learns what it sees instead."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from agents.config import AgentConfig
from agents.tokenizer import PAD_ID


class WordPrior(nn.Module):
    """How likely each word is after a request and the word before it, whatever is in view.

    Requests have had some answers and not others: where no duck of training was red, "what colour is the duck" predicts
    that it is not. A policy that is trained as a product with such a prior need not learn that (Clark et al., 2019,
    "Don't take the easy way out: ensemble based methods for avoiding known dataset biases", bias product).

    Requests are given as embeddings of their words, of which nothing flows back.
    """

    def __init__(self, config: AgentConfig) -> None:
        super().__init__()
        width = config.width
        self.said = nn.Embedding(config.vocab_size, width)
        self.norm = nn.LayerNorm(width)
        self.hidden = nn.Linear(2 * width, width)
        self.choose = nn.Linear(width, config.vocab_size)

    def forward(self, request: Tensor, before: Tensor) -> Tensor:
        """Return log-probabilities of the next word, float32 [N, m, vocabulary].

        Args:
          request: [N, width], the mean embedding of its words, or the embedding of one of them.
          before: int64 [N, m], the token before each.
        """
        said = self.said(before)
        asked = self.norm(request.detach()).unsqueeze(1).expand_as(said)
        return torch.log_softmax(self.choose(torch.relu(self.hidden(torch.cat([said, asked], dim=-1)))).float(), dim=-1)


def request_embeddings(words: Tensor, spoken: Tensor) -> Tensor:
    """Return what the prior is given of requests: [N, 2, width], of all their words and of the first one.

    Args:
      words: [N, L, width], embeddings.
      spoken: bool [N, L], words that are there.
    """
    weight = spoken.to(words.dtype).unsqueeze(-1)
    everything = (words * weight).sum(1) / weight.sum(1).clamp_min(1.0)
    return torch.stack([everything, words[:, 0]], dim=1).detach()


def chosen_log_probs(log_probs: Tensor, utterance: Tensor) -> Tensor:
    """Return the log-probability of utterances, [N]; padding does not count.

    Args:
      log_probs: [N, M, vocabulary].
      utterance: int64 [N, M].
    """
    return log_probs.gather(-1, utterance.unsqueeze(-1)).squeeze(-1).masked_fill(utterance == PAD_ID, 0.0).sum(-1)
