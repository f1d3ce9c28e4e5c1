"""Everything that is observed besides words, as tokens: those of places, and those of a set of things."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from agents.batch import ObservationBatch
from agents.columns import computed_rows
from agents.config import AgentConfig


class Percepts(NamedTuple):
    """Tokens of N frames."""

    places: Tensor  # [N, K, width], always as many, in this order: picture, map, vector
    entities: Tensor | None  # [N, E, width], E at least the largest number of entities of a frame
    present: Tensor | None  # bool [N, E], rows that are entities


class Perception(nn.Module):
    """The encoders that an agent's spaces ask for, beside that of pictures."""

    def __init__(self, config: AgentConfig) -> None:
        super().__init__()
        seen = config.player.observation
        self.grid = self.vector = self.entities = None
        if seen.grid is not None:
            from agents.networks.grid import GridEncoder

            self.grid = GridEncoder(config, seen.grid)
        if seen.vector is not None or seen.entities is not None:
            from agents.networks.entities import EntityEncoder, VectorEncoder

            self.vector = VectorEncoder(config, seen.vector.length) if seen.vector is not None else None
            self.entities = EntityEncoder(config, seen.entities) if seen.entities is not None else None
        self.tokens = (self.grid.tokens if self.grid is not None else 0) + (self.vector is not None)
        self.width = config.width

    def forward(self, observations: ObservationBatch, vision: nn.Module | None) -> Percepts:
        """Return the tokens of the frames of ``observations`` [T, B, ...], N = T x B.

        Args:
          vision: encoder of pictures; None where there are none.
        """
        places = []
        if vision is not None:
            known = observations.visual
            places.append(vision(_flat(observations.image)) if known is None else _flat(known))
        if self.grid is not None:
            places.append(self.grid(_flat(observations.grid)))
        if self.vector is not None:
            places.append(self.vector(_flat(observations.vector)))
        if not places:
            frames = observations.setter_tokens.flatten(0, 1)
            places.append(torch.zeros(len(frames), 0, self.width, device=frames.device))
        entities = present = None
        if self.entities is not None:
            count = _flat(observations.entity_count)
            categories, values = _flat(observations.entity_categories), _flat(observations.entity_values)
            most = _filled_rows(count, values.shape[1])
            rows = torch.arange(most, device=values.device)
            present = rows < count.unsqueeze(-1)
            entities = self.entities(categories[:, :most], values[:, :most], present)
        return Percepts(places[0] if len(places) == 1 else torch.cat(places, dim=1), entities, present)


def _filled_rows(count: Tensor, most: int) -> int:
    """Return the rows E to compute of ``most`` for frames of ``count`` entities, int [N]."""
    return computed_rows(int(count.max()), most) if len(count) else most


def _flat(part: Tensor | None) -> Tensor:
    """Return ``part`` [T, B, ...] as [T x B, ...]. Raises ValueError if the observations lack it."""
    if part is None:
        raise ValueError("the observations lack a part that the agent's spaces declare")
    return part.flatten(0, 1)
