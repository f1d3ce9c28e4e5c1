"""Collaboration around one generator, which gives an apple to each side: MarblePass, MarblePush and LeverDoor."""

from __future__ import annotations

import numpy as np

from worlds.school.grid.paths import FAR, behind, distances
from worlds.school.grid.room import Cell, NoPlace
from worlds.school.grid.things import AppleGenerator, GeneratorPlatform, Lever, Marble, RemoteDoor
from worlds.school.peers.partners import LeverDoorPartner, MarblePassPartner, MarblePushPartner
from worlds.school.peers.script import Script
from worlds.school.problems.collaboration import LEFT_SIDE, RIGHT_SIDE, Collaboration


class SharedGenerator(Collaboration):
    """One episode of the three problems; see the base."""

    generator: AppleGenerator
    door: RemoteDoor
    lever: Lever

    def _put_platforms(self, *rows: int, column: int = -1) -> None:
        """Put the platforms of both apples."""
        self.apple_cells: dict[str, Cell] = {}
        for side in (LEFT_SIDE, RIGHT_SIDE):
            without = column if side == RIGHT_SIDE else -1
            cell = self.room.free_cell(self.rng, lambda x, y, no=without: y not in rows and x != no, self.half(side))
            self.room.put(GeneratorPlatform(self.colour()), cell)
            self.apple_cells[side] = cell
        self.generator.yields = [(self.apple_of(side), cell) for side, cell in self.apple_cells.items()]

    def _put_behind_door(self) -> tuple[int, int]:
        """Put the generator into the right wall and a door before it; return the cell of the door."""
        room = self.room
        x, y = room.width - 1, int(self.rng.integers(1, room.height - 1))
        room.put(self.generator, (x, y))
        self.door = RemoteDoor(self.colour())
        self.door.is_open = not self.is_social
        room.put(self.door, (x - 1, y))
        return x - 1, y

    def _lever_use(self) -> list[tuple[str, int]]:
        """Return what the use of the lever was worth."""
        if not self.lever.was_activated:
            return []
        late = not self.door.is_open and not self.generator.is_pressed
        return [("pulled the lever", 1)] + [("the door closed too early", -1)] * late


class MarblePass(SharedGenerator):
    """The left side pushes a marble to the right, where it is pushed into the generator."""

    def furnish(self) -> None:
        room, rng = self.room, self.rng
        fence, last = room.width // 2, room.width - 2
        room.fence(fence)
        self.generator = AppleGenerator(self.colour(), by_marble=True)
        height = int(rng.integers(1, room.height - 1))
        rows = [y for y in range(2, room.height - 2) if y != height]
        if not rows:
            raise NoPlace("no row is left for the marble")
        row = rows[int(rng.integers(len(rows)))]
        room.put(self.generator, (last, height))
        self.marble = Marble(self.colour())
        if self.is_social:
            room.put(None, (fence, row))
        room.put(self.marble, (fence - int(rng.integers(2)) if self.is_social else last, row))
        self._put_platforms(height, row, column=last)
        # Once the marble is in its column, one still has to get behind it from everywhere.
        solid = room.solid.copy()
        solid[last, row] = True
        steps = distances(solid, *behind((last, row), (last, height)))
        if any(steps[x, y] >= FAR for x in range(fence + 1, last + 1) for y in range(room.height) if not solid[x, y]):
            raise NoPlace("the marble hides the place from which it is pushed")

    def achieved(self, side: str) -> list[tuple[str, int]]:
        if side == RIGHT_SIDE:
            return [("brought the marble to the generator", 1)] if self.generator.is_pressed else []
        if not self.marble.was_pushed:
            return []
        lost = self.marble.direction is None and self.marble.place[0] != self.generator.place[0]
        return [("pushed the marble astray", -1)] if lost else [("pushed the marble", 1)]

    def suits_partner(self, x: int, y: int) -> bool:
        """Return True outside the marble's row and the generator's column."""
        return x != self.generator.place[0] and y != self.marble.place[1]

    def tasks(self, side: str) -> tuple[Cell, ...]:
        (x, y), generator = self.marble.place, self.generator.place
        push = (x - 1, y) if side == LEFT_SIDE else behind((generator[0], y), generator)
        return push, self.apple_cells[side]

    def make_script(self, rng: np.random.Generator) -> Script:
        return MarblePassPartner(rng, on_left=self.side == RIGHT_SIDE)

    def things_move(self) -> None:
        """Have the marble roll."""
        self.marble.step(self.room)


class MarblePush(SharedGenerator):
    """The left side pushes a marble through a door, which the right side holds open with a lever."""

    def furnish(self) -> None:
        room, rng = self.room, self.rng
        fence = room.width // 2
        room.fence(fence)
        self.generator = AppleGenerator(self.colour(), by_marble=True)
        x, row = self._put_behind_door()
        self.marble = Marble(self.colour())
        room.put(None, (fence, row))
        room.put(self.marble, (fence - int(rng.integers(2)), row))
        self.lever = Lever(self.colour(), self.door, self.settings.lever_active_steps)
        room.put(self.lever, room.free_cell(rng, within=(x, row - 1, 1, 3)))
        self._put_platforms(row)

    def achieved(self, side: str) -> list[tuple[str, int]]:
        if side == RIGHT_SIDE:
            return self._lever_use()
        if not self.marble.was_pushed:
            return []
        stopped = self.marble.direction is None and not self.generator.is_pressed
        return [("pushed the marble", 1)] + [("the marble stopped", -1)] * stopped

    def suits_partner(self, x: int, y: int) -> bool:
        """Return True outside the marble's row."""
        return y != self.marble.place[1]

    def tasks(self, side: str) -> tuple[Cell, ...]:
        x, y = self.marble.place
        return (x - 1, y) if side == LEFT_SIDE else self.lever.place, self.apple_cells[side]

    def make_script(self, rng: np.random.Generator) -> Script:
        return MarblePushPartner(rng, on_left=self.side == RIGHT_SIDE)

    def things_move(self) -> None:
        """Have the marble roll, and the lever count down."""
        self.marble.step(self.room)
        self.lever.step(self.room)


class LeverDoor(SharedGenerator):
    """The left side opens a door with a lever, through which the right side walks to the generator."""

    def furnish(self) -> None:
        room = self.room
        room.fence(room.width // 2)
        self.generator = AppleGenerator(self.colour())
        self._put_behind_door()
        self.lever = Lever(self.colour(), self.door, self.settings.lever_active_steps)
        room.put(self.lever, room.free_cell(self.rng, within=self.half(LEFT_SIDE)))
        self._put_platforms()

    def achieved(self, side: str) -> list[tuple[str, int]]:
        if side == LEFT_SIDE:
            return self._lever_use()
        return [("reached the generator", 1)] if self.generator.is_pressed else []

    def tasks(self, side: str) -> tuple[Cell, ...]:
        return self.lever.place if side == LEFT_SIDE else self.door.place, self.apple_cells[side]

    def make_script(self, rng: np.random.Generator) -> Script:
        return LeverDoorPartner(rng, on_left=self.side == RIGHT_SIDE)

    def things_move(self) -> None:
        """Have the lever count down."""
        self.lever.step(self.room)
