"""The contract every reward model keeps: it is the agent, all of it, with a head that judges play step by step.

A reward model starts from the cloned agent's weights, is taught by one loss of its own on raters' marks (beside the
agent's BC and CSS), and then turns play into rewards. Play is judged with carried memory, so episodes may come whole
or in fragments of any length; the rewards are the same (``tests/contracts/test_reward_model.py``).

What differs between kinds is said by the class: no other code asks which kind it has. :mod:`reward_models.registry`
knows them by name.
"""

from __future__ import annotations

from abc import abstractmethod
from math import isfinite
from typing import Any, ClassVar, Self

import torch
from torch import Tensor, nn
from transformers import PretrainedConfig

from agents.agent import AgentOutput, InteractiveAgent
from agents.batch import ObservationBatch
from agents.config import AgentConfig
from reward_models.marked_play import MarkedPlay, MarkedWindow
from reward_models.training_config import RewardTrainingConfig
from worlds.errors import UserError

State = tuple[Tensor, ...]  # a named tuple of tensors, each with one row an environment (or several)

# What a new model does not have from the one that it begins from; a scale goes with the utility that it was found for.
_NOT_SIZES = ("model_type", "architectures", "transformers_version", "reward_scale")


_EXAMPLE = """
import numpy as np

from agents.acting import encode_observations
from reward_models.registry import load_reward_model
from reward_models.scoring import StreamingScorer
from worlds.contract import neutral_movement

model, tokenizer = load_reward_model(".")  # this folder
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


class RewardModelConfig(AgentConfig):
    """An agent's sizes and what every reward model adds to them; each kind adds the sizes of its head.

    Args:
      reward_scale: what rewards are multiplied by. 1 is the paper's.
    """

    model_type = "reward_model"

    def __init__(self, reward_scale: float = 1.0, **kwargs: Any) -> None:
        if isinstance(reward_scale, bool) or not isinstance(reward_scale, int | float) or not isfinite(reward_scale):
            raise ValueError(f"reward_scale is a finite number, not {str(reward_scale)[:40]}")
        self.reward_scale = reward_scale
        super().__init__(**kwargs)

    @classmethod
    def of(cls, config: PretrainedConfig, **more: Any) -> Self:
        """The sizes of an agent's ``config``, with ``more`` for the head; of a reward model's, but for its scale."""
        sizes = {name: value for name, value in config.to_diff_dict().items() if name not in _NOT_SIZES}
        return cls(**sizes | {"feels_movement": False} | more)


class RewardModel(InteractiveAgent):
    """The agent's trunk and policies with a head that judges.

    It judges what is seen and said. The solver's controls it is not told: a policy that is improved against a model
    that reads them finds movements nobody ever made, on which the head was never taught anything (LOG.md tells how).

    Attributes:
      short: what the kind is called in reports; in lower case, what its own loss is called among the metrics.
      description: what its rewards mean, a sentence for its card.
      head: the modules that an agent does not have, by name.
      fixed_scale: whether rewards have a scale of their own, so that ``calibrate`` leaves it alone.
      predicts_marks: whether the kind says how likely marks are, and so has :meth:`mark_probabilities`.
    """

    short: ClassVar[str]
    description: ClassVar[str]
    head: ClassVar[tuple[str, ...]]
    fixed_scale: ClassVar[bool] = False
    predicts_marks: ClassVar[bool] = False
    config_class: ClassVar[type[RewardModelConfig]] = RewardModelConfig
    config: RewardModelConfig

    def __init__(self, config: AgentConfig) -> None:
        kind = type(self).config_class
        super().__init__(config if isinstance(config, kind) else kind.of(config))

    @classmethod
    def from_agent(cls, agent: InteractiveAgent, seed: int = 0, **sizes: Any) -> Self:
        """A reward model that starts from ``agent``'s weights, as the paper's starts from the BC agent.

        The head is new, of ``sizes`` and drawn from ``seed``; the agent's own weights are copied, never shared.

        Raises:
          UserError: the agent has other modules than this kind, as agents of users' own kinds may have.
        """
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model = cls(cls.config_class.of(agent.config, **sizes))
        weights = {n: w for n, w in agent.state_dict().items() if not n.startswith("trunk.movement.")}
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
        height, width = config.image_size
        return _EXAMPLE.format(height=height, width=width)

    # -- learning ---------------------------------------------------------------------------------------------

    @classmethod
    def term(cls) -> str:
        """Name of the kind's own loss among the terms of the whole."""
        return cls.short.lower()

    def prepare(self, play: MarkedPlay) -> None:
        """Look at the play that a new model is to learn from, once. Most kinds have nothing to see there.

        Not for one that goes on from a checkpoint, nor for one that was taught before: what they know would be lost.
        """

    def learning_state(self, batch: int, raters: int) -> State:
        """Memory before the first window [T, batch] of play that up to ``raters`` rated; named tuple of tensors."""
        return self.initial_state(batch)

    @abstractmethod
    def follow(self, window: MarkedWindow, state: State) -> tuple[AgentOutput, State]:
        """What the model makes of ``window`` in learning, for :meth:`marks_loss` and the agent's own losses."""

    @abstractmethod
    def marks_loss(self, output: AgentOutput, window: MarkedWindow, config: RewardTrainingConfig) -> Tensor:
        """The kind's own loss on the marks of ``window``, unweighted, a scalar; ``output`` is :meth:`follow`'s."""

    @abstractmethod
    def unmarked_drift_loss(self, output: AgentOutput, window: MarkedWindow) -> Tensor:
        """Mean square of the rewards at steps where raters watched and marked nothing, a scalar."""
        raise NotImplementedError(f"{self.short} has no loss of unmarked drift: leave unmarked_drift_weight at 0")

    # -- judging ----------------------------------------------------------------------------------------------

    @abstractmethod
    def utilities(self, observations: ObservationBatch, state: State, resets: Tensor) -> tuple[Tensor, State]:
        """How good what has happened so far is: U [T, B], whose changes are what the model pays or expects to pay.

        Args:
          observations: [T, B, ...]. state: :meth:`initial_state` or what the last call returned. resets: [T, B].
        """

    def mark_probabilities(self, observations: ObservationBatch, state: State, resets: Tensor) -> tuple[Tensor, State]:
        """Probability of a (+) and of a (-) at every step, float32 [T, B, 2], of kinds that tell marks.

        Arguments are those of :meth:`utilities`.
        """
        raise NotImplementedError(f"{self.short} does not say how likely marks are")

    @abstractmethod
    def initial_stream(self, slots: int) -> State:
        """Memory of :meth:`rewards` before ``slots`` environments have shown anything."""

    @abstractmethod
    def rewards(
        self, observations: ObservationBatch, state: State, resets: Tensor, draws: Tensor | None = None
    ) -> tuple[Tensor, State]:
        """Rewards float32 [T, B] that arrive with ``observations``, and the memory after them.

        Args:
          observations: [T, B, ...], the T steps after those seen so far. state: :meth:`initial_stream` or what the
            last call returned.
          resets: bool [T, B], first steps of episodes, whose reward is 0, as is that of the first step of all.
          draws: [T, B], uniform in [0, 1), for kinds that draw what they pay; None pays what is expected.
        """
