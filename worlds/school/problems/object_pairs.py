"""Collaboration with pairs of objects: the box that one opens on the right chooses the object to use on the left."""

from __future__ import annotations

import numpy as np

from worlds.school.grid.paths import FAR, behind, between, distances
from worlds.school.grid.room import Cell, NoPlace
from worlds.school.grid.things import (
    Apple,
    AppleGenerator,
    BlockSet,
    GeneratorPlatform,
    LockableBox,
    Marble,
    Switch,
)
from worlds.school.peers.partners import PairPartner
from worlds.school.peers.script import Script
from worlds.school.problems.collaboration import LEFT_SIDE, RIGHT_SIDE, Collaboration, Half

Candidate = LockableBox | Switch | AppleGenerator


class ObjectPairs(Collaboration):
    """One episode of Boxes, Switches, Generators or Marble; see the base.

    On the right are two boxes of two colours with the apple in either. On the left are two objects of these colours, of
    which the one with the colour of the opened box gives the other apple.
    """

    def half(self, side: str) -> Half:
        """Return a half; here the fence is one column further to the right."""
        width, height = self.room.width, self.room.height
        return (0, 0, width // 2, height) if side == LEFT_SIDE else (width - width // 2 + 1, 0, width // 2 - 1, height)

    def furnish(self) -> None:
        room, rng = self.room, self.rng
        room.fence(room.width // 2 + 1)
        self.chosen: Candidate | None = None
        self.marble: Marble | None = None
        self.apple_cell: Cell | None = None
        self.locked: LockableBox | None = None
        numbers = rng.permutation(len(self.colours))[:2]
        right, left = ([self.colours[each] for each in order] for order in (numbers, rng.permutation(numbers)))
        block_set: BlockSet = []
        self.boxes = [LockableBox(colour, self.apple_of(RIGHT_SIDE), block_set=block_set) for colour in right]
        for box in self.boxes:
            room.put(box, room.free_cell(rng, within=self.half(RIGHT_SIDE)))
        build = {"Boxes": self._boxes, "Switches": self._switches}.get(self.kind, self._generators)
        self.candidates = build(left)

    def _free(self) -> Cell:
        return self.room.free_cell(self.rng, within=self.half(LEFT_SIDE))

    def _boxes(self, colours: list[str]) -> list[Candidate]:
        block_set: BlockSet = []
        boxes: list[Candidate] = [LockableBox(colour, block_set=block_set) for colour in colours]
        for box in boxes:
            self.room.put(box, self._free())
        return boxes

    def _switches(self, colours: list[str]) -> list[Candidate]:
        self.apple_cell = self._free()
        self.locked = LockableBox(colours[0], is_locked=True, block_set=[])
        self.room.put(self.locked, self.apple_cell)
        block_set: BlockSet = []
        light = not self.settings.switch_no_light
        switches: list[Candidate] = [Switch(colour, light=light, block_set=block_set) for colour in colours]
        for switch in switches:
            self.room.put(switch, self._free())
        return switches

    def _generators(self, colours: list[str]) -> list[Candidate]:
        block_set: BlockSet = []
        by_marble = self.kind == "Marble"
        generators: list[Candidate] = [AppleGenerator(colour, by_marble, block_set) for colour in colours]
        self.apple_cell = self._free()
        self.room.put(GeneratorPlatform(self.colour()), self.apple_cell)
        if by_marble:
            self._put_marble(generators, self.apple_cell)
        else:
            for generator in generators:
                self.room.put(generator, self._free())
        return generators

    def _put_marble(self, generators: list[Candidate], platform: Cell) -> None:
        """Put the first generator and the marble on one line, and the second on the line across it."""
        room, rng, half = self.room, self.rng, self.half(LEFT_SIDE)
        below = room.height - 2

        def holds_generator(x: int, y: int) -> bool:
            return (x, y) not in ((1, 1), (1, below)) and x != platform[0] and y != platform[1]

        first = room.free_cell(rng, holds_generator, half)
        room.put(generators[0], first)

        def holds_marble(x: int, y: int) -> bool:
            return (x == first[0] or y == first[1]) and x != 1 and y not in (1, below)

        marble = room.free_cell(rng, holds_marble, half)
        self.marble = Marble(self.colour())
        room.put(self.marble, marble)
        across = int(marble[0] != first[0])
        second = room.free_cell(rng, lambda x, y: (x, y)[1 - across] == marble[1 - across], half)
        room.put(generators[1], second)
        for generator in (first, second):
            self._check_marble(marble, generator, platform)

    def _check_marble(self, marble: Cell, generator: Cell, platform: Cell) -> None:
        """Raise NoPlace if the marble cannot be pushed to a generator, or then hides the apple."""
        start, way = behind(marble, generator), between(marble, generator)
        solid = self.room.solid.copy()
        if any(solid[cell] for cell in (start, *way)):
            raise NoPlace("the marble does not reach a generator")
        solid[way[-1] if way else marble] = True
        if distances(solid, *platform)[start] >= FAR:
            raise NoPlace("the marble hides the apple")

    def suits_partner(self, x: int, y: int) -> bool:
        """Return True outside the lines on which the marble rolls."""
        if self.marble is None or self.side == LEFT_SIDE:
            return True
        return x != self.marble.place[0] and y != self.marble.place[1]

    def tasks(self, side: str) -> tuple[Cell, ...]:
        """Return either box on the right, and all objects on the left, as any of them may be needed."""
        if side == RIGHT_SIDE:
            return tuple(box.place for box in self.boxes)
        used = [candidate.place for candidate in self.candidates]
        if self.marble is not None:
            used = [behind(self.marble.place, cell) for cell in used]
        return (*used, self.apple_cell) if self.apple_cell is not None else tuple(used)

    def make_script(self, rng: np.random.Generator) -> Script:
        return PairPartner(rng, on_left=self.side == RIGHT_SIDE)

    def half_is_over(self) -> bool:
        """Return True once agent and partner have eaten."""
        return self.agent_ate and self.partner_apple.eaten

    # -- a step -------------------------------------------------------------------------------------------------

    def things_move(self) -> None:
        """Have the marble roll."""
        if self.marble is not None:
            self.marble.step(self.room)

    def after_agent(self) -> None:
        """Have the object with the colour of an opened box give the apple."""
        opened = next((box for box in self.boxes if box.is_open), None)
        if opened is None or self.chosen is not None:
            return
        self.chosen = next(candidate for candidate in self.candidates if candidate.color == opened.color)
        apple: Apple = self.apple_of(LEFT_SIDE)
        if isinstance(self.chosen, LockableBox):
            self.chosen.contains = apple
        elif isinstance(self.chosen, Switch):
            assert self.locked is not None
            self.chosen.box, self.locked.contains = self.locked, apple
        else:
            assert self.apple_cell is not None
            self.chosen.yields = [(apple, self.apple_cell)]

    def achieved(self, side: str) -> list[tuple[str, int]]:
        if side == RIGHT_SIDE:
            if any(box.is_open for box in self.boxes):
                return [("opened a box", 1)]
            return [("blocked both boxes", -1)] if self.boxes[0].blocked else []
        if self.chosen is None:
            return [("used an object too early", -1)] if self.candidates[0].blocked else []
        # What was used before it was chosen has given nothing.
        unlocked = self.locked is not None and not self.locked.is_locked
        if unlocked or self.apple_of(LEFT_SIDE).at is not None:
            return [(f"used the right {self.chosen.type}", 1)]
        return [(f"blocked the right {self.chosen.type}", -1)] if self.chosen.blocked else []
