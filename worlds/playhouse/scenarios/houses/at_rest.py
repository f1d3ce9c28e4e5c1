"""A house before play, for those who ask a world where things are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from worlds.contract import SETTER
from worlds.playhouse.house.record import House
from worlds.playhouse.physics.avatar import EYE_HEIGHT
from worlds.playhouse.requests.facts import Facts, facts_of
from worlds.playhouse.world import AvatarState, Playhouse


class AtRest:
    """A house without physics: everything is where the record has it."""

    def __init__(self, house: House) -> None:
        self.house = house

    def object_positions(self) -> dict[str, np.ndarray]:
        return {o.id: np.array([o.x, o.y, o.z + o.height / 2]) for o in self.house.objects}

    def avatar(self, agent: str) -> AvatarState:
        start = self.house.start(agent)
        here = np.array([start.x, start.y, 0.0])
        return AvatarState(here, here + [0.0, 0.0, EYE_HEIGHT], start.yaw, 0.0, None)

    def room_at(self, xy: Sequence[float] | np.ndarray) -> str | None:
        room = self.house.room_at(float(xy[0]), float(xy[1]))
        return room.id if room else None


def facts_at_rest(house: House) -> Facts:
    """Return the facts of a house before play, as the setter speaks of them."""
    return facts_of(cast(Playhouse, AtRest(house)), SETTER)
