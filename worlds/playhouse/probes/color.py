"""Say the color of a thing: "what color is the small mug?"."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from worlds.playhouse.games.choices import Choice
from worlds.playhouse.games.questions.answering import OneOf
from worlds.playhouse.games.registry import Arguments, register, steps
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.house.catalogue import COLOURS
from worlds.playhouse.players import behaviours
from worlds.playhouse.players.behaviours import Behaviour
from worlds.playhouse.players.body import Body
from worlds.playhouse.players.deeds import deed
from worlds.playhouse.players.manner import Manner
from worlds.playhouse.probes.probe import Option, Probe, about, named


def _options(situation: Situation) -> Iterator[Option]:
    for thing, words in named(situation, say_colour=False):
        yield {"x": words}, about(thing) | {"answer": thing.colour}


@deed("color")
def color(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Go to where its color is recognised, and say it; a wrong answer is another color of this house."""
    target, things = Choice.of(arguments).among[0], body.world.house.objects
    truth = body.world.house.objects_by_id[target].colour
    yield from behaviours.approach(body, target, behaviours.READ_COLOUR)
    others = sorted({thing.colour for thing in things} - {truth})
    yield manner.say(body, truth, others or tuple(COLOURS))
    return True


register(
    Probe(
        name="color",
        kind="question",
        templates=(
            "what color is {x}?",
            "what is the color of {x}?",
            "tell me the color of {x}",
            "which color does {x} have?",
        ),
        options=_options,
        check=partial(OneOf, among=tuple(COLOURS)),
        steps=steps(60),
        held_out_from=2,
    )
)
