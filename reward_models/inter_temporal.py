"""Inter-temporal Bradley-Terry reward model (paper, section 4, A.3 and A.4).

The model is the whole agent, trunk and policies, with one more head: an MLP on the memory's output that gives the
utility U(x[<=t]) of what has happened up to step t. The reward is its change (Eq. 2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from agents.agent import AgentOutput, AgentState
from agents.batch import ObservationBatch
from agents.config import AgentConfig
from agents.networks.trunk import TrunkOutput
from reward_models.contract import RewardModel, RewardModelConfig
from reward_models.marks.pairs import Weighting, episode_index, pair_weights
from reward_models.registry import register
from reward_models.spoken_likelihood import BEFORE_PLAY, LEAST, as_utterances, carried, newly_said

if TYPE_CHECKING:
    from reward_models.learning.config import RewardTrainingConfig
    from reward_models.marks.marked_play import MarkedWindow


class InterTemporalConfig(RewardModelConfig):
    """Sizes of the agent and of the utility head.

    Args:
      utility_width: hidden width of the utility head.
      likelihood: give the utility head the log-likelihood of what the solver said last, too (not in the paper; see
        :mod:`reward_models.spoken_likelihood`).
      reward_scale: factor from a change of utility to a reward. 1 is the paper's Eq. 2;
        :func:`reward_models.scores.scoring.calibrated_scale` finds the scale at which a (+) mark is worth 1.
    """

    model_type = "inter_temporal_reward_model"

    def __init__(
        self, utility_width: int = 128, likelihood: bool = False, reward_scale: float = 1.0, **kwargs: Any
    ) -> None:
        self.utility_width, self.likelihood = utility_width, likelihood
        super().__init__(reward_scale=reward_scale, **kwargs)


@dataclass(frozen=True)
class RewardModelOutput(AgentOutput):
    """Output of the reward model for a sequence [T, B]."""

    utility: Tensor  # [T, B]


class UtilityStream(NamedTuple):
    """State between rewards: the LSTM's memory and the last utility, nan before the first step."""

    hidden: Tensor  # [B, memory_width]
    cell: Tensor  # [B, memory_width]
    utility: Tensor  # float [B]


class UtilityMemory(NamedTuple):
    """Memory of a model that knows the likelihood of what was said."""

    hidden: Tensor  # [B, memory_width]
    cell: Tensor  # [B, memory_width]
    features: Tensor  # [B, memory_width], of the last step, at which the solver may have chosen to speak
    glimpsed: Tensor  # [B, width], of the last step; [B, 0] without a glimpse
    words: Tensor  # int64 [B, L], the solver's words of the last step
    likelihood: Tensor  # [B], of those words when they were said


class LikelihoodStream(NamedTuple):
    """State between rewards of such a model."""

    hidden: Tensor
    cell: Tensor
    features: Tensor
    glimpsed: Tensor
    words: Tensor
    likelihood: Tensor
    utility: Tensor  # float [B]


Memory = AgentState | UtilityMemory


@register
class InterTemporalRewardModel(RewardModel):
    """Trunk and policies of the agent with a utility head."""

    short = "IBT"
    description = "It rewards each step by how much play improved or worsened at it (Inter-temporal Bradley-Terry)."
    head = ("utility",)
    learns_preferences = True
    config_class = InterTemporalConfig
    config: InterTemporalConfig

    def __init__(self, config: AgentConfig) -> None:
        super().__init__(config)
        self.utility = utility_head(self.config)

    def initial_state(self, batch_size: int, device: torch.device | str | None = None) -> Memory:  # type: ignore[override]
        memory, config = super().initial_state(batch_size, device), self.config
        if not config.likelihood:
            return memory
        glimpsed = memory.hidden.new_zeros(batch_size, config.width if config.glimpse else 0)
        words = torch.full((batch_size, config.solver_text_length), BEFORE_PLAY, device=memory.hidden.device)
        return UtilityMemory(*memory, memory.hidden.clone(), glimpsed, words, memory.hidden.new_zeros(batch_size))

    def forward(  # type: ignore[override]
        self, observations: ObservationBatch, state: Memory, resets: Tensor
    ) -> tuple[RewardModelOutput, Memory]:
        """Output of the agent, with the utility [T, B]."""
        output, memory = super().forward(observations, AgentState(state.hidden, state.cell), resets)
        utility, after = self._utility_of(output, observations, state, memory, resets)
        return RewardModelOutput(**vars(output), utility=utility), after

    def follow(self, window: MarkedWindow, state: Memory) -> tuple[RewardModelOutput, Memory]:  # type: ignore[override]
        return self(window.observations, state, window.resets)

    def marks_loss(self, output: RewardModelOutput, window: MarkedWindow, config: RewardTrainingConfig) -> Tensor:
        return ibt_loss(output.utility, window.marks, window.resets, config.weighting, window.trust)

    def unmarked_drift_loss(self, output: RewardModelOutput, window: MarkedWindow) -> Tensor:
        return unmarked_drift_loss(output.utility, window.unmarked, window.resets)

    def utilities(self, observations: ObservationBatch, state: Memory, resets: Tensor) -> tuple[Tensor, Memory]:  # type: ignore[override]
        """Utility [T, B] without the policies, and the state after it."""
        trunk, memory = self.trunk(observations, AgentState(state.hidden, state.cell), resets)
        return self._utility_of(trunk, observations, state, memory, resets)

    def _utility_of(
        self,
        output: AgentOutput | TrunkOutput,
        observations: ObservationBatch,
        state: Memory,
        memory: AgentState,
        resets: Tensor,
    ) -> tuple[Tensor, Memory]:
        """Utility [T, B] and the state after it; ``state`` is that before, ``memory`` the LSTM's after.

        Rewards are differences of the utility, so it stays exact where the trunk does not.
        """
        after: Memory = memory
        with torch.autocast(output.features.device.type, enabled=False):
            inputs = output.features.to(next(self.utility.parameters()).dtype)
            if isinstance(state, UtilityMemory):
                said, after = self._said(inputs, output.glimpsed, observations.solver_tokens, state, memory, resets)
                inputs = torch.cat([inputs, said.unsqueeze(-1)], dim=-1)
            return self.utility(inputs).squeeze(-1), after

    @torch.no_grad()
    def _said(
        self,
        features: Tensor,
        glimpsed: Tensor | None,
        words: Tensor,
        state: UtilityMemory,
        memory: AgentState,
        resets: Tensor,
    ) -> tuple[Tensor, UtilityMemory]:
        """Input of the head: the log-likelihood [T, B] of the solver's last words, and the memory after it."""
        glimpses = features[..., :0] if glimpsed is None else glimpsed.to(features.dtype)
        before = torch.cat([state.features[None], features[:-1]])
        seen = torch.cat([state.glimpsed[None], glimpses[:-1]])
        new = newly_said(words, state.words, resets)
        found = torch.zeros_like(features[..., 0])
        if self.language is not None and bool(new.any()):
            shown = None if glimpsed is None else self.trunk.shown_words(seen[new])
            utterances = as_utterances(words[new], self.config.utterance_length)
            said = self.language.words_log_prob(before[new], utterances, shown)
            found = found.masked_scatter(new, said.clamp_min(LEAST).to(found.dtype))
        likelihood = carried(found, new, resets, state.likelihood)
        return likelihood, UtilityMemory(*memory, features[-1], glimpses[-1], words[-1], likelihood[-1])

    def initial_stream(self, slots: int) -> UtilityStream | LikelihoodStream:
        memory, utility = self.initial_state(slots), torch.full((slots,), torch.nan, device=self.device)
        if isinstance(memory, UtilityMemory):
            return LikelihoodStream(*memory, utility)
        return UtilityStream(*memory, utility)

    def rewards(  # type: ignore[override]
        self,
        observations: ObservationBatch,
        state: UtilityStream | LikelihoodStream,
        resets: Tensor,
        draws: Tensor | None = None,
    ) -> tuple[Tensor, UtilityStream | LikelihoodStream]:
        """Change of utility (Eq. 2) times ``reward_scale``. Nothing is sampled."""
        known = UtilityMemory(*state[:-1]) if isinstance(state, LikelihoodStream) else AgentState(*state[:-1])
        utility, memory = self.utilities(observations, known, resets)
        utility = utility.float()
        before = torch.cat([state.utility[None], utility[:-1]])
        change = torch.where(resets | before.isnan(), 0.0, utility - before)
        after = (
            LikelihoodStream(*memory, utility[-1])
            if isinstance(memory, UtilityMemory)
            else UtilityStream(*memory, utility[-1])
        )
        return (self.config.reward_scale * change).float(), after


def utility_head(config: InterTemporalConfig) -> nn.Sequential:
    """Utility head of an inter-temporal model of these sizes, with random weights."""
    width = config.utility_width
    return nn.Sequential(nn.Linear(config.memory_width + config.likelihood, width), nn.ReLU(), nn.Linear(width, 1))


def ibt_loss(
    utility: Tensor, marks: Tensor, resets: Tensor, weighting: Weighting = "stretches", trust: Tensor | None = None
) -> Tensor:
    """Loss of Eq. 1 on all pairs inside the sequences: the mean of -log sigmoid(y (U[t2] - U[t1])).

    Args:
      utility: [T, B].
      marks: [T, B, R, 2], counts of each rater's (+) and (-).
      resets: bool [T, B], first steps of episodes; pairs never cross them.
      weighting: how pairs are averaged, see :func:`reward_models.marks.pairs.pair_weights`.
      trust: [T, B, R], weight of each rater's pairs; None: all alike.

    Returns:
      The weighted mean over the batch's pairs, a scalar; 0, with a zero gradient, if there are none.

    Raises:
      ValueError: if ``utility`` and ``resets`` have different shapes.
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
    """Mean squared change of utility per step where raters watched and marked nothing, a scalar.

    Not in the paper, and off by default: it removes the small rewards between events, where over-optimisation begins.

    Args:
      utility: [T, B].
      unmarked: bool [T, B], steps of rated play with no mark near.
      resets: bool [T, B], first steps of episodes.
    """
    counts = (unmarked & ~resets)[1:]
    change = utility[1:] - utility[:-1]
    return (change.square() * counts).sum() / counts.sum().clamp_min(1)
