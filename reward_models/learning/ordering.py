"""Accuracy and calibration of a utility on the pairs of moments that marks order.

A Bradley-Terry utility predicts P(t2 is better than t1) = sigmoid(U[t2] - U[t1]) (Eq. 1). Accuracy is about the side of
one half on which the probability lies; calibration compares the probability p with the share of pairs that got better.
All values here are sums over the pairs of one episode, separate for each episode: pairs of one episode share their
marks, so only episodes can be resampled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from reward_models.marks.pairs import pair_weights

DISTANCES = (1, 3, 5, 9, 17, 33, 65, 129)  # smallest t2 - t1 in steps of every group of pairs; the last is open
PROBABILITIES = tuple(np.linspace(0.0, 1.0, 11).tolist())  # edges of the bins of a probability
RARE = (0.0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)  # the same for rare events, such as marks


@dataclass(frozen=True, eq=False)
class Reliability:
    """Predicted probabilities against outcomes, summed in K bins of the probability: float64 [..., K] each.

    Args:
      predicted: weighted sum of the probabilities.
      log_loss: float64 [...], weighted sum of -log of the probability of the outcome.
    """

    weight: np.ndarray
    predicted: np.ndarray
    happened: np.ndarray
    log_loss: np.ndarray

    @classmethod
    def of(cls, probability: np.ndarray, yes: np.ndarray, no: np.ndarray, edges: Sequence[float]) -> Reliability:
        """Sums over N predictions.

        Args:
          probability: float [N] in [0, 1].
          yes: float [N], weight with which the event happened.
          no: float [N], weight with which it did not.
          edges: of the bins, rising from 0 to 1; a probability on an inner edge belongs to the bin above it.
        """
        weight, place = yes + no, np.clip(np.digitize(probability, edges[1:-1]), 0, len(edges) - 2)

        def total(values: np.ndarray) -> np.ndarray:
            return np.bincount(place, values, minlength=len(edges) - 1)

        # A sigmoid's 1 - p is exact to half a unit in the last place of 1 and no further: smaller values equal 0.
        least = np.finfo(np.float64).epsneg / 2
        loss = yes * np.log(np.maximum(probability, least)) + no * np.log(np.maximum(1.0 - probability, least))
        return cls(total(weight), total(weight * probability), total(yes), -loss.sum())


@dataclass(frozen=True, eq=False)
class OrderedPairs:
    """Order of the pairs of one episode, or of several: then with a leading axis of episodes.

    Args:
      right: float64 [..., 2, D], weight of the pairs ordered correctly, by the order of the marks (got better, got
        worse) and by distance (:data:`DISTANCES`). A tie is half correct.
      total: float64 [..., 2, D], weight of all pairs.
      reliability: of the probability that the later moment is better.
    """

    right: np.ndarray
    total: np.ndarray
    reliability: Reliability


def order_pairs(utility: np.ndarray, marks: np.ndarray) -> OrderedPairs:
    """Compare ``utility`` [T] of one episode with its ``marks`` [T, R, 2], on all pairs of the whole episode."""
    counts = torch.from_numpy(np.asarray(marks)).unsqueeze(1)
    weights = pair_weights(counts, torch.zeros(counts.shape[:2], dtype=torch.long), "pairs")[:, :, 0].double().numpy()
    earlier, later = np.nonzero(np.any(weights != 0, axis=-1))
    signed = weights[earlier, later]  # [pairs, raters]
    better, worse = signed.clip(min=0).sum(-1), -signed.clip(max=0).sum(-1)
    change = np.asarray(utility, dtype=np.float64)[later] - np.asarray(utility, dtype=np.float64)[earlier]
    rises = 0.5 * (1.0 + np.sign(change))
    group = np.digitize(later - earlier, DISTANCES[1:])

    def by_distance(values: np.ndarray) -> np.ndarray:
        return np.bincount(group, values, minlength=len(DISTANCES))

    return OrderedPairs(
        right=np.stack([by_distance(better * rises), by_distance(worse * (1.0 - rises))]),
        total=np.stack([by_distance(better), by_distance(worse)]),
        reliability=Reliability.of(sigmoid(change), better, worse, PROBABILITIES),
    )


def together(episodes: Sequence[OrderedPairs]) -> OrderedPairs:
    """Stack several episodes along a leading axis [E]."""
    return OrderedPairs(
        np.stack([one.right for one in episodes]),
        np.stack([one.total for one in episodes]),
        stack_reliability([one.reliability for one in episodes]),
    )


def stack_reliability(episodes: Sequence[Reliability]) -> Reliability:
    """Stack several episodes along a leading axis [E]."""
    parts = ("weight", "predicted", "happened", "log_loss")
    return Reliability(*(np.stack([getattr(one, part) for one in episodes]) for part in parts))


def calibration_error(weight: np.ndarray, predicted: np.ndarray, happened: np.ndarray) -> np.ndarray:
    """Expected calibration error [...] of sums by bin [..., K] (Naeini et al. 2015); nan without predictions.

    The mean over predictions of the distance between the mean probability of their bin and the share of events that
    happened. On finite play it is above zero even for perfect probabilities.
    """
    total = weight.sum(-1)
    return np.abs(predicted - happened).sum(-1) / np.where(total > 0, total, np.nan)


def sigmoid(x: np.ndarray) -> np.ndarray:
    """Logistic function 1 / (1 + exp(-x)), without overflow."""
    return 0.5 * (1.0 + np.tanh(0.5 * x))
