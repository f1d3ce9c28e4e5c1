"""Go to a thing: "walk to the red ball"."""

from __future__ import annotations

import math
from collections.abc import Iterator

from worlds.contract import SOLVER
from worlds.playhouse.games.choices import Choice
from worlds.playhouse.games.moving import AboutThing, Stance
from worlds.playhouse.games.registry import Arguments, register, steps
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.players import behaviours
from worlds.playhouse.players.behaviours import Behaviour
from worlds.playhouse.players.body import Body
from worlds.playhouse.players.deeds import deed
from worlds.playhouse.players.manner import Manner
from worlds.playhouse.probes.probe import Option, Probe, about, named, with_mistakes
from worlds.playhouse.requests.ground_truth import distance, faces
from worlds.playhouse.requests.success import GO_STEPS, WRONG_STEPS
from worlds.playhouse.world import Playhouse

GO_DISTANCE = 1.3  # metres between avatar and target, measured on the floor
GO_ANGLE = math.radians(20.0)
APART = 0.8  # metres between the target and other things, so that it is clear which one the solver is at
FAR_TO_GO = GO_DISTANCE + 0.4  # metres at least to the target


def _options(situation: Situation) -> Iterator[Option]:
    positions, at_solver = situation.positions, situation.solver.position
    for thing, words in named(situation):
        at = positions[thing.id]
        crowded = any(i != thing.id and distance(p, at) < APART for i, p in positions.items())
        if not crowded and distance(at_solver, at) > FAR_TO_GO:
            yield {"x": words}, about(thing)


class Go(AboutThing):
    """Going to X: the solver stands near X and faces it, for ``GO_STEPS`` steps; walking by is not enough."""

    def begin(self, world: Playhouse) -> None:
        super().begin(world)
        self._there = self._elsewhere = 0  # steps for which it has stood before the target, before something else
        self._counted: set[str] = set()  # wrong things that have been counted as regress
        self._stance = Stance(world)

    def judge_movement(self, world: Playhouse) -> Iterator[tuple[int, str]]:
        stands = self._stance.is_kept(world)
        if self.taken is not None:
            yield -1, "takes a thing when asked to go"
        before_target = stands and _faces(world, self.target)
        self._there = self._there + 1 if before_target else 0
        self._elsewhere = self._elsewhere + 1 if stands and not before_target else 0
        if self._there >= GO_STEPS:
            yield self._succeed("is at the right thing")
        elif self._elsewhere >= WRONG_STEPS:
            yield from self._judge_wrong_arrival(world)

    def _judge_wrong_arrival(self, world: Playhouse) -> Iterator[tuple[int, str]]:
        """Standing before a wrong thing is regress, once for each thing."""
        avatar, positions = world.avatar(SOLVER), world.object_positions()
        ahead = (i for i in positions if i != avatar.held and _faces(world, i))
        nearest = min(ahead, key=lambda i: distance(avatar.position, positions[i]), default=None)
        if nearest is not None and nearest not in self._counted:
            self._counted.add(nearest)
            yield -1, "goes to a wrong thing"


def _faces(world: Playhouse, object_id: str) -> bool:
    """Return True if the solver is near an object, in its room, and faces it."""
    avatar, position = world.avatar(SOLVER), world.object_position(object_id)
    if not faces(avatar, position, GO_DISTANCE, GO_ANGLE):
        return False
    return world.room_at(avatar.position[:2]) == world.room_at(position[:2])


@deed("go")
def go(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Walk up to it, near enough to take it."""
    target = Choice.of(arguments).among[0]
    return (yield from with_mistakes(body, manner, target, (), lambda thing: behaviours.go(body, thing)))


register(
    Probe(
        name="go",
        templates=("go to {x}", "walk to {x}", "go over to {x}", "move to {x}", "go and stand by {x}"),
        options=_options,
        check=Go,
        steps=steps(60),
        held_out_from=0,
    )
)
