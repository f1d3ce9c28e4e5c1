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
from worlds.playhouse.requests.ground_truth import distance, half_width

OVER = 0.10  # metres over its place to which a thing is brought before it is lowered
ROOM_TO_STAND = 0.05  # metres more than the least between the body and what is put before it
ROOM_TO_PUT = 0.06  # metres between what is put on the floor and anything fixed
OVERHANG = 0.07  # metres by which a thing may overhang what bears it firmly
HEADROOM = 0.06  # metres over a thing that is put into a shelf
EDGE = 0.04  # metres between a thing on a surface and the surface's edge
APART = 0.05  # metres between a thing that is put somewhere and others
HIGHEST_SURFACE = 1.25  # metres
LEGS = 0.05  # metres between the edges of what is free under furniture and its legs
INSET = 0.22  # metres by which a thing is pushed beyond the edge of what is free under furniture
ARM_UNDER = 0.62  # metres, the least that reaches there
BEFORE_FURNITURE = 0.15  # metres between a thing that is lowered before furniture and it
BEFORE_PUSHING = 0.1  # metres between the thing in hand and what is to be pushed, at first
BEYOND = 0.5  # metres of free floor beyond what is to be pushed
BEFORE_PIECE = 0.4  # metres more than the least before furniture that is to be touched
BY_FURNITURE = 0.35  # metres from furniture to which the way to it must be free
BELOW_RIM, BESIDE_RIM = 0.03, 0.02  # metres between what is in a container and its rim
HIGHEST_RIM = 0.9  # metres
INTO = 0.1  # metres below the rim to which what is put into a loose container is lowered
DEEPEST = 0.4  # metres of a basin that are below its rim at most; a sink's tap is higher
APART_IN_ROW, LEAST_APART = 0.12, 0.4  # metres between things in an arrangement, and between their middles
TURNS = (0.0, math.pi / 2, math.pi / 4, -math.pi / 4)  # of rows
STANDS_TRIED = 6  # places to stand to which ways are looked for
ELSEWHERE = 0.12  # metres from a place where something could not be put, of another that is tried
MORE_PLACES = 60  # likewise, of the solver, which has a thing in its hand already
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
    return _stand_for(situation, *_putting(situation, thing, place, onto))


def places_to_put_from(
    situation: Situation, thing: str, place: np.ndarray, onto: str | None = None
) -> list[np.ndarray]:
    """Return all cells of the floor plan from which :func:`place_to_put_from` might choose: float64 [2] each."""
    return _stands_for(situation, *_putting(situation, thing, place, onto))


def _putting(
    situation: Situation, thing: str, place: np.ndarray, onto: str | None
) -> tuple[np.ndarray, float, np.ndarray]:
    """Where the hand is that puts a thing down [3], how far from it one stands at least, and what is in the way."""
    record = situation.house.objects_by_id[thing]
    middle = place + np.array([0.0, 0.0, record.height / 2 + OVER])
    ignored = (thing,) if onto is None else (thing, onto)
    return middle, HOLD_CLEARANCE + record.radius + HOLD_GAP + ROOM_TO_STAND, situation.discs(*ignored)


def place_to_touch_from(situation: Situation, thing: str, target: str) -> np.ndarray | None:
    """Return where the solver can stand to touch one loose thing with another: float64 [2]; None if nowhere."""
    return _stand_for(situation, *_touching(situation, thing, target))


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
    for spot in _stands_for(situation, *_touching(situation, thing, target)):
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


def _stand_for(situation: Situation, middle: np.ndarray, least: float, discs: np.ndarray) -> np.ndarray | None:
    """Return the nearest place to stand from which the hand can be at a point [3], ``least`` metres from it or more."""
    farthest = _farthest(middle)
    spots = [spot for spot in _around(middle, least, farthest) if _can_stand(situation, spot, middle, discs)]
    roomy = [spot for spot in spots if situation.plan.roomy(*spot)] or spots
    near = sorted(roomy, key=lambda spot: distance(spot, situation.solver.position))[:STANDS_TRIED]
    return next((spot for spot in near if situation.can_be_reached(*spot, within=0.1)), None)


def _stands_for(situation: Situation, middle: np.ndarray, least: float, discs: np.ndarray) -> list[np.ndarray]:
    """Return the middles of all cells of the floor plan to stand in, with the hand ``least`` metres off or more."""
    farthest = _farthest(middle)
    spots = situation.plan.free_spots()
    far = np.hypot(*(spots - middle[:2]).T)
    spots = spots[(far >= min(least, farthest) - 0.05) & (far <= farthest)]
    return [spot for spot in spots if _can_stand(situation, spot, middle, discs)]


def _farthest(middle: np.ndarray) -> float:
    """Distance (m) along the floor from which the hand just reaches a point [3]."""
    drop = EYE_HEIGHT + HOLD_LIFT - float(middle[2])
    return math.sqrt(max((HOLD_FARTHEST - 0.03) ** 2 - drop * drop, 0.01))


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
      situation: the house as it is.
      thing: id.
      piece: of furniture.
      avoid: places near which it is not to be put.
      most: places for which places to stand are looked for.
      firmly: whether only places will do on which it stands well, and to which it can be brought without meeting
        anything.
    """
    surfaces = [s for s in piece.spec.surfaces if s != piece.spec.inside and s.at[2] <= HIGHEST_SURFACE]
    if firmly:
        surfaces = [s for s in surfaces if _bears_firmly(situation, thing, s)]
    found = (p for s in surfaces for p in _on_surface(situation, thing, piece, s))
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


@dataclass(frozen=True, eq=False)
class Drop:
    """Where a thing is let go into a container.

    Args:
      over: x, y and the height of the rim, over which it is carried: float64 [3].
      bottom: height (m) to which it is lowered before it is let go.
    """

    over: np.ndarray
    bottom: float


def into_container(
    situation: Situation, thing: str, container: str, most: int = PLACES_TRIED, crowded: bool = False
) -> Drop | None:
    """Return where the solver can let a thing go so that it comes to lie in a container; None if nowhere.

    Into loose containers things are dropped on what is in them already; in furniture they find a free spot.

    Args:
      situation: the house as it is.
      thing: id.
      container: id of a loose thing or a piece of furniture.
      most: places for which places to stand are looked for.
      crowded: whether to drop it on what is in the container, where there is no room beside that.
    """
    drops = _drops_in_piece if container in situation.house.furniture_by_id else _drops_in_loose
    tried = sorted(
        drops(situation, thing, container, crowded), key=lambda d: distance(d.over, situation.solver.position)
    )
    can_be_put = (d for d in tried[:most] if place_to_put_from(situation, thing, d.over, container) is not None)
    return next(can_be_put, None)


def go_in(situation: Situation, container: str, things: Sequence[str], number: int) -> bool:
    """Return True if any ``number`` of some things go into a container together with what is in it."""
    records, house = situation.house.objects_by_id, situation.house
    if container in house.furniture_by_id:
        largest = max(things, key=lambda i: records[i].radius)
        taken: list[np.ndarray] = []
        for drop in _drops_in_piece(situation, largest, container):
            apart = all(distance(drop.over, other) > 2 * records[largest].radius + APART for other in taken)
            if apart and place_to_put_from(situation, largest, drop.over, container) is not None:
                taken.append(drop.over)
            if len(taken) >= number:
                return True
        return False
    inside = house.objects_by_id[container].spec.inside
    room = 0.0 if inside is None else min(inside.half) * house.objects_by_id[container].scale - BESIDE_RIM
    if any(records[i].radius > room for i in things):  # nobody can tell how it is turned
        return False
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


def _drops_in_loose(situation: Situation, thing: str, container: str, crowded: bool = False) -> Iterator[Drop]:
    record, at = situation.house.objects_by_id[container], situation.positions[container]
    inside = record.spec.inside
    level, rim = _level(situation, container)
    it = situation.house.objects_by_id[thing]
    if inside is None or rim > HIGHEST_RIM or (level + it.height / 2 > rim - BELOW_RIM and not crowded):
        return
    widest = 0.5 * it.scale * max(it.spec.extent[:2])
    if widest <= min(inside.half) * record.scale - BESIDE_RIM:
        yield Drop(np.array([at[0], at[1], rim]), max(level, rim - INTO))


def _drops_in_piece(situation: Situation, thing: str, container: str, crowded: bool = False) -> Iterator[Drop]:
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
            for place in _on_surface(situation, thing, piece, inside, crowded):
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


def before_setter(
    situation: Situation, thing: str, avoid: Sequence[np.ndarray] = (), most: int = PLACES_TRIED
) -> np.ndarray | None:
    """Return a free place near the setter's feet to which the solver can put a thing, the first before it; or None.

    Args:
      situation: the house as it is.
      thing: id.
      avoid: places near which it is not to be put.
      most: places for which places to stand are looked for.
    """
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


Way = tuple[np.ndarray, np.ndarray]  # where to stand, float64 [2], and where to put a thing, float64 [3]


def under_furniture(
    situation: Situation, thing: str, piece: Furniture, avoid: Sequence[np.ndarray] = (), surely: bool = False
) -> Way | None:
    """Return where to stand and where to put a thing under a piece of furniture; None if nowhere.

    The solver stands before one of its sides and pushes the thing in along the floor.

    Args:
      situation: the house as it is.
      thing: id.
      piece: of furniture.
      avoid: places near which it is not to be put.
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
    situation: Situation, thing: str, target: str, around_things: bool = True, turn: float = math.radians(15.0)
) -> Iterator[np.ndarray]:
    """Yield where to stand to push one loose thing with another, straight ahead over free floor.

    Args:
      situation: the house as it is.
      thing: id of what it is pushed with.
      target: id of what is pushed.
      around_things: whether other loose things must be out of the way.
      turn: radians between the directions that are looked at.

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
        stand, goal = middle[:2] + far * way, middle[:2] - (BEYOND + radius) * way
        if situation.plan.straight(stand, goal, discs) and situation.can_be_reached(*stand, within=0.1):
            yield stand


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


def _on_surface(
    situation: Situation, thing: str, piece: Furniture, surface: Surface, crowded: bool = False
) -> Iterator[np.ndarray]:
    record = situation.house.objects_by_id[thing]
    if record.height > surface.clearance:
        return
    hx, hy = (max(half - record.radius - EDGE, 0.0) for half in surface.half)
    for x in _steps(hx):
        for y in _steps(hy):
            place = np.array([*piece.to_house(surface.at[0] + x, surface.at[1] + y), surface.at[2]])
            if crowded or is_free(situation, thing, place):
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
