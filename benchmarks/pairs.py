"""Alternation of two programs in one run, so that other load of the machine affects both.

Not a benchmark itself. The median of the rounds is printed, and in brackets the best round of each, which on a shared
machine is more informative. A ratio is the median of the pairs' ratios, and in brackets that of the best rounds.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable

Pair = tuple[float, float]


def alternate(ours: Callable[[], float], theirs: Callable[[], float], rounds: int) -> list[Pair]:
    """Return both measurements of each of ``rounds``; the first of the two changes from round to round."""
    pairs = []
    for number in range(rounds):
        if number % 2:
            other = theirs()
            pairs.append((ours(), other))
        else:
            pairs.append((ours(), theirs()))
    return pairs


def report(pairs: list[Pair], names: tuple[str, str], unit: str, what: str, scale: float = 1.0) -> None:
    """Print both sides and their ratio. For rates: more is better.

    Args:
      what: sentence about the ratio, e.g. "the runner has {} times the steps of RLlib's".
    """
    for name, rates in zip(names, zip(*pairs, strict=True), strict=True):
        print(f"  {name:24} {scale * statistics.median(rates):10,.1f} {unit} ({scale * max(rates):,.1f})")
    median = statistics.median(ours / theirs for ours, theirs in pairs)
    best = max(ours for ours, _ in pairs) / max(theirs for _, theirs in pairs)
    print(f"  {what.format(f'{median:.2f} ({best:.2f})')}")
