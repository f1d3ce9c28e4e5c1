"""The part of an episode that a rater has seen, as ranges of steps. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def merge_ranges(*several: Iterable[Sequence[int]]) -> list[list[int]]:
    """Return the union of ranges of steps, each [first, last], as few ranges as possible, in order."""
    merged: list[list[int]] = []
    for first, last in sorted((first, last) for ranges in several for first, last in ranges):
        if merged and first <= merged[-1][1] + 1:
            merged[-1][1] = max(merged[-1][1], last)
        else:
            merged.append([first, last])
    return merged


def seen_share(ranges: Sequence[Sequence[int]] | None, steps: int) -> float | None:
    """Return the share of an episode's steps that lie in ``ranges``; None where it is not known what was seen."""
    if ranges is None:
        return None
    return sum(last - first + 1 for first, last in merge_ranges(ranges)) / steps
