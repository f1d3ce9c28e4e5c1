"""Rooms of which a graph gives no boxes, and doors that it lacks."""

from __future__ import annotations

import math
from itertools import pairwise, permutations

from worlds.errors import UserError
from worlds.household.homes.building import HUNG_M
from worlds.household.homes.graphs.nodes import Graph, Node, Report
from worlds.household.homes.graphs.tree import Tree
from worlds.household.homes.surfaces import Box
from worlds.household.state.home import ThingClass
from worlds.household.state.vocabulary import Held

HEIGHT_M, LEAST_M = 2.6, 5  # of a room of which nothing is known: its height, and its width at least
AISLE_M = 0.65  # of free floor around furniture
SPARE = 2.0  # as much larger than its furniture with aisles is a room
AROUND_M = 0.5  # between what stands in a room and its walls, where boxes of things are known
MOST_ORDERED = 7  # rooms whose best order is looked for
WIDEST_M = 60  # of a home
WALL_M = 1.0  # two rooms are neighbours if no more is between them
PASSAGE_M = 0.9  # width of the wall that they share at least


def fill_in_rooms(graph: Graph, tree: Tree, class_of: dict[str, ThingClass], report: Report) -> None:
    """Give every room of the graph a box.

    A room whose things have boxes encloses them. The others stand in a row to the east, rooms that share a door side by
    side, each as large as its furniture needs.
    """
    missing = [room for room in tree.rooms if graph.nodes[room].box is None]
    for room in missing:
        report.note("rooms without a box got one", str(graph.nodes[room]))
        graph.nodes[room].box = _around_things(graph, tree, room)
    missing = [room for room in missing if graph.nodes[room].box is None]
    known = [box for room in tree.rooms if (box := graph.nodes[room].box)]
    first = max(known, key=lambda box: box.high(0), default=None)
    east, south = (first.high(0), first.low(1)) if first else (0.0, 0.0)
    areas = {room: SPARE * _floor_needed(graph, tree, room, class_of) for room in missing}
    depth = math.ceil(max([LEAST_M, *(math.sqrt(area) for area in areas.values())]))
    for room in _in_order(missing, [rooms for rooms in tree.between.values() if len(rooms) == 2]):
        width = max(LEAST_M, math.ceil(areas[room] / depth))
        graph.nodes[room].box = Box((east + width / 2, south + depth / 2, HEIGHT_M / 2), (width, depth, HEIGHT_M))
        east += width
    _check_span([box for room in tree.rooms if (box := graph.nodes[room].box)])


def _floor_needed(graph: Graph, tree: Tree, room: int, class_of: dict[str, ThingClass]) -> float:
    """Return the floor that the furniture of a room covers with its aisles, square metres."""
    names = [
        graph.nodes[number].name
        for number, parent in tree.parent.items()
        if parent == room and tree.held[number] == Held.ROOM
    ]
    sizes = [class_of[name].size for name in names if name not in HUNG_M]
    return sum((width + AISLE_M) * (depth + AISLE_M) for width, depth, _ in sizes)


def _check_span(rooms: list[Box]) -> None:
    for axis in (0, 1):
        span = max(each.high(axis) for each in rooms) - min(each.low(axis) for each in rooms)
        if span > WIDEST_M:
            raise UserError(f"the rooms of the graph span {span:.0f} m; at most {WIDEST_M} m are possible")


def _around_things(graph: Graph, tree: Tree, room: int) -> Box | None:
    inside = [
        box
        for number in tree.parent
        if tree.room_of(number) == room and number not in tree.doors and (box := graph.nodes[number].box)
    ]
    if not inside:
        return None
    (west, east), (south, north), (floor, ceiling) = (
        (min(each.low(axis) for each in inside), max(each.high(axis) for each in inside)) for axis in range(3)
    )
    floor, ceiling = min(floor, 0.0), max(ceiling, HEIGHT_M)
    size = east - west + 2 * AROUND_M, north - south + 2 * AROUND_M, ceiling - floor
    return Box(((west + east) / 2, (south + north) / 2, (floor + ceiling) / 2), size)


def _in_order(rooms: list[int], joined: list[list[int]]) -> list[int]:
    """Return the rooms in the order in which most neighbours are joined by a door."""
    if len(rooms) > MOST_ORDERED:
        return rooms
    pairs = {frozenset(each) for each in joined}
    return list(max(permutations(rooms), key=lambda row: sum(frozenset(pair) in pairs for pair in pairwise(row))))


def add_doors(graph: Graph, tree: Tree, report: Report) -> None:
    """Add doors between neighbouring rooms until every room that has a neighbour is reached."""
    part = {room: room for room in tree.rooms}

    def merge(one: int, other: int) -> None:
        for room, number in part.items():
            if number == part[other] and room != other:
                part[room] = part[one]
        part[other] = part[one]

    for joined in tree.between.values():
        if len(joined) == 2 and are_neighbours(graph, joined[0], joined[1]):
            merge(*joined)
    for one in tree.rooms:
        for other in tree.rooms:
            if part[one] == part[other] or not are_neighbours(graph, one, other):
                continue
            number = max(graph.nodes) + 1
            graph.nodes[number] = Node(number, "door", "Doors", None, None, None, None)
            tree.doors.append(number)
            tree.between[number], tree.parent[number], tree.held[number] = [one, other], one, Held.ROOM
            merge(one, other)
            names = f"{graph.nodes[one]} and {graph.nodes[other]}"
            report.note("doors were added between rooms that no door joined to the others", names)


def are_neighbours(graph: Graph, one: int, other: int) -> bool:
    """Return True if a door can be between two rooms."""
    here, there = graph.nodes[one].box, graph.nodes[other].box
    if here is None or there is None:
        return False
    spans = [min(here.high(axis), there.high(axis)) - max(here.low(axis), there.low(axis)) for axis in (0, 1)]
    return min(spans) >= -WALL_M and max(spans) >= PASSAGE_M
