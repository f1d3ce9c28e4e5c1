"""The losses of reinforcement learning: pure functions of time-major tensors [T, B] to scalars.

Each averages over the steps that ``mask`` (bool [T, B]) keeps, all of them without one, and is 0 where it keeps none.
``workers`` are learners that share the batch, see :func:`agents.learning.cloning.masked_mean`.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from agents.learning.cloning import masked_mean
from agents.learning.workers import SINGLE_WORKER, Workers


def policy_gradient_loss(
    log_prob: Tensor, advantages: Tensor, mask: Tensor | None = None, workers: Workers = SINGLE_WORKER
) -> Tensor:
    """``-mean(log pi(a_t) * A_t)``, whose gradient is the policy gradient; no gradient flows through A.

    Args:
      log_prob: [T, B], of the actions taken, under the policy that learns.
      advantages: [T, B].

    Raises:
      ValueError: if the shapes differ.
    """
    _same_shape(mask, log_prob=log_prob, advantages=advantages)
    return -masked_mean(log_prob * advantages.detach(), mask, workers)


def value_loss(values: Tensor, targets: Tensor, mask: Tensor | None = None, workers: Workers = SINGLE_WORKER) -> Tensor:
    """``mean((V_t - vs_t)^2) / 2``; no gradient flows through the targets.

    Args:
      values: [T, B], the value head's.
      targets: [T, B], V-trace's ``vs``.

    Raises:
      ValueError: if the shapes differ.
    """
    _same_shape(mask, values=values, targets=targets)
    return 0.5 * masked_mean((values - targets.detach()).square(), mask, workers)


def no_op_kl(
    speak_logit: Tensor, reference_logit: Tensor, mask: Tensor | None = None, workers: Workers = SINGLE_WORKER
) -> Tensor:
    """``mean(KL(pi || pi_BC))`` of the decision to speak or to stay silent (no-op), one Bernoulli a step.

    With ``p = sigmoid(speak_logit)`` and ``q = sigmoid(reference_logit)``::

        KL = p * (log p - log q) + (1 - p) * (log(1 - p) - log(1 - q))

    Paper, A.7: the only component of the policy that had to be held near the cloned one.

    Args:
      speak_logit: [T, B], log-odds of speaking under the policy that learns.
      reference_logit: [T, B], under the frozen cloned policy; no gradient flows through it.

    Raises:
      ValueError: if the shapes differ.
    """
    _same_shape(mask, speak_logit=speak_logit, reference_logit=reference_logit)
    reference_logit = reference_logit.detach()
    speak = torch.sigmoid(speak_logit) * (F.logsigmoid(speak_logit) - F.logsigmoid(reference_logit))
    silent = torch.sigmoid(-speak_logit) * (F.logsigmoid(-speak_logit) - F.logsigmoid(-reference_logit))
    return masked_mean(speak + silent, mask, workers)


def _same_shape(mask: Tensor | None, **tensors: Tensor) -> None:
    """Refuse what would broadcast into a wrong answer."""
    shapes = {name: tuple(tensor.shape) for name, tensor in tensors.items()}
    if mask is not None:
        shapes["mask"] = tuple(mask.shape)
    if len(set(shapes.values())) != 1 or any(len(shape) != 2 for shape in shapes.values()):
        raise ValueError(f"all of these are [T, B] of one shape, but they are {shapes}")
