"""Whose marks a reward model learns from: all raters', people's or scripted ones, or those of raters by name."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rlhf.records.marks import Mark
from worlds.errors import UserError

PEOPLE, SCRIPTED = "people", "scripted"  # in place of raters' names
_NAMED = 5  # raters in a message at most


def choose_marks(marks: Sequence[Mark], raters: Collection[str]) -> list[Mark]:
    """Marks of the chosen raters, in their order.

    Args:
      marks: of all raters.
      raters: names, "people" or "scripted", together as wished; none chooses everybody.
    """
    return [mark for mark in marks if not raters or mark.rater in raters or _group(mark) in raters]


def check_raters(marks: Sequence[Mark], raters: Collection[str]) -> None:
    """Raises UserError if one of ``raters`` has given none of ``marks``."""
    known = {mark.rater for mark in marks}
    for name in raters:
        if name not in known | {_group(mark) for mark in marks}:
            more = f" and {len(known) - _NAMED} more" if len(known) > _NAMED else ""
            names = ", ".join(sorted(known)[:_NAMED])
            raise UserError(f"raters: no marks by {name}; there are {describe_raters(marks)}: {names}{more}")


def check_not_mixed(marks: Sequence[Mark]) -> None:
    """Raises UserError if people and scripted raters both gave ``marks``."""
    if len({mark.scripted for mark in marks}) > 1:
        raise UserError(
            f"people and scripts have marked this play ({describe_raters(marks)}); choose with --raters {PEOPLE} or "
            f"--raters {SCRIPTED}, or learn from both with --mix-raters"
        )


def describe_raters(marks: Sequence[Mark]) -> str:
    """E.g. "118 marks by 2 people and 117 marks by 1 scripted rater"."""
    parts = []
    for group, one, several in ((PEOPLE, "person", "people"), (SCRIPTED, "scripted rater", "scripted raters")):
        given = [mark for mark in marks if _group(mark) == group]
        raters = len({mark.rater for mark in given})
        if given:
            count = f"{len(given):,} mark{'s' if len(given) > 1 else ''}"
            parts.append(f"{count} by {raters:,} {one if raters == 1 else several}")
    return " and ".join(parts) or "no marks"


def _group(mark: Mark) -> str:
    return SCRIPTED if mark.scripted else PEOPLE
