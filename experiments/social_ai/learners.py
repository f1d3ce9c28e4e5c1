"""What improves an agent by rewards alone: V-trace, or PPO through RLlib."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import gymnasium
import numpy as np

from agents.agent import InteractiveAgent
from agents.tokenizer import Tokenizer
from experiments.social_ai.ppo.settings import PPOSettings
from rlhf.learning.config import LearnerConfig
from rlhf.learning.learner import Learner
from rlhf.replay.reward_runner import RewardRunner
from worlds.errors import UserError
from worlds.school.parameters.curriculum import Curriculum

MakeEnv = Callable[[int], gymnasium.Env]


class RewardLearner(Protocol):
    """Plays with an agent and improves it, in place."""

    @property
    def frames(self) -> int:
        """Frames played so far."""
        ...

    def update(self) -> Mapping[str, float]:
        """Play, learn from it, and return metrics, among them ``entropy`` and ``explained``."""
        ...

    def finished(self) -> list[bool]:
        """Return the success of all episodes that ended since the last call."""
        ...

    def call(self, method: str, *arguments: Any) -> None:
        """Call a method of every environment."""
        ...

    def state_dict(self) -> dict[str, Any]:
        """Return what the updates to come depend on beside the weights."""
        ...

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Resume from what :meth:`state_dict` returned; the agent has its weights already."""
        ...

    def close(self) -> None:
        """End what was started."""
        ...


class VTraceLearner:
    """V-trace, one update on every fragment of play.

    Args:
      make_env: number from 0 -> an environment.
      steps: T, steps of each in an update.
      updates: of the whole training, over which the learning rate falls; None keeps it as it is.
    """

    def __init__(
        self,
        agent: InteractiveAgent,
        tokenizer: Tokenizer,
        make_env: MakeEnv,
        envs: int,
        steps: int,
        config: LearnerConfig,
        seed: int,
        updates: int | None = None,
    ) -> None:
        self._agent, self._updates, self._frames_each = agent, 0, envs * steps
        self._runner = RewardRunner(agent, tokenizer, [make_env(number) for number in range(envs)], steps, seed)
        self._learner = Learner(agent, config, last_update=updates)

    @property
    def frames(self) -> int:
        """Frames played so far."""
        return self._updates * self._frames_each

    def update(self) -> Mapping[str, float]:
        metrics = self._learner.update(self._runner.sample())
        self._runner.set_weights(self._agent.state_dict())
        self._updates += 1
        return metrics | {"entropy": metrics["policy/entropy"], "explained": metrics["vtrace/explained"]}

    def finished(self) -> list[bool]:
        return [each.success for each in self._runner.finished() if each.success is not None]

    def call(self, method: str, *arguments: Any) -> None:
        self._runner.call(method, *arguments)

    def state_dict(self) -> dict[str, Any]:
        return {"learner": self._learner.state_dict(), "runner": self._runner.state_dict()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._learner.load_state_dict(state["learner"])
        self._runner.load_state_dict(state["runner"])

    def close(self) -> None:
        """Close the environments."""
        self._runner.close()


class CurriculumLearner:
    """A learner whose episodes all count for one curriculum, which every environment follows.

    Args:
      curriculum: that counts; the environments' own are overwritten after every update.
    """

    def __init__(self, learner: RewardLearner, curriculum: Curriculum) -> None:
        self._learner, self._curriculum = learner, curriculum
        self._ended: list[bool] = []

    @property
    def frames(self) -> int:
        """Frames played so far."""
        return self._learner.frames

    def update(self) -> Mapping[str, float]:
        """See :meth:`RewardLearner.update`; ``phase`` is that of the curriculum."""
        metrics = self._learner.update()
        ended = self._learner.finished()
        for success in ended:
            self._curriculum.record(success)
        self._ended += ended
        self._pass_on()
        return {**metrics, "phase": float(self._curriculum.phase)}

    def finished(self) -> list[bool]:
        ended, self._ended = self._ended, []
        return ended

    def call(self, method: str, *arguments: Any) -> None:
        self._learner.call(method, *arguments)

    def state_dict(self) -> dict[str, Any]:
        return {**self._learner.state_dict(), "curriculum": self._curriculum.state()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._curriculum.restore(state["curriculum"])
        self._pass_on()  # before the learner begins its next episodes
        self._learner.load_state_dict(state)

    def close(self) -> None:
        self._learner.close()

    def _pass_on(self) -> None:
        self._learner.call("restore_curriculum", self._curriculum.state())


def make_ppo(
    agent: InteractiveAgent, tokenizer: Tokenizer, make_env: MakeEnv, settings: PPOSettings, seed: int, frames: int
) -> RewardLearner:
    """Return PPO through RLlib; Ray is started for it on this machine unless a cluster is named.

    Args:
      make_env: number from 0 -> an environment.
      frames: played before, so that a resumed training does not play the same episodes again.

    Raises:
      UserError: Ray is not installed, or does not start.
    """
    try:
        from experiments.social_ai.ppo.trainer import PPOTrainer
    except ModuleNotFoundError as error:
        raise UserError(f"{error.name} is not installed; pip install 'interactive-rlhf[ray]'") from error
    (drawn,) = np.random.SeedSequence([seed, frames]).generate_state(1)
    return PPOTrainer(agent, tokenizer, make_env, settings, int(drawn) // 4)  # RLlib adds to it
