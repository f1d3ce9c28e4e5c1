"""What is said to hold each thing of a graph, and which of several holders is kept.

A thing has one parent in a home. VirtualHome's scenes often give it several, as it writes edges of all things whose
boxes overlap. Of these one is kept by the first of these rules that distinguishes them:

1. it can hold the thing: a hand, a surface for ON, a container for INSIDE, a seat for a person;
2. it is the innermost: no other of them is on or in it;
3. it is a hand before a seat, a seat before INSIDE, INSIDE before ON;
4. its box is nearer to the thing's;
5. its id is lower.

A room holds what nothing else does.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Set

from worlds.errors import UserError
from worlds.household.homes.graphs.nodes import Graph, Report
from worlds.household.state.home import ThingClass
from worlds.household.state.vocabulary import Held, Property

_HELD = {"ON": Held.ON, "INSIDE": Held.INSIDE, "HOLDS_RH": Held.RIGHT_HAND, "HOLDS_LH": Held.LEFT_HAND}
_NEEDS = {Held.ON: Property.SURFACES, Held.INSIDE: Property.CONTAINERS, Held.SITS: Property.SITTABLE}
_ABLE, _INNERMOST = "that can hold them", "that is innermost"
_WHY = "whose relation comes first: a hand, a seat, INSIDE, ON", "whose box is nearest", "of the lowest id"
_ORDER = (Held.RIGHT_HAND, Held.LEFT_HAND, Held.SITS, Held.INSIDE, Held.ON)


class Holders:
    """Holders of each thing."""

    def __init__(self, graph: Graph, rooms: Set[int], class_of: Mapping[str, ThingClass]) -> None:
        self._graph, self._rooms, self._class_of = graph, rooms, class_of
        self._of: dict[int, dict[int, Held]] = {number: {} for number in graph.nodes}

    def say(self, number: int, holder: int, held: Held) -> None:
        """Add a holder; of what is ON and INSIDE the same thing, what the thing can hold counts."""
        before = self._of[number].get(holder, held)
        self._of[number][holder] = min(before, held, key=lambda each: (not self._can(holder, each), _ORDER.index(each)))

    def forget(self, number: int, holder: int) -> None:
        """Take a holder of a thing away."""
        del self._of[number][holder]

    def best(self, number: int, report: Report) -> tuple[int | None, Held]:
        """Return the holder that is kept, and how it holds the thing; None if there is none."""
        said = self._of[number]
        node, rooms = self._graph.nodes[number], said.keys() & self._rooms
        things = said.keys() - rooms
        if not said:
            return None, Held.NOWHERE
        above = {holder: self._above(holder) for holder in said}
        able = {holder for holder in things if self._can(holder, said[holder])} or things or rooms
        # What lie on or in each other in a circle are all as far in.
        inner = {one for one in able if not any(one in above[other] for other in able - {one})} or able
        kept = min(inner, key=lambda holder: self._rank(number, holder))
        for other in sorted(things - {kept} - above[kept]):
            ranks = zip(self._rank(number, kept), self._rank(number, other), _WHY, strict=True)
            why = next(reason for mine, its, reason in ranks if mine < its) if other in inner else _INNERMOST
            why = why if other in able else _ABLE
            about = f"{node} with {self._graph.nodes[kept]}, not {self._graph.nodes[other]}"
            report.note(f"things on or in several others stay with the one {why}", about)
        if things and not rooms <= above[kept]:
            report.note("things INSIDE another room than what they are on or in are where that is", str(node))
        held = said[kept]
        if held == Held.INSIDE and not self._can(kept, held) and self._can(kept, Held.ON):
            report.note(
                "things INSIDE a surface that is no container lie on it", f"{node} on {self._graph.nodes[kept]}"
            )
            held = Held.ON
        return kept, held

    def area(self, number: int) -> float:
        """Return the floor that a thing covers, square metres."""
        node = self._graph.nodes[number]
        size = node.box.size if node.box else self._class_of[node.name].size
        return size[0] * size[1]

    def _can(self, holder: int, held: Held) -> bool:
        return _NEEDS.get(held, Property(0)) in self._class_of[self._graph.nodes[holder].name].properties

    def _rank(self, number: int, holder: int) -> tuple[int, float, int]:
        return _ORDER.index(self._of[number][holder]), self._apart(number, holder), holder

    def _apart(self, one: int, other: int) -> float:
        """Return the distance between two boxes, metres; 0 where one is unknown."""
        here, there = self._graph.nodes[one].box, self._graph.nodes[other].box
        if here is None or there is None:
            return 0.0
        return math.hypot(*(max(here.low(k) - there.high(k), there.low(k) - here.high(k), 0.0) for k in range(3)))

    def _above(self, number: int) -> set[int]:
        """Return all that is said to hold a thing, at any depth."""
        found: set[int] = set()
        todo = list(self._of[number])
        while todo:
            each = todo.pop()
            if each not in found:
                found.add(each)
                todo += self._of[each]
        return found


def holders(
    graph: Graph, rooms: Set[int], persons: Set[int], class_of: Mapping[str, ThingClass], report: Report
) -> Holders:
    """Return everything that is said to hold each thing, rooms included, and how."""
    found = Holders(graph, rooms, class_of)
    for relation, one, other in graph.edges:
        first, second = graph.nodes[one], graph.nodes[other]
        holds, sits = relation.startswith("HOLDS"), relation == "SITTING"
        if (holds or sits) and one not in persons:
            raise UserError(f"{relation} leads from {first} in the graph, which is no person")
        if holds:
            found.say(other, one, _HELD[relation])
        elif relation == "BETWEEN":
            continue
        elif one in rooms:
            report.note("edges by which rooms are on or in something are left out", str(first))
        elif one == other:
            report.note("edges by which things are on or in themselves are left out", str(first))
        elif other in persons:
            report.note("edges by which things are on or in a person are left out", f"{first} {relation} {second}")
        elif one in persons and other not in rooms:
            if Property.SITTABLE in class_of[second.name].properties:
                found.say(one, other, Held.SITS)
            else:
                report.note("persons on or in what is no seat stand in the room", f"{first} {relation} {second}")
        else:
            found.say(one, other, _HELD.get(relation, Held.SITS))
    return found


def circle(parent: Mapping[int, int]) -> list[int]:
    """Return the ids of things that lie in a circle, each on or in the next; an empty list if there is no circle."""
    passed: set[int] = set()
    for start in sorted(parent):
        way: list[int] = []
        at = start
        while at in parent and at not in passed:
            passed.add(at)
            way.append(at)
            at = parent[at]
        if at in way:
            return way[way.index(at) :]
    return []
