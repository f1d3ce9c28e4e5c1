"""Houses in which the words of a scenario make sense, the same for the same scenario and seed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from worlds.contract import SETTER, SOLVER, WorldError
from worlds.playhouse.house.catalogue import FURNITURE_KINDS
from worlds.playhouse.house.record import AVATAR_RADIUS, FLOOR, House, Room, Start
from worlds.playhouse.house.room_types import ROOM_TYPES
from worlds.playhouse.house.rules import check
from worlds.playhouse.house.sampling import sample_house
from worlds.playhouse.house.settings import FURNISHED, HouseSettings
from worlds.playhouse.requests.descriptions import is_true_of, referents
from worlds.playhouse.scenarios.houses.at_rest import facts_at_rest
from worlds.playhouse.scenarios.houses.spots import floor_spot, place
from worlds.playhouse.scenarios.houses.wishes import Wish, read_wish
from worlds.playhouse.scenarios.scenario import Scenario

FEWEST_ROOMS = 2
FURNITURE = (4, 6)  # pieces a room, fewest and most
OBJECTS = (3, 6)  # loose things a room that no wish is for
MODELS_TRIED = 20  # for each thing
DEFAULT_ROOM = "living room"


def room_of(scenario: Scenario) -> str:
    """Type of the room in which the setter of a scenario asks."""
    named = (read_wish(text).room for text in scenario.house)
    return scenario.room or next((room for room in named if room), DEFAULT_ROOM)


def rooms_of(scenario: Scenario) -> tuple[str, ...]:
    """Types of all rooms that a scenario needs, the setter's first."""
    named = [read_wish(text).room for text in scenario.house]
    return tuple(dict.fromkeys(room for room in (room_of(scenario), *named, scenario.solver) if room))


def sample(scenario: Scenario, rng: np.random.Generator) -> House | None:
    """Return a house with everything that a scenario wishes for; None if this attempt finds no place for something.

    The players' starts are free places in the rooms where they begin.
    """
    wishes = [read_wish(text) for text in scenario.house]
    rooms = rooms_of(scenario)
    try:
        house = sample_house(int(rng.integers(2**31)), settings_for(wishes, rooms))
    except WorldError:
        return None
    house = _without(house, wishes)
    house = _with_starts(house, scenario, rng)
    for wish in wishes:
        if house is None:
            return None
        house = _with(house, wish, rooms[0], rng)
    if house is None:
        return None
    try:
        check(house)
    except WorldError:
        return None
    return house


def settings_for(wishes: Sequence[Wish], rooms: Sequence[str]) -> HouseSettings:
    """Return the settings of furnished houses with these rooms and the furniture that is wished for."""
    include = [wish.include for wish in wishes if wish.furniture for _ in range(wish.description.number or 1)]
    furnished = {wish.room for wish in wishes if wish.furniture}
    ballast = [f"{_needed_furniture(room)} in the {room}" for room in rooms if room not in furnished]
    count = max(FEWEST_ROOMS, len(rooms))
    return HouseSettings.of(
        style=FURNISHED,
        rooms=(count, count),
        furniture=(FURNITURE[0] * count, FURNITURE[1] * count),
        objects=(OBJECTS[0] * count, OBJECTS[1] * count),
        room_size=(4.0, 5.4),
        include=(*include, *ballast),
        in_containers=0.1,
    )


def _needed_furniture(room: str) -> str:
    """What is in a room of a type in any case, so that the house has that room."""
    return next(kind for kind in ROOM_TYPES[room].needs if not FURNITURE_KINDS[kind].over)


def _without(house: House, wishes: Sequence[Wish]) -> House:
    """The house without what came by chance and could be taken for what is wished for.

    That is in the room that the wish names or, if it names none, in any. What was included comes first among furniture.
    """
    facts = facts_at_rest(house)
    types = {room.id: room.type for room in house.rooms}
    dropped = set()
    for wish in wishes:
        plain = replace(wish.description, places=(), extreme=None)
        if wish.is_room:
            continue
        for entity in referents(plain, facts, clearly=False):
            if wish.room in (None, types.get(entity.room or "")):
                dropped.add(entity.id)
    included = sum((wish.description.number or 1) for wish in wishes if wish.furniture)
    furniture = [f for i, f in enumerate(house.furniture) if i < included or f.id not in dropped]
    left = {piece.id for piece in furniture} | {o.id for o in house.objects if o.id not in dropped} | {FLOOR}
    kept = [o for o in house.objects if o.id in left and o.support in left]
    ids = {thing.id: f"object_{i}" for i, thing in enumerate(kept)}
    renamed = (replace(o, id=ids[o.id], support=ids.get(o.support, o.support)) for o in kept)
    return replace(house, furniture=tuple(furniture), objects=tuple(renamed))


def _with_starts(house: House, scenario: Scenario, rng: np.random.Generator) -> House | None:
    """The house with players who begin in the rooms where the scenario has them."""
    starts: list[Start] = []
    solvers = [r.type for r in house.rooms] if not scenario.solver else [scenario.solver]
    for agent, types in ((SETTER, [room_of(scenario)]), (SOLVER, solvers)):
        rooms = [room for room in house.rooms if room.type in types]
        start = _free_start(house, rooms, starts, agent, rng)
        if start is None:
            return None
        starts.append(start)
    return replace(house, starts=tuple(starts))


def _free_start(
    house: House, rooms: Sequence[Room], others: Sequence[Start], agent: str, rng: np.random.Generator
) -> Start | None:
    for _ in range(60 if rooms else 0):
        spot = floor_spot(house, rooms[int(rng.integers(len(rooms)))], AVATAR_RADIUS + 0.1, rng)
        if spot is not None and all(math.hypot(spot[0] - s.x, spot[1] - s.y) > 1.0 for s in others):
            return Start(agent, *spot, round(float(rng.uniform(-math.pi, math.pi)), 3))
    return None


def _with(house: House, wish: Wish, setters_room: str, rng: np.random.Generator) -> House | None:
    """The house with the things of one wish; None if there is no place for one of them."""
    if wish.furniture:
        return house  # it was included when the house was sampled
    if wish.is_room:
        return _painted(house, wish.room or "", wish.description.colour or "")
    rooms = [room for room in house.rooms if room.type == (wish.room or setters_room)]
    if not rooms:
        return None
    for _ in range(wish.number(rng)):
        found = _with_one(house, wish, rooms[0], rng)
        if found is None:
            return None
        house = found
    return house


def _painted(house: House, room_type: str, colour: str) -> House:
    """The house with the walls of the rooms of a type in a color, and no others in it."""
    rooms = []
    spare = next(room.walls for room in house.rooms if room.type == room_type)
    for room in house.rooms:
        walls = colour if room.type == room_type else (spare if room.walls == colour else room.walls)
        rooms.append(replace(room, walls=walls))
    return replace(house, rooms=tuple(rooms))


def _with_one(house: House, wish: Wish, room: Room, rng: np.random.Generator) -> House | None:
    facts = facts_at_rest(house)
    for model, _ in zip(wish.models(rng, room.type), range(MODELS_TRIED), strict=False):
        thing = place(house, facts, wish.description, model, room, rng)
        if thing is None:
            continue
        grown = replace(house, objects=(*house.objects, thing))
        after = facts_at_rest(grown)
        if _speaks_of_me(wish) or is_true_of(replace(wish.description, extreme=None), after.by_id[thing.id], after):
            return grown
    return None


def _speaks_of_me(wish: Wish) -> bool:
    """Whether a wish depends on where the setter will stand, which is not known yet."""
    return any(anchor.noun in ("me", "you") for at in wish.description.places for anchor in at.anchors)
