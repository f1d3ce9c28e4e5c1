"""The peer's body: it stands in a cell, looks somewhere, points somewhere, and acts once a step."""

from __future__ import annotations

from worlds.school.grid.codes import (
    EMPTY,
    FRIENDLY,
    GO_FORWARD,
    NO_OP,
    NONE,
    POINT_EAST,
    ROTATE_LEFT,
    ROTATE_RIGHT,
    SOUTH,
    STOP_POINT,
    TOGGLE,
)
from worlds.school.grid.room import Cell, Room
from worlds.school.grid.things import Thing


class Peer(Thing):
    """A peer."""

    def __init__(self, colour: str, kind: int = FRIENDLY, direction: int = SOUTH, hidden: bool = False) -> None:
        super().__init__("npc", colour)
        self.kind, self.direction, self.hidden = kind, direction, hidden
        self.pointing, self.last_act = NONE, NO_OP

    def state(self) -> tuple[int, ...]:
        """Return type, gaze, pointing and last act."""
        return self.kind, self.direction, self.pointing, self.last_act

    def encode(self) -> tuple[int, ...]:  # type: ignore[override]
        """Return its channels; those of an empty cell where it is hidden."""
        return (EMPTY, 0, 0, 0, 0, 0) if self.hidden else super().encode()

    def can_overlap(self) -> bool:
        """Return True where it is hidden."""
        return self.hidden

    @property
    def front(self) -> Cell:
        """Cell before it."""
        return Room.beside(self.place, self.direction)

    def act(self, room: Room, act: int) -> None:
        """Do one of ``PEER_ACTS``."""
        self.last_act = act
        if act == ROTATE_LEFT:
            self.direction = (self.direction - 1) % 4
        elif act == ROTATE_RIGHT:
            self.direction = (self.direction + 1) % 4
        elif POINT_EAST <= act < POINT_EAST + 4:
            self.pointing = act - POINT_EAST
        elif act == STOP_POINT:
            self.pointing = NONE
        elif act == TOGGLE:
            there = room.at(*self.front)
            if there is not None:
                there.use(room)
        elif act == GO_FORWARD:
            self._walk(room)
        room.refresh(self)

    def _walk(self, room: Room) -> None:
        front = self.front
        there = room.at(*front)
        if front == room.agent:
            return
        if there is None or there.can_overlap():
            room.move(self, front)
        elif there.movable:
            there.bump(room, self.direction, self)
