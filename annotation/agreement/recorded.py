"""Agreement of raters whose marks are in a dataset, people and programs alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from annotation.agreement.rater_agreement import agreement
from annotation.agreement.submission import Submission
from rlhf.records.marks import Mark


def recorded_agreement(
    marks: Iterable[Mark], steps: Mapping[str, int], rated: Mapping[str, Collection[str]], tolerance: int
) -> list[dict[str, Any]]:
    """Return how far each two raters agree on the episodes that both rated, those with most episodes first.

    A dataset does not say who looked at an episode and marked nothing. So an episode counts as rated where a rater has
    marks in it, and besides where ``rated`` says so.

    Args:
      rated: episodes that a rater has rated, also those without a mark, by the rater's name.

    Returns:
      For every two raters, their names, the number of episodes, and the shares of
      :func:`annotation.agreement.rater_agreement.agreement`.
    """
    by_rater: dict[str, dict[str, list[Mark]]] = defaultdict(dict)
    for rater, episodes in rated.items():
        by_rater[rater] = {episode: [] for episode in episodes}
    for mark in marks:
        by_rater[mark.rater].setdefault(mark.episode_id, []).append(mark)
    shared = [
        [
            Submission(rater, episode, length, tuple(sorted(given[episode], key=lambda mark: mark.step)))
            for rater, given in sorted(by_rater.items())
            if episode in given
        ]
        for episode, length in steps.items()
    ]
    several = [submissions for submissions in shared if len(submissions) > 1]
    return agreement(several, tolerance)["pairs"] if several else []
