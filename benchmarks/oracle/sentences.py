"""Whole requests, read by patterns: which game is asked for, and which phrase says what."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from benchmarks.oracle.phrases import Phrase, Place, Reader, split
from benchmarks.oracle.words import NUMBERS

MOST_SKELETONS = 6000  # ways of cutting a text into phrases that are looked at
_BEFORE = re.compile(
    r"^(?:please|(?:can|could|would) you(?: please)?|hey|now|ok|so|i want you to|i would like you to) (?=.)"
)
_BEFORE_QUESTIONS = re.compile(r"^(?:please|hey|now|ok|so) (?=.)")
_AFTER = re.compile(r"(?<=.) (?:please|now|for me)$")
_MACROS = {
    "X": r"(?P<x>n\d+)",
    "Y": r"(?P<y>n\d+)",
    "P": r"(?P<p>p\d+)",
    "L": r"(?P<list>n\d+(?:(?: and)? n\d+)+)",
    "N": rf"(?P<n>{'|'.join(NUMBERS)})",
    "IT": "(?:it|them)",
    "GET": "(?:take|grab|get|pick up|fetch|collect|gather)",
    "PUT": "(?:put|place|set|lay|leave|drop|throw|hide|carry|bring)",
    "SHAPE": "(?P<shape>row|circle|triangle|square|line|single row)",
}

# Families of instructions, each with its patterns in skeletons: X and Y are phrases, P is a place, L a list.
_INSTRUCTIONS: dict[str, tuple[str, ...]] = {
    "lift": (
        "(?:lift|raise|hoist|hold|pick)(?: up)? X(?: up high| up| into the air)?(?: and hold IT)?",
        "(?:take|grab|get)(?: hold of)? X(?: in your hand)? and (?:lift|raise|hold) IT(?: up)?",
        "(?:go|walk)(?: over)? to X and (?:pick IT up|lift IT)",
    ),
    "throw": (
        "(?:throw|toss|fling|hurl) X(?: away| across the room| through the air| as far as you can)?",
        "GET X and (?:throw|toss|fling|hurl) IT(?: away| across the room)?",
        "let X fly", "give X a throw",
    ),
    "touch": (
        "(?:touch|tap|poke) Y(?: lightly)? (?:with|using) X", "make contact with Y using X",
        "use X to (?:touch|tap|poke) Y",
        "GET X and (?:touch|tap) Y with IT", "(?:make|let|have) X touch Y", "with X (?:touch|tap) Y",
        "(?:hold|put|lay) X against Y", "give Y a (?:tap|touch) with X", "go to Y and (?:touch|tap) IT with X",
        "reach out and touch Y with X", "GET X and use IT to (?:touch|tap) Y",
    ),
    "hit": (
        "(?:hit|strike|bump|knock|whack|smack) Y (?:with|using) X", "use X to (?:hit|strike|bump|knock) Y",
        "GET X and (?:hit|strike|bump) Y with IT", "give Y a (?:hit|bump|knock|whack) with X",
        "(?:swing|bang|bump) X (?:against|into) Y", "GET X and use IT to hit Y", "(?:let|make) X hit Y",
        "with X (?:hit|strike) Y",
    ),
    "push": (
        "(?:push|shove|nudge) Y(?: around| along| forward| across the floor)? (?:with|using) X",
        "use X to (?:push|shove|nudge) Y(?: around)?", "GET X and (?:push|shove|nudge) Y with IT",
        "GET X and use IT to push Y", "move Y by pushing IT with X", "give Y a (?:push|shove) with X",
        "with X (?:push|shove) Y(?: around)?",
    ),
    "bring": (
        "(?:bring|fetch|get) me X", "(?:bring|carry|take) X(?: over)? to me", "(?:bring|carry) X(?: over)? here",
        "(?:go and get|go get|fetch|go and fetch) X", "GET X and bring IT (?:to me|here|over)",
        "i (?:need|want) X(?: over)? here(?: bring IT to me)?", "come (?:here|to me|over) with X",
        "go to X and bring IT to me",
    ),
    "hand": (
        "(?:hand|give|pass) me X", "(?:hand|give|pass) X to me", "(?:hand|pass) over X",
        "(?:hand|pass) X over(?: to me)?", "let me (?:have|hold|take) X",
        "(?:put|place) X (?:in|into) my hands?", "GET X and (?:hand|give|pass) IT to me",
        "(?:fetch|get) X and put IT in my hand", "i (?:want|would like) to (?:have|hold) X",
    ),
    "be": (
        "(?:(?:go|come)(?: over)? and |walk over and )?(?:stand|wait|stay) P", "(?:place|position|put) yourself P",
        "(?:move|walk|step) so that you (?:are|stand) P", "(?:walk|move) until you (?:are|stand) P",
        "(?:come|go|walk|move|run|head|step) P", "take your place P", "find a (?:spot|place) P and stand there",
        "go to a (?:spot|place) P",
        "(?:go|walk|move|run|head|step)(?: over| up)? to X(?: and (?:stay|wait) there)?", "(?:go|walk|move) towards X",
        "(?:find|look for) X and (?:go|walk) (?:near|to|up to) IT", "(?:visit|approach|enter) X",
        "make your way (?:to|into) X", "come with me to X", "take yourself to X", "(?:go|walk) until you are P",
    ),
    "corner": (
        "(?:go|walk|move|head)(?: over)? (?:to|into) (?:a|any|the) corner of Y",
        "(?:go and )?(?:stand|wait) in (?:a|any|the) corner of Y",
        "find a corner of Y and (?:stand|wait) there", "(?:place|position) yourself in a corner of Y",
    ),
    "place": (
        "(?:put|place|set|move|lay|leave|lift|carry|position|drop|throw|hide|push|slide|bring|take|lower)"
        " X(?: down| up| over| away)? P",
        "GET X and PUT IT(?: down| over)? P", "carry X over and put IT P",
        "(?:move|place|put) X so that (?:it|they) (?:is|are|stands?|lies?|lie) P",
        "(?:bring|carry|take) X to a (?:place|spot) P", "find a (?:place|spot) P for X",
        "let X fall P", "add X to Y", "fill Y with X",
        "(?:take|carry|move|bring)(?: up)? X(?: over)? to Y", "GET X and (?:carry|bring|take) IT to Y",
        "(?:take|move|bring|lower) X(?: down)? to Y", "take X over to Y",
        "(?:tidy|clear|put|pack)(?: up)? X(?: up| away)? P", "(?:tidy|pack) away X P", "collect X(?: up)? P",
        "(?:clean|tidy|pick|gather)(?: up)? X and (?:put|place|drop|throw) IT P",
        "(?:pack|gather|collect) X P", "tidy X up by putting IT P", "GET X and tidy IT away P",
    ),
    "into corner": (
        "(?:put|place|move|leave) X (?:in|into) (?:a|any|the) corner of Y",
        "(?:carry|bring|take) X to (?:a|any|the) corner of Y",
        "GET X and (?:put|leave) IT in (?:a|any|the) corner of Y",
    ),
    "away": (
        "(?:move|take|carry|bring|put) X somewhere else", "put X in (?:another|a different) place",
        "(?:move|carry|take) X to (?:another|a different|some other|any other) place",
        "find (?:another|a different|a new) place for X", "GET X and put IT somewhere else",
    ),
    "arrange": (
        "(?:make|form|build|create) a SHAPE (?:with|of|using|out of|from) (?:X|L)",
        "(?:put|place|arrange|move|lay|set|line up) (?:X|L) (?:in|into) (?:a )?SHAPE",
        "arrange (?:X|L) in one SHAPE", "arrange X in the shape of a SHAPE", "arrange X so that they form a SHAPE",
        "GET (?:X|L) and (?:form|make|build) a SHAPE", "GET (?:X|L) and (?:put|place|lay) them in a SHAPE",
        "(?:move|bring|put) X together (?:in|into) a SHAPE", "lay X out in a SHAPE",
        "use (?:X|L) to (?:make|form) a SHAPE", "line (?:X|L) up", "line up (?:X|L)",
        "(?:place|put|set) L side by side(?: in a row)?",
    ),
    "sort": (
        "(?:put|place|arrange) X in a row (?:from )?small to big",
        "(?:put|place|arrange) X in a row from the smallest to the largest",
        "make a row (?:with|of|using) X from small to big", "sort X by size in a row", "line X up by size",
        "line up X from small to big", "arrange X in ascending order",
    ),
    "remove": (
        "(?:remove|take|clear|unload|get|fetch|pick up) X(?: away)? from Y",
        "GET X from Y and (?:put|set|place) IT(?: down)? on the floor",
        "(?:take|remove|get|pick up) X from Y and put IT somewhere else",
        "(?:take|get|lift|pick|move|clear|bring|empty) X(?: off| out of) Y(?: and put IT(?: down)? on the floor)?",
        "(?:take|bring) X down from Y",
    ),
    "clear": (
        "(?:clear|empty|clean|tidy)(?: up| off| out)? Y", "(?:clear|empty) Y (?:off|out)",
        "(?:remove|clear|take|move|get|lift) everything(?: away)? (?:from|off|out of) Y",
        "(?:make|leave) Y empty", "free Y of everything", "make room (?:on|in) Y by removing everything",
        "remove (?:all|everything) that is (?:on|in) Y", "leave nothing (?:on|in) Y",
        "(?:take|clear) away everything (?:on|in) Y",
        "(?:take|move|clear|get) (?:all|all of it|all things|all the things) (?:off|out of) Y",
    ),
    "build": (
        "(?:build|make|create) a tower (?:with|of|using|out of|from) (?:X|L)", "(?:stack|pile)(?: up)? (?:X|L)",
        "(?:stack|pile) X(?: up)? (?:into|to make) a tower", "(?:put|place|stack) (?:X|L) on top of each other",
        "(?:put|place) X one on top of the other", "GET (?:X|L) and (?:build|make) a tower",
        "use (?:X|L) to (?:build|make) a tower",
    ),
    "build of colours": (
        "(?:build|make|create) a tower (?:with|of|using) X (?:of|in) different colors",
        "(?:stack|pile|put|place)(?: up)? X of different colors(?: on top of each other)?",
        "GET X of different colors and build a tower", "use X of different colors to build a tower",
    ),
    "build of kinds": (
        "(?:build|make) a tower (?:with|of|using) N different (?:objects|things|items)",
        "(?:stack|pile|put|take|use)(?: up)? N different (?:objects|things|items)"
        "(?: on top of each other| and build a tower| to build a tower)?",
    ),
}  # fmt: skip
_THEN = tuple(
    re.compile(rf"^(?:first )?(.+?) {link} (.+)$")
    for link in (
        "and then", "then", "(?:and )?after that", "(?:and )?when (?:you are|that is) (?:done|finished)",
        "(?:and )?when you have done that", "(?:and )?once (?:you are|that is) done", "(?:and )?afterwards",
        "and after doing that",
    )
)  # fmt: skip


@dataclass(frozen=True)
class Reading:
    """One way in which words can be read.

    Args:
      skeleton: the words, with "n" for each phrase and "p" for each place.
      phrases: by the pattern's letters in lower case; "list" has several.
      place: that is said; None for none.
      words: what else the pattern has singled out, such as the shape.
    """

    family: str
    skeleton: str
    phrases: dict[str, tuple[Phrase, ...]]
    place: Place | None
    words: dict[str, str]


def bare(text: str, question: bool = False) -> str:
    """Words of a request, or a ``question``, in lower case without those of politeness around them."""
    words, before = " ".join(split(text)), _BEFORE_QUESTIONS if question else _BEFORE
    while (found := before.match(words)) is not None:
        words = words[found.end() :]
    while (found := _AFTER.search(words)) is not None:
        words = words[: found.start()]
    return words


def parts(words: str) -> Iterator[tuple[str, str]]:
    """The two requests of a chain, in every way in which it can be cut."""
    seen = set()
    for pattern in _THEN:
        found = pattern.match(words)
        pair = (found[1].removesuffix(" and"), found[2]) if found else ("", "")
        if found and pair not in seen:
            seen.add(pair)
            yield pair


def instructions(words: str) -> list[Reading]:
    """Every way in which words can be read as an instruction."""
    return read(words, _compiled())


def read(words: str, patterns: tuple[tuple[str, re.Pattern[str]], ...]) -> list[Reading]:
    """Every way in which words fit patterns of a family."""
    reader, found = Reader(words.split()), {}
    for skeleton, spans in _skeletons(reader):
        for family, pattern in patterns:
            match = pattern.fullmatch(skeleton)
            if match is not None:
                for reading in _filled(family, match, spans, reader):
                    found[repr((family, reading.phrases, reading.place, reading.words))] = reading
    return list(found.values())


def compiled(table: dict[str, tuple[str, ...]]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Patterns with their macros filled in."""
    made = []
    for family, patterns in table.items():
        for pattern in patterns:
            text = re.sub(r"\b(?:[XYPLN]|IT|GET|PUT|SHAPE)\b(?!<)", lambda found: _MACROS[found[0]], pattern)
            made.append((family, re.compile(text)))
    return tuple(made)


@cache
def _compiled() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return compiled(_INSTRUCTIONS)


Spans = tuple[tuple[int, int], ...]


def _skeletons(reader: Reader) -> Iterator[tuple[str, Spans]]:
    """Every way of cutting a text into words, phrases "n0" and places "p1", numbered in order, with their spans."""
    left = MOST_SKELETONS
    stack: list[tuple[int, tuple[str, ...], Spans]] = [(0, (), ())]
    while stack and left:
        at, words, spans = stack.pop()
        if at == reader.length:
            left -= 1
            yield " ".join(words), spans
            continue
        stack.append((at + 1, (*words, reader.text[at]), spans))
        for letter, found in (("n", reader.phrases(at)), ("p", reader.places(at))):
            for end in {end for end, _ in found}:
                stack.append((end, (*words, f"{letter}{len(spans)}"), (*spans, (at, end))))


def _filled(family: str, match: re.Match[str], spans: Spans, reader: Reader) -> Iterator[Reading]:
    """A reading for every choice among what the phrases in a skeleton can mean."""
    groups = {name: text for name, text in match.groupdict().items() if text is not None}
    tokens = [(name, token) for name, text in groups.items() for token in re.findall(r"\b[np]\d+\b", text)]
    words = {name: text for name, text in groups.items() if not re.search(r"\b[np]\d+\b", text)}
    skeleton = re.sub(r"\b([np])\d+\b", r"\1", match.string)

    def choose(i: int, phrases: dict[str, tuple[Phrase, ...]], place: Place | None) -> Iterator[Reading]:
        if i == len(tokens):
            yield Reading(family, skeleton, phrases, place, words)
            return
        name, token = tokens[i]
        start, end = spans[int(token[1:])]
        if token[0] == "p":
            for last, found in reader.places(start):
                if last == end:
                    yield from choose(i + 1, phrases, found)
        else:
            for last, phrase in reader.phrases(start):
                if last == end:
                    yield from choose(i + 1, {**phrases, name: (*phrases.get(name, ()), phrase)}, place)

    yield from choose(0, {}, None)
