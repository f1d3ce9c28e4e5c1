"""The trunk of the SocialAI school's agents: a map meets words by FiLM, the words are chosen by the memory."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from agents.batch import ObservationBatch
from agents.config import AgentConfig
from agents.networks.memory import AgentState, ResettingLSTM
from agents.networks.trunk import TrunkOutput, masked_mean
from experiments.social_ai.film.blocks import FilmBlock, PictureMap, Stem, SymbolMap, row_normalised
from experiments.social_ai.film.reading import Reader

BLOCKS = 2  # of FiLM


class FilmTrunk(nn.Module):
    """Observations [T, B, ...] and memory to features [T, B, memory_width] and memory.

    What the memory looks at in the texts decides how the map is scaled, and the map is what is remembered next, so the
    steps of a sequence are computed one after the other; convolutions before the words, and the GRU, are not.

    Where a picture and a map are observed, both meet the words in the same blocks, and the larger feature counts.
    """

    vision = None  # no module that can be compiled by itself, as in the built-in trunk
    layers = ()

    def __init__(self, config: AgentConfig) -> None:
        super().__init__()
        seen, width = config.player.observation, config.width
        self.map = Stem(SymbolMap(seen.grid, width), width) if seen.grid is not None else None
        self.picture = Stem(PictureMap(config, seen.image), width) if seen.image is not None else None
        self.reader = Reader(config.vocab_size, width, config.memory_width)
        self.blocks = nn.ModuleList(FilmBlock(width, width) for _ in range(BLOCKS))
        self.memory = ResettingLSTM(width, config.memory_width)
        row_normalised(self.memory.input)
        with torch.no_grad():  # remember by default
            self.memory.input.bias[config.memory_width : 2 * config.memory_width].fill_(1.0)

    def forward(
        self, observations: ObservationBatch, state: AgentState, resets: Tensor
    ) -> tuple[TrunkOutput, AgentState]:
        """Follow sequences; see :meth:`agents.networks.trunk.Trunk.forward`."""
        shape = resets.shape
        states, there = self.reader.read(_all_texts(observations).flatten(0, 1))
        maps = [
            stem(part.flatten(0, 1))
            for stem, part in ((self.map, observations.grid), (self.picture, observations.image))
            if stem is not None and part is not None
        ]
        tokens = torch.cat([each.flatten(2).transpose(1, 2) for each in maps], dim=1)
        language = masked_mean(states, there)
        by_step = [each.unflatten(0, shape) for each in (*maps, states, there)]
        keep = (~resets).to(state.hidden.dtype).unsqueeze(-1)
        none = torch.zeros_like(resets[:1])
        features = []
        for step in range(shape[0]):
            *seen, words, known = (each[step] for each in by_step)
            state = AgentState(state.hidden * keep[step], state.cell * keep[step])
            read = self.reader.attend(*state, words, known)
            output, state = self.memory.stepped(self._look(seen, read).unsqueeze(0), state, none)
            features.append(output[0])
        return TrunkOutput(torch.stack(features), tokens.unflatten(0, shape), language.unflatten(0, shape)), state

    def _look(self, maps: list[Tensor], read: Tensor) -> Tensor:
        """Return what maps [B, width, H, W] show of what was read, [B, width]: [B, width]."""
        pooled = []
        for seen in maps:
            for block in self.blocks:
                seen = block(seen, read)
            pooled.append(F.relu(seen.amax(dim=(2, 3))))
        return torch.stack(pooled).amax(dim=0)


def _all_texts(observations: ObservationBatch) -> Tensor:
    """Return the setter's words and then all further texts, one after the other: int64 [T, B, L]."""
    texts = observations.setter_tokens
    return texts if observations.texts is None else torch.cat([texts, observations.texts.flatten(2)], dim=-1)
