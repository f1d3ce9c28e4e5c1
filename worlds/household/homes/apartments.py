"""The seven apartments as homes."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

from worlds.data_files import read_entries
from worlds.errors import UserError
from worlds.household.homes.building import Plan, build
from worlds.household.homes.clutter import scatter
from worlds.household.homes.persons import place_persons
from worlds.household.state.home import Home, State

APARTMENTS = tuple(f"apartment-{number}" for number in range(7))
HELD_OUT = ("apartment-3", "apartment-6")
FIRST_ID = 11  # of the first room; persons have 1 and 2


@cache
def apartment(name: str) -> tuple[Home, State]:
    """Return an apartment and its first state, the same two objects each time: copy the state before playing."""
    if name not in APARTMENTS:
        raise UserError(f"there is no home {name!r}; there are {', '.join(APARTMENTS)}, and files of graphs (.json)")
    plan = _plans()[name]
    draft = build(plan)
    scatter(draft, plan.seed)
    for row, thing in enumerate(draft.things):
        thing.id = row + 1 if row < 2 else row - 2 + FIRST_ID  # persons come first
    home, state = draft.finish(name, persons=(0, 1))
    place_persons(home, state, (), random.Random(plan.seed).random)
    return home, state


@cache
def _plans() -> dict[str, Plan]:
    return read_entries(Path(__file__).parent / "data" / "apartments.json", Plan)
