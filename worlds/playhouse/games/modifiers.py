"""Modifiers of prompts (paper, A.8): how a request is to be worded, and whether words keep to it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from worlds.playhouse.house.catalogue import COLOURS


@dataclass(frozen=True)
class Modifier:
    """One more condition on the words of a request.

    Args:
      holds: (words of a request) -> whether they keep to it.
    """

    name: str
    prompt: str
    holds: Callable[[str], bool]


def _says(*words: str) -> Callable[[str], bool]:
    pattern = re.compile(rf"\b({'|'.join(words)})\b")
    return lambda text: pattern.search(text) is not None


def _never_says(*words: str) -> Callable[[str], bool]:
    says = _says(*(f"{word}s?" for word in words))
    return lambda text: not says(text)


_COLOUR = "|".join(COLOURS)
_WHERE = (
    r"on|in|inside|under|underneath|beneath|below|above|near|near to|close to|next to|behind|beside|between|"
    r"in front of|left of|right of|far from"
)
_PLACED = r"on|in|under|underneath|below|beneath|inside|near|next to|behind|beside|by|to|from|into|of|between|and"

MODIFIERS: dict[str, Modifier] = {
    modifier.name: modifier
    for modifier in (
        Modifier("object colour", "Refer to objects by colour.", _says(_COLOUR)),
        Modifier(
            "location colour",
            "Refer to location by colour.",
            _says(rf"(?:{_PLACED}) (?:the |an? )?(?:\w+ )?(?:{_COLOUR})", rf"(?:{_COLOUR}) (?:\w+ )?(?:room|corner)"),
        ),
        Modifier(
            "location",
            "Refer to objects by location.",
            _says(rf"(?:{_WHERE}) (?:the|this|another|me|you|an?)\b"),
        ),
        Modifier(
            "shapes",
            "Use shape words. Try to use shape words like: circular, rectangular, round, pointy, long.",
            _says("circular", "rectangular", "round", "pointy", "long", "square", "circle", "triangle"),
        ),
        Modifier(
            "proximity",
            "Use proximity words. Try to use words like: near, far, close to, next to.",
            _says("near", "nearest", "far", "close to", "closest", "next to", "beside", "away from"),
        ),
        Modifier(
            "horizontal",
            "Use horizontal position words. Try to use words like: in front, behind, left of, right of, between.",
            _says("in front", "behind", "left", "right", "between", "opposite"),
        ),
        Modifier(
            "vertical",
            "Use vertical position words. Try to use words like: on top, beneath, above, below.",
            _says("on top", "beneath", "above", "below", "underneath", "under", "over"),
        ),
        Modifier(
            "negation",
            "Use negation words. Try to use words like: not, isn’t.",
            _says("not", "isn't", "aren't", "no", "don't", "without", "except"),
        ),
        Modifier(
            "quantifiers",
            "Use quantifier words. Try to use words like: some, all, most, many, none.",
            _says("some", "all", "most", "many", "none", "any", "every", "both", "each"),
        ),
        Modifier("plain places", "Do not use the words: bed, door, window.", _never_says("bed", "door", "window")),
    )
}
