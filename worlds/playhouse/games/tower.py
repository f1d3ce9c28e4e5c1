"""Towers (paper, Figure 9): what can be built of, and the success check of being asked for one.

Nothing in the world knows of towers: things are stacked by the hand and held up by the physics, and they fall.
"""

from __future__ import annotations

from collections.abc import Iterator

from worlds.contract import SETTER, SOLVER
from worlds.playhouse.games.moving import AboutThing
from worlds.playhouse.house.record import WALL_THICKNESS
from worlds.playhouse.requests.ground_truth import clearance, is_over, rests_on, tallest_tower
from worlds.playhouse.requests.language import is_meant
from worlds.playhouse.requests.success import AT_REST
from worlds.playhouse.world import Playhouse

STACKABLE = ("block", "book", "mug", "plate")  # kinds of the first houses whose top and underside are flat
FLAT = (*STACKABLE, "soap", "tissue roll", "tin", "drum", "towel", "bowl")  # all such kinds, as seen and as felt
LOWEST, HIGHEST = 2, 3  # things in a tower that is asked for
STABLE_STEPS = 4  # consecutive steps for which a tower must stand by itself, about a second
SETTLED_STEPS = 2  # consecutive steps at rest after which what was let go has come to rest
BROUGHT_OVER = 0.3  # metres at most between a top and the thing that has been brought over it
ON_THE_FLOOR = 0.03  # metres at most under what stands on the floor
ROOM_TO_BUILD = 0.04  # metres at least between a thing held over its place and any wall or furniture


def can_be_stacked(world: Playhouse, object_id: str) -> bool:
    """Return True if a thing can go on top of another as things stand: its kind is flat, and nothing lies on it."""
    return world.house.objects_by_id[object_id].kind in FLAT and not _bears(world, object_id)


def can_be_base(world: Playhouse, object_id: str, radius: float) -> bool:
    """Return True if a tower can begin with a thing: it can be stacked, and stands on the floor with room around.

    Args:
      radius: metres, of the largest thing that is to be brought over it; hands keep clear of walls by as much.
    """
    x, y, z = (float(c) for c in world.object_position(object_id))
    house, around = world.house, radius + ROOM_TO_BUILD
    room = house.room_at(x, y)
    return (
        can_be_stacked(world, object_id)
        and z - house.objects_by_id[object_id].height / 2 <= ON_THE_FLOOR
        and room is not None
        and room.contains(x, y, WALL_THICKNESS / 2 + around)
        and all(piece.gap_to(x, y) >= around for piece in house.furniture if not piece.spec.flat)
    )


def _bears(world: Playhouse, object_id: str) -> bool:
    positions = world.object_positions()
    return any(rests_on(world.house, other, object_id, positions) for other in positions)


class Tower(AboutThing):
    """Building a tower: ``height`` things rest on each other, let go, for ``STABLE_STEPS`` steps.

    A named request says which thing goes on which: ``target`` and ``on``. An open one leaves that to the solver:
    any things of its ``colour`` and ``kind`` (None for any), though to take what is hard to stack is a mistake. One of
    those above the lowest must have been in the solver's hand since the request; a tower that stood there before does
    not count.
    """

    def begin(self, world: Playhouse) -> None:
        self._base: str | None = self.spec.arguments.get("on")
        if self._base is None:
            self._meant = self.things_meant(world)
            self._wanted = [i for i in self._meant if world.house.objects_by_id[i].kind in FLAT]
        else:
            super().begin(world)
            self._wanted = [self.target]
        self._took: set[str] = set()  # what the solver has taken since the request
        self._to_bring = False  # whether what is in hand has still to be brought over where it belongs
        self._falling: str | None = None  # what was let go and has not come to rest
        self._settled = 0  # steps for which it has been at rest where it does not belong
        self._misplaced: str | None = None  # what is not wanted and was let go
        self._lain = 0  # steps for which it has been at rest
        self._standing = self._built = self.tower(world)  # the tower of the last step, and the last that stood
        self._stood = STABLE_STEPS

    def things_meant(self, world: Playhouse) -> list[str]:
        """Return the ids of the things of which an open request lets a tower be built."""
        return [t.id for t in world.house.objects if is_meant(t, self.spec.arguments)]

    def judge_rooms(self, world: Playhouse) -> Iterator[tuple[int, str]]:
        """Only a thing that is named has a room to go to."""
        return iter(()) if self._base is None else super().judge_rooms(world)

    def judge_movement(self, world: Playhouse) -> Iterator[tuple[int, str]]:
        tower = self.tower(world)
        still = tower == self._standing and all(map(self._is_still, tower))
        self._standing, self._stood = tower, self._stood + 1 if still else 0
        yield from self._judge_taking(world)
        yield from self._judge_tower(tower)
        if not self.over:
            yield from self._judge_letting_go()
            yield from self._judge_misplacing(world)

    def _judge_taking(self, world: Playhouse) -> Iterator[tuple[int, str]]:
        """Taking what is wanted is progress, and so is bringing it over its place, once each time it is taken."""
        if self.taken is not None:
            self._took.add(self.taken)
            self._to_bring = self.taken in self._wanted
            if len(self._built) < LOWEST or self.taken not in self._built:  # else it takes the tower apart
                yield (1, "takes the right thing") if self._to_bring else (-1, "takes a wrong thing")
        if self.held is not None and self._to_bring and self._is_brought(world, self.held):
            self._to_bring = False
            yield 1, "brings it over the right thing"

    def _judge_tower(self, tower: tuple[str, ...]) -> Iterator[tuple[int, str]]:
        """A tower that has grown and stands is progress; one that has become lower is regress."""
        before = self._built
        if len(tower) < len(before):
            self._built = tower
            yield -1, "takes the tower apart" if self.held in before else "knocks the tower over"
        elif self._stood >= STABLE_STEPS and tower != before:
            self._built = tower
            by_solver = not self._took.isdisjoint(tower[1:])
            if by_solver and len(tower) >= self.spec.arguments["height"]:
                yield self._succeed("has built the tower")
            elif by_solver and len(tower) > len(before):
                yield 1, "puts it on the right thing"

    def _judge_letting_go(self) -> Iterator[tuple[int, str]]:
        """A wanted thing that was let go and comes to rest where it does not belong is regress."""
        if self.let_go in self._wanted:
            self._falling, self._settled = self.let_go, 0
        if self._falling is None or self._falling == self.held or self._falling in self._built[1:]:
            self._falling = None
            return
        lies = self._falling not in self._standing[1:] and self._is_still(self._falling)
        self._settled = self._settled + 1 if lies else 0
        if self._settled >= SETTLED_STEPS:
            self._falling = None
            yield -1, "puts the right thing in a wrong place"

    def _judge_misplacing(self, world: Playhouse) -> Iterator[tuple[int, str]]:
        """A thing that is not wanted, and that the solver puts on another, is regress once it stands there.

        In a picture this is a tower like any other, and only the words say that it is none.
        """
        if self.let_go is not None and self.let_go not in self._wanted:
            self._misplaced, self._lain = self.let_go, 0
        if self._misplaced is None or self._misplaced == self.held:
            self._misplaced = None
            return
        self._lain = self._lain + 1 if self._is_still(self._misplaced) else 0
        if self._lain >= STABLE_STEPS:
            positions = world.object_positions()
            if any(rests_on(world.house, self._misplaced, other, positions) for other in positions):
                yield -1, "builds a wrong tower"
            self._misplaced = None

    def tower(self, world: Playhouse) -> tuple[str, ...]:
        """Return the tallest tower of what is wanted and nobody holds, the lowest thing first."""
        positions, hands = world.object_positions(), {world.avatar(SOLVER).held, world.avatar(SETTER).held}
        if self._base is None:
            return tallest_tower(world.house, [i for i in self._meant if i not in hands], positions)
        stacked = not hands & {self.target, self._base} and rests_on(world.house, self.target, self._base, positions)
        return (self._base, self.target) if stacked else (self._base,)

    def _is_brought(self, world: Playhouse, held: str) -> bool:
        """Return True if what is held is over a thing that it belongs on, and not far above it."""
        house, positions = world.house, world.object_positions()
        places = [i for i in self._wanted if i != held] if self._base is None else [self._base]
        return any(
            is_over(house, held, i, positions) and 0.0 <= clearance(house, held, i, positions) <= BROUGHT_OVER
            for i in places
        )

    def _is_still(self, object_id: str) -> bool:
        return self.moved(object_id) <= AT_REST
