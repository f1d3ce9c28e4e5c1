"""Lift a thing: "pick up the red ball"."""

from __future__ import annotations

from collections.abc import Iterator

from worlds.playhouse.games.choices import Choice
from worlds.playhouse.games.moving import AboutThing
from worlds.playhouse.games.registry import Arguments, register, steps
from worlds.playhouse.games.situation import HIGHEST_TARGET, Situation
from worlds.playhouse.players import behaviours
from worlds.playhouse.players.behaviours import Behaviour
from worlds.playhouse.players.body import Body
from worlds.playhouse.players.deeds import deed
from worlds.playhouse.players.manner import Manner
from worlds.playhouse.probes.probe import Option, Probe, about, named, with_mistakes
from worlds.playhouse.requests.success import LIFT_HEIGHT
from worlds.playhouse.world import Playhouse


def _options(situation: Situation) -> Iterator[Option]:
    for thing, words in named(situation):
        if situation.positions[thing.id][2] < HIGHEST_TARGET:
            yield {"x": words}, about(thing)


class Lift(AboutThing):
    """Lifting X: X is held, ``LIFT_HEIGHT`` higher than it was."""

    def judge_movement(self, world: Playhouse) -> Iterator[tuple[int, str]]:
        yield from self.judge_taking()
        if self.held == self.target and self.risen(world, self.target) >= LIFT_HEIGHT:
            yield self._succeed("has lifted the right thing")
        elif self.let_go == self.target:
            yield -1, "drops the right thing"


@deed("lift")
def lift(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    target = Choice.of(arguments).among[0]
    return (yield from with_mistakes(body, manner, target, (), lambda thing: behaviours.lift(body, thing)))


register(
    Probe(
        name="lift",
        templates=("lift {x}", "pick up {x}", "lift up {x}", "take {x} and lift it", "pick {x} up"),
        options=_options,
        check=Lift,
        steps=steps(75),
        held_out_from=3,
    )
)
