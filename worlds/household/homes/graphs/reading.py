"""A graph as a home and its first state."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import numpy as np

from worlds.errors import UserError
from worlds.household.catalogue.classes import CLASS_OF
from worlds.household.homes.draft import Draft, Thing
from worlds.household.homes.graphs.boxes import fill_in
from worlds.household.homes.graphs.nodes import DERIVED, Graph, Node, Report, classes_of, conditions_of, read_graph
from worlds.household.homes.graphs.rooms import add_doors, fill_in_rooms
from worlds.household.homes.graphs.tree import Tree, tree_of
from worlds.household.homes.persons import place_persons
from worlds.household.homes.surfaces import Box
from worlds.household.navigation.floor_plan import floor_plan, never_moves
from worlds.household.state.home import NO_ROW, PERSONS, Home, State
from worlds.household.state.vocabulary import Condition, Held

PERSON = "character"
INSIDE_M = 0.3  # by which a thing may stick out of its room before that is reported


def home_of_graph(
    graph: Any, name: str = "imported", drop_unknown_relations: bool = False
) -> tuple[Home, State, Report]:
    """Return the home of a graph in VirtualHome's JSON form, its first state, and a report of what was assumed.

    In the graph y points up. ``drop_unknown_relations`` leaves out edges of unknown relations instead of refusing them.
    """
    report = Report()
    read = read_graph(graph, report, drop_unknown_relations)
    classes, number_of = classes_of(read, report)
    class_of = {each: classes[number] for each, number in number_of.items()}
    tree = tree_of(read, class_of, report)
    fill_in_rooms(read, tree, class_of, report)
    add_doors(read, tree, report)
    missing = _add_persons(read, tree)
    fill_in(read, tree, class_of, report)
    draft, row_of = Draft(classes), {each: row for row, each in enumerate(read.nodes)}
    for number, node in read.nodes.items():
        kind = number_of[node.name]
        draft.append(
            Thing(
                id=number,
                kind=kind,
                box=node.box or Box((0.0, 0.0, 0.0), classes[kind].size),
                yaw=node.yaw or 0.0,
                held=tree.held.get(number, Held.NOWHERE),
                parent=row_of.get(tree.parent.get(number, -1), NO_ROW),
                conditions=_conditions(tree, node.id, conditions_of(node, classes[kind].properties, report)),
                between=_between(tree, number, row_of),
            )
        )
    persons = row_of[tree.persons[0]], row_of[tree.persons[1]]
    home, state = draft.finish(name, persons)
    _place(home, state, {row_of[each] for each in missing}, report)
    _report_geometry(home, state, report)
    return home, state, report


def load_graph(path: Path | str) -> Any:
    """Return the graph of a JSON file."""
    if Path(path).exists() and not Path(path).is_file():
        raise UserError(f"{path} is no file; name a graph's JSON file")
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"cannot read the graph {path}: {error.strerror or error}") from None
    except ValueError as error:
        raise UserError(f"{path} is no JSON file: {error}") from None


def without_derived(graph: Any) -> Any:
    """Return a graph without the edges that follow from where things are, which are most of them."""
    if not isinstance(graph, dict) or not isinstance(graph.get("edges"), list):
        return graph  # it is refused where it is read
    edges = [each for each in graph["edges"] if not isinstance(each, dict) or each.get("relation_type") not in DERIVED]
    return {**graph, "edges": edges}


def _add_persons(graph: Graph, tree: Tree) -> list[int]:
    """Add the persons that a graph lacks, in its first room, and return their ids."""
    added, room = [], graph.nodes[tree.rooms[0]].box
    x, y, _ = room.centre if room else (0.0, 0.0, 0.0)
    size = CLASS_OF[PERSON].size
    box = Box((x, y, size[2] / 2), size)
    while len(tree.persons) < PERSONS:
        number = next(each for each in (1, 2, max(graph.nodes) + 1) if each not in graph.nodes)
        graph.nodes[number] = Node(number, PERSON, CLASS_OF[PERSON].category, None, None, box, 0.0)
        tree.persons.append(number)
        tree.parent[number], tree.held[number] = tree.rooms[0], Held.ROOM
        added.append(number)
    tree.persons.sort()
    return added


def _conditions(tree: Tree, number: int, found: Condition) -> Condition:
    """Return the conditions of a node; a person sits if and only if it is on a seat."""
    if number not in tree.persons:
        return found
    found &= ~(Condition.SITTING | Condition.LYING)
    return found | Condition.SITTING if tree.held[number] == Held.SITS else found


def _between(tree: Tree, number: int, row_of: dict[int, int]) -> tuple[int, int]:
    rooms = [row_of[each] for each in tree.between.get(number, [])]
    one, other, *_ = [*rooms, NO_ROW, NO_ROW]
    return one, other


def _place(home: Home, state: State, added: set[int], report: Report) -> None:
    """Let persons that the graph lacks stand somewhere, and others where the floor is free."""
    plan = floor_plan(home, state)
    drawn = state.copy()
    place_persons(home, drawn, (), random.Random(0).random)
    for number, person in enumerate(home.persons):
        about = f"{home.name_of(person)} {home.ids[person]}"
        if person in added:
            for each in ("held", "parent", "room", "centre"):
                getattr(state, each)[person] = getattr(drawn, each)[person]
            state.facing[number] = drawn.facing[number]
            report.note("persons were missing and have been added", about)
        elif state.held[person] == Held.ROOM:
            x, y, _ = state.centre[person].tolist()
            there = plan.floor(x, y)
            if math.dist(there, (x, y)) > 1e-3:
                report.note("persons who stood in furniture or walls stand beside them", about)
                state.centre[person, :2] = there


def _report_geometry(home: Home, state: State, report: Report) -> None:
    low, high = state.centre - home.size / 2, state.centre + home.size / 2
    beyond = np.maximum(low[state.room, :2] - low[:, :2], high[:, :2] - high[state.room, :2])
    for row in np.flatnonzero(np.max(beyond, axis=1) > INSIDE_M).tolist():
        if row not in home.doors and row not in home.persons:
            report.note("boxes reach out of their room", f"{home.name_of(row)} {home.ids[row]}")
    plan = floor_plan(home, state)
    for row in sorted(plan.hollow):
        report.note(
            "furniture in whose box other furniture stands is in nobody's way", f"{home.name_of(row)} {home.ids[row]}"
        )
    start = plan.cell(*state.centre[home.persons[0], :2].tolist())
    fixed = never_moves(home, state)  # the plan's rows may be those of another home with the same furniture
    for row in fixed[~np.isfinite(plan.distance[:, start])].tolist():
        report.note("no way leads from the first person to", f"{home.name_of(row)} {home.ids[row]}")
