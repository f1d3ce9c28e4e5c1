"""The language policy: words one after another, each given those before it, up to the end."""

from __future__ import annotations

import pytest
import torch

from agents.config import AgentConfig
from agents.language import LanguagePolicy
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


def chain(policy: LanguagePolicy, features: torch.Tensor, words: list[int]) -> float:
    """Log-probability of ``words`` one at a time, each from its own forward pass over what came before."""
    total, said = 0.0, [BOS_ID]
    for word in words:
        logits = policy._word_logits(features[None], torch.tensor([said]))[0, -1].double()
        total += float(logits[word] - logits.logsumexp(0))
        said.append(word)
    return total


@torch.no_grad()
@pytest.mark.parametrize("words", [[5, EOS_ID], [5, 7, 3, EOS_ID], [9, 9, EOS_ID], [4, 5, 6, 7]])
def test_log_prob_against_the_chain_rule(policy: LanguagePolicy, words: list[int]) -> None:
    features = torch.randn(8)
    padded = torch.tensor([words + [PAD_ID] * (LENGTH - len(words))])
    assert policy.words_log_prob(features[None], padded).item() == pytest.approx(chain(policy, features, words), 1e-4)


@torch.no_grad()
def test_silence_has_no_words(policy: LanguagePolicy) -> None:
    silent = torch.full((3, LENGTH), PAD_ID)
    assert policy.words_log_prob(torch.randn(3, 8), silent).tolist() == [0.0, 0.0, 0.0]


@torch.no_grad()
@pytest.mark.parametrize("greedy", [False, True])
@pytest.mark.parametrize("length", [2, LENGTH])
def test_samples_end_in_time_and_report_their_log_prob(policy: LanguagePolicy, greedy: bool, length: int) -> None:
    features = torch.randn(200, 8)
    words, reported = policy.sample_words(features, length, torch.Generator().manual_seed(0), greedy)
    assert words.shape == (200, length)
    torch.testing.assert_close(reported, policy.words_log_prob(features, words), atol=1e-4, rtol=0)
    ends = set()
    for row in words.tolist():
        end = row.index(EOS_ID)
        ends.add(end)
        assert end > 0 and min(row[:end]) > EOS_ID and set(row[end + 1 :]) <= {PAD_ID}
    assert greedy or ends == set(range(1, length))


@torch.no_grad()
def test_first_words_come_as_often_as_their_chances_say(policy: LanguagePolicy) -> None:
    count = 20_000
    features = torch.randn(8)
    words, _ = policy.sample_words(features.expand(count, -1), 2, torch.Generator().manual_seed(0))
    often = torch.bincount(words[:, 0], minlength=VOCABULARY) / count
    chance = policy._word_logits(features[None], torch.tensor([[BOS_ID]]))[0, -1]
    chance[[PAD_ID, BOS_ID, EOS_ID]] = -torch.inf
    torch.testing.assert_close(often, chance.softmax(0), atol=4 * 0.5 / count**0.5, rtol=0)


@torch.no_grad()
def test_greed_takes_the_likeliest_word(policy: LanguagePolicy) -> None:
    features = torch.randn(20, 8)
    words, _ = policy.sample_words(features, LENGTH, greedy=True)
    first = policy._word_logits(features, torch.full((20, 1), BOS_ID))[:, -1]
    assert words[:, 0].equal(first[:, EOS_ID + 1 :].argmax(-1) + EOS_ID + 1)


def test_an_untrained_agent_rarely_speaks() -> None:
    torch.manual_seed(0)
    policy = LanguagePolicy(AgentConfig())
    chance = torch.sigmoid(policy.speak_logit(torch.randn(100, AgentConfig().memory_width)))
    assert chance.shape == (100,) and chance.mean() < 0.1
