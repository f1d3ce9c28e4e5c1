"""An agent as a module of RLlib's new API stack, and its own distribution of actions.

RLlib is batch-major [B, T, ...], agents are time-major [T, B, ...]. RLlib cuts episodes into stretches of
``max_seq_len`` steps, begins each with the memory that the player had, an episode's first with an empty one, and fills
the last up with zeros that count in no loss. So no stretch has a reset inside.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import gymnasium
import torch
from ray.rllib.core.columns import Columns
from ray.rllib.core.distribution.distribution import Distribution
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.torch import TorchRLModule
from torch import Tensor

from agents import registry
from agents.agent import AgentOutput, InteractiveAgent
from agents.batch import ActionBatch, ObservationBatch
from agents.config import AgentConfig
from agents.networks import movement as movement_policy
from agents.networks.memory import AgentState
from agents.networks.movement import ANY
from experiments.social_ai.ppo.encoded_env import batched_actions, flat_actions

AGENT = "agent"  # the entry of a module's ``model_config`` that is the agent's configuration


class AgentDistribution(Distribution):
    """An agent's distribution of whole actions: movement, whether to speak, and the words.

    Args:
      inputs: float [..., memory_width + C], features and the action before the step's first.
    """

    agent: ClassVar[InteractiveAgent]  # of the subclass that a module makes

    def __init__(self, inputs: Tensor) -> None:
        features, before = inputs.split([self.agent.config.memory_width, len(self.agent.config.columns.counts)], -1)
        language = self.agent.language
        silent = features.new_full(features.shape[:-1], -1e4)
        logit = silent if language is None else language.speak_logit(features)
        nothing = features.new_empty(0)
        self._output = AgentOutput(features, nothing, logit, nothing, nothing, before.long(), ANY, None, None)

    @classmethod
    def from_logits(cls, logits: Tensor, **kwargs: Any) -> AgentDistribution:
        """Return the distribution of what a forward pass gave."""
        return cls(logits)

    @staticmethod
    def required_input_dim(space: gymnasium.Space, **kwargs: Any) -> int:
        """Refuse: the width of the inputs is the agent's, not the space's."""
        raise NotImplementedError

    def sample(self, *, sample_shape: Any = None, **kwargs: Any) -> Any:
        """Return actions of the agent's policy: int64 [..., columns]."""
        return flat_actions(self._chosen())

    def rsample(self, *, sample_shape: Any = None, **kwargs: Any) -> Any:
        """Refuse: no gradient flows through whole numbers."""
        raise NotImplementedError

    def logp(self, value: Tensor, **kwargs: Any) -> Tensor:
        """Return the log-probability [...] of actions, integers [..., columns]."""
        log_probs = self.agent.log_probs(self._output, self._actions(value))
        return log_probs.movement + log_probs.language

    def kl(self, other: Distribution, **kwargs: Any) -> Tensor:
        """Refuse: the divergence of sequences of words has no closed form. The published PPO uses none."""
        raise NotImplementedError

    def entropy(self, **kwargs: Any) -> Tensor:
        """Return the entropy [...] of movement and of the decision to speak; of several ticks, along a sample."""
        output = self._output
        moves = self._chosen().movement if self.agent.config.columns.ticks > 1 else self._neutral()
        distributions = self.agent.movement.distributions(output.features, output.before, moves, ANY)
        speaking = torch.distributions.Bernoulli(logits=output.speak_logit)
        return movement_policy.entropy(distributions) + speaking.entropy()

    def to_deterministic(self) -> Distribution:
        """Refuse: agents are tested with sampled actions, or by this project's own commands."""
        raise NotImplementedError

    def _actions(self, rows: Tensor) -> ActionBatch:
        return batched_actions(rows.long(), self.agent.config)

    def _neutral(self) -> Tensor:
        neutral = torch.from_numpy(self.agent.config.columns.neutral()).to(self._output.features.device)
        return neutral.expand(*self._output.speak_logit.shape, *neutral.shape)

    def _chosen(self) -> ActionBatch:
        """Return sampled actions [...]."""
        output, shape = self._output, self._output.speak_logit.shape
        flat = replace(
            output,
            features=output.features.reshape(1, -1, output.features.shape[-1]),
            speak_logit=output.speak_logit.reshape(1, -1),
            before=output.before.reshape(1, -1, output.before.shape[-1]),
        )
        actions, _ = self.agent.choose(flat)
        return ActionBatch(*(part[0].unflatten(0, shape) for part in actions))


class AgentModule(TorchRLModule, ValueFunctionAPI):
    """Any agent of the registry, whose configuration is ``model_config[AGENT]``."""

    def setup(self) -> None:
        """Make the agent, untrained."""
        config: AgentConfig = self.model_config[AGENT]  # type: ignore[index]
        kind: Any = registry.get(config.model_type)
        self.agent: InteractiveAgent = kind(config)
        self._distribution = type("ThisAgentsDistribution", (AgentDistribution,), {"agent": self.agent})

    def get_initial_state(self) -> dict[str, Any]:
        """Return the empty memory of one environment: two arrays [memory_width]."""
        state = self.agent.initial_state(1, "cpu")
        return {name: part[0].numpy() for name, part in state._asdict().items()}

    def get_inference_action_dist_cls(self) -> Any:
        """Return the agent's own distribution; the same for playing and for learning."""
        return self._distribution

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Tensor:
        """Return the value head's output [B, T]; ``embeddings`` are features [B, T, memory_width] that are there."""
        if embeddings is None:
            embeddings = self._run(batch)[0].features.transpose(0, 1)
        return self.agent.value(embeddings).squeeze(-1)

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        output, state = self._run(batch)
        inputs = torch.cat([output.features, output.before.to(output.features.dtype)], dim=-1)
        return {Columns.ACTION_DIST_INPUTS: inputs.transpose(0, 1), Columns.STATE_OUT: state._asdict()}

    def _forward_train(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        out = self._forward(batch)
        features = out[Columns.ACTION_DIST_INPUTS][..., : self.agent.config.memory_width]
        return out | {Columns.EMBEDDINGS: features}

    def _run(self, batch: Mapping[str, Any]) -> tuple[AgentOutput, AgentState]:
        """Return the agent's outputs [T, B], and its memory [B, memory_width] after the last step."""
        seen = {name: part.transpose(0, 1) for name, part in batch[Columns.OBS].items()}
        observations = ObservationBatch(**{"image": None} | seen)  # type: ignore[arg-type]
        state = AgentState(**{name: part.float() for name, part in batch[Columns.STATE_IN].items()})
        resets = torch.zeros(observations.shape, dtype=torch.bool, device=state.hidden.device)
        return self.agent(observations, state, resets)
