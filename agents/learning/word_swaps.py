"""Requests with one word exchanged: hard mismatches of words and picture.

In a batch most mismatches differ in much, so that a colour tells them apart. A request in which "chair" stands for
"ball" differs in the kind alone. Words can be exchanged if some two recorded requests differ in just these two.
Not in the paper.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from agents.tokenizer import PAD_ID, Tokenizer


class WordSwaps:
    """Which tokens can be exchanged for which.

    Args:
      requests: recorded texts of setters.
      tokenizer: the agent's.
      length: tokens of a request that the agent reads; longer ones teach nothing.
    """

    def __init__(self, requests: Iterable[str], tokenizer: Tokenizer, length: int) -> None:
        # What fits a place between the words before it and those after it.
        fits: dict[tuple[tuple[int, ...], tuple[int, ...]], set[int]] = defaultdict(set)
        for text in set(requests):
            if 0 < len(ids := tuple(tokenizer.ids(text))) <= length:
                for place, token in enumerate(ids):
                    fits[ids[:place], ids[place + 1 :]].add(token)
        others: dict[int, set[int]] = defaultdict(set)
        for found in fits.values():
            for token in found:
                others[token] |= found - {token}
        most = max(map(len, others.values()), default=0)
        self.counts = np.zeros(tokenizer.vocab_size, np.int64)
        self.table = np.full((tokenizer.vocab_size, most), PAD_ID, np.int64)
        for token, fitting in others.items():
            self.counts[token] = len(fitting)
            self.table[token, : len(fitting)] = sorted(fitting)

    def swapped(self, words: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Exchange one word of each request, at random among those that can be, for one at random.

        Args:
          words: int64 [N, L], tokens.
          rng: draws places and words.

        Returns:
          The requests, and which of them are another one now: bool [N].
        """
        counts = self.counts[words]
        draws = rng.random(words.shape) * (counts > 0)
        place, rows = draws.argmax(1), np.arange(len(words))
        chosen = words[rows, place]
        another = counts[rows, place] > 0
        number = (rng.random(len(words)) * self.counts[chosen]).astype(np.int64)
        swapped = words.copy()
        swapped[rows[another], place[another]] = self.table[chosen[another], number[another]]
        return swapped, another
