"""Finishes of surfaces: patterns that are computed, not read from files, in the geoms' own coordinates."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from worlds.contract import WorldError

# A finish's place here is its number in Shapes.finish; plain, 0, is one colour all over.
FINISHES: tuple[str, ...] = (
    "plain",
    "wood",
    "planks",
    "cloth",
    "carpet",
    "tiles",
    "brick",
    "plaster",
    "paper",
    "grass",
    "sky",
    "water",
    "leaves",
    "stripes",
    "dots",
)


def finish_numbers(names: Iterable[str]) -> NDArray[np.int32]:
    """Return the number of each finish: int32 [names]. Raises WorldError for a name that is none."""
    names = list(names)
    unknown = sorted(set(names) - set(FINISHES))
    if unknown:
        raise WorldError(f"finish {unknown[0]!r} does not exist; choose from {', '.join(FINISHES)}")
    return np.array([FINISHES.index(name) for name in names], dtype=np.int32)
