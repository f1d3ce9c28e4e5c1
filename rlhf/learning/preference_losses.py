"""Losses of preferences directly on the policy, without a reward model. Pure functions of tensors to scalars.

With the log-probabilities of the actions of a window of play, l[t] = log pi(a[t] | observations up to t), and those of
a reference policy (the cloned agent), r[t], a window has the score

    s = sum over its steps k = 0, 1, ... of discount^k * (l - r),

of which KTO and APO use the undiscounted one, and CPL that without a reference.

- KTO (Ethayarajh et al. 2024, "KTO: model alignment as prospect theoretic optimization"): a desirable window has the
  loss weight * (1 - sigmoid(beta * (s - z))), an undesirable one weight * (1 - sigmoid(beta * (z - s))). The reference
  point z estimates the divergence from the reference as the mean score of mismatched actions, at least 0, and has no
  gradient.
- APO-zero (D'Oosterlinck et al. 2024, "Anchored preference optimization and contrastive revisions"), of windows that
  are not paired: the same with z = 0, which anchors each score at that of the reference.
- CPL (Hejna et al. 2023, "Contrastive preference learning: learning from human feedback without RL"): of a window that
  is better, and one that is worse, -log sigmoid(beta * (s_better - bias * s_worse)), the Bradley-Terry model with
  discounted log-probabilities in place of advantages. A ``bias`` below 1 (their CPL(lambda)) keeps the policy near the
  recorded actions.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

RULED_OUT = -1e8  # log-probability below that of anything but an action that the world rules out


def window_scores(log_probs: Tensor, mask: Tensor, discount: float = 1.0, reference: Tensor | None = None) -> Tensor:
    """Discounted sums over each window's steps: [K].

    Args:
      log_probs: [T, K].
      mask: bool [T, K], steps of the windows; the first one of each has the discount 1.
      discount: factor from one of a window's steps to the next.
      reference: [T, K], log-probabilities under the reference, which are subtracted; None subtracts nothing.

    Raises:
      ValueError: if the shapes disagree.
    """
    if log_probs.shape != mask.shape or (reference is not None and reference.shape != mask.shape):
        raise ValueError(f"log-probabilities {tuple(log_probs.shape)} and mask {tuple(mask.shape)} are not both [T, K]")
    values = log_probs if reference is None else log_probs - reference
    place = (mask.long().cumsum(0) - 1).clamp_min(0)
    weight = torch.as_tensor(discount, dtype=values.dtype, device=values.device) ** place
    return (values * weight).masked_fill(~mask, 0.0).sum(0)


def mismatched_scores(log_probs: Tensor, reference: Tensor, mask: Tensor) -> Tensor:
    """Scores of windows with actions of other windows, not discounted: [K].

    Steps at which such an action is ruled out are left out, and the window's other steps count for them: the
    log-probability of what is ruled out hides that of the rest of the action.

    Args:
      log_probs: [T, K], of the other windows' actions.
      reference: [T, K], the same under the reference.
      mask: bool [T, K], steps of the windows.

    Raises:
      ValueError: if the shapes disagree.
    """
    counting = mask & (reference > RULED_OUT)
    score = window_scores(log_probs, counting, reference=reference)
    return score * mask.sum(0) / counting.sum(0).clamp_min(1)


def reference_point(mismatched: Tensor) -> Tensor:
    """KTO's z of the scores [K] of mismatched actions: their mean, at least 0, without a gradient; a scalar."""
    return mismatched.detach().mean().clamp_min(0.0)


def kto_loss(
    scores: Tensor,
    desirable: Tensor,
    beta: float,
    point: Tensor | float = 0.0,
    desirable_weight: float = 1.0,
    undesirable_weight: float = 1.0,
) -> Tensor:
    """Mean loss of KTO over windows; with ``point`` 0 that of APO-zero.

    Args:
      scores: [K], against the reference.
      desirable: bool [K].
      beta: the larger, the less far the policy moves from the reference.

    Raises:
      ValueError: if the shapes disagree.
    """
    if scores.shape != desirable.shape:
        raise ValueError(f"scores {tuple(scores.shape)} and desirable {tuple(desirable.shape)} are not both [K]")
    distance = beta * (scores - point)
    good = desirable_weight * (1.0 - torch.sigmoid(distance))
    bad = undesirable_weight * (1.0 - torch.sigmoid(-distance))
    return torch.where(desirable, good, bad).mean()


def cpl_loss(better: Tensor, worse: Tensor, beta: float, bias: float = 1.0) -> Tensor:
    """Mean loss of CPL over pairs of windows.

    Args:
      better: [K], scores.
      worse: [K], scores of the other windows of the pairs.
      bias: factor of the worse windows' scores, from 0 to 1 (lambda in the paper).

    Raises:
      ValueError: if the shapes disagree.
    """
    if better.shape != worse.shape:
        raise ValueError(f"better {tuple(better.shape)} and worse {tuple(worse.shape)} are not both [K]")
    return F.softplus(beta * (bias * worse - better)).mean()
