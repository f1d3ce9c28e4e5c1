"""One attempt at one furnished house."""

from __future__ import annotations

import numpy as np

from worlds.playhouse.house.chance import Chance
from worlds.playhouse.house.furnished.contents import Contents
from worlds.playhouse.house.furnished.door_leaves import with_door_leaves
from worlds.playhouse.house.furnished.furnishing import Furnishing
from worlds.playhouse.house.furnished.plan import sample_plan
from worlds.playhouse.house.record import FORMAT_2, House
from worlds.playhouse.house.settings import HouseSettings
from worlds.playhouse.house.wanted import wanted


class FurnishedBuilder:
    def __init__(self, rng: np.random.Generator, settings: HouseSettings) -> None:
        self._chance, self._settings = Chance(int(rng.integers(2**63))), settings

    def build(self) -> House:
        """Sample everything. Raises NoPlaceError if something finds no place."""
        include = tuple(wanted(text) for text in self._settings.include)
        plan = sample_plan(self._chance, self._settings, include)
        furniture = Furnishing(self._chance, self._settings, plan).place(include)
        contents = Contents(self._chance, self._settings, plan, furniture)
        starts = contents.place_starts()
        objects = contents.place_objects(include)
        substeps = self._settings.substeps
        house = House(plan.rooms, plan.doorways, furniture, objects, starts, plan.windows, FORMAT_2, substeps)
        share = self._settings.door_leaves
        return with_door_leaves(house, share, self._chance) if share else house
