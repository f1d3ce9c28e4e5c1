"""The tree of things in a graph: each has one parent, and the roots are rooms."""

from __future__ import annotations

from dataclasses import dataclass

from worlds.errors import UserError
from worlds.household.homes.graphs.nodes import Graph, Node
from worlds.household.homes.graphs.report import Report
from worlds.household.state.vocabulary import Held

_HELD = {"ON": Held.ON, "INSIDE": Held.INSIDE, "HOLDS_RH": Held.RIGHT_HAND, "HOLDS_LH": Held.LEFT_HAND}
NEAR_WALL_M = 0.5  # from a room's box, of a door that says nothing about its rooms


@dataclass
class Tree:
    """Where the things of a graph are.

    Args:
      rooms: ids.
      doors: ids.
      persons: ids of the two at most, the setter's first.
      parent: of each thing but the rooms, by id.
      held: where each thing is, relative to its parent, by id.
      between: rooms of each door, by id.
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


def tree_of(graph: Graph, report: Report) -> Tree:
    """Return the tree of a graph.

    Args:
      graph: the graph.
      report: is given what was assumed.

    Raises:
      UserError: rooms are missing, a thing has no parent or two, things lie in a circle, a hand holds two things, or
        there are more than two persons.
    """
    nodes = graph.nodes
    rooms, doors, persons = (
        [number for number, node in nodes.items() if node.category == category]
        for category in ("Rooms", "Doors", "Characters")
    )
    if not rooms:
        raise UserError("the graph has no rooms: nodes of the category 'Rooms'")
    if len(persons) > 2:
        raise UserError(f"the graph has {len(persons)} persons, {_names(graph, persons)}; a home has at most two")
    tree = Tree(rooms, doors, sorted(persons), {}, {}, _between(graph, rooms, doors, report))
    wanted = _candidates(graph, tree, report)
    for number, node in nodes.items():
        if number in rooms:
            continue
        parent, held = _parent(graph, tree, number, wanted, report)
        tree.parent[number] = parent
        tree.held[number] = _held(node, parent, held, tree)
    _check_circles(graph, tree)
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
            raise UserError(f"{graph.nodes[door]} of the graph is BETWEEN {len(joined)} rooms; a door joins two")
        if not joined:
            joined += _rooms_around(graph, rooms, graph.nodes[door])
            report.note("doors without BETWEEN join the rooms around them", str(graph.nodes[door]))
    return found


def _rooms_around(graph: Graph, rooms: list[int], door: Node) -> list[int]:
    """Return the rooms within reach of a door's box, at most two, the nearest first."""
    here = door.box
    if here is None:
        return []
    near = []
    for room in rooms:
        box = graph.nodes[room].box
        if box:
            gap = max(
                max(box.low(axis) - here.centre[axis], here.centre[axis] - box.high(axis), 0.0) for axis in (0, 1)
            )
            near.append((gap, room))
    return [room for gap, room in sorted(near) if gap <= NEAR_WALL_M][:2]


def _candidates(graph: Graph, tree: Tree, report: Report) -> dict[int, dict[int, Held]]:
    """Return all that is said to hold each thing, rooms included, and how."""
    found: dict[int, dict[int, Held]] = {number: {} for number in graph.nodes}
    for relation, one, other in graph.edges:
        holds = relation.startswith("HOLDS")
        if (holds or relation == "SITTING") and one not in tree.persons:
            raise UserError(f"{relation} leads from {graph.nodes[one]} in the graph, which is no person")
        if not holds and other in tree.persons and relation != "BETWEEN":
            raise UserError(f"{graph.nodes[one]} is {relation} a person in the graph; what persons have, they hold")
        if holds:
            found[other][one] = _HELD[relation]
        elif relation == "SITTING":
            found[one][other] = Held.SITS
        elif one in tree.rooms and relation != "BETWEEN":
            report.note("edges by which rooms are on or in something are left out", str(graph.nodes[one]))
        elif relation != "BETWEEN" and found[one].get(other) != Held.INSIDE:
            found[one][other] = _HELD[relation]  # who is INSIDE and ON the same thing is inside
    return found


def _parent(
    graph: Graph, tree: Tree, number: int, wanted: dict[int, dict[int, Held]], report: Report
) -> tuple[int, Held]:
    node, said = graph.nodes[number], wanted[number]
    if number in tree.doors and tree.between[number]:
        return tree.between[number][0], Held.ROOM
    nearest = {
        parent: held
        for parent, held in said.items()
        if not any(parent in _above(wanted, other) for other in said if other != parent)
    }
    if said and not nearest:
        raise UserError(f"things lie on or in each other in a circle in the graph: {_names(graph, list(said))}")
    in_rooms = [parent for parent in nearest if parent in tree.rooms]
    others = [parent for parent in nearest if parent not in tree.rooms]
    if len(others) == 1:
        if in_rooms:
            report.note("things INSIDE another room than what they are on or in are where that is", str(node))
        return others[0], nearest[others[0]]
    if len(others) > 1 or len(in_rooms) > 1:
        raise UserError(f"{node} has two parents in the graph: {_names(graph, (others or in_rooms)[:2])}")
    if in_rooms:
        return in_rooms[0], Held.ROOM
    around = _rooms_around(graph, tree.rooms, node)
    if not around:
        raise UserError(f"{node} is on, in or held by nothing in the graph, and its box is in no room")
    report.note("things without a parent stand in the room in which their box is", str(node))
    return around[0], Held.ROOM


def _above(wanted: dict[int, dict[int, Held]], number: int) -> set[int]:
    """Return all that is said to hold a thing, at any depth."""
    found: set[int] = set()
    todo = list(wanted[number])
    while todo:
        each = todo.pop()
        if each not in found:
            found.add(each)
            todo += wanted[each]
    return found


def _held(node: Node, parent: int, held: Held, tree: Tree) -> Held:
    if parent in tree.rooms:
        return Held.ROOM
    if node.id in tree.persons:
        return Held.SITS
    return held


def _check_circles(graph: Graph, tree: Tree) -> None:
    for start in tree.parent:
        seen, at = [start], start
        while at in tree.parent:
            at = tree.parent[at]
            if at in seen:
                raise UserError(f"things lie on or in each other in a circle in the graph: {_names(graph, seen[-3:])}")
            seen.append(at)
