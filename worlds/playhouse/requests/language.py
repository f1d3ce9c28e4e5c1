"""The synthetic language of the probes: referring expressions, and answers of one word.

Everything is lower case and short, e.g. ``"lift the red ball"``, ``"what color is the small mug?"``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worlds.playhouse.house.catalogue import COLOURS, OBJECT_KINDS, SIZES
from worlds.playhouse.house.record import Thing

NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
YES, NO = "yes", "no"
COURTESIES = frozenset({"ok", "okay", "done", "sure"})  # words that are never out of place


@dataclass(frozen=True)
class Described:
    """Words that describe one object.

    Args:
      on: the name of the furniture it lies on, None on the floor.
      room: "this room" or "another room", None where the house has a single room.
    """

    id: str
    kind: str
    colour: str
    size: str
    on: str | None = None
    room: str | None = None


# Details that are named, fewest words first; the first that fit only one thing are used.
_DETAILS: tuple[tuple[str, ...], ...] = (
    (),
    ("size",),
    ("on",),
    ("room",),
    ("size", "on"),
    ("size", "room"),
    ("on", "room"),
    ("size", "on", "room"),
)


def refer(target: Described, things: Sequence[Described], say_colour: bool = True) -> str | None:
    """The shortest expression that fits ``target`` and nothing else among ``things``; None if there is none.

    The colour is always named (or, for questions about it, never); size, furniture and room only when needed.
    """
    base = ("kind", "colour") if say_colour else ("kind",)
    for details in _DETAILS:
        said = {name: getattr(target, name) for name in (*base, *details)}
        if None in said.values():
            continue
        if all(thing.id == target.id or any(getattr(thing, n) != v for n, v in said.items()) for thing in things):
            return f"the {_noun_phrase(said)}"
    return None


def _noun_phrase(said: Mapping[str, str]) -> str:
    words = [said[name] for name in ("size", "colour", "kind") if name in said]
    if "on" in said:
        words += ["on the", said["on"]]
    if "room" in said:
        words += ["in", said["room"]]
    return " ".join(words)


def is_meant(thing: Thing | Described, arguments: Mapping[str, Any]) -> bool:
    """Return True if a thing has the colour and kind that an open request names, such as one for a tower of blocks."""
    return arguments["kind"] in (None, thing.kind) and arguments["colour"] in (None, thing.colour)


def indefinite(colour: str | None, kind: str | None) -> str:
    """E.g. "a red ball", "an orange mug", "a ball", "a red toy"."""
    phrase = " ".join((*((colour,) if colour else ()), kind or "toy"))
    return f"{'an' if phrase[0] in 'aeiou' else 'a'} {phrase}"


def plural(colour: str | None, kind: str | None) -> str:
    """E.g. "red balls", "balls", "red toys"."""
    noun = kind or "toy"
    return " ".join((*((colour,) if colour else ()), noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")))


def resolve(expression: str, things: Sequence[Described]) -> list[Described]:
    """Return all of ``things`` that a definite expression such as "the small red ball on the table" fits."""
    match = _EXPRESSION.fullmatch(expression)
    said = {name: word for name, word in match.groupdict().items() if word} if match else None
    return [t for t in things if all(getattr(t, n) == v for n, v in said.items())] if said else []


_EXPRESSION = re.compile(
    rf"the (?:(?P<size>{'|'.join(SIZES)}) )?(?:(?P<colour>{'|'.join(COLOURS)}) )?(?P<kind>{'|'.join(OBJECT_KINDS)})"
    r"(?: on the (?P<on>[a-z ]+?))?(?: in (?P<room>this room|another room))?"
)


def combination(expression: str) -> tuple[str | None, str | None] | None:
    """(colour, kind) of which an expression such as "a red ball", "balls" or "red toys" speaks; None if of none."""
    for colour in (None, *COLOURS):
        for kind in (None, *OBJECT_KINDS):
            if expression in (plural(colour, kind), indefinite(colour, kind)):
                return colour, kind
    return None


def answer_in(utterance: str, answers: Collection[str]) -> str | None:
    """Return which of some one-word answers ``utterance`` gives; None if it gives none or several."""
    words = [NUMBERS[int(w)] if w.isdecimal() and int(w) < len(NUMBERS) else w for w in _words(utterance)]
    given = {word for word in words if word in answers}
    return given.pop() if len(given) == 1 else None


def is_courtesy(utterance: str) -> bool:
    """Return True if the utterance has only words that are never out of place, such as "ok"."""
    return all(word in COURTESIES for word in _words(utterance))


def _words(utterance: str) -> list[str]:
    return re.findall(r"[a-z]+|\d+", utterance.lower())
