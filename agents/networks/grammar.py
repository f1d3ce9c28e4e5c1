"""The language policy of a finite grammar: whether to speak, and one alternative from every slot."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from agents.config import AgentConfig
from agents.networks.movement import gumbel
from agents.tokenizer import PAD_ID
from worlds.spaces.action import Grammar


class GrammarPolicy(nn.Module):
    """As :class:`agents.networks.language.LanguagePolicy`, with sentences of a grammar.

    An utterance is whole numbers [slots]: 1 + the index of a slot's alternative; 0 everywhere is silence. Each slot is
    chosen given those before it.
    """

    def __init__(self, config: AgentConfig, grammar: Grammar) -> None:
        super().__init__()
        width = config.width
        self.speak = nn.Linear(config.memory_width, 1)
        nn.init.constant_(self.speak.bias, -3.0)  # silence is the rule
        self.condition = nn.Linear(config.memory_width, width)
        self.choose = nn.ModuleList(nn.Linear(width, len(slot)) for slot in grammar.slots)
        self.chosen = nn.ModuleList(nn.Embedding(len(slot), width) for slot in grammar.slots[:-1])

    def speak_logit(self, features: Tensor) -> Tensor:
        """Log-odds of speaking, [...], for features [..., D]."""
        return self.speak(features).squeeze(-1)

    def words_log_prob(self, features: Tensor, utterance: Tensor, shown: Tensor | None = None) -> Tensor:
        """Log-probability [N] of sentences int64 [N, slots], given that the solver speaks; silence gives 0.

        Args:
          features: [N, D].
          shown: not used.
        """
        given, total = self.condition(features), features.new_zeros(len(features))
        for slot, choose in enumerate(self.choose):
            index = (utterance[:, slot] - 1).clamp_min(0).unsqueeze(-1)
            log_probs = torch.log_softmax(choose(F.relu(given)).float(), dim=-1)
            total = total + log_probs.gather(-1, index).squeeze(-1)
            if slot < len(self.chosen):
                given = given + self.chosen[slot](index.squeeze(-1))
        return total.masked_fill(utterance[:, 0] == PAD_ID, 0.0)

    @torch.no_grad()
    def sample_words(
        self,
        features: Tensor,
        length: int,
        generator: torch.Generator | None = None,
        greedy: bool = False,
        shown: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        """Choose sentences.

        Args:
          features: [N, D].
          length: number of slots.
          generator: source of randomness; the global one if None.
          greedy: take the likeliest alternative instead of a sample.
          shown: not used.

        Returns:
          Sentences int64 [N, length] and their log-probability [N].
        """
        given, words = self.condition(features), []
        for slot, choose in enumerate(self.choose):
            logits = choose(F.relu(given)).float()
            noise = 0.0 if greedy else gumbel(tuple(logits.shape), logits.device, generator)
            words.append((logits + noise).argmax(-1))
            if slot < len(self.chosen):
                given = given + self.chosen[slot](words[-1])
        utterance = torch.stack(words, dim=-1) + 1
        return utterance, self.words_log_prob(features, utterance)
