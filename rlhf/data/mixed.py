"""Batches of several kinds of recorded play: each kind has its own columns, in proportion to its weight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from agents.batch import ActionBatch, RecordedWindow, map_parts
from rlhf.data.dataset import Dataset, WindowStream
from worlds.errors import UserError


@dataclass(frozen=True, eq=False)
class MixedDataset:
    """Several datasets; every window has some columns of each.

    Args:
      parts: datasets by the name of the kind of play.
      weights: by the same names; columns are shared in proportion to them.
    """

    parts: Mapping[str, Dataset]
    weights: Mapping[str, float]

    def __len__(self) -> int:
        return sum(map(len, self.parts.values()))

    @property
    def steps_demonstrated(self) -> int:
        return sum(part.steps_demonstrated for part in self.parts.values())

    def movement_counts(self) -> np.ndarray:
        return np.sum([part.movement_counts() for part in self.parts.values()], axis=0)

    def stream(self, steps: int, batch: int, seed: int, columns: slice | None = None) -> WindowStream:
        shares = share_columns(batch, {name: self.weights[name] for name in self.parts})
        seeds = np.random.SeedSequence(seed).generate_state(len(self.parts)).tolist()
        wanted = range(batch)[columns or slice(None)]
        streams, begin = dict[str, WindowStream](), 0
        for (name, part), own in zip(self.parts.items(), seeds, strict=True):
            # A kind none of whose columns are wanted advances with the others, so that learners have equal states.
            first, last = (min(max(column - begin, 0), shares[name]) for column in (wanted.start, wanted.stop))
            streams[name] = part.stream(steps, shares[name], own, slice(first, last))
            begin += shares[name]
        return MixedStream(streams)


def share_columns(batch: int, weights: Mapping[str, float]) -> dict[str, int]:
    """Share the columns of a batch among kinds of play: at least one each, the rest in proportion to the weights.

    Every further column goes to the kind that has the fewest for its weight (Webster's method).

    Raises:
      UserError: if there are fewer columns than kinds.
    """
    if batch < len(weights):
        raise UserError(f"a batch of {batch} has no column for each of {len(weights)} kinds of play; make it larger")
    columns = dict.fromkeys(weights, 1)
    for _ in range(batch - len(weights)):
        poorest = max(weights, key=lambda name: weights[name] / (2 * columns[name] + 1))
        columns[poorest] += 1
    return columns


class MixedStream:
    """Windows of several streams side by side, in the order of their names' mapping."""

    def __init__(self, streams: Mapping[str, WindowStream]) -> None:
        self._streams = dict(streams)

    def next(self, device: str | torch.device = "cpu") -> RecordedWindow:
        """Return the next window of all streams, side by side."""
        return side_by_side([stream.next(device) for stream in self._streams.values()])

    def state_dict(self) -> dict[str, Any]:
        return {"kinds": {name: stream.state_dict() for name, stream in self._streams.items()}}

    def load_state_dict(self, state: dict) -> None:
        """Resume from what :meth:`state_dict` returned. Raises UserError if that was of other kinds or other play."""
        then = state.get("kinds", {})
        if list(then) != list(self._streams):
            raise UserError(
                f"the run learned from {', '.join(then) or 'one kind of play'}, not {', '.join(self._streams)}"
            )
        for name, stream in self._streams.items():
            stream.load_state_dict(then[name])


def side_by_side(windows: Sequence[RecordedWindow]) -> RecordedWindow:
    """Join ``windows`` of equally many steps into one, [T, B1 + B2 + ...]."""
    demonstrated = None
    if any(window.demonstrated is not None for window in windows):
        demonstrated = torch.cat([_mask(window) for window in windows], dim=1)
    return RecordedWindow(
        map_parts(lambda *parts: torch.cat(parts, dim=1), *(w.observations for w in windows)),
        ActionBatch(*(torch.cat(parts, dim=1) for parts in zip(*(w.actions for w in windows), strict=True))),
        torch.cat([window.resets for window in windows], dim=1),
        demonstrated,
    )


def _mask(window: RecordedWindow) -> Tensor:
    return torch.ones_like(window.resets) if window.demonstrated is None else window.demonstrated
