"""Throw something, for players with full hands."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from worlds.playhouse.games import nouns
from worlds.playhouse.games.modifiers import Modifier
from worlds.playhouse.games.moving import Moving
from worlds.playhouse.games.prompts import ACTIVITY
from worlds.playhouse.games.registry import LanguageGame, Request, register, steps
from worlds.playhouse.games.roles import ask_for_one, read_one
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.games.templates import Templates, patterns_of
from worlds.playhouse.requests.ground_truth import distance
from worlds.playhouse.world import HANDS, Playhouse

_WORDS = patterns_of("throwing")
THROW = Templates(*_WORDS["throw"])
THROWN = 0.6  # metres along the floor that a thing flies, or rolls, after it has been let go
FLIGHT = 10  # steps after which it has come down


class Throw(Moving):
    """Throwing: one of the things is ``THROWN`` metres from where the solver let it go, within ``FLIGHT`` steps."""

    done_reason = "has thrown the right thing"

    def begin(self, world: Playhouse) -> None:
        super().begin(world)
        self._let_go: dict[str, tuple[int, np.ndarray]] = {}  # at which step and where

    def is_done(self, world: Playhouse, object_id: str) -> bool:
        if self.held == object_id:
            self._let_go[object_id] = (world.step_index, world.object_position(object_id))
            return False
        step, place = self._let_go[object_id]
        flew = distance(world.object_position(object_id), place) >= THROWN
        return flew and world.step_index - step <= FLIGHT


def _propose(situation: Situation, rng: np.random.Generator, modifier: Modifier | None) -> Iterator[Request]:
    if situation.world.body is HANDS["full"]:
        things = nouns.singles(situation, rng, modifier)
        yield from ask_for_one(THROW, rng, (x for x in things if any(map(situation.can_be_taken, x.choice.among))))


register(
    LanguageGame(
        name="throw",
        prompt=ACTIVITY,
        propose=_propose,
        reads=lambda words, situation: read_one(THROW, words, situation, most=1),
        check=Throw,
        steps=steps(90),
    )
)
