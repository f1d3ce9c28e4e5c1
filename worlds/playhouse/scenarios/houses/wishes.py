"""Wishes for a house in words, e.g. "2 bananas on the floor in the pantry", and the things that fulfil them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from worlds.contract import WorldError
from worlds.playhouse.house.catalogue import COLOURS, FURNITURE_KINDS, OBJECT_KINDS, SIZES
from worlds.playhouse.requests.descriptions import Description, referents
from worlds.playhouse.requests.facts import Entity, Facts
from worlds.playhouse.requests.lexicon import nouns_by_singular
from worlds.playhouse.requests.reading import descriptions, words_of

SEVERAL = (2, 4)  # things that a plural without a number wishes for, fewest and most
GENERAL = ("object", "thing", "item")
AT_HOME = 0.8  # chance that a thing is of a kind that belongs in its room, where one does


@dataclass(frozen=True)
class Model:
    kind: str
    colour: str
    size: str


@dataclass(frozen=True)
class Wish:
    text: str
    description: Description

    @property
    def furniture(self) -> str | None:
        """Kind of the furniture that is wished for; None for loose things."""
        noun = self.description.noun
        return noun if noun in FURNITURE_KINDS and noun not in OBJECT_KINDS else None

    @property
    def is_room(self) -> bool:
        """Whether a room is wished for, with walls of a color."""
        return room_type_of(self.description) is not None

    @property
    def room(self) -> str | None:
        """Type of the room that the words name; None if they name none."""
        return room_type_of(self.description) or room_named(self.description)

    @property
    def include(self) -> str:
        """The wish for a piece of furniture as a setting of houses."""
        colour, room = self.description.colour, self.room
        return f"{colour + ' ' if colour else ''}{self.furniture}{f' in the {room}' if room else ''}"

    def number(self, rng: np.random.Generator) -> int:
        """Draw the number of things wished for."""
        if self.description.number is not None:
            return self.description.number
        return int(rng.integers(SEVERAL[0], SEVERAL[1] + 1)) if self.description.plural else 1

    def models(self, rng: np.random.Generator, room: str) -> Iterator[Model]:
        """Yield things that fit the words in random order, mostly those that belong in a type of room."""
        fitting = _fitting(replace(self.description, places=(), extreme=None))
        if self.description.noun in GENERAL:
            fitting = tuple(m for m in fitting if "furniture" not in OBJECT_KINDS[m.kind].categories)
        kinds = sorted({model.kind for model in fitting})
        home = [kind for kind in kinds if room in OBJECT_KINDS[kind].rooms]
        while kinds:
            among = home if home and rng.random() < AT_HOME else kinds
            kind = among[int(rng.integers(len(among)))]
            models = [model for model in fitting if model.kind == kind]
            yield models[int(rng.integers(len(models)))]


@cache
def read_wish(text: str) -> Wish:
    """Read a wish. Raises WorldError for words that describe nothing."""
    return Wish(text, read_phrase(text))


@cache
def read_phrase(text: str) -> Description:
    """Read a noun phrase. Raises WorldError for words that are none."""
    found = next(descriptions(words_of(text)), None)
    if found is None:
        raise WorldError(f"scenario: {text!r} is no noun phrase of the house's language")
    return found


def room_named(description: Description) -> str | None:
    """Type of the room that a description names, in its own places or in those of what it is beside."""
    for place in description.places:
        for anchor in place.anchors:
            found = room_type_of(anchor) or room_named(anchor)
            if found is not None:
                return found
    return None


def room_type_of(description: Description) -> str | None:
    """Type of the room that a description is of; None of anything else and of "room"."""
    meanings = nouns_by_singular().get(description.noun, ())
    return next((kind for noun in meanings if noun.meaning == "room" for kind in noun.of), None)


@cache
def _fitting(description: Description) -> tuple[Model, ...]:
    catalogue = _catalogue()
    return tuple(Model(*entity.id.split("/")) for entity in referents(description, catalogue))


@cache
def _catalogue() -> Facts:
    """Every kind of loose thing in all its colours and sizes, as if they stood in no room."""
    entities = []
    for kind, spec in OBJECT_KINDS.items():
        for colour in spec.colours or COLOURS:
            for size in spec.sizes:
                r, h, name = spec.radius(SIZES[size]), spec.height(SIZES[size]), f"{kind}/{colour}/{size}"
                thing = Entity(name, "object", kind, (kind, *spec.synonyms), (-r, -r, 0.0), (r, r, h), colour, size)
                entities.append(replace(thing, shapes=spec.shapes, categories=spec.categories, disc=r))
    return Facts(tuple(entities))
