"""How well goals were inferred, after the whole demonstration and on the way.

Precision and recall are those of Watch-And-Help: a predicate with a count of two is two predicates, and all
demonstrations are counted together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from experiments.watch_and_help.watching.frames import Frames

SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)  # of a demonstration that was watched
_BINS = 10
LEAST = 0.01  # probability of a predicate from which on it counts for calibration; nearly all others are certain


@dataclass(frozen=True)
class Accuracy:
    """Inferred goals compared with the true ones.

    Args:
      precision: share of inferred predicates that are of the goal.
      recall: share of the goals' predicates that were inferred.
      exact: share of demonstrations whose whole goal was inferred.
    """

    precision: float
    recall: float
    exact: float


@dataclass(frozen=True)
class Posterior:
    """Distributions over goals, compared with the true goals, after a share of each demonstration.

    Args:
      accuracy: of the most probable counts.
      nll: mean negative log-probability of the whole goal, nats.
      ece: expected calibration error of the probability that a predicate is of the goal, over pairs of a demonstration
        and a predicate where it is at least 1%, in 10 bins of equal width.
    """

    share: float
    accuracy: Accuracy
    nll: float
    ece: float


def accuracy(inferred: np.ndarray, goals: np.ndarray) -> Accuracy:
    """Compare inferred goals with the true ones.

    Args:
      inferred: integers [demonstrations, predicates], counts.
    """
    inferred, goals = inferred.astype(np.int64), goals.astype(np.int64)
    common = np.minimum(inferred, goals).sum()
    exact = (inferred == goals).all(1).mean()
    return Accuracy(float(common / max(1, inferred.sum())), float(common / max(1, goals.sum())), float(exact))


def chance(training: np.ndarray, goals: np.ndarray) -> Accuracy:
    """Return the mean accuracy of the goal of a demonstration of training that is drawn at random.

    Args:
      training: counts [demonstrations, predicates] of training.
    """
    training, goals = training.astype(np.int64), goals.astype(np.int64)
    kinds, often = np.unique(training, axis=0, return_counts=True)
    weight = often / often.sum()
    common = sum(w * np.minimum(kind, goals).sum() for kind, w in zip(kinds, weight, strict=True))
    exact = sum(w * (kind == goals).all(1).mean() for kind, w in zip(kinds, weight, strict=True))
    inferred = len(goals) * (weight @ kinds.sum(1))
    return Accuracy(float(common / inferred), float(common / goals.sum()), float(exact))


def last_frames(frames: Frames, share: float) -> np.ndarray:
    """Return the last frame of each demonstration that is seen in a share of its steps: int64 [demonstrations].

    Args:
      share: of the steps, from 0 to 1.
    """
    demonstration = np.repeat(np.arange(len(frames)), np.diff(frames.first))
    watched = frames.step <= share * frames.steps[demonstration]
    return frames.first[:-1] + np.bincount(demonstration[watched], minlength=len(frames)) - 1


def posterior_at(probabilities: np.ndarray, frames: Frames, share: float) -> Posterior:
    """Measure the posterior after a share of the steps of each demonstration.

    Args:
      probabilities: float [frames, predicates, counts], after every frame.
      share: of the steps, from 0 to 1.
    """
    last = last_frames(frames, share)
    probable, goals = probabilities[last], frames.goal
    right = np.take_along_axis(probable, goals[..., None].astype(np.int64), axis=2)[..., 0]
    nll = -np.log(np.maximum(right, 1e-9)).sum(1).mean()
    there = 1 - probable[..., 0]
    counted = there >= LEAST
    ece = calibration_error(there[counted], goals[counted] > 0)
    return Posterior(share, accuracy(probable.argmax(-1), goals), float(nll), ece)


def calibration_error(probability: np.ndarray, happened: np.ndarray, bins: int = _BINS) -> float:
    """Return the expected calibration error in bins of equal width (Guo et al., 2017, Equation 3).

    Args:
      probability: float [n], of each event.
      happened: bool [n].
    """
    if not len(probability):
        return 0.0
    number = np.minimum((probability * bins).astype(np.int64), bins - 1)
    predicted = np.bincount(number, probability, bins)
    seen = np.bincount(number, happened.astype(np.float64), bins)
    return float(np.abs(predicted - seen).sum() / len(probability))
