"""Small things, distributed over an apartment from its seed to where such things belong."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from worlds.data_files import read_entries
from worlds.household.catalogue.classes import CLASS_OF
from worlds.household.homes.building import SIDES, turned
from worlds.household.homes.draft import Draft
from worlds.household.state.vocabulary import Held

TRIES = 20  # of places for a thing
SIZES = 0.08  # sizes vary by this share


@dataclass(frozen=True)
class Belongs:
    """Where the things of a class belong: each goes to one of the kinds of furniture that the apartment has.

    Args:
      places: e.g. "in kitchencabinet" or "on desk", all equally likely; a place listed twice is twice as likely.
    """

    fewest: int
    most: int
    places: tuple[str, ...]


@cache
def belongings() -> Mapping[str, Belongs]:
    """Return where the small things of every class belong."""
    return read_entries(Path(__file__).parent / "data" / "clutter.json", Belongs)


def scatter(draft: Draft, seed: int) -> None:
    """Add the small things to an apartment; one that finds no place is left out."""
    # Only random() is used: Python promises that its numbers stay the same.
    chance = random.Random(seed).random
    for name, each in belongings().items():
        count = each.fewest + math.floor(chance() * (each.most - each.fewest + 1))
        for _ in range(count):
            _add(draft, name, each.places, chance)


def _add(draft: Draft, name: str, places: Sequence[str], chance: Callable[[], float]) -> None:
    there = [
        (Held.ON if word == "on" else Held.INSIDE, rows)
        for word, kind in map(str.split, places)
        if (rows := draft.rows(kind))
    ]
    for _ in range(TRIES if there else 0):
        held, rows = there[math.floor(chance() * len(there))]
        parent = rows[math.floor(chance() * len(rows))]
        side = ("east", "north", "west", "south")[math.floor(chance() * 4)]
        share = 1 + SIZES * (2 * chance() - 1)
        depth, width, height = (round(share * length, 3) for length in CLASS_OF[name].size)
        box = draft.things[parent].box
        near = box.low(0) + chance() * box.size[0], box.low(1) + chance() * box.size[1]
        size = turned((depth, width, height), side)
        found = draft.spot(size, held, parent, near)
        if found:
            draft.add(name, found, SIDES[side], held, parent)
            return
