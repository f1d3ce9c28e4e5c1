"""Behavioural cloning: the likelihood of recorded actions (paper, A.7)."""

from __future__ import annotations

from torch import Tensor

from agents.batch import PolicyLogProbs
from agents.learning.workers import SINGLE_WORKER, Workers


def bc_loss(
    log_probs: PolicyLogProbs, mask: Tensor | None = None, workers: Workers = SINGLE_WORKER
) -> dict[str, Tensor]:
    """Negative log-likelihoods of recorded actions, averaged over the steps that ``mask`` [T, B] keeps.

    Returns: ``movement``, summed over the 8 ticks' components, and ``language``, the decision to speak and the
    words. The caller weighs them (paper: 1 and 5). ``peers``: see :func:`masked_mean`.
    """
    return {
        "movement": -masked_mean(log_probs.movement, mask, workers),
        "language": -masked_mean(log_probs.language, mask, workers),
    }


def masked_mean(x: Tensor, mask: Tensor | None, workers: Workers = SINGLE_WORKER) -> Tensor:
    """Mean of x over the places that ``mask`` keeps; 0 if it keeps none.

    With ``peers`` who keep other numbers of places, what has to be averaged over learners to be the mean over all.
    """
    if mask is None:
        return x.mean()
    weight = mask.to(x.dtype)
    return workers.count * (x * weight).sum() / workers.total(weight.sum()).clamp_min(1.0)
