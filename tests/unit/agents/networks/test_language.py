"""The language policy: words one after another, each given those before it, up to the end."""

from __future__ import annotations

from itertools import product

import pytest
import torch

from agents.config import AgentConfig
from agents.networks.language import LanguagePolicy
from agents.tokenizer import BOS_ID, EOS_ID, PAD_ID

LENGTH, VOCABULARY = 4, 12


@pytest.fixture
def policy() -> LanguagePolicy:
    torch.manual_seed(0)
    made = LanguagePolicy(AgentConfig(width=8, memory_width=8, vocab_size=VOCABULARY, utterance_length=LENGTH, heads=2))
    torch.nn.init.normal_(made.choose.weight, std=1.0)  # far from uniform, or mistakes would not show
    with torch.no_grad():
        made.choose.bias[EOS_ID] += 3.0  # utterances of every length
    return made.eval()


WORDS = [token for token in range(VOCABULARY) if token not in (PAD_ID, BOS_ID, EOS_ID)]


def everything_sayable() -> torch.Tensor:
    """All utterances of one to LENGTH - 1 words, each with its end: int64 [819, LENGTH]."""
    said = [list(words) for count in range(1, LENGTH) for words in product(WORDS, repeat=count)]
    return torch.tensor([words + [EOS_ID] + [PAD_ID] * (LENGTH - 1 - len(words)) for words in said])


def chain(policy: LanguagePolicy, features: torch.Tensor, words: list[int]) -> float:
    """Log-probability of ``words`` one at a time, each from its own forward pass over what came before."""
    total, said = 0.0, [BOS_ID]
    for place, word in enumerate(words):
        x = policy.tokens(torch.tensor([said])) + policy.place[: len(said)] + policy.condition(features)
        logits = policy.choose(policy.norm(policy.layer(x, causal=True)))[0, -1].double()
        ends = [] if place == 0 else [EOS_ID]
        choices = [EOS_ID] if place == LENGTH - 1 else WORDS + ends
        total += float(logits[word] - logits[choices].logsumexp(0))
        said.append(word)
    return total


@torch.no_grad()
@pytest.mark.parametrize("words", [[5, EOS_ID], [5, 7, 3, EOS_ID], [9, 9, EOS_ID], [5, 7, 3]])
def test_log_prob_against_the_chain_rule(policy: LanguagePolicy, words: list[int]) -> None:
    """Of an utterance that was cut, too: its words count, and no end."""
    features = torch.randn(8)
    padded = torch.tensor([words + [PAD_ID] * (LENGTH - len(words))])
    assert policy.words_log_prob(features[None], padded).item() == pytest.approx(chain(policy, features, words), 1e-4)


def test_probabilities_of_all_utterances_sum_to_one_and_have_gradients(policy: LanguagePolicy) -> None:
    said = everything_sayable()
    assert len(said) == 9 + 9**2 + 9**3
    log_probs = policy.words_log_prob(torch.randn(8).expand(len(said), -1), said)
    assert log_probs.double().exp().sum().item() == pytest.approx(1.0, abs=1e-5)
    log_probs.sum().backward()
    assert all(torch.isfinite(p.grad).all() for p in policy.parameters() if p.grad is not None)


@torch.no_grad()
def test_utterances_are_sampled_with_their_probabilities(policy: LanguagePolicy) -> None:
    count, features = 20_000, torch.randn(8)
    words, _ = policy.sample_words(features.expand(count, -1), LENGTH, torch.Generator().manual_seed(0))
    said, counts = torch.unique(words, dim=0, return_counts=True)
    chance = policy.words_log_prob(features.expand(len(said), -1), said).exp()
    torch.testing.assert_close(counts / count, chance, atol=4 * 0.5 / count**0.5, rtol=0)
    features = torch.randn(20, 8)
    greedy, _ = policy.sample_words(features, LENGTH, greedy=True)
    likeliest = [max(WORDS, key=lambda word: chain(policy, row, [word])) for row in features]
    assert greedy[:, 0].tolist() == likeliest


@torch.no_grad()
@pytest.mark.parametrize("words", [[5, EOS_ID], [5, 7, 3, EOS_ID]])
def test_words_that_are_shown_count_as_far_as_they_are_trusted(words: list[int]) -> None:
    torch.manual_seed(0)
    sizes = {"width": 8, "memory_width": 8, "vocab_size": VOCABULARY, "utterance_length": LENGTH, "heads": 2}
    policy = LanguagePolicy(AgentConfig(**sizes, glimpse=True)).eval()
    features, shown = torch.randn(8), torch.randn(VOCABULARY)
    said = torch.tensor([words + [PAD_ID] * (LENGTH - len(words))])
    assert policy.trust is not None
    plain = policy.words_log_prob(features[None], said).item()
    assert policy.words_log_prob(features[None], said, shown[None]).item() != plain, "a new policy trusts what it sees"
    policy.trust.bias.fill_(2.0)
    policy.choose.bias += 2.0 * shown  # the same for words of every place, written into the weights
    expected = chain(policy, features, words)
    policy.choose.bias -= 2.0 * shown
    assert policy.words_log_prob(features[None], said, shown[None]).item() == pytest.approx(expected, 1e-4)
    sampled, reported = policy.sample_words(
        features[None], LENGTH, torch.Generator().manual_seed(0), False, shown[None]
    )
    torch.testing.assert_close(reported, policy.words_log_prob(features[None], sampled, shown[None]), atol=1e-4, rtol=0)
