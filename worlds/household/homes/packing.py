"""Packing: where things on or in another one lie so that all of them fit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from worlds.household.homes.surfaces import GAP_M, Box, levels
from worlds.household.state.tables import kernel
from worlds.household.state.vocabulary import Held, Property

TRIES = 1_000_000  # corners at which a thing is tried in a search, after which it gives up
_SLACK_M = 1e-6


def pack(
    box: Box, yaw: float, properties: Property, held: Held, sizes: Sequence[tuple[float, ...]], fixed: Sequence[Box]
) -> list[Box] | None:
    """Return boxes for things on or in another one, none of which overlap; None if no packing was found.

    The search is complete but for its length: things are tried in every order, the widest first, in every level, at
    every corner that the level and the things in it make.
    """
    there = levels(box, yaw, properties, held)
    rooms = np.array([(each.west, each.south, each.east, each.north, each.clearance) for each in there])
    taken = [
        (number, each.low(0), each.low(1), each.high(0), each.high(1))
        for number, level in enumerate(there)
        for each in fixed
        if each.low(2) < level.z + min(level.clearance, 10.0) - 1e-4 and each.high(2) > level.z + 1e-4
    ]
    order = sorted(range(len(sizes)), key=lambda each: (-sizes[each][0] * sizes[each][1], sizes[each]))
    ordered = np.array([sizes[each] for each in order], dtype=np.float64)
    repeats = np.array(
        [number > 0 and (ordered[number] == ordered[number - 1]).all() for number in range(len(ordered))]
    )
    corners = _pack(rooms, ordered, repeats, np.array(taken, dtype=np.float64).reshape(-1, 5), TRIES)
    if len(corners) < len(sizes):
        return None
    found = list[Box | None]([None] * len(sizes))
    for each, (level, west, south) in zip(order, corners, strict=True):
        width, depth, height = sizes[each]
        z = there[int(level)].z + height / 2
        found[each] = Box((west + width / 2, south + depth / 2, z), (width, depth, height))
    return [each for each in found if each]


@kernel
def _pack(rooms, sizes, repeats, taken, tries):
    """Search for a packing, in depth first.

    Args:
      rooms: float64 [levels, 5], west, south, east and north end, and clearance of each level, metres.
      sizes: float64 [things, 3], metres, equal ones side by side.
      repeats: bool [things], True for one of the same size as the one before.
      taken: float64 [others, 5], level, west, south, east and north end of what stays where it is.

    Returns:
      float64 [things, 3], level, west and south end of each thing; [0, 3] if there is none.
    """
    things, others, count = len(sizes), len(taken), len(rooms)
    free = 0.0
    for level in range(count):
        free += (rooms[level, 2] - rooms[level, 0] + GAP_M) * (rooms[level, 3] - rooms[level, 1] + GAP_M)
    for thing in range(things):
        free -= (sizes[thing, 0] + GAP_M) * (sizes[thing, 1] + GAP_M)
    found = np.zeros((things, 3))
    if free < -_SLACK_M:
        return found[:0]
    boxes = np.zeros((others + things, 5))
    boxes[:others] = taken
    used, order = np.zeros(things, np.bool_), np.zeros(things, np.int64)
    cursor = np.zeros(things + 1, np.int64)
    depth = 0
    while depth < things:
        edges = others + depth + 1  # the level's own, and the far ends of what lies there
        spots = count * edges * edges
        at, is_found = cursor[depth], False
        while at < things * spots and not is_found and tries > 0:
            thing, level = at // spots, at % spots // (edges * edges)
            if used[thing] or (repeats[thing] and not used[thing - 1]):
                at = (thing + 1) * spots
            elif sizes[thing, 2] > rooms[level, 4]:
                at = thing * spots + (level + 1) * edges * edges
            else:
                tries -= 1
                along, across = at % (edges * edges) // edges, at % edges
                is_found = _fits(rooms, boxes, others + depth, sizes[thing], level, along, across)
                at += 1
        if is_found:
            west, south = _edge(rooms, boxes, level, along, 0), _edge(rooms, boxes, level, across, 1)
            box = boxes[others + depth]
            box[0], box[1], box[2] = level, west, south
            box[3], box[4] = west + sizes[thing, 0], south + sizes[thing, 1]
            found[thing, 0], found[thing, 1], found[thing, 2] = level, west, south
            used[thing], order[depth], cursor[depth] = True, thing, at
            depth += 1
            cursor[depth] = 0
        else:
            depth -= 1
            if depth >= 0:
                used[order[depth]] = False
        if depth < 0 or tries <= 0:
            return found[:0]
    return found


@kernel
def _edge(rooms, boxes, level, number, axis):
    """Return the near end of a level (number 0), or where a thing begins beside another one."""
    return rooms[level, axis] if number == 0 else boxes[number - 1, 3 + axis] + GAP_M


@kernel
def _fits(rooms, boxes, count, size, level, along, across):
    """Return True if a thing fits into a level with its near corner at these edges, beside the first boxes."""
    for number in (along, across):
        if number > 0 and boxes[number - 1, 0] != level:
            return False
    west, south = _edge(rooms, boxes, level, along, 0), _edge(rooms, boxes, level, across, 1)
    east, north = west + size[0], south + size[1]
    if west < rooms[level, 0] - _SLACK_M or south < rooms[level, 1] - _SLACK_M:
        return False
    if east > rooms[level, 2] + _SLACK_M or north > rooms[level, 3] + _SLACK_M:
        return False
    for other in range(count):
        if boxes[other, 0] == level:
            beside = west > boxes[other, 3] + GAP_M - _SLACK_M or boxes[other, 1] > east + GAP_M - _SLACK_M
            behind = south > boxes[other, 4] + GAP_M - _SLACK_M or boxes[other, 2] > north + GAP_M - _SLACK_M
            if not beside and not behind:
                return False
    return True
