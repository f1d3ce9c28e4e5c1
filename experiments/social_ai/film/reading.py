"""Texts read by a bidirectional GRU, and looked at through what is remembered (attention).

Kovač et al., 2024, section 5, after BabyAI's agents (Hui et al., 2020, "BabyAI 1.1").
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from agents.tokenizer import PAD_ID
from experiments.social_ai.film.blocks import row_normalised


def compacted(tokens: Tensor) -> Tensor:
    """Return rows of tokens with their padding at the end, the others in order: int64 [N, L].

    Args:
      tokens: int64 [N, L], texts one after the other, each with padding of its own.
    """
    order = (tokens == PAD_ID).to(torch.int8).argsort(dim=1, stable=True)
    return tokens.gather(1, order)


def attended(query: Tensor, words: Tensor, there: Tensor) -> Tensor:
    """Return the mean of words, weighted by the softmax of their dot products with a query: [N, D].

    Args:
      query: [N, D].
      words: [N, L, D].
      there: bool [N, L], places that have a word; rows without any give zeros.
    """
    scores = (words @ query.unsqueeze(-1)).squeeze(-1).masked_fill(~there, -torch.inf)
    some = there.any(dim=1, keepdim=True)
    weights = torch.softmax(scores.masked_fill(~some, 0.0), dim=1) * some
    return (weights.unsqueeze(1) @ words).squeeze(1)


class Reader(nn.Module):
    """Texts to the states of a bidirectional GRU at every word, and a query of the memory to their weighted mean.

    Args:
      width: length of the states, both directions together; an even number.
    """

    def __init__(self, vocabulary: int, width: int, memory_width: int) -> None:
        super().__init__()
        self.words = nn.Embedding(vocabulary, width, padding_idx=PAD_ID)
        self.gru = nn.GRU(width, width // 2, batch_first=True, bidirectional=True)
        self.query = row_normalised(nn.Linear(2 * memory_width, width))

    def read(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        """Return the states [N, L, width] and which are there, bool [N, L]. Texts that are the same are read once.

        Args:
          tokens: int64 [N, L].
        """
        texts, which = torch.unique(compacted(tokens), dim=0, return_inverse=True)
        there = texts != PAD_ID
        lengths = there.sum(dim=1).clamp_min(1).cpu()  # an empty text is read as one padding, and then masked
        packed = pack_padded_sequence(self.words(texts), lengths, batch_first=True, enforce_sorted=False)
        states, _ = pad_packed_sequence(self.gru(packed)[0], batch_first=True, total_length=texts.shape[1])
        return states[which], there[which]

    def attend(self, hidden: Tensor, cell: Tensor, states: Tensor, there: Tensor) -> Tensor:
        """Return what the memory, [N, memory_width] each, looks at in the texts: [N, width]."""
        return attended(self.query(torch.cat([hidden, cell], dim=-1)), states, there)
