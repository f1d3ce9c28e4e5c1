"""Put something on top of something else, or underneath it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from worlds.playhouse.games import nouns, places, reaching
from worlds.playhouse.games.choices import Choice
from worlds.playhouse.games.geometry import is_on_piece, is_under_piece
from worlds.playhouse.games.modifiers import Modifier
from worlds.playhouse.games.moving import Moving
from worlds.playhouse.games.registry import LanguageGame, Request, register, steps
from worlds.playhouse.games.roles import anything, ask_for_two, read_two
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.games.templates import Templates, patterns_of
from worlds.playhouse.games.tower import FLAT, can_be_base, can_be_stacked
from worlds.playhouse.requests.ground_truth import rests_on
from worlds.playhouse.world import Playhouse

_WORDS = patterns_of("stacking")
PUT_ON = Templates(*_WORDS["put on"])
PUT_UNDER = Templates(*_WORDS["put under"])


class PutOn(Moving):
    """Putting on top: so many of the things rest, let go, on the target."""

    done_reason = "puts it on top of the right thing"

    def is_done(self, world: Playhouse, object_id: str) -> bool:
        on = any(is_on(world, object_id, target) for target in Choice.of(self.spec.arguments, "target").among)
        return on and self.lies_still(world, object_id)


class PutUnder(Moving):
    """Putting underneath: one of the things lies under the furniture, or the target has been put on top of it."""

    done_reason = "puts it underneath the right thing"

    def may_take(self, object_id: str) -> bool:
        """What is to be above may be taken as well."""
        return super().may_take(object_id) or object_id in Choice.of(self.spec.arguments, "target").among

    def moves_target(self) -> bool:
        """Return True if the target is loose, and can be put on what is to be under it."""
        return not self.carried.isdisjoint(Choice.of(self.spec.arguments, "target").among)

    def candidates(self) -> set[str]:
        return set(self.things.among) if self.moves_target() else super().candidates()

    def is_done(self, world: Playhouse, object_id: str) -> bool:
        targets = Choice.of(self.spec.arguments, "target").among
        return self.lies_still(world, object_id) and any(is_under(world, object_id, target) for target in targets)


def is_on(world: Playhouse, object_id: str, target: str) -> bool:
    """Return True if a loose thing is on another, or on a piece of furniture."""
    house, positions = world.house, world.object_positions()
    if target in house.furniture_by_id:
        return is_on_piece(house, target, positions[object_id])
    return rests_on(house, object_id, target, positions)


def is_under(world: Playhouse, object_id: str, target: str) -> bool:
    """Return True if a loose thing is under a piece of furniture, or bears another loose thing."""
    house, positions = world.house, world.object_positions()
    if target in house.furniture_by_id:
        return is_under_piece(house, object_id, target, positions[object_id])
    return rests_on(house, target, object_id, positions)


def _propose_on(situation: Situation, rng: np.random.Generator, modifier: Modifier | None) -> Iterator[Request]:
    """Things on furniture with room for them, and on flat things that stand free on the floor."""
    world, house = situation.world, situation.house

    def fits(things: Choice, target: Choice) -> bool:
        (base,) = target.among
        able = [i for i in things.among if situation.can_be_taken(i)]
        if len(able) < things.number or any(is_on(world, i, base) for i in things.among):
            return False
        if base in house.furniture_by_id:
            piece = house.furniture_by_id[base]
            room = all(places.capacity(situation, i, piece) >= things.number for i in able)
            tried = able[: things.number + 1]
            return room and all(places.on_furniture(situation, i, piece, firmly=True) is not None for i in tried)
        if things.number > 1 or not all(house.objects_by_id[i].kind in FLAT for i in able):
            return False
        radius = max(house.objects_by_id[i].radius for i in able)
        return can_be_base(world, base, radius) and situation.can_be_built_on(base)

    bases = [*(f.id for f in house.furniture if f.spec.surfaces), *_flat(situation)]
    things = nouns.one_or_more(situation, rng, (2, 3), modifier)
    yield from ask_for_two(PUT_ON, rng, things, lambda: nouns.named_things(situation, rng, bases, modifier), fits)


def _propose_under(situation: Situation, rng: np.random.Generator, modifier: Modifier | None) -> Iterator[Request]:
    """Things under furniture with room below, and under flat things that can be put on them."""
    world, house = situation.world, situation.house

    def fits(things: Choice, target: Choice) -> bool:
        (above,) = target.among
        if not all(situation.can_be_taken(i) and not is_under(world, i, above) for i in things.among):
            return False
        if above in house.furniture_by_id:
            piece = house.furniture_by_id[above]
            return all(reaching.under_furniture(situation, i, piece, surely=True) is not None for i in things.among)
        if not (can_be_stacked(world, above) and situation.can_be_taken(above)):
            return False
        radius = house.objects_by_id[above].radius
        able = [can_be_base(world, i, radius) and situation.can_be_built_on(i) for i in things.among]
        return not things.is_open and all(able)

    above = [*(f.id for f in house.furniture if f.spec.under is not None), *_flat(situation)]
    things = nouns.singles(situation, rng, modifier)
    targets = lambda: nouns.named_things(situation, rng, above, modifier)  # noqa: E731
    yield from ask_for_two(PUT_UNDER, rng, things, targets, fits)


def _flat(situation: Situation) -> list[str]:
    return [i for i in situation.here if i in situation.free and can_be_stacked(situation.world, i)]


register(
    LanguageGame(
        name="put on",
        prompt="Ask the other player to put something on top of something else.",
        propose=_propose_on,
        reads=lambda words, situation: read_two(PUT_ON, words, situation, anything),
        check=PutOn,
        steps=steps(150, each=70),
    )
)
register(
    LanguageGame(
        name="put under",
        prompt="Ask the other player to put something underneath something else.",
        propose=_propose_under,
        reads=lambda words, situation: read_two(PUT_UNDER, words, situation, anything),
        check=PutUnder,
        steps=steps(150),
    )
)
