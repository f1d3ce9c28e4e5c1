"""The synthetic language of the Playhouse: referring expressions, instructions, answers, and what is held out.

Everything is lower case and short, e.g. ``"lift the red ball"``, ``"what color is the small mug?"``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from worlds.data_files import read_entries
from worlds.playhouse.house.catalogue import COLOURS, OBJECT_KINDS, SIZES

NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
YES, NO = "yes", "no"
COURTESIES = frozenset({"ok", "okay", "done", "sure"})  # words that are never out of place

# Instructions of each task, with slots for things (x, y), numbers (n) and the place of a question (where).
TEMPLATES: Mapping[str, tuple[str, ...]] = read_entries(
    Path(__file__).parent / "data" / "templates.json", tuple[str, ...]
)

# Of every task one (colour, kind) in five is held out: of every colour some kinds and of every kind two colours, so
# that both words are always heard in training. The strides walk through the catalogue in its own order. Each task
# begins elsewhere, so that what one never asks for is asked for by others: a combination that no task ever named would
# be learned to be what nobody wants.
_HELD_OUT_PERIOD, _HELD_OUT_STRIDE = 5, 2
_HELD_OUT_BEGIN = {"go": 0, "lift": 3, "position": 2, "color": 2, "count": 0, "exist": 3, "tower": 1}
_SLOT = re.compile(r"{(\w+)}")


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


def instruct(name: str, rng: np.random.Generator, **slots: str) -> str:
    """One paraphrase, chosen by ``rng``, of the instruction of task ``name`` with its slots filled in.

    Those count that have just these slots: a tower can be asked for with more words or with fewer.
    """
    templates = [template for template in TEMPLATES[name] if set(_SLOT.findall(template)) == set(slots)]
    return templates[rng.integers(len(templates))].format(**slots)


def paraphrases(text: str) -> list[str]:
    """Return an instruction of this language in all its other words; none for other texts."""
    request = understand(text)
    if request is None:
        return []
    slots = {
        name: request.slots.get(name, "") for name in (*request.slots, *(("where",) if _asks_here(request) else ()))
    }
    templates = [template for template in TEMPLATES[request.name] if set(_SLOT.findall(template)) == set(slots)]
    return [words for template in templates if (words := template.format(**slots)) != text]


def _asks_here(request: Understood) -> bool:
    """Return True if the templates of a request have a place for the words "in this room"."""
    return any("{where}" in template for template in TEMPLATES[request.name])


def indefinite(colour: str | None, kind: str | None) -> str:
    """E.g. "a red ball", "an orange mug", "a ball", "a red toy"."""
    phrase = " ".join((*((colour,) if colour else ()), kind or "toy"))
    return f"{'an' if phrase[0] in 'aeiou' else 'a'} {phrase}"


def plural(colour: str | None, kind: str | None) -> str:
    """E.g. "red balls", "balls", "red toys"."""
    noun = kind or "toy"
    return " ".join((*((colour,) if colour else ()), noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")))


@dataclass(frozen=True)
class Understood:
    """Meaning of an instruction: the task's name and the words in its slots."""

    name: str
    slots: Mapping[str, str]


def understand(text: str) -> Understood | None:
    """Read an instruction; None if it is not of this language. The most specific template that fits counts."""
    text = text.lower().strip()
    for name, pattern in _PATTERNS:
        match = pattern.fullmatch(text)
        if match:
            return Understood(name, {k: v for k, v in match.groupdict().items() if v})
    return None


def _pattern(template: str, most: bool) -> re.Pattern[str]:
    """A pattern whose first slots take the fewest words they can, or the ``most``.

    In "put the mug on the table on the block" what is put is the mug on the table: what it is put on stands on the
    floor, and is never called "on" anything.
    """
    pattern = re.escape(template).replace(re.escape("{where}"), "(?:(?P<where> in this room))?")
    pattern = pattern.replace(re.escape("{n}"), f"(?P<n>{'|'.join(NUMBERS)})")
    for slot in ("x", "y"):
        words = f"(?P<{slot}>(?:the |an? )?[a-z ]+{'' if most else '?'})"
        pattern = pattern.replace(re.escape(f"{{{slot}}}"), words)
    return re.compile(pattern)


# Templates with the most fixed text first, so that "take {x} and lift it" is not read as a shorter one.
_PATTERNS = [
    (name, _pattern(template, most=name == "tower"))
    for _, name, template in sorted(
        (-len(re.sub(r"{\w+}", "", template)), name, template) for name, ts in TEMPLATES.items() for template in ts
    )
]


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


def answers_to(name: str) -> tuple[str, ...]:
    """Return all answers that a question of task ``name`` can have; none for tasks that are not questions."""
    return {"color": tuple(COLOURS), "count": NUMBERS, "exist": (YES, NO)}.get(name, ())


def answer_in(utterance: str, name: str) -> str | None:
    """The answer to a question of task ``name`` that ``utterance`` gives; None if it gives none or several."""
    words = [NUMBERS[int(w)] if w.isdecimal() and int(w) < len(NUMBERS) else w for w in _words(utterance)]
    given = {word for word in words if word in answers_to(name)}
    return given.pop() if len(given) == 1 else None


def is_courtesy(utterance: str) -> bool:
    """Return True if the utterance has only words that are never out of place, such as "ok"."""
    return all(word in COURTESIES for word in _words(utterance))


def is_held_out(name: str, arguments: Mapping[str, Any]) -> bool:
    """Return True if task ``name`` with these arguments names a combination for which training never asks in that task.

    Combinations are (colour, kind) as named by the keys ``colour``, ``kind``, ``next_to_colour``, ``next_to_kind``,
    ``on_colour`` and ``on_kind``; where an instruction names only one of the two, only that word. About one in five
    is held out.
    """
    pairs = [(arguments.get(f"{role}colour"), arguments.get(f"{role}kind")) for role in ("", "next_to_", "on_")]
    return any(is_reserved(name, colour, kind) for colour, kind in pairs if colour or kind)


def is_reserved(name: str, colour: str | None, kind: str | None) -> bool:
    """Return True if training never names this combination in task or game ``name``."""
    place = _rank(colour, tuple(COLOURS)) + _HELD_OUT_STRIDE * _rank(kind, tuple(OBJECT_KINDS))
    begin = _HELD_OUT_BEGIN.get(name, crc32(name.encode()))
    return (place + begin) % _HELD_OUT_PERIOD == 0


def _rank(word: str | None, known: Sequence[str]) -> int:
    """Place of ``word`` in the catalogue; a word that is not there gets a number that stays the same for ever."""
    if word is None:
        return 0
    return known.index(word) if word in known else crc32(word.encode())


def _words(utterance: str) -> list[str]:
    return re.findall(r"[a-z]+|\d+", utterance.lower())
