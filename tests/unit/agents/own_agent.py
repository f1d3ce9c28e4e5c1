"""An agent of one's own: nothing of the built-in trunk, only what the contract of agents asks for."""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from agents.agent import InteractiveAgent
from agents.batch import ObservationBatch
from agents.config import AgentConfig
from agents.networks.memory import AgentState, ResettingLSTM
from agents.networks.trunk import TrunkOutput
from agents.registry import register
from reward_models import registry as reward_models
from reward_models.inter_temporal import InterTemporalConfig, InterTemporalRewardModel


class PatchConfig(AgentConfig):
    """Sizes of a :class:`PatchAgent`."""

    model_type = "patch_agent"
    presets: ClassVar = {"small": {"memory_width": 32, "width": 16, "patch": 6}}

    def __init__(self, patch: int = 6, **kwargs: Any) -> None:
        self.patch = patch
        super().__init__(**kwargs)


class PatchTrunk(nn.Module):
    """Patches of the picture and a bag of words, added up into an LSTM."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.see = nn.Conv2d(3, config.width, config.patch, config.patch)
        self.words = nn.EmbeddingBag(config.vocab_size, config.width, padding_idx=0)
        self.gather = nn.Linear(3 * config.width, config.memory_width)
        self.memory = ResettingLSTM(config.memory_width, config.memory_width)

    def forward(
        self, observations: ObservationBatch, state: AgentState, resets: Tensor
    ) -> tuple[TrunkOutput, AgentState]:
        shape = resets.shape
        seen = self.see(observations.image.flatten(0, 1).movedim(-1, 1) / 255.0).flatten(2).movedim(1, 2)
        asked = self.words(observations.setter_tokens.flatten(0, 1))
        said = self.words(observations.solver_tokens.flatten(0, 1))
        inputs = torch.relu(self.gather(torch.cat([seen.mean(1) + seen.amax(1), asked, said], -1)))
        features, state = self.memory(inputs.unflatten(0, shape), state, resets)
        return TrunkOutput(features, seen.unflatten(0, shape), asked.unflatten(0, shape)), state


@register
class PatchAgent(InteractiveAgent):
    """The contract's heads on a trunk of its own."""

    config_class = PatchConfig

    def __init__(self, config: PatchConfig) -> None:
        super().__init__(config)
        self.trunk = PatchTrunk(config)  # type: ignore[assignment]


class PatchRewardConfig(InterTemporalConfig, PatchConfig):
    """Sizes of a :class:`PatchRewardModel`."""

    model_type = "patch_reward_model"


@reward_models.register
class PatchRewardModel(InterTemporalRewardModel):
    """IBT on that trunk."""

    short = "Patch"
    config_class = PatchRewardConfig

    def __init__(self, config: AgentConfig) -> None:
        super().__init__(config)
        self.trunk = PatchTrunk(self.config)  # type: ignore[assignment]
