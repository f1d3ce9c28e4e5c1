"""What phrases are true of in a scene: surely, perhaps, or not.

Relations have one limit each, with a narrow band around it in which the oracle does not want to decide.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from itertools import product

from benchmarks.oracle.phrases import Phrase, Place
from benchmarks.oracle.scene import FLOOR, Body, Scene

Truth = bool | None  # None: perhaps
NEXT_TO, NEAR, FAR = 0.8, 1.5, 2.3
LEVEL = 0.55  # between undersides of things next to each other
SIDE, SIDE_REACH = math.radians(50.0), 3.0
BETWEEN = 0.55  # from the line between two things
UNDER_WINDOW = 0.9
BAND = 0.08  # share of a limit within which it is perhaps so
CLOSE = 1.15  # times as large, or as near, of what is perhaps the largest or nearest


def within(value: float, limit: float) -> Truth:
    """Return whether a value is at most a limit; None close to it."""
    return None if abs(value - limit) < BAND * limit else value < limit


def both(*truths: Truth) -> Truth:
    """Return whether all are true."""
    if False in truths:
        return False
    return None if None in truths else True


def either(truths: Iterable[Truth]) -> Truth:
    """Return whether any is true."""
    found = list(truths)
    if True in found:
        return True
    return None if None in found else False


def opposite(truth: Truth) -> Truth:
    """Return whether it is not so."""
    return None if truth is None else not truth


class Meaning:
    """What phrases and places are true of."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._found: dict[Phrase, dict[str, Truth]] = {}
        self._gaps: dict[tuple[str, str], float] = {}

    def of(self, phrase: Phrase) -> dict[str, Truth]:
        """What a phrase is true of, or perhaps: True or None by id. Number and quantifier are left aside."""
        if phrase not in self._found:
            self._found[phrase] = self._of(phrase)
        return self._found[phrase]

    def surely(self, phrase: Phrase) -> set[str]:
        """Ids of what a phrase is surely true of."""
        return {i for i, truth in self.of(phrase).items() if truth}

    def is_good(self, phrase: Phrase) -> bool:
        """Return True if a phrase can be said: a definite one is true of just one thing, and so are its anchors."""
        if not all(self.is_good(anchor) for place in phrase.places for anchor in place.anchors):
            return False
        if phrase.noun.sort in ("player", "here", "this room", "floor"):
            return True
        found = self.surely(phrase)
        if phrase.plural:
            return len(found) >= max(phrase.number, 1)
        return len(found) == 1 if phrase.quantifier == "the" and not phrase.number else bool(found)

    def _of(self, phrase: Phrase) -> dict[str, Truth]:
        sort, of = phrase.noun.sort, phrase.noun.of
        if sort == "player":
            return dict.fromkeys(of, True)
        if sort == "floor":
            return {FLOOR: True}
        if sort in ("here", "this room"):
            return {self.scene.setter.room or "": True}
        if sort == "room":
            rooms = [r for r in self.scene.house.rooms if r.type in of and phrase.colour in ("", r.walls)]
            return {room.id: True for room in rooms}
        found = {}
        for body in self.scene.bodies.values():
            if self._has(phrase, body):
                truth = both(True, *(self.is_at(body, place) for place in phrase.places))
                if truth is not False:
                    found[body.id] = truth
        return self._most(phrase, found) if phrase.most else found

    @staticmethod
    def _has(phrase: Phrase, body: Body) -> bool:
        if not any(_is_called(body, sort, of) for sort, of in phrase.noun.senses):
            return False
        if phrase.colour not in ("", body.colour) or phrase.size not in ("", body.size):
            return False
        return body.colour not in phrase.not_colours and (not phrase.shape or phrase.shape in body.shapes)

    def _most(self, phrase: Phrase, found: dict[str, Truth]) -> dict[str, Truth]:
        """Of what the rest is true of, the one that is most so; perhaps those that are nearly as much so."""
        measure = {i: self._measure(phrase, self.scene.bodies[i]) for i in found}
        best = max(measure.values(), default=0.0)
        close = [i for i in found if measure[i] * CLOSE >= best]
        return {i: found[i] if len(close) == 1 else None for i in close}

    def _measure(self, phrase: Phrase, body: Body) -> float:
        if phrase.most in ("nearest", "farthest"):
            anchors = [self.scene.setter]
            if phrase.most_from is not None:
                anchors = [self.scene.bodies[i] for i in self.of(phrase.most_from) if i in self.scene.bodies]
            apart = min((max(self.gap(body, a), 0.05) for a in anchors if a.id != body.id), default=0.05)
            return 1.0 / apart if phrase.most == "nearest" else apart
        if phrase.most == "tallest":
            return body.high - body.low
        return body.volume if phrase.most == "largest" else 1.0 / max(body.volume, 1e-6)

    # -- places -------------------------------------------------------------------------------------------------------

    def is_at(self, body: Body, place: Place) -> Truth:
        """Return whether something is at a place."""
        found = [self.of(anchor) for anchor in place.anchors]
        truths = (
            both(self.holds(place.relation, body, chosen), *(f[i] for f, i in zip(found, chosen, strict=True)))
            for chosen in product(*found)
        )
        truth = either(truths)
        return opposite(truth) if place.negated else truth

    def holds(self, relation: str, body: Body, anchors: tuple[str, ...]) -> Truth:
        """Return whether something is in a relation to things of these ids."""
        if body.id in anchors:
            return False
        if anchors[0] in self.scene.rooms:
            return relation == "in" and body.room == anchors[0]
        if anchors[0] == FLOOR:
            return relation == "on" and self._rests(body) == FLOOR
        if relation == "between":
            return self._between(body, *(self.scene.bodies[a] for a in anchors))
        return _TRUTH[relation](self, body, self.scene.bodies[anchors[0]])

    def _rests(self, body: Body) -> str:
        if not self._is_here(body):
            return FLOOR
        return self.scene.rests.get(body.id, FLOOR if body.low == 0.0 else "")

    def gap(self, a: Body, b: Body) -> float:
        """Distance between two footprints."""
        key = (a.id, b.id)
        if not (self._is_here(a) and self._is_here(b)):
            return a.gap(b)
        if key not in self._gaps:
            self._gaps[key] = self._gaps[b.id, a.id] = a.gap(b)
        return self._gaps[key]

    def _is_here(self, body: Body) -> bool:
        """Return True unless it is a body as it would be elsewhere, on the floor."""
        return self.scene.bodies[body.id] is body

    def _holders(self, body: Body) -> set[str]:
        """Everything that something rests on or lies in."""
        return self.scene.bearers(body.id) if body.sort == "object" and self._is_here(body) else set()

    def _bears(self, a: Body, b: Body) -> bool:
        """Return True if one of two is on or in the other."""
        return b.id in self._holders(a) or a.id in self._holders(b)

    def _on(self, a: Body, b: Body) -> Truth:
        if a.sort != "object" or not self._is_here(a):
            return False
        if self._rests(a) == b.id and b.id not in self.scene.within[a.id]:
            return True
        return None if b.id in self.scene.bearers(a.id) else False

    def _in(self, a: Body, b: Body) -> Truth:
        if a.sort != "object" or not self._is_here(a):
            return False
        if b.id in self.scene.within[a.id]:
            return True
        return None if b.id in self.scene.bearers(a.id) else False

    def _under(self, a: Body, b: Body) -> Truth:
        if b.kind == "window":
            along_x = b.half[0] > b.half[1]
            beside = abs(a.x - b.x) - b.half[0] if along_x else abs(a.y - b.y) - b.half[1]
            if a.room != b.room or a.low >= b.low or beside > 0.1:
                return False
            return both(within(self.gap(a, b), UNDER_WINDOW), None if beside > -0.05 else True)
        if b.sort not in ("object", "furniture") or a.sort == "furniture" == b.sort or b.id in self._holders(a):
            return False
        lower = a.low < b.low - 0.02 if b.sort == "object" else a.high < b.high
        if not b.covers(a.x, a.y, 0.12) or not lower:
            return False
        return True if b.covers(a.x, a.y, -0.02) else None

    def _above(self, a: Body, b: Body) -> Truth:
        if self._on(a, b):
            return True
        if b.id in self._holders(a):
            return None
        if b.sort not in ("object", "furniture") or not b.covers(a.x, a.y, 0.1):
            return False
        return a.low >= b.high - 0.05 and (True if b.covers(a.x, a.y, -0.02) else None)

    def _next_to(self, a: Body, b: Body) -> Truth:
        if a.room != b.room or self._bears(a, b) or b.covers(a.x, a.y) and b.sort == "furniture":
            return False  # what lies on a rug or under a table is not beside it
        level = within(abs(a.low - b.low), LEVEL) if (a.sort, b.sort) == ("object", "object") else True
        return both(within(self.gap(a, b), NEXT_TO), level)

    def _near(self, a: Body, b: Body) -> Truth:
        if a.room != b.room:
            return False
        return None if self._bears(a, b) else within(self.gap(a, b), NEAR)

    def _far(self, a: Body, b: Body) -> Truth:
        return False if a.room is None else opposite(within(self.gap(a, b), FAR))

    def _side(self, a: Body, b: Body, turned: float) -> Truth:
        """Whether ``a`` is on the side of ``b`` that is ``turned`` from ahead, as seen by one who looks at it."""
        if a.room != b.room or self._bears(a, b):
            return False
        ahead = self._ahead(b)
        if ahead is None:
            return False
        off = math.atan2(a.y - b.y, a.x - b.x) - ahead - turned
        off = abs((off + math.pi) % (2 * math.pi) - math.pi)
        return both(within(off, SIDE), within(self.gap(a, b), SIDE_REACH))

    def _ahead(self, b: Body) -> float | None:
        """Direction from the one who looks at something, from before its front if it has one; a player's own."""
        if b.sort == "player":
            return b.front
        if b.front is not None:
            return b.front + math.pi
        viewer = next((p for p in (self.scene.setter, self.scene.solver) if p.room == b.room), None)
        return None if viewer is None else math.atan2(b.y - viewer.y, b.x - viewer.x)

    def _front(self, a: Body, b: Body) -> Truth:
        return self._side(a, b, 0.0 if b.sort == "player" else math.pi)

    def _behind(self, a: Body, b: Body) -> Truth:
        return self._side(a, b, math.pi if b.sort == "player" else 0.0)

    def _between(self, a: Body, b: Body, c: Body) -> Truth:
        length = math.hypot(c.x - b.x, c.y - b.y)
        if a.room != b.room or a.room != c.room or self._bears(a, b) or self._bears(a, c) or length < 0.3:
            return False
        along = ((a.x - b.x) * (c.x - b.x) + (a.y - b.y) * (c.y - b.y)) / length**2
        aside = abs((a.x - b.x) * (c.y - b.y) - (a.y - b.y) * (c.x - b.x)) / length
        return both(within(aside, BETWEEN), within(abs(along - 0.5), 0.375))


def _is_called(body: Body, sort: str, of: frozenset[str]) -> bool:
    """Return True if a sense of a noun fits something."""
    if sort == "kind":
        return body.sort in ("object", "furniture") and body.kind in of
    if sort == "categories":
        return of <= body.categories
    return body.sort == ("object" if sort == "thing" else sort) and (not of or body.kind in of)


_TRUTH: Mapping[str, Callable[[Meaning, Body, Body], Truth]] = {
    "on": Meaning._on,
    "in": Meaning._in,
    "under": Meaning._under,
    "above": Meaning._above,
    "next to": Meaning._next_to,
    "near": Meaning._near,
    "far": Meaning._far,
    "left": lambda self, a, b: self._side(a, b, math.pi / 2),
    "right": lambda self, a, b: self._side(a, b, -math.pi / 2),
    "front": Meaning._front,
    "behind": Meaning._behind,
}
