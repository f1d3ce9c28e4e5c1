"""One update of a policy with V-trace from decisions that it made, and what it has to know of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from agents.learning.cloning import masked_mean
from agents.learning.config import AdamConfig
from agents.learning.optimization import Optimizer, linear_decay
from experiments.watch_and_help.policies.network import CandidatePolicy, View
from rlhf.learning.losses import policy_gradient_loss, value_loss
from rlhf.learning.vtrace import vtrace


@dataclass(frozen=True)
class LearningSettings(AdamConfig):
    """Settings of learning from reward. The learning rate falls along a line.

    Args:
      value_weight: weight of the value's loss.
      entropy_weight: weight of the policy's entropy.
      reuse: updates on the same decisions; V-trace accounts for the policy's change.
    """

    learning_rate: float = 1e-3
    decay: float = 0.1
    beta1: float = 0.9
    clip: float = 1.0
    value_weight: float = 0.5
    entropy_weight: float = 0.01
    reuse: int = 2


def make_optimizer(policy: CandidatePolicy, settings: LearningSettings) -> Optimizer:
    """Return the optimizer of a policy's weights."""
    return Optimizer(policy, settings, falls=linear_decay)


@dataclass(frozen=True)
class Decisions:
    """Decisions of B persons, T each. A decision may take several steps; time is counted in decisions.

    Where a limit ended an episode, the row after its last decision has what the person saw then, from which returns
    bootstrap, and no decision.

    Args:
      view: arrays [T + 1, B, ...]; the last is what the person saw after its last decision.
      chosen: int64 [T, B].
      log_prob: float32 [T, B], under the policy that chose.
      reward: float32 [T, B], sum over the steps that a decision took, discounted.
      discount: float32 [T, B], for those steps together; 0 where the errand was done.
      kept: bool [T, B], False where no decision was made.
    """

    view: View
    chosen: np.ndarray
    log_prob: np.ndarray
    reward: np.ndarray
    discount: np.ndarray
    kept: np.ndarray


def loss_terms(
    policy: CandidatePolicy, decisions: Decisions, settings: LearningSettings
) -> dict[str, tuple[float, Tensor]]:
    """Return weights and terms of the loss of V-trace's actor and critic."""
    count = decisions.chosen.shape
    flat = [torch.from_numpy(each).flatten(0, 1) for each in decisions.view]
    log_probs, values = policy(*flat)
    log_probs, values = log_probs.view(count[0] + 1, count[1], -1), values.view(count[0] + 1, count[1])
    kept = torch.from_numpy(decisions.kept)
    chosen = torch.from_numpy(decisions.chosen).unsqueeze(-1)
    log_prob = log_probs[:-1].gather(-1, chosen).squeeze(-1)
    rhos = torch.where(kept, log_prob.detach() - torch.from_numpy(decisions.log_prob), torch.zeros(()))
    discount, reward = torch.from_numpy(decisions.discount), torch.from_numpy(decisions.reward)
    returns = vtrace(rhos, discount, reward, values[:-1].detach(), values[-1].detach(), acted=kept)
    entropy = -(log_probs[:-1].exp() * log_probs[:-1].clamp_min(-50.0)).sum(-1)
    return {
        "policy": (1.0, policy_gradient_loss(log_prob, returns.pg_advantages, kept)),
        "value": (settings.value_weight, value_loss(values[:-1], returns.vs, kept)),
        "entropy": (-settings.entropy_weight, masked_mean(entropy, kept)),
    }


def imitate(
    policy: CandidatePolicy,
    optimizer: Optimizer,
    view: View,
    chosen: np.ndarray,
    settings: LearningSettings,
    update: int,
    progress: float,
) -> dict[str, float]:
    """Update a policy towards choices of others, ``settings.reuse`` times; return the metrics of the last time.

    Args:
      view: what there was to choose from, arrays [B, ...].
      chosen: int64 [B].
      progress: of the whole training, from 0 to 1.

    Raises:
      FloatingPointError: the loss is not finite; the weights are unchanged.
    """
    metrics: dict[str, float] = {}
    for _ in range(settings.reuse):
        log_probs, _ = policy(*(torch.from_numpy(each) for each in view))
        loss = F.nll_loss(log_probs, torch.from_numpy(chosen))
        alike = (log_probs.argmax(1).numpy() == chosen).mean()
        terms = {"imitation": (1.0, loss)}
        metrics = optimizer.step(terms, update, progress) | {"alike": float(alike)}
    return metrics


def learn(
    policy: CandidatePolicy,
    optimizer: Optimizer,
    decisions: Decisions,
    settings: LearningSettings,
    update: int,
    progress: float,
) -> dict[str, float]:
    """Update a policy from decisions, ``settings.reuse`` times, and return the metrics of the last time.

    Args:
      progress: of the whole training, from 0 to 1.

    Raises:
      FloatingPointError: the loss is not finite; the weights are unchanged.
    """
    metrics: dict[str, float] = {}
    for _ in range(settings.reuse):
        terms = loss_terms(policy, decisions, settings)
        metrics = optimizer.step(terms, update, progress)
    return metrics
