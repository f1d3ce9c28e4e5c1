"""AdversarialPeer: the apple is there, and is only a reward for one who eats it unseen by the guard."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from worlds.school.grid.codes import ANTAGONISTIC, COLOUR_NAMES
from worlds.school.grid.room import Cell
from worlds.school.grid.sight import view_cell
from worlds.school.grid.things import Apple
from worlds.school.parameters.names import OBSTACLES, value_of
from worlds.school.peers.body import Peer
from worlds.school.peers.guard import Guard
from worlds.school.problems.problem import Problem, Settings


class AdversarialPeer(Problem):
    """One episode; see :class:`worlds.school.problems.problem.Problem`."""

    smallest = 7

    def __init__(self, parameters: Mapping[str, str], settings: Settings, seed: int) -> None:
        self.is_social = value_of(parameters, "Version", ("Social", "Asocial")) == "Social"
        self.walks = value_of(parameters, "NPC_movement", ("Rotating", "Walking"), "Rotating") == "Walking"
        self.obstacles = OBSTACLES[value_of(parameters, "Obstacles", tuple(OBSTACLES), "No")]
        self.seen = False
        super().__init__(parameters, settings, seed)

    def lay_out(self) -> None:
        room, rng = self.room, self.rng
        for _ in range(int(rng.integers(*self.obstacles, endpoint=True))):
            x, y = int(rng.integers(1, room.width - 2)), int(rng.integers(1, room.height - 2))
            room.wall(x, y, 1, 1)
        self.apple = Apple()
        self.apple_cell = room.free_cell(rng)
        room.put(self.apple, self.apple_cell)
        if self.is_social:
            colour = COLOUR_NAMES[int(rng.integers(len(COLOUR_NAMES)))]
            self.peer = Peer(colour, ANTAGONISTIC, int(rng.integers(4)), self.settings.hidden_npc)
            room.put(self.peer, room.free_cell(rng))

    def goals(self) -> tuple[Cell, ...]:
        return (self.apple_cell,)

    def make_script(self, rng: np.random.Generator) -> Guard:
        return Guard(rng, self.walks)

    def before_agent(self) -> None:
        """Note whether the guard sees the agent."""
        self.seen = self.is_seen(self.room.agent)

    def is_seen(self, cell: Cell) -> bool:
        """Return True if the guard sees a cell now."""
        if self.peer is None:
            return False
        where = view_cell(*self.peer.place, self.peer.direction, cell)
        return where is not None and bool(self.room.seen_from(self.peer.place, self.peer.direction)[where])

    def wins(self) -> bool:
        """Return True if the agent ate unseen."""
        return not self.seen
