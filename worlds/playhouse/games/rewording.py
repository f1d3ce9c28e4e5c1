"""Other words for a request that no game can read as it is written: details moved to where games expect them.

People put the place last ("three books in a row in the living room"), say "by using" for "with", and say that what they
want arranged is on the floor, where things are arranged anyway.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from worlds.playhouse.house.room_types import ROOM_TYPES

SHAPE = r"(?:(?:a |one )?(?:single )?(?:row|line|circle|triangle|square))"
_WORDS = (
    (r"[?.,;:\"’'/]+", " "),
    (r"\bby (?=using\b)", ""),
    (r"^to go (?:to )?", "go to "),
    (r"^place\b", "put"),
    (r"^bring (?!me\b)(.*?)(?: for me)?$", r"bring me \1"),
    (r"^find (.*) and go near (?:to )?it$", r"go to \1"),
    (r"^(?:lift|pick up|take) (.*) and (?:place|put) (?:it |them )?on (.*)$", r"put \1 on \2"),
    (r"\b(underneath|beneath|below) of\b", r"\1"),
    (r"\b(?:in|of) the same room as bed exists in the room\b", "in the bedroom"),
    (r"\b(in|of) the room which has (?:a |the )?bed\b", "in the bedroom"),
    (r"^does there is (?:a |the )?", "is there a "),
    (r"\bascending order rule\b", "ascending order"),
    (r"\b(row|circle|triangle|square) shape\b", r"\1"),
    (r"\b(?:the )?few (?=\w)", "four "),
    (r"^(hit|push|touch) (?!.*\b(?:with|using)\b)(.*)$", r"\1 \2 with any object"),
    (r"^(hit|push|touch) (?:the|a) (\w+) (?:with|using) another \2$", r"\1 a \2 with a \2"),
    (r"\bthe one (?=\w)", "one "),
    (r"\bbuilt (?=a tower)", "build "),
    (r"\b(one|two|three|four|five|\d) or more\b", "any"),
    (r"\s+", " "),
)


def rewordings(words: str) -> Iterator[str]:
    """Yield other words for a request, the nearest to what was said first; none of them is ``words``.

    Args:
      words: in lower case.
    """
    plain = words
    for pattern, instead in _WORDS:
        plain = re.sub(pattern, instead, plain)
    plain = plain.strip()
    off_floor = re.sub(_floor(), "", plain)
    found = [plain, *_moved(plain), off_floor, *_moved(off_floor), *_tower(off_floor)]
    found += [re.sub(_last_room(), "", text) for text in (plain, off_floor)]
    yield from (text for text in dict.fromkeys(found) if text and text != words)


def _moved(words: str) -> Iterator[str]:
    """The room, said last, moved to the things: "books in the den in a row", "take 4 books in the den and form ..."."""
    found = re.match(rf"^(.*?)( in {SHAPE}| and (?:form|make) {SHAPE})( (?:in|of|from) .*)$", words)
    if found:
        yield f"{found[1]}{found[3]}{found[2]}"
    found = re.match(
        rf"^(make|form|build) ({SHAPE})( (?:in|of) (?:the )?(?:{_rooms()}))? (?:with|using|of) (.*)$", words
    )
    if found:
        yield f"{found[1]} {found[2]} with {found[4]}{found[3] or ''}"
    found = re.match(rf"^arrange {SHAPE} with (.*)$", words)
    if found:
        yield f"arrange {found[1]} in a row"


def _tower(words: str) -> Iterator[str]:
    """ "build a tower in the den": of anything there."""
    found = re.match(rf"^(?:build|make) (?:a )?tower in (?:the )?({_rooms()})$", words)
    if found:
        yield f"build a tower with two objects in the {found[1]}"


@cache
def _rooms() -> str:
    names = {name for kind in ROOM_TYPES.values() for name in (kind.name, *kind.synonyms)}
    return "|".join(sorted(map(re.escape, names), key=len, reverse=True))


@cache
def _floor() -> str:
    return rf" on (?:the )?(?:(?:{_rooms()}) )?floor\b(?: of (?:the )?(?:{_rooms()}))?"


@cache
def _last_room() -> str:
    return rf" (?:in|of|from|at|n|to) (?:the )?(?:{_rooms()})$"
