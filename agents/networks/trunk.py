"""The trunk that agent and reward model share: image and words meet in a Transformer, an LSTM remembers.

Paper, A.4: ResNet blocks for the image, a learnable embedding table for language, a multi-modal Transformer
over both, whose output is aggregated and given to an LSTM memory.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from agents.batch import ObservationBatch
from agents.columns import ActionColumns
from agents.config import AgentConfig
from agents.networks.checkpointed_layers import CheckpointedLayers
from agents.networks.memory import AgentState, ResettingLSTM
from agents.networks.perception import Perception
from agents.networks.vision import make_vision
from agents.tokenizer import PAD_ID

__all__ = ["AgentState", "MovementEmbedding", "Trunk", "TrunkOutput", "TransformerLayer", "masked_mean", "match_scores"]


class TrunkOutput(NamedTuple):
    """Outputs of the trunk for a sequence."""

    features: Tensor  # [T, B, memory_width]
    vision: Tensor  # [T, B, K, width], embedding of each visual token before it meets language; entities last
    language: Tensor  # [T, B, width], embedding of the setter's words before they meet vision
    seen: Tensor | None = None  # bool [T, B, K], visual tokens that are there; None is all
    entities: Tensor | None = None  # [T, B, E, width], the entities' tokens after they met language
    present: Tensor | None = None  # bool [T, B, E], rows that are entities
    glimpsed: Tensor | None = None  # [T, B, width], of ``vision``, what shows best what the words name; with a glimpse


class TransformerLayer(nn.Module):
    """One pre-norm self-attention layer."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm_attention = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm_mlp = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.ReLU(), nn.Linear(2 * width, width))

    def forward(
        self, x: Tensor, visible: Tensor | None = None, causal: bool = False, queries: int | None = None
    ) -> Tensor:
        """Return the tokens after the layer: [N, K, width].

        Args:
          x: [N, K, width].
          visible: bool [N, 1, 1, K], tokens that may be attended to; None is all.
          causal: each token attends to itself and those before it.
          queries: number of first tokens that are computed and returned; None is all.
        """
        n, k, width = x.shape
        normed = self.norm_attention(x)
        if queries is None:
            q, key, value = self._heads(self.qkv(normed), 3)
        else:
            weight, bias = self.qkv.weight, self.qkv.bias
            (q,) = self._heads(F.linear(normed[:, :queries], weight[:width], bias[:width]), 1)
            key, value = self._heads(F.linear(normed, weight[width:], bias[width:]), 2)
            x = x[:, :queries]
        attended = F.scaled_dot_product_attention(q, key, value, attn_mask=visible, is_causal=causal)
        x = x + self.out(attended.transpose(1, 2).reshape(n, -1, width))
        return x + self.mlp(self.norm_mlp(x))

    def _heads(self, x: Tensor, parts: int) -> Tensor:
        """[N, K, parts * width] to [parts, N, heads, K, width / heads]."""
        return x.unflatten(-1, (parts, self.heads, -1)).permute(2, 0, 3, 1, 4)


class MovementEmbedding(nn.Module):
    """The previous step's movement, integers [..., ticks, C], as one token [..., width].

    Of a pointer it knows only whether it pointed at something: rows of entities change from step to step.
    """

    slots: Tensor
    most: Tensor

    def __init__(self, width: int, columns: ActionColumns) -> None:
        super().__init__()
        counts = np.where(columns.pointers, 2, columns.counts)
        self.pointers = bool(columns.pointers.any())
        if self.pointers:
            self.register_buffer("most", torch.tensor((counts - 1).tolist()))
        offsets = torch.tensor((counts.cumsum() - counts).tolist())
        bins = int(counts.sum())
        slots = offsets + bins * torch.arange(columns.ticks)[:, None]
        self.register_buffer("slots", slots)
        self.table = nn.Embedding(bins * columns.ticks, width)
        nn.init.normal_(self.table.weight, std=0.02)

    def forward(self, movement: Tensor) -> Tensor:
        movement = movement.long()
        if self.pointers:
            movement = movement.minimum(self.most)
        index = (movement + self.slots).flatten(-2)
        embedded = F.embedding_bag(index.reshape(-1, index.shape[-1]), self.table.weight, mode="sum")
        return embedded.view(*index.shape[:-1], -1)


def masked_mean(x: Tensor, keep: Tensor) -> Tensor:
    """Mean of x [N, K, D] over the rows that ``keep`` [N, K] marks; zeros where it marks none."""
    weight = keep.to(x.dtype).unsqueeze(-1)
    return (x * weight).sum(1) / weight.sum(1).clamp_min(1.0)


def match_scores(shown: Tensor, named: Tensor) -> Tensor:
    """Scaled dot products [..., K] of visual tokens [..., K, D] with the words [..., D]: does it show what is named?"""
    return (shown @ named.unsqueeze(-1)).squeeze(-1) / named.shape[-1] ** 0.5


class Trunk(CheckpointedLayers):
    """Observations [T, B, ...] and memory to features [T, B, memory_width] and memory."""

    def __init__(self, config: AgentConfig) -> None:
        super().__init__()
        width = config.width
        image = config.player.observation.image
        self.vision = make_vision(config, image.channels) if image is not None else None
        self.perception = Perception(config)
        self.words = nn.Embedding(config.vocab_size, width, padding_idx=PAD_ID)
        self.word_place = nn.Parameter(torch.randn(config.setter_text_length, width) * 0.02)
        self.own_words = nn.Linear(width, width)
        self.movement = MovementEmbedding(width, config.columns) if config.feels_movement else None
        self.dedicated = nn.Parameter(torch.randn(config.dedicated_tokens, width) * 0.02)
        # Both are normalised: embeddings of words start small, and products of small numbers learn slowly.
        self.norm_language = nn.LayerNorm(width)
        self.norm_vision = nn.LayerNorm(width)
        # A dedicated token that already carries the instruction lets the first layer look for what it names, and
        # visual tokens scaled by it (FiLM) let it find that sooner.
        self.ask = nn.Linear(width, width)
        self.modulate = nn.Linear(width, 2 * width)
        # Where the picture shows what the words name: a score for every visual token. The contrastive loss teaches
        # it directly, long before imitation by itself would.
        self.shows = nn.Linear(width, width)
        self.names = nn.Linear(width, width)
        self.found = nn.Parameter(torch.randn(width) * 0.02)
        self.layers = nn.ModuleList(TransformerLayer(width, config.heads) for _ in range(config.layers))
        self.norm = nn.LayerNorm(width)
        # Pooling that keeps the place: every visual token leaves a few numbers of its own.
        self.sketch = nn.Linear(width, config.sketch_width)
        places = self.perception.tokens + (self.vision.tokens if self.vision is not None else 0)
        gathered = config.dedicated_tokens * width + places * (config.sketch_width + 1)
        self.glimpse = config.glimpse and places > 0
        # The token that matches the words best, and how well: of the places, and of a set of entities.
        gathered += (width + 1) * (self.glimpse + (self.perception.entities is not None))
        texts = config.player.observation.texts
        self.text_kinds = nn.Parameter(torch.randn(len(texts), width) * 0.02) if texts else None
        # Other texts than the setter's change what is looked for, too: "the blue one" is said by a third, or read.
        self.read = nn.Linear(len(texts) * width, width) if texts else None
        self.gather = nn.Linear(gathered, config.memory_width)
        self.memory = ResettingLSTM(config.memory_width, config.memory_width)
        nn.init.normal_(self.words.weight, std=0.1)

    def forward(
        self, observations: ObservationBatch, state: AgentState, resets: Tensor
    ) -> tuple[TrunkOutput, AgentState]:
        steps, batch = resets.shape
        places, entities, present = self.perception(observations, self.vision)
        vision = places if entities is None else torch.cat([places, entities], dim=1)
        setter_tokens = observations.setter_tokens.flatten(0, 1)
        spoken = setter_tokens != PAD_ID
        words = self.words(setter_tokens)
        language = self.norm_language(masked_mean(words, spoken))
        texts = self._texts(observations)
        if self.read is not None and texts is not None:
            language = language + self.read(self.norm_language(texts).flatten(1))
        shown, named = self.shows(self.norm_vision(vision)), self.names(language)
        match = match_scores(shown, named)
        scale, shift = self.modulate(language).unsqueeze(1).chunk(2, dim=-1)
        vision = vision * (1.0 + scale) + shift + match.unsqueeze(-1) * self.found
        count = places.shape[1]
        met, seen = (None, None) if present is None else (vision[:, count:], _with_places(present, count))
        others = self._others(observations, texts)
        words = words + self.word_place[: words.shape[1]]
        perceived = self._perceive(vision[:, :count], met, present, words, spoken, language, others)
        found, glimpsed = [perceived, match[:, :count]], None
        if self.glimpse:
            everywhere = torch.ones_like(match[:, :count], dtype=torch.bool)
            found.append(_best(vision[:, :count], match[:, :count], everywhere))
            glimpsed = _best(shown[:, :count], match[:, :count], everywhere)[:, :-1]
        if met is not None and present is not None:
            found.append(_best(met, match[:, count:], present))
        inputs = F.relu(self.gather(torch.cat(found, dim=-1))).view(steps, batch, -1)
        remembered, state = self.memory(inputs, state, resets)

        def by_step(x: Tensor | None) -> Tensor | None:
            return None if x is None else x.unflatten(0, (steps, batch))

        embeddings = (shown.unflatten(0, (steps, batch)), named.unflatten(0, (steps, batch)))
        return TrunkOutput(remembered + inputs, *embeddings, *map(by_step, (seen, met, present, glimpsed))), state

    def shown_words(self, glimpsed: Tensor) -> Tensor:
        """How well what was glimpsed shows each single word of the vocabulary: scores [N, vocabulary].

        They are what the contrastive loss has taught, and no gradient flows through them. A question names a kind and
        its answer a colour: which colours a kind has had in answers says less than what is seen.

        Args:
          glimpsed: [N, width], of :class:`TrunkOutput`.
        """
        with torch.no_grad():
            named = self.names(self.norm_language(self.words.weight))
            return glimpsed.to(named.dtype) @ named.T / named.shape[-1] ** 0.5

    def _texts(self, observations: ObservationBatch) -> Tensor | None:
        """Means of the words of every other text than the setter's: [N, texts, width]; None without such texts."""
        if observations.texts is None:
            return None
        tokens = observations.texts.flatten(0, 1)
        means = masked_mean(self.words(tokens).flatten(0, 1), (tokens != PAD_ID).flatten(0, 1))
        return means.view(*tokens.shape[:2], -1)

    def _others(self, observations: ObservationBatch, texts: Tensor | None) -> list[Tensor]:
        """Tokens [N, 1 or texts, width] of what is observed besides places, entities and the setter's words."""
        own_tokens = observations.solver_tokens.flatten(0, 1)
        others = [self.own_words(masked_mean(self.words(own_tokens), own_tokens != PAD_ID)).unsqueeze(1)]
        if self.movement is not None:
            others.append(self.movement(observations.previous_movement.flatten(0, 1)).unsqueeze(1))
        if self.text_kinds is not None and texts is not None:
            others.append(texts + self.text_kinds)
        return others

    def _perceive(
        self,
        places: Tensor,
        entities: Tensor | None,
        present: Tensor | None,
        words: Tensor,
        spoken: Tensor,
        language: Tensor,
        others: list[Tensor],
    ) -> Tensor:
        """The multi-modal Transformer and its aggregated output: [N, gathered]."""
        dedicated = self.dedicated + self.ask(language).unsqueeze(1)
        sets = [] if entities is None else [entities]
        tokens = torch.cat([dedicated, places, *others, words, *sets], dim=1)
        always = spoken.new_ones(len(tokens), dedicated.shape[1] + places.shape[1] + sum(x.shape[1] for x in others))
        there = [always, spoken] if present is None else [always, spoken, present]
        mask = torch.cat(there, dim=1)[:, None, None, :]
        for layer in self.layers[:-1]:
            tokens = self.run(layer, tokens, mask)
        # Only the dedicated tokens and those of places are read after the last layer, so only they are computed in it.
        count = self.dedicated.shape[0]
        tokens = self.norm(self.run(self.layers[-1], tokens, mask, queries=count + places.shape[1]))
        return torch.cat([tokens[:, :count].flatten(1), self.sketch(tokens[:, count:]).flatten(1)], dim=1)


def _with_places(present: Tensor, count: int) -> Tensor:
    """Return which visual tokens are there: bool [N, count + E], all places and the entities ``present`` [N, E]."""
    return F.pad(present, (count, 0), value=True)


def _best(tokens: Tensor, match: Tensor, present: Tensor) -> Tensor:
    """Visual tokens weighed by how well they match the words, and the best match: [N, width + 1].

    Args:
      tokens: [N, K, width], of places or entities.
      match: [N, K], scores.
      present: bool [N, K], tokens that are there; frames without any give zeros.
    """
    match = match.masked_fill(~present, -1e4)
    some = present.any(1, keepdim=True)
    weight = torch.softmax(match, dim=-1).masked_fill(~some, 0.0)
    best = match.amax(1, keepdim=True).masked_fill(~some, 0.0)
    return torch.cat([(weight.unsqueeze(1) @ tokens).squeeze(1), best], dim=-1)
