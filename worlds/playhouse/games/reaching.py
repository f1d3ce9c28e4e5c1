"""Where to stand to touch and push things with what is in hand, and to push it under furniture."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from worlds.playhouse.games.places import is_free, is_near_any
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.games.stands import stand_for, stands_for
from worlds.playhouse.house.catalogue import Surface
from worlds.playhouse.house.record import Furniture
from worlds.playhouse.navigation.floor_plan import NO_DISCS
from worlds.playhouse.physics.avatar import HOLD_CLEARANCE, HOLD_GAP
from worlds.playhouse.requests.ground_truth import distance, half_width

LEGS = 0.05  # metres between the edges of what is free under furniture and its legs
INSET = 0.22  # metres by which a thing is pushed beyond the edge of what is free under furniture
ARM_UNDER = 0.62  # metres, the least that reaches there
BEFORE_FURNITURE = 0.15  # metres between a thing that is lowered before furniture and it
BEFORE_PUSHING = 0.1  # metres between the thing in hand and what is to be pushed, at first
BEYOND = 0.5  # metres of free floor beyond what is to be pushed
BEFORE_PIECE = 0.4  # metres more than the least before furniture that is to be touched
BY_FURNITURE = 0.35  # metres from furniture to which the way to it must be free


def place_to_touch_from(situation: Situation, thing: str, target: str) -> np.ndarray | None:
    """Return where the solver can stand to touch one loose thing with another: float64 [2]; None if nowhere."""
    return stand_for(situation, *_touching(situation, thing, target))


def places_to_touch_from(situation: Situation, thing: str, target: str) -> list[np.ndarray]:
    """Return all cells of the floor plan from which one loose thing can be touched with another: float64 [2] each.

    What is in hand is lowered before the target, where no furniture may be, and moved ahead from there.
    """
    record, at = situation.house.objects_by_id[thing], situation.positions[target]
    arm = HOLD_CLEARANCE + record.radius + HOLD_GAP
    low = max(float(at[2]), record.height / 2) - record.height / 2
    blocks = [f for f in situation.house.obstacles if f.spec.height > low]
    core = half_width(situation.house, thing)
    found = []
    for spot in stands_for(situation, *_touching(situation, thing, target)):
        before = spot + arm * (at[:2] - spot) / max(distance(at, spot), 1e-6)
        if all(piece.gap_to(*before) > core for piece in blocks):
            found.append(spot)
    return found


def places_to_touch_piece_from(situation: Situation, thing: str, piece: Furniture) -> list[np.ndarray]:
    """Return all cells of the floor plan from which a piece of furniture can be touched with a loose thing."""
    least = HOLD_CLEARANCE + 2 * situation.house.objects_by_id[thing].radius + HOLD_GAP
    discs, found = situation.discs(thing), []
    for spot in situation.plan.free_spots():
        gap = piece.gap_to(*spot)
        if least <= gap <= least + BEFORE_PIECE and situation.room_at(spot) == piece.room:
            edge = nearest_edge(piece, spot)
            if situation.plan.straight(spot, edge + BY_FURNITURE / gap * (spot - edge), discs):
                found.append(spot)
    return found


def nearest_edge(piece: Furniture, here: np.ndarray) -> np.ndarray:
    """Return the point of the footprint of a piece of furniture that is nearest to a point [2+]: float64 [2]."""
    (hx, hy), x, y = piece.half, float(here[0]), float(here[1])
    return np.array([min(max(x, piece.x - hx), piece.x + hx), min(max(y, piece.y - hy), piece.y + hy)])


def _touching(situation: Situation, thing: str, target: str) -> tuple[np.ndarray, float, np.ndarray]:
    things = situation.house.objects_by_id
    least = HOLD_CLEARANCE + 2 * things[thing].radius + HOLD_GAP + things[target].radius
    return situation.positions[target], least, situation.discs(thing, target)


Way = tuple[np.ndarray, np.ndarray]  # where to stand, float64 [2], and where to put a thing, float64 [3]


def under_furniture(
    situation: Situation, thing: str, piece: Furniture, avoid: Sequence[np.ndarray] = (), surely: bool = False
) -> Way | None:
    """Return where to stand and where to put a thing under a piece of furniture; None if nowhere.

    The solver stands before one of its sides and pushes the thing in along the floor.

    Args:
      surely: whether only ways will do on which what is lowered before the piece, and pushed in, meets nothing.
    """
    below = piece.spec.under
    record = situation.house.objects_by_id[thing]
    if below is None or record.height > below.clearance - HOLD_GAP:
        return None
    ways = sorted(_ways_under(piece, below, record.radius), key=lambda w: distance(w[0], situation.solver.position))
    discs = situation.discs(thing)
    for stand, place in ways:
        free = situation.plan.straight(stand, stand, discs) and is_free(situation, thing, place)
        if not free or is_near_any(place, avoid) or (surely and not _is_open(situation, thing, piece, stand, place)):
            continue
        if situation.can_be_reached(*stand, within=0.1):
            return stand, place
    return None


def _is_open(situation: Situation, thing: str, piece: Furniture, stand: np.ndarray, place: np.ndarray) -> bool:
    """Return True if a thing can be lowered before a piece of furniture and pushed under it to a place."""
    below, record, core = piece.spec.under, situation.house.objects_by_id[thing], half_width(situation.house, thing)
    if below is None:
        return False
    way = (place[:2] - stand) / max(distance(place, stand), 1e-6)
    along_x = abs(way[0]) > abs(way[1])
    ux, uy = below.half if piece.quarter_turns % 2 == 0 else below.half[::-1]
    aside = abs(float(place[1]) - piece.y) if along_x else abs(float(place[0]) - piece.x)
    if aside + core > (uy if along_x else ux) - LEGS:
        return False
    lowered = stand + arm_under(record.radius) * way
    others = [other for other in situation.house.obstacles if other is not piece]
    clear = all(other.gap_to(*lowered) > core + HOLD_GAP for other in others)
    discs = situation.discs(thing)
    apart = np.hypot(*(discs[:, :2] - lowered).T) - discs[:, 2] > core
    return clear and all(other.gap_to(*place[:2]) > core for other in others) and bool(apart.all())


def arm_under(radius: float) -> float:
    """How far before the body a thing of a radius (m) is held that is pushed under something (m)."""
    return max(HOLD_CLEARANCE + radius + HOLD_GAP, ARM_UNDER)


def _ways_under(piece: Furniture, below: Surface, radius: float) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield a place to stand before each side of a piece, and the place under it straight ahead, for a few columns."""
    (hx, hy), (ux, uy) = piece.spec.half, below.half
    inset = INSET
    for share in (0.0, -0.4, 0.4):
        for x, y, out_x, out_y in (
            (share * ux, uy - inset, 0.0, 1.0),
            (share * ux, -uy + inset, 0.0, -1.0),
            (ux - inset, share * uy, 1.0, 0.0),
            (-ux + inset, share * uy, -1.0, 0.0),
        ):
            edge = hy if out_y else hx
            away = edge + arm_under(radius) + radius + BEFORE_FURNITURE
            stand = (x if out_y else out_x * away, out_y * away if out_y else y)
            at = piece.to_house(below.at[0] + x, below.at[1] + y)
            yield np.array(piece.to_house(*stand)), np.array([*at, 0.0])


def arm_to_push(radius: float) -> float:
    """How far before the body a thing of a radius (m) is held that others are pushed with (m)."""
    return HOLD_CLEARANCE + radius + HOLD_GAP + 0.03


def place_to_push_from(situation: Situation, thing: str, target: str, around_things: bool = True) -> np.ndarray | None:
    """Return the first of :func:`places_to_push_from`; None if there is none."""
    return next(places_to_push_from(situation, thing, target, around_things), None)


def places_to_push_from(
    situation: Situation,
    thing: str,
    target: str,
    around_things: bool = True,
    turn: float = math.radians(15.0),
    beyond: float = BEYOND,
) -> Iterator[np.ndarray]:
    """Yield where to stand to push one loose thing with another, straight ahead over free floor.

    Args:
      thing: id of what it is pushed with.
      target: id of what is pushed.
      around_things: whether other loose things must be out of the way.
      turn: radians between the directions that are looked at.
      beyond: metres of free floor beyond what is pushed.

    Yields:
      float64 [2], the nearest in direction to the solver first.
    """
    things, here, middle = situation.house.objects_by_id, situation.solver.position, situation.positions[target]
    radius, discs = things[target].radius, situation.discs(thing, target) if around_things else NO_DISCS
    far = arm_to_push(things[thing].radius) + things[thing].radius + radius + BEFORE_PUSHING
    first = math.atan2(here[1] - middle[1], here[0] - middle[0])
    for i in range(round(2 * math.pi / turn)):
        angle = first + turn * ((i + 1) // 2) * (-1) ** i
        way = np.array([math.cos(angle), math.sin(angle)])
        stand, goal = middle[:2] + far * way, middle[:2] - (beyond + radius) * way
        if situation.plan.straight(stand, goal, discs) and situation.can_be_reached(*stand, within=0.1):
            yield stand
