"""Nodes and edges of a graph, checked one by one."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from worlds.errors import UserError
from worlds.household.catalogue.classes import CLASS_OF, CLASSES, first_conditions
from worlds.household.homes.surfaces import Box
from worlds.household.state.home import MOST_THINGS, PERSONS, ThingClass
from worlds.household.state.vocabulary import OPPOSITES, Condition, Property

RELATIONS = ("ON", "INSIDE", "BETWEEN", "CLOSE", "FACING", "HOLDS_RH", "HOLDS_LH", "SITTING")
DERIVED = ("CLOSE", "FACING")  # these follow from where things are
STRUCTURE = ("floor", "wall", "walls", "ceiling")  # of a room; their nodes are left out, as the published system does
LARGEST_ID = 10**9
LEAST_M = 0.001  # no box is thinner


@dataclass
class Node:
    """One node; None where the graph does not say."""

    id: int
    name: str
    category: str
    properties: Property | None
    conditions: Condition | None
    box: Box | None
    yaw: float | None

    def __str__(self) -> str:
        return f"{self.name} {self.id}"


@dataclass
class Graph:
    """A graph whose nodes and edges have been checked one by one. Nodes are by id, in the order of the file."""

    nodes: dict[int, Node] = field(default_factory=dict)
    edges: list[tuple[str, int, int]] = field(default_factory=list)
    left_out: set[int] = field(default_factory=set)


def read_graph(graph: Any, report: Report, drop_unknown_relations: bool = False) -> Graph:
    """Return the checked nodes and edges of a graph; the report collects what was not understood."""
    if not isinstance(graph, Mapping) or not all(isinstance(graph.get(key), list) for key in ("nodes", "edges")):
        raise UserError('a graph is an object with two lists, "nodes" and "edges"')
    found = Graph()
    for number, raw in enumerate(graph["nodes"]):
        node = _node(raw, number, report)
        if node.id in found.nodes or node.id in found.left_out:
            raise UserError(f"two nodes of the graph have the id {node.id}")
        if node.name in STRUCTURE:
            found.left_out.add(node.id)
            report.note("floors, walls and ceilings are left out", str(node))
        else:
            found.nodes[node.id] = node
    if len(found.nodes) > MOST_THINGS:
        raise UserError(f"the graph has {len(found.nodes)} things; at most {MOST_THINGS} are possible")
    _leave_out_persons(found, report)
    for number, raw in enumerate(graph["edges"]):
        edge = _edge(raw, number, found, drop_unknown_relations, report)
        if edge:
            found.edges.append(edge)
    found.edges = list(dict.fromkeys(found.edges))
    for relation, _, number in found.edges:
        if relation == "BETWEEN" and not found.nodes[number].category:
            found.nodes[number].category = "Rooms"
            report.note("nodes without a category to which doors lead are rooms", str(found.nodes[number]))
    return found


def _leave_out_persons(graph: Graph, report: Report) -> None:
    """Leave out all persons but the two of the lowest ids."""
    for number in sorted(each for each, node in graph.nodes.items() if node.category == "Characters")[PERSONS:]:
        report.note("a home has two persons; others are left out", str(graph.nodes.pop(number)))
        graph.left_out.add(number)


def _node(raw: Any, number: int, report: Report) -> Node:
    if not isinstance(raw, Mapping):
        raise UserError(f"node {number} of the graph is no object")
    node_id, name = raw.get("id"), raw.get("class_name")
    if not isinstance(node_id, int) or isinstance(node_id, bool) or not 0 <= node_id <= LARGEST_ID:
        raise UserError(
            f"node {number} of the graph has the id {node_id!r}; ids are whole numbers from 0 to {LARGEST_ID:,}"
        )
    if not isinstance(name, str) or not name.strip():
        raise UserError(f"node {node_id} of the graph has no class_name")
    read = _known_name(name.strip())
    if read != name:
        report.note(f"class {name!r} is read as {read!r}")
    category = raw.get("category") or (CLASS_OF[read].category if read in CLASS_OF else "")
    about = f"{read} {node_id}"
    properties = _flags(raw.get("properties"), Property, "property", about, report)
    conditions = _flags(raw.get("states"), Condition, "state", about, report)
    for one, other in OPPOSITES:
        if conditions is not None and one in conditions and other in conditions:
            raise UserError(f"{about} is {one.name} and {other.name} at once in the graph")
    box = _box(raw.get("bounding_box"), about, Report() if read in STRUCTURE else report)
    yaw = _yaw(raw.get("obj_transform"))
    return Node(node_id, read, str(category), properties, conditions, box, yaw)


def _known_name(name: str) -> str:
    """Return the name of the class in the catalogue that is written in another way; the name itself without one."""
    plain = name.lower().replace("_", "").replace(" ", "")
    for each in (name, plain, plain.removesuffix("s")):
        if each in CLASS_OF:
            return each
    return name


def _flags(raw: Any, kind: Any, noun: str, about: str, report: Report) -> Any:
    if raw is None:
        return None
    if not isinstance(raw, list):
        raise UserError(f"{about} of the graph: its list of {noun} names is {raw!r}")
    found = kind(0)
    for name in raw:
        if str(name).upper() in kind.__members__:
            found |= kind[str(name).upper()]
        else:
            report.note(f"unknown {noun} {str(name)!r} is left out", about)
    return found


def _box(raw: Any, about: str, report: Report) -> Box | None:
    """Return the box with y and z exchanged: VirtualHome's y is up."""
    if raw is None:
        return None
    try:
        (x, z, y), (width, height, depth) = (tuple(map(float, raw[key])) for key in ("center", "size"))
    except (TypeError, ValueError, KeyError):
        raise UserError(f"{about} of the graph: its bounding_box has no center and size of three numbers") from None
    if not all(math.isfinite(each) and abs(each) < 1e4 for each in (x, y, z, width, depth, height)):
        raise UserError(f"{about} of the graph: its bounding_box is not finite, or kilometres away")
    if min(width, depth, height) < LEAST_M:
        report.note(f"boxes thinner than {LEAST_M} m are made as thick", about)
    return Box((x, y, z), (max(width, LEAST_M), max(depth, LEAST_M), max(height, LEAST_M)))


def _yaw(raw: Any) -> float | None:
    """Return the direction of the front from the rotation of Unity: a quaternion, 0 along +z, clockwise from above."""
    try:
        x, y, z, w = map(float, raw["rotation"])
    except (TypeError, ValueError, KeyError):
        return None
    angle = math.pi / 2 - math.atan2(2 * (w * y + x * z), 1 - 2 * (x * x + y * y))
    return math.remainder(angle, math.tau) if math.isfinite(angle) else None


def _edge(
    raw: Any, number: int, graph: Graph, drop_unknown_relations: bool, report: Report
) -> tuple[str, int, int] | None:
    if not isinstance(raw, Mapping):
        raise UserError(f"edge {number} of the graph is no object")
    relation, ends = str(raw.get("relation_type")), (raw.get("from_id", -1), raw.get("to_id", -1))
    for end in ends:
        if not isinstance(end, int) or end not in graph.nodes and end not in graph.left_out:
            raise UserError(f"edge {number} of the graph, {relation}, leads to node {end!r}, which is not there")
    if relation not in RELATIONS:
        if not drop_unknown_relations:
            known = ", ".join(RELATIONS)
            raise UserError(f"edge {number} of the graph has the unknown relation {relation!r}; known: {known}")
        report.note(f"edges of the unknown relation {relation!r} are left out", f"{ends[0]} to {ends[1]}")
        return None
    if relation in DERIVED or not graph.left_out.isdisjoint(ends):
        return None
    return relation, ends[0], ends[1]


def classes_of(graph: Graph, report: Report) -> tuple[list[ThingClass], dict[str, int]]:
    """Return the home's classes, which begin with those of the catalogue, and the number of each name in them.

    All things of a class have the same properties: those that any of them has. Sets the category of the nodes.
    """
    classes, number_of = list(CLASSES), {each.name: number for number, each in enumerate(CLASSES)}
    by_name: dict[str, list[Node]] = {}
    for node in graph.nodes.values():
        by_name.setdefault(node.name, []).append(node)
    for name, nodes in by_name.items():
        known = CLASS_OF.get(name)
        written = [node.properties for node in nodes if node.properties is not None]
        properties = Property(0)
        for each in written:
            properties |= each
        if known and not properties:
            if written and known.properties:
                report.note("classes whose things all lack properties have those of the catalogue", name)
            properties, written = known.properties, []
        if any(each != properties for each in written):
            report.note("things of one class differ in properties, and now have all of them", name)
        category = next((node.category for node in nodes if node.category), "")
        if not category:
            category = "Props" if Property.GRABBABLE in properties else "Furniture"
            report.note("classes without a category", f"{name}: {category}")
        for node in nodes:
            node.category = category
        if known and (known.properties, known.category) == (properties, category):
            continue
        size = next((node.box.size for node in nodes if node.box), known.size if known else _size(properties))
        colour = known.colour if known else _colour(name)
        if not known:
            number_of[name] = len(classes)
            classes.append(ThingClass(name, category, properties, size, colour))
            report.note("classes that are not in the catalogue, known by properties and boxes", name)
        else:
            classes[number_of[name]] = ThingClass(name, category, properties, known.size, colour)
    return classes, number_of


def conditions_of(node: Node, properties: Property, report: Report) -> Condition:
    """Return the conditions of a node; where it does not say, it is closed, off, clean and plugged in."""
    found = node.conditions or Condition(0)
    if found & (Condition.OPEN | Condition.CLOSED) and Property.CAN_OPEN not in properties:
        # A counter that is CLOSED would hide the sink in it for ever.
        report.note("things that cannot be opened are neither OPEN nor CLOSED", str(node))
        found &= ~(Condition.OPEN | Condition.CLOSED)
    for one, other in OPPOSITES:
        if not found & (one | other):
            found |= first_conditions(properties) & (one | other)
    return found


def _size(properties: Property) -> tuple[float, float, float]:
    """Return the size of a thing of which only properties are known."""
    if Property.GRABBABLE in properties:
        return (0.12, 0.12, 0.12)
    if properties & (Property.SURFACES | Property.CONTAINERS):
        return (0.6, 0.8, 0.8)
    return (0.4, 0.4, 0.6)


def _colour(name: str) -> tuple[int, int, int]:
    """Return a colour that is always the same for a name."""
    number = zlib.crc32(name.encode())
    return 90 + number % 120, 90 + number // 120 % 120, 90 + number // 14400 % 120


SHOWN = 5  # examples a note


class Report:
    """Notes, each with the things that it is about."""

    def __init__(self) -> None:
        self._notes: dict[str, list[str]] = {}

    def note(self, text: str, about: str = "") -> None:
        """Add a note about a thing, e.g. "fridge 23"; the same text about several things is one note."""
        self._notes.setdefault(text, []).append(about)

    def lines(self) -> Iterator[str]:
        """Yield a line for each note: how many things it is about, the first of them, and the note."""
        for text, about in self._notes.items():
            named = [each for each in dict.fromkeys(about) if each]
            more = f", and {len(named) - SHOWN} more" if len(named) > SHOWN else ""
            yield f"{text}: {', '.join(named[:SHOWN])}{more}" if named else text

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __len__(self) -> int:
        return len(self._notes)
