"""Lift something."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from worlds.playhouse.games import nouns
from worlds.playhouse.games.modifiers import Modifier
from worlds.playhouse.games.moving import Moving
from worlds.playhouse.games.registry import Arguments, Game, Request, register, steps
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.games.templates import Templates
from worlds.playhouse.requests.success import LIFT_HEIGHT
from worlds.playhouse.world import Playhouse

PICK_UP = Templates(
    "lift {x}", "lift up {x}", "pick up {x}", "pick {x} up", "raise {x}", "take {x} and lift it", "hold up {x}"
)


class PickUp(Moving):
    """Lifting: one of the things that are meant is held, ``LIFT_HEIGHT`` higher than it was."""

    done_reason = "has lifted the right thing"

    def is_done(self, world: Playhouse, object_id: str) -> bool:
        """See :meth:`Moving.is_done`."""
        return self.held == object_id and self.risen(world, object_id) >= LIFT_HEIGHT


def _propose(situation: Situation, rng: np.random.Generator, modifier: Modifier | None) -> Iterator[Request]:
    for named in nouns.singles(situation, rng, modifier):
        if any(map(situation.can_be_taken, named.choice.among)):
            arguments = {"things": named.choice.to_json(), "said": named.said}
            yield Request(PICK_UP.say(rng, x=named.words), arguments)


def _read(words: str, situation: Situation) -> Arguments | None:
    for slots in PICK_UP.readings(words):
        things = nouns.read(slots["x"], situation)
        if things is not None and things.number == 1:
            return {"things": things.to_json()}
    return None


register(
    Game(
        name="pick up",
        prompt="Ask the other player to lift something.",
        kind="instruction",
        propose=_propose,
        read=_read,
        check=PickUp,
        steps=steps(75),
    )
)
