"""A scripted solver's response to words of a language game, with the mistakes that people make in any of them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence

import numpy as np

from worlds.contract import Action
from worlds.playhouse.games import registry
from worlds.playhouse.games.choices import Choice, one
from worlds.playhouse.games.registry import Arguments
from worlds.playhouse.players import behaviours
from worlds.playhouse.players.body import Body
from worlds.playhouse.players.deeds import deeds
from worlds.playhouse.players.manner import Manner
from worlds.playhouse.players.putting import settle

SECOND_THOUGHTS = (2, 5)  # steps between doing a wrong thing and noticing
LIKELIER = 3.0  # times as likely to be mistaken for what is meant: a thing of its colour or of its kind


def can_play(body: Body, words: str) -> bool:
    """Return True if a language game can read the words in the situation that a player is in."""
    return registry.understand(words, body.situation()) is not None


def respond(
    body: Body, words: str, manner: Manner, meant: Callable[[Sequence[str]], Sequence[str]] = tuple
) -> Generator[Action, None, bool]:
    """Do what words of a language game ask for, now and then with a wrong thing first.

    Args:
      body: of the player.
      words: of the request.
      manner: with which mistakes.
      meant: (ids of things that the words fit) -> those of them that are meant, as corrections have told.
    """
    found = registry.understand(words, body.situation())
    if found is None:
        return False
    game, arguments = found
    return (yield from act_on(body, game.name, _corrected(arguments, meant), manner))


def act_on(body: Body, name: str, arguments: Arguments, manner: Manner) -> Generator[Action, None, bool]:
    """Do what arguments of a game mean, now and then with a wrong thing first; let go of anything else before."""
    act = deeds().get(name)
    if act is None:
        return False
    if body.held is not None and body.held not in _meant(arguments):
        yield from behaviours.put_down(body)
    if manner.rng.random() < manner.wrong_object:
        mistaken = _mistaken(body, arguments, manner.rng)
        if mistaken is not None:
            yield from act(body, mistaken, manner)
            if manner.rng.random() >= manner.notice:
                return False
            yield from settle(body, int(manner.rng.integers(*SECOND_THOUGHTS, endpoint=True)))
    return (yield from act(body, arguments, manner))


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
    things = body.world.house.objects_by_id
    others = [i for i in situation.here if i not in named and situation.can_be_taken(i)]
    if not others:
        return None
    colours, kinds = ({getattr(things[i], what) for i in _meant(arguments)} for what in ("colour", "kind"))
    alike = np.array([things[i].colour in colours or things[i].kind in kinds for i in others])
    weights = np.where(alike, LIKELIER, 1.0)
    wrong = others[rng.choice(len(others), p=weights / weights.sum())]
    return arguments | {"things": one(wrong).to_json()}
