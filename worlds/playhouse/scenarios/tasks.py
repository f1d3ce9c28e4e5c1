"""Success checks of recorded requests by name: those of probes and language games, and those of scenarios."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from worlds.contract import TaskSpec
from worlds.playhouse.games import asking
from worlds.playhouse.games.registry import ANOTHER_ROOM, Arguments, games
from worlds.playhouse.requests.success import PlayhouseTask
from worlds.playhouse.scenarios.checks.arranging import Formation, TowerOf
from worlds.playhouse.scenarios.checks.moving import HandTo, Push, PutInAlike, TakeFromRoom

UNHURRIED = 1.5  # times the limit of a language game, as the solver can be anywhere in the house
FIRST_THING, EACH_THING = 110, 70  # steps for the first thing that has to be moved, and for each further one

CHECKS: Mapping[str, Callable[[TaskSpec], PlayhouseTask]] = {
    "scenario: arrange": Formation,
    "scenario: tower": TowerOf,
    "scenario: hand": HandTo,
    "scenario: take from room": TakeFromRoom,
    "scenario: push": Push,
    "scenario: put in alike": PutInAlike,
}


def make_task(spec: TaskSpec) -> PlayhouseTask:
    """Return the success check of ``spec``. Raises WorldError for a task that the Playhouse does not have."""
    return CHECKS[spec.name](spec) if spec.name in CHECKS else asking.make_task(spec)


def time_limit(name: str, arguments: Arguments, rooms: int) -> int:
    """Return the number of steps after which nobody expects a request to be fulfilled any more."""
    if name in games():
        steps = games()[name].steps(arguments)
    else:
        groups = arguments.get("groups") or [arguments["things"]]
        steps = FIRST_THING + EACH_THING * (sum(group["number"] for group in groups) - 1)
    return round(UNHURRIED * steps) + ANOTHER_ROOM * (rooms - 1)
