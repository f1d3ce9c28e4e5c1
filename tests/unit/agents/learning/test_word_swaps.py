"""Which words are exchanged, and the loss of requests with one word exchanged, against loops."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
import torch

from agents.learning.contrastive import Discriminator, swap_loss
from agents.learning.word_swaps import WordSwaps
from agents.tokenizer import Tokenizer

REQUESTS = ["go to the red ball", "go to the red chair", "go to the blue ball", "lift a box", "is there a box", ""]


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.train(REQUESTS, 400)


def swaps(tokenizer: Tokenizer) -> WordSwaps:
    return WordSwaps(REQUESTS, tokenizer, 8)


def token(tokenizer: Tokenizer, word: str) -> int:
    (found,) = tokenizer.ids(word)
    return found


def test_words_can_be_exchanged_if_two_requests_differ_in_them_alone(tokenizer: Tokenizer) -> None:
    made = swaps(tokenizer)
    pairs = {("ball", "chair"), ("chair", "ball"), ("red", "blue"), ("blue", "red")}
    found = {
        (tokenizer.decode([one]), tokenizer.decode([int(other)]))
        for one in np.flatnonzero(made.counts)
        for other in made.table[one, : made.counts[one]]
    }
    assert found == pairs


def test_one_word_is_exchanged_where_there_is_one_that_can_be(tokenizer: Tokenizer) -> None:
    words = tokenizer.encode(["go to the blue chair", "lift a box", ""] * 100, 8)
    swapped, another = swaps(tokenizer).swapped(words, np.random.default_rng(0))
    assert another.tolist() == [True, False, False] * 100
    assert np.array_equal(swapped[~another], words[~another])
    assert ((swapped != words).sum(1) == another).all()
    texts = Counter(tokenizer.decode(row) for row in swapped[another])
    assert texts.keys() == {"go to the red chair", "go to the blue ball"} and min(texts.values()) > 30


def test_requests_that_are_cut_teach_no_exchange(tokenizer: Tokenizer) -> None:
    made = WordSwaps(REQUESTS, tokenizer, 4)
    assert not made.counts.any()
    words = tokenizer.encode(REQUESTS, 4)
    assert np.array_equal(made.swapped(words, np.random.default_rng(0))[0], words)


def test_the_loss_of_exchanged_words_by_a_loop() -> None:
    torch.manual_seed(1)
    discriminator = Discriminator()
    with torch.no_grad():
        discriminator.scale.fill_(0.7)
        discriminator.offset.fill_(-0.3)
    vision, language = torch.randn(2, 3, 5, 8), torch.randn(2, 3, 8)
    another = torch.tensor([[True, False, True], [True, True, False]])
    seen = torch.rand(2, 3, 5) < 0.6
    seen[1, 0] = False  # nothing is seen
    expected = []
    for t, b in another.nonzero().tolist():
        scores = [float(vision[t, b, k] @ language[t, b]) / math.sqrt(8) for k in range(5) if seen[t, b, k]]
        if scores:
            odds = 0.7 * math.log(sum(map(math.exp, scores))) - 0.3
            expected.append(math.log1p(math.exp(odds)))
    loss = swap_loss(discriminator, vision, language, another, seen=seen)
    assert len(expected) == 3 and loss.item() == pytest.approx(sum(expected) / 3, rel=1e-4)
    assert swap_loss(discriminator, vision[:, :, :0], language, another).item() == 0.0
