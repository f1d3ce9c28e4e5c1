"""Places where things can be put, and where to stand for it: feasibility for those who ask, choice for those who do."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np

from worlds.playhouse.games.arrangements import ROW, layout
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.games.stands import stand_for, stands_for
from worlds.playhouse.house.catalogue import Surface
from worlds.playhouse.house.record import WALL_THICKNESS, Furniture
from worlds.playhouse.physics.avatar import HOLD_CLEARANCE, HOLD_GAP
from worlds.playhouse.requests.ground_truth import distance

OVER = 0.10  # metres over its place to which a thing is brought before it is lowered
ROOM_TO_STAND = 0.05  # metres more than the least between the body and what is put before it
ROOM_TO_PUT = 0.06  # metres between what is put on the floor and anything fixed
OVERHANG = 0.07  # metres by which a thing may overhang what bears it firmly
HEADROOM = 0.06  # metres over a thing that is put into a shelf
EDGE = 0.04  # metres between a thing on a surface and the surface's edge
APART = 0.05  # metres between a thing that is put somewhere and others
HIGHEST_SURFACE = 1.25  # metres
APART_IN_ROW, LEAST_APART = 0.12, 0.4  # metres between things in an arrangement, and between their middles
TURNS = (0.0, math.pi / 2, math.pi / 4, -math.pi / 4)  # of rows
ELSEWHERE = 0.12  # metres from a place where something could not be put, of another that is tried
MORE_PLACES = 60  # likewise, of the solver, which has a thing in its hand already
PLACES_TRIED = 12  # places to put something for which places to stand are looked for


def place_to_put_from(
    situation: Situation, thing: str, place: np.ndarray, onto: str | None = None
) -> np.ndarray | None:
    """Return where the solver can stand to put something down; None if there is no such place, or no way to it.

    Args:
      place: x, y and the height of what it is to stand on: float64 [3].
      onto: id of the loose thing that is there, which is in nobody's way.

    Returns:
      float64 [2], the nearest to the solver, first among those with room to turn.
    """
    return stand_for(situation, *_putting(situation, thing, place, onto))


def places_to_put_from(
    situation: Situation, thing: str, place: np.ndarray, onto: str | None = None
) -> list[np.ndarray]:
    """Return all cells of the floor plan from which :func:`place_to_put_from` might choose: float64 [2] each."""
    return stands_for(situation, *_putting(situation, thing, place, onto))


def _putting(
    situation: Situation, thing: str, place: np.ndarray, onto: str | None
) -> tuple[np.ndarray, float, np.ndarray]:
    """Where the hand is that puts a thing down [3], how far from it one stands at least, and what is in the way."""
    record = situation.house.objects_by_id[thing]
    middle = place + np.array([0.0, 0.0, record.height / 2 + OVER])
    ignored = (thing,) if onto is None else (thing, onto)
    return middle, HOLD_CLEARANCE + record.radius + HOLD_GAP + ROOM_TO_STAND, situation.discs(*ignored)


def on_furniture(
    situation: Situation,
    thing: str,
    piece: Furniture,
    avoid: Sequence[np.ndarray] = (),
    most: int = PLACES_TRIED,
    firmly: bool = False,
) -> np.ndarray | None:
    """Return a free place for a thing on a piece of furniture to which the solver can put it: float64 [3]; or None.

    Args:
      most: places for which places to stand are looked for.
      firmly: whether only places will do on which it stands well, and to which it can be brought without meeting
        anything.
    """
    surfaces = [s for s in piece.spec.surfaces if s != piece.spec.inside and s.at[2] <= HIGHEST_SURFACE]
    if firmly:
        surfaces = [s for s in surfaces if _bears_firmly(situation, thing, s)]
    found = (p for s in surfaces for p in spots_on_surface(situation, thing, piece, s))
    return _first(situation, thing, (p for p in found if not is_near_any(p, avoid)), most=most)


def _bears_firmly(situation: Situation, thing: str, surface: Surface) -> bool:
    """Return True if a thing hardly overhangs a surface, and there is room for it and a hand above."""
    record = situation.house.objects_by_id[thing]
    longer = 0.5 * record.scale * max(record.spec.extent[:2])
    return longer <= min(surface.half) + OVERHANG and record.height + HEADROOM <= surface.clearance


def headroom(situation: Situation, place: np.ndarray) -> float:
    """Return the free height (m) over a place [3] of a surface; infinite where nothing is above."""
    x, y, z = (float(c) for c in place)
    pieces = (piece for piece in situation.house.furniture if piece.gap_to(x, y) == 0.0)
    return min((s.clearance for piece in pieces for s in piece.spec.surfaces if abs(s.at[2] - z) < 0.01), default=9.0)


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


def for_arrangement(
    situation: Situation, shape: str, things: Sequence[str], number: int, moved: Collection[str] = ()
) -> np.ndarray | None:
    """Return free places on the floor of the solver's room for ``number`` of some things in a shape.

    Args:
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


def before_setter(
    situation: Situation, thing: str, avoid: Sequence[np.ndarray] = (), most: int = PLACES_TRIED
) -> np.ndarray | None:
    """Return a free place near the setter's feet to which the solver can put a thing, the first before it; or None."""
    free = (place for place in _at_feet(situation, thing) if not is_near_any(place, avoid))
    return _first(situation, thing, free, in_order=True, most=most)


def are_before_setter(situation: Situation, things: Sequence[str], number: int) -> bool:
    """Return True if there is room at the setter's feet for any ``number`` of some things."""
    largest = max(things, key=lambda i: situation.house.objects_by_id[i].radius)
    apart, taken = 2 * situation.house.objects_by_id[largest].radius + APART, list[np.ndarray]()
    for place in _at_feet(situation, largest):
        if all(distance(place, other) > apart for other in taken):
            if place_to_put_from(situation, largest, place) is not None:
                taken.append(place)
            if len(taken) >= number:
                return True
    return False


def _at_feet(situation: Situation, thing: str) -> Iterator[np.ndarray]:
    """Yield free places near the setter's feet, the first before it."""
    setter, room = situation.setter, situation.room_at(situation.setter.position)
    for angle in sorted(np.arange(-math.pi, math.pi, math.radians(30.0)).tolist(), key=abs):
        for far in (0.85, 1.05, 1.25):
            way = np.array([math.cos(setter.yaw + angle), math.sin(setter.yaw + angle)])
            place = np.array([*(setter.position[:2] + far * way), 0.0])
            if situation.room_at(place) == room and is_clear(situation, thing, place):
                yield place


def is_clear(situation: Situation, thing: str, place: np.ndarray, moved: Collection[str] = ()) -> bool:
    """Return True if a place on the floor has room for a thing, clear of walls, furniture, things and players.

    Args:
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


def is_near_any(place: np.ndarray, others: Sequence[np.ndarray]) -> bool:
    """Return True if a place is nearly one of some others."""
    return any(math.dist(place, other) < ELSEWHERE for other in others)


def _first(
    situation: Situation,
    thing: str,
    places: Iterable[np.ndarray],
    in_order: bool = False,
    most: int = PLACES_TRIED,
) -> np.ndarray | None:
    """Return the first of some places that the solver can put a thing to, of those nearest to it or as they come."""
    tried = list(places) if in_order else sorted(places, key=lambda p: distance(p, situation.solver.position))
    return next((p for p in tried[:most] if place_to_put_from(situation, thing, p) is not None), None)


def spots_on_surface(
    situation: Situation, thing: str, piece: Furniture, surface: Surface, crowded: bool = False
) -> Iterator[np.ndarray]:
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
            if crowded or is_free(situation, thing, place):
                yield place


def _steps(half: float) -> list[float]:
    number = max(1, round(2 * half / 0.15))
    return np.linspace(-half, half, number).tolist() if half > 0.0 else [0.0]
