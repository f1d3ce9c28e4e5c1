"""Reasons why a grab took nothing, in words for the player. People read them; agents do not."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from worlds.contract import GrabFailure
from worlds.playhouse.house.record import Thing
from worlds.playhouse.physics.avatar import AIM_TOLERANCE, REACH

_BESIDE = 0.5  # metres by which the crosshair may miss a thing that is named as the one to aim at


@dataclass(frozen=True, eq=False)
class Candidate:
    """A thing as seen by a player who grabs.

    Args:
      way: float64 [3], from the eye to its middle, metres.
      radius: of the sphere around it, metres.
      holder: the player who holds it, or None.
      in_sight: returns True if nothing hides it.
    """

    thing: Thing
    way: np.ndarray
    radius: float
    holder: str | None
    in_sight: Callable[[], bool]

    @property
    def lacking(self) -> float:
        """Metres by which it is out of reach; 0 within reach."""
        return max(math.sqrt(float(self.way @ self.way)) - self.radius - REACH, 0.0)

    def miss(self, ahead: np.ndarray) -> float:
        """Metres by which the crosshair misses it, negative inside; infinite behind the player."""
        along = float(self.way @ ahead)
        return math.sqrt(max(float(self.way @ self.way) - along * along, 0.0)) - self.radius if along > 0 else math.inf


class Grabs:
    """The grabs of one player in play tick by tick.

    Attributes:
      failure: the last grab that took nothing; None since one that took something.
      under_way: True between ticks that ask for the same grab.
    """

    def __init__(self) -> None:
        self.failure: GrabFailure | None = None
        self.under_way = False
        self._hands_were_full = False  # when the grab began

    def note(self, tick: int, held_before: bool, held: Thing | None, why_not: Callable[[], str]) -> None:
        """Note what a grab has come to.

        Args:
          tick: ticks played since the reset.
          held_before: True if something was in hand before the ticks just played.
          held: what is in hand now.
          why_not: returns the reason why empty hands took nothing.
        """
        if not self.under_way:
            self._hands_were_full = held_before
        if held is None:
            self.failure = GrabFailure(tick, why_not())
        elif self._hands_were_full:
            self.failure = GrabFailure(tick, f"you hold {name_of(held)}: release it first")
        else:
            self.failure = None


def gaze(yaw: float, pitch: float) -> np.ndarray:
    """Unit vector of a direction: float64 [3]; ``yaw`` and ``pitch`` in radians."""
    return np.array([math.cos(pitch) * math.cos(yaw), math.cos(pitch) * math.sin(yaw), math.sin(pitch)])


def name_of(thing: Thing) -> str:
    """Return e.g. "the red ball"."""
    return f"the {thing.colour} {thing.kind}"


def reason_of_failure(ahead: np.ndarray, candidates: Iterable[Candidate]) -> str:
    """Return why a player with empty hands grabs nothing.

    Args:
      ahead: float64 [3], unit vector from the eye through the crosshair.
      candidates: all loose things of the house.
    """
    by_miss = sorted(((c.miss(ahead), c) for c in candidates), key=lambda pair: pair[0])
    aimed = sorted((c for miss, c in by_miss if miss <= AIM_TOLERANCE), key=lambda c: float(c.way @ c.way))
    for one in aimed:
        name = name_of(one.thing)
        if not one.in_sight():
            if one.lacking == 0.0:
                return f"something is in front of {name}"
        elif one.holder is not None:
            return f"the {one.holder} holds {name}"
        elif one.lacking > 0.0:
            return f"{name} is {max(one.lacking, 0.1):.1f} m out of reach: go nearer"
    for miss, one in by_miss:
        if miss > _BESIDE:
            break
        if one.lacking == 0.0 and one.holder is None and one.in_sight():
            return f"the crosshair is beside {name_of(one.thing)}: aim at it"
    return "nothing within reach is under the crosshair"
