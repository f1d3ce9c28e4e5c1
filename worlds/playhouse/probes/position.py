"""Put a thing beside another: "put the red ball next to the mug"."""

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
from worlds.playhouse.requests.ground_truth import gap, is_over
from worlds.playhouse.requests.success import AT_REST, NEXT_TO
from worlds.playhouse.world import Playhouse

FAR_TO_CARRY = NEXT_TO + 0.4  # metres at least between two things that are to be put together


def _options(situation: Situation) -> Iterator[Option]:
    pairs, positions = list(named(situation)), situation.positions
    for thing, words in pairs:
        if positions[thing.id][2] >= HIGHEST_TARGET:
            continue
        for other, place in pairs:
            if other.on is None and gap(situation.house, thing.id, other.id, positions) > FAR_TO_CARRY:
                beside = {"next_to": other.id, "next_to_colour": other.colour, "next_to_kind": other.kind}
                yield {"x": words, "y": place}, about(thing) | beside


class Position(AboutThing):
    """Putting X next to Y: X was moved and rests, let go, no farther than ``NEXT_TO`` from Y, in the same room.

    What lies on Y, or Y on it, is on top and not beside.
    """

    def judge_movement(self, world: Playhouse) -> Iterator[tuple[int, str]]:
        yield from self.judge_taking()
        near = self._is_beside(world)
        if self.let_go == self.target and not near:
            yield -1, "puts the right thing in a wrong place"
        let_go = self.target in self.carried and self.held != self.target
        if let_go and near and self.moved(self.target) <= AT_REST:
            yield self._succeed("has put it in the right place")

    def _is_beside(self, world: Playhouse) -> bool:
        beside, positions = self.spec.arguments["next_to"], world.object_positions()
        target, other = positions[self.target], positions[beside]
        stacked = any(
            is_over(world.house, upper, lower, positions) and positions[upper][2] > positions[lower][2]
            for upper, lower in ((self.target, beside), (beside, self.target))
        )
        together = world.room_at(target[:2]) == world.room_at(other[:2])
        return together and not stacked and gap(world.house, self.target, beside, positions) <= NEXT_TO


@deed("position")
def position(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Take it, carry it to the other thing, and put it down beside that."""
    target, beside = Choice.of(arguments).among[0], Choice.of(arguments, "next_to").among[0]
    place = lambda thing: behaviours.place(body, thing, beside)  # noqa: E731
    return (yield from with_mistakes(body, manner, target, (beside,), place))


register(
    Probe(
        name="position",
        templates=(
            "put {x} next to {y}",
            "place {x} next to {y}",
            "put {x} beside {y}",
            "take {x} and put it next to {y}",
            "move {x} next to {y}",
        ),
        options=_options,
        roles={"x": "target", "y": "next_to"},
        check=Position,
        steps=steps(120),
        held_out_from=2,
    )
)
