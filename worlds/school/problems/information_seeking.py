"""InformationSeeking: one of two objects gives the apple, and a caretaker knows which."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from worlds.errors import UserError
from worlds.school.grid.codes import COLOUR_NAMES, NO_OP, TOGGLE
from worlds.school.grid.paths import FAR, behind, distances
from worlds.school.grid.room import Cell, NoPlace
from worlds.school.grid.things import (
    Apple,
    AppleGenerator,
    BlockSet,
    Door,
    GeneratorPlatform,
    Lever,
    LockableBox,
    Marble,
    RemoteDoor,
    Switch,
    Thing,
)
from worlds.school.parameters.names import (
    COLOUR_COUNTS,
    CUE_TYPES,
    INFORMATION_PROBLEMS,
    INTRODUCTIONS,
    PROBLEMS,
    value_of,
)
from worlds.school.peers.body import Peer
from worlds.school.peers.caretaker import EMULATION, HELP, POINTING, Caretaker
from worlds.school.problems.layouts import draw_layout, line_is_clear, next_to
from worlds.school.problems.problem import Problem, Settings

Use = tuple[str, Cell]  # "use", "push" or "wait", and where
_TRIES = 100  # places that are drawn for a peer that should not bar the agent's way


class InformationSeeking(Problem):
    """One episode; see :class:`worlds.school.problems.problem.Problem`."""

    kinds = PROBLEMS
    peer_name = "Caretaker"

    def __init__(self, parameters: Mapping[str, str], settings: Settings, seed: int) -> None:
        self.kind = value_of(parameters, "Problem", INFORMATION_PROBLEMS)
        self.two = value_of(parameters, "N", ("1", "2"), "2") == "2"
        self.has_peer = value_of(parameters, "Peer", ("Y", "N"), "Y") == "Y"
        self.pretends = value_of(parameters, "JA_recursive", ("Y", "N"), "N") == "Y"
        value_of(parameters, "Pragmatic_frame_complexity", INTRODUCTIONS, "No")
        if value_of(parameters, "Scaffolding", ("Y", "N"), "N") == "Y":
            self.cue = HELP
            if self.pretends:
                raise UserError("JA_recursive is Y and Scaffolding is Y: a peer that helps gives no cues to pretend")
        else:
            self.cue = value_of(parameters, "Cue_type", CUE_TYPES, None if self.has_peer else CUE_TYPES[0])
        self.demonstrated = False
        self.flags: list[bool] = []
        super().__init__(parameters, settings, seed)

    # -- the room -----------------------------------------------------------------------------------------------

    def lay_out(self) -> None:
        count = int(value_of(self.parameters, "Num_of_colors", COLOUR_COUNTS, str(self.settings.n_colors)))
        order = [COLOUR_NAMES[number] for number in self.rng.permutation(count)]
        self.target_colour, self.distractor_colour = order[:2]
        self._rest = [COLOUR_NAMES[number] for number in self.rng.integers(count, size=2)]  # of what is no alternative
        self.layout = draw_layout(self.kind, self.room, self.rng, self.two)
        self.target_cell, self.distractor_cell = self.layout.target, self.layout.distractor
        self._furnish()
        if self.has_peer:
            colour = COLOUR_NAMES[int(self.rng.integers(len(COLOUR_NAMES)))]
            self.peer = Peer(colour, hidden=self.settings.hidden_npc)
            self._place_peer()

    def _furnish(self) -> None:
        """Make the things and put them to their places."""
        self.apple, self.things = Apple(), []
        self.marble: Marble | None = None
        alternatives: BlockSet = []
        self.uses = self._target(alternatives)
        if self.distractor_cell is not None:
            self._put(self._alternative(alternatives), self.distractor_cell)
        self.flags = self.flags or [False] * len(self.uses)

    def _put(self, thing: Thing, cell: Cell) -> None:
        self.things.append(thing)
        self.room.put(thing, cell)

    def _target(self, block_set: BlockSet) -> list[tuple[Any, str]]:
        """Put the target and what belongs to it, and return what has to become true of which to get the apple."""
        colour, where = self.target_colour, self.layout
        if self.kind == "Apples":
            self._put(self.apple, where.apple)
            self.target_colour = self.apple.color
            return []
        if self.kind == "Boxes":
            box = LockableBox(colour, self.apple, block_set=block_set)
            self._put(box, where.target)
            return [(box, "is_open")]
        if self.kind == "Switches":
            box = LockableBox(self._rest[0], self.apple, is_locked=True, block_set=[])
            switch = Switch(colour, box, not self.settings.switch_no_light, block_set)
            self._put(box, where.apple)
            self._put(switch, where.target)
            return [(switch, "is_on"), (box, "is_open")]
        if self.kind in ("Generators", "Marble"):
            return self._generator(block_set)
        self._put(self.apple, where.apple)
        assert where.door is not None
        if self.kind == "Doors":
            door = Door(colour, block_set)
            self._put(door, where.target)
            return [(door, "is_open")]
        gate = RemoteDoor(self._rest[0])
        lever = Lever(colour, gate, block_set=block_set)
        self._put(gate, where.door)
        self._put(lever, where.target)
        return [(lever, "is_on")]

    def _generator(self, block_set: BlockSet) -> list[tuple[Any, str]]:
        where = self.layout
        generator = AppleGenerator(self.target_colour, self.kind == "Marble", block_set)
        generator.yields.append((self.apple, where.apple))
        self._put(GeneratorPlatform(self._rest[0]), where.apple)
        self._put(generator, where.target)
        if where.marble is None:
            return [(generator, "is_pressed")]
        self.marble = Marble(self._rest[1])
        self._put(self.marble, where.marble)
        return [(self.marble, "was_pushed")]

    def _alternative(self, block_set: BlockSet) -> Thing:
        """Return the distractor, which looks like the target in another colour and gives nothing."""
        colour = self.distractor_colour
        if self.kind == "Boxes":
            return LockableBox(colour, block_set=block_set)
        if self.kind == "Switches":
            return Switch(colour, light=not self.settings.switch_no_light, block_set=block_set)
        if self.kind == "Doors":
            return Door(colour, block_set)
        if self.kind == "Levers":
            return Lever(colour, block_set=block_set)
        return AppleGenerator(colour, self.kind == "Marble", block_set)

    def _place_peer(self) -> None:
        assert self.peer is not None

        def accepts(x: int, y: int) -> bool:
            return not self._is_before_door((x, y)) and not self.in_marble_way((x, y))

        self.peer_home = self.room.free_cell(self.rng, accepts)
        self.peer.under = None
        self.room.put(self.peer, self.peer_home)

    def _is_before_door(self, cell: Cell) -> bool:
        if self.layout.door is None:
            return False
        doors = (self.layout.door, self.distractor_cell if self.kind == "Doors" else None)
        return any(door is not None and next_to(cell, door) for door in doors)

    def goals(self) -> tuple[Cell, ...]:
        where = self.layout
        if where.marble is not None:
            return where.apple, behind(where.marble, where.target)
        if where.door is not None:
            return where.target, where.door
        return where.apple, where.target

    def can_be_solved(self) -> bool:
        """Return True if a peer that solves the problem also has a way, and one that points a place to point from."""
        if not super().can_be_solved():
            return False
        if self.peer is None:
            return True
        if self.cue in (EMULATION, HELP):
            return all(self.room.connects(self.peer.place, cell) for cell in self.goals())
        if self.cue != POINTING:
            return True
        meant = [(self.target_cell, self.distractor_cell)]
        if self.pretends and self.distractor_cell is not None:
            meant.append((self.distractor_cell, self.target_cell))
        return all(self.place_to_point(self.rng, one, other) is not None for one, other in meant)

    # -- a step -------------------------------------------------------------------------------------------------

    def things_move(self) -> None:
        if self.marble is not None:
            self.marble.step(self.room)

    def before_agent(self) -> None:
        self._before = [getattr(thing, name) for thing, name in self.uses]

    def after_agent(self) -> None:
        """Note which of the necessary uses the agent itself has made."""
        for number, (thing, name) in enumerate(self.uses):
            if getattr(thing, name) and not self._before[number]:
                self.flags[number] = True

    def wins(self) -> bool:
        """Return True, unless the agent has let the peer that demonstrates do its work."""
        return self.cue != EMULATION or all(self.flags)

    def redirect(self, act: int) -> int:
        """A peer that demonstrates and toggles the apple that it has eaten brings everything back to the beginning."""
        if act != TOGGLE or self.cue != EMULATION or self.agent_ate or not self.apple.eaten or self.peer is None:
            return act
        if self.room.at(*self.peer.front) is not self.apple:
            return act
        self._revert()
        return NO_OP

    def _revert(self) -> None:
        assert self.peer is not None
        self.room.put(self.peer.under, self.peer.place)
        moved = [] if self.marble is None else [self.marble.tee]
        for thing in (*self.things, self.apple, *moved):
            if thing.at is not None:
                self.room.put(None, thing.at)
        self._furnish()
        self._place_peer()
        for _ in range(_TRIES):
            if super().can_be_solved():
                break
            self.room.put(None, self.peer_home)
            self._place_peer()
        self.demonstrated = True

    def is_lost(self) -> bool:
        """Return True once a right thing is blocked before it was used."""
        return any(getattr(thing, "blocked", False) and not getattr(thing, name) for thing, name in self._judged())

    def _judged(self) -> list[tuple[Any, str]]:
        """Return what shows whether uses were right: they themselves, but a marble may be pushed anywhere."""
        return self.uses if self.marble is None else [(self.room.at(*self.layout.target), "is_pressed")]

    def milestones(self) -> list[tuple[str, int]]:
        """Return also the uses that the agent made, and right things that are blocked."""
        found = super().milestones()
        for (thing, name), by_agent in zip(self._judged(), self.flags, strict=True):
            if by_agent and getattr(thing, name):
                found.append((f"used the right {thing.type}", 1))
            elif getattr(thing, "blocked", False) and not getattr(thing, name):
                found.append((f"blocked the right {thing.type}", -1))
        return found

    # -- what scripts ask ---------------------------------------------------------------------------------------

    def make_script(self, rng: np.random.Generator) -> Caretaker:
        return Caretaker(rng, self.cue, self.pretends, 1 if self.distractor_cell is None else 2)

    def next_use(self, cell: Cell, target: Cell | None = None) -> Use:
        """Return what one who stands in a cell has to do next to eat the apple, and where.

        This is to "use" what is there by toggling it, to "push", which is to walk into it, or to "wait". ``target`` is
        the object that it takes for the right one.
        """
        where = self.layout
        if target is not None and target != where.target:
            return self._next_push(cell, target) if self.marble is not None else (self._how(), target)
        if self.marble is not None:
            generator = self.room.at(*where.target)
            if getattr(generator, "is_pressed", False):
                return "use", where.apple
            return self._next_push(cell, where.target)
        if not self.uses or getattr(*self.uses[0]):
            return "use", where.apple
        return self._how(), where.target

    def _how(self) -> str:
        return "push" if self.kind == "Generators" else "use"

    def _next_push(self, cell: Cell, target: Cell) -> Use:
        assert self.marble is not None
        (x, y), (a, b) = self.marble.place, target
        if self.marble.direction is not None or (x != a and y != b):
            return "wait", cell
        start = behind((x, y), target)
        return "push", (x, y) if cell == start else start

    def in_marble_way(self, cell: Cell) -> bool:
        """Return True for a cell in one line with the marble's first place and a generator."""
        if self.layout.marble is None:
            return False
        marble, generators = self.layout.marble, (self.target_cell, self.distractor_cell)
        return any(other is not None and any(cell[k] == marble[k] == other[k] for k in (0, 1)) for other in generators)

    def points_clearly(self, cell: Cell, target: Cell, other: Cell | None) -> bool:
        """Return True if who points from a cell at a target means no other thing, and is in nobody's way."""
        if self.in_marble_way(cell) or self._is_before_door(cell) or cell == target:
            return False
        for same in (0, 1):
            if cell[same] != target[same]:
                continue
            if not line_is_clear(self.room, cell, target):
                return False
            along = 1 - same
            if other is None or other[same] != cell[same]:
                return True
            return (other[along] < cell[along]) == (cell[along] < target[along])
        return False

    def place_to_point(self, rng: np.random.Generator, target: Cell, other: Cell | None) -> Cell | None:
        """Return a random cell that the peer can reach to point at a target and at no ``other`` thing; None if there is
        none now.
        """
        assert self.peer is not None
        away = distances(self.room.solid, *self.peer.place)

        def reachable(x: int, y: int) -> bool:
            return away[x, y] < FAR and self.points_clearly((x, y), target, other)

        try:
            return self.room.free_cell(rng, reachable)
        except NoPlace:
            return None
