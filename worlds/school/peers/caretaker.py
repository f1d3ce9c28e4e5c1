"""The caretaker of InformationSeeking: waits for an introduction, then helps, or gives cues of one of four types."""

from __future__ import annotations

from typing import Any

import numpy as np

from worlds.school.grid.codes import NO_OP, POINT_EAST, STOP_POINT, TOGGLE
from worlds.school.grid.room import Cell
from worlds.school.peers.script import Decision, Script, direction_to, is_pointing

COLOUR, FEEDBACK, POINTING, EMULATION, HELP = (
    "Language_Color", "Language_Feedback", "Pointing", "Emulation", "Help",
)  # fmt: skip
CUES = (COLOUR, FEEDBACK, POINTING, EMULATION)
HEAT = ((1, "Hot"), (2, "Warm"), (5, "Medium"))  # largest Manhattan distance of the agent for each word
COLD = "Cold"
WORDS = (*(word for _, word in HEAT), COLD)


def heat(agent: Cell, target: Cell) -> str:
    """Return the word for the Manhattan distance between two cells."""
    distance = abs(agent[0] - target[0]) + abs(agent[1] - target[1])
    return next((word for most, word in HEAT if distance <= most), COLD)


class Caretaker(Script):
    """The script of one episode."""

    def __init__(self, rng: np.random.Generator, cue: str, pretends: bool = False, objects: int = 2) -> None:
        super().__init__(rng)
        self.cue, self.pretends = cue, pretends
        self.decoy_is_target = objects == 1 or bool(rng.integers(2))
        self.answered = self.decoy_named = self.apple_is_free = self.out_of_the_way = False
        self.place: Cell | None = None  # from which it points, or to which it steps aside
        self.decoy_place: Cell | None = None

    def respond(self, problem: Any) -> Decision:
        if not self.introduced:
            return self._pretends(problem) if self.pretends else (self._waits(problem), None)
        if self.answered:
            return self._informs(problem)
        self.answered = True
        act = STOP_POINT if is_pointing(problem.peer) else self._waits(problem)
        return act, problem.target_colour if self.cue == COLOUR else None

    # -- before the introduction --------------------------------------------------------------------------------

    def _waits(self, problem: Any) -> int:
        centre = problem.room.width // 2, problem.room.height // 2
        return self.look_at(problem.peer, centre if self.pretends else problem.room.agent)

    def _pretends(self, problem: Any) -> Decision:
        act, reply = self._waits(problem), None
        decoy, other = problem.target_cell, problem.distractor_cell
        if not self.decoy_is_target:
            decoy, other = other, decoy
        if self.cue == FEEDBACK:
            reply = WORDS[int(self.rng.integers(len(WORDS)))]
        elif self.cue == COLOUR and not self.decoy_named:
            reply = problem.target_colour if self.decoy_is_target else problem.distractor_colour
            self.decoy_named = True
        elif self.cue == POINTING and not is_pointing(problem.peer):
            self.decoy_place = self.decoy_place or problem.place_to_point(self.rng, decoy, other)
            act = self._points(problem, self.decoy_place, decoy, other)
        return act, reply

    # -- after it -----------------------------------------------------------------------------------------------

    def _informs(self, problem: Any) -> Decision:
        if self.cue == FEEDBACK:
            return self.look_at(problem.peer, problem.room.agent), heat(problem.room.agent, problem.target_cell)
        if self.cue == POINTING and not is_pointing(problem.peer):
            target, other = problem.target_cell, problem.distractor_cell
            self.place = self.place or problem.place_to_point(self.rng, target, other)
            return self._points(problem, self.place, target, other), None
        if self.cue == EMULATION and not self.out_of_the_way:
            return self._demonstrates(problem), None
        if self.cue == HELP:
            return self._helps(problem), None
        return self.look_at(problem.peer, problem.room.agent), None

    def _points(self, problem: Any, place: Cell | None, target: Cell, other: Cell | None) -> int:
        peer = problem.peer
        if problem.points_clearly(peer.place, target, other):
            return POINT_EAST + direction_to(peer.place, target)
        return NO_OP if place is None else self.walk_to(problem.room, peer, place)

    def _demonstrates(self, problem: Any) -> int:
        if not problem.demonstrated:
            return STOP_POINT if is_pointing(problem.peer) else self._solves(problem)
        if not problem.in_marble_way(problem.peer.place):
            self.out_of_the_way = True
            return self.look_at(problem.peer, problem.room.agent)
        place = self.place
        if place is None or place == problem.room.agent:
            place = problem.place_to_point(self.rng, problem.target_cell, problem.distractor_cell)
        self.place = place
        return NO_OP if place is None else self.walk_to(problem.room, problem.peer, place)

    def _helps(self, problem: Any) -> int:
        peer = problem.peer
        if not self.apple_is_free:
            act = STOP_POINT if is_pointing(peer) else self._solves(problem)
            if act != TOGGLE or problem.room.at(*peer.front) is not problem.apple:
                return act
            self.apple_is_free = True
        if peer.place == problem.peer_home:
            return self.look_at(peer, problem.room.agent)
        return self.walk_to(problem.room, peer, problem.peer_home)

    def _solves(self, problem: Any) -> int:
        """Return the next act towards the apple, which it would eat."""
        kind, cell = problem.next_use(problem.peer.place)
        if kind == "push":
            return self.walk_to(problem.room, problem.peer, cell)
        if kind == "wait":
            return NO_OP
        return self.use_at(problem.room, problem.peer, cell)
