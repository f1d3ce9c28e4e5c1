"""Registry of games: what can be asked for in a house, how it is read, and when it has been done.

There are two sorts. A :class:`LanguageGame` is one of the prompts of the paper (A.8), in the words of people. A
:class:`~worlds.playhouse.probes.probe.Probe` is asked for in a few fixed templates: the six that agents are measured by
(section 6.3), and the tower. Each is registered where it is written, in a module that :data:`PROBES` or
:data:`MODULES` names::

    register(
        LanguageGame(
            name="put under",
            prompt="Ask the other player to put something underneath something else.",
            propose=propose,  # (situation, rng, modifier) -> Request, Request, ...
            reads=read,  # (words, situation) -> arguments, or None
            check=PutUnder,  # a PlayhouseTask, made of the TaskSpec
            steps=steps(120, each=40),
        )
    )

How a request travels:

1. A setter calls :func:`ask`. The game *proposes* requests that can be fulfilled in the house as it is: words and
   arguments. Proposals come lazily, in an order that the rng has drawn, and each has been found feasible, neither
   already true nor ambiguous, so the first one that fits split and modifier is asked. Arguments are JSON: ids of
   objects, furniture and rooms, and words. The split between training and held-out requests goes by the colours and
   kinds that the words name (:mod:`worlds.playhouse.games.splits`).
2. The *check* is made of the TaskSpec alone (``name``, ``instruction``, ``arguments``, ``max_steps``) by
   :func:`worlds.playhouse.games.asking.make_task`, so that recorded requests can be judged again. Where an answer is
   asked for, ``arguments["answer"]`` has the true one.
3. The scripted solver hears only the words. :func:`readings` gives the games that can *read* them, with their arguments
   in the solver's situation; nothing else passes from the setter to it. What it then does is registered by the game's
   name in :mod:`worlds.playhouse.players.deeds`: ``@deed("put under")``, a generator of actions made of (body,
   arguments, manner).

A modifier (:mod:`worlds.playhouse.games.modifiers`) is a wish for proposals, which may choose their words by it, and a
condition that :func:`ask` checks: words that do not keep to it are never asked. Neither are those of more than
:data:`LONGEST` words or UTTERANCE_MAX_CHARS characters.

Left, right, before and behind are as seen by the one who speaks, at the moment of the request; arguments that depend on
it say from where (``seen_from``: [x, y]).
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

import numpy as np

from worlds.contract import UTTERANCE_MAX_CHARS, TaskSpec, WorldError
from worlds.playhouse.games.modifiers import MODIFIERS, Modifier
from worlds.playhouse.games.rewording import rewordings
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.games.splits import is_held_out
from worlds.playhouse.requests.phrasing import otherwise
from worlds.playhouse.requests.success import PlayhouseTask

Arguments = dict[str, Any]  # JSON
LONGEST = 25  # words of a request
ANOTHER_ROOM = 30  # steps more for each further room of the house
TRIED = 60  # proposals looked at before a request with the wanted split and modifier is given up
# What agents are measured by: modules of worlds/playhouse/probes/.
PROBES = ("go", "lift", "position", "color", "count", "exist")
# All modules that register games, in the order in which games are listed.
MODULES: tuple[str, ...] = (
    *(f"probes.{name}" for name in PROBES),
    "probes.tower",
    "games.instructions.chains",
    "games.instructions.lifting",
    "games.instructions.touching",
    "games.instructions.bringing",
    "games.instructions.standing",
    "games.instructions.positioning",
    "games.instructions.arranging",
    "games.instructions.containers",
    "games.instructions.towers",
    "games.instructions.stacking",
    "games.instructions.throwing",
    "games.questions.seeing",
    "games.questions.things",
    "games.questions.truth",
)


@dataclass(frozen=True)
class Request:
    """A proposal: the words of a request, and what they mean in the house at hand."""

    words: str
    arguments: Arguments


@dataclass(frozen=True, kw_only=True)
class Game(ABC):
    """Something that can be asked for.

    Args:
      name: unique, short, lower case; TaskSpec.name of its requests, and its name in settings.
      check: (spec) -> the success check.
      steps: (arguments) -> time limit in a house of one room.
      kind: "instruction", or "question" where an answer is asked for.
      another_room: steps more for each further room.
      roles: arguments that are the id of one thing, by the slot that names it; language games have choices instead.
      held_out_from: where the split of its requests begins (:mod:`worlds.playhouse.games.splits`); None: by its name.
    """

    name: str
    check: Callable[[TaskSpec], PlayhouseTask]
    steps: Callable[[Arguments], int]
    kind: Literal["instruction", "question"] = "instruction"
    another_room: int = ANOTHER_ROOM
    roles: Mapping[str, str] = field(default_factory=dict)
    held_out_from: int | None = None

    @abstractmethod
    def requests(
        self,
        situation: Situation,
        rng: np.random.Generator,
        modifier: Modifier | None,
        fits: Callable[[Arguments], bool],
    ) -> Iterator[Request]:
        """Yield feasible requests whose arguments fit, lazily, in random order."""

    @abstractmethod
    def read(self, words: str, situation: Situation) -> Arguments | None:
        """Return what words of this game mean to the solver in a situation; None for other words."""

    @abstractmethod
    def heard(self, arguments: Arguments, words: str, situation: Situation) -> TaskSpec | None:
        """Return the request that words are which mean ``arguments``; None where it is not to be judged."""

    @abstractmethod
    def in_other_words(self, words: str) -> list[str]:
        """Return other words for a request, which may no longer be understood in the situation at hand."""

    def names_things(self, words: str) -> bool:
        """Return True if words are of this game and name things, whether or not there are any here."""
        return False

    def limit(self, arguments: Arguments, situation: Situation) -> int:
        """Return the time limit of a request, in steps."""
        return self.steps(arguments) + self.another_room * (len(situation.house.rooms) - 1)


@dataclass(frozen=True, kw_only=True)
class LanguageGame(Game):
    """A game of the paper's prompts.

    Args:
      prompt: the paper's prompt, verbatim (:mod:`worlds.playhouse.games.prompts`); several games may share one.
      propose: (situation, rng, modifier or None) -> feasible requests, lazily, in random order.
      reads: (words, situation) -> the arguments that words of this game have in a situation; None for other words.
    """

    prompt: str
    propose: Callable[[Situation, np.random.Generator, Modifier | None], Iterator[Request]]
    reads: Callable[[str, Situation], Arguments | None]

    def requests(
        self,
        situation: Situation,
        rng: np.random.Generator,
        modifier: Modifier | None,
        fits: Callable[[Arguments], bool],
    ) -> Iterator[Request]:
        """Yield those of the first proposals that fit, keep to the modifier, and are read as what they mean."""
        for _, request in zip(range(TRIED), self.propose(situation, rng, modifier), strict=False):
            worded = is_short(request.words) and (modifier is None or modifier.holds(request.words))
            if worded and fits(request.arguments) and self._is_heard_as_meant(request, situation):
                yield request

    def read(self, words: str, situation: Situation) -> Arguments | None:
        return self.reads(words, situation)

    def heard(self, arguments: Arguments, words: str, situation: Situation) -> TaskSpec | None:
        """Return the request as it was understood."""
        return TaskSpec(self.name, words, arguments, self.limit(arguments, situation))

    def in_other_words(self, words: str) -> list[str]:
        """Return the request with other words of politeness, and without any."""
        return otherwise(words, question=self.kind == "question")

    def _is_heard_as_meant(self, request: Request, situation: Situation) -> bool:
        """Return True unless the words of an instruction can be read first as something else.

        "Put the lantern on the chair on the table" asks for another lantern on some tables than on others.
        """
        if self.kind != "instruction":
            return True
        heard = understand(request.words, situation)
        return heard is not None and heard[0] is self and _comparable(heard[1]) == _comparable(request.arguments)


def _comparable(value: Any) -> Any:
    """Arguments without what the words name, in which the order of ids does not matter."""
    if isinstance(value, dict):
        return {k: sorted(v) if k == "among" else _comparable(v) for k, v in value.items() if k != "said"}
    return value


_games: dict[str, Game] = {}


def register(game: Game) -> Game:
    """Register ``game`` under its name. Raises WorldError if another game has it."""
    if _games.setdefault(game.name, game) is not game:
        raise WorldError(f"two games are named {game.name!r}; give one of them another name")
    return game


@cache
def games() -> Mapping[str, Game]:
    """Return all games by name: the probes, the tower and the language games, in the order of :data:`MODULES`."""
    for module in MODULES:
        importlib.import_module(f"worlds.playhouse.{module}")
    return _games


@cache
def language_games() -> Mapping[str, LanguageGame]:
    return {name: game for name, game in games().items() if isinstance(game, LanguageGame)}


def get(name: str) -> Game:
    """Return the game of this name. Raises WorldError if there is none."""
    if name not in games():
        raise WorldError(f"the playhouse has no task named {name!r}; known: {', '.join(games())}")
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
      split: "train" or "held_out", of the combinations of words that it names; None for both.
      modifier: name of the modifier that the words of a language game keep to; None for any words.
      wanted: (arguments) -> whether to ask for this; None allows anything.

    Raises:
      WorldError: the game or the modifier does not exist.
    """
    game, how = get(name), None if modifier is None else modifier_of(modifier)

    def fits(arguments: Arguments) -> bool:
        of_split = split is None or is_held_out(name, arguments, game.held_out_from) == (split == "held_out")
        return of_split and (wanted is None or wanted(arguments))

    request = next(game.requests(situation, rng, how, fits), None)
    if request is None:
        return None
    return TaskSpec(name, request.words, request.arguments, game.limit(request.arguments, situation))


def readings(words: str, situation: Situation) -> Iterator[tuple[Game, Arguments]]:
    """Yield what words can ask for in ``situation``: a probe or the tower, then a language game.

    The templates of probes are fixed, so only a language game reads words that are put in other words.
    """
    plain = words.lower().strip()
    for game in games().values():
        arguments = None if isinstance(game, LanguageGame) else game.read(plain, situation)
        if arguments is not None:
            yield game, arguments
    found = understand(words, situation)
    if found is not None:
        yield found


def understand(words: str, situation: Situation) -> tuple[LanguageGame, Arguments] | None:
    """Return the language game that words belong to, and what they mean; None where none can read them.

    Words that no game can read as they are are read in other words (:mod:`worlds.playhouse.games.rewording`).
    """
    words = words.lower().strip()
    for said in (words, *rewordings(words)):
        for game in language_games().values():
            arguments = game.read(said, situation)
            if arguments is not None:
                return game, arguments
    return None


def modifier_of(name: str) -> Modifier:
    """Return the modifier of this name. Raises WorldError if there is none."""
    if name not in MODIFIERS:
        raise WorldError(f"no modifier named {name!r}; known: {', '.join(MODIFIERS)}")
    return MODIFIERS[name]


def is_short(words: str) -> bool:
    """Return True if a request is neither longer than people's nor than what can be said."""
    return len(words.split()) <= LONGEST and len(words) <= UTTERANCE_MAX_CHARS


def steps(first: int, each: int = 0) -> Callable[[Arguments], int]:
    """Return a time limit: ``first`` steps, and ``each`` more for every thing above one that has to be moved."""
    return lambda arguments: first + each * (arguments.get("things", {}).get("number", 1) - 1)
