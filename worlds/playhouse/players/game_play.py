"""A scripted solver's response to words, with the mistakes that people make in whatever they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Sequence

import numpy as np

from worlds.contract import Action
from worlds.playhouse.games.choices import Choice, one
from worlds.playhouse.games.registry import Arguments, language_games, readings
from worlds.playhouse.players import behaviours
from worlds.playhouse.players.behaviours import Behaviour, settle
from worlds.playhouse.players.body import Body
from worlds.playhouse.players.deeds import deed, deeds
from worlds.playhouse.players.manner import Manner

SECOND_THOUGHTS = (2, 5)  # steps between doing a wrong thing and noticing
LIKELIER = 3.0  # times as likely to be mistaken for what is meant: a thing of its colour or of its kind


def respond(
    body: Body, words: str, manner: Manner, meant: Callable[[Sequence[str]], Sequence[str]] = tuple
) -> Behaviour:
    """Do what words ask for, now and then with a wrong thing first.

    Args:
      meant: (ids of things that the words fit) -> those of them that are meant, as corrections have told.
    """
    found = next(readings(words, body.situation()), None)
    if found is None:
        return False
    game, arguments = found
    arguments = _corrected(arguments, meant)
    if "things" in arguments and game.name not in language_games():  # a probe is about the nearest
        arguments |= {"things": one(Choice.of(arguments).among[0]).to_json()}
    return (yield from act_on(body, game.name, arguments, manner))


def act_on(body: Body, name: str, arguments: Arguments, manner: Manner) -> Behaviour:
    """Do what arguments of a game mean; let go of anything else before.

    In language games a wrong thing is now and then taken for the right one here. Probes see to that themselves.
    """
    act = deeds().get(name)
    if act is None:
        return False
    if body.held is not None and body.held not in _meant(arguments):
        yield from behaviours.put_down(body)
    wrong_object = 0.0 if manner.corrected else manner.wrong_object
    if name in language_games() and manner.rng.random() < wrong_object:
        mistaken = _mistaken(body, arguments, manner.rng)
        if mistaken is not None and not (yield from is_noticed(body, act(body, mistaken, manner), manner)):
            return False
    return (yield from act(body, arguments, manner))


@deed("do then")
def do_then(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    first, second = arguments["first"], arguments["second"]
    yield from act_on(body, first["game"], first["arguments"], manner)
    return (yield from act_on(body, second["game"], second["arguments"], manner))


def is_noticed(body: Body, mistake: Behaviour, manner: Manner) -> Generator[Action, None, bool]:
    """Make a mistake, and return True if it is noticed, after second thoughts."""
    yield from mistake
    if manner.rng.random() >= manner.notice:
        return False
    return (yield from settle(body, int(manner.rng.integers(*SECOND_THOUGHTS, endpoint=True))))


def tempting(body: Body, others: Sequence[str], meant: Collection[str], rng: np.random.Generator) -> str:
    """Return one of some other things that could be taken for what is meant, most likely one of its colour or kind."""
    things = body.world.house.objects_by_id
    colours, kinds = ({getattr(things[i], what) for i in meant} for what in ("colour", "kind"))
    alike = np.array([things[i].colour in colours or things[i].kind in kinds for i in others])
    weights = np.where(alike, LIKELIER, 1.0)
    return others[rng.choice(len(others), p=weights / weights.sum())]


def _corrected(arguments: Arguments, meant: Callable[[Sequence[str]], Sequence[str]]) -> Arguments:
    """Arguments with only the things that are meant, if they are enough."""
    if "things" not in arguments:
        return arguments
    asked = Choice.of(arguments)
    among = tuple(meant(asked.among))
    return arguments | {"things": Choice(among, asked.number).to_json()} if len(among) >= asked.number else arguments


def _meant(arguments: Arguments) -> tuple[str, ...]:
    return Choice.of(arguments).among if "things" in arguments else ()


def _mistaken(body: Body, arguments: Arguments, rng: np.random.Generator) -> Arguments | None:
    """The same request about a wrong thing of this room that could be taken for one that is meant; None if none."""
    if "things" not in arguments:
        return None
    named = {i for value in arguments.values() if isinstance(value, dict) for i in value.get("among", ())}
    situation = body.situation()
    others = [i for i in situation.here if i not in named and situation.can_be_taken(i)]
    if not others:
        return None
    return arguments | {"things": one(tempting(body, others, _meant(arguments), rng)).to_json()}
