"""Contract of reward models: each is the whole agent, with a head that scores play step by step.

A reward model starts from the cloned agent's weights, is trained with one loss of its own on raters' marks (beside the
agent's BC and CSS), and then turns play into rewards. Play is scored with carried memory, so episodes may come whole
or in fragments of any length; the rewards are the same (``tests/contracts/test_reward_model.py``).

The class defines everything that differs between kinds: no other code asks for the kind of a model.
:mod:`reward_models.registry` finds kinds by name.
"""

from __future__ import annotations

from abc import abstractmethod
from math import isfinite
from typing import TYPE_CHECKING, Any, ClassVar, Self

import torch
from torch import Tensor, nn
from transformers import PretrainedConfig

from agents.agent import AgentOutput, InteractiveAgent
from agents.batch import ObservationBatch
from agents.config import AgentConfig
from worlds.errors import UserError

if TYPE_CHECKING:
    from reward_models.learning.config import RewardTrainingConfig
    from reward_models.marks.marked_play import MarkedPlay, MarkedWindow

State = tuple[Tensor, ...]  # a named tuple of tensors, each with one row an environment (or several)

# Settings that a new model does not copy from the one it starts from; a scale belongs to the utility it was found for.
_NOT_SIZES = ("model_type", "architectures", "transformers_version", "reward_scale")


_EXAMPLE = """
import numpy as np

from agents.acting import encode_observations
from reward_models.registry import load_reward_model
from reward_models.scores.scoring import StreamingScorer

model, tokenizer = load_reward_model(".")  # this folder
scorer = StreamingScorer(model, n_slots=1)
observation = model.config.player.blank() | {"setter_text": "go to the red ball"}
batch = encode_observations([observation], tokenizer, model.config)
print(scorer.rewards(batch, np.array([[True]])))  # 0: it is the first step of an episode
"""


class RewardModelConfig(AgentConfig):
    """Sizes of the agent and the scale of rewards; each kind adds the sizes of its head.

    Args:
      reward_scale: factor of all rewards (paper: 1).
    """

    model_type = "reward_model"

    def __init__(self, reward_scale: float = 1.0, **kwargs: Any) -> None:
        if isinstance(reward_scale, bool) or not isinstance(reward_scale, int | float) or not isfinite(reward_scale):
            raise ValueError(f"reward_scale is a finite number, not {str(reward_scale)[:40]}")
        self.reward_scale = reward_scale
        super().__init__(**kwargs)

    @classmethod
    def of(cls, config: PretrainedConfig, **more: Any) -> Self:
        """Sizes of the ``config`` of an agent or a reward model (without its scale), with ``more`` for the head."""
        sizes = {name: value for name, value in config.to_diff_dict().items() if name not in _NOT_SIZES}
        return cls(**sizes | {"feels_movement": False, "improvement_indicator": False} | more)


class RewardModel(InteractiveAgent):
    """Trunk and policies of the agent with a head that scores play.

    A reward model reads what is seen and said, not the solver's controls: a policy improved against a model that reads
    them finds movements outside the recorded play, on which the head was never trained (measured in LOG.md).

    Attributes:
      short: name of the kind in reports; in lower case, name of its own loss among the metrics.
      description: meaning of its rewards, a sentence for its card.
      head: names of the modules that an agent does not have.
      fixed_scale: true if rewards have a scale of their own, which ``calibrate`` leaves unchanged.
      predicts_marks: true if the kind predicts probabilities of marks (:meth:`mark_probabilities`).
      learns_preferences: true if the kind also learns from preferences besides marks
        (:mod:`reward_models.preferences.examples`): its :meth:`utilities` have a gradient, and its memory
        (:meth:`initial_state`) is a named tuple of tensors [B, ...].
    """

    short: ClassVar[str]
    description: ClassVar[str]
    head: ClassVar[tuple[str, ...]]
    fixed_scale: ClassVar[bool] = False
    predicts_marks: ClassVar[bool] = False
    learns_preferences: ClassVar[bool] = False
    config_class: ClassVar[type[RewardModelConfig]] = RewardModelConfig
    config: RewardModelConfig

    def __init__(self, config: AgentConfig) -> None:
        kind = type(self).config_class
        super().__init__(config if isinstance(config, kind) else kind.of(config))

    @classmethod
    def from_agent(cls, agent: InteractiveAgent, seed: int = 0, **sizes: Any) -> Self:
        """Create a reward model that starts from ``agent``'s weights, as the paper's starts from the BC agent.

        The agent's own weights are copied, never shared.

        Args:
          seed: seed of the new head's weights.

        Raises:
          UserError: if the agent has other modules than this kind, as agents of users' own kinds may have.
        """
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model = cls(cls.config_class.of(agent.config, **sizes))
        weights = {n: w for n, w in agent.state_dict().items() if not n.startswith(("trunk.movement.", "improvement."))}
        own = model.state_dict()
        foreign = [name for name in own if name not in weights and name.partition(".")[0] not in cls.head]
        foreign += [name for name, value in weights.items() if name not in own or own[name].shape != value.shape]
        if foreign:
            raise UserError(
                f"the reward model {cls.short} is not made for agents of the kind {agent.config.model_type!r}: "
                f"{foreign[0]} does not fit; register a reward model that is built as that agent is "
                "(reward_models.registry) and name it with --kind"
            )
        model.load_state_dict(weights, strict=False)
        nn.Module.to(model, agent.device)
        return model

    @staticmethod
    def example(config: AgentConfig) -> str:
        return _EXAMPLE

    # -- learning ---------------------------------------------------------------------------------------------

    @classmethod
    def term(cls) -> str:
        """Name of the kind's own loss among the terms of the whole."""
        return cls.short.lower()

    def prepare(self, play: MarkedPlay) -> None:
        """Initialise a new model from the play that it will learn from. Most kinds do nothing.

        It is not called on a model resumed from a checkpoint or trained before: it would overwrite learned weights.
        """

    def learning_state(self, batch: int, raters: int) -> State:
        """Memory before the first window [T, batch] of play with up to ``raters`` raters; a named tuple of tensors."""
        return self.initial_state(batch)

    @abstractmethod
    def follow(self, window: MarkedWindow, state: State) -> tuple[AgentOutput, State]:
        """Output of the model for ``window`` in training, for :meth:`marks_loss` and the agent's own losses."""

    @abstractmethod
    def marks_loss(self, output: AgentOutput, window: MarkedWindow, config: RewardTrainingConfig) -> Tensor:
        """Loss of the kind on the marks of ``window``, unweighted, a scalar; ``output`` is :meth:`follow`'s."""

    @abstractmethod
    def unmarked_drift_loss(self, output: AgentOutput, window: MarkedWindow) -> Tensor:
        """Mean square of the rewards at steps where raters watched and marked nothing, a scalar."""
        raise NotImplementedError(f"{self.short} has no loss of unmarked drift: leave unmarked_drift_weight at 0")

    # -- scoring ----------------------------------------------------------------------------------------------

    @abstractmethod
    def utilities(self, observations: ObservationBatch, state: State, resets: Tensor) -> tuple[Tensor, State]:
        """Utility U of what has happened up to each step; its changes are the (expected) rewards.

        Args:
          observations: [T, B, ...].
          state: :meth:`initial_state`, or the state that the last call returned.
          resets: bool [T, B], first steps of episodes.

        Returns:
          Utility [T, B] and the state after it.
        """

    def mark_probabilities(self, observations: ObservationBatch, state: State, resets: Tensor) -> tuple[Tensor, State]:
        """Probability of a (+) and of a (-) at every step, float32 [T, B, 2], of kinds that predict marks.

        Arguments are those of :meth:`utilities`.
        """
        raise NotImplementedError(f"{self.short} does not predict marks")

    @abstractmethod
    def initial_stream(self, slots: int) -> State:
        """Memory of :meth:`rewards` before the first step of ``slots`` environments."""

    @abstractmethod
    def rewards(
        self, observations: ObservationBatch, state: State, resets: Tensor, draws: Tensor | None = None
    ) -> tuple[Tensor, State]:
        """Rewards that arrive with ``observations``.

        Args:
          observations: [T, B, ...], the T steps after those seen so far.
          state: :meth:`initial_stream`, or the state that the last call returned.
          resets: bool [T, B], first steps of episodes, whose reward is 0, as is that of the very first step.
          draws: [T, B], uniform in [0, 1), for kinds that sample their rewards; None gives expected rewards.

        Returns:
          Rewards float32 [T, B] and the memory after them.
        """
