"""Questions about what is seen: what the solver notices, what the setter points at, and names of what is somewhere."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from worlds.contract import SETTER, SOLVER
from worlds.playhouse.games.modifiers import Modifier
from worlds.playhouse.games.nouns import pairs
from worlds.playhouse.games.questions.answering import Answering, Verdict
from worlds.playhouse.games.questions.naming import groups, ids, read_group, rooms_to_look_at
from worlds.playhouse.games.registry import Arguments, LanguageGame, Request, register, steps
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.games.templates import patterns_of
from worlds.playhouse.navigation.sight import Sight
from worlds.playhouse.requests import answers
from worlds.playhouse.requests.answers import possibly
from worlds.playhouse.requests.descriptions import Description, referents
from worlds.playhouse.requests.facts import Entity, Facts
from worlds.playhouse.requests.ground_truth import bearing, distance
from worlds.playhouse.requests.lexicon import NUMBERS, nouns_by_singular, number_of
from worlds.playhouse.requests.phrasing import Phrasing
from worlds.playhouse.requests.reading import places
from worlds.playhouse.requests.views import sees
from worlds.playhouse.requests.wording import place_in_words
from worlds.playhouse.world import Playhouse

_WORDS = patterns_of("seeing")
NOTICE = Phrasing(*_WORDS["notice"], question=True)
NAMES = Phrasing(*_WORDS["names"], question=True)
SOME_NAMES = Phrasing(*_WORDS["some names"], question=True)
WHAT_IS = Phrasing(*_WORDS["what is"], question=True)
POINTED = Phrasing(*_WORDS["pointed"], question=True)
ENOUGH = 3  # things that are named of many
MOST_TOLD = 8  # things in a place that is asked about
POINTS_WITHIN = 3.5  # metres
POINTS_UP_TO = math.radians(12.0)


# -- noticing ---------------------------------------------------------------------------------------------------------


class Notice(Answering):
    """Saying what is in view: everything that is named is in the solver's picture when it says so."""

    def verdict(self, world: Playhouse, utterance: str) -> Verdict:
        facts, sight = self.facts(world), Sight.of(world)
        named = answers.things_named(utterance)
        found = [possibly(description, facts) for description in named]
        if not named:
            return Verdict.NONE
        in_view = [any(e.what != "room" and sees(world, SOLVER, e, sight) for e in things) for things in found]
        rooms = [all(e.what == "room" for e in things) and bool(things) for things in found]
        if not all(seen or room for seen, room in zip(in_view, rooms, strict=True)):
            return Verdict.WRONG
        return Verdict.RIGHT if any(in_view) else Verdict.PARTLY


def _notices(situation: Situation, rng: np.random.Generator, modifier: Modifier | None) -> Iterator[Request]:
    del situation, modifier  # nothing is named
    for _ in range(10):
        yield Request(NOTICE.say(rng), {"said": []})


def _read_notice(words: str, situation: Situation) -> Arguments | None:
    del situation
    return {} if next(NOTICE.readings(words), None) is not None else None


# -- names ------------------------------------------------------------------------------------------------------------


class Names(Answering):
    """Naming things of some place or kind: all that are named are among them, and so many have been named.

    Where all are asked for, :data:`ENOUGH` are enough of many. Names may come in several utterances.
    """

    def _begin(self, world: Playhouse) -> None:
        super()._begin(world)
        self._named: set[str] = set()

    def verdict(self, world: Playhouse, utterance: str) -> Verdict:
        facts, among = self.facts(world), set(self.spec.arguments["among"])
        named = answers.things_named(utterance)
        if not among and answers.yes_or_no(utterance) == answers.NO:
            return Verdict.RIGHT
        if not named:
            return Verdict.NONE
        for description in named:
            fitting = set(ids(possibly(description, facts)))
            if _names_nothing(description):
                continue
            if not fitting & among:
                return Verdict.WRONG if not _is_place(description) else Verdict.PARTLY
            self._named |= fitting & among
        if not self._named:
            return Verdict.NONE
        return Verdict.RIGHT if len(self._named) >= self.spec.arguments["number"] else Verdict.PARTLY


def _names_nothing(description: Description) -> bool:
    return description.noun in ("object", "thing", "item") and description.colour is None


def _is_place(description: Description) -> bool:
    return any(noun.meaning == "room" for noun in nouns_by_singular().get(description.noun, ()))


def _names(situation: Situation, rng: np.random.Generator, modifier: Modifier | None) -> Iterator[Request]:
    for _, group in groups(situation, rng, modifier):
        if len(group.ids) > MOST_TOLD:
            continue
        description, places_said = group.description, group.description.places
        generic = description == Description(plural=True, quantifier="", places=places_said)
        rooms = rooms_to_look_at(description, (), situation.facts)
        said = {"said": pairs(description)}
        if generic and len(places_said) == 1 and rng.random() < 0.6:
            arguments = _name_arguments(group.ids, None, rooms) | said
            yield Request(WHAT_IS.say(rng, p=place_in_words(places_said[0], rng)), arguments)
        elif (generic or description.noun in _GENERAL) and len(group.ids) > 2 and rng.random() < 0.4:
            number = int(rng.integers(2, min(4, len(group.ids))))
            words_said = SOME_NAMES.say(rng, n=NUMBERS[number], x=group.words)
            yield Request(words_said, _name_arguments(group.ids, number, rooms) | said)
        elif generic or description.noun in _GENERAL:
            yield Request(NAMES.say(rng, x=group.words), _name_arguments(group.ids, None, rooms) | said)


_GENERAL = frozenset(
    noun for noun, meanings in nouns_by_singular().items() if all(m.meaning in ("any", "category") for m in meanings)
)


def _name_arguments(among: Sequence[str], number: int | None, rooms: list[str]) -> Arguments:
    enough = min(ENOUGH, len(among)) if number is None else number
    return {"among": sorted(among), "number": enough, "rooms": rooms}


def _read_names(words: str, situation: Situation) -> Arguments | None:
    facts = situation.facts
    for slots in SOME_NAMES.readings(words):
        number = _number(slots["n"])
        found = read_group(slots["x"], facts) if number is not None else None
        if found is not None:
            return _name_arguments(ids(found[1]), number, rooms_to_look_at(found[0], (), facts))
    for slots in WHAT_IS.readings(words):
        for end, place in places(slots["p"], 0):
            if end == len(slots["p"]):
                description = Description(plural=True, quantifier="", places=(place,))
                found = [e for e in possibly(description, facts) if e.what == "object"]
                clear = [e for e in referents(description, facts) if e.what == "object"]
                return _name_arguments(ids(clear or found), None, rooms_to_look_at(description, (), facts))
    for slots in NAMES.readings(words):
        found = read_group(slots["x"], facts)
        if found is not None and found[1]:
            return _name_arguments(ids(found[1]), None, rooms_to_look_at(found[0], (), facts))
    return None


def _number(words: Sequence[str]) -> int | None:
    return number_of(words[0]) if len(words) == 1 else None


# -- pointing ---------------------------------------------------------------------------------------------------------


class Pointed(Answering):
    """Naming the thing that the setter looks at: a name for it, and nothing false about it."""

    def verdict(self, world: Playhouse, utterance: str) -> Verdict:
        facts = self.facts(world)
        target = self.spec.arguments["target"]
        named = answers.things_named(utterance)
        if not named:
            return Verdict.NONE
        description = named[0]
        if target not in ids(possibly(description, facts)):
            return Verdict.WRONG
        kinds = [m for m in nouns_by_singular().get(description.noun, ()) if m.meaning == "kind"]
        return Verdict.RIGHT if kinds else Verdict.PARTLY


def pointed_at(world: Playhouse, facts: Facts) -> Entity | None:
    """Return what the setter looks at: of the objects and furniture near before it, the one most straight ahead."""
    avatar = world.avatar(SETTER)
    off = {}
    for entity in facts.of("object", "furniture"):
        point = np.array([*entity.middle, (entity.low[2] + entity.high[2]) / 2])
        rise = math.atan2(point[2] - avatar.eye[2], max(distance(avatar.position, point), 1e-6)) - avatar.pitch
        angle = math.hypot(bearing(avatar, point), rise)
        if distance(avatar.position, point) <= POINTS_WITHIN and angle <= POINTS_UP_TO:
            if entity.room == world.room_at(avatar.position[:2]):
                off[entity.id] = angle
    return facts.by_id[min(off, key=lambda i: off[i])] if off else None


def _pointings(situation: Situation, rng: np.random.Generator, modifier: Modifier | None) -> Iterator[Request]:
    """Things that the setter can look at from where it stands; it turns to what it asks about."""
    del modifier
    facts, setter = situation.facts, situation.setter
    for i in rng.permutation(len(situation.free)).tolist():
        target = facts.by_id[situation.free[i]]
        at = situation.positions[target.id]
        if distance(setter.position, at) <= POINTS_WITHIN and target.room == facts.by_id[SETTER].room:
            if situation.sight.clear(setter.eye, at) and _stands_out(target, facts, setter.position):
                said = {"said": [[target.colour, target.kind]]}
                yield Request(POINTED.say(rng), {"target": target.id} | said)


def _stands_out(target: Entity, facts: Facts, eye: np.ndarray) -> bool:
    """Return True if nothing else lies in nearly the same direction."""
    way = math.atan2(target.middle[1] - eye[1], target.middle[0] - eye[0])
    for other in facts.of("object"):
        if other.id != target.id and other.room == target.room:
            there = math.atan2(other.middle[1] - eye[1], other.middle[0] - eye[0])
            if abs((there - way + math.pi) % (2 * math.pi) - math.pi) < POINTS_UP_TO:
                return False
    return True


def _read_pointed(words: str, situation: Situation) -> Arguments | None:
    if next(POINTED.readings(words), None) is None:
        return None
    found = pointed_at(situation.world, situation.facts)
    return {"target": None if found is None else found.id}


register(
    LanguageGame(
        name="notice",
        prompt="Ask the other player to say what they are looking at or noticing right now.",
        kind="question",
        propose=_notices,
        reads=_read_notice,
        check=Notice,
        steps=steps(40),
    )
)
register(
    LanguageGame(
        name="name objects",
        prompt="Ask the other player any question about the room.",
        kind="question",
        propose=_names,
        reads=_read_names,
        check=Names,
        steps=steps(90),
    )
)
register(
    LanguageGame(
        name="name what i point at",
        prompt="Ask the other player any question about the room.",
        kind="question",
        propose=_pointings,
        reads=_read_pointed,
        check=Pointed,
        steps=steps(60),
    )
)
