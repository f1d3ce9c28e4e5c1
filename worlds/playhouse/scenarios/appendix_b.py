"""All lines of the paper's appendix B: 163 of them, numbered from 0, although the paper speaks of 162 scenarios."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from worlds.playhouse.scenarios.scenario import Scenario, read_lines

_DATA = Path(__file__).parent / "data"
SUBJECTS: Mapping[str, tuple[Scenario, ...]] = {
    subject: read_lines(_DATA / f"{subject}.json")
    for subject in (
        "towers", "rows", "shapes", "containers", "on_top", "underneath", "bringing", "touching", "going",
        "questions_of_place", "questions_of_number", "questions_of_colour",
    )
}  # fmt: skip
COUNT = 163


@cache
def scenarios() -> Mapping[int, Scenario]:
    """Return the scenarios by their numbers, in the order of the paper."""
    every = [line for lines in SUBJECTS.values() for line in lines]
    return {line.number: line for line in sorted(every, key=lambda line: line.number)}
