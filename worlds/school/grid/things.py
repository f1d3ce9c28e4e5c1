"""Objects of a room: what they look like in observations, and what happens when they are toggled or walked into.

They are MiniGrid's :class:`~minigrid.core.world_object.WorldObj`, so its pictures of tiles show them. Those that are
alternatives to each other, a target and its distractor, share a block set: using one blocks all, and so does walking
into one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minigrid.core.world_object import WorldObj

from worlds.school.grid.codes import CHANNELS, COLOURS, NONE, OBJECTS

if TYPE_CHECKING:
    from worlds.school.grid.room import Room

BlockSet = list["Blockable"]


class Thing(WorldObj):
    """An object in a cell (x, y), or in none."""

    movable = False  # walking into it does something

    def __init__(self, kind: str, colour: str) -> None:
        # Not WorldObj's constructor, which knows MiniGrid's own names only.
        self.type, self.color = kind, colour
        self.contains: Any = None
        self.init_pos = self.cur_pos = None
        self.at: tuple[int, int] | None = None
        self.under: Thing | None = None

    @property
    def place(self) -> tuple[int, int]:
        """Cell in which it is, (x, y), for a thing that is in one."""
        assert self.at is not None
        return self.at

    def state(self) -> tuple[int, ...]:
        """Return the channels after object and colour, as far as they are not zero."""
        return ()

    def encode(self) -> tuple[int, ...]:  # type: ignore[override]
        """Return its channels, directions absolute: CHANNELS numbers."""
        own = OBJECTS[self.type], COLOURS[self.color], *self.state()
        return own + (0,) * (CHANNELS - len(own))

    def use(self, room: Room) -> bool:
        """Toggle it. Returns True if something has happened."""
        return False

    def bump(self, room: Room, direction: int, by: Thing | None) -> bool:
        """Be walked into by a thing, or by the agent (None). Return True if something has happened."""
        return False


class Wall(Thing):
    """A wall."""

    def __init__(self) -> None:
        super().__init__("wall", "grey")

    def see_behind(self) -> bool:
        """Return False."""
        return False


class Fence(Thing):
    """A fence: nobody crosses it, everybody sees through it."""

    def __init__(self) -> None:
        super().__init__("fence", "grey")


class Blockable(Thing):
    """An object that using or walking into one of its block set, to which it adds itself, blocks."""

    movable = True

    def __init__(self, kind: str, colour: str, block_set: BlockSet | None = None) -> None:
        super().__init__(kind, colour)
        self.blocked, self.block_set = False, block_set
        if block_set is not None:
            block_set.append(self)

    def block(self) -> bool:
        """Block the block set. Returns False if it was blocked."""
        if self.blocked:
            return False
        for thing in self.block_set or ():
            thing.blocked = True
        return True

    def bump(self, room: Room, direction: int, by: Thing | None) -> bool:
        """Block the block set, and activate nothing."""
        return self.block()

    def use(self, room: Room) -> bool:
        """Block the block set."""
        return self.block()


class _Gate(Blockable):
    """What is open or closed."""

    is_open = False

    def can_overlap(self) -> bool:
        """Return True while it is open."""
        return self.is_open

    def see_behind(self) -> bool:
        """Return True while it is open."""
        return self.is_open

    def state(self) -> tuple[int, ...]:
        """Return 0 for open and 1 for closed."""
        return (0 if self.is_open else 1,)


class Door(_Gate):
    """A door that is toggled, once if it has a block set."""

    def __init__(self, colour: str, block_set: BlockSet | None = None) -> None:
        super().__init__("door", colour, block_set)

    def use(self, room: Room) -> bool:
        """Open or close it."""
        if self.blocked:
            return False
        self.is_open = not self.is_open
        self.block()
        room.refresh(self)
        return True


class RemoteDoor(_Gate):
    """A door that a lever opens."""

    def __init__(self, colour: str) -> None:
        super().__init__("remotedoor", colour)

    def swing(self, room: Room) -> None:
        """Open it if it is closed, and the other way round."""
        self.is_open = not self.is_open
        room.refresh(self)


class Lever(Blockable):
    """A lever that opens a remote door, once, and closes it after ``active_steps``; a distractor has no door."""

    def __init__(
        self,
        colour: str,
        door: RemoteDoor | None = None,
        active_steps: int | None = None,
        block_set: BlockSet | None = None,
    ) -> None:
        super().__init__("lever", colour, block_set)
        self.door, self.active_steps = door, active_steps
        self.is_on = self.was_activated = False
        self.countdown: int | None = None

    def state(self) -> tuple[int, ...]:
        """Return 1 for pulled, and the steps that are left of it, NONE without a countdown."""
        return int(self.is_on), NONE if self.countdown is None else self.countdown

    def use(self, room: Room) -> bool:
        """Pull it; a lever that is pulled is let go."""
        if self.blocked or (self.was_activated and not self.is_on):
            return False
        self.is_on = not self.is_on
        if self.is_on:
            self.countdown, self.was_activated = self.active_steps, True
        if self.door is not None:
            self.door.swing(room)
        if self.is_on:
            self.block()
        room.refresh(self)
        return True

    def step(self, room: Room) -> None:
        """Count down, and let go at zero."""
        if self.countdown is None:
            return
        self.countdown -= 1
        if self.countdown <= 0:
            self.use(room)
            self.countdown = None
        room.refresh(self)


class LockableBox(Blockable):
    """A box, in whose place its contents are once it is opened."""

    def __init__(
        self, colour: str, contains: Thing | None = None, is_locked: bool = False, block_set: BlockSet | None = None
    ) -> None:
        super().__init__("lockablebox", colour, block_set)
        self.contains, self.is_locked, self.is_open = contains, is_locked, False

    def state(self) -> tuple[int, ...]:
        """Return 1 for closed and 2 for locked; an open box is no more."""
        return (2 if self.is_locked else 1,)

    def use(self, room: Room) -> bool:
        """Open it, unless it is locked; trying a locked box blocks nothing."""
        if self.blocked or self.is_locked:
            return False
        self.is_open = True
        room.replace(self, self.contains)
        self.block()
        return True

    def unlock(self, room: Room) -> None:
        """Unlock it."""
        self.is_locked = False
        room.refresh(self)


class Switch(Blockable):
    """A switch that unlocks a box, once; a distractor has none."""

    def __init__(
        self, colour: str, box: LockableBox | None = None, light: bool = False, block_set: BlockSet | None = None
    ) -> None:
        super().__init__("switch", colour, block_set)
        self.box, self.light, self.is_on = box, light, False

    def state(self) -> tuple[int, ...]:
        """Return 1 where it is on and has a light."""
        return (int(self.is_on and self.light),)

    def use(self, room: Room) -> bool:
        """Switch it on."""
        if self.blocked or self.is_on:
            return False
        self.is_on = True
        if self.box is not None:
            self.box.unlock(room)
        self.block()
        room.refresh(self)
        return True


class Apple(Thing):
    """An apple: red, and yellow once it is eaten."""

    def __init__(self) -> None:
        super().__init__("apple", "red")
        self.eaten = False

    def use(self, room: Room) -> bool:
        """Eat it."""
        if self.eaten:
            return False
        self.eaten, self.color = True, "yellow"
        room.refresh(self)
        return True


class GeneratorPlatform(Thing):
    """The place at which a generator puts its apple."""

    def __init__(self, colour: str) -> None:
        super().__init__("generatorplatform", colour)


class AppleGenerator(Blockable):
    """A generator of apples, activated by being walked into, or by a marble that rolls into it."""

    def __init__(self, colour: str, by_marble: bool = False, block_set: BlockSet | None = None) -> None:
        super().__init__("applegenerator", colour, block_set)
        self.by_marble, self.is_pressed = by_marble, False
        self.yields: list[tuple[Apple, tuple[int, int]]] = []

    def state(self) -> tuple[int, ...]:
        """Return 1 for one that is walked into and 2 for one of marbles."""
        return (2 if self.by_marble else 1,)

    def bump(self, room: Room, direction: int, by: Thing | None) -> bool:
        """Put apples to their places; what does not activate it blocks it."""
        if self.by_marble and not isinstance(by, Marble):
            return self.block()
        if self.blocked:
            return False
        if not self.is_pressed:
            self.is_pressed = True
            for apple, cell in self.yields:
                room.put(apple, cell)
        return self.block()


class MarbleTee(Thing):
    """What is left where a marble lay."""

    def __init__(self, colour: str) -> None:
        super().__init__("marbletee", colour)


class Marble(Thing):
    """A marble that rolls a cell a step until something is in its way, which it bumps into."""

    movable = True

    def __init__(self, colour: str) -> None:
        super().__init__("marble", colour)
        self.direction: int | None = None
        self.was_pushed, self.tee = False, MarbleTee(colour)

    def bump(self, room: Room, direction: int, by: Thing | None) -> bool:
        """Begin to roll."""
        self.direction, self.was_pushed = direction, True
        return True

    def step(self, room: Room) -> None:
        """Roll on by a cell. Where it first lay, a tee is left."""
        if self.direction is None:
            return
        before, (x, y) = self.place, room.beside(self.place, self.direction)
        if room.is_free(x, y):
            room.move(self, (x, y))
            if self.tee.at is None:
                room.put(self.tee, before)
            return
        there, way = room.at(x, y), self.direction
        self.direction = None
        if there is not None and there.movable and room.agent != (x, y):
            there.bump(room, way, self)
