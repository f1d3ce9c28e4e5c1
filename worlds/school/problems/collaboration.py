"""Collaboration: agent and partner on two sides of a fence, each of whom has an apple that needs both to get."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from worlds.school.grid.codes import COLOUR_NAMES
from worlds.school.grid.room import Cell, NoPlace, Room
from worlds.school.grid.things import Apple
from worlds.school.parameters.names import COLOUR_COUNTS, JOINT_PROBLEMS, value_of
from worlds.school.peers.body import Peer
from worlds.school.problems.problem import Problem, Settings

LEFT_SIDE, RIGHT_SIDE = "L", "R"
_TRIES = 100  # places of agent and partner that are drawn when they change sides
Half = tuple[int, int, int, int]  # x, y, width and height


class Collaboration(Problem):
    """One episode; see :class:`worlds.school.problems.problem.Problem`.

    Role A is the left side's, role B the right side's. Without a partner (version Asocial) the agent is on the right.
    Role Meta is B until the agent has eaten, then A in the same room, for half of the reward each.
    """

    peer_name = "Partner"
    kinds: ClassVar[tuple[str, ...]] = JOINT_PROBLEMS

    def __init__(self, parameters: Mapping[str, str], settings: Settings, seed: int) -> None:
        self.kind = value_of(parameters, "Problem", JOINT_PROBLEMS)
        self.is_social = value_of(parameters, "Version", ("Social", "Asocial"), "Social") == "Social"
        value_of(parameters, "Obstacles", ("No",), "No")
        role = value_of(parameters, "Role", ("A", "B", "Meta"))
        self.plays_both = role == "Meta" and self.is_social
        self._furniture: Mapping[str, Any] | None = None  # state of the generator from which the room is furnished
        self.side = LEFT_SIDE if role == "A" and self.is_social else RIGHT_SIDE
        self.colours = COLOUR_NAMES[: int(value_of(parameters, "Num_of_colors", COLOUR_COUNTS, COLOUR_COUNTS[-1]))]
        super().__init__(parameters, settings, seed)

    # -- what a problem writes ----------------------------------------------------------------------------------

    @abstractmethod
    def furnish(self) -> None:
        """Put fence and things into the room."""

    def half(self, side: str) -> Half:
        """Return the rectangle in which a side's things are."""
        width = self.room.width // 2
        return (0 if side == LEFT_SIDE else self.room.width - width, 0, width, self.room.height)

    def suits_partner(self, x: int, y: int) -> bool:
        """Return True for cells in which the partner may begin."""
        return True

    @abstractmethod
    def tasks(self, side: str) -> tuple[Cell, ...]:
        """Return the cells that one has to be able to reach on a side; rooms in which it is not so are redrawn."""

    @abstractmethod
    def achieved(self, side: str) -> list[tuple[str, int]]:
        """Return what a side has done that counts: in words, and 1 for progress or -1 for regress."""

    def milestones(self) -> list[tuple[str, int]]:
        """Return what the agent's side has done, and the outcome."""
        return self.achieved(self.side) + self.outcome()

    # -- the room -----------------------------------------------------------------------------------------------

    def lay_out(self) -> None:
        self._furniture = dict(self.rng.bit_generator.state)
        self.apple, self.partner_apple = Apple(), Apple()
        self.furnish()
        if self.is_social:
            self._place_partner(self.colour())

    def _place_partner(self, colour: str) -> None:
        other = LEFT_SIDE if self.side == RIGHT_SIDE else RIGHT_SIDE
        self.peer = Peer(colour, hidden=self.settings.hidden_npc)
        self.room.put(self.peer, self.room.free_cell(self.rng, self.suits_partner, self.half(other)))
        if any(not self.room.connects(self.peer.place, cell) for cell in self.tasks(other)):
            raise NoPlace("the partner cannot reach what it has to use")

    def place_agent(self) -> None:
        """Put the agent into a random free cell of its side, looking anywhere."""
        self.room.agent = self.room.free_cell(self.rng, within=self.half(self.side))
        self.room.direction = int(self.rng.integers(4))

    def goals(self) -> tuple[Cell, ...]:
        return self.tasks(self.side)

    def colour(self) -> str:
        """Return a random colour."""
        return self.colours[int(self.rng.integers(len(self.colours)))]

    def apple_of(self, side: str) -> Apple:
        """Return the apple of a side."""
        return self.apple if side == self.side else self.partner_apple

    # -- both sides, one after the other ------------------------------------------------------------------------

    def half_is_over(self) -> bool:
        """Return True if a half of role Meta has succeeded."""
        return self.agent_ate

    def peer_acts(self, primitive: int | None, act: int, reply: str | None) -> float:
        reward = super().peer_acts(primitive, act, reply)
        if not self.plays_both or not self.success:
            return reward
        over = self.half_is_over()
        if over and self.side == LEFT_SIDE:
            return reward / 2
        self.success = False
        self.ended = self.timed_out = self.steps >= self.settings.max_steps
        if over and not self.ended:
            self._change_sides()
        return reward / 2 if over else 0.0

    def _change_sides(self) -> None:
        """Furnish the room as it was, with the agent on the left and the partner on the right."""
        assert self.peer is not None and self._furniture is not None
        colour, width, height = self.peer.color, self.room.width, self.room.height
        self.side, self.agent_ate = LEFT_SIDE, False
        for _ in range(_TRIES):
            self.room = Room(self.settings.size, width, height)
            self.room.wall(0, 0, width, height)
            self.apple, self.partner_apple = Apple(), Apple()
            now = self.rng.bit_generator.state
            self.rng.bit_generator.state = self._furniture
            self.furnish()
            self.rng.bit_generator.state = now
            try:
                self._place_partner(colour)
                self.place_agent()
            except NoPlace:
                continue
            if self.can_be_solved():
                break
        self.script = self.make_script(self.rng)
