"""Places where things can be put, and where to stand for it: feasibility for those who ask, choice for those who do."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from worlds.playhouse.games.arrangements import ROW, layout
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.house.catalogue import Surface
from worlds.playhouse.house.record import WALL_THICKNESS, Furniture
from worlds.playhouse.navigation.floor_plan import NO_DISCS
from worlds.playhouse.physics.avatar import EYE_HEIGHT, HOLD_CLEARANCE, HOLD_FARTHEST, HOLD_GAP, HOLD_LIFT
from worlds.playhouse.requests.ground_truth import distance

OVER = 0.10  # metres over its place to which a thing is brought before it is lowered
ROOM_TO_STAND = 0.05  # metres more than the least between the body and what is put before it
ROOM_TO_PUT = 0.06  # metres between what is put on the floor and anything fixed
EDGE = 0.04  # metres between a thing on a surface and the surface's edge
APART = 0.05  # metres between a thing that is put somewhere and others
HIGHEST_SURFACE = 1.25  # metres
INSET = 0.22  # metres by which a thing is pushed beyond the edge of what is free under furniture
ARM_UNDER = 0.62  # metres, the least that reaches there
BEFORE_FURNITURE = 0.15  # metres between a thing that is lowered before furniture and it
BEFORE_PUSHING = 0.1  # metres between the thing in hand and what is to be pushed, at first
BEYOND = 0.5  # metres of free floor beyond what is to be pushed
BELOW_RIM, BESIDE_RIM = 0.03, 0.02  # metres between what is in a container and its rim
HIGHEST_RIM = 0.9  # metres
INTO = 0.1  # metres below the rim to which what is put into a loose container is lowered
DEEPEST = 0.4  # metres of a basin that are below its rim at most; a sink's tap is higher
APART_IN_ROW, LEAST_APART = 0.12, 0.4  # metres between things in an arrangement, and between their middles
TURNS = (0.0, math.pi / 2, math.pi / 4, -math.pi / 4)  # of rows
STANDS_TRIED = 6  # places to stand to which ways are looked for
PLACES_TRIED = 12  # places to put something for which places to stand are looked for


def place_to_put_from(
    situation: Situation, thing: str, place: np.ndarray, onto: str | None = None
) -> np.ndarray | None:
    """Return where the solver can stand to put something down; None if there is no such place, or no way to it.

    Args:
      situation: the house as it is.
      thing: id of what is to be put.
      place: x, y and the height of what it is to stand on: float64 [3].
      onto: id of the loose thing that is there, which is in nobody's way.

    Returns:
      float64 [2], the nearest to the solver, first among those with room to turn.
    """
    record = situation.house.objects_by_id[thing]
    middle = place + np.array([0.0, 0.0, record.height / 2 + OVER])
    least = HOLD_CLEARANCE + record.radius + HOLD_GAP + ROOM_TO_STAND
    ignored = (thing,) if onto is None else (thing, onto)
    return _stand_for(situation, middle, least, situation.discs(*ignored))


def place_to_touch_from(situation: Situation, thing: str, target: str) -> np.ndarray | None:
    """Return where the solver can stand to touch one loose thing with another: float64 [2]; None if nowhere."""
    things = situation.house.objects_by_id
    least = HOLD_CLEARANCE + 2 * things[thing].radius + HOLD_GAP + things[target].radius
    return _stand_for(situation, situation.positions[target], least, situation.discs(thing, target))


def _stand_for(situation: Situation, middle: np.ndarray, least: float, discs: np.ndarray) -> np.ndarray | None:
    """Return the nearest place to stand from which the hand can be at a point [3], ``least`` metres from it or more."""
    drop = EYE_HEIGHT + HOLD_LIFT - float(middle[2])
    farthest = math.sqrt(max((HOLD_FARTHEST - 0.03) ** 2 - drop * drop, 0.01))
    spots = [spot for spot in _around(middle, least, farthest) if _can_stand(situation, spot, middle, discs)]
    roomy = [spot for spot in spots if situation.plan.roomy(*spot)] or spots
    near = sorted(roomy, key=lambda spot: distance(spot, situation.solver.position))[:STANDS_TRIED]
    return next((spot for spot in near if situation.can_be_reached(*spot, within=0.1)), None)


def on_furniture(situation: Situation, thing: str, piece: Furniture) -> np.ndarray | None:
    """Return a free place for a thing on a piece of furniture to which the solver can put it: float64 [3]; or None."""
    surfaces = [s for s in piece.spec.surfaces if s != piece.spec.inside and s.at[2] <= HIGHEST_SURFACE]
    return _first(situation, thing, (p for s in surfaces for p in _on_surface(situation, thing, piece, s)))


def capacity(situation: Situation, thing: str, piece: Furniture) -> int:
    """Return about how many things like this one have room on a piece of furniture."""
    radius = situation.house.objects_by_id[thing].radius
    surfaces = [s for s in piece.spec.surfaces if s != piece.spec.inside and s.at[2] <= HIGHEST_SURFACE]
    room = sum(int(s.half[0] / (radius + EDGE)) * int(s.half[1] / (radius + EDGE)) for s in surfaces)
    on_it = sum(piece.gap_to(float(at[0]), float(at[1])) == 0.0 for at in situation.positions.values())
    return max(room, len(surfaces)) - on_it


def on_floor(situation: Situation, thing: str, around: np.ndarray, within: float) -> np.ndarray | None:
    """Return a free place for a thing on the floor near a point [2+], the nearest to it; float64 [3] or None."""
    grid = np.arange(-within, within + 0.01, 0.15)
    places = [np.array([around[0] + x, around[1] + y, 0.0]) for x in grid for y in grid if math.hypot(x, y) <= within]
    places.sort(key=lambda p: distance(p, around))
    return _first(situation, thing, (p for p in places if is_clear(situation, thing, p)))


@dataclass(frozen=True, eq=False)
class Drop:
    """Where a thing is let go into a container.

    Args:
      over: x, y and the height of the rim, over which it is carried: float64 [3].
      bottom: height (m) to which it is lowered before it is let go.
    """

    over: np.ndarray
    bottom: float


def into_container(situation: Situation, thing: str, container: str) -> Drop | None:
    """Return where the solver can let a thing go so that it comes to lie in a container; None if nowhere.

    Into loose containers things are dropped on what is in them already; in furniture they find a free spot.
    """
    drops = _drops_in_piece if container in situation.house.furniture_by_id else _drops_in_loose
    tried = sorted(drops(situation, thing, container), key=lambda d: distance(d.over, situation.solver.position))
    can_be_put = (d for d in tried[:PLACES_TRIED] if place_to_put_from(situation, thing, d.over, container) is not None)
    return next(can_be_put, None)


def go_in(situation: Situation, container: str, things: Sequence[str], number: int) -> bool:
    """Return True if any ``number`` of some things go into a container together with what is in it."""
    records, house = situation.house.objects_by_id, situation.house
    if container in house.furniture_by_id:
        inside = house.furniture_by_id[container].spec.inside
        radius = max(records[i].radius for i in things) + EDGE
        inside_it = sum(situation.world.inside(i, container) for i in situation.free if i != container)
        return inside is not None and int(inside.half[0] / radius) * int(inside.half[1] / radius) - inside_it >= number
    level, rim = _level(situation, container)
    tallest = sorted((records[i].height for i in things), reverse=True)[:number]
    return level + sum(tallest) - tallest[-1] / 2 < rim - BELOW_RIM


def _level(situation: Situation, container: str) -> tuple[float, float]:
    """Height of what is in a loose container so far, and of its rim."""
    record, at, records = situation.house.objects_by_id[container], situation.positions[container], situation.house
    inside = record.spec.inside
    bottom = float(at[2]) - record.height / 2 + (inside.at[2] * record.scale if inside is not None else 0.0)
    tops = [
        float(situation.positions[i][2]) + records.objects_by_id[i].height / 2
        for i in situation.free
        if i != container and situation.world.inside(i, container)
    ]
    return max((bottom, *tops)), float(at[2]) + record.height / 2


def _drops_in_loose(situation: Situation, thing: str, container: str) -> Iterator[Drop]:
    record, at = situation.house.objects_by_id[container], situation.positions[container]
    inside = record.spec.inside
    level, rim = _level(situation, container)
    it = situation.house.objects_by_id[thing]
    if inside is None or rim > HIGHEST_RIM or level + it.height / 2 > rim - BELOW_RIM:
        return
    widest = 0.5 * it.scale * max(it.spec.extent[:2])
    if widest <= min(inside.half) * record.scale - BESIDE_RIM:
        yield Drop(np.array([at[0], at[1], rim]), max(level, rim - INTO))


def _drops_in_piece(situation: Situation, thing: str, container: str) -> Iterator[Drop]:
    piece, it = situation.house.furniture_by_id[container], situation.house.objects_by_id[thing]
    inside = piece.spec.inside
    if inside is not None and inside.at[2] <= HIGHEST_SURFACE and inside.clearance > 1.0:
        rim = min(piece.spec.height, inside.at[2] + DEEPEST)
        if inside.at[2] + it.height / 2 < rim - BELOW_RIM:
            across = [  # such as a plank that lies across a bathtub
                other
                for other in situation.house.furniture
                if inside.at[2] < other.spec.bottom < rim + it.height + OVER
            ]
            for place in _on_surface(situation, thing, piece, inside):
                if all(other.gap_to(float(place[0]), float(place[1])) > it.radius + EDGE for other in across):
                    yield Drop(np.array([place[0], place[1], rim]), rim)


def for_arrangement(
    situation: Situation, shape: str, things: Sequence[str], number: int, moved: Collection[str] = ()
) -> np.ndarray | None:
    """Return free places on the floor of the solver's room for ``number`` of some things in a shape.

    Args:
      situation: the house as it is.
      shape: of the arrangement.
      things: ids.
      number: of them.
      moved: ids of things that will be moved and may be there now.

    Returns:
      float64 [number, 3], for things as large as the largest; None if there is no room for them.
    """
    records = situation.house.objects_by_id
    largest = max(things, key=lambda i: records[i].radius)
    apart = max(2 * records[largest].radius + APART_IN_ROW, LEAST_APART)
    room, here = situation.house.rooms_by_id.get(situation.room or ""), situation.solver.position
    if room is None:
        return None
    xs, ys = (np.arange(a + 0.4, b - 0.35, 0.25) for a, b in ((room.x0, room.x1), (room.y0, room.y1)))
    middles = sorted(((x, y) for x in xs for y in ys), key=lambda p: math.hypot(p[0] - here[0], p[1] - here[1]))
    for middle in middles:
        for turn in TURNS if shape == ROW else (0.0,):
            flat = layout(shape, number, apart)
            c, s = math.cos(turn), math.sin(turn)
            points = np.array([(middle[0] + c * x - s * y, middle[1] + s * x + c * y, 0.0) for x, y in flat])
            if not all(is_clear(situation, largest, p, moved) for p in points):
                continue
            if all(place_to_put_from(situation, largest, p) is not None for p in points):
                return points
    return None


def before_setter(situation: Situation, thing: str) -> np.ndarray | None:
    """Return a free place near the setter's feet to which the solver can put a thing, the first before it; or None."""
    setter = situation.setter
    angles = sorted(np.arange(-math.pi, math.pi, math.radians(30.0)).tolist(), key=abs)
    spots = [
        np.array([*(setter.position[:2] + far * np.array([math.cos(setter.yaw + a), math.sin(setter.yaw + a)])), 0.0])
        for a in angles
        for far in (0.85, 1.05, 1.25)
    ]
    room = situation.room_at(setter.position)
    here = (s for s in spots if situation.room_at(s) == room and is_clear(situation, thing, s))
    return _first(situation, thing, here, in_order=True)


def under_furniture(situation: Situation, thing: str, piece: Furniture) -> tuple[np.ndarray, np.ndarray] | None:
    """Return where to stand and where to put a thing under a piece of furniture: float64 [2] and [3]; None if nowhere.

    The solver stands before one of its sides and pushes the thing in along the floor.
    """
    below = piece.spec.under
    record = situation.house.objects_by_id[thing]
    if below is None or record.height > below.clearance - HOLD_GAP:
        return None
    ways = sorted(_ways_under(piece, below, record.radius), key=lambda w: distance(w[0], situation.solver.position))
    discs = situation.discs(thing)
    for stand, place in ways:
        free = situation.plan.straight(stand, stand, discs) and is_free(situation, thing, place)
        if free and situation.can_be_reached(*stand, within=0.1):
            return stand, place
    return None


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
    """Return where to stand to push one loose thing with another, straight ahead over free floor.

    Args:
      situation: the house as it is.
      thing: id of what it is pushed with.
      target: id of what is pushed.
      around_things: whether other loose things must be out of the way.

    Returns:
      float64 [2], the nearest in direction to the solver; None if there is no such place, or no way to it.
    """
    things, here, middle = situation.house.objects_by_id, situation.solver.position, situation.positions[target]
    radius, discs = things[target].radius, situation.discs(thing, target) if around_things else NO_DISCS
    far = arm_to_push(things[thing].radius) + things[thing].radius + radius + BEFORE_PUSHING
    first = math.atan2(here[1] - middle[1], here[0] - middle[0])
    for i in range(24):
        angle = first + math.radians(15.0) * ((i + 1) // 2) * (-1) ** i
        way = np.array([math.cos(angle), math.sin(angle)])
        stand, goal = middle[:2] + far * way, middle[:2] - (BEYOND + radius) * way
        if situation.plan.straight(stand, goal, discs) and situation.can_be_reached(*stand, within=0.1):
            return stand
    return None


def is_clear(situation: Situation, thing: str, place: np.ndarray, moved: Collection[str] = ()) -> bool:
    """Return True if a place on the floor has room for a thing, clear of walls, furniture, things and players.

    Args:
      situation: the house as it is.
      thing: id of the thing.
      place: float64 [2+].
      moved: ids of things that may be there now.
    """
    x, y, radius = float(place[0]), float(place[1]), situation.house.objects_by_id[thing].radius
    room = situation.house.room_at(x, y)
    around = radius + ROOM_TO_PUT
    return (
        room is not None
        and room.contains(x, y, WALL_THICKNESS / 2 + around)
        and all(piece.gap_to(x, y) >= around for piece in situation.house.furniture if piece.spec.in_the_way)
        and distance(place, situation.setter.position) > 0.3 + radius
        and is_free(situation, thing, place, moved)
    )


def is_free(situation: Situation, thing: str, place: np.ndarray, moved: Collection[str] = ()) -> bool:
    """Return True if no other loose thing is where a thing would stand."""
    record = situation.house.objects_by_id[thing]
    for other, at in situation.positions.items():
        it = situation.house.objects_by_id[other]
        level = abs(float(at[2] - place[2]) - record.height / 2) < (it.height + record.height) / 2
        taken = level and distance(at, place) < it.radius + record.radius + APART
        if taken and other not in (thing, situation.solver.held, *moved):
            return False
    return True


def _first(situation: Situation, thing: str, places: Iterable[np.ndarray], in_order: bool = False) -> np.ndarray | None:
    """Return the first of some places that the solver can put a thing to, of those nearest to it or as they come."""
    tried = list(places) if in_order else sorted(places, key=lambda p: distance(p, situation.solver.position))
    tried = tried[:PLACES_TRIED]
    return next((p for p in tried if place_to_put_from(situation, thing, p) is not None), None)


def _on_surface(situation: Situation, thing: str, piece: Furniture, surface: Surface) -> Iterator[np.ndarray]:
    record = situation.house.objects_by_id[thing]
    if record.height > surface.clearance:
        return
    hx, hy = (max(half - record.radius - EDGE, 0.0) for half in surface.half)
    width = 0.5 * record.scale * min(record.spec.extent[:2])
    for x in _steps(hx):
        for y in _steps(hy):
            if piece.spec.against_wall and surface.at[1] + y + piece.spec.half[1] < width:
                continue  # it would reach into the wall
            place = np.array([*piece.to_house(surface.at[0] + x, surface.at[1] + y), surface.at[2]])
            if is_free(situation, thing, place):
                yield place


def _steps(half: float) -> list[float]:
    number = max(1, round(2 * half / 0.15))
    return np.linspace(-half, half, number).tolist() if half > 0.0 else [0.0]


def _around(middle: np.ndarray, least: float, farthest: float) -> Iterator[np.ndarray]:
    for far in np.arange(min(least, farthest), farthest + 0.01, 0.1):
        for angle in np.arange(0.0, 2 * math.pi, math.radians(15.0)):
            yield np.array([middle[0] + far * math.cos(angle), middle[1] + far * math.sin(angle)])


def _can_stand(situation: Situation, spot: np.ndarray, middle: np.ndarray, discs: np.ndarray) -> bool:
    """Return True if a player can stand at a spot, clear of things, and see a point in the same room."""
    house = situation.house
    rooms = house.room_at(float(spot[0]), float(spot[1])), house.room_at(float(middle[0]), float(middle[1]))
    if rooms[0] is None or rooms[0] is not rooms[1] or not situation.plan.straight(spot, spot, discs):
        return False
    return situation.sight.clear(np.array([*spot, EYE_HEIGHT]), middle)
