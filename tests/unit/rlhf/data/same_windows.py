"""Windows of recorded play compared to the last bit."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from agents.batch import RecordedWindow


def tensors(window: RecordedWindow) -> Iterator[torch.Tensor]:
    """Everything that a window holds."""
    yield from (part for part in window.observations if part is not None)
    yield from (part for part in window.actions if part is not None)
    yield window.resets
    if window.demonstrated is not None:
        yield window.demonstrated


def same(one: RecordedWindow, other: RecordedWindow) -> bool:
    pairs = list(zip(tensors(one), tensors(other), strict=True))
    return all(a.dtype == b.dtype and torch.equal(a, b) for a, b in pairs)
