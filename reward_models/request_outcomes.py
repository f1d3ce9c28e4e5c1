"""Whether a reward model pays for requests that succeeded and not for those that failed.

Success is decided by each task's own check, which the model never saw.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reward_models.predicted_marks import MarkedSteps
from rlhf.records.episode import Episode


@dataclass(frozen=True)
class RequestSpan:
    """One request of an episode and the steps at which it is the last thing heard from the setter.

    Args:
      task: its kind, e.g. "lift". succeeded: whether it did.
      heard: first step at which the solver hears it. end: the step after the last before the next is heard, or the
        episode's length.
    """

    task: str
    succeeded: bool
    heard: int
    end: int


def request_spans(episode: Episode) -> list[RequestSpan]:
    """The requests of ``episode`` that its solver heard and could do something about: for two steps at least.

    What is asked at step t is heard at t + 1.
    """
    heard = [min(request.step + 1, len(episode)) for request in episode.requests] + [len(episode)]
    return [
        RequestSpan(request.task.name, success is not None, begin, end)
        for request, success, begin, end in zip(
            episode.requests, episode.success_step, heard[:-1], heard[1:], strict=True
        )
        if end - begin >= 2
    ]


def modelled_return(reward: np.ndarray, span: RequestSpan) -> float:
    """Sum of ``reward`` [T] after a request is heard (the change at that step is not the solver's) to its end."""
    return float(np.asarray(reward, dtype=np.float64)[span.heard + 1 : span.end].sum())


def has_moment(moments: MarkedSteps, span: RequestSpan, late: int = 0) -> np.ndarray:
    """Whether a (+) and a (-) of ``moments`` lies in a request: bool [2].

    Args:
      late: how many steps after what they judge moments come; what comes so soon after a request was heard judges
        the one before.
    """
    begin, end = span.heard + late, span.end + late
    return np.array([bool(((steps > begin) & (steps < end)).any()) for steps in moments])


def pairwise_wins(values: np.ndarray, good: np.ndarray, episode: np.ndarray, episodes: int) -> np.ndarray:
    """How often a good one has the larger value, by episodes: float64 [episodes, episodes].

    At [a, b], over pairs of a good one of episode a and a bad one of episode b: how many have the larger value on the
    good side, ties as a half. With weights w of the episodes, the area under the ROC curve is
    ``w @ wins @ w / ((w @ goods) * (w @ bads))``.

    Args:
      values: float [N]. good: bool [N]. episode: int [N], number of the episode of each.
    """
    better, worse = np.flatnonzero(good), np.flatnonzero(~good)
    wins = 0.5 * (1.0 + np.sign(values[better][:, None] - values[worse][None, :]))
    total = np.zeros((episodes, episodes))
    np.add.at(total, (episode[better][:, None], episode[worse][None, :]), wins)
    return total


def counts_by_episode(which: np.ndarray, episode: np.ndarray, episodes: int) -> np.ndarray:
    """How many of ``which`` (bool [N]) every episode has: float64 [episodes]."""
    return np.bincount(episode[which], minlength=episodes).astype(np.float64)
