"""Count-based bonuses of the SocialAI school (Kovač et al., 2024, section C.5), counted within an episode.

CB counts the different cells of what is seen, CBL what is heard. With the paper's power of 50 only what is observed for
the first time in an episode has a bonus.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from worlds.ranges import Positive
from worlds.settings import settings

_STEPS = 40  # of a rollout, by which the reference divides its C
Power = Annotated[float, Field(ge=0, le=1000)]


def count_bonus(counts: Iterable[int], scale: float, power: float, top: float) -> float:
    """Return T tanh(sum over all of C / (N + 1)^M), the paper's Eq. 2; of one count it is Eq. 1.

    Args:
      counts: N, how often each of the things observed now was observed before in the episode.
    """
    return top * math.tanh(sum(scale * (count + 1.0) ** -power for count in counts))


def cell_codes(image: np.ndarray) -> set[bytes]:
    """Return the different cells of a map, U(s) of Eq. 2: the bytes of each.

    Args:
      image: integers [height, width, channels].
    """
    cells = np.ascontiguousarray(image).reshape(-1, image.shape[-1])
    size = cells.itemsize * cells.shape[1]
    whole = cells.tobytes()
    return {whole[begin : begin + size] for begin in range(0, len(whole), size)}


@settings
class CountSettings:
    """Settings of a count-based bonus.

    Args:
      scale: C of the equation. The reference gives 2 (CB) or 10 (CBL), and divides it by 40.
      power: M.
      top: T, the largest bonus of a step.

    Raises:
      UserError: a number out of its range.
    """

    scale: Positive = 2 / _STEPS
    power: Power = 50.0
    top: Positive = 0.6


class EpisodicCounts:
    """How often things were observed in the present episode."""

    def __init__(self) -> None:
        self._counts: Counter[Hashable] = Counter()

    def forget(self) -> None:
        """Begin an episode."""
        self._counts.clear()

    def see(self, things: Collection[Hashable]) -> list[int]:
        """Return how often each of ``things`` was observed before, and count them, each once."""
        before = [self._counts[thing] for thing in things]
        self._counts.update(things)
        return before


class CellBonus:
    """CB: a bonus for cells that look as none before in the episode."""

    def __init__(self, settings: CountSettings | None = None, key: str = "image") -> None:
        self._settings, self._key, self._counts = settings or CountSettings(), key, EpisodicCounts()

    def begin(self, seen: Mapping[str, Any]) -> None:
        self._counts.forget()
        self._counts.see(self._things(seen))

    def step(self, seen: Mapping[str, Any], action: Any, ended: bool) -> float:
        counts = self._counts.see(self._things(seen))
        return 0.0 if ended else count_bonus(counts, self._settings.scale, self._settings.power, self._settings.top)

    def _things(self, seen: Mapping[str, Any]) -> Collection[Hashable]:
        return cell_codes(np.asarray(seen[self._key]))


class WordBonus(CellBonus):
    """CBL: a bonus for an utterance that was not heard before in the episode; silence is one, too."""

    def __init__(self, settings: CountSettings | None = None, key: str = "utterance") -> None:
        super().__init__(settings or CountSettings(scale=10 / _STEPS), key)

    def _things(self, seen: Mapping[str, Any]) -> Collection[Hashable]:
        return {str(seen[self._key])}
