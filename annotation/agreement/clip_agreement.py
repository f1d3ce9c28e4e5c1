"""Agreement of raters on pairs of clips."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from annotation.agreement.estimates import share_with_interval
from rlhf.records.preferences import CANNOT_TELL


def clip_agreement(answers: Mapping[str, Sequence[str]]) -> dict[str, float | int | None]:
    """Return the share of raters' answers that agree, two raters of one pair of clips at a time.

    Answers that leave the question open ("cannot tell") do not count.

    Args:
      answers: for each pair of clips, its raters' answers.

    Returns:
      ``value`` with the bounds ``low`` and ``high`` of its 95% interval, by the bootstrap over pairs of clips, and
      ``pairs``: how many pairs of clips have two answers or more.
    """
    counts = [Counter(answer for answer in given if answer != CANNOT_TELL) for given in answers.values()]
    shared = [count for count in counts if count.total() > 1]
    equal = np.array([sum(_couples(number) for number in count.values()) for count in shared], dtype=np.float64)
    every = np.array([_couples(count.total()) for count in shared], dtype=np.float64)
    return {**share_with_interval(equal, every), "pairs": len(shared)}


def _couples(number: int) -> int:
    return number * (number - 1) // 2
