"""The Inter-temporal Bradley-Terry reward model (paper, section 4, A.3 and A.4).

It is the agent, trunk and policies and all, with one more head: an MLP on the memory's output that gives the utility
U(x[<=t]) of what has happened up to step t. The reward is its change (Eq. 2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from agents.agent import AgentOutput, AgentState
from agents.batch import ObservationBatch
from agents.config import AgentConfig
from reward_models.contract import RewardModel, RewardModelConfig
from reward_models.marked_play import MarkedWindow
from reward_models.pairs import Weighting, episode_index, pair_weights
from reward_models.registry import register
from reward_models.training_config import RewardTrainingConfig


class InterTemporalConfig(RewardModelConfig):
    """An agent's sizes and what the utility head adds to them.

    Args:
      utility_width: hidden width of the utility head.
      reward_scale: what a change of utility is multiplied by to be a reward. 1 is the paper's Eq. 2;
        :func:`reward_models.scoring.calibrated_scale` finds the scale at which a (+) mark is worth 1.
    """

    model_type = "inter_temporal_reward_model"

    def __init__(self, utility_width: int = 128, reward_scale: float = 1.0, **kwargs: Any) -> None:
        self.utility_width = utility_width
        super().__init__(reward_scale=reward_scale, **kwargs)


@dataclass(frozen=True)
class RewardModelOutput(AgentOutput):
    """What the reward model makes of a sequence [T, B]."""

    utility: Tensor  # [T, B]


class UtilityStream(NamedTuple):
    """What is carried while rewards are paid: the LSTM's memory and the last utility, nan before the first step."""

    hidden: Tensor  # [B, memory_width]
    cell: Tensor  # [B, memory_width]
    utility: Tensor  # float [B]


@register
class InterTemporalRewardModel(RewardModel):
    """The agent's trunk and policies with a utility head."""

    short = "IBT"
    description = "It rewards each step by how much play improved or worsened at it (Inter-temporal Bradley-Terry)."
    head = ("utility",)
    config_class = InterTemporalConfig
    config: InterTemporalConfig

    def __init__(self, config: AgentConfig) -> None:
        super().__init__(config)
        sizes = self.config
        self.utility = nn.Sequential(
            nn.Linear(sizes.memory_width, sizes.utility_width), nn.ReLU(), nn.Linear(sizes.utility_width, 1)
        )

    def forward(
        self, observations: ObservationBatch, state: AgentState, resets: Tensor
    ) -> tuple[RewardModelOutput, AgentState]:
        """As the agent's, with the utility [T, B] in the output."""
        output, state = super().forward(observations, state, resets)
        return RewardModelOutput(**vars(output), utility=self._judge(output.features)), state

    def follow(self, window: MarkedWindow, state: AgentState) -> tuple[RewardModelOutput, AgentState]:
        return self(window.observations, state, window.resets)

    def marks_loss(self, output: RewardModelOutput, window: MarkedWindow, config: RewardTrainingConfig) -> Tensor:
        return ibt_loss(output.utility, window.marks, window.resets, config.weighting, window.trust)

    def unmarked_drift_loss(self, output: RewardModelOutput, window: MarkedWindow) -> Tensor:
        return unmarked_drift_loss(output.utility, window.unmarked, window.resets)

    def utilities(self, observations: ObservationBatch, state: AgentState, resets: Tensor) -> tuple[Tensor, AgentState]:
        """The utility [T, B] alone, without the work of the policies."""
        trunk, state = self.trunk(observations, state, resets)
        return self._judge(trunk.features), state

    def _judge(self, features: Tensor) -> Tensor:
        """The utility [T, B]; rewards are differences of it, so it stays exact where the trunk does not."""
        with torch.autocast(features.device.type, enabled=False):
            return self.utility(features.to(self.language.speak.weight.dtype)).squeeze(-1)

    def initial_stream(self, slots: int) -> UtilityStream:
        return UtilityStream(*self.initial_state(slots), torch.full((slots,), torch.nan, device=self.device))

    def rewards(
        self, observations: ObservationBatch, state: UtilityStream, resets: Tensor, draws: Tensor | None = None
    ) -> tuple[Tensor, UtilityStream]:
        """Eq. 2: the change of utility, times ``reward_scale``. Nothing is drawn."""
        utility, memory = self.utilities(observations, AgentState(state.hidden, state.cell), resets)
        utility = utility.float()
        before = torch.cat([state.utility[None], utility[:-1]])
        change = torch.where(resets | before.isnan(), 0.0, utility - before)
        return (self.config.reward_scale * change).float(), UtilityStream(*memory, utility[-1])


def ibt_loss(
    utility: Tensor, marks: Tensor, resets: Tensor, weighting: Weighting = "stretches", trust: Tensor | None = None
) -> Tensor:
    """Eq. 1 on all pairs inside the sequences: the mean of -log sigmoid(y (U[t2] - U[t1])), a scalar.

    Args:
      utility: [T, B]. marks: [T, B, R, 2], counts of each rater's (+) and (-). resets: bool [T, B]; pairs never
        reach across the first step of an episode.
      weighting: how pairs are averaged, see :func:`reward_models.pairs.pair_weights`.
      trust: [T, B, R], what the pairs of each rater are weighed by besides; None: all alike.

    Returns: the weighted mean over the batch's pairs; 0, with a zero gradient, if there are none.
    """
    if utility.shape != resets.shape:
        raise ValueError(f"utility {tuple(utility.shape)} and resets {tuple(resets.shape)} are not both [T, B]")
    weights = pair_weights(marks, episode_index(resets), weighting)
    if trust is not None:
        weights = weights * trust.unsqueeze(0)  # of the later step; both are of one episode
    better, worse = weights.clamp_min(0).sum(-1), weights.clamp_max(0).sum(-1).neg()
    change = utility.unsqueeze(0) - utility.unsqueeze(1)  # [t1, t2, B]: U[t2] - U[t1]
    loss = better * F.softplus(-change) + worse * F.softplus(change)
    weight = (better + worse).sum()
    return loss.sum() / torch.where(weight > 0, weight, 1.0)


def unmarked_drift_loss(utility: Tensor, unmarked: Tensor, resets: Tensor) -> Tensor:
    """Mean squared change of utility per step where raters watched and saw nothing worth a mark, a scalar.

    Not in the paper, and off by default: it takes from an agent the small change that a reward model gives away
    between events, which is where over-optimisation begins.

    Args:
      utility: [T, B]. unmarked: bool [T, B], steps of rated play with no mark near. resets: bool [T, B].
    """
    counts = (unmarked & ~resets)[1:]
    change = utility[1:] - utility[:-1]
    return (change.square() * counts).sum() / counts.sum().clamp_min(1)
