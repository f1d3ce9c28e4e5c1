"""Scenarios posed: a house, the place from which the setter asks, and the request as it is resolved there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from worlds.contract import SETTER, TaskSpec
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.house.record import AVATAR_RADIUS, House, Room, Start
from worlds.playhouse.navigation.floor_plan import FloorPlan
from worlds.playhouse.requests.descriptions import clear_or_possible, is_at
from worlds.playhouse.requests.facts import Facts
from worlds.playhouse.requests.reading import places, words_of
from worlds.playhouse.scenarios.feasibility import is_feasible
from worlds.playhouse.scenarios.houses.at_rest import facts_at_rest
from worlds.playhouse.scenarios.houses.building import sample
from worlds.playhouse.scenarios.houses.spots import floor_spot
from worlds.playhouse.scenarios.houses.wishes import read_phrase
from worlds.playhouse.scenarios.resolving import resolve
from worlds.playhouse.scenarios.scenario import Asks, Scenario
from worlds.playhouse.scenarios.tasks import make_task, time_limit
from worlds.playhouse.world import Playhouse

ATTEMPTS = 40  # houses sampled for one seed
MOST_FOR_FEASIBLE = 20  # attempts after which a house will do in which the request can hardly be fulfilled
WITHOUT_SENSE, SENSIBLE, FEASIBLE = range(3)
SPOTS_TRIED = 80  # places at which the setter could stand
WALKS = (0.8, 3.5)  # metres that the setter walks to where it asks, at least and at most
ARRIVES = 0.1  # metres from where it asks, at most
LOOKS = 5  # updates after which what was fulfilled has been noticed


@dataclass(frozen=True)
class Posed:
    """A scenario in one house.

    Args:
      config: JSON configuration of the house.
      place: where the setter stands when it asks, x, y.
      yaw: where it looks then.
    """

    scenario: Scenario
    config: dict[str, Any]
    place: tuple[float, float]
    yaw: float


def pose(scenario: Scenario, seed: int) -> Posed | None:
    """Return a house in which a scenario's words make sense, with the setter near; the same for the same seed.

    Every seed gives another house. Returns None if none has been found.
    """
    if not scenario.can_be_posed:
        return None
    fallback: Posed | None = None
    for attempt in range(ATTEMPTS):
        rng = np.random.default_rng([scenario.number, seed, attempt])
        house = sample(scenario, rng)
        house = None if house is None else _with_setter(house, scenario, rng)
        suits = _suits(scenario, house) if house is not None else WITHOUT_SENSE
        if house is None or suits == WITHOUT_SENSE:
            continue
        asks_at = house.start(SETTER)
        begins = _beginning(house, asks_at, rng)
        if begins is None:
            continue
        starts = tuple(begins if start.agent == SETTER else start for start in house.starts)
        posed = Posed(scenario, replace(house, starts=starts).to_json(), (asks_at.x, asks_at.y), asks_at.yaw)
        if suits == FEASIBLE:
            return posed
        fallback = fallback or posed
        if attempt >= MOST_FOR_FEASIBLE:
            break
    return fallback


def makes_sense(scenario: Scenario, house: House) -> bool:
    """Return True if a scenario's request means something in a house as it begins, and is not fulfilled already."""
    return _suits(scenario, house) != WITHOUT_SENSE


def _suits(scenario: Scenario, house: House) -> int:
    """Whether a request makes no sense in a house, makes sense, or can be fulfilled, too."""
    if not isinstance(scenario.check, Asks):
        return FEASIBLE
    world = world_of(house)
    try:
        situation = Situation(world)
        arguments = resolve(scenario.check, situation)
        if arguments is None or is_done(TaskSpec(scenario.check.game, "", arguments, 1), world):
            return WITHOUT_SENSE
        return FEASIBLE if is_feasible(scenario.check.game, arguments, situation) else SENSIBLE
    finally:
        world.close()


def world_of(house: House) -> Playhouse:
    """Return a Playhouse at the beginning of an episode in a house, in which nothing is drawn."""
    world = Playhouse(views=())
    world.reset(seed=0, options={"config": house.to_json()})
    return world


def is_done(spec: TaskSpec, world: Playhouse) -> bool:
    """Return True if a request would be fulfilled by having touched things and left them where they are."""
    task = make_task(spec)
    task.update(world, "")
    for carried in (getattr(task, name, None) for name in ("carried", "_carried")):
        if isinstance(carried, set):
            carried.update(world.object_positions())
    return any(task.update(world, "")[0] for _ in range(LOOKS))


def request_of(scenario: Scenario, situation: Situation) -> TaskSpec | None:
    """Return the request of a scenario in the house as it is now; None where a program cannot check it there."""
    if not isinstance(scenario.check, Asks):
        return None
    arguments = resolve(scenario.check, situation)
    if arguments is None:
        return None
    limit = time_limit(scenario.check.game, arguments, len(situation.house.rooms))
    return TaskSpec(scenario.check.game, scenario.words, arguments, limit)


def _with_setter(house: House, scenario: Scenario, rng: np.random.Generator) -> House | None:
    """The house with the setter where it asks, looking at what the scenario has it look at."""
    start = house.start(SETTER)
    if scenario.setter:
        found = _spot_at(house, scenario.setter, rng)
        if found is None:
            return None
        start = found
    if scenario.faces:
        ahead = clear_or_possible(read_phrase(scenario.faces), facts_at_rest(house))
        if not ahead:
            return None
        x, y = np.mean([entity.middle for entity in ahead], axis=0)
        start = replace(start, yaw=round(math.atan2(y - start.y, x - start.x), 3))
    return replace(house, starts=tuple(start if other.agent == SETTER else other for other in house.starts))


def _spot_at(house: House, words: str, rng: np.random.Generator) -> Start | None:
    """A free spot for the setter at a place in words."""
    text = words_of(words)
    place = next(place for end, place in places(text, 0) if end == len(text))
    rooms = _rooms_of(house, facts_at_rest(house), words)
    other = next(start for start in house.starts if start.agent != SETTER)
    for _ in range(SPOTS_TRIED):
        spot = floor_spot(house, rooms[int(rng.integers(len(rooms)))], AVATAR_RADIUS + 0.05, rng)
        if spot is None or math.dist(spot, (other.x, other.y)) < 1.0:
            continue
        start = Start(SETTER, *spot, round(float(rng.uniform(-math.pi, math.pi)), 3))
        facts = facts_at_rest(replace(house, starts=(start, other)))
        if is_at(place, facts.by_id[SETTER], facts):
            return start
    return None


def _rooms_of(house: House, facts: Facts, words: str) -> Sequence[Room]:
    """The rooms in which a place in words can be."""
    text = words_of(words)
    place = next(place for end, place in places(text, 0) if end == len(text))
    named = {entity.room for anchor in place.anchors for entity in clear_or_possible(anchor, facts)}
    return [room for room in house.rooms if room.id in named] or house.rooms


def _beginning(house: House, asks_at: Start, rng: np.random.Generator) -> Start | None:
    """Where the setter begins, a few steps from where it asks, in the same room; None if there is no way there."""
    room = house.room_at(asks_at.x, asks_at.y)
    other = next(start for start in house.starts if start.agent != SETTER)
    plan = FloorPlan(house)
    for _ in range(SPOTS_TRIED if room is not None else 0):
        assert room is not None
        spot = floor_spot(house, room, AVATAR_RADIUS + 0.05, rng)
        if spot is None or math.dist(spot, (other.x, other.y)) < 1.0:
            continue
        near = WALKS[0] <= math.dist(spot, (asks_at.x, asks_at.y)) <= WALKS[1]
        if near and plan.route(spot, (asks_at.x, asks_at.y), ARRIVES) is not None:
            return Start(SETTER, *spot, round(float(rng.uniform(-math.pi, math.pi)), 3))
    return None
