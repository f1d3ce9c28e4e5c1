"""What is so already, as far as middles and sizes tell."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations

from benchmarks.oracle.meaning import Meaning
from benchmarks.oracle.scene import FLOOR, Body, Scene
from benchmarks.oracle.wishes import Wish, at_any

IN_A_CORNER = 1.3  # metres from one
INSIDE = 0.3  # metres from the edges of a room
BROUGHT = 1.5  # metres
OFF_LINE, APART = 0.15, 1.25  # metres
ROUND = 0.25  # share by which distances from the middle of a circle differ
SLIM = math.radians(35.0)
WIDE = 2.3  # metres across
LEVEL = 0.08  # between the undersides of what is arranged


def is_done(wish: Wish, meaning: Meaning) -> bool:
    """Return True if the house is as an instruction wants it."""
    targets, scene = sorted(wish.targets.sure), meaning.scene
    if wish.family == "place" and wish.detail != "away":
        return _enough(wish, lambda i: is_at(meaning, scene.bodies[i], wish.detail, targets))
    if wish.family == "remove":
        at = at_any(meaning, wish.targets.sure)
        return _enough(wish, lambda i: i not in at)
    if wish.family == "bring":
        here = scene.setter
        return _enough(wish, lambda i: _apart(scene.bodies[i], here) <= BROUGHT and scene.bodies[i].room == here.room)
    if wish.family in ("lift", "hand"):
        return _enough(wish, lambda i: i in scene.held)
    if wish.family == "be":
        return is_at(meaning, scene.solver, wish.detail, targets)
    if wish.family == "arrange":
        return _is_arranged(wish, [scene.bodies[i] for i in sorted(wish.things.sure)])
    return wish.family == "build" and _is_built(wish, meaning)


def is_at(meaning: Meaning, body: Body, detail: str, targets: Sequence[str]) -> bool:
    """Return True if something surely is in a relation, in a corner or in a room."""
    if detail == "corner":
        room = meaning.scene.rooms[targets[0]]
        corners = ((x, y) for x in (room.x0, room.x1) for y in (room.y0, room.y1))
        return body.room == room.id and any(math.dist(c, (body.x, body.y)) <= IN_A_CORNER for c in corners)
    if targets[0] in meaning.scene.rooms:
        room = meaning.scene.rooms[targets[0]]
        deep = min(body.x - room.x0, room.x1 - body.x, body.y - room.y0, room.y1 - body.y)
        return body.room == room.id and deep >= (INSIDE if body.sort == "player" else 0.0)
    if detail == "between":
        return meaning.holds(detail, body, tuple(targets)) is True
    return any(meaning.holds(detail, body, (target,)) is True for target in targets)


def _enough(wish: Wish, holds: Callable[[str], bool]) -> bool:
    return sum(map(holds, wish.things.sure)) >= wish.things.number


def _apart(a: Body, b: Body) -> float:
    return math.hypot(a.x - b.x, a.y - b.y)


# -- shapes -----------------------------------------------------------------------------------------------------------


def _is_arranged(wish: Wish, things: Sequence[Body]) -> bool:
    forms = {
        "row": _is_row,
        "row by size": _is_sorted,
        "triangle": _is_triangle,
        "square": _is_ring,
        "circle": _is_ring,
    }
    form = forms[wish.detail]
    return any(
        max(t.low for t in chosen) - min(t.low for t in chosen) <= LEVEL and form(chosen)
        for chosen in combinations(things, wish.things.number)
    )


def _is_row(things: Sequence[Body]) -> bool:
    a, b = max(combinations(things, 2), key=lambda pair: _apart(*pair))
    length = max(_apart(a, b), 1e-9)
    along = sorted(((t.x - a.x) * (b.x - a.x) + (t.y - a.y) * (b.y - a.y)) / length for t in things)
    off = max(abs((t.x - a.x) * (b.y - a.y) - (t.y - a.y) * (b.x - a.x)) / length for t in things)
    gaps = [y - x for x, y in zip(along, along[1:], strict=False)]
    return off <= OFF_LINE and 0.05 <= min(gaps) and max(gaps) <= APART


def _is_sorted(things: Sequence[Body]) -> bool:
    """A row in which sizes only rise or only fall."""
    a, b = max(combinations(things, 2), key=lambda pair: _apart(*pair))
    row = sorted(things, key=lambda t: (t.x - a.x) * (b.x - a.x) + (t.y - a.y) * (b.y - a.y))
    sizes = [t.volume for t in row]
    return _is_row(things) and sizes in (sorted(sizes), sorted(sizes, reverse=True))


def _is_triangle(things: Sequence[Body]) -> bool:
    if len(things) != 3:
        return False
    a, b, c = sorted(_apart(*pair) for pair in combinations(things, 2))
    if c > WIDE or a < 1e-6:
        return False
    least = math.acos(max(-1.0, min(1.0, (b * b + c * c - a * a) / (2 * b * c))))
    return least >= SLIM


def _is_ring(things: Sequence[Body]) -> bool:
    """A circle, or a square: of one distance from their middle, in directions that are evenly apart."""
    n = len(things)
    x, y = sum(t.x for t in things) / n, sum(t.y for t in things) / n
    far = [math.hypot(t.x - x, t.y - y) for t in things]
    ways = sorted(math.atan2(t.y - y, t.x - x) for t in things)
    gaps = [b - a for a, b in zip(ways, [*ways[1:], ways[0] + 2 * math.pi], strict=True)]
    mean = sum(far) / n
    even = max(abs(f - mean) for f in far) <= ROUND * mean and max(gaps) <= 1.3 * 2 * math.pi / n
    return even and 2 * max(far) <= WIDE and n >= 4


def _is_built(wish: Wish, meaning: Meaning) -> bool:
    """A tower of so many of the things, each on the one below."""
    scene = meaning.scene
    for top in wish.things.sure:
        tower = [top]
        while (below := _below(scene, tower[-1])) in wish.things.sure and below not in tower:
            tower.append(below)
        values = [scene.bodies[i].colour if wish.detail == "colour" else scene.bodies[i].kind for i in tower]
        if len(tower) >= wish.things.number and (not wish.detail or len(set(values)) == len(values)):
            return True
    return False


def _below(scene: Scene, thing: str) -> str:
    """Id of what a thing stands on top of; what it lies in is not below it."""
    below = scene.rests.get(thing, FLOOR)
    return FLOOR if below in scene.within[thing] else below
