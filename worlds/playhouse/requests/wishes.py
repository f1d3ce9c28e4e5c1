"""Wishes for the words of requests: the modifiers of the paper's prompts (A.8), as conditions on descriptions.

A :class:`Wish` says which descriptions keep to a modifier while words are looked for. Whether finished words keep to it
is checked by :mod:`worlds.playhouse.games.modifiers`, which has the paper's texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from worlds.playhouse.house.record import FLOOR
from worlds.playhouse.requests.descriptions import Description

PROXIMITY = frozenset({"near", "next to", "far from"})
HORIZONTAL = frozenset({"left of", "right of", "in front of", "behind", "between"})
VERTICAL = frozenset({"on", "under", "above"})
TRIES = 8  # ways of saying a description before it is given up
_FORBIDDEN = re.compile(r"bed|door|window")
_WORDS: Mapping[str, re.Pattern[str]] = {
    "vertical": re.compile(r"\b(?:on top|beneath|above|below|under|underneath|over)\b"),
    "proximity": re.compile(r"\b(?:near|nearest|far|close to|closest|next to|beside|away from)\b"),
}


@dataclass(frozen=True)
class Wish:
    """A wish for the words of one expression.

    Args:
      name: of the modifier; empty for no wish.
    """

    name: str = ""

    @property
    def forbids(self) -> bool:
        """Whether it forbids words, rather than asking for some."""
        return self.name == "plain places"

    def allows(self, description: Description) -> bool:
        """Return True if a description keeps to the wish."""
        return _ALLOWS.get(self.name, lambda _: True)(description)

    def may_say(self, noun: str) -> bool:
        """Return True if a noun is not forbidden."""
        return not self.forbids or _FORBIDDEN.search(noun) is None

    def say(self, words: Callable[[np.random.Generator], str], rng: np.random.Generator) -> str | None:
        """Return words that keep to the wish, of several ways of saying the same; None if none does."""
        pattern = _WORDS.get(self.name)
        for _ in range(TRIES):
            said = words(rng)
            if (pattern is None or pattern.search(said)) and self.may_say(said):
                return said
        return None

    def likelier(self, detail: Mapping[str, object], chance: float) -> float:
        """Return the chance of naming a detail: ``chance``, or much where it is what is wished for."""
        wanted = {
            "object colour": "colour",
            "shapes": "shape",
            "negation": "other_than",
            "location": "place",
            "location colour": "place",
            "proximity": "place",
            "horizontal": "place",
            "vertical": "place",
        }
        return 0.9 if wanted.get(self.name) in detail else chance


def _relations(description: Description) -> set[str]:
    return {place.relation for place in description.places}


def _is_near(description: Description) -> bool:
    extreme = description.extreme
    return not PROXIMITY.isdisjoint(_relations(description)) or (extreme is not None and extreme.word == "nearest")


_ALLOWS: Mapping[str, Callable[[Description], bool]] = {
    "object colour": lambda d: d.colour is not None,
    "location colour": lambda d: any(a.colour is not None for p in d.places for a in p.anchors),
    "location": lambda d: bool(d.places),
    "shapes": lambda d: d.shape is not None,
    "proximity": _is_near,
    "horizontal": lambda d: not HORIZONTAL.isdisjoint(_relations(d)),
    "vertical": lambda d: any(p.relation in VERTICAL and p.anchors[0].noun != FLOOR for p in d.places),
    "negation": lambda d: bool(d.other_than) or any(place.negated for place in d.places),
}
FREE = Wish()
