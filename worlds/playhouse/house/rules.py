"""Rules of a possible house. Each raises WorldError with one line that names the first thing that breaks it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

from worlds.contract import SETTER, SOLVER, WorldError
from worlds.playhouse.house.catalogue import COLOURS, FLOORS, FURNITURE_KINDS, OBJECT_KINDS, SIZES, Surface
from worlds.playhouse.house.door_leaf import FROM_EDGE, LEAF_PAINTS, SEAM, WIDEST, met_by
from worlds.playhouse.house.record import (
    AVATAR_RADIUS,
    FLOOR,
    FORMAT,
    WALL_THICKNESS,
    DoorLeaf,
    Doorway,
    Furniture,
    House,
    Room,
    Thing,
    Window,
)
from worlds.playhouse.house.room_types import ROOM_TYPES

SLACK = 1e-6  # metres by which coordinates may miss each other
SMALLEST_ROOM = 1.5
SUBSTEPS = 2, 16  # fewest and most physics steps of a tick
LARGEST_ROOM = 100.0  # metres; maps of the floor, which players find their way by, grow with its square
SHORTEST_LEAF = 0.2  # metres
NARROWEST_DOOR = 2 * AVATAR_RADIUS + 0.2


def check(house: House) -> None:
    """Raise WorldError unless ``house`` can be built and played in."""
    check_substeps(house.substeps, "house configuration: substeps")
    _check_ids(house)
    _check_rooms(house.rooms)
    if house.format != FORMAT:
        _check_names(house.rooms)
    for doorway in house.doorways:
        _check_doorway(doorway, house)
    for window in house.windows:
        _check_window(window, house)
    _check_connected(house)
    for furniture in house.furniture:
        _check_furniture(furniture, house)
    for a, b in combinations(house.furniture, 2):
        if a.room == b.room and footprints_overlap(a, b):
            raise _wrong(a.id, f"overlaps {b.id}")
    for thing in house.objects:
        _check_object(thing, house)
    for a, b in _neighbours(house.objects):
        if objects_overlap(a, b):
            raise _wrong(a.id, f"overlaps {b.id}; move one of them")
    _check_starts(house)
    for leaf in house.door_leaves:
        _check_leaf(leaf, house)


def check_substeps(value: object, where: str) -> None:
    """Raise WorldError unless a tick can have so many physics steps."""
    fewest, most = SUBSTEPS
    if not isinstance(value, int) or isinstance(value, bool) or not fewest <= value <= most:
        raise WorldError(f"{where}: {value!r} is not a number of physics steps, {fewest} to {most}")


def footprints_overlap(a: Furniture, b: Furniture, margin: float = 0.0) -> bool:
    """Return True if two pieces of furniture come nearer than ``margin`` along both axes, and at the same height."""
    if a.spec.bottom >= b.spec.height - SLACK or b.spec.bottom >= a.spec.height - SLACK or a.spec.flat != b.spec.flat:
        return False
    (ax, ay), (bx, by) = a.half, b.half
    return abs(a.x - b.x) < ax + bx + margin - SLACK and abs(a.y - b.y) < ay + by + margin - SLACK


def objects_overlap(a: Thing, b: Thing) -> bool:
    """Return True if the upright cylinders of two objects overlap; what lies in the other does not count."""
    reach = a.radius + b.radius - SLACK
    if abs(a.x - b.x) >= reach or abs(a.y - b.y) >= reach:
        return False
    if a.support == b.id or b.support == a.id:
        return False
    return math.hypot(a.x - b.x, a.y - b.y) < reach and a.z < b.z + b.height - SLACK and b.z < a.z + a.height - SLACK


def lies_inside(thing: Thing, holder: Thing) -> bool:
    """Return True if a thing stands wholly on the bottom of a container."""
    inside = holder.spec.inside
    if inside is None or abs(thing.z - holder.z - inside.at[2] * holder.scale) > SLACK:
        return False
    x, y = holder.from_house(thing.x, thing.y)
    hx, hy = (h * holder.scale - thing.radius + SLACK for h in inside.half)
    at, tall = inside.at, thing.height <= inside.clearance * holder.scale + SLACK
    return tall and abs(x - at[0] * holder.scale) <= hx and abs(y - at[1] * holder.scale) <= hy


def leaves_free(piece: Furniture, x: float, y: float, radius: float, low: float, high: float) -> bool:
    """Return True if an upright cylinder around (x, y) between two heights meets no part of a piece of furniture.

    It may be over or under the piece, or under it where there is room.
    """
    spec = piece.spec
    if spec.flat or high <= spec.bottom + SLACK or low >= spec.height - SLACK or piece.gap_to(x, y) >= radius - SLACK:
        return True
    return (
        spec.under is not None and high <= spec.under.clearance + SLACK and on_surface(piece, spec.under, x, y, radius)
    )


def on_surface(piece: Furniture, surface: Surface, x: float, y: float, radius: float = 0.0) -> bool:
    """Return True if a disc around (x, y) lies wholly within a surface of a piece of furniture, seen from above."""
    sx, sy = piece.to_house(surface.at[0], surface.at[1])
    hx, hy = surface.half if piece.quarter_turns % 2 == 0 else surface.half[::-1]
    return abs(x - sx) <= hx - radius + SLACK and abs(y - sy) <= hy - radius + SLACK


def _neighbours(objects: Sequence[Thing]) -> list[tuple[Thing, Thing]]:
    """The pairs of objects that are near enough to overlap, in the order of the objects."""
    if len(objects) < 2:
        return []
    x, y, radius = np.array([(o.x, o.y, o.radius) for o in objects]).T
    reach = radius[:, None] + radius[None, :]
    near = (np.abs(x[:, None] - x) < reach) & (np.abs(y[:, None] - y) < reach)
    return [(objects[i], objects[j]) for i, j in np.argwhere(np.triu(near, 1))]


def shared_wall(a: Room, b: Room) -> tuple[str, float, float, float] | None:
    """The wall between two rooms: (axis it runs along, its place on the other axis, from, to); None if none."""
    for edge, other in ((a.x1, b.x0), (b.x1, a.x0)):
        low, high = max(a.y0, b.y0), min(a.y1, b.y1)
        if abs(edge - other) < SLACK and low < high:
            return "y", edge, low, high
    for edge, other in ((a.y1, b.y0), (b.y1, a.y0)):
        low, high = max(a.x0, b.x0), min(a.x1, b.x1)
        if abs(edge - other) < SLACK and low < high:
            return "x", edge, low, high
    return None


def _wrong(where: str, problem: str) -> WorldError:
    return WorldError(f"house configuration: {where} {problem}")


def _known(value: str, known: Iterable[str], where: str, what: str) -> None:
    if value not in known:
        raise _wrong(where, f"has the unknown {what} {value!r}; known: {', '.join(known)}")


def _check_ids(house: House) -> None:
    groups = (house.rooms, house.doorways, house.furniture, house.objects, house.windows, house.door_leaves)
    ids = [row.id for group in groups for row in group]
    twice = next((i for i in ids if ids.count(i) > 1), None) if len(set(ids)) < len(ids) else None
    if twice is not None:
        raise _wrong(repr(twice), "names two things; ids must differ")
    if FLOOR in ids:
        raise _wrong(repr(FLOOR), "is a reserved id; choose another")


def _check_rooms(rooms: Sequence[Room]) -> None:
    if not rooms:
        raise WorldError("house configuration: it has no rooms; give at least one")
    for room in rooms:
        sides = (room.x1 - room.x0, room.y1 - room.y0)
        if not all(SMALLEST_ROOM - SLACK <= side <= LARGEST_ROOM + SLACK for side in sides):
            size, limits = f"{sides[0]:g} x {sides[1]:g} m", f"{SMALLEST_ROOM} to {LARGEST_ROOM:g} m"
            raise _wrong(room.id, f"is {size}; a room is {limits} wide and deep")
        _known(room.floor, FLOORS, room.id, "floor")
    for a, b in combinations(rooms, 2):
        if min(a.x1, b.x1) - max(a.x0, b.x0) > SLACK and min(a.y1, b.y1) - max(a.y0, b.y0) > SLACK:
            raise _wrong(a.id, f"overlaps {b.id}; move one of them")


def _check_names(rooms: Sequence[Room]) -> None:
    for room in rooms:
        _known(room.type, ROOM_TYPES, room.id, "type of room")
        _known(room.walls, COLOURS, room.id, "colour of walls")


def _check_window(window: Window, house: House) -> None:
    _known(window.room, house.rooms_by_id, window.id, "room")
    room, along_x = house.rooms_by_id[window.room], window.along == "x"
    if along_x:
        place, middle, edges, (low, high) = window.y, window.x, (room.y0, room.y1), (room.x0, room.x1)
    else:
        place, middle, edges, (low, high) = window.x, window.y, (room.x0, room.x1), (room.y0, room.y1)
    ends = middle - window.width / 2, middle + window.width / 2
    fits = window.width > 0 and low - SLACK <= ends[0] and ends[1] <= high + SLACK
    if window.along not in ("x", "y") or not fits or not any(abs(place - edge) < SLACK for edge in edges):
        raise _wrong(window.id, f"does not lie in a wall of {window.room}")
    for other in house.rooms:
        wall = shared_wall(room, other) if other is not room else None
        if (
            wall
            and wall[0] == window.along
            and abs(wall[1] - place) < SLACK
            and wall[2] < ends[1]
            and ends[0] < wall[3]
        ):
            raise _wrong(window.id, f"does not lie in an outer wall: {other.id} is behind it")


def _check_doorway(door: Doorway, house: House) -> None:
    for room in door.rooms:
        _known(room, house.rooms_by_id, door.id, "room")
    wall = shared_wall(house.rooms_by_id[door.rooms[0]], house.rooms_by_id[door.rooms[1]])
    if wall is None:
        raise _wrong(door.id, f"joins {door.rooms[0]} and {door.rooms[1]}, which share no wall")
    along, place, low, high = wall
    across, middle = (door.x, door.y) if along == "y" else (door.y, door.x)
    if door.width < NARROWEST_DOOR - SLACK:
        raise _wrong(door.id, f"is {door.width:g} m wide; a player needs {NARROWEST_DOOR:g} m")
    fits = low - SLACK <= middle - door.width / 2 and middle + door.width / 2 <= high + SLACK
    if door.along != along or abs(across - place) > SLACK or not fits:
        raise _wrong(door.id, f"does not lie in the wall between {door.rooms[0]} and {door.rooms[1]}")


def _check_leaf(leaf: DoorLeaf, house: House) -> None:
    _known(leaf.doorway, [door.id for door in house.doorways], leaf.id, "doorway")
    _known(leaf.paint, LEAF_PAINTS, leaf.id, "paint")
    if leaf.hinge not in (-1, 1):
        raise _wrong(leaf.id, f"has the hinge {leaf.hinge}; give -1 or 1")
    beside = [other for other in house.door_leaves if other.doorway == leaf.doorway and other is not leaf]
    first = next((other for other in beside if other.hinge == leaf.hinge), None)
    if first is not None:
        raise _wrong(leaf.id, f"hangs on the hinge of {first.id}")
    width = next(door.width for door in house.doorways if door.id == leaf.doorway) - 2 * FROM_EDGE
    room = width - sum(other.length + SEAM for other in beside)
    if not SHORTEST_LEAF - SLACK <= leaf.length <= room + SLACK:
        raise _wrong(leaf.id, f"is {leaf.length:g} m long; give {SHORTEST_LEAF} to {room:.3g} m")
    if abs(leaf.angle) > WIDEST:
        raise _wrong(leaf.id, f"is open to {leaf.angle:g} rad; it opens to {WIDEST:.3f} at most")
    met = met_by(leaf, house)
    if met is not None:
        raise _wrong(leaf.id, f"overlaps {met}; give it another angle")


def _check_connected(house: House) -> None:
    reached, grown = {house.rooms[0].id}, True
    while grown:
        more = {r for d in house.doorways if reached & set(d.rooms) for r in d.rooms} - reached
        reached, grown = reached | more, bool(more)
    cut_off = next((r.id for r in house.rooms if r.id not in reached), None)
    if cut_off is not None:
        raise _wrong(cut_off, f"cannot be reached from {house.rooms[0].id}; add a doorway")


def _check_furniture(piece: Furniture, house: House) -> None:
    _known(piece.kind, FURNITURE_KINDS, piece.id, "furniture kind")
    _known(piece.colour, COLOURS, piece.id, "colour")
    _known(piece.room, house.rooms_by_id, piece.id, "room")
    room, (hx, hy), wall = house.rooms_by_id[piece.room], piece.half, WALL_THICKNESS / 2 - SLACK
    if not (
        room.x0 + wall <= piece.x - hx
        and piece.x + hx <= room.x1 - wall
        and room.y0 + wall <= piece.y - hy
        and piece.y + hy <= room.y1 - wall
    ):
        raise _wrong(piece.id, f"does not stand wholly inside {piece.room}")
    for door in house.doorways if piece.spec.in_the_way else ():
        if piece.gap_to(door.x, door.y) < max(door.width / 2, NARROWEST_DOOR / 2) - SLACK:
            raise _wrong(piece.id, f"blocks {door.id}")


def _check_object(thing: Thing, house: House) -> None:
    _known(thing.kind, OBJECT_KINDS, thing.id, "object kind")
    _known(thing.colour, COLOURS, thing.id, "colour")
    _known(thing.size, SIZES, thing.id, "size")
    _known(thing.room, house.rooms_by_id, thing.id, "room")
    if not house.rooms_by_id[thing.room].contains(thing.x, thing.y, WALL_THICKNESS / 2):
        raise _wrong(thing.id, f"lies outside {thing.room}, at ({thing.x:g}, {thing.y:g})")
    if thing.support == FLOOR:
        _check_on_floor(thing, house)
    elif house.format != FORMAT and thing.support in house.objects_by_id:
        _check_inside(thing, house.objects_by_id[thing.support])
    else:
        _known(thing.support, house.furniture_by_id, thing.id, "support")
        _check_on_furniture(thing, house.furniture_by_id[thing.support], house)


def _check_on_floor(thing: Thing, house: House) -> None:
    room = house.rooms_by_id[thing.room]
    if abs(thing.z) > SLACK:
        raise _wrong(thing.id, f"stands on the floor but at height {thing.z:g}; give z = 0")
    if not room.contains(thing.x, thing.y, WALL_THICKNESS / 2 + thing.radius - SLACK):
        raise _wrong(thing.id, f"is in a wall of {thing.room}; keep {thing.radius:.2f} m from it")
    if house.format == FORMAT:
        hit = next((p for p in house.furniture if p.gap_to(thing.x, thing.y) < thing.radius - SLACK), None)
    else:
        hit = _hit_by(thing, house)
    if hit is not None:
        raise _wrong(thing.id, f"overlaps {hit.id}")


def _hit_by(thing: Thing, house: House, without: Furniture | None = None) -> Furniture | None:
    """The piece of furniture that a thing overlaps, other than one of them."""
    low, high = thing.z, thing.z + thing.height
    for piece in house.furniture_in[thing.room]:
        if piece is not without and not leaves_free(piece, thing.x, thing.y, thing.radius, low, high):
            return piece
    return None


def _check_on_furniture(thing: Thing, piece: Furniture, house: House) -> None:
    if not any(
        abs(thing.z - surface.at[2]) < SLACK
        and on_surface(piece, surface, thing.x, thing.y)
        and thing.height <= surface.clearance + SLACK
        for surface in piece.spec.surfaces
    ):
        raise _wrong(thing.id, f"does not stand on a surface of {piece.id} (a {piece.kind}), or is too tall for it")
    other = _hit_by(thing, house, piece) if house.format != FORMAT else None
    if other is not None:
        raise _wrong(thing.id, f"overlaps {other.id}")


def _check_inside(thing: Thing, holder: Thing) -> None:
    if holder.spec.inside is None:
        raise _wrong(thing.id, f"lies in {holder.id}, a {holder.kind}, into which nothing can be put")
    if thing.room != holder.room or not lies_inside(thing, holder):
        raise _wrong(thing.id, f"does not lie wholly in {holder.id} (a {holder.kind}), or is too large for it")


def _check_starts(house: House) -> None:
    agents = sorted(s.agent for s in house.starts)
    if agents != sorted([SETTER, SOLVER]):
        raise WorldError(f"house configuration: starts are for {agents}; give one to each player")
    for start in house.starts:
        margin = WALL_THICKNESS / 2 + AVATAR_RADIUS - SLACK
        if not any(r.contains(start.x, start.y, margin) for r in house.rooms):
            raise _wrong(f"start of the {start.agent}", f"at ({start.x:g}, {start.y:g}) is in a wall or outside")
        for piece in house.obstacles:
            if piece.gap_to(start.x, start.y) < AVATAR_RADIUS - SLACK:
                raise _wrong(f"start of the {start.agent}", f"is inside {piece.id}")
        for thing in house.objects:
            low = thing.support == FLOOR
            if low and math.hypot(thing.x - start.x, thing.y - start.y) < AVATAR_RADIUS + thing.radius - SLACK:
                raise _wrong(f"start of the {start.agent}", f"is on top of {thing.id}")
    a, b = house.starts
    if math.hypot(a.x - b.x, a.y - b.y) < 2 * AVATAR_RADIUS - SLACK:
        raise WorldError("house configuration: the two players start inside each other; move one of them")
