"""Do something, then something else: chains of two games."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from worlds.contract import SETTER, TaskSpec
from worlds.playhouse.games.modifiers import Modifier
from worlds.playhouse.games.registry import Arguments, LanguageGame, Request, games, is_short, language_games, register
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.games.templates import Templates, patterns_of
from worlds.playhouse.requests.phrasing import bare
from worlds.playhouse.requests.success import PlayhouseTask
from worlds.playhouse.world import Playhouse

_WORDS = patterns_of("chains")
THEN = Templates(*_WORDS["then"])
LINKED = ("pick up", "put on", "put in", "go somewhere", "place by", "touch with", "stand by", "bring", "clear")
TRIES = 30


class Chain(PlayhouseTask):
    """One game after the other: the second begins when the first has been done, and decides."""

    def __init__(self, spec: TaskSpec) -> None:
        super().__init__(spec)
        self._parts = [_check(part, spec.max_steps) for part in (spec.arguments["first"], spec.arguments["second"])]

    def _begin(self, world: Playhouse) -> None:
        self._parts[0].update(world, "")

    def _judge(self, world: Playhouse, utterance: str) -> Iterator[tuple[int, str]]:
        current = self._parts[0]
        succeeded, events = current.update(world, utterance)
        if succeeded and len(self._parts) == 1:
            yield self._succeed(events[-1].reason)
            return
        yield from ((event.sign, event.reason) for event in events)
        if succeeded:
            self._parts = self._parts[1:]
            self._parts[0].update(world, "")
        self.over = current.over and not succeeded


def _check(part: dict[str, Any], steps: int) -> PlayhouseTask:
    return games()[part["game"]].check(TaskSpec(part["game"], "", part["arguments"], steps))


def _propose(situation: Situation, rng: np.random.Generator, modifier: Modifier | None) -> Iterator[Request]:
    """Two games about different things, each of which can be played now."""
    known = [language_games()[name] for name in LINKED]
    proposals = {game.name: game.propose(situation, rng, modifier) for game in known}
    for _ in range(TRIES):
        first, second = (known[i] for i in rng.choice(len(known), 2, replace=False))
        a, b = (next(proposals[game.name], None) for game in (first, second))
        if a is None or b is None or _named(a.arguments) & _named(b.arguments):
            continue
        if first.name == "pick up" and second.name in STANDS:
            continue  # nobody says whether to hold on to it
        by_setter = [game.name == "bring" or SETTER in _named(r.arguments) for game, r in ((first, a), (second, b))]
        if all(by_setter) and "bring" in (first.name, second.name):
            continue  # what has been brought there may be in the way
        words = THEN.say(rng, first=bare(a.words), second=bare(b.words))
        if is_short(words):
            said = [*a.arguments["said"], *b.arguments["said"]]
            yield Request(words, {"first": _part(first, a), "second": _part(second, b), "said": said})


def _part(game: LanguageGame, request: Request) -> dict[str, Any]:
    return {"game": game.name, "arguments": {k: v for k, v in request.arguments.items() if k != "said"}}


def _named(arguments: Arguments) -> set[str]:
    """Ids of the things that arguments of a request name."""
    roles = (value for value in arguments.values() if isinstance(value, dict))
    return {i for role in roles for i in (*role.get("among", ()), *role.get("anchors", ()))}


def _read(words: str, situation: Situation) -> Arguments | None:
    if not any(word in words for word in ("then", "after", "when", "once")):
        return None
    for slots in THEN.readings(words):
        parts = [_understood(slots[name], situation) for name in ("first", "second")]
        if all(parts):
            return {"first": parts[0], "second": parts[1]}
    return None


def _understood(words: str, situation: Situation) -> dict[str, Any] | None:
    for game in language_games().values():
        if game.kind == "instruction" and game.name != "do then":
            arguments = game.read(words, situation)
            if arguments is not None:
                return {"game": game.name, "arguments": arguments}
    return None


def _steps(arguments: Arguments) -> int:
    parts = (arguments["first"], arguments["second"])
    return sum(games()[part["game"]].steps(part["arguments"]) for part in parts)


STANDS = ("go somewhere", "stand by")

register(
    LanguageGame(
        name="do then",
        prompt="Ask the other player to do something, then when they are finished, ask them to do something else.",
        propose=_propose,
        reads=_read,
        check=Chain,
        steps=_steps,
    )
)
