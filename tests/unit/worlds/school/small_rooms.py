"""Rooms and episodes that tests set up by hand."""

from __future__ import annotations

from typing import Any

from worlds.school.grid.codes import EAST
from worlds.school.grid.room import Room
from worlds.school.grid.things import Thing
from worlds.school.peers.body import Peer
from worlds.school.problems.information_seeking import InformationSeeking
from worlds.school.problems.problem import Problem, Settings
from worlds.school.problems.types import make_problem

QUIET = {
    "Env_type": "Information_seeking", "Pragmatic_frame_complexity": "No", "Scaffolding": "N",
    "Cue_type": "Language_Feedback", "N": "2", "Peer": "Y",
}  # fmt: skip


def empty_room(width: int = 10, height: int = 10, size: int = 10) -> Room:
    """Return a room with its walls and nothing in it."""
    room = Room(size, width, height)
    room.wall(0, 0, width, height)
    return room


def episode(seed: int = 0, settings: Settings | None = None, **parameters: str) -> Problem:
    """Return an episode of InformationSeeking with a quiet caretaker, unless parameters say otherwise."""
    return make_problem(QUIET | parameters, settings or Settings(), seed)


def information(seed: int = 0, /, **parameters: str) -> Any:
    """Return such an episode: of InformationSeeking, and with a peer unless parameters say otherwise."""
    found = make_problem(QUIET | parameters, Settings(), seed)
    assert isinstance(found, InformationSeeking)
    return found


def stand_before(problem: Problem, thing: Thing) -> None:
    """Put the agent into a free cell beside a thing, looking at it."""
    room = problem.room
    for direction in range(4):
        cell = room.beside(thing.place, (direction + 2) % 4)
        if room.at(*cell) is None and 0 < cell[0] < room.width - 1 and 0 < cell[1] < room.height - 1:
            room.agent, room.direction = cell, direction
            return
    raise AssertionError("nothing is free beside it")


def put_peer(room: Room, cell: tuple[int, int], direction: int = EAST, colour: str = "purple") -> Peer:
    """Return a friendly peer that has been put into a cell."""
    peer = Peer(colour, direction=direction)
    room.put(peer, cell)
    return peer
