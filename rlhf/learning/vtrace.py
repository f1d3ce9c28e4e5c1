"""V-trace (Espeholt et al., 2018, "IMPALA", section 4.1): returns of one policy from the play of another.

Every tensor is time-major [T, B]. Index t of ``rewards`` and ``discounts`` belongs to the transition from step t
to step t+1: the reward that the action at t earned, and the discount that stands between V(t) and V(t+1), 0 where
the episode has terminated. An episode that a time limit truncates has one step more, with the observation after its
last action. There the return is V, and the step before bootstraps from it: what would have followed is estimated, not
taken to be nothing (Pardo et al., 2018, "Time limits in reinforcement learning").
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class VTraceReturns(NamedTuple):
    """Returns of V-trace, both without gradient."""

    vs: Tensor  # [T, B], targets of the value function
    pg_advantages: Tensor  # [T, B], weights of the log-probabilities' gradients, importance weight included


@torch.no_grad()
def vtrace(
    log_rhos: Tensor,
    discounts: Tensor,
    rewards: Tensor,
    values: Tensor,
    bootstrap_value: Tensor,
    clip_rho: float = 1.0,
    clip_pg_rho: float = 1.0,
    lambda_: float = 1.0,
    acted: Tensor | None = None,
) -> VTraceReturns:
    """Value targets and policy-gradient advantages.

    With ``rho_t = min(clip_rho, pi/mu)``, ``c_t = lambda_ * min(1, pi/mu)`` and
    ``delta_t = rho_t * (r_t + discount_t * V_{t+1} - V_t)``::

        vs_t = V_t + sum_{k >= t} (prod_{t <= i < k} discount_i * c_i) * delta_k          (equation 1)
        A_t  = min(clip_pg_rho, pi/mu) * (r_t + discount_t * q_{t+1} - V_t)
        q_t  = lambda_ * vs_t + (1 - lambda_) * V_t,   q_T = V_T

    Without an action, pi/mu is 0 at t, so vs_t = V_t and A_t = 0, whatever stands there and follows.

    Args:
      log_rhos: [T, B], log pi(a_t) - log mu(a_t): the learned policy over the one that acted.
      discounts: [T, B].
      rewards: [T, B].
      values: [T, B], V of the steps 0 .. T-1.
      bootstrap_value: [B], V of step T.
      clip_rho: decides which policy's value function is the fixed point.
      clip_pg_rho: clips the advantages' weight.
      lambda_: 1 for the whole trace, 0 for one step.
      acted: bool [T, B], False at the last step of an episode, after which step t+1 begins another; None: everywhere.

    Raises:
      ValueError: if the ranks or shapes do not agree, or lambda_ is outside [0, 1].
    """
    _check(log_rhos, discounts, rewards, values, bootstrap_value, lambda_, acted)
    rhos = log_rhos.exp()
    if acted is not None:
        rhos = rhos.masked_fill(~acted, 0.0)
    cs = lambda_ * rhos.clamp(max=1.0)
    values_t = torch.cat([values[1:], bootstrap_value.unsqueeze(0)])
    deltas = rhos.clamp(max=clip_rho) * (rewards + discounts * values_t - values)
    discounted_cs = discounts * cs
    correction = torch.zeros_like(bootstrap_value)
    corrections = []
    for delta, discounted_c in zip(deltas.flip(0), discounted_cs.flip(0), strict=True):
        correction = delta + discounted_c * correction
        corrections.append(correction)
    vs = values + torch.stack(corrections).flip(0)
    q_t = torch.cat([lambda_ * vs[1:] + (1.0 - lambda_) * values[1:], bootstrap_value.unsqueeze(0)])
    advantages = rhos.clamp(max=clip_pg_rho) * (rewards + discounts * q_t - values)
    return VTraceReturns(vs, advantages)


def _check(
    log_rhos: Tensor,
    discounts: Tensor,
    rewards: Tensor,
    values: Tensor,
    bootstrap_value: Tensor,
    lambda_: float,
    acted: Tensor | None,
) -> None:
    """Refuse what would broadcast into a wrong answer."""
    shapes = {"log_rhos": log_rhos, "discounts": discounts, "rewards": rewards, "values": values}
    if acted is not None:
        shapes["acted"] = acted
    for name, tensor in shapes.items():
        if tensor.ndim != 2 or tensor.shape != values.shape or tensor.shape[0] == 0:
            raise ValueError(f"{name} has shape {tuple(tensor.shape)}; {', '.join(shapes)} are all [T, B] with T > 0")
    if bootstrap_value.shape != values.shape[1:]:
        shape = tuple(values.shape[1:])
        raise ValueError(f"bootstrap_value has shape {tuple(bootstrap_value.shape)}, not [B] = {shape}")
    if not 0.0 <= lambda_ <= 1.0:
        raise ValueError(f"lambda_ is {lambda_}: it interpolates between one step (0) and the whole trace (1)")
