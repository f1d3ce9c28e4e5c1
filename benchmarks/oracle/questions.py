"""Questions, read by patterns, and their true answers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from benchmarks.oracle.meaning import Meaning, Truth
from benchmarks.oracle.phrases import Phrase
from benchmarks.oracle.sentences import Reading, compiled, read
from benchmarks.oracle.words import COLOUR_WORDS, NUMBERS
from worlds.contract import TaskSpec

LARGER = 1.15  # times as large, of what is larger; what is less than that is of one size
POINTS = math.radians(12.0)  # between the directions of what is pointed at and anything else
POINTS_WITHIN = 3.5  # metres
_C = rf"(?P<colour>{'|'.join(sorted(COLOUR_WORDS))})"
_N = rf"(?P<n>{'|'.join(NUMBERS)})"
_ASK = "(?:tell me|say|check|do you know|do you see|can you tell me|can you see|can you say)"

# Questions by what they ask for, each with its patterns in skeletons, as those of instructions.
_QUESTIONS: dict[str, tuple[str, ...]] = {
    "notice": (
        ".*(?:you (?:looking at|noticing|seeing|watching|see|notice|are looking at)|in front of you|in your view).*",
    ),
    "pointed": (
        ".*(?:am i|i am|i) (?:looking|pointing|point) at.*",
        "what is (?:this|that)(?: thing| object)?(?: here| in front of me| in front of n\\d+| p\\d+)?",
    ),
    "names": (
        "(?:can you )?(?:name|list)(?: all)?(?: the)? X(?: there are| which are there)?",
        "(?:tell|give) me(?: the)? names of(?: the)? X",
        "(?:what|which)(?: are)?(?: the)? X(?: are there| (?:do|can) you see| do we have)?",
        "(?:tell me|say|name|list) (?:which|what) X there are",
        "what (?:is|lies|(?:do|can) you see) P", "(?:what|which) (?:objects|things) are P", "(?:tell me|say) what is P",
        "(?:name|list) the (?:objects|things) P",
    ),
    "some names": (
        "(?:can you )?(?:tell|show|name|list|say)(?: me)?(?: any)? X",
        "(?:tell|give) me the names of(?: any)? X",
    ),
    "colour": (
        "(?:what|which) color is X", "what is the color of X", f"(?:tell|give|describe|name|say|{_ASK})(?: me)?"
        " the color of X", f"{_ASK} (?:what|which) color X is", "(?:which|what) color does X have",
        "in (?:which|what) color is X", "what is X 's color",
        "(?:what|which) color (?:do|can) you see on X", "what color would you call X",
        "what would you say is the color of X",
        "(?:how|in what color) is X colored",
    ),
    "where": (
        "where is X(?: now| located| placed| present| kept)?", "where can (?:i|we) find X",
        f"(?:describe|explain|{_ASK}) where (?:is )?X(?: is)?",
        "(?:describe|explain|tell me|what is) the (?:location|position|place) of X", "where (?:do|can|did) you see X",
        "where in (?:the house|n\\d+) is X", "in (?:which|what) place is X",
    ),
    "count": (
        "how many X(?: are there| (?:do|can) you (?:see|find|count)| do we have| exist)(?: in total| altogether)?",
        "count(?: all)?(?: the)? X", "count the number of X",
        "(?:tell me|give me|say|what is) the (?:number|count) of X",
        f"{_ASK} how many X there are", "what is the total number of X",
        "what number of X (?:are there|do you see)", "how many are there of(?: the)? X",
    ),
    "same colour": (
        "do X and Y have the same color", "(?:do|have)?(?: |^)?X and Y have (?:the )?same color",
        "are X and Y(?: of)? the same color", "(?:is|has|does) X(?: have)? the same color as Y",
        "(?:tell me|check|say) (?:if|whether) X and Y have the same color",
        "(?:do you think|would you say)(?: that)? X and Y have the same color",
        "is the color of X the same as the color of Y",
        "do X and Y have the same color or different colors", "are X and Y(?: of)? the same or different color",
        "(?:tell me|say|check) whether X and Y have the same or different colors", "X and Y same color or different",
        "X and Y have same color or different", "is the color of X and Y the same or different",
        "(?:compare|tell me about) the colors of X and Y are they the same or different",
        "(?:what about|look at) X and Y same color or different",
        "(?:compare|look at) X and Y do they have the same color or not",
        "(?:same|one) color or different colors X and Y", "do X and Y differ in color or not",
    ),
    "sizes": (
        "is X larger smaller or(?: of)? the same size as Y", "is X (?:bigger|larger) or smaller than Y",
        "is X (?:bigger|larger) than smaller than or as (?:big|large) as Y",
        "compare X (?:and|with|to) Y is it larger smaller or the same size",
        "(?:tell me|say|check) (?:if|whether) X is (?:larger|bigger) smaller or the same size as Y",
        "compare X and Y and tell which one is larger smaller or they of same size",
        "compare the sizes of X and Y is the first larger smaller or the same",
        "(?:would you say|do you think)(?: that)? X is (?:larger|bigger) smaller or as large as Y",
        "compare the size of X (?:with|to) that of Y larger smaller or the same",
        "how does X compare in size (?:with|to) Y larger smaller or the same",
    ),
    "claim": tuple(
        pattern.replace("CLAIM", claim)
        for claim in ("P", _C)
        for pattern in (
            "is X CLAIM(?: yes or no)?", f"(?:{_ASK}|check) (?:if|whether) X is CLAIM",
            "is it (?:true|right|so) that X is CLAIM", "(?:would you say|do you think)(?: that)? X is CLAIM",
            "X is CLAIM (?:right|yes or no|is that true|correct)", "am i right that X is CLAIM",
            "is it the case that X is CLAIM", "i think X is CLAIM (?:right|is that true)",
            "could it be that X is CLAIM",
        )
    ),
    "existence": (
        "(?:is|was) there X(?: present)?(?: here| or not| in the house| anywhere| to be seen)?",
        "(?:do you see|have you seen|do we have) X(?: anywhere| somewhere| or not)?", "can you (?:see|find) X",
        f"(?:{_ASK}) (?:if|whether) there is X", "does the house have X", "does (?:there exist )?X(?: exist)?",
        "whether X (?:exists|is there)", "is X (?:present|available)",
    ),
    "exactly": (
        "(?:are|is) there(?: exactly| just| only)? X(?: or not)?", "do you (?:see|count) X",
        f"{_ASK} (?:if|whether) there are X", f"is the number of X {_N}", f"are(?: the)? X {_N} in number",
    ),
    "at least": (
        "(?:are there|do we have) (?:at least|not less than|not fewer than) X",
        "(?:tell me|check) (?:if|whether) there are at least X",
    ),
    "more": (
        "(?:are there|do you see) more than X", "(?:tell me|check) (?:if|whether) there are more than X",
        f"is the number of X (?:more|greater|larger) than {_N}",
    ),
    "less": (
        "are there (?:less|fewer) than X", "(?:tell me|check) (?:if|whether) there are (?:less|fewer) than X",
        f"is the number of X (?:less|smaller) than {_N}",
    ),
    "more of": (
        "(?:are there|do we have) more X than Y", "(?:tell me|check) (?:if|whether) there are more X than Y",
        "is the number of X (?:more|greater|larger) than the number of Y",
    ),
}  # fmt: skip
ASKED = {
    "notice": ("notice",), "name what i point at": ("pointed",), "name objects": ("names", "some names"),
    "color of": ("colour",), "where is": ("where",), "how many": ("count",), "same color": ("same colour",),
    "compare sizes": ("sizes",), "is it so": ("claim",), "is there": ("existence",),
    "how many or not": ("exactly", "at least", "more", "less", "more of"),
}  # fmt: skip


@cache
def _patterns(game: str) -> tuple[tuple[str, Any], ...]:
    return compiled({asked: _QUESTIONS[asked] for asked in ASKED[game]})


def questions(game: str, words: str) -> list[Reading]:
    """Every way in which words can be read as a question of a game."""
    return read(words, _patterns(game))


Answer = tuple[object, ...]


def answers(reading: Reading, meaning: Meaning) -> Iterator[Answer]:
    """Yield the true answer to a question as it is read, with what it is about; nothing where it has none."""
    phrases = [phrase for group in reading.phrases.values() for phrase in group]
    anchors = reading.place.anchors if reading.place else ()
    if all(map(meaning.is_good, anchors)):
        yield from _ANSWERS[reading.family](reading, meaning, *phrases)


def expected(spec: TaskSpec) -> Answer:
    """Return the answer that a request has, with what it is about, as :func:`answers` gives it."""
    arguments = spec.arguments
    if spec.name == "name objects":
        return frozenset(arguments["among"]), arguments["number"]
    if spec.name in ("same color", "compare sizes"):
        return tuple(arguments["both"]), arguments["answer"]
    if spec.name == "is there":
        return (arguments["answer"],)
    if spec.name in ("color of", "is it so"):
        return arguments["target"], arguments["answer"]
    if spec.name in ("where is", "name what i point at"):
        return (arguments["target"],)
    return (arguments.get("answer"),)


def _one(meaning: Meaning, phrase: Phrase) -> str | None:
    """Id of the one thing that a definite phrase means; None where it means none or several."""
    found = meaning.surely(phrase)
    return next(iter(found)) if meaning.is_good(phrase) and len(found) == 1 and not phrase.plural else None


def _of_one(answer: Callable[[Meaning, Reading, str], object]) -> Callable[..., Iterator[Answer]]:
    """Answers about one thing."""

    def answered(reading: Reading, meaning: Meaning, x: Phrase) -> Iterator[Answer]:
        one = _one(meaning, x)
        given = None if one is None or x.quantifier == "any" else answer(meaning, reading, one)
        if given is not None:
            yield (one, given) if given is not True else (one,)

    return answered


def _of_two(answer: Callable[[Meaning, str, str], str | None]) -> Callable[..., Iterator[Answer]]:
    """Answers about two things."""

    def answered(reading: Reading, meaning: Meaning, x: Phrase, y: Phrase) -> Iterator[Answer]:
        one, other = _one(meaning, x), _one(meaning, y)
        given = None if one is None or other is None or one == other else answer(meaning, one, other)
        if given is not None:
            yield (one, other), given

    return answered


def _colour(meaning: Meaning, reading: Reading, one: str) -> str | None:
    return meaning.scene.bodies[one].colour or None


def _alike(meaning: Meaning, one: str, other: str) -> str:
    same = meaning.scene.bodies[one].colour == meaning.scene.bodies[other].colour
    return "same" if same else "different"


def _size(meaning: Meaning, one: str, other: str) -> str:
    ratio = meaning.scene.bodies[one].volume / max(meaning.scene.bodies[other].volume, 1e-9)
    if ratio > LARGER:
        return "larger"
    return "smaller" if ratio < 1 / LARGER else "same"


def _claim(meaning: Meaning, reading: Reading, one: str) -> str | None:
    body = meaning.scene.bodies[one]
    truth = meaning.is_at(body, reading.place) if reading.place else body.colour == reading.words["colour"]
    return _said(truth)


def _said(truth: Truth) -> str | None:
    return None if truth is None else "yes" if truth else "no"


def _all_found(meaning: Meaning, phrase: Phrase) -> set[str] | None:
    """Ids of everything that a phrase is true of; None where it is perhaps true of more, or its places mean nothing."""
    anchors = [anchor for place in phrase.places for anchor in place.anchors]
    sure = all(meaning.of(phrase).values()) and all(map(meaning.is_good, anchors))
    return meaning.surely(phrase) if sure else None


def _names(reading: Reading, meaning: Meaning, x: Phrase | None = None) -> Iterator[Answer]:
    if x is not None:
        found = _all_found(meaning, x)
        number = x.number
    else:
        assert reading.place is not None
        truths = {body.id: meaning.is_at(body, reading.place) for body in meaning.scene.loose}
        found, number = (None if None in truths.values() else {i for i in truths if truths[i]}), 0
    if found and number <= len(found):
        yield frozenset(found), number or min(3, len(found))


def _counts(reading: Reading, meaning: Meaning, x: Phrase) -> Iterator[Answer]:
    found = _all_found(meaning, x)
    if found is not None and x.plural and not x.number:
        yield (len(found),)


def _existence(reading: Reading, meaning: Meaning, x: Phrase) -> Iterator[Answer]:
    anchors = [anchor for place in x.places for anchor in place.anchors]
    found = meaning.of(x)
    if all(map(meaning.is_good, anchors)) and (not found or any(found.values())):
        yield ("yes" if found else "no",)


def _number(holds: Callable[[int, int], bool]) -> Callable[..., Iterator[Answer]]:
    def answered(reading: Reading, meaning: Meaning, x: Phrase) -> Iterator[Answer]:
        found, number = _all_found(meaning, x), x.number or NUMBERS.get(reading.words.get("n", ""), 0)
        if found is not None and number and not (x.number and "n" in reading.words):
            yield ("yes" if holds(len(found), number) else "no",)

    return answered


def _more_of(reading: Reading, meaning: Meaning, x: Phrase, y: Phrase) -> Iterator[Answer]:
    some, others = _all_found(meaning, x), _all_found(meaning, y)
    if some is not None and others is not None and x.plural and y.plural:
        yield ("yes" if len(some) > len(others) else "no",)


def _notice(reading: Reading, meaning: Meaning) -> Iterator[Answer]:
    """Whatever is in view is right; there is something to see in every room with a thing in it."""
    solver = meaning.scene.solver
    if any(b.room == solver.room for b in meaning.scene.bodies.values() if b.sort in ("object", "furniture")):
        yield (None,)


def _pointed(reading: Reading, meaning: Meaning, *anchors: Phrase) -> Iterator[Answer]:
    """Everything that can be pointed at: near the setter, and nothing else in nearly the same direction."""
    setter = meaning.scene.setter
    near = [b for b in meaning.scene.loose if b.room == setter.room]
    ways = {b.id: math.atan2(b.y - setter.y, b.x - setter.x) for b in near}
    for body in near:
        others = (abs((ways[i] - ways[body.id] + math.pi) % (2 * math.pi) - math.pi) for i in ways if i != body.id)
        if min(others, default=math.pi) >= POINTS and math.hypot(body.x - setter.x, body.y - setter.y) <= POINTS_WITHIN:
            yield (body.id,)


_ANSWERS: Mapping[str, Callable[..., Iterator[Answer]]] = {
    "notice": _notice,
    "pointed": _pointed,
    "names": _names,
    "some names": _names,
    "colour": _of_one(_colour),
    "where": _of_one(lambda meaning, reading, one: True),
    "count": _counts,
    "same colour": _of_two(_alike),
    "sizes": _of_two(_size),
    "claim": _of_one(_claim),
    "existence": _existence,
    "exactly": _number(lambda found, number: found == number),
    "at least": _number(lambda found, number: found >= number),
    "more": _number(lambda found, number: found > number),
    "less": _number(lambda found, number: found < number),
    "more of": _more_of,
}
