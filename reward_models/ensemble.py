"""Several inter-temporal reward models as one, scored together; and the mean of their weights.

Members see the same play, each with its own trunk, utility head and memory. Utilities have no common zero, so what is
combined is the change of each since the episode began, times the member's scale, g_k[t] = s_k (U_k[t] - U_k[0]):

* ``mean``: the mean of the g_k (Christiano et al. 2017, section 2.2.3).
* ``minimum``: the smallest one, worst-case optimisation (Coste et al. 2024, section 3).
* ``mean_less_deviation``: the mean less ``deviation_weight`` standard deviations over the members, lower confidence
  bound; Coste et al.'s uncertainty-weighted optimisation subtracts the variance, which has another unit.

The reward is the change of the combined utility (Eq. 2). So a whole episode is worth the combination of what its
members give, and steps at which the members agree that nothing happens are worth nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, get_args

import torch
from torch import Tensor, nn

from agents.agent import AgentState, InteractiveAgent
from agents.batch import ObservationBatch
from agents.config import AgentConfig
from agents.networks.trunk import Trunk
from reward_models.contract import RewardModel
from reward_models.inter_temporal import (
    InterTemporalConfig,
    InterTemporalRewardModel,
    RewardModelOutput,
    ibt_loss,
    unmarked_drift_loss,
    utility_head,
)
from reward_models.registry import register
from worlds.errors import UserError

if TYPE_CHECKING:
    from reward_models.learning.config import RewardTrainingConfig
    from reward_models.marks.marked_play import MarkedWindow

CombinedBy = Literal["mean", "minimum", "mean_less_deviation"]
_SMALLEST = 1e-12  # variance below which a deviation has no gradient


class EnsembleConfig(InterTemporalConfig):
    """Sizes of every member, and how they are combined.

    Args:
      members: number of models.
      combined_by: "mean", "minimum" or "mean_less_deviation".
      deviation_weight: standard deviations that "mean_less_deviation" subtracts.
      member_scales: factor of each member's utility; None is 1 for all.
    """

    model_type = "ensemble_reward_model"

    def __init__(
        self,
        members: int = 2,
        combined_by: CombinedBy = "mean",
        deviation_weight: float = 1.0,
        member_scales: Sequence[float] | None = None,
        **kwargs: Any,
    ) -> None:
        if combined_by not in get_args(CombinedBy):
            raise ValueError(f"combined_by is one of {', '.join(get_args(CombinedBy))}, not {combined_by!r}")
        scales = [1.0] * members if member_scales is None else list(member_scales)
        if members < 2 or len(scales) != members:
            raise ValueError(f"an ensemble has two members or more, each with a scale, not {members} and {len(scales)}")
        self.members, self.deviation_weight = members, deviation_weight
        self.combined_by: CombinedBy = combined_by
        self.member_scales = scales
        super().__init__(**kwargs)


@dataclass(frozen=True)
class EnsembleOutput(RewardModelOutput):
    """Output of the first member for a sequence [T, B], with the utilities of all."""

    utilities: Tensor  # [K, T, B]


class EnsembleState(NamedTuple):
    """Memory of K members; zeros before the first step."""

    hidden: Tensor  # [B, K * memory_width]
    cell: Tensor  # [B, K * memory_width]
    origin: Tensor  # [B, K], utility of each at the first step of the episode
    begun: Tensor  # float [B, 1], 1 after the first step


class EnsembleStream(NamedTuple):
    """State between rewards: the memory and the last combined utility, nan before the first step."""

    hidden: Tensor
    cell: Tensor
    origin: Tensor
    begun: Tensor
    utility: Tensor  # float [B]


class _Member(nn.Module):
    """Trunk and utility head of a further member."""

    def __init__(self, config: InterTemporalConfig) -> None:
        super().__init__()
        self.trunk = Trunk(config)
        self.utility = utility_head(config)


@register
class EnsembleRewardModel(InterTemporalRewardModel):
    """Several inter-temporal models as one. The first is also the agent."""

    short = "ensemble"
    learns_preferences = False  # a utility counts from the step at which it is first asked for, and stretches differ
    description = "It rewards each step by how much play improved or worsened at it to several models together."
    head = ("utility", "others")
    config_class = EnsembleConfig
    config: EnsembleConfig

    def __init__(self, config: AgentConfig) -> None:
        super().__init__(config)
        self.others = nn.ModuleList(_Member(self.config) for _ in range(self.config.members - 1))

    @classmethod
    def from_agent(cls, agent: InteractiveAgent, seed: int = 0, **sizes: Any) -> Self:
        """Create an ensemble whose members have the agent's trunk, and a head of their own each.

        If ``agent`` is an ensemble itself, its members are kept as they are.
        """
        model = super().from_agent(agent, seed, **sizes)
        if isinstance(agent, EnsembleRewardModel):
            return model
        for member in model.others:
            assert isinstance(member, _Member)
            member.trunk.load_state_dict(model.trunk.state_dict())
        return model

    @classmethod
    def of(
        cls, models: Sequence[RewardModel], combined_by: CombinedBy = "mean", deviation_weight: float = 1.0
    ) -> EnsembleRewardModel:
        """Combine trained models, which keep their weights and scales; nothing is shared.

        Args:
          models: two or more inter-temporal models of the same sizes.
          deviation_weight: standard deviations that "mean_less_deviation" subtracts.

        Raises:
          UserError: if there is only one, or they differ in kind or size.
        """
        _check_alike(models)
        if any(getattr(model.config, "likelihood", False) for model in models):
            raise UserError("models that weigh likelihoods are not combined into one; use the mean of their rewards")
        if any(type(model) is not InterTemporalRewardModel for model in models):
            raise UserError("only inter-temporal reward models are combined into one; use the mean of their rewards")
        config = EnsembleConfig.of(
            models[0].config,
            members=len(models),
            combined_by=combined_by,
            deviation_weight=deviation_weight,
            member_scales=[model.config.reward_scale for model in models],
        )
        made = EnsembleRewardModel(config)
        made.load_state_dict(models[0].state_dict(), strict=False)
        for member, model in zip(made.others, models[1:], strict=True):
            weights = model.state_dict()
            member.load_state_dict({name: weights[name] for name in member.state_dict()})
        nn.Module.to(made, models[0].device)
        return made.eval()

    def initial_state(self, batch_size: int, device: torch.device | str | None = None) -> EnsembleState:  # type: ignore[override]
        place, members = device or self.device, self.config.members
        zeros = torch.zeros(batch_size, members * self.config.memory_width, device=place)
        origin = torch.zeros(batch_size, members, device=place)
        return EnsembleState(zeros, zeros.clone(), origin, torch.zeros(batch_size, 1, device=place))

    def forward(  # type: ignore[override]
        self, observations: ObservationBatch, state: EnsembleState, resets: Tensor
    ) -> tuple[EnsembleOutput, EnsembleState]:
        """Output of the first member, with the combined utility [T, B] and those of all members."""
        memories = self._memories(state)
        output, first = super().forward(observations, memories[0], resets)
        assert isinstance(first, AgentState)
        rest = [
            self._follow(member, observations, memory, resets)
            for member, memory in zip(self.others, memories[1:], strict=True)
        ]
        utilities = torch.stack([output.utility, *(utility for utility, _ in rest)])
        combined, after = self._combined(utilities, state, [first, *(memory for _, memory in rest)], resets)
        parts: dict[str, Any] = vars(output) | {"utility": combined, "utilities": utilities}
        return EnsembleOutput(**parts), after

    def follow(self, window: MarkedWindow, state: EnsembleState) -> tuple[EnsembleOutput, EnsembleState]:  # type: ignore[override]
        return self(window.observations, state, window.resets)

    def marks_loss(self, output: EnsembleOutput, window: MarkedWindow, config: RewardTrainingConfig) -> Tensor:  # type: ignore[override]
        """Mean of the members' own losses: they learn as they would alone."""
        losses = [ibt_loss(u, window.marks, window.resets, config.weighting, window.trust) for u in output.utilities]
        return torch.stack(losses).mean()

    def unmarked_drift_loss(self, output: EnsembleOutput, window: MarkedWindow) -> Tensor:  # type: ignore[override]
        losses = [unmarked_drift_loss(utility, window.unmarked, window.resets) for utility in output.utilities]
        return torch.stack(losses).mean()

    def utilities(  # type: ignore[override]
        self, observations: ObservationBatch, state: EnsembleState, resets: Tensor
    ) -> tuple[Tensor, EnsembleState]:
        """Combined utility [T, B], 0 at the first step of an episode, and the state after it."""
        members = zip([self, *self.others], self._memories(state), strict=True)
        found = [self._follow(member, observations, memory, resets) for member, memory in members]
        utilities, memories = torch.stack([utility for utility, _ in found]), [memory for _, memory in found]
        return self._combined(utilities, state, memories, resets)

    def initial_stream(self, slots: int) -> EnsembleStream:  # type: ignore[override]
        return EnsembleStream(*self.initial_state(slots), torch.full((slots,), torch.nan, device=self.device))

    def rewards(  # type: ignore[override]
        self, observations: ObservationBatch, state: EnsembleStream, resets: Tensor, draws: Tensor | None = None
    ) -> tuple[Tensor, EnsembleStream]:
        """Change of the combined utility (Eq. 2) times ``reward_scale``. Nothing is sampled."""
        utility, memory = self.utilities(observations, EnsembleState(*state[:-1]), resets)
        utility = utility.float()
        before = torch.cat([state.utility[None], utility[:-1]])
        change = torch.where(resets | before.isnan(), 0.0, utility - before)
        return (self.config.reward_scale * change).float(), EnsembleStream(*memory, utility[-1])

    def _memories(self, state: EnsembleState) -> list[AgentState]:
        parts = (part.chunk(self.config.members, dim=1) for part in (state.hidden, state.cell))
        return [AgentState(hidden, cell) for hidden, cell in zip(*parts, strict=True)]

    @staticmethod
    def _follow(
        member: Any, observations: ObservationBatch, memory: AgentState, resets: Tensor
    ) -> tuple[Tensor, AgentState]:
        trunk, memory = member.trunk(observations, memory, resets)
        with torch.autocast(trunk.features.device.type, enabled=False):
            features = trunk.features.to(next(member.utility.parameters()).dtype)
            return member.utility(features).squeeze(-1), memory

    def _combined(
        self, utilities: Tensor, state: EnsembleState, memories: Sequence[AgentState], resets: Tensor
    ) -> tuple[Tensor, EnsembleState]:
        """Combined utility [T, B] of ``utilities`` [K, T, B], and the state after it."""
        origin = origins(utilities, state.origin.T, resets, state.begun[:, 0] > 0)
        scales = utilities.new_tensor(self.config.member_scales)[:, None, None]
        combined = combine(scales * (utilities - origin), self.config.combined_by, self.config.deviation_weight)
        hidden, cell = (torch.cat(parts, dim=1) for parts in zip(*memories, strict=True))
        return combined, EnsembleState(hidden, cell, origin[:, -1].T, torch.ones_like(state.begun))


def combine(gains: Tensor, combined_by: CombinedBy, deviation_weight: float) -> Tensor:
    """Combined value of ``gains`` [K, ...] of K members, [...]; the deviation is that of the K themselves."""
    if combined_by == "minimum":
        return gains.amin(0)
    if combined_by == "mean_less_deviation":
        return gains.mean(0) - deviation_weight * gains.var(0, correction=0).clamp_min(_SMALLEST).sqrt()
    return gains.mean(0)


def origins(utilities: Tensor, before: Tensor, resets: Tensor, begun: Tensor) -> Tensor:
    """Utility of every member at the first step of the episode that each step is in, [K, T, B].

    Args:
      utilities: [K, T, B].
      before: [K, B], that of the episodes in progress before the first step.
      resets: bool [T, B], first steps of episodes.
      begun: bool [B], true where there was a step before; elsewhere an episode begins here.
    """
    starts = resets.clone()
    starts[0] |= ~begun
    steps = torch.arange(len(resets), device=resets.device)[:, None]
    last = torch.where(starts, steps, -1).cummax(0).values  # the last first step up to each step; -1 before any
    found = utilities.gather(1, last.clamp_min(0).expand_as(utilities))
    return torch.where(last < 0, before[:, None], found)


def average_weights(models: Sequence[RewardModel]) -> RewardModel:
    """Return the model whose weights are the mean of those of ``models`` (WARM, Ramé et al. 2024).

    The models have to be trained from the same initial weights, head included (`rlhf reward --head-seed`): only then do
    means of weights compute about what means of the models do. The scale is that at which the mean utility of the
    models gives a mark the mean worth.

    Args:
      models: two or more of one kind and one size.

    Raises:
      UserError: if there is only one, or they differ in kind or size.
    """
    _check_alike(models)
    made = type(models[0])(models[0].config.__class__.from_dict(models[0].config.to_dict()))
    states = [model.state_dict() for model in models]
    mean = {
        name: torch.stack([state[name].double() for state in states]).mean(0).to(value.dtype)
        if value.is_floating_point()
        else value
        for name, value in states[0].items()
    }
    made.load_state_dict(mean)
    made.config.reward_scale = len(models) / sum(1.0 / model.config.reward_scale for model in models)
    nn.Module.to(made, models[0].device)
    return made.eval()


def combined_model(
    models: Sequence[RewardModel], how: CombinedBy | Literal["weights"], deviation_weight: float = 1.0
) -> RewardModel:
    """Return one model for several: an ensemble, or for "weights" the one with the mean of their weights."""
    if how == "weights":
        return average_weights(models)
    return EnsembleRewardModel.of(models, how, deviation_weight)


def _check_alike(models: Sequence[RewardModel]) -> None:
    if len(models) < 2:
        raise UserError("an ensemble has two reward models or more; name others with --ensemble")
    first = models[0]
    shapes = {name: value.shape for name, value in first.state_dict().items()}
    for model in models[1:]:
        if type(model) is not type(first) or {n: v.shape for n, v in model.state_dict().items()} != shapes:
            raise UserError(
                f"a {first.short} and a {model.short} of another kind or size cannot be one model; train them from the "
                "same agent, with the same settings of the head"
            )
