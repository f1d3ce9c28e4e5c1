"""Questions about one or two things: color, place, number, size, and whether two are alike."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from worlds.playhouse.games.modifiers import MODIFIERS, Modifier
from worlds.playhouse.games.nouns import Pair, coloured, pairs
from worlds.playhouse.games.questions.answering import Answering, ColourOf, Number, Verdict
from worlds.playhouse.games.questions.naming import groups, ids, named_entities, read_group, read_one, rooms_to_look_at
from worlds.playhouse.games.registry import Arguments, LanguageGame, Request, register, steps
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.games.templates import patterns_of
from worlds.playhouse.requests import answers
from worlds.playhouse.requests.descriptions import Place, is_at, referents
from worlds.playhouse.requests.facts import Entity, Facts
from worlds.playhouse.requests.lexicon import similar_colours
from worlds.playhouse.requests.phrasing import Phrasing
from worlds.playhouse.requests.reading import things_meant
from worlds.playhouse.requests.relations import LARGER, SAME_SIZE, volume
from worlds.playhouse.world import Playhouse

_WORDS = patterns_of("things")
COLOUR = Phrasing(*_WORDS["colour"], question=True)
WHERE = Phrasing(*_WORDS["where"], question=True)
COUNT = Phrasing(*_WORDS["count"], question=True)
COUNT_OF_PEOPLE = Phrasing(*_WORDS["count of people"], question=True)
SAME_COLOUR = Phrasing(*_WORDS["same colour"], question=True)
SAME_OR_DIFFERENT = Phrasing(*_WORDS["same or different"], question=True)
SAME_OF_TWO = Phrasing(*_WORDS["same of two"])
SIZE = Phrasing(*_WORDS["size"], question=True)
YES_MEANS_SAME = "same"


# -- color, number ----------------------------------------------------------------------------------------------------


def _colours(situation: Situation, rng: np.random.Generator, modifier: Modifier | None) -> Iterator[Request]:
    if modifier is not None and modifier.name == "object colour":
        modifier = MODIFIERS["location colour"]  # the color of what it is beside
    for target, name in named_entities(situation, rng, modifier, say_colour=False):
        if target.colour is not None:
            said = {"said": [*coloured(target.colour, name.description), *pairs(name.description)]}
            yield Request(COLOUR.say(rng, x=name.words), _colour_arguments(target) | said)


def _colour_arguments(target: Entity) -> Arguments:
    return {"target": target.id, "answer": target.colour}


def _read_colour(words: str, situation: Situation) -> Arguments | None:
    found = (read_one(slots["x"], situation.facts) for slots in COLOUR.readings(words))
    return next((_colour_arguments(target) for target in found if target is not None and target.colour), None)


def _counts(situation: Situation, rng: np.random.Generator, modifier: Modifier | None) -> Iterator[Request]:
    for _, group in groups(situation, rng, modifier):
        rooms = rooms_to_look_at(group.description, (), situation.facts)
        arguments = {"rooms": rooms, "answer": len(group.ids), "said": pairs(group.description)}
        yield Request(COUNT.say(rng, x=group.words), arguments)


def _read_count(words: str, situation: Situation) -> Arguments | None:
    for slots in (*COUNT.readings(words), *COUNT_OF_PEOPLE.readings(words)):
        found = read_group(slots["x"], situation.facts)
        if found is not None:
            rooms = rooms_to_look_at(found[0], (), situation.facts)
            return {"rooms": rooms, "answer": len(found[1])}
    return None


# -- where ------------------------------------------------------------------------------------------------------------


class Where(Answering):
    """Describing where something is: all that is said of its place is true, and says more than "on the floor"."""

    def verdict(self, world: Playhouse, utterance: str) -> Verdict:
        facts = self.facts(world)
        return judge_where(utterance, facts.by_id[self.spec.arguments["target"]], facts)


def judge_where(utterance: str, target: Entity, facts: Facts) -> Verdict:
    """Judge words for where something is."""
    named, _ = answers.places_named(utterance)
    if not named:
        return Verdict.NONE
    if not all(is_at(place, target, facts, clearly=False) for place in named):
        return Verdict.WRONG
    return Verdict.RIGHT if any(_says_where(place, facts) for place in named) else Verdict.PARTLY


def is_where(utterance: str, target: Entity, facts: Facts) -> bool:
    """Return True unless words for where something is are wrong."""
    return judge_where(utterance, target, facts) in (Verdict.RIGHT, Verdict.PARTLY)


def _says_where(place: Place, facts: Facts) -> bool:
    """Return True if a place is not everywhere: not merely on the floor, in the house, or not somewhere."""
    if place.negated or place.anchors[0].noun in ("floor", "ground", "house"):
        return False
    anchors = referents(place.anchors[0], facts, clearly=False)
    return len(facts.of("room")) > 1 or all(anchor.what != "room" for anchor in anchors)


def _wheres(situation: Situation, rng: np.random.Generator, modifier: Modifier | None) -> Iterator[Request]:
    wished = modifier is not None and modifier.name not in ("plain places", "object colour", "shapes")
    for target, name in named_entities(situation, rng, modifier, say_place=wished):
        arguments = {"target": target.id, "said": pairs(name.description)}
        yield Request(WHERE.say(rng, x=name.words), arguments)


def _read_where(words: str, situation: Situation) -> Arguments | None:
    for slots in WHERE.readings(words):
        things = things_meant(slots["x"], situation.facts)
        if things is not None and things.meant:
            return {"target": things.ids[0]}
    return None


# -- two things -------------------------------------------------------------------------------------------------------


class SameColour(Answering):
    """Whether two things have one color: "same", "different", yes or no where that answers it, or both colors."""

    def verdict(self, world: Playhouse, utterance: str) -> Verdict:
        arguments, facts = self.spec.arguments, self.facts(world)
        a, b = (facts.by_id[i] for i in arguments["both"])
        same, compared, yes = _alike(a, b), answers.comparison(utterance), answers.yes_or_no(utterance)
        named = answers.colours(utterance)
        if named and not all(c in similar_colours(a.colour or "") | similar_colours(b.colour or "") for c in named):
            return Verdict.WRONG
        if compared is not None and compared[0] in (answers.SAME, answers.DIFFERENT):
            return Verdict.RIGHT if (compared[0] == answers.SAME) == same else Verdict.WRONG
        if yes is not None and arguments["yes"] is not None:
            return Verdict.RIGHT if (yes == answers.YES) == same else Verdict.WRONG
        if len(named) in (1, 2):
            return Verdict.RIGHT if (len(named) == 1) == same else Verdict.WRONG
        return Verdict.NONE


def _alike(a: Entity, b: Entity) -> bool:
    return a.colour == b.colour


def _same_colours(situation: Situation, rng: np.random.Generator, modifier: Modifier | None) -> Iterator[Request]:
    names = named_entities(situation, rng, modifier, say_colour=False)
    kept: list[tuple[Entity, str, list[Pair]]] = []
    same = bool(rng.integers(2))
    for target, name in names:
        kept.append((target, name.words, pairs(name.description)))
        for a, words, said in kept[:-1]:
            if a.colour and target.colour and _alike(a, target) == same and (same or _clearly_differ(a, target)):
                direct = bool(rng.integers(2))
                phrasing = SAME_COLOUR if direct else SAME_OR_DIFFERENT
                arguments = _same_arguments(a, target, direct) | {"said": [*said, *kept[-1][2]]}
                yield Request(phrasing.say(rng, x=words, y=name.words), arguments)
                kept, same = [], bool(rng.integers(2))
                break


def _clearly_differ(a: Entity, b: Entity) -> bool:
    return b.colour not in similar_colours(a.colour or "")


def _same_arguments(a: Entity, b: Entity, direct: bool) -> Arguments:
    answer = answers.SAME if _alike(a, b) else answers.DIFFERENT
    return {"both": [a.id, b.id], "answer": answer, "yes": YES_MEANS_SAME if direct else None}


def _read_same_colour(words: str, situation: Situation) -> Arguments | None:
    facts = situation.facts
    for phrasing in (SAME_OR_DIFFERENT, SAME_COLOUR):
        for slots in phrasing.readings(words):
            a, b = read_one(slots["x"], facts), read_one(slots["y"], facts)
            if a is not None and b is not None and a.id != b.id:
                return _same_arguments(a, b, phrasing is SAME_COLOUR)
    for slots in SAME_OF_TWO.readings(words):
        found = things_meant(slots["x"], facts)
        if found is not None and len(found.meant) == 2:
            return _same_arguments(*found.meant, direct=False)
    return None


class SizeOf(Answering):
    """Whether one thing is larger or smaller than another, or as large; either is right where it is hard to say."""

    def verdict(self, world: Playhouse, utterance: str) -> Verdict:
        facts = self.facts(world)
        a, b = (facts.by_id[i] for i in self.spec.arguments["both"])
        given = answers.comparison(utterance)
        if given is None:
            return Verdict.NONE
        meaning, subject = given
        if subject is not None and _is_of(subject, b, facts) and not _is_of(subject, a, facts):
            a, b = b, a
        return Verdict.RIGHT if meaning in sizes_of(a, b) else Verdict.WRONG


def _is_of(description: object, entity: Entity, facts: Facts) -> bool:
    return entity.id in ids(referents(description, facts, clearly=False))  # type: ignore[arg-type]


def sizes_of(a: Entity, b: Entity) -> tuple[str, ...]:
    """Every answer that is true of the size of ``a`` beside that of ``b``, the clearest first."""
    ratio = volume(a) / max(volume(b), 1e-9)
    found = [answers.SAME] if 1 / SAME_SIZE.possible <= ratio <= SAME_SIZE.possible else []
    found += [answers.LARGER] if ratio >= LARGER.possible else []
    found += [answers.SMALLER] if ratio <= 1 / LARGER.possible else []
    found += [answers.DIFFERENT] if found and found[0] != answers.SAME else []
    return tuple(found)


def _comparisons(situation: Situation, rng: np.random.Generator, modifier: Modifier | None) -> Iterator[Request]:
    names = named_entities(situation, rng, modifier)
    before = next(names, None)
    for target, name in names:
        if before is None:
            return
        (a, words), (b, more) = before, (target, name)
        clear = sizes_of(a, b)
        if len(clear) == 1 or (len(clear) == 2 and answers.DIFFERENT in clear):
            arguments = _size_arguments(a, b) | {"said": [*pairs(words.description), *pairs(more.description)]}
            yield Request(SIZE.say(rng, x=words.words, y=more.words), arguments)
        before = (target, name)


def _size_arguments(a: Entity, b: Entity) -> Arguments:
    return {"both": [a.id, b.id], "answer": sizes_of(a, b)[0]}


def _read_sizes(words: str, situation: Situation) -> Arguments | None:
    facts = situation.facts
    for slots in SIZE.readings(words):
        a, b = read_one(slots["x"], facts), read_one(slots["y"], facts)
        if a is not None and b is not None and a.id != b.id:
            return _size_arguments(a, b)
    return None


def _question(name: str, prompt: str, propose, reads, check) -> None:  # noqa: ANN001 - the fields of LanguageGame
    limit = steps(80)
    register(
        LanguageGame(name=name, prompt=prompt, kind="question", propose=propose, reads=reads, check=check, steps=limit)
    )


_question("where is", "Ask the other player to describe where something is.", _wheres, _read_where, Where)
_question("how many", "Ask the other player to count something.", _counts, _read_count, Number)
_question("color of", "Ask a question about the color of something.", _colours, _read_colour, ColourOf)
_question(
    "same color",
    "Ask the other player whether two things have the same or different colors.",
    _same_colours,
    _read_same_colour,
    SameColour,
)
_question(
    "compare sizes",
    "Ask the other player whether one object is larger, smaller, or the same size as another object.",
    _comparisons,
    _read_sizes,
    SizeOf,
)
