"""The language policy: whether to speak at this step, and which words (paper, A.4: a Transformer)."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from agents.config import AgentConfig
from agents.networks.movement import gumbel
from agents.networks.trunk import TransformerLayer
from agents.tokenizer import BOS_ID, EOS_ID, PAD_ID


class LanguagePolicy(nn.Module):
    """One Bernoulli decision a step to speak or not, and if it speaks, words up to EOS.

    Its utterances are one word or more and then EOS, within the utterance's length; their probabilities sum to 1.
    Padding and BOS are never chosen, EOS never first (silence is the other decision), and in the last place nothing
    but EOS.
    """

    def __init__(self, config: AgentConfig) -> None:
        super().__init__()
        width = config.width
        self.speak = nn.Linear(config.memory_width, 1)
        nn.init.constant_(self.speak.bias, -3.0)  # silence is the rule
        self.tokens = nn.Embedding(config.vocab_size, width)
        self.place = nn.Parameter(torch.randn(config.utterance_length, width) * 0.02)
        self.condition = nn.Linear(config.memory_width, width)
        self.layer = TransformerLayer(width, config.language_heads)
        self.norm = nn.LayerNorm(width)
        self.choose = nn.Linear(width, config.vocab_size)
        nn.init.normal_(self.tokens.weight, std=0.1)
        self.trust = nn.Linear(width, 1) if config.glimpse else None
        if self.trust is not None:
            nn.init.zeros_(self.trust.weight)
            nn.init.ones_(self.trust.bias)  # or answers are learned without it, and it is never needed

    def speak_logit(self, features: Tensor) -> Tensor:
        """Log-odds of speaking, [...], for features [..., D]."""
        return self.speak(features).squeeze(-1)

    def _word_log_probs(
        self, features: Tensor, words: Tensor, impossible: Tensor, shown: Tensor | None = None
    ) -> Tensor:
        """Log-probabilities float32 [N, m, vocabulary] of the token after each of ``words`` [N, m].

        Args:
          features: [N, D].
          impossible: of :func:`impossible_tokens`, for a whole utterance without BOS.
          shown: [N, vocabulary], how well what is seen shows each word, for a policy with a glimpse.
        """
        x = self.tokens(words) + self.place[: words.shape[1]] + self.condition(features).unsqueeze(1)
        x = self.norm(self.layer(x, causal=True))
        logits = self.choose(x).float()
        if self.trust is not None and shown is not None:
            logits = logits + self.trust(x).float() * shown.unsqueeze(1).float()
        return torch.log_softmax(logits.masked_fill(impossible[: words.shape[1]], -torch.inf), dim=-1)

    def words_log_prob(self, features: Tensor, utterance: Tensor, shown: Tensor | None = None) -> Tensor:
        """Log-probability of what is said, given that the solver speaks: [N].

        Args:
          features: [N, D].
          utterance: int64 [N, M], tokens and EOS, then PAD, which does not count. An utterance that was cut has no
            EOS. A row of PAD gives 0.
          shown: [N, vocabulary], how well what is seen shows each word, for a policy with a glimpse.
        """
        begin = torch.full_like(utterance[:, :1], BOS_ID)
        preceding = torch.cat([begin, utterance[:, :-1]], dim=1)
        log_probs = self._word_log_probs(features, preceding, self._impossible(utterance.shape[1]), shown)
        chosen = log_probs.gather(-1, utterance.unsqueeze(-1)).squeeze(-1)
        return chosen.masked_fill(utterance == PAD_ID, 0.0).sum(-1)

    @torch.no_grad()
    def sample_words(
        self,
        features: Tensor,
        length: int,
        generator: torch.Generator | None = None,
        greedy: bool = False,
        shown: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        """Choose words.

        Args:
          features: [N, D].
          generator: source of randomness; the global one if None.
          greedy: take the likeliest token instead of a sample.
          shown: [N, vocabulary], how well what is seen shows each word, for a policy with a glimpse.

        Returns:
          Utterances int64 [N, length] and their log-probability [N].
        """
        n = len(features)
        words = torch.full((n, 1), BOS_ID, dtype=torch.long, device=features.device)
        log_prob = features.new_zeros(n)
        done = torch.zeros(n, dtype=torch.bool, device=features.device)
        impossible = self._impossible(length)
        for _ in range(length):
            log_probs = self._word_log_probs(features, words, impossible, shown)[:, -1]
            noise = 0.0 if greedy else gumbel(tuple(log_probs.shape), log_probs.device, generator)
            choice = (log_probs + noise).argmax(-1).masked_fill(done, PAD_ID)
            log_prob = log_prob + log_probs.gather(-1, choice.unsqueeze(-1)).squeeze(-1).masked_fill(done, 0.0)
            done = done | (choice == EOS_ID)
            words = torch.cat([words, choice.unsqueeze(-1)], dim=1)
            if bool(done.all()):  # most utterances are answers of one word
                break
        return F.pad(words[:, 1:], (0, length + 1 - words.shape[1]), value=PAD_ID), log_prob

    def _impossible(self, length: int) -> Tensor:
        return impossible_tokens(length, self.choose.out_features, self.choose.weight.device)


def impossible_tokens(length: int, vocabulary: int, device: torch.device | str | None = None) -> Tensor:
    """Return True for tokens that are impossible at a place of an utterance: bool [length, vocabulary]."""
    token = torch.arange(vocabulary, device=device)
    impossible = ((token == PAD_ID) | (token == BOS_ID)).repeat(length, 1)
    impossible[0] |= token == EOS_ID
    impossible[length - 1] = token != EOS_ID
    return impossible
