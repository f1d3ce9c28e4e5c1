"""Relations between the things of a house: where one is, seen from another.

People draw no sharp lines, so every relation is true in two degrees. *Clear* truth is what is said: nobody would
contradict it. *Possible* truth is what is accepted from others, and whatever is not even possible is false. Between the
two nothing is said and everything is accepted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from worlds.playhouse.house.record import FLOOR
from worlds.playhouse.requests.facts import PLAYERS, Entity, Facts


@dataclass(frozen=True)
class Degrees:
    """Where a relation begins to be clear and to be possible: metres, radians or shares."""

    clear: float
    possible: float


NEXT_TO = Degrees(0.5, 0.8)  # metres at most between two things, footprint to footprint
NEAR = Degrees(1.0, 1.7)
FAR = Degrees(2.5, 1.8)  # metres at least
LEVEL = Degrees(0.35, 0.8)  # metres by which the undersides of things next to each other differ at most
SIDEWAYS = Degrees(math.radians(35.0), math.radians(65.0))  # at most, from the direction that a side word names
BESIDE = Degrees(2.0, 4.0)  # metres at most to what is left of, right of, in front of or behind something
BETWEEN = Degrees(0.3, 0.8)  # metres at most from the line between two things
ALONG = Degrees(0.2, 0.05)  # share at least of that line before and after what is between
LINE = 0.4  # metres at least between two things that something is between
WINDOW_DEPTH = Degrees(0.6, 1.2)  # metres at most from the wall to what is under a window
OVERLAP = Degrees(0.0, 0.15)  # metres by which a middle may lie outside the footprint it is above or under
LARGER = Degrees(1.3, 1.1)  # times as large at least, of what is larger
SAME_SIZE = Degrees(1.1, 1.3)  # times as large at most, of things of one size

LEFT, RIGHT, FRONT, BACK = math.pi / 2, -math.pi / 2, math.pi, 0.0  # as seen by one who looks at the anchor


def holds(relation: str, a: Entity, anchors: tuple[Entity, ...], facts: Facts, clearly: bool) -> bool:
    """Return True if ``a`` is in ``relation`` to ``anchors``.

    Args:
      relation: a key of :data:`RELATIONS`.
      anchors: two for "between", else one.
      clearly: whether nobody would contradict it, rather than some would accept it.
    """
    if any(anchor.id == a.id for anchor in anchors):
        return False
    return _TRUTH[relation](a, anchors, facts, clearly)


def gap(a: Entity, b: Entity) -> float:
    """Horizontal distance (m) between two footprints; negative where discs overlap."""
    (ax, ay), (bx, by) = a.middle, b.middle
    (aw, ad), (bw, bd) = a.half, b.half
    return math.hypot(max(abs(ax - bx) - aw - bw, 0.0), max(abs(ay - by) - ad - bd, 0.0)) - a.disc - b.disc


def volume(entity: Entity) -> float:
    """Of its upright box (m3), by which things are called larger and smaller."""
    if entity.box is not None:
        return entity.box[0] * entity.box[1] * entity.height
    if entity.disc:
        return math.pi * entity.disc**2 * entity.height
    return 4 * entity.half[0] * entity.half[1] * entity.height


def holders(entity: Entity, facts: Facts) -> Iterator[str]:
    """Everything that bears it, directly first."""
    at, seen = entity.holder, set()
    while at is not None and at not in seen:
        seen.add(at)
        yield at
        at = facts.by_id[at].holder if at in facts.by_id else None


def _on(a: Entity, anchors: tuple[Entity, ...], facts: Facts, clearly: bool) -> bool:
    (b,) = anchors
    if clearly or b.id == FLOOR:
        return a.holder == b.id and not a.inside
    return b.id in holders(a, facts)


def _in(a: Entity, anchors: tuple[Entity, ...], facts: Facts, clearly: bool) -> bool:
    (b,) = anchors
    if b.what == "room":
        return a.room == b.id
    if clearly:
        return a.holder == b.id and a.inside
    return b.what != "floor" and b.id in holders(a, facts)


def _under(a: Entity, anchors: tuple[Entity, ...], facts: Facts, clearly: bool) -> bool:
    (b,) = anchors
    if b.kind == "window":
        return _under_window(a, b, facts, clearly)
    if (b.what == "furniture" and a.what == "furniture") or b.id in holders(a, facts):
        return False
    lower = a.low[2] < b.low[2] - 0.02 if b.what == "object" else b.id != a.holder and a.high[2] < b.high[2]
    borne = a.id in holders(b, facts)
    return (borne or lower) and _covers(b, a, clearly) and b.what in ("furniture", "object")


def _under_window(a: Entity, window: Entity, facts: Facts, clearly: bool) -> bool:
    limit = WINDOW_DEPTH.clear if clearly else WINDOW_DEPTH.possible
    (wx, wy), (ax, ay) = window.half, a.middle
    along_x = wx >= wy
    off = abs(ax - window.middle[0]) - wx if along_x else abs(ay - window.middle[1]) - wy
    return a.room == window.room and a.low[2] < window.low[2] and off <= 0.0 and gap(a, window) <= limit


def _above(a: Entity, anchors: tuple[Entity, ...], facts: Facts, clearly: bool) -> bool:
    (b,) = anchors
    if b.what not in ("furniture", "object") or (a.what == "furniture" and b.what == "furniture"):
        return False
    borne = a.holder == b.id and not a.inside if clearly else b.id in holders(a, facts)
    return borne or (a.low[2] >= b.high[2] - 0.05 and _covers(b, a, clearly))


def _covers(b: Entity, a: Entity, clearly: bool) -> bool:
    """Return True if the middle of ``a`` lies within the footprint of ``b``."""
    slack = OVERLAP.clear if clearly else OVERLAP.possible
    (ax, ay), (bx, by), (hx, hy) = a.middle, b.middle, b.half
    if b.disc:
        return math.hypot(ax - bx, ay - by) <= (0.7 * b.disc if clearly else b.disc + slack)
    return abs(ax - bx) <= hx + slack and abs(ay - by) <= hy + slack


def _next_to(a: Entity, anchors: tuple[Entity, ...], facts: Facts, clearly: bool) -> bool:
    (b,) = anchors
    limit, level = (NEXT_TO.clear, LEVEL.clear) if clearly else (NEXT_TO.possible, LEVEL.possible)
    if not _comparable(a, b, facts) or gap(a, b) > limit or (clearly and _is_over_or_under(a, b)):
        return False
    return b.what != "object" or a.what != "object" or abs(a.low[2] - b.low[2]) <= level


def _near(a: Entity, anchors: tuple[Entity, ...], facts: Facts, clearly: bool) -> bool:
    (b,) = anchors
    if not _comparable(a, b, facts):
        return not clearly and a.room == b.room  # what lies on the bed is near the bed, though nobody says so
    return gap(a, b) <= (NEAR.clear if clearly else NEAR.possible)


def _far_from(a: Entity, anchors: tuple[Entity, ...], facts: Facts, clearly: bool) -> bool:
    (b,) = anchors
    if a.room is None or b.what == "room":
        return False
    return gap(a, b) >= (FAR.clear if clearly else FAR.possible)


def _comparable(a: Entity, b: Entity, facts: Facts) -> bool:
    """Return True if one thing can be beside the other: in one room, and neither bears the other."""
    if a.room is None or a.room != b.room or b.what in ("room", "floor"):
        return False
    return b.id not in holders(a, facts) and a.id not in holders(b, facts)


def _is_over_or_under(a: Entity, b: Entity) -> bool:
    """Return True if one lies below the other, or on it as on a rug: nobody says that it is beside it."""
    return any(piece.what == "furniture" and _covers(piece, other, clearly=False) for piece, other in ((a, b), (b, a)))


def _side(angle: float) -> Callable[[Entity, tuple[Entity, ...], Facts, bool], bool]:
    """Being to one side of something, as those see it who look at it."""

    def truth(a: Entity, anchors: tuple[Entity, ...], facts: Facts, clearly: bool) -> bool:
        (b,) = anchors
        limit, width = (BESIDE.clear, SIDEWAYS.clear) if clearly else (BESIDE.possible, SIDEWAYS.possible)
        if not _comparable(a, b, facts) or gap(a, b) > limit or (clearly and _is_over_or_under(a, b)):
            return False
        looks = list(_looks_at(b, facts))
        if not looks:
            return False
        (ax, ay), (bx, by) = a.middle, b.middle
        there = math.atan2(ay - by, ax - bx)
        errors = [abs(_wrapped(there - look - angle)) for look in looks]
        if b.front is not None and clearly:
            errors = errors[:1]
        return all(e <= width for e in errors) if clearly else any(e <= width for e in errors)

    return truth


def _looks_at(b: Entity, facts: Facts) -> Iterator[float]:
    """Directions (rad) in which people look at an anchor when they say on which side of it something is.

    What has a front is looked at from the front; of a player, the front is where it looks, and its left is its own.
    All else is looked at from where the players in its room are, the speaker first.
    """
    if b.what == "player":
        yield _wrapped(facts.gaze[PLAYERS.index(b.id)])
        return
    if b.front is not None:
        yield _wrapped(b.front + math.pi)
    for name in (facts.speaker, facts.hearer):
        player = facts.by_id[name]
        if player.room == b.room:
            yield math.atan2(b.middle[1] - player.middle[1], b.middle[0] - player.middle[0])


def _ahead(front: bool) -> Callable[[Entity, tuple[Entity, ...], Facts, bool], bool]:
    """In front of a player is where it looks; in front of anything else is the side that is looked at."""
    seen, own = (_side(FRONT), _side(BACK)) if front else (_side(BACK), _side(FRONT))

    def truth(a: Entity, anchors: tuple[Entity, ...], facts: Facts, clearly: bool) -> bool:
        return (own if anchors[0].what == "player" else seen)(a, anchors, facts, clearly)

    return truth


def _between(a: Entity, anchors: tuple[Entity, ...], facts: Facts, clearly: bool) -> bool:
    b, c = anchors
    if not (_comparable(a, b, facts) and _comparable(a, c, facts)) or b.id == c.id:
        return False
    aside, share = (BETWEEN.clear, ALONG.clear) if clearly else (BETWEEN.possible, ALONG.possible)
    (ax, ay), (bx, by), (cx, cy) = a.middle, b.middle, c.middle
    length = math.hypot(cx - bx, cy - by)
    if length < LINE:
        return False
    along = ((ax - bx) * (cx - bx) + (ay - by) * (cy - by)) / length**2
    off = abs((ax - bx) * (cy - by) - (ay - by) * (cx - bx)) / length
    return share <= along <= 1.0 - share and off <= aside


def _wrapped(angle: float) -> float:
    return (angle + math.pi) % (2 * math.pi) - math.pi


_TRUTH: Mapping[str, Callable[[Entity, tuple[Entity, ...], Facts, bool], bool]] = {
    "on": _on,
    "in": _in,
    "under": _under,
    "above": _above,
    "next to": _next_to,
    "near": _near,
    "far from": _far_from,
    "left of": _side(LEFT),
    "right of": _side(RIGHT),
    "in front of": _ahead(front=True),
    "behind": _ahead(front=False),
    "between": _between,
}
RELATIONS = tuple(_TRUTH)
