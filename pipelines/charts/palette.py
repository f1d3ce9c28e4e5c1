"""Colours of pages and charts, by name, in light and dark mode; those of series are distinct for colour-blind readers.

Charts are drawn in the light colours. On pages these become the CSS variables of the same names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

# c1 to c6 are Okabe and Ito's; agents and verdicts of a report have names of their own.
LIGHT: Mapping[str, str] = {
    "page": "#fbfaf8", "card": "#ffffff", "ink": "#1c1d21", "quiet": "#6b6f78", "rule": "#e6e3dd", "soft": "#f2f0ec",
    "c1": "#0072b2", "c2": "#d55e00", "c3": "#009e73", "c4": "#cc79a7", "c5": "#e69f00", "c6": "#56b4e9",
    "before": "#8b8f99", "after": "#0072b2", "reference": "#b9905a",
    "good": "#1d7f56", "good-soft": "#e3f3ea", "bad": "#b3383f", "bad-soft": "#fae8e7", "even-soft": "#eeece7",
}  # fmt: skip
DARK: Mapping[str, str] = {
    "page": "#15161a", "card": "#1d1f24", "ink": "#ececee", "quiet": "#9a9ea8", "rule": "#31343b", "soft": "#25272d",
    "c1": "#4fa9e2", "c2": "#f08b4c", "c3": "#3fc79b", "c4": "#e3a2c4", "c5": "#f0b94a", "c6": "#9ad2f5",
    "before": "#979ba6", "after": "#4fa9e2", "reference": "#d3ae7c",
    "good": "#6fd0a3", "good-soft": "#1d3329", "bad": "#f08d90", "bad-soft": "#3a2425", "even-soft": "#2b2d33",
}  # fmt: skip
INK, QUIET, RULE, CARD = (LIGHT[name] for name in ("ink", "quiet", "rule", "card"))
SERIES = ("c1", "c2", "c3", "c4", "c5", "c6")
# Three of Tol's after them, for experiments of up to ten arms.
COLOURS = (*(LIGHT[name] for name in SERIES), "#7b8794", "#882255", "#999933", "#332288")
_VERDICTS = {"better": "good", "worse": "bad", "unclear": "quiet", "few": "quiet"}


def colour(name: str) -> str:
    """Return the colour of a name, or of a verdict."""
    return LIGHT[_VERDICTS.get(name, name)]


def colours_of(names: Sequence[str], ink: str | None = None) -> dict[str, str]:
    """Return colours by name; the name ``ink`` has the colour of text."""
    others = [name for name in names if name != ink]
    found = {name: COLOURS[place % len(COLOURS)] for place, name in enumerate(others)}
    return found | ({} if ink is None else {ink: INK})


def css(colours: Mapping[str, str]) -> str:
    """Return the colours as declarations of CSS variables."""
    return " ".join(f"--{name}: {value};" for name, value in colours.items())
