"""Places for loose things in a house at rest: on and under furniture, in containers, on the floor."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from worlds.playhouse.house.catalogue import OBJECT_KINDS, SIZES, Surface
from worlds.playhouse.house.record import AVATAR_RADIUS, FLOOR, WALL_THICKNESS, Furniture, House, Room, Thing
from worlds.playhouse.house.rules import leaves_free, lies_inside, objects_overlap
from worlds.playhouse.requests.descriptions import Description, Place, referents
from worlds.playhouse.requests.facts import Facts
from worlds.playhouse.scenarios.houses.wishes import Model, room_type_of

GAP = 0.02  # metres between what is put somewhere and what is there
ROOMY = 0.12  # metres more on the floor, so that hands and feet find room
CLEAR_OF_DOORS = 0.75  # metres from the middle of a doorway
TRIED = 25  # places for one thing
LOW = 0.85  # metres; the highest surface on which a thing is put whose place the words leave open
ON_FURNITURE = 0.25  # chance that it is put on one
Spot = tuple[str, float, float, float]  # support, x, y, z


def place(
    house: House, facts: Facts, description: Description, model: Model, room: Room, rng: np.random.Generator
) -> Thing | None:
    """Return a thing at a free place where a description has it, or nearly; None if none has been found.

    Args:
      description: of the thing; its places are what it is on, in, under or beside.
      model: what it is.
      room: in which it is, where the description names no holder.
    """
    spec, scale = OBJECT_KINDS[model.kind], SIZES[model.size]
    name, yaw = f"object_{len(house.objects)}", round(float(rng.uniform(-math.pi, math.pi)), 3)
    ways = list(_holders(house, facts, description, room))
    for _ in range(TRIED):
        holder, surface = _draw(ways, rng)
        spot = _spot(house, holder, surface, room, spec.radius(scale), spec.height(scale), rng)
        if spot is None:
            continue
        where = house.room_at(spot[1], spot[2])
        if where is None:
            continue
        thing = Thing(name, model.kind, model.colour, model.size, where.id, *spot, yaw)
        if _is_free(house, thing, holder):
            return thing
    return None


def floor_spot(house: House, room: Room, radius: float, rng: np.random.Generator) -> tuple[float, float] | None:
    """Return a free place on the floor of a room for an upright cylinder; None if the one tried is not free."""
    margin = WALL_THICKNESS / 2 + radius + GAP
    x, y = (
        round(float(rng.uniform(low + margin, high - margin)), 3)
        for low, high in ((room.x0, room.x1), (room.y0, room.y1))
    )
    taken = (
        any(piece.spec.bottom < 1.3 and not piece.spec.flat and piece.gap_to(x, y) < radius + GAP
            for piece in house.furniture)
        or any(math.hypot(x - o.x, y - o.y) < radius + o.radius + GAP for o in house.objects if o.support == FLOOR)
        or any(math.hypot(x - door.x, y - door.y) < CLEAR_OF_DOORS for door in house.doorways)
    )  # fmt: skip
    return None if taken else (x, y)


def _holders(
    house: House, facts: Facts, description: Description, room: Room
) -> Iterator[tuple[Furniture | Thing | None, Surface | None]]:
    """Yield (holder, surface) of what can bear the thing; no holder is the floor, no surface the floor under it."""
    named = [at for at in description.places if at.relation in ("on", "in", "under") and not at.negated]
    named = [at for at in named if not _is_room(at)]
    if any(at.anchors[0].noun == FLOOR for at in named):
        yield None, None
        return
    if not named:
        yield None, None
        for piece in house.furniture:
            if piece.room == room.id and not _elsewhere(description):
                yield from ((piece, s) for s in piece.spec.surfaces if s.at[2] < LOW and s != piece.spec.inside)
        return
    for entity in referents(named[0].anchors[0], facts):
        holder = house.furniture_by_id.get(entity.id) or house.objects_by_id.get(entity.id)
        if holder is not None:
            yield from ((holder, surface) for surface in _surfaces(holder, named[0].relation))


def _is_room(at: Place) -> bool:
    return at.anchors[0].noun in ("this room", "room") or room_type_of(at.anchors[0]) is not None


def _elsewhere(description: Description) -> bool:
    """Whether a description names a place beside something, which is on the floor."""
    return any(at.relation not in ("in", "on", "under") for at in description.places)


def _surfaces(holder: Furniture | Thing, relation: str) -> Iterator[Surface | None]:
    inside = holder.spec.inside
    if relation == "in" and inside is not None:
        yield inside
    elif isinstance(holder, Furniture) and relation == "under":
        if holder.spec.under is not None:
            yield None
    elif isinstance(holder, Furniture):
        yield from (s for s in holder.spec.surfaces if s != inside)


def _draw(
    ways: list[tuple[Furniture | Thing | None, Surface | None]], rng: np.random.Generator
) -> tuple[Furniture | Thing | None, Surface | None]:
    """One of the ways; the floor, where it is among others, mostly."""
    if not ways:
        return None, None
    if ways[0][0] is None and (len(ways) == 1 or rng.random() >= ON_FURNITURE):
        return ways[0]
    first = 1 if ways[0][0] is None else 0
    return ways[int(rng.integers(first, len(ways)))]


def _spot(
    house: House,
    holder: Furniture | Thing | None,
    surface: Surface | None,
    room: Room,
    radius: float,
    height: float,
    rng: np.random.Generator,
) -> Spot | None:
    if holder is None:
        found = floor_spot(house, room, radius + ROOMY, rng)
        return None if found is None else (FLOOR, *found, 0.0)
    if isinstance(holder, Thing):
        return _inside(holder, radius, height, rng)
    level = surface or holder.spec.under
    if level is None or height > level.clearance - GAP:
        return None
    hx, hy = (half - radius - GAP for half in level.half)
    if hx < 0.0 or hy < 0.0:
        return None
    at = holder.to_house(level.at[0] + float(rng.uniform(-hx, hx)), level.at[1] + float(rng.uniform(-hy, hy)))
    support = FLOOR if surface is None else holder.id
    return support, round(at[0], 3), round(at[1], 3), 0.0 if surface is None else level.at[2]


def _inside(holder: Thing, radius: float, height: float, rng: np.random.Generator) -> Spot | None:
    """A place on the bottom of a container."""
    inside, scale = holder.spec.inside, holder.scale
    if inside is None or height > scale * inside.clearance:
        return None
    hx, hy = (scale * half - radius - 0.004 for half in inside.half)
    if hx < 0.0 or hy < 0.0:
        return None
    dx, dy = (scale * at + float(rng.uniform(-h, h)) for at, h in zip(inside.at, (hx, hy), strict=False))
    c, s = math.cos(holder.yaw), math.sin(holder.yaw)
    x, y = round(holder.x + c * dx - s * dy, 3), round(holder.y + s * dx + c * dy, 3)
    return holder.id, x, y, holder.z + scale * inside.at[2]


def _is_free(house: House, thing: Thing, holder: Furniture | Thing | None) -> bool:
    if isinstance(holder, Thing) and not lies_inside(thing, holder):
        return False
    if any(objects_overlap(thing, other) for other in house.objects):
        return False
    if any(math.hypot(thing.x - s.x, thing.y - s.y) < thing.radius + 2 * AVATAR_RADIUS for s in house.starts):
        return thing.support != FLOOR
    others = (piece for piece in house.furniture if piece is not holder)
    return all(leaves_free(p, thing.x, thing.y, thing.radius, thing.z, thing.z + thing.height) for p in others)
