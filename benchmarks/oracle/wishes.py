"""What instructions want: one form for requests as recorded and as the oracle reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.oracle.meaning import Meaning
from benchmarks.oracle.phrases import Phrase
from benchmarks.oracle.scene import FLOOR
from benchmarks.oracle.sentences import Reading
from benchmarks.oracle.words import NUMBERS

_FAMILIES = {
    "pick up": "lift", "throw": "throw", "touch with": "touch", "hit with": "hit", "push with": "push",
    "bring": "bring", "hand over": "hand", "stand by": "be", "go somewhere": "be", "place by": "place",
    "reposition": "place", "arrange": "arrange", "line up": "arrange", "put on": "place", "put under": "place",
    "put in": "place", "tidy": "place", "take out": "remove", "clear": "remove", "build": "build",
}  # fmt: skip
_RELATIONS = {"put on": "on", "put under": "under", "put in": "in", "tidy": "in"}
_SIDES = {"left of": "left", "right of": "right", "in front of": "front", "far from": "far", "corner of": "corner"}


@dataclass(frozen=True)
class Choice:
    """So many of some things.

    Args:
      possible: ids that they perhaps fit; all that are ``sure`` are among them.
    """

    sure: frozenset[str]
    possible: frozenset[str]
    number: int
    good: bool = True

    def without(self, others: frozenset[str]) -> Choice:
        """The same words where others cannot be meant."""
        number = self.number if self.number < len(self.sure) else len(self.sure - others)
        return Choice(self.sure - others, self.possible - others, number, self.good)

    def only(self, others: set[str]) -> Choice:
        """The same words where only these others can be meant."""
        sure = self.sure & others
        number = min(self.number, len(sure)) if sure else self.number
        return Choice(sure, self.possible & others, number, bool(sure))

    def can_be(self, meant: Choice) -> bool:
        """Return True if words with this choice can have another, which is sure, and no other."""
        return meant.sure <= self.possible and self.sure <= meant.sure and self.number == meant.number


NOTHING = Choice(frozenset(), frozenset(), 0)


@dataclass(frozen=True)
class Wish:
    """What an instruction wants.

    Args:
      detail: a relation, a shape, or in what things differ.
    """

    family: str
    detail: str
    things: Choice = NOTHING
    targets: Choice = NOTHING

    def can_be(self, meant: Wish) -> bool:
        """Return True if words that want this can want what is meant."""
        same = (self.family, self.detail) == (meant.family, meant.detail)
        return same and self.things.can_be(meant.things) and self.targets.can_be(meant.targets)

    @property
    def good(self) -> bool:
        """Whether its words can be said here."""
        return self.things.good and self.targets.good


def of_spec(name: str, arguments: Mapping[str, Any]) -> Wish:
    """Return what a recorded instruction wants."""
    family, detail = _FAMILIES[name], _RELATIONS.get(name, "")
    things = _recorded(arguments.get("things"))
    targets = _recorded(arguments.get("target"))
    if "place" in arguments:
        relation, anchors = arguments["place"]["relation"], frozenset(arguments["place"]["anchors"])
        detail, targets = _SIDES.get(relation, relation), Choice(anchors, anchors, len(anchors))
    if "shape" in arguments:
        detail = arguments["shape"] + (" by size" if arguments.get("by_size") else "")
    detail = str(arguments.get("different", detail))
    return Wish(family, detail, things, targets)


def _recorded(role: Mapping[str, Any] | None) -> Choice:
    if role is None:
        return NOTHING
    among = frozenset(role["among"])
    return Choice(among, among, role["number"])


def of_reading(reading: Reading, meaning: Meaning) -> Iterator[Wish]:
    """Yield what an instruction wants as it is read; nothing where its pattern and its phrases do not go together."""
    x = _chosen(reading.phrases.get("x") or reading.phrases.get("list") or (), meaning)
    y = _chosen(reading.phrases.get("y", ()), meaning)
    family = reading.family
    if family in ("lift", "throw", "touch", "hit", "push", "bring", "hand"):
        yield Wish(family, "", x, y)
    elif family in ("be", "corner"):
        yield from _going(reading, x, y, meaning)
    elif family in ("place", "into corner", "away"):
        yield from _placing(reading, x, y, meaning)
    elif family in ("arrange", "sort"):
        shape = reading.words.get("shape", "row").replace("single row", "row").replace("line", "row")
        yield Wish("arrange", shape + (" by size" if family == "sort" else ""), x)
    elif family == "remove":
        yield Wish("remove", "", x.only(at_any(meaning, y.sure)), y)
    elif family == "clear":
        found = frozenset(at_any(meaning, y.sure))
        yield Wish("remove", "", Choice(found, found, len(found), bool(found)), y)
    elif family.startswith("build"):
        yield from _building(reading, x, meaning)


def at_any(meaning: Meaning, targets: frozenset[str]) -> set[str]:
    """Ids of the loose things that are on or in one of some others."""
    known = [meaning.scene.bodies[t] for t in targets if t in meaning.scene.bodies]
    pairs = ((body, target) for body in meaning.scene.loose for target in known)
    return {a.id for a, b in pairs if any(meaning.holds(relation, a, (b.id,)) for relation in ("on", "in"))}


def _chosen(phrases: tuple[Phrase, ...], meaning: Meaning) -> Choice:
    if not phrases:
        return NOTHING
    choices = [_choice(phrase, meaning) for phrase in phrases]
    if len(choices) == 1:
        return choices[0]
    sure = frozenset().union(*(c.sure for c in choices))
    possible = frozenset().union(*(c.possible for c in choices))
    return Choice(sure, possible, sum(c.number for c in choices), all(c.good for c in choices))


def _choice(phrase: Phrase, meaning: Meaning) -> Choice:
    found = meaning.of(phrase)
    sure = frozenset(i for i, truth in found.items() if truth)
    number = phrase.number or 1
    if not phrase.number and phrase.plural:
        number = 2 if phrase.quantifier == "some" else len(sure)
    return Choice(sure, frozenset(found), number, meaning.is_good(phrase) and number <= len(sure))


def _going(reading: Reading, x: Choice, y: Choice, meaning: Meaning) -> Iterator[Wish]:
    if reading.family == "corner":
        yield Wish("be", "corner", targets=y)
    elif reading.place is not None:
        if not reading.place.negated:
            yield from _at(reading, "be", NOTHING, meaning)
    else:
        (phrase,) = reading.phrases["x"]
        yield Wish("be", "in" if phrase.noun.sort in ("room", "this room") else "near", targets=x)


def _placing(reading: Reading, x: Choice, y: Choice, meaning: Meaning) -> Iterator[Wish]:
    if reading.family == "into corner":
        yield Wish("place", "corner", x, y)
    elif reading.family == "away":
        yield Wish("place", "away", x, NOTHING)
    elif reading.place is not None:
        if not reading.place.negated and reading.place.anchors[0].noun.sort != "here":  # "bring it here"
            yield from _at(reading, "place", x, meaning)
    else:
        (phrase,) = reading.phrases["y"]
        room, filled = phrase.noun.sort in ("room", "this room"), reading.skeleton.startswith(("add", "fill"))
        if room or filled or phrase.noun.sort == "floor":
            yield Wish("place", "in" if room or filled else "on", x.without(y.sure), y)


def _at(reading: Reading, family: str, x: Choice, meaning: Meaning) -> Iterator[Wish]:
    assert reading.place is not None
    place = reading.place
    targets = _chosen(place.anchors, meaning)
    if not targets.sure & {FLOOR, *meaning.scene.rooms} and place.relation == "in":
        x = x.without(targets.sure)  # "the round things in the round bin"
    yield Wish(family, place.relation, x, targets)


def _building(reading: Reading, x: Choice, meaning: Meaning) -> Iterator[Wish]:
    if reading.family == "build of kinds":
        loose = frozenset(body.id for body in meaning.scene.loose if body.id not in meaning.scene.held)
        yield Wish("build", "kind", Choice(loose, loose, NUMBERS[reading.words["n"]]))
    else:
        yield Wish("build", "colour" if reading.family == "build of colours" else "", x)
