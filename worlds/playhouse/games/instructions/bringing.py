"""Bring me things, and hand me something."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from worlds.contract import SETTER, TaskSpec
from worlds.playhouse.games import nouns, places
from worlds.playhouse.games.choices import Choice
from worlds.playhouse.games.modifiers import Modifier
from worlds.playhouse.games.moving import Moving
from worlds.playhouse.games.registry import LanguageGame, Request, register, steps
from worlds.playhouse.games.roles import ask_for_one, read_one
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.games.templates import Templates, patterns_of
from worlds.playhouse.requests.ground_truth import distance
from worlds.playhouse.world import Playhouse

_WORDS = patterns_of("bringing")
BRING = Templates(*_WORDS["bring"])
HAND_OVER = Templates(*_WORDS["hand over"])
BROUGHT = 1.5  # metres at most between the setter and what has been brought
AWAY = 2.2  # metres at least between the setter and what is to be brought


class Bring(Moving):
    """Bringing: so many of the things rest, let go, near the setter and in its room."""

    done_reason = "brings it"

    def is_done(self, world: Playhouse, object_id: str) -> bool:
        return self.lies_still(world, object_id) and is_brought(world, object_id)


class HandOver(Moving):
    """Handing over: the setter holds one of the things, which the solver has carried. Bringing it is progress."""

    done_reason = "has handed it over"

    def __init__(self, spec: TaskSpec) -> None:
        super().__init__(spec)
        self._brought = False

    def is_done(self, world: Playhouse, object_id: str) -> bool:
        return world.avatar(SETTER).held == object_id

    def judge(self, world: Playhouse) -> Iterator[tuple[int, str]]:
        """What lies before the setter is not in a wrong place."""
        for sign, why in super().judge(world):
            if sign > 0 or not any(is_brought(world, i) for i in self.candidates()):
                yield sign, why
        brings = self.held in self.things.among and is_brought(world, self.held)
        if brings and not self._brought and not self.over:
            self._brought = True
            yield 1, "brings it"


def is_brought(world: Playhouse, object_id: str) -> bool:
    """Return True if a thing is within reach of the setter's feet, in its room."""
    here, at = world.avatar(SETTER).position, world.object_position(object_id)
    return distance(here, at) <= BROUGHT and world.room_at(here) == world.room_at(at)


def _is_away(situation: Situation, things: Choice) -> bool:
    """Return True if enough of the things can be taken, and all are away from the setter."""
    able = [i for i in things.among if situation.can_be_taken(i)]
    far = all(distance(situation.setter.position, situation.positions[i]) >= AWAY for i in things.among)
    if len(able) < things.number or not far:
        return False
    return places.are_before_setter(situation, able, things.number)


def _propose_bring(situation: Situation, rng: np.random.Generator, modifier: Modifier | None) -> Iterator[Request]:
    things = nouns.one_or_more(situation, rng, (2, 3), modifier)
    for request in ask_for_one(BRING, rng, (x for x in things if _is_away(situation, x.choice))):
        many = request.arguments["things"]["number"] > 1
        if not (many and " it " in request.words) and not (not many and " them " in request.words):
            yield request


def _propose_hand_over(situation: Situation, rng: np.random.Generator, modifier: Modifier | None) -> Iterator[Request]:
    if situation.setter.held is None:
        things = nouns.singles(situation, rng, modifier)
        yield from ask_for_one(HAND_OVER, rng, (x for x in things if _is_away(situation, x.choice)))


register(
    LanguageGame(
        name="bring",
        prompt="Ask the other player to bring you one or more objects.",
        propose=_propose_bring,
        reads=lambda words, situation: read_one(BRING, words, situation),
        check=Bring,
        steps=steps(130, each=90),
    )
)
register(
    LanguageGame(
        name="hand over",
        prompt="Ask the other player to hand you something, which you then hold.",
        propose=_propose_hand_over,
        reads=lambda words, situation: read_one(HAND_OVER, words, situation, most=1),
        check=HandOver,
        steps=steps(150),
    )
)
