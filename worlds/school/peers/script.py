"""The base of scripts: what a peer can decide to do, and when it counts as introduced to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from worlds.school.grid.codes import (
    EAST,
    GO_FORWARD,
    NO_OP,
    NONE,
    NORTH,
    ROTATE_LEFT,
    ROTATE_RIGHT,
    SOUTH,
    TOGGLE,
    WEST,
)
from worlds.school.grid.dialogue import INTRODUCTION
from worlds.school.grid.room import Cell, Room
from worlds.school.peers.body import Peer

Decision = tuple[int, str | None]  # one of PEER_ACTS, and words


class Script(ABC):
    """A script of one peer in one episode."""

    meets: ClassVar[bool] = True

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.introduced = False

    def decide(self, problem: Any, utterance: str | None) -> Decision:
        """Return what the peer does and says after the agent has acted and spoken; a hidden peer does nothing."""
        if problem.peer.hidden:
            return NO_OP, None
        self.meet(problem, utterance)
        return self.respond(problem)

    @abstractmethod
    def respond(self, problem: Any) -> Decision:
        """Return what a peer does and says that can be seen, once :meth:`meet` has noted an introduction."""

    def turn(self, peer: Peer, wanted: int) -> int:
        """Return the act that turns a peer towards a direction; NO_OP if it looks there. A half turn begins anyhow."""
        difference = (wanted - peer.direction) % 4
        if difference == 2:
            return int(self.rng.choice((ROTATE_LEFT, ROTATE_RIGHT)))
        return (NO_OP, ROTATE_RIGHT, NO_OP, ROTATE_LEFT)[difference]

    def look_at(self, peer: Peer, cell: Cell) -> int:
        """Return the act that turns a peer towards a cell; NO_OP if it looks there."""
        return self.turn(peer, direction_to(peer.place, cell))

    def walk_to(self, room: Room, peer: Peer, cell: Cell) -> int:
        """Return the act that leads a peer around the agent to a cell; NO_OP where there is no way."""
        way = room.way(peer.place, peer.direction, cell, around=room.agent)
        if way < 0:
            return NO_OP
        return GO_FORWARD if way == peer.direction else self.turn(peer, way)

    def use_at(self, room: Room, peer: Peer, cell: Cell) -> int:
        """Return the act that leads a peer to toggle what is in a cell."""
        return TOGGLE if peer.front == cell else self.walk_to(room, peer, cell)

    def meet(self, problem: Any, utterance: str | None) -> bool:
        """Return True, and note it, if the agent introduces itself now as the parameters want it, or has before."""
        if self.introduced or not self.meets or problem.peer.hidden:
            return self.introduced
        wanted = problem.parameters.get("Pragmatic_frame_complexity", "No")
        asks = "Ask" not in wanted or utterance == INTRODUCTION
        looks = "Eye_contact" not in wanted or in_eye_contact(problem.room, problem.peer)
        self.introduced = asks and looks
        return self.introduced


def direction_to(start: Cell, cell: Cell) -> int:
    """Return the direction in which a cell is, the nearest of four; on diagonals clockwise from the corner."""
    dx, dy = cell[0] - start[0], cell[1] - start[1]
    if abs(dx) == abs(dy):
        return SOUTH if dx <= 0 <= dy else WEST if dx < 0 else NORTH if dy < 0 else EAST
    if abs(dx) > abs(dy):
        return EAST if dx > 0 else WEST
    return SOUTH if dy > 0 else NORTH


def in_eye_contact(room: Room, peer: Peer) -> bool:
    """Return True if agent and peer are in one row or column and face each other; distance and walls do not count."""
    (x, y), (a, b) = peer.place, room.agent
    if (x != a and y != b) or (peer.direction + 2) % 4 != room.direction:
        return False
    return direction_to(peer.place, room.agent) == peer.direction


def is_pointing(peer: Peer) -> bool:
    """Return True while a peer points somewhere."""
    return peer.pointing != NONE
