"""Rewards of requests that succeeded against those that failed.

Success is decided by each task's own check, which the model never reads.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reward_models.scores.predicted_marks import MarkedSteps
from rlhf.records.episode import Episode


@dataclass(frozen=True)
class RequestSpan:
    """One request of an episode and the steps at which it is the last utterance heard from the setter.

    Args:
      task: name of its task, e.g. "lift".
      succeeded: true if the task's check succeeded.
      heard: first step at which the solver hears it.
      end: first step at which the next request is heard, or the episode's length.
    """

    task: str
    succeeded: bool
    heard: int
    end: int


def request_spans(episode: Episode) -> list[RequestSpan]:
    """Requests of ``episode`` that its solver heard for at least two steps, so that it could act on them.

    A request of step t is heard at t + 1.
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
    """Sum of ``reward`` [T] from the step after a request is heard to its end.

    The change at the step where it is heard is not the solver's.
    """
    return float(np.asarray(reward, dtype=np.float64)[span.heard + 1 : span.end].sum())


def has_moment(moments: MarkedSteps, span: RequestSpan, late: int = 0) -> np.ndarray:
    """Mask bool [2], true for a (+) and for a (-) of ``moments`` inside a request.

    Args:
      late: delay of marks after what they are about, in steps; earlier marks belong to the previous request.
    """
    begin, end = span.heard + late, span.end + late
    return np.array([bool(((steps > begin) & (steps < end)).any()) for steps in moments])


def pairwise_wins(values: np.ndarray, good: np.ndarray, episode: np.ndarray, episodes: int) -> np.ndarray:
    """Number of pairs in which a good one has the larger value than a bad one: float64 [episodes, episodes].

    The entry [a, b] counts pairs of a good one of episode a and a bad one of episode b; ties count a half. With weights
    w of the episodes, the area under the ROC curve is ``w @ wins @ w / ((w @ goods) * (w @ bads))``.

    Args:
      values: float [N].
      good: bool [N].
      episode: int [N], number of the episode of each value.
    """
    better, worse = np.flatnonzero(good), np.flatnonzero(~good)
    wins = 0.5 * (1.0 + np.sign(values[better][:, None] - values[worse][None, :]))
    total = np.zeros((episodes, episodes))
    np.add.at(total, (episode[better][:, None], episode[worse][None, :]), wins)
    return total


def counts_by_episode(which: np.ndarray, episode: np.ndarray, episodes: int) -> np.ndarray:
    """Number of true entries of ``which`` (bool [N]) in every episode: float64 [episodes]."""
    return np.bincount(episode[which], minlength=episodes).astype(np.float64)
