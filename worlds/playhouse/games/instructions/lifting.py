"""Lift something."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from worlds.playhouse.games import nouns
from worlds.playhouse.games.modifiers import Modifier
from worlds.playhouse.games.moving import Moving
from worlds.playhouse.games.registry import LanguageGame, Request, register, steps
from worlds.playhouse.games.roles import ask_for_one, read_one
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.games.templates import Templates, patterns_of
from worlds.playhouse.requests.success import LIFT_HEIGHT
from worlds.playhouse.world import Playhouse

_WORDS = patterns_of("lifting")
PICK_UP = Templates(*_WORDS["pick up"])


class PickUp(Moving):
    """Lifting: one of the things that are meant is held, ``LIFT_HEIGHT`` higher than it was."""

    done_reason = "has lifted the right thing"

    def is_done(self, world: Playhouse, object_id: str) -> bool:
        return self.held == object_id and self.risen(world, object_id) >= LIFT_HEIGHT


def _propose(situation: Situation, rng: np.random.Generator, modifier: Modifier | None) -> Iterator[Request]:
    things = nouns.singles(situation, rng, modifier)
    yield from ask_for_one(PICK_UP, rng, (x for x in things if any(map(situation.can_be_taken, x.choice.among))))


register(
    LanguageGame(
        name="pick up",
        prompt="Ask the other player to lift something.",
        propose=_propose,
        reads=lambda words, situation: read_one(PICK_UP, words, situation, most=1),
        check=PickUp,
        steps=steps(75),
    )
)
