"""Hand something over, take it out of a room, push it, and put alike things into a container."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from worlds.playhouse.games.choices import Choice
from worlds.playhouse.games.instructions.bringing import is_brought
from worlds.playhouse.games.instructions.containers import PutIn
from worlds.playhouse.games.instructions.touching import PUSHED
from worlds.playhouse.games.moving import Doing, Moving
from worlds.playhouse.requests.ground_truth import distance
from worlds.playhouse.world import Playhouse

HELD_OUT_STEPS = 2  # consecutive steps within the setter's reach


class HandTo(Moving):
    """Handing to a setter who may not take it: the thing is held before the setter, or laid down or taken there."""

    done_reason = "hands it over"

    def begin(self, world: Playhouse) -> None:
        super().begin(world)
        self._there: Counter[str] = Counter()

    def is_done(self, world: Playhouse, object_id: str) -> bool:
        self._there[object_id] = self._there[object_id] + 1 if is_brought(world, object_id) else 0
        return self._there[object_id] >= HELD_OUT_STEPS


class TakeFromRoom(Moving):
    """Taking or throwing out of a room: the things rest, let go, in none of ``rooms``."""

    done_reason = "has got it out of the room"

    def is_done(self, world: Playhouse, object_id: str) -> bool:
        room = world.room_at(world.object_position(object_id))
        return self.lies_still(world, object_id) and room not in self.spec.arguments["rooms"]


class Push(Doing):
    """Pushing, with or without anything in hand: a thing has moved ``PUSHED`` metres without being carried."""

    def begin(self, world: Playhouse) -> None:
        self._from = {i: world.object_position(i) for i in Choice.of(self.spec.arguments).among}

    def judge(self, world: Playhouse) -> Iterator[tuple[int, str]]:
        """What is carried has to be pushed from where it is put down."""
        for pushed, start in self._from.items():
            at = world.object_position(pushed)
            if self.held == pushed:
                self._from[pushed] = at
            elif distance(at, start) >= PUSHED and self.moved(pushed) > 0.0:
                yield self._succeed("has pushed it")
                return
        if self.taken is not None:
            yield -1, "takes something when asked to push"


class PutInAlike(PutIn):
    """Putting so many things of one color into a container."""

    def candidates(self) -> set[str]:
        things = self.world.house.objects_by_id
        able = {i for i in super().candidates() if self.is_done(self.world, i)}
        colours = Counter(things[i].colour for i in sorted(able))
        best = colours.most_common(1)[0][0] if colours else None
        return {i for i in able if things[i].colour == best}

    def judge(self, world: Playhouse) -> Iterator[tuple[int, str]]:
        self.world = world
        yield from super().judge(world)
