"""Referring expressions: words for one thing, for some or for all of a kind, as short as a person's, with variety.

Every expression is read back before it is used: words that a hearer could take to mean anything else are never said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from worlds.playhouse.house.record import FLOOR
from worlds.playhouse.requests.descriptions import Description, Extreme, Place, referents
from worlds.playhouse.requests.facts import Entity, Facts
from worlds.playhouse.requests.lexicon import OBJECT, Noun, nouns_by_singular, said_of
from worlds.playhouse.requests.reading import can_mean_others, read_things
from worlds.playhouse.requests.relations import holds
from worlds.playhouse.requests.wishes import FREE, Wish
from worlds.playhouse.requests.wording import words_for

MOST_DETAILS = 3
LONGER = 3  # words by which an expression may be longer than the shortest one
LONGEST = 12  # words of one expression
FLOURISH = 0.25  # chance of one more detail than is needed
ROOM_SAID = 0.35  # chance that the room is named, needed or not
OTHER_NAME = 0.3  # chance of a synonym or a category instead of the name of the kind
BESIDE = ("next to", "near", "left of", "right of", "in front of", "behind", "under")
ONLY_WISHED = {"proximity": ("far from",), "vertical": ("above",)}  # relations that are odd unless wished for
MOST_ANCHORS = 6  # neighbours that a thing is described in relation to
MOST_TRIED = 12  # expressions that are read back before a thing is given up


@dataclass(frozen=True)
class Expression:
    """Words for things.

    Args:
      words: e.g. "the red ball on the table".
      description: that they say.
      ids: of everything that the description is true of.
    """

    words: str
    description: Description
    ids: tuple[str, ...]


class Referrer:
    """Finds words for things in one house at one moment.

    Args:
      heed: chance per expression that it keeps to the wish; what a wish forbids is never said.
    """

    def __init__(self, facts: Facts, rng: np.random.Generator, wish: Wish = FREE, heed: float = 1.0) -> None:
        self.facts, self.rng, self.wish = facts, rng, wish
        self._wish, self._heed = wish, 1.0 if wish.forbids else heed
        self._index = {entity.id: 1 << i for i, entity in enumerate(facts.entities)}
        self._masks: dict[object, tuple[int, int]] = {}
        self._anchors: dict[tuple[str, bool], Description | None] = {}

    def the(self, entity_id: str, say_colour: bool = True, say_place: bool = True) -> Expression | None:
        """Return words that fit one thing only; None if there are none that are short enough.

        Args:
          say_colour: whether its colour may be named; not when it is asked for.
          say_place: whether its place may be named, likewise.
        """
        self._heed_wish()
        target = self.facts.by_id[entity_id]
        details = [d for d in self._details(target, say_place) if say_colour or "colour" not in d]
        heads, tried = self._heads(target), 0
        room = self.room_description(target.room) if say_place and self.rng.random() < ROOM_SAID else None
        if room is not None:
            heads = [replace(head, places=(Place("in", (room,)),)) for head in heads]
        for candidate in self._unique(target, heads, details):
            expression = self.expression(candidate)
            if expression is not None and expression.ids == (entity_id,):
                return expression
            tried += 1
            if tried >= MOST_TRIED:
                break
        return None

    def expression(self, description: Description) -> Expression | None:
        """Return words for a description; None if they are too long, against the wish or would be misunderstood."""
        if is_awkward(description):
            return None
        words = self.wish.say(lambda rng: words_for(description, rng), self.rng)
        if words is None or len(words.split()) > LONGEST or not self.wish.allows(description):
            return None
        read = read_things(words, self.facts)
        ids = tuple(entity.id for entity in referents(description, self.facts))
        if read is None or read.ids != ids or can_mean_others(words, ids, self.facts):
            return None
        return Expression(words, description, ids)

    def groups(self, among: Sequence[str], tries: int = 60) -> Iterator[Expression]:
        """Yield descriptions in the plural that are true of some or all of ``among`` and of nothing else.

        They come without quantifier and number: "white objects in the playroom". Nothing about which they could be
        doubtful is left out or in.
        """
        allowed, seen = set(among), set()
        for _ in range(tries):
            self._heed_wish()
            seed = self.facts.by_id[among[int(self.rng.integers(len(among)))]]
            description = self._of_group(seed)
            if description in seen or not self.wish.allows(description):
                continue
            seen.add(description)
            clear, possible = (referents(description, self.facts, clearly) for clearly in (True, False))
            if clear == possible and {entity.id for entity in clear} <= allowed:
                expression = self.expression(description)
                if expression is not None:
                    yield expression

    def quantified(self, group: Expression, number: int | None, quantifier: str = "") -> Expression | None:
        """Return words for so many of a group, e.g. "three books", "any red ball", "all the toys".

        Args:
          number: of them that are meant; None to say none.
          quantifier: "", "any", "some", "all", "a" or "the".
        """
        plural = number != 1 and quantifier != "a"
        said = None if number == 1 and quantifier != "" else number
        description = replace(group.description, quantifier=quantifier, number=said, plural=plural)
        return self.expression(description)

    def _heed_wish(self) -> None:
        self.wish = self._wish if self._heed == 1.0 or self.rng.random() < self._heed else FREE

    # -- one thing ------------------------------------------------------------------------------------------------

    def _unique(self, target: Entity, heads: list[Description], details: list[dict]) -> Iterator[Description]:
        """Descriptions that fit the target alone, those with fewer details first, within a length in random order."""
        wanted, shortest = self._index[target.id], None
        flourish = self.rng.random() < FLOURISH
        for number in range(MOST_DETAILS + 1):
            found = []
            for head in heads:
                for chosen in combinations(details, number):
                    description = _with(head, chosen)
                    if description is not None and self.wish.allows(description):
                        clear, possible = self._mask(description)
                        if clear == possible == wanted:
                            found.append(description)
            if not found:
                continue
            lengths = [len(words_for(description).split()) for description in found]
            shortest = min(lengths) if shortest is None else shortest
            if self.wish.name == "negation":
                found, lengths = self._needing_negation(found, wanted)
            fitting = [d for d, length in zip(found, lengths, strict=True) if length <= shortest + LONGER]
            yield from (fitting[i] for i in self._shuffled(fitting))
            if not flourish:
                return

    def _needing_negation(self, found: list[Description], wanted: int) -> tuple[list[Description], list[int]]:
        """Those of which the negation tells the thing from others, if there are any; and their lengths in words."""
        needing = [d for d in found if self._mask(_affirmed(d))[0] != wanted] or found
        return needing, [len(words_for(description).split()) for description in needing]

    def _shuffled(self, descriptions: list[Description]) -> list[int]:
        """Random order in which short expressions tend to come first."""
        keys = [len(words_for(d).split()) + 2.5 * self.rng.random() for d in descriptions]
        return sorted(range(len(keys)), key=lambda i: keys[i])

    def _heads(self, target: Entity) -> list[Description]:
        """The noun: the name of the kind, now and then a synonym or a category, or just "object"."""
        names = self._names(target)
        plain = [noun for noun in names if noun.singular == target.kind]
        others = [noun for noun in names if noun.singular != target.kind]
        chosen = plain if plain and self.rng.random() >= OTHER_NAME else []
        if not chosen and others:
            chosen = [others[int(self.rng.integers(len(others)))], *plain]
        return [Description(noun=noun.singular, quantifier="the") for noun in chosen or plain]

    def _names(self, entity: Entity) -> list[Noun]:
        """Every noun that may be said of an entity."""
        said = said_of(entity.what, entity.kind, entity.categories)
        return [noun for noun in said if self.wish.may_say(noun.singular)]

    def _details(self, target: Entity, say_place: bool) -> list[dict]:
        details: list[dict] = []
        if target.colour is not None:
            details.append({"colour": target.colour})
        if target.size in ("small", "large"):
            details.append({"size": target.size})
        details += [{"shape": shape} for shape in sorted(target.shapes)]
        if target.what == "object":
            details += [{"extreme": Extreme(word)} for word in ("largest", "smallest", "nearest")]
        if self.wish.name == "negation":
            others = sorted({e.colour for e in self.facts.of("object") if e.colour not in (None, target.colour)})
            details += [{"other_than": (colour,)} for colour in others]
        if say_place:
            details += [{"place": place} for place in self.places_of(target)]
        return details

    def places_of(self, target: Entity) -> list[Place]:
        """Where it is, in every way that is clear and can be said: room, what bears it, what is beside it."""
        places = [] if target.holder is None else self._held_places(target)
        room = self.room_description(target.room)
        if room is not None:
            places.append(Place("in", (room,)))
        neighbours = self._neighbours(target)
        for relation in (*BESIDE, *ONLY_WISHED.get(self.wish.name, ())):
            for anchor in neighbours:
                if holds(relation, target, (anchor,), self.facts, clearly=True):
                    described = self._anchor(anchor)
                    if described is not None:
                        places.append(Place(relation, (described,)))
        for a, b in combinations(neighbours[:5], 2):
            if holds("between", target, (a, b), self.facts, clearly=True):
                first, second = self._anchor(a), self._anchor(b)
                if first is not None and second is not None:
                    places.append(Place("between", (first, second)))
        if self.wish.name == "negation":
            places += self._places_it_is_not_at(target)
        return places

    def _held_places(self, target: Entity) -> list[Place]:
        if target.holder == FLOOR:
            return [] if target.what == "furniture" else [Place("on", (Description(noun=FLOOR),))]
        holder = self.facts.by_id[target.holder or FLOOR]
        described = None if holder.what == "player" else self._anchor(holder)
        return [] if described is None else [Place("in" if target.inside else "on", (described,))]

    def _places_it_is_not_at(self, target: Entity) -> list[Place]:
        bearers = {e.holder for e in self.facts.of("object") if e.holder not in (None, target.holder)}
        held = {e.id: e for e in self.facts.of("object", "furniture")}
        places = [Place("on", (Description(noun=FLOOR),), negated=True)] if target.holder != FLOOR else []
        for bearer in sorted(i for i in bearers if i in held):
            described = self._anchor(held[bearer])
            if described is not None and not held[bearer].what == "object":
                places.append(Place("on", (described,), negated=True))
        return places

    def _neighbours(self, target: Entity) -> list[Entity]:
        """What it is described in relation to: players, openings and furniture of its room, and things of its level."""
        x, y = target.middle

        def far(entity: Entity) -> float:
            return abs(entity.middle[0] - x) + abs(entity.middle[1] - y)

        others = [e for e in self.facts.entities if e.room == target.room and e.id != target.id and e.room is not None]
        fixed = sorted((e for e in others if e.what in ("furniture", "opening")), key=far)
        loose = sorted((e for e in others if e.what == "object" and e.holder == target.holder), key=far)
        players = [e for e in others if e.what == "player"]
        return [*fixed[:MOST_ANCHORS], *players, *loose[:2]]

    # -- anchors --------------------------------------------------------------------------------------------------

    def room_description(self, room_id: str | None) -> Description | None:
        """Return the name of a room; "this room" where rooms have none; None if there is a single room or no name."""
        if room_id is None or len(self.facts.of("room")) < 2:
            return None
        room = self.facts.by_id[room_id]
        if not room.names:
            both_here = all(self.facts.by_id[name].room == room_id for name in (self.facts.speaker, self.facts.hearer))
            return Description(noun="this room") if both_here else None
        return self._anchor(room)

    def _anchor(self, entity: Entity) -> Description | None:
        """The plainest description of what something is in relation to; None if it cannot be told from others."""
        coloured = self.wish.name == "location colour"
        key = (entity.id, coloured)
        if key not in self._anchors:
            self._anchors[key] = next(self._plain_descriptions(entity, coloured), None)
        return self._anchors[key]

    def _plain_descriptions(self, entity: Entity, coloured: bool) -> Iterator[Description]:
        if entity.what == "player":
            yield Description(noun="me" if entity.id == self.facts.speaker else "you")
            return
        name = entity.names[0] if entity.names else entity.kind
        if not self.wish.may_say(name):
            return
        plain = Description(noun=name, quantifier="the")
        named = [plain] if not coloured or entity.colour is None else []
        if entity.colour is not None:
            named.append(replace(plain, colour=entity.colour))
        for description in named:
            clear, possible = self._mask(description)
            if clear == possible == self._index[entity.id]:
                yield description
        room = self.room_description(entity.room) if entity.what != "room" else None
        if room is not None:
            for description in (replace(d, places=(Place("in", (room,)),)) for d in named):
                clear, possible = self._bits(description)
                if clear == possible == self._index[entity.id]:
                    yield description

    # -- what descriptions are true of ----------------------------------------------------------------------------

    def _mask(self, description: Description) -> tuple[int, int]:
        """Bits of the entities of which it is clearly, and possibly, true."""
        bare = replace(description, places=())
        clear, possible = self._masked(bare) if description.extreme is None else (0, 0)
        if description.extreme is not None:
            return self._bits(description)
        for place in description.places:
            at = self._masked(place)
            clear, possible = clear & at[0], possible & at[1]
        return clear, possible

    def _masked(self, key: Description | Place) -> tuple[int, int]:
        if key not in self._masks:
            named = key if isinstance(key, Description) else None
            self._masks[key] = self._bits(named) if named is not None else self._bits_at(key)  # type: ignore[arg-type]
        return self._masks[key]

    def _bits(self, description: Description) -> tuple[int, int]:
        clear, possible = (referents(description, self.facts, clearly) for clearly in (True, False))
        return sum(self._index[e.id] for e in clear), sum(self._index[e.id] for e in possible)

    def _bits_at(self, place: Place) -> tuple[int, int]:
        anchors = tuple(referents(anchor, self.facts)[0] for anchor in place.anchors)
        bits = []
        for clearly in (True, False):
            degree = clearly != place.negated
            true = [holds(place.relation, e, anchors, self.facts, degree) != place.negated for e in self.facts.entities]
            bits.append(sum(self._index[e.id] for e, t in zip(self.facts.entities, true, strict=True) if t))
        return bits[0], bits[1]

    # -- several things -------------------------------------------------------------------------------------------

    def _of_group(self, seed: Entity) -> Description:
        """A random description in the plural that is true of ``seed``."""
        names = self._names(seed)
        generic = [noun for noun in names if noun.meaning == "any" and not noun.bare]
        pool = generic if generic and self.rng.random() < 0.35 else [n for n in names if n.meaning != "any"] or generic
        noun = pool[int(self.rng.integers(len(pool)))] if pool else None
        description = Description(noun=noun.singular if noun else OBJECT, plural=True, quantifier="")
        chosen: list[dict] = []
        for detail in self._details(seed, say_place=False):
            likely = 0.45 if "colour" in detail else 0.1
            if "extreme" not in detail and self.rng.random() < self.wish.likelier(detail, likely):
                chosen = [other for other in chosen if other.keys() != detail.keys()] + [detail]
        places = self.places_of(seed) if self.rng.random() < self.wish.likelier({"place": None}, 0.6) else []
        if places:
            weights = np.array([4.0 if p.relation in ("in", "on") else 1.0 for p in places])
            chosen.append({"place": places[int(self.rng.choice(len(places), p=weights / weights.sum()))]})
        return _with(description, chosen) or description


def is_awkward(description: Description) -> bool:
    """Return True of an adjective before "something to read", which is no English."""
    bare = nouns_by_singular()[description.noun][0].bare and not description.plural
    return bare and any((description.colour, description.size, description.shape, description.extreme))


def _affirmed(description: Description) -> Description:
    """What it says without anything negated."""
    return replace(description, other_than=(), places=tuple(p for p in description.places if not p.negated))


def _with(head: Description, details: Sequence[dict]) -> Description | None:
    """``head`` with more details; None if two of them would say the same. A room is named last."""
    fields: dict = {}
    for detail in details:
        for name, value in detail.items():
            if name == "place":
                fields["places"] = (*fields.get("places", ()), value)
            elif name in fields:
                return None
            else:
                fields[name] = value
    if head.places or "places" in fields:
        places = (*fields.get("places", ()), *head.places)
        if len({(place.relation, _is_room(place.anchors[0])) for place in places}) < len(places):
            return None
        fields["places"] = tuple(sorted(places, key=lambda place: _is_room(place.anchors[0])))
    return replace(head, **fields)


def _is_room(description: Description) -> bool:
    return description.noun == "this room" or any(n.meaning == "room" for n in nouns_by_singular()[description.noun])
