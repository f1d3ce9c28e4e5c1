"""Homes by name, places of episodes, and free spots for things."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from worlds.errors import UserError
from worlds.household.homes.apartments import APARTMENTS, apartment
from worlds.household.homes.building import SIDES, turned
from worlds.household.homes.draft import Draft, Thing
from worlds.household.homes.graphs.reading import home_of_graph, load_graph, without_derived
from worlds.household.homes.packing import pack
from worlds.household.homes.persons import place_persons
from worlds.household.homes.surfaces import Box, place_on
from worlds.household.state.home import NO_ROW, Home, State
from worlds.household.state.tables import move, tables
from worlds.household.state.vocabulary import OPPOSITES, Condition, Held, Property

GRAPH_SUFFIX = ".json"  # of files of graphs
FIXED = ("Rooms", "Doors", "Characters")  # categories of what is never removed


def home(name: str) -> tuple[Home, State]:
    """Return the home of a name, or of a graph's JSON file, and a copy of its first state; always the same home object.

    A file is read once per process, so a run keeps its home even if the file changes.
    """
    found, state = _graphs_home(name) if name.endswith(GRAPH_SUFFIX) else apartment(name)
    return found, state.copy()


@cache
def home_spec(name: str) -> str | dict[str, Any]:
    """Return what configurations hold as "home": the name of an apartment, or the graph in a file.

    A configuration that holds the graph leads to the same bits even if the file is moved or changed.
    """
    return {"graph": without_derived(load_graph(name))} if name.endswith(GRAPH_SUFFIX) else name


@cache
def _graphs_home(path: str) -> tuple[Home, State]:
    found, state, _ = home_of_graph(load_graph(path), Path(path).stem)
    return found, state


def place(config: Mapping[str, Any], repacks: bool = True) -> tuple[Home, State]:
    """Return the home and the first state of an episode; a configuration always leads to the same bits.

    Args:
      config: keys, all optional: "home", a name or {"graph": a VirtualHome graph, "drop_unknown_relations": bool};
        "seed"; "persons", where each begins: a room's class or id, or [x, y, facing] (by default in drawn rooms, or
        where the graph has them); "removed", ids of things that go away with everything on or in them; "added", [id,
        class, "ON" or "INSIDE", id of the support or container] of new things; "conditions", one or several by id.

    Raises:
      UserError: in one line, where one of these is impossible.
    """
    found, state = _first(config.get("home", "apartment-0"))
    chance = random.Random(int(config.get("seed", 0))).random
    if config.get("removed") or config.get("added"):
        draft, persons = _without(Draft.of(found, state), config.get("removed") or (), found.persons)
        for wanted in config.get("added") or ():
            _add(draft, wanted, chance, repacks)
        facing = state.facing.copy()
        found, state = draft.finish(found.name, persons)
        state.facing = facing
    else:
        state = state.copy()
    for number, wanted in (config.get("conditions") or {}).items():
        _set_conditions(found, state, number, wanted)
    if config.get("persons") or found.name in APARTMENTS:
        place_persons(found, state, config.get("persons") or (), chance)
    return found, state


def spot(
    home: Home, state: State, row: int, held: Held, parent: int, near: tuple[float, float] | None = None
) -> np.ndarray | None:
    """Return the centre of a free box for a thing on or in another, near a point or the middle; None if none fits."""
    others = np.flatnonzero((state.parent == parent) & (state.held == held))
    found = place_on(
        _box(home, state, parent),
        float(home.yaw[parent]),
        Property(int(home.properties[parent])),
        held,
        tuple(home.size[row].tolist()),
        [_box(home, state, int(other)) for other in others if other != row],
        near,
    )
    return None if found is None else np.array(found.centre, np.float32)


def lay(
    home: Home,
    state: State,
    row: int,
    held: Held,
    parent: int,
    near: tuple[float, float] | None = None,
    repacks: bool = True,
) -> bool:
    """Put a thing, with everything on or in it, on or in another one. Return False and change nothing if it does not
    fit.

    With ``repacks``, what can be carried there is moved until everything fits.
    """
    t = tables(home, state)
    centre = spot(home, state, row, held, parent, near)
    moved = {} if centre is None else {row: centre.tolist()}
    if centre is None and repacks:
        there = [
            int(other) for other in np.flatnonzero((state.parent == parent) & (state.held == held)) if other != row
        ]
        loose = [row, *(other for other in there if home.has(other, Property.GRABBABLE))]
        sizes = [tuple(home.size[each].tolist()) for each in loose]
        fixed = [_box(home, state, other) for other in there if other not in loose]
        properties = Property(int(home.properties[parent]))
        found = pack(_box(home, state, parent), float(home.yaw[parent]), properties, held, sizes, fixed) or []
        moved = {each: list(box.centre) for each, box in zip(loose, found, strict=bool(found))}
    for each, (x, y, z) in moved.items():
        state.parent[each], state.held[each] = parent, held
        move(t, each, x, y, z, state.room[parent])
    return bool(moved)


def _box(home: Home, state: State, row: int) -> Box:
    return Box(tuple(state.centre[row].tolist()), tuple(home.size[row].tolist()))


def _first(wanted: Any) -> tuple[Home, State]:
    if isinstance(wanted, str):
        return apartment(wanted)
    if isinstance(wanted, Mapping) and "graph" in wanted:
        drop = bool(wanted.get("drop_unknown_relations", False))
        found, state, _ = home_of_graph(wanted["graph"], drop_unknown_relations=drop)
        return found, state
    raise UserError(f"home is {str(wanted)[:80]!r}, neither the name of one nor a graph")


def _without(draft: Draft, ids: Any, persons: tuple[int, int]) -> tuple[Draft, tuple[int, int]]:
    """Return the draft without some things and all that is on or in them, and the rows of the persons in it."""
    row_of = {thing.id: row for row, thing in enumerate(draft.things)}
    gone = set()
    for number in ids:
        if number not in row_of:
            raise UserError(f"removed: there is no thing with id {number!r} in the home")
        if draft.class_of(row_of[number]).category in FIXED:
            raise UserError(f"removed: a {draft.class_of(row_of[number]).name} ({number}) cannot be removed")
        gone.add(row_of[number])
    below = list(gone)
    while below:
        below = [row for row, thing in enumerate(draft.things) if thing.parent in below and row not in gone]
        gone.update(below)
    if not gone.isdisjoint(persons):
        raise UserError("removed: a person sits on one of these things")
    kept = [row for row in range(len(draft.things)) if row not in gone]
    new = {row: number for number, row in enumerate(kept)} | {NO_ROW: NO_ROW}
    found = Draft(draft.classes)
    for row in kept:
        thing = draft.things[row]
        thing.parent, thing.between = new[thing.parent], (new[thing.between[0]], new[thing.between[1]])
        found.append(thing)
    return found, (new[persons[0]], new[persons[1]])


def _add(draft: Draft, wanted: Any, chance: Callable[[], float], repacks: bool) -> None:
    """Add a thing somewhere on or in another one, turned to any side."""
    try:
        number, name, relation, parent_id = wanted
        held = {"ON": Held.ON, "INSIDE": Held.INSIDE}[relation]
    except (TypeError, ValueError, KeyError):
        raise UserError(f'added: {wanted!r} is not [id, class, "ON" or "INSIDE", id]') from None
    kind = next((kind for kind, each in enumerate(draft.classes) if each.name == name), None)
    parent = next((row for row, thing in enumerate(draft.things) if thing.id == parent_id), None)
    if kind is None or parent is None:
        missing = f"class {name!r}" if kind is None else f"thing with id {parent_id!r}"
        raise UserError(f"added: there is no {missing} in the home")
    if any(thing.id == number for thing in draft.things):
        raise UserError(f"added: the id {number!r} is another thing's already")
    support, wants = draft.class_of(parent), Property.SURFACES if held == Held.ON else Property.CONTAINERS
    if wants not in support.properties:
        raise UserError(f"added: nothing is put {relation} a {support.name} ({parent_id}): it lacks {wants.name}")
    box = draft.things[parent].box
    near = box.low(0) + chance() * box.size[0], box.low(1) + chance() * box.size[1]
    sides = list(SIDES)
    first = math.floor(chance() * len(sides))
    turns = [(side, turned(draft.classes[kind].size, side)) for side in (sides[first], sides[first - 1])]
    for moves in (False, True) if repacks else (False,):
        for side, size in turns:
            found = draft.make_room(size, held, parent) if moves else draft.spot(size, held, parent, near)
            if found is None:
                continue
            conditions = draft.first_conditions(kind)
            draft.append(Thing(number, kind, found, SIDES[side], held, parent, conditions))
            return
    raise UserError(f"added: there is no room for a {name} ({number}) {relation} the {support.name} ({parent_id})")


def _set_conditions(home: Home, state: State, number: Any, wanted: Any) -> None:
    row = home.row_of.get(int(number)) if str(number).lstrip("-").isdigit() else None
    if row is None:
        raise UserError(f"conditions: there is no thing with id {number!r} in the home")
    for name in [wanted] if isinstance(wanted, str) else wanted:
        if name not in Condition.__members__:
            raise UserError(f"conditions: {name!r} is none of {', '.join(Condition.__members__)}")
        condition = Condition[name]
        opposite = next((sum(pair) - condition for pair in OPPOSITES if condition in pair), 0)
        state.conditions[row] = (int(state.conditions[row]) | condition) & ~opposite
