"""Boxes and directions that a graph does not give."""

from __future__ import annotations

from worlds.household.homes.building import HUNG_M, SIDES, at_wall, turned
from worlds.household.homes.graphs.nodes import Graph, Node, Report
from worlds.household.homes.graphs.rooms import AISLE_M, are_neighbours
from worlds.household.homes.graphs.tree import Tree
from worlds.household.homes.surfaces import Box, place_on
from worlds.household.state.home import ThingClass
from worlds.household.state.vocabulary import Held, Property

GOLDEN = 0.618  # multiples of it spread over 0 to 1
AT_WALL_M = 0.35  # what is nearer to a wall has its back to it
DOORWAY_M = 0.8  # of free floor to both sides of a door
HAND_M = 1.1  # height of what is held


def fill_in(graph: Graph, tree: Tree, class_of: dict[str, ThingClass], report: Report) -> None:
    """Give every node a box and a direction.

    Furniture without a box stands free in its room, what hangs hangs on a wall, doors are in the wall between their
    rooms; other things lie at a free place on or in their parent.
    """
    others: dict[tuple[int, Held], list[Box]] = {}
    for number, parent in tree.parent.items():
        box = graph.nodes[number].box
        if box:
            others.setdefault((parent, tree.held[number]), []).append(box)
    for door in tree.doors:
        node = graph.nodes[door]
        if node.box is None:
            apart = len(tree.between[door]) == 2 and not are_neighbours(graph, *tree.between[door])
            where = "somewhere between their rooms, which are apart" if apart else "in the wall of their rooms"
            report.note(f"doors without a box stand {where}", str(node))
            node.box = _door_box(graph, tree.between[door] or [tree.parent[door]], class_of[node.name].size)
        for room in tree.between[door]:
            others.setdefault((room, Held.ROOM), []).append(_doorway(node.box))
    for number in tree.downwards():
        node = graph.nodes[number]
        if number in tree.rooms:
            node.yaw = node.yaw or 0.0
            continue
        parent, held = graph.nodes[tree.parent[number]], tree.held[number]
        beside = others.setdefault((parent.id, held), [])
        if node.box is None:
            size, properties = class_of[node.name].size, class_of[parent.name].properties
            node.box = _assumed(node, parent, held, size, properties, beside, report)
            beside.append(node.box)
        if node.yaw is None:
            node.yaw = _door_yaw(node.box) if number in tree.doors else _yaw(node.box, _box(parent))


def _box(node: Node) -> Box:
    assert node.box is not None  # parents are filled in before their children
    return node.box


def _assumed(
    node: Node,
    parent: Node,
    held: Held,
    size: tuple[float, float, float],
    properties: Property,
    beside: list[Box],
    report: Report,
) -> Box:
    """Return a box for a node without one, and report it."""
    box = _box(parent)
    if held == Held.ROOM and node.name in HUNG_M:
        report.note("things without a box hang on a wall", str(node))
        return _hanging(box, size, HUNG_M[node.name], node.id)
    if held == Held.ROOM:
        report.note("things without a box stand free in their room", str(node))
        return _standing(box, size, beside)
    if held in (Held.ON, Held.INSIDE):
        report.note("things without a box lie at a free place on or in what holds them", str(node))
        found = place_on(box, parent.yaw or 0.0, properties, held, size, beside)
        if found:
            return found
        report.note("things without a box for which there is no free place lie in the middle", str(node))
        bottom = box.high(2) if held == Held.ON else box.low(2)
        return Box((box.centre[0], box.centre[1], bottom + size[2] / 2), size)
    height = HAND_M if held != Held.SITS else box.low(2) + size[2] / 2
    return Box((box.centre[0], box.centre[1], height), size)


def _hanging(room: Box, size: tuple[float, float, float], bottom: float, number: int) -> Box:
    """Return a place on a wall of a room: one after another along the northern and the southern wall."""
    side, free = ("north", "south")[number % 2], room.size[0] - size[1]
    along = size[1] / 2 + max(0.0, free) * (number * GOLDEN % 1)
    return at_wall(room, side, along, size, bottom, flush=True)


def _standing(room: Box, size: tuple[float, float, float], others: list[Box]) -> Box:
    """Return a free place on the floor of a room, near a wall, with an aisle around it."""
    wide = (size[0] + 2 * AISLE_M, size[1] + 2 * AISLE_M, size[2])
    floor = Box((room.centre[0], room.centre[1], room.low(2) - 0.05), (room.size[0], room.size[1], 0.1))
    walls = [
        (room.low(0), room.high(1)),
        (room.high(0), room.high(1)),
        (room.high(0), room.low(1)),
        (room.low(0), room.low(1)),
    ]
    near = walls[len(others) % 4]
    found = place_on(floor, 0.0, Property(0), Held.ON, wide, others, near)
    found = found or place_on(floor, 0.0, Property(0), Held.ON, size, others, near)
    x, y, _ = found.centre if found else room.centre
    return Box((x, y, room.low(2) + size[2] / 2), size)


def _door_box(graph: Graph, joined: list[int], size: tuple[float, float, float]) -> Box:
    """Return a door's box in the middle of the wall that two rooms share, or of a room's southern wall."""
    room = _box(graph.nodes[joined[0]])
    side, x, y = "north", room.centre[0], room.low(1)
    if len(joined) == 2:
        other = _box(graph.nodes[joined[1]])
        spans = [(max(room.low(axis), other.low(axis)), min(room.high(axis), other.high(axis))) for axis in (0, 1)]
        x, y = ((low + high) / 2 for low, high in spans)
        side = "east" if spans[0][1] - spans[0][0] < spans[1][1] - spans[1][0] else "north"
    box = turned(size, side)
    return Box((x, y, room.low(2) + box[2] / 2), box)


def _doorway(door: Box) -> Box:
    """Return a door's box with the floor before and behind it, which stays free."""
    across = 0 if door.size[0] <= door.size[1] else 1
    size = list(door.size)
    size[across] += 2 * DOORWAY_M
    return Box(door.centre, (size[0], size[1], size[2]))


def _door_yaw(box: Box) -> float:
    return SIDES["east"] if box.size[0] <= box.size[1] else SIDES["north"]


def _yaw(box: Box, parent: Box) -> float:
    """Return a direction: away from the nearest edge of the parent, seen from above, or along the shorter side."""
    gaps = {
        "east": box.low(0) - parent.low(0),
        "west": parent.high(0) - box.high(0),
        "north": box.low(1) - parent.low(1),
        "south": parent.high(1) - box.high(1),
    }
    side = min(gaps, key=lambda each: gaps[each])
    if gaps[side] > AT_WALL_M:
        side = "east" if box.size[0] <= box.size[1] else "north"
    return SIDES[side]
