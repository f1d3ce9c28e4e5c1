"""Registry of language games: what can be asked for in a house by the prompts of the paper (A.8).

A game is registered where it is written, in a module of this folder that :data:`MODULES` names::

    register(
        Game(
            name="put under",
            prompt="Ask the other player to put something underneath something else.",
            kind="instruction",
            propose=propose,  # (situation, rng, modifier) -> Request, Request, ...
            read=read,  # (words, situation) -> arguments, or None
            check=PutUnder,  # a PlayhouseTask, made of the TaskSpec
            steps=steps(120, each=40),
        )
    )

How a request travels:

1. A setter calls :func:`ask`. The game *proposes* requests that can be fulfilled in the house as it is: words and
   arguments. Proposals come lazily, in an order that the rng has drawn, and each has been found feasible, neither
   already true nor ambiguous, so the first one that fits split and modifier is asked. Arguments are JSON: ids of
   objects, furniture and rooms, and words. ``said`` lists the (colour, kind) pairs that the words name, with null for
   what they leave open; the split between training and held-out requests goes by it.
2. The *check* is made of the TaskSpec alone (``name``, ``instruction``, ``arguments``, ``max_steps``) by
   :func:`worlds.playhouse.games.asking.make_task`, so that recorded requests can be judged again. It is a
   :class:`~worlds.playhouse.requests.success.PlayhouseTask`: ``succeeded``, ``over``, and events of progress and
   regress with reasons. Where an answer is asked for, ``arguments["answer"]`` has the true one.
3. The scripted solver hears only the words. :func:`understand` gives the game that can *read* them and their arguments
   in the solver's situation; nothing else passes from the setter to it. What it then does is registered by the game's
   name in :mod:`worlds.playhouse.players.deeds`: ``@deed("put under")`` for instructions, ``@deed("color of")`` for
   questions, in both cases a generator of actions made of (body, arguments, manner).

A modifier (:mod:`worlds.playhouse.games.modifiers`) is a wish for proposals, which may choose their words by it, and a
condition that :func:`ask` checks: words that do not keep to it are never asked. Neither are those of more than
:data:`LONGEST` words or UTTERANCE_MAX_CHARS characters.

Left, right, before and behind are as seen by the one who speaks, at the moment of the request; arguments that depend on
it say from where (``seen_from``: [x, y]).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np

from worlds.contract import UTTERANCE_MAX_CHARS, TaskSpec, WorldError
from worlds.playhouse.games.modifiers import MODIFIERS, Modifier
from worlds.playhouse.games.rewording import rewordings
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.requests.language import is_reserved
from worlds.playhouse.requests.success import PlayhouseTask

Arguments = dict[str, Any]  # JSON
LONGEST = 25  # words of a request
ANOTHER_ROOM = 30  # steps more for each further room of the house
TRIED = 60  # proposals looked at before a request with the wanted split and modifier is given up
# Of this folder, in the order in which games are listed.
MODULES: tuple[str, ...] = (
    "instructions.chains",
    "instructions.lifting",
    "instructions.touching",
    "instructions.bringing",
    "instructions.standing",
    "instructions.positioning",
    "instructions.arranging",
    "instructions.containers",
    "instructions.towers",
    "instructions.stacking",
    "instructions.throwing",
    "questions.seeing",
    "questions.things",
    "questions.truth",
)


@dataclass(frozen=True)
class Request:
    """A proposal: the words of a request, and what they mean in the house at hand."""

    words: str
    arguments: Arguments


@dataclass(frozen=True)
class Game:
    """A language game.

    Args:
      name: unique, short, lower case; TaskSpec.name of its requests, and its name in settings.
      prompt: of the paper, verbatim (:mod:`worlds.playhouse.games.prompts`); several games may share one.
      kind: "instruction", or "question" where an answer is asked for.
      propose: (situation, rng, modifier or None) -> feasible requests, lazily, in random order.
      read: (words, situation) -> the arguments that words of this game have in a situation; None for other words.
      check: (spec) -> the success check.
      steps: (arguments) -> time limit in a house of one room; each further room adds :data:`ANOTHER_ROOM`.
    """

    name: str
    prompt: str
    kind: Literal["instruction", "question"]
    propose: Callable[[Situation, np.random.Generator, Modifier | None], Iterator[Request]]
    read: Callable[[str, Situation], Arguments | None]
    check: Callable[[TaskSpec], PlayhouseTask]
    steps: Callable[[Arguments], int]


_games: dict[str, Game] = {}


def register(game: Game) -> Game:
    """Register ``game`` under its name. Raises WorldError if another game has it."""
    if _games.setdefault(game.name, game) is not game:
        raise WorldError(f"two language games are named {game.name!r}; give one of them another name")
    return game


@cache
def games() -> Mapping[str, Game]:
    """Return all games by name, in the order of :data:`MODULES`."""
    for module in MODULES:
        importlib.import_module(f"worlds.playhouse.games.{module}")
    return _games


def get(name: str) -> Game:
    """Return the game of this name. Raises WorldError if there is none."""
    if name not in games():
        raise WorldError(f"the playhouse has no language game named {name!r}; known: {', '.join(games())}")
    return games()[name]


def ask(
    name: str,
    situation: Situation,
    rng: np.random.Generator,
    split: str | None = None,
    modifier: str | None = None,
    wanted: Callable[[Arguments], bool] | None = None,
) -> TaskSpec | None:
    """Return a request of game ``name`` that can be fulfilled in ``situation``; None if none has been found.

    Args:
      name: of the game.
      situation: the house as it is.
      rng: of the choice.
      split: "train" or "held_out", of the combinations of words that it names; None for both.
      modifier: name of the modifier that its words keep to; None for any words.
      wanted: (arguments) -> whether to ask for this; None allows anything.

    Raises:
      WorldError: the game or the modifier does not exist.
    """
    game, how = get(name), None if modifier is None else modifier_of(modifier)
    for _, request in zip(range(TRIED), game.propose(situation, rng, how), strict=False):
        fits = split is None or is_held_out(name, request.arguments) == (split == "held_out")
        fits = fits and (wanted is None or wanted(request.arguments))
        fits = fits and is_short(request.words) and (how is None or how.holds(request.words))
        if fits and _is_heard_as_meant(game, request, situation):
            steps = game.steps(request.arguments) + ANOTHER_ROOM * (len(situation.house.rooms) - 1)
            return TaskSpec(name, request.words, request.arguments, steps)
    return None


def _is_heard_as_meant(game: Game, request: Request, situation: Situation) -> bool:
    """Return True unless the words of an instruction can be read first as something else.

    "Put the lantern on the chair on the table" asks for another lantern on some tables than on others.
    """
    if game.kind != "instruction":
        return True
    heard = understand(request.words, situation)
    if heard is None or heard[0] is not game:
        return False
    said, meant = ({k: v for k, v in a.items() if k != "said"} for a in (heard[1], request.arguments))
    return _without_order(said) == _without_order(meant)


def _without_order(value: Any) -> Any:
    """Arguments in which the order of ids does not matter."""
    if isinstance(value, dict):
        return {k: sorted(v) if k == "among" else _without_order(v) for k, v in value.items() if k != "said"}
    return value


def understand(words: str, situation: Situation) -> tuple[Game, Arguments] | None:
    """Return the game that words belong to, and what they mean in ``situation``; None where no game can read them.

    Words that no game can read as they are are read in other words (:mod:`worlds.playhouse.games.rewording`).
    """
    words = words.lower().strip()
    for said in (words, *rewordings(words)):
        for game in games().values():
            arguments = game.read(said, situation)
            if arguments is not None:
                return game, arguments
    return None


def modifier_of(name: str) -> Modifier:
    """Return the modifier of this name. Raises WorldError if there is none."""
    if name not in MODIFIERS:
        raise WorldError(f"no modifier named {name!r}; known: {', '.join(MODIFIERS)}")
    return MODIFIERS[name]


def is_held_out(name: str, arguments: Arguments) -> bool:
    """Return True if a request of game ``name`` names a colour and kind that training never names together in it."""
    return any(is_reserved(name, colour, kind) for colour, kind in arguments.get("said", ()) if colour or kind)


def is_short(words: str) -> bool:
    """Return True if a request is neither longer than people's nor than what can be said."""
    return len(words.split()) <= LONGEST and len(words) <= UTTERANCE_MAX_CHARS


def steps(first: int, each: int = 0) -> Callable[[Arguments], int]:
    """Return a time limit: ``first`` steps, and ``each`` more for every thing above one that has to be moved."""
    return lambda arguments: first + each * (arguments.get("things", {}).get("number", 1) - 1)
