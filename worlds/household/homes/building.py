"""An apartment's plan becomes things: rooms, doors, furniture along walls, windows, lamps, switches."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from worlds.errors import UserError
from worlds.household.catalogue.classes import CLASS_OF
from worlds.household.homes.draft import Draft
from worlds.household.homes.surfaces import Box
from worlds.household.state.home import NO_ROW, PERSONS
from worlds.household.state.vocabulary import Condition, Held

SIDES = {"east": 0.0, "north": math.pi / 2, "west": math.pi, "south": -math.pi / 2}
OPPOSITE = {"east": "west", "west": "east", "north": "south", "south": "north"}
WALL_GAP_M = 0.03  # between a wall and the furniture along it: sockets and pictures have their place there
CEILING_M = 2.6
# Height of the lower edge of what hangs on a wall, metres.
HUNG_M = {
    "bathroomcabinet": 1.3,
    "clock": 1.9,
    "cookerhood": 1.5,
    "curtain": 0.95,
    "kitchencabinet": 1.45,
    "lightswitch": 1.1,
    "mirror": 1.1,
    "powersocket": 0.25,
    "radiator": 0.15,
    "towelrack": 1.2,
    "walllamp": 1.8,
    "wallphone": 1.3,
    "wallpictureframe": 1.4,
    "wallshelf": 1.3,
    "window": 1.0,
}
BESIDE = {"window": ("curtain", "window", "curtain")}  # what hangs side by side where one word is written
SWITCH_M = 0.62  # from the middle of a door to the light switch beside it


@dataclass(frozen=True)
class Room:
    """A room and its furniture.

    What stands along a wall is written in the order from west to east, or from south to north. A number is a gap in
    metres; ``stove`` stands with its back to the wall; ``chair*2`` are two; ``desk+computer`` has a computer on it.
    After a slash follows what hangs on the wall. A window hangs between two curtains.

    Args:
      middle: what stands free: class, x and y of its centre from the room's corner, and the side to which it looks,
        e.g. "sofa 2.0 1.5 north".
    """

    name: str
    corner: tuple[float, float]
    size: tuple[float, float]
    north: str = ""
    east: str = ""
    south: str = ""
    west: str = ""
    middle: tuple[str, ...] = ()


@dataclass(frozen=True)
class Plan:
    """An apartment."""

    about: str
    seed: int
    rooms: tuple[Room, ...]
    doors: tuple[tuple[float, float], ...]


def build(plan: Plan) -> Draft:
    """Return the two persons, rooms, doors and furniture of an apartment, in this order; small things are missing."""
    draft = Draft()
    rooms = [_box_of(room) for room in plan.rooms]
    for _ in range(PERSONS):  # they are given a place at the end
        draft.add("character", Box((0.0, 0.0, 0.85), CLASS_OF["character"].size), 0.0, Held.ROOM, PERSONS)
    rows = [draft.add(room.name, box, 0.0, Held.NOWHERE, NO_ROW) for room, box in zip(plan.rooms, rooms, strict=True)]
    for x, y in plan.doors:
        _add_door(draft, x, y, rows)
    for room, row in zip(plan.rooms, rows, strict=True):
        _furnish(draft, room, row)
        _fit_out(draft, row)
    return draft


def _box_of(room: Room) -> Box:
    (x, y), (width, depth) = room.corner, room.size
    return Box((x + width / 2, y + depth / 2, CEILING_M / 2), (width, depth, CEILING_M))


def turned(size: tuple[float, ...], side: str) -> tuple[float, float, float]:
    """Return the size along x, y and z of a thing that looks to a side."""
    depth, width, height = size
    return (depth, width, height) if side in ("east", "west") else (width, depth, height)


def _add_door(draft: Draft, x: float, y: float, rooms: list[int]) -> None:
    touching = [
        row
        for row in rooms
        if all(
            draft.things[row].box.low(axis) <= at <= draft.things[row].box.high(axis) for axis, at in ((0, x), (1, y))
        )
    ]
    if not 1 <= len(touching) <= 2:
        raise UserError(f"the door at {x}, {y} lies in the walls of {len(touching)} rooms, not of one or two")
    box = draft.things[touching[0]].box
    side = "east" if x in (box.low(0), box.high(0)) else "north"
    size = turned(CLASS_OF["door"].size, side)
    row = draft.add("door", Box((x, y, size[2] / 2), size), SIDES[side], Held.ROOM, touching[0])
    draft.things[row].between = touching[0], touching[1] if len(touching) == 2 else NO_ROW
    draft.things[row].conditions = Condition.OPEN


def _furnish(draft: Draft, room: Room, row: int) -> None:
    for side in ("north", "east", "south", "west"):
        standing, _, hanging = getattr(room, side).partition("/")
        for hung, text in ((False, standing), (True, hanging)):
            _add_along(draft, row, side, text, hung)
    for text in room.middle:
        words, x, y, side = text.split()
        name, *on_top = words.split("+")
        size = turned(CLASS_OF[name].size, side)
        centre = (room.corner[0] + float(x), room.corner[1] + float(y), size[2] / 2)
        _add_with(draft, name, Box(centre, size), side, row, on_top)


def _add_along(draft: Draft, room: int, side: str, text: str, hung: bool) -> None:
    at = 0.0
    for word in text.split():
        if word[0].isdigit():
            at += float(word)
            continue
        names, _, times = word.rpartition("*") if word[-1].isdigit() and "+" not in word else (word, "", "1")
        for _ in range(int(times)):
            for each in BESIDE.get(names, (names,)):
                at = _add_at_wall(draft, room, side, at, each, hung)


def _add_at_wall(draft: Draft, room: int, side: str, at: float, words: str, hung: bool) -> float:
    """Add a thing at a wall, and what is on it; return where the next one begins."""
    name, *on_top = words.split("+")
    size = CLASS_OF[name].size
    box = at_wall(draft.things[room].box, side, at + size[1] / 2, size, HUNG_M[name] if hung else 0.0, hung)
    _add_with(draft, name, box, OPPOSITE[side], room, on_top)
    return at + size[1]


def at_wall(room: Box, side: str, along: float, size: tuple[float, float, float], bottom: float, flush: bool) -> Box:
    """Return the box of a thing with its back to a wall; a ``flush`` one touches it."""
    away = size[0] / 2 + (0.0 if flush else WALL_GAP_M)
    axis = 0 if side in ("east", "west") else 1
    across = room.high(axis) - away if side in ("east", "north") else room.low(axis) + away
    runs = room.low(1 - axis) + along
    x, y = (across, runs) if axis == 0 else (runs, across)
    return Box((x, y, bottom + size[2] / 2), turned(size, side))


def _add_with(draft: Draft, name: str, box: Box, side: str, room: int, on_top: list[str]) -> None:
    row = draft.add(name, box, SIDES[side], Held.ROOM, room)
    for each in on_top:
        kind, _, times = each.partition("*")
        count = int(times or 1)
        for number in range(count):
            size = turned(CLASS_OF[kind].size, side)
            top = draft.spot(size, Held.ON, row, _at_back(box, side, (number + 0.5) / count))
            if top is None:
                raise UserError(f"there is no room for a {kind} on a {name} in the plan of the home")
            draft.add(kind, top, SIDES[side], Held.ON, row)


def _at_back(box: Box, side: str, share: float) -> tuple[float, float]:
    """Return a point at the back of a thing whose front looks to ``side``, at a share of its width."""
    x = {"east": 0.0, "west": 1.0}.get(side, share)
    y = {"north": 0.0, "south": 1.0}.get(side, share)
    return box.low(0) + x * box.size[0], box.low(1) + y * box.size[1]


def _fit_out(draft: Draft, room: int) -> None:
    """Add lamps, the light switch, sockets, radiators and pictures to a room."""
    box = draft.things[room].box
    width, depth, height = CLASS_OF["ceilinglamp"].size
    long = 0 if box.size[0] >= box.size[1] else 1
    for share in (0.5,) if box.size[long] < 5 else (0.3, 0.7):
        centre = [box.centre[0], box.centre[1], CEILING_M - height / 2]
        centre[long] = box.low(long) + share * box.size[long]
        lamp = Box((centre[0], centre[1], centre[2]), (width, depth, height))
        draft.add("ceilinglamp", lamp, 0.0, Held.ROOM, room)
    _add_first_free(draft, room, "lightswitch", _beside_doors(draft, room))
    _add_radiators(draft, room)
    for name, shares in (
        ("powersocket", (0.5, 0.3, 0.7)),
        ("walllamp", (0.4, 0.6)),
        ("wallpictureframe", (0.25, 0.75)),
    ):
        for side in ("north", "east", "south", "west") if name == "powersocket" else ("north", "west"):
            length = box.size[1 if side in ("east", "west") else 0]
            _add_first_free(draft, room, name, ((side, length * share) for share in shares))


def _add_radiators(draft: Draft, room: int) -> None:
    """Add a radiator under each window of a room where there is space for it."""
    box = draft.things[room].box
    for window in [row for row in draft.rows("window") if draft.things[row].parent == room]:
        under = draft.things[window]
        axis = 1 if under.box.size[0] < under.box.size[1] else 0
        side = next(name for name, yaw in SIDES.items() if yaw == under.yaw)
        along = under.box.centre[axis] - box.low(axis)
        _add_first_free(draft, room, "radiator", iter([(OPPOSITE[side], along)]))


def _beside_doors(draft: Draft, room: int) -> Iterator[tuple[str, float]]:
    """Yield the walls of a room with a door, and places beside the door along the wall, metres."""
    box = draft.things[room].box
    for row in draft.rows("door"):
        door = draft.things[row]
        if room not in door.between:
            continue
        axis = 0 if door.yaw == SIDES["east"] else 1
        high = abs(door.box.centre[axis] - box.high(axis)) < abs(door.box.centre[axis] - box.low(axis))
        side = (("west", "east"), ("south", "north"))[axis][high]
        for offset in (SWITCH_M, -SWITCH_M):
            along = door.box.centre[1 - axis] + offset - box.low(1 - axis)
            if 0.1 < along < box.size[1 - axis] - 0.1:
                yield side, along


def _add_first_free(draft: Draft, room: int, name: str, places: Iterator[tuple[str, float]]) -> None:
    for side, along in places:
        box = at_wall(draft.things[room].box, side, along, CLASS_OF[name].size, HUNG_M[name], flush=True)
        if not any(box.overlaps(other.box) for row, other in enumerate(draft.things) if row > 1 and other.parent != -1):
            draft.add(name, box, SIDES[OPPOSITE[side]], Held.ROOM, room)
            return
