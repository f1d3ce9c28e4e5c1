"""Where to let go of a thing so that it comes to lie in a container."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from worlds.playhouse.games.places import (
    APART,
    EDGE,
    HIGHEST_SURFACE,
    OVER,
    PLACES_TRIED,
    place_to_put_from,
    spots_on_surface,
)
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.house.catalogue import Surface
from worlds.playhouse.house.record import Thing
from worlds.playhouse.requests.ground_truth import distance

BELOW_RIM, BESIDE_RIM = 0.03, 0.02  # metres between what is in a container and its rim
HIGHEST_RIM = 0.9  # metres
INTO = 0.1  # metres below the rim to which what is put into a loose container is lowered
DEEPEST = 0.4  # metres of a basin that are below its rim at most; a sink's tap is higher


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


def _is_wide_enough(inside: Surface, thing: Thing) -> bool:
    """Return True if a thing goes between the sides of a container, turned as it has to be."""
    sides = (thing.scale * side / 2 for side in sorted(thing.spec.extent[:2]))
    return all(side <= half for side, half in zip(sides, sorted(inside.half), strict=True))


def _drops_in_piece(situation: Situation, thing: str, container: str, crowded: bool = False) -> Iterator[Drop]:
    piece, it = situation.house.furniture_by_id[container], situation.house.objects_by_id[thing]
    inside = piece.spec.inside
    if inside is None or not _is_wide_enough(inside, it):
        return
    if inside.at[2] <= HIGHEST_SURFACE and inside.clearance > 1.0:
        rim = min(piece.spec.height, inside.at[2] + DEEPEST)
        if inside.at[2] + it.height / 2 < rim - BELOW_RIM:
            across = [  # such as a plank that lies across a bathtub
                other
                for other in situation.house.furniture
                if inside.at[2] < other.spec.bottom < rim + it.height + OVER
            ]
            for place in spots_on_surface(situation, thing, piece, inside, crowded):
                if all(other.gap_to(float(place[0]), float(place[1])) > it.radius + EDGE for other in across):
                    yield Drop(np.array([place[0], place[1], rim]), rim)
