"""The Inter-temporal Bradley-Terry reward model (paper, section 4, A.3 and A.4).

It is the agent, trunk and policies and all, with one more head: an MLP on the memory's output that gives the utility
U(x[<=t]) of what has happened up to step t.

It judges what is seen and said. The solver's controls it is not told: a policy that is improved against a model that
reads them finds movements nobody ever made, on which the utility was never taught anything (LOG.md tells how).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from transformers import PretrainedConfig

from agents.agent import AgentOutput, AgentState, InteractiveAgent
from agents.batch import ObservationBatch
from agents.config import AgentConfig
from reward_models.pairs import Weighting, episode_index, pair_weights


class InterTemporalConfig(AgentConfig):
    """An agent's sizes and what the utility head adds to them.

    Args:
      utility_width: hidden width of the utility head.
      reward_scale: what a change of utility is multiplied by to be a reward. 1 is the paper's Eq. 2;
        :func:`reward_models.scoring.calibrated_scale` finds the scale at which a (+) mark is worth 1.
    """

    model_type = "inter_temporal_reward_model"

    def __init__(self, utility_width: int = 128, reward_scale: float = 1.0, **kwargs: Any) -> None:
        self.utility_width = utility_width
        self.reward_scale = reward_scale
        super().__init__(**kwargs)

    @classmethod
    def of(cls, config: PretrainedConfig, **more: Any) -> InterTemporalConfig:
        """The sizes of an agent's ``config``, with ``more`` for the utility head."""
        sizes = config.to_diff_dict() | {"feels_movement": False} | more
        return cls(**{name: value for name, value in sizes.items() if name not in _NOT_SIZES})


_EXAMPLE = """
import numpy as np

from agents.acting import encode_observations
from agents.folder import load_agent
from reward_models.inter_temporal import InterTemporalRewardModel
from reward_models.scoring import StreamingScorer
from worlds.contract import neutral_movement

model, tokenizer = load_agent(".", InterTemporalRewardModel)  # this folder
scorer = StreamingScorer(model, n_slots=1)
observation = {{
    "image": np.zeros(({height}, {width}, 3), np.uint8),
    "setter_text": "go to the red ball",
    "solver_text": "",
    "previous_movement": neutral_movement(),
}}
batch = encode_observations([observation], tokenizer, model.config)
print(scorer.rewards(batch, np.array([[True]])))  # 0: it is the first step of an episode
"""

_NOT_SIZES = ("model_type", "architectures", "transformers_version")


@dataclass(frozen=True)
class RewardModelOutput(AgentOutput):
    """What the reward model makes of a sequence [T, B]."""

    utility: Tensor  # [T, B]


class InterTemporalRewardModel(InteractiveAgent):
    """The agent's trunk and policies with a utility head."""

    config_class = InterTemporalConfig
    config: InterTemporalConfig

    def __init__(self, config: AgentConfig) -> None:
        config = config if isinstance(config, InterTemporalConfig) else InterTemporalConfig.of(config)
        super().__init__(config)
        self.utility = nn.Sequential(
            nn.Linear(config.memory_width, config.utility_width), nn.ReLU(), nn.Linear(config.utility_width, 1)
        )

    @classmethod
    def from_agent(cls, agent: InteractiveAgent, utility_width: int = 128, seed: int = 0) -> InterTemporalRewardModel:
        """A reward model that starts from ``agent``'s weights, as the paper's starts from the BC agent.

        The utility head is new and drawn from ``seed``; the agent's own weights are copied, never shared.
        """
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model = cls(InterTemporalConfig.of(agent.config, utility_width=utility_width))
        weights = {n: w for n, w in agent.state_dict().items() if not n.startswith("trunk.movement.")}
        unknown = model.load_state_dict(weights, strict=False)
        foreign = [name for name in unknown.missing_keys if not name.startswith("utility.")] + unknown.unexpected_keys
        if foreign:
            raise ValueError(f"the agent's weights do not fit its configuration: {', '.join(foreign[:3])}")
        nn.Module.to(model, agent.device)
        return model

    @staticmethod
    def example(config: AgentConfig) -> str:
        height, width = config.image_size
        return _EXAMPLE.format(height=height, width=width)

    def forward(
        self, observations: ObservationBatch, state: AgentState, resets: Tensor
    ) -> tuple[RewardModelOutput, AgentState]:
        """As the agent's, with the utility [T, B] in the output."""
        output, state = super().forward(observations, state, resets)
        return RewardModelOutput(**vars(output), utility=self._judge(output.features)), state

    def utilities(self, observations: ObservationBatch, state: AgentState, resets: Tensor) -> tuple[Tensor, AgentState]:
        """The utility [T, B] alone, without the work of the policies."""
        trunk, state = self.trunk(observations, state, resets)
        return self._judge(trunk.features), state

    def _judge(self, features: Tensor) -> Tensor:
        """The utility [T, B]; rewards are differences of it, so it stays exact where the trunk does not."""
        with torch.autocast(features.device.type, enabled=False):
            return self.utility(features.to(self.language.speak.weight.dtype)).squeeze(-1)


def ibt_loss(utility: Tensor, marks: Tensor, resets: Tensor, weighting: Weighting = "stretches") -> Tensor:
    """Eq. 1 on all pairs inside the sequences: the mean of -log sigmoid(y (U[t2] - U[t1])), a scalar.

    Args:
      utility: [T, B]. marks: [T, B, R, 2], counts of each rater's (+) and (-). resets: bool [T, B]; pairs never
        reach across the first step of an episode.
      weighting: how pairs are averaged, see :func:`reward_models.pairs.pair_weights`.

    Returns: the weighted mean over the batch's pairs; 0, with a zero gradient, if there are none.
    """
    if utility.shape != resets.shape:
        raise ValueError(f"utility {tuple(utility.shape)} and resets {tuple(resets.shape)} are not both [T, B]")
    weights = pair_weights(marks, episode_index(resets), weighting)
    better, worse = weights.clamp_min(0).sum(-1), weights.clamp_max(0).sum(-1).neg()
    change = utility.unsqueeze(0) - utility.unsqueeze(1)  # [t1, t2, B]: U[t2] - U[t1]
    loss = better * F.softplus(-change) + worse * F.softplus(change)
    # Whichever way pairs are weighed, a batch that has any weighs at least 1.
    return loss.sum() / (better + worse).sum().clamp_min(1.0)


def quiet_loss(utility: Tensor, quiet: Tensor, resets: Tensor) -> Tensor:
    """Mean squared change of utility per step where raters watched and saw nothing worth a mark, a scalar.

    Not in the paper, and off by default: it takes from an agent the small change that a reward model gives away
    between events, which is where over-optimisation begins.

    Args:
      utility: [T, B]. quiet: bool [T, B], steps of rated play with no mark near. resets: bool [T, B].
    """
    counts = (quiet & ~resets)[1:]
    change = utility[1:] - utility[:-1]
    return (change.square() * counts).sum() / counts.sum().clamp_min(1)
