"""The patterns of all finishes in one table, at every fineness, as the rasteriser's kernels read them.

Level 0 of a pattern has SIDE x SIDE texels; each level after it half as many along a side, down to a single one. What
is seen from so far away that texels would be finer than pixels is read from a coarser level: there it is the mean of
what a pixel covers, so that nothing shimmers, and far away only the mean is left.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from worlds.drawing.finishes import FINISHES
from worlds.drawing.patterns import PATTERNS, SIDE, Field

LEVELS = SIDE.bit_length()


class PatternTable(NamedTuple):
    """All patterns, by the number of the finish.

    Args:
      texels: int64 [all]: of a texel dim | mix << 16, and of its neighbour to the right the same << 32; 0 to 255 each.
      level: int64 [LEVELS + 1], where each level begins inside the texels of a finish; then their number.
      rate: float64 [finishes, 2], texels of level 0 a metre, along the columns and the rows.
      second: int32 [finishes], the second colour, red | green << 8 | blue << 16; -1 for none.
      upright: bool [finishes].
      lit: bool [finishes].
    """

    texels: NDArray[np.int64]
    level: NDArray[np.int64]
    rate: NDArray[np.float64]
    second: NDArray[np.int32]
    upright: NDArray[np.bool_]
    lit: NDArray[np.bool_]


@cache
def pattern_table() -> PatternTable:
    """The table, computed at the first call."""
    named = [PATTERNS.get(name) for name in FINISHES]  # none for plain
    sizes = np.array([(1.0, 1.0) if p is None else p.size for p in named])
    seconds = np.array([(0, 0, 0) if p is None else p.second for p in named])
    blank = np.ones((SIDE, SIDE)), np.zeros((SIDE, SIDE))
    chains = [levels_of(*(blank if p is None else p.draw())) for p in named]
    mixes = [bool(chain[0][..., 1].any()) for chain in chains]
    begin = np.cumsum([0] + [len(level) ** 2 for level in chains[0]])
    return PatternTable(
        texels=np.concatenate([_packed(level).ravel() for chain in chains for level in chain]),
        level=begin.astype(np.int64),
        rate=SIDE / sizes,
        second=np.where(mixes, (seconds << np.array([0, 8, 16])).sum(axis=1), -1).astype(np.int32),
        upright=np.array([p is not None and p.upright for p in named]),
        lit=np.array([p is None or p.lit for p in named]),
    )


def levels_of(dim: Field, mix: Field) -> list[NDArray[np.int64]]:
    """Levels of a pattern from fine to coarse, int64 [n, n, 2] each: dim and mix, 0 to 255."""
    both = np.stack([dim, mix], axis=-1)
    level = np.floor(np.clip(both, 0.0, 1.0) * 255 + 0.5).astype(np.int64)
    levels = [level]
    while len(level) > 1:
        level = (level[::2, ::2] + level[1::2, ::2] + level[::2, 1::2] + level[1::2, 1::2] + 2) >> 2
        levels.append(level)
    return levels


def _packed(level: NDArray[np.int64]) -> NDArray[np.int64]:
    one = level[..., 0] | level[..., 1] << 16
    return one | np.roll(one, -1, axis=1) << 32
