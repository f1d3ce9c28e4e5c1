"""Agreement of raters on pairs of clips."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from annotation.agreement.estimates import rounded, share_with_interval
from rlhf.records.preferences import CANNOT_TELL


def clip_agreement(answers: Mapping[str, Sequence[str]]) -> dict[str, float | int | None]:
    """Return the share of raters' answers that agree, two raters of one pair of clips at a time.

    Answers that leave the question open ("cannot tell") do not count.

    Returns:
      ``value`` with the bounds ``low`` and ``high`` of its 95% interval, by the bootstrap over pairs of clips;
      ``chance``: the share if raters gave these answers at random (Scott 1955); and ``pairs``: how many pairs of clips
      have two answers or more.
    """
    counts = [Counter(answer for answer in each if answer != CANNOT_TELL) for each in answers.values()]
    shared = [count for count in counts if count.total() > 1]
    equal = np.array([sum(_couples(number) for number in count.values()) for count in shared], dtype=np.float64)
    every = np.array([_couples(count.total()) for count in shared], dtype=np.float64)
    given = np.array(list(sum(shared, Counter()).values()), dtype=np.float64)
    chance = rounded(float(np.square(given / given.sum()).sum())) if shared else None
    return {**share_with_interval(equal, every), "chance": chance, "pairs": len(shared)}


def _couples(number: int) -> int:
    return number * (number - 1) // 2
