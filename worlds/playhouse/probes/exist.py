"""Say whether there is such a thing in this room: "do you see a red ball?"."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from worlds.playhouse.games.questions.answering import OneOf
from worlds.playhouse.games.registry import Arguments, register, steps
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.players import behaviours
from worlds.playhouse.players.behaviours import Behaviour
from worlds.playhouse.players.body import Body
from worlds.playhouse.players.deeds import deed
from worlds.playhouse.players.manner import Manner
from worlds.playhouse.probes.probe import Option, Probe, here, in_this_room
from worlds.playhouse.requests.language import NO, YES, indefinite


def _options(situation: Situation) -> Iterator[Option]:
    present = {(t.colour, t.kind): 0 for t in here(situation)}
    everything = situation.house.objects
    kinds, colours = {t.kind: 0 for t in everything}, {t.colour: 0 for t in everything}
    for colour in colours:
        for kind in kinds:
            arguments = {"colour": colour, "kind": kind, "answer": YES if (colour, kind) in present else NO}
            yield in_this_room(situation, indefinite(colour, kind)), arguments


@deed("exist")
def exist(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Look around until one is seen, look at it, and say whether there is one."""
    among = arguments["among"]
    yield from behaviours.look_around(body, lambda: any(map(body.sees, among)))
    seen = next(filter(body.sees, among), None)
    if seen is not None:
        yield from behaviours.face(body, seen)
    yield manner.say(body, YES if among else NO, (YES, NO))
    return True


register(
    Probe(
        name="exist",
        kind="question",
        templates=(
            "is there {x}{where}?",
            "do you see {x}{where}?",
            "can you find {x}{where}?",
            "tell me if there is {x}{where}",
        ),
        options=_options,
        roles={},
        check=partial(OneOf, among=(YES, NO)),
        steps=steps(45),
        another_room=0,
        held_out_from=3,
    )
)
