"""The tree of things in a graph: each has one parent, and the roots are rooms."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from worlds.errors import UserError
from worlds.household.homes.graphs.holders import Holders, circle, holders
from worlds.household.homes.graphs.nodes import Graph, Node, Report
from worlds.household.state.home import ThingClass
from worlds.household.state.vocabulary import Held

NEAR_WALL_M = 0.5  # from a room's box, of a door that says nothing about its rooms


@dataclass
class Tree:
    """Where the things of a graph are, by their ids.

    Persons are sorted, the setter first. ``between`` has the rooms of each door.
    """

    rooms: list[int]
    doors: list[int]
    persons: list[int]
    parent: dict[int, int]
    held: dict[int, Held]
    between: dict[int, list[int]]

    def room_of(self, number: int) -> int:
        """Return the id of the room in which a thing is, however deep."""
        while number in self.parent:
            number = self.parent[number]
        return number

    def downwards(self) -> list[int]:
        """Return all ids, each after its parent."""
        depth: dict[int, int] = {}

        def of(number: int) -> int:
            if number not in depth:
                depth[number] = of(self.parent[number]) + 1 if number in self.parent else 0
            return depth[number]

        return sorted([*self.rooms, *self.parent], key=lambda number: (of(number), self.rooms.count(number) == 0))


def tree_of(graph: Graph, class_of: Mapping[str, ThingClass], report: Report) -> Tree:
    """Return the tree of a graph. The order of its edges does not matter."""
    nodes = graph.nodes
    rooms, doors, persons = (
        [number for number, node in nodes.items() if node.category == category]
        for category in ("Rooms", "Doors", "Characters")
    )
    if not rooms:
        raise UserError("the graph has no rooms: nodes of the category 'Rooms'")
    tree = Tree(rooms, doors, sorted(persons), {}, {}, _between(graph, rooms, doors, report))
    said = holders(graph, set(rooms), set(persons), class_of, report)
    _place_all(graph, tree, said, Report())
    while found := circle(tree.parent):
        # The widest thing of a circle is under the others, or around them.
        widest = max(found, key=lambda number: (said.area(number), -number))
        said.forget(widest, tree.parent[widest])
        report.note("things lie on or in each other in a circle; the widest lies on none of them", str(nodes[widest]))
        _place(graph, tree, widest, said, Report())
    _place_all(graph, tree, said, report)
    hands: dict[tuple[int, Held], int] = {}
    for number, held in tree.held.items():
        if held in (Held.RIGHT_HAND, Held.LEFT_HAND):
            other = hands.setdefault((tree.parent[number], held), number)
            if other != number:
                raise UserError(f"one hand holds two things in the graph: {_names(graph, [other, number])}")
    return tree


def _names(graph: Graph, numbers: list[int]) -> str:
    return " and ".join(str(graph.nodes[number]) for number in numbers)


def _between(graph: Graph, rooms: list[int], doors: list[int], report: Report) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {door: [] for door in doors}
    for relation, one, other in graph.edges:
        if relation != "BETWEEN":
            continue
        if one not in found or other not in rooms:
            report.note("edges BETWEEN that do not lead from a door to a room are left out", f"{one} to {other}")
            continue
        found[one].append(other)
    for door, joined in found.items():
        if len(joined) > 2:
            report.note("doors BETWEEN more than two rooms join the nearest two", str(graph.nodes[door]))
            joined[:] = sorted(joined, key=lambda room: (_gap(graph, room, graph.nodes[door]), room))[:2]
        if not joined:
            joined += _rooms_around(graph, rooms, graph.nodes[door])
            report.note("doors without BETWEEN join the rooms around them", str(graph.nodes[door]))
    return found


def _rooms_around(graph: Graph, rooms: list[int], door: Node) -> list[int]:
    """Return the rooms within reach of a door's box, at most two, the nearest first."""
    near = sorted((_gap(graph, room, door), room) for room in rooms)
    return [room for gap, room in near if gap <= NEAR_WALL_M][:2]


def _gap(graph: Graph, room: int, node: Node) -> float:
    """Return how far the centre of a node's box is outside the box of a room, seen from above, metres."""
    around, here = graph.nodes[room].box, node.box
    if around is None or here is None:
        return math.inf
    return max(max(around.low(axis) - here.centre[axis], here.centre[axis] - around.high(axis), 0.0) for axis in (0, 1))


def _place_all(graph: Graph, tree: Tree, said: Holders, report: Report) -> None:
    for number in graph.nodes:
        if number not in tree.rooms:
            _place(graph, tree, number, said, report)


def _place(graph: Graph, tree: Tree, number: int, said: Holders, report: Report) -> None:
    """Write down what a thing is on, in or held by."""
    node = graph.nodes[number]
    if number in tree.doors and tree.between[number]:
        tree.parent[number], tree.held[number] = tree.between[number][0], Held.ROOM
        return
    parent, held = said.best(number, report)
    if parent is None:
        parent, held = _nearest_room(graph, tree, node), Held.ROOM
        where = "in which their box is" if node.box else "of the lowest id, as they have no box"
        report.note(f"things without a parent stand in the room {where}", str(node))
    tree.parent[number], tree.held[number] = parent, Held.ROOM if parent in tree.rooms else held


def _nearest_room(graph: Graph, tree: Tree, node: Node) -> int:
    """Return the room in which, or nearest to which, the centre of a node's box is; the one of the lowest id without
    a box."""
    return min(tree.rooms, key=lambda room: (_gap(graph, room, node) if node.box else 0.0, room))
