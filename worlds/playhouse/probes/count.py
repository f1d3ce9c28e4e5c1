"""Count things in this room: "how many red balls are there?"."""

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
from worlds.playhouse.requests.language import NUMBERS, is_meant, plural

MOST_COUNTED = 6


def _options(situation: Situation) -> Iterator[Option]:
    things = here(situation)
    by_kind, by_colour = {(None, t.kind): 0 for t in things}, {(t.colour, None): 0 for t in things}
    for colour, kind in (*by_kind, *by_colour):
        meant = {"colour": colour, "kind": kind}
        number = sum(is_meant(t, meant) for t in things)
        if number <= MOST_COUNTED:
            yield in_this_room(situation, plural(colour, kind)), meant | {"answer": NUMBERS[number]}


@deed("count")
def count(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Look around, then say how many there are; people who miscount miss by one."""
    number = len(arguments["among"])
    yield from behaviours.look_around(body)
    if manner.rng.random() < manner.wrong_answer:
        number += 1 if number == 0 or manner.rng.random() < 0.5 else -1
    yield behaviours.answer(body, NUMBERS[min(number, len(NUMBERS) - 1)])
    return True


register(
    Probe(
        name="count",
        kind="question",
        templates=("how many {x} are there{where}?", "count the {x}{where}", "tell me how many {x} there are{where}"),
        options=_options,
        roles={},
        check=partial(OneOf, among=NUMBERS),
        steps=steps(45),
        another_room=0,
        held_out_from=0,
    )
)
