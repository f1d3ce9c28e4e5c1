"""Choice of the judgements that a reward model learns from: by all raters, people, scripts, or named raters."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeVar

from rlhf.records.marks import Mark, rater_key
from rlhf.records.preferences import Preference
from worlds.errors import UserError

PEOPLE, SCRIPTED = "people", "scripted"  # in place of raters' names
Judged = TypeVar("Judged", bound=Mark | Preference)
_NAMED = 5  # raters in a message at most


def choose_marks(marks: Sequence[Judged], raters: Collection[str]) -> list[Judged]:
    """Return the marks or preferences of the chosen raters, in their order.

    Args:
      marks: marks or preferences of all raters.
      raters: names of raters, "people" or "scripted", in any combination; none chooses all raters.
    """
    chosen = {rater_key(name) for name in raters}
    return [mark for mark in marks if not raters or rater_key(mark.rater) in chosen or _group(mark) in chosen]


def check_raters(marks: Sequence[Mark], raters: Collection[str], preferences: Sequence[Preference] = ()) -> None:
    """Check that each of ``raters`` has given marks or preferences. Raises UserError if one has given none."""
    given = [*marks, *preferences]
    known = {one.rater for one in given}
    chosen = {rater_key(name) for name in known} | {_group(one) for one in given}
    for name in raters:
        if rater_key(name) not in chosen:
            more = f" and {len(known) - _NAMED} more" if len(known) > _NAMED else ""
            names = ", ".join(sorted(known)[:_NAMED])
            raise UserError(f"raters: no marks by {name}; there are {describe_raters(marks)}: {names}{more}")


def check_not_mixed(marks: Sequence[Mark], preferences: Sequence[Preference] = ()) -> None:
    """Check that not both people and scripted raters gave marks and preferences. Raises UserError if they did."""
    if preferences and len({one.scripted for one in [*marks, *preferences]}) > 1:
        raise UserError(
            "people and scripts have judged this play (marks and preferences together); choose with --raters "
            f"{PEOPLE} or --raters {SCRIPTED}, or learn from both with --mix-raters"
        )
    if len({mark.scripted for mark in marks}) > 1:
        raise UserError(
            f"people and scripts have marked this play ({describe_raters(marks)}); choose with --raters {PEOPLE} or "
            f"--raters {SCRIPTED}, or learn from both with --mix-raters"
        )


def describe_raters(marks: Sequence[Mark]) -> str:
    """Count marks and raters, e.g. "118 marks by 2 people and 117 marks by 1 scripted rater"."""
    parts = []
    for group, singular, plural in ((PEOPLE, "person", "people"), (SCRIPTED, "scripted rater", "scripted raters")):
        given = [mark for mark in marks if _group(mark) == group]
        raters = len({mark.rater for mark in given})
        if given:
            count = f"{len(given):,} mark{'s' if len(given) > 1 else ''}"
            parts.append(f"{count} by {raters:,} {singular if raters == 1 else plural}")
    return " and ".join(parts) or "no marks"


def _group(mark: Mark | Preference) -> str:
    return SCRIPTED if mark.scripted else PEOPLE
