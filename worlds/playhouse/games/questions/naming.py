"""What questions have in common: how their words are found and read."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from worlds.playhouse.games.modifiers import Modifier
from worlds.playhouse.games.nouns import referrer
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.requests.descriptions import Description, clear_or_possible, referents
from worlds.playhouse.requests.facts import Entity, Facts
from worlds.playhouse.requests.reading import descriptions, things_meant, words_of
from worlds.playhouse.requests.referring import Expression, Referrer

IN_SIGHT = ("object", "furniture")
MOST_NAMED = 9  # things of a group that questions are about


def named_entities(
    situation: Situation, rng: np.random.Generator, modifier: Modifier | None, **said: bool
) -> Iterator[tuple[Entity, Expression]]:
    """Yield objects and furniture with unique names, in random order.

    Args:
      said: ``say_colour`` and ``say_place`` of :meth:`Referrer.the`.
    """
    words = referrer(situation, rng, modifier, heed=0.9)
    entities = situation.facts.of(*IN_SIGHT)
    for i in rng.permutation(len(entities)).tolist():
        found = words.the(entities[i].id, **said)
        if found is not None:
            yield entities[i], found


def groups(
    situation: Situation, rng: np.random.Generator, modifier: Modifier | None, fewest: int = 1
) -> Iterator[tuple[Referrer, Expression]]:
    """Yield groups of loose things, with the one who finds words for them."""
    words = referrer(situation, rng, modifier, heed=0.9)
    loose = [entity.id for entity in situation.facts.of("object")]
    for group in words.groups(loose) if loose else ():
        if fewest <= len(group.ids) <= MOST_NAMED:
            yield words, group


def read_one(words: Sequence[str] | str, facts: Facts) -> Entity | None:
    """Return the one thing that words mean, of several that fit "the rack" the nearest to the speaker; None if none."""
    things = things_meant(words_of(words) if isinstance(words, str) else words, facts)
    if things is None or (len(things.meant) > 1 and things.description.plural):
        return None
    speaker = facts.by_id[facts.speaker].middle
    return min(things.meant, key=lambda entity: math.dist(entity.middle, speaker))


def read_group(words: Sequence[str], facts: Facts) -> tuple[Description, tuple[Entity, ...]] | None:
    """Return what words describe and everything that they are true of, which may be nothing; None if unreadable."""
    fallback = None
    for description in descriptions(words):
        found = clear_or_possible(description, facts)
        if found:
            return description, found
        fallback = fallback or (description, ())
    return fallback


def rooms_to_look_at(description: Description, found: Sequence[Entity], facts: Facts) -> list[str]:
    """Ids of the rooms that one has to see to say what a description is true of: those it names, or all."""
    named = {
        room.id
        for place in description.places
        if not place.negated
        for anchor in place.anchors
        for thing in referents(anchor, facts, clearly=False)
        if (
            room := facts.by_id[thing.id if thing.what == "room" else thing.room or ""]
            if _is_somewhere(thing)
            else None
        )
    }
    return sorted(named or {room.id for room in facts.of("room")} or {e.room for e in found if e.room})


def _is_somewhere(thing: Entity) -> bool:
    return thing.what == "room" or thing.room is not None


def ids(entities: Sequence[Entity]) -> list[str]:
    return [entity.id for entity in entities]


def singular(description: Description) -> Description:
    """The same description of one thing: "is there a red ball"."""
    return replace(description, plural=False, quantifier="a", number=None)
