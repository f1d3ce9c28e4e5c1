"""Preferences of people who know which lamp was asked for."""

from __future__ import annotations

import numpy as np

from reward_models.marks.marked_play import MarkedPlay
from reward_models.preferences.config import PreferenceConfig
from rlhf.records.preferences import ClipPair, Preference, RequestVerdict, StretchScore, TakeOver


def true_utility(play: MarkedPlay, episode: int) -> np.ndarray:
    """1 from the step on at which the right lamp was lit, -1 from that of a wrong one, [T]."""
    marks = play.marks_of(episode).sum(axis=1)
    return np.cumsum(marks[:, 0].astype(int) - marks[:, 1].astype(int))


def clip_pairs(play: MarkedPlay, count: int, seed: int) -> list[ClipPair]:
    """Answers by the change of the true utility in each clip; both clips begin before any lamp is lit."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(count):
        names, ends, changes = [], [], []
        for episode in rng.choice(len(play), 2, replace=False).tolist():
            utility = true_utility(play, episode)
            end = int(rng.integers(10, len(utility) + 1))
            names.append(play.episode_ids[episode])
            ends.append(end)
            changes.append(int(utility[end - 1]))
        answer = "same" if changes[0] == changes[1] else "a" if changes[0] > changes[1] else "b"
        found.append(ClipPair(names[0], 1, ends[0], names[1], 1, ends[1], answer, "ann", 3.0, True))
    return found


def everything(play: MarkedPlay) -> list[Preference]:
    """A few of each kind, about every third episode."""
    found: list[Preference] = list(clip_pairs(play, 10, 3))
    for number in range(0, len(play), 3):
        name, steps = play.episode_ids[number], int(play.episodes.lengths[number])
        answer = "success" if true_utility(play, number)[-1] > 0 else "failure"
        found.append(RequestVerdict(name, 1, steps, answer, "ann", True))
        found.append(TakeOver(name, steps - 4, steps, "ann", True))
        found.append(StretchScore(name, 1, steps, float(number % 5), 0.0, 5.0, "ann", True))
    return found


ALL_KINDS = PreferenceConfig(clip_pairs=1.0, verdicts=0.5, take_overs=0.25, scores=2.0, batch=3)
