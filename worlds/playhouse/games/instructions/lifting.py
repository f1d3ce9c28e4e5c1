"""Lift something."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from worlds.playhouse.games import nouns
from worlds.playhouse.games.modifiers import Modifier
from worlds.playhouse.games.moving import Moving
from worlds.playhouse.games.registry import Game, Request, register, steps
from worlds.playhouse.games.roles import ask_for_one, read_one
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.games.templates import Templates
from worlds.playhouse.requests.success import LIFT_HEIGHT
from worlds.playhouse.world import Playhouse

PICK_UP = Templates(
    "(lift|raise|hoist) {x}",
    "(lift|pick|raise|hold) up {x}",
    "(lift|pick|hold) {x} up",
    "(lift|raise) {x} into the air",
    "lift {x} up high",
    "(take|grab|get) {x} and (lift|raise|hold) it [up]",
    "(take|get) hold of {x} and lift it",
    "take {x} in your hand and lift it",
    "(go|walk) [over] to {x} and (pick it up|lift it)",
    "pick {x} up and hold it",
)


class PickUp(Moving):
    """Lifting: one of the things that are meant is held, ``LIFT_HEIGHT`` higher than it was."""

    done_reason = "has lifted the right thing"

    def is_done(self, world: Playhouse, object_id: str) -> bool:
        """See :meth:`Moving.is_done`."""
        return self.held == object_id and self.risen(world, object_id) >= LIFT_HEIGHT


def _propose(situation: Situation, rng: np.random.Generator, modifier: Modifier | None) -> Iterator[Request]:
    things = nouns.singles(situation, rng, modifier)
    yield from ask_for_one(PICK_UP, rng, (x for x in things if any(map(situation.can_be_taken, x.choice.among))))


register(
    Game(
        name="pick up",
        prompt="Ask the other player to lift something.",
        kind="instruction",
        propose=_propose,
        read=lambda words, situation: read_one(PICK_UP, words, situation, most=1),
        check=PickUp,
        steps=steps(75),
    )
)
