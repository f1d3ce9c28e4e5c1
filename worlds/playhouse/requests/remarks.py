"""What people say that is no request: praise, small talk, encouragement, and corrections of what they asked for.

Nothing here begins or ends a request. A correction keeps the request as it is and says, where it can, which thing was
meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from worlds.data_files import read_entries
from worlds.playhouse.house.catalogue import COLOURS, OBJECT_KINDS
from worlds.playhouse.requests.language import Described

REMARKS: Mapping[str, tuple[str, ...]] = read_entries(Path(__file__).parent / "data" / "remarks.json", tuple[str, ...])
_KNOWN = frozenset(words.replace(",", "") for kind in REMARKS.values() for words in kind)
_WHICH = ("not that one, {}", "no, {}", "no, not that one, {}", "no, i meant {}", "wrong one, i mean {}")
_OTHER = ("no, the other one", "not that one", "no, not that one", "the other one", "no, wrong one")
_NO = r"(?:no|nope|not (?:that|this)(?: one)?|not (?:the|that) [a-z ]+?|wrong(?: one| thing)?)"
_CORRECTION = re.compile(
    rf"(?:(?:{_NO} )*{_NO}(?: (?:i (?:mean|meant|said|want|wanted) )?the (?P<said>[a-z ]+))?|the (?P<bare>other one))"
)


@dataclass(frozen=True)
class Correction:
    """Words of one who sees a wrong thing taken or gone to."""

    colours: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()

    def meant(self, among: Sequence[str], things: Mapping[str, Described], mistaken: str | None) -> tuple[str, ...]:
        """Return which of some things are meant after all; all of them where the words rule out every one.

        Args:
          among: ids of what the request's own words fit.
          mistaken: id of the thing that was taken or gone to.
        """
        fitting = tuple(i for i in among if i != mistaken and (i not in things or self._fits(things[i])))
        return fitting or tuple(among)

    def _fits(self, thing: Described) -> bool:
        return (not self.colours or thing.colour in self.colours) and (not self.kinds or thing.kind in self.kinds)


def say(kind: str, rng: np.random.Generator, last: str = "") -> str:
    """Return a remark of a kind of :data:`REMARKS`, other words than the ``last``, which a solver would not notice."""
    options = [words for words in REMARKS[kind] if words != last]
    return options[int(rng.integers(len(options)))]


def is_remark(words: str) -> bool:
    """Return True if words are praise, talk, encouragement or a denial, and so ask for nothing."""
    whole = " ".join(_plain(words).split())
    parts = [" ".join(_plain(part).split()) for part in re.split(r"[,.!?;]", words)]
    return whole in _KNOWN or (any(parts) and all(part in _KNOWN for part in parts if part))


def correct(right: Iterable[Described], wrong: Described | None, rng: np.random.Generator, last: str = "") -> str:
    """Return words of a correction, other than the ``last``.

    Args:
      wrong: that of the thing taken or gone to; None where that is not clear.
    """
    right = tuple(right)
    options = [template.format(which) for which in _differences(right, wrong) for template in _WHICH]
    alike = wrong is not None and all(thing.kind == wrong.kind for thing in right)
    options = [words for words in (*options, *(_OTHER if alike or not options else ())) if words != last]
    return options[int(rng.integers(len(options)))]


def _differences(right: tuple[Described, ...], wrong: Described | None) -> list[str]:
    """Names that fit what is meant, by what tells it from the wrong thing."""
    colours, kinds = {thing.colour for thing in right}, {thing.kind for thing in right}
    if wrong is None or len(colours) > 1 or len(kinds) > 1 or not right:
        return []
    (colour,), (kind,) = colours, kinds
    named = [f"the {colour} one", f"the {colour} {kind}"] if colour != wrong.colour else []
    return named + ([f"the {kind}", f"the {colour} {kind}"] if kind != wrong.kind else [])


def read_correction(words: str) -> Correction | None:
    """Return the correction that words are; None for other words."""
    match = _CORRECTION.fullmatch(_plain(words))
    if match is None or is_remark(words):
        return None
    said = f" {match['said'] or ''} "
    colours = frozenset(colour for colour in COLOURS if f" {colour} " in said)
    found = {kind: noun for noun, kind in _nouns().items() if f" {noun} " in said}
    longest = max(map(len, found.values()), default=0)
    return Correction(colours, frozenset(kind for kind, noun in found.items() if len(noun) == longest))


@cache
def _nouns() -> Mapping[str, str]:
    """Kinds of loose things by every noun that people use for them."""
    kinds = OBJECT_KINDS.items()
    return {noun: name for name, kind in kinds for noun in (*kind.synonyms, kind.plural, name)}


def _plain(words: str) -> str:
    """Words in lower case without punctuation."""
    return " ".join(re.findall(r"[a-z0-9]+", words.lower().replace("'s", " is").replace("don't", "do not")))
