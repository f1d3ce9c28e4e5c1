"""Advantages of recorded steps by a utility, and what imitation makes of them: weights, or indicators of improvement.

A reward model gives an episode the utility U[t] of what happened up to step t. The advantage of the action at t is what
followed within n steps, less what follows on the average:

    A[t] = (U[t + m] - U[t] - mean[m]) / deviation,    m = min(n, last - t),

with the mean over all windows of m steps that are learned from. It is the sum of the rewards of the next n steps (Eq.
2), with their mean in the role of the value function. The windows of an episode's last steps are shorter. Where
utility rises, the mean of all windows would make them look bad, whatever was done.

Weights are those of advantage-weighted regression (Peng et al. 2019, "Advantage-weighted regression", Algorithm 1),
with the largest one clipped as there:

    w[t] = min(exp(A[t] / temperature), largest).

Critic-regularised regression (Wang et al. 2020, "Critic regularized regression") has the same choice, "exp". Weights
are divided by their mean, so that the loss of imitation keeps its scale beside others.

Indicators (:mod:`agents.networks.improvement`) are GOOD for a share of the agent's own steps, those of the highest
advantage, and NOT_GOOD for the others, as RECAP has them (Physical Intelligence 2025), or follow from marks nearby.
What was demonstrated, take-overs included, is always GOOD.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agents.networks.improvement import GOOD, NOT_GOOD, UNKNOWN
from rlhf.learning.labelled_windows import LabelledWindows


def window_change(utility: np.ndarray, steps: int) -> np.ndarray:
    """Change of the utility [T] of one episode over the next ``steps`` steps, at most to its end: float64 [T]."""
    utility = np.asarray(utility, dtype=np.float64)
    later = np.minimum(np.arange(len(utility)) + steps, len(utility) - 1)
    return utility[later] - utility


def advantages(utilities: Sequence[np.ndarray], steps: int) -> np.ndarray:
    """Advantages of all steps of several episodes, end to end: float64 [N], of mean 0 and deviation 1.

    Args:
      utilities: [T] of each episode.
      steps: n, steps after each over which the utility may change.
    """
    changes = np.concatenate([window_change(utility, steps) for utility in utilities])
    left = np.concatenate([np.arange(len(utility))[::-1] for utility in utilities])
    _, length, count = np.unique(np.minimum(left, steps), return_inverse=True, return_counts=True)
    above = changes - (np.bincount(length, changes) / count)[length]
    return above / max(float(above.std()), 1e-8)


def imitation_weights(
    advantage: np.ndarray, temperature: float, largest: float, factor: np.ndarray | float = 1.0
) -> np.ndarray:
    """Weights of imitation, of mean 1: float32 [N].

    Args:
      advantage: [N].
      temperature: the larger, the more alike are the weights.
      largest: largest weight before factor and mean.
      factor: of every step's weight, [N] or one number.

    Raises:
      ValueError: if all weights are 0.
    """
    weights = factor * np.exp(np.minimum(np.asarray(advantage, np.float64) / temperature, np.log(largest)))
    if not (mean := weights.mean()) > 0.0:
        raise ValueError("every weight is 0: there is nothing to imitate")
    return (weights / mean).astype(np.float32)


def indicators_of_advantages(advantage: np.ndarray, demonstrated: np.ndarray, good_share: float) -> np.ndarray:
    """Indicators of improvement from advantages: int64 [N].

    Args:
      advantage: [N].
      demonstrated: bool [N]; these are GOOD and have no part in the threshold.
      good_share: share of the other steps that is GOOD, those above its quantile.
    """
    found = np.full(len(advantage), GOOD, dtype=np.int64)
    own = advantage[~demonstrated]
    if len(own):
        found[~demonstrated] = np.where(own > np.quantile(own, 1.0 - good_share), GOOD, NOT_GOOD)
    return found


def indicators_of_windows(windows: LabelledWindows, demonstrated: np.ndarray) -> np.ndarray:
    """Indicators of improvement from windows before marks: int64 [N].

    A step of more desirable than undesirable windows is GOOD, one of fewer NOT_GOOD, any other UNKNOWN.

    Args:
      demonstrated: bool [N]; these are GOOD.
    """
    balance = np.zeros(len(demonstrated), dtype=np.int64)
    for begin, end, desirable in zip(windows.begin, windows.end, windows.desirable, strict=True):
        balance[begin:end] += 1 if desirable else -1
    found = np.select([balance > 0, balance < 0], [GOOD, NOT_GOOD], UNKNOWN)
    return np.where(demonstrated, GOOD, found)
