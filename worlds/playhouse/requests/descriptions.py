"""Descriptions: what the words for things in a house mean, and of which things they are true.

A description is the meaning of a noun phrase such as "the small red balls on the table". :func:`referents` finds what
it is true of; the module :mod:`~worlds.playhouse.requests.wording` says it and
:mod:`~worlds.playhouse.requests.reading` reads it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, product

from worlds.playhouse.house.record import FLOOR
from worlds.playhouse.requests.facts import Entity, Facts
from worlds.playhouse.requests.lexicon import OBJECT, can_be_called, similar_colours
from worlds.playhouse.requests.relations import LARGER, gap, holds, volume

CLEARLY_NEARER = 1.25  # times as far away at least is what is not the nearest


@dataclass(frozen=True)
class Place:
    """A place in relation to something else, e.g. next to the bed, not on the floor, in the pantry.

    Args:
      relation: one of :data:`~worlds.playhouse.requests.relations.RELATIONS`.
      anchors: descriptions of what it is in relation to: one, or two for "between"; a single one of several things
        means each two of them there.
      negated: whether it is not there.
    """

    relation: str
    anchors: tuple[Description, ...]
    negated: bool = False


@dataclass(frozen=True)
class Extreme:
    """The one that is most so: the largest, or the nearest to something.

    Args:
      word: a key of :data:`~worlds.playhouse.requests.lexicon.EXTREMES`.
      anchor: what "nearest" and "farthest" are measured from; None means from the speaker.
    """

    word: str
    anchor: Description | None = None


@dataclass(frozen=True)
class Description:
    """Meaning of a noun phrase.

    Args:
      noun: singular of a noun of the lexicon, in the speaker's choice among synonyms.
      plural: whether it speaks of several.
      quantifier: "the", "a", "any", "some", "all", "most", "many", "no", or "" before a bare noun.
      number: that is named; None if none is.
      colour: name of a colour, None if not said.
      size: "small", "medium" or "large".
      shape: word for a shape.
      also: categories named besides the noun, as in "toy that flies".
      unlike: categories that it is said not to be of.
      other_than: colours that it is said not to have.
      places: where it is; all of them are true.
      extreme: what singles it out among all that the rest is true of.
    """

    noun: str = OBJECT
    plural: bool = False
    quantifier: str = "the"
    number: int | None = None
    colour: str | None = None
    size: str | None = None
    shape: str | None = None
    also: tuple[str, ...] = ()
    unlike: tuple[str, ...] = ()
    other_than: tuple[str, ...] = ()
    places: tuple[Place, ...] = ()
    extreme: Extreme | None = None

    @property
    def is_open(self) -> bool:
        """Whether it leaves the choice among what it is true of to the hearer."""
        some = self.quantifier in ("a", "any", "some")
        return some or (self.number is not None and self.quantifier == "")

    @cached_property
    def open_form(self) -> Description:
        """What it says of a thing, without saying of how many."""
        return replace(self, plural=False, quantifier="", number=None)


SPECIAL = ("me", "you", FLOOR, "house", "here", "this room", "ground")


def referents(description: Description, facts: Facts, clearly: bool = True) -> tuple[Entity, ...]:
    """Return everything of which a description is true, in the order of the facts.

    Args:
      description: of things; quantifier and number are left aside.
      clearly: whether nobody would contradict it, rather than some would accept it.
    """
    key = (description.open_form, clearly)
    if key not in facts.known:
        facts.known[key] = tuple(_found(description, facts, clearly))
    return facts.known[key]  # type: ignore[return-value]


def clear_or_possible(description: Description, facts: Facts) -> tuple[Entity, ...]:
    """Return everything that a description is clearly true of; possibly, where it is clearly true of nothing."""
    return referents(description, facts) or referents(description, facts, clearly=False)


def meant(description: Description, facts: Facts) -> tuple[Entity, ...]:
    """Return what a hearer takes a description to mean: what it is clearly true of, or else possibly.

    Of several things for a single definite name, those in the speaker's room are meant.
    """
    found = clear_or_possible(description, facts)
    if len(found) > 1 and description.quantifier == "the" and not description.plural:
        here = facts.by_id[facts.speaker].room
        found = tuple(entity for entity in found if entity.room == here) or found
    return found


def is_true_of(description: Description, entity: Entity, facts: Facts, clearly: bool = True) -> bool:
    """Return True if a description is true of one thing."""
    return any(found.id == entity.id for found in referents(description, facts, clearly))


def _found(description: Description, facts: Facts, clearly: bool) -> Iterable[Entity]:
    if description.noun in SPECIAL:
        return _special(description.noun, facts)
    found = [entity for entity in facts.entities if _has(description, entity, clearly)]
    found = [entity for entity in found if all(is_at(place, entity, facts, clearly) for place in description.places)]
    return found if description.extreme is None else _extremes(description.extreme, found, facts, clearly)


def _special(noun: str, facts: Facts) -> Iterable[Entity]:
    speaker = facts.by_id[facts.speaker]
    if noun in ("me", "you"):
        return [speaker if noun == "me" else facts.by_id[facts.hearer]]
    if noun in (FLOOR, "ground"):
        return [facts.by_id[FLOOR]]
    rooms = facts.of("room")
    return rooms if noun == "house" else [room for room in rooms if room.id == speaker.room]


def _has(description: Description, entity: Entity, clearly: bool) -> bool:
    """Return True if noun and adjectives are true of ``entity``."""
    if not can_be_called(entity, description.noun):
        return False
    colours = {entity.colour} if clearly or entity.colour is None else similar_colours(entity.colour)
    if description.colour is not None and description.colour not in colours:
        return False
    if entity.colour in description.other_than or not entity.categories.isdisjoint(description.unlike):
        return False
    if description.size is not None and not _has_size(description.size, entity, clearly):
        return False
    if description.shape is not None and description.shape not in entity.shapes:
        return False
    return all(category in entity.categories for category in description.also)


def _has_size(size: str, entity: Entity, clearly: bool) -> bool:
    return entity.size == size or (not clearly and entity.size == "medium" and size != "medium")


def is_at(place: Place, entity: Entity, facts: Facts, clearly: bool = True) -> bool:
    """Return True if ``entity`` is at a place; what is not even possibly there is clearly not there."""
    if place.negated:
        return not is_at(replace(place, negated=False), entity, facts, not clearly)
    key = (place, entity.id, clearly)
    if key not in facts.known:
        facts.known[key] = any(
            holds(place.relation, entity, anchors, facts, clearly) for anchors in _anchors(place, facts, clearly)
        )
    return bool(facts.known[key])


def _anchors(place: Place, facts: Facts, clearly: bool) -> Iterable[tuple[Entity, ...]]:
    if place.relation != "between":
        return ((entity,) for entity in referents(place.anchors[0], facts, clearly))
    if len(place.anchors) == 1:
        return combinations(referents(place.anchors[0], facts, clearly), 2)
    return product(*(referents(anchor, facts, clearly) for anchor in place.anchors))


def _extremes(extreme: Extreme, found: list[Entity], facts: Facts, clearly: bool) -> list[Entity]:
    """The one that is most so by a clear margin; where it need not be clear, all that come close to it."""
    measure = {entity.id: _measure(extreme, entity, facts) for entity in found}
    near = extreme.word in ("nearest", "farthest")
    margin = CLEARLY_NEARER if near else LARGER.clear
    if not clearly:
        margin = 1.05
    ranked = sorted(found, key=lambda entity: -measure[entity.id])
    if not ranked or measure[ranked[0].id] <= 0.0:
        return ranked[:1]
    close = [entity for entity in ranked if measure[entity.id] * margin >= measure[ranked[0].id]]
    return close if not clearly or len(close) == 1 else []


def _measure(extreme: Extreme, entity: Entity, facts: Facts) -> float:
    """A positive number that is greatest for the one that is most so."""
    if extreme.word in ("nearest", "farthest"):
        anchors = (
            [facts.by_id[facts.speaker]] if extreme.anchor is None else referents(extreme.anchor, facts, clearly=False)
        )
        apart = min((max(gap(entity, anchor), 0.05) for anchor in anchors if anchor.id != entity.id), default=0.05)
        return 1.0 / apart if extreme.word == "nearest" else apart
    if extreme.word == "tallest":
        return entity.height
    size = max(volume(entity), 1e-6)
    return size if extreme.word == "largest" else 1.0 / size
