"""Behavioural cloning: the likelihood of recorded actions (paper, A.7)."""

from __future__ import annotations

from torch import Tensor

from agents.batch import PolicyLogProbs
from agents.learning.workers import SINGLE_WORKER, Workers


def bc_loss(
    log_probs: PolicyLogProbs, mask: Tensor | None = None, workers: Workers = SINGLE_WORKER
) -> dict[str, Tensor]:
    """Negative log-likelihoods of recorded actions.

    Args:
      log_probs: of the recorded actions, [T, B] each.
      mask: bool [T, B], steps that count; None counts all.
      workers: learners that share the batch, see :func:`masked_mean`.

    Returns:
      Means over the steps: ``movement``, summed over the 8 ticks' components, and ``language``, the decision to speak
      and the words. The caller weighs them (paper: 1 and 5).
    """
    return {
        "movement": -masked_mean(log_probs.movement, mask, workers),
        "language": -masked_mean(log_probs.language, mask, workers),
    }


def weighted_bc_loss(log_probs: PolicyLogProbs, weight: Tensor) -> dict[str, Tensor]:
    """Negative log-likelihoods of recorded actions, each times its step's weight: ``-mean(w_t * log pi(a_t))``.

    Peng et al. (2019), "Advantage-weighted regression", has the exponential of an advantage as the weight.

    Args:
      log_probs: of the recorded actions, [T, B] each.
      weight: [T, B]; means are over all T * B steps, so that a weight of 0 leaves a step out and not its place.

    Returns:
      ``movement`` and ``language`` as of :func:`bc_loss`, which they are where all weights are 1.
    """
    return {
        "movement": -(weight * log_probs.movement).mean(),
        "language": -(weight * log_probs.language).mean(),
    }


def masked_mean(x: Tensor, mask: Tensor | None, workers: Workers = SINGLE_WORKER) -> Tensor:
    """Mean of ``x`` over the places that ``mask`` keeps; 0 if it keeps none.

    Args:
      mask: of the same shape; None keeps all.
      workers: learners that share the batch. They may keep different numbers of places; the mean of all workers'
        results is the mean over all places.
    """
    if mask is None:
        return x.mean()
    weight = mask.to(x.dtype)
    return workers.count * (x * weight).sum() / workers.total(weight.sum()).clamp_min(1.0)
