"""Use of several raters of one episode: each as they are, weighted by agreement, or merged by majority.

The paper has several raters for some episodes and does not describe the use of their marks; these are this project's
choices. Raters who gave an episode no mark are not known to have rated it, and do not count in it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import combinations
from typing import Literal

import numpy as np

from annotation.agreement.measures import Agreement, match_marks, pairwise_agreement
from reward_models.marks.marked_play import MarkedPlay
from reward_models.marks.pairs import MINUS, PLUS
from rlhf.records.marks import PROGRESS, REGRESS, Mark

Raters = Literal["each", "agreement", "majority"]


def use_raters(play: MarkedPlay, how: Raters, tolerance: int) -> MarkedPlay:
    """Prepare the marks of ``play`` for learning from several raters.

    Args:
      how: "each" leaves all marks unchanged. "agreement" does too, and weights raters by their agreement with others
        (:func:`trust`). "majority" merges the marks of each episode into one sequence (:func:`merge`).
      tolerance: marks at most this many steps apart may be of the same moment.
    """
    if how == "majority":
        merged = np.concatenate([merge(play.marks_of(e), tolerance) for e in range(len(play))])
        # An episode without a moment of the majority has still been rated.
        rated = play.rated_episodes.any(axis=1, keepdims=True)
        return replace(play, marks=merged, raters=tuple(("majority",) for _ in range(len(play))), rated_by=rated)
    if how == "agreement":
        weights = trust(play, tolerance)
        by_slot = np.ones((len(play), play.marks.shape[1]), dtype=np.float32)
        for episode, names in enumerate(play.raters):
            by_slot[episode, : len(names)] = [weights[name] for name in names]
        return replace(play, trust=np.repeat(by_slot, play.episodes.lengths, axis=0))
    return play


def merge(marks: np.ndarray, tolerance: int) -> np.ndarray:
    """Merge ``marks`` [T, R, 2] into the moments that most raters marked: uint8 [T, 1, 2].

    Marks of different raters belong to one moment if ``match_marks`` pairs them, rater by rater. A moment counts if
    more than half of the episode's raters marked it, with the sign that most of them gave, at the (lower) median of
    their steps; a moment with a tie of signs is left out. A single rater's marks stay unchanged.
    """
    raters = [own for slot in range(marks.shape[1]) if (own := _as_marks(marks[:, slot]))]
    moments: list[list[Mark]] = []
    for own in raters:
        known = [_summary(moment) for moment in moments]
        paired = {id(new): id(old) for old, new in match_marks(known, own, tolerance)}
        place = {id(summary): index for index, summary in enumerate(known)}
        for mark in own:
            if id(mark) in paired:
                moments[place[paired[id(mark)]]].append(mark)
            else:
                moments.append([mark])
    merged = np.zeros((len(marks), 1, 2), dtype=np.uint8)
    for moment in moments:
        if 2 * len(moment) > len(raters) and (balance := sum(mark.sign for mark in moment)):
            merged[_summary(moment).step, 0, PLUS if balance > 0 else MINUS] += 1
    return merged


def trust(play: MarkedPlay, tolerance: int) -> dict[str, float]:
    """Weight of each rater of ``play``: its agreement with the others, scaled to a mean of 1 over all marks.

    A rater's agreement is the share of moments that it and another both marked, with the same sign, among all that
    either marked, over all episodes that both rated. A rater without shared episodes has the weight 1.
    """
    shared: defaultdict[str, Agreement] = defaultdict(lambda: Agreement(0, 0, 0, 0))
    given: defaultdict[str, int] = defaultdict(int)
    for episode, names in enumerate(play.raters):
        own = {name: _as_marks(play.marks_of(episode)[:, slot]) for slot, name in enumerate(names)}
        for name, marks in own.items():
            given[name] += len(marks)
        for one, other in combinations(names, 2):
            found = pairwise_agreement(own[one], own[other], tolerance)
            shared[one] += found
            shared[other] += found
    agreement = {name: shared[name].overall for name in given if shared[name].overall == shared[name].overall}
    total = sum(given[name] for name in agreement)
    mean = sum(agreement[name] * given[name] for name in agreement) / max(total, 1)
    return {name: agreement[name] / mean if name in agreement and mean > 0 else 1.0 for name in given}


def _as_marks(counts: np.ndarray) -> list[Mark]:
    """One rater's ``counts`` [T, 2] as marks in the order of their steps."""
    return [
        Mark("", "", int(step), sign, scripted=False)
        for step in np.flatnonzero(counts.any(axis=1))
        for place, sign in ((PLUS, PROGRESS), (MINUS, REGRESS))
        for _ in range(int(counts[step, place]))
    ]


def _summary(moment: list[Mark]) -> Mark:
    """Mark of a moment: at the lower median step, with the sign of the majority, (+) at a tie."""
    steps = sorted(mark.step for mark in moment)
    sign = PROGRESS if sum(mark.sign for mark in moment) >= 0 else REGRESS
    return Mark("", "", steps[(len(steps) - 1) // 2], sign, scripted=False)
