"""Training of one agent of a case study by rewards alone, with V-trace or PPO, tested as it goes on.

```
ARM/seed-S/metrics.jsonl: a row every some frames: success in training and in the tests
ARM/seed-S/checkpoints/...: the agent, from which a run is resumed
```
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch

from agents.acting import AgentSolvers
from agents.agent import InteractiveAgent
from agents.config import AgentConfig
from agents.folder import save_agent
from agents.tokenizer import Tokenizer
from experiments.social_ai.cases import TWO_LEARNERS, Arm
from experiments.social_ai.exploration.bonuses import ExplorationBonus, make_bonus
from experiments.social_ai.learners import CurriculumLearner, RewardLearner, VTraceLearner, make_ppo
from experiments.social_ai.ppo.settings import PPOSettings
from experiments.social_ai.solver_env import SPEC, SolverEnv
from experiments.social_ai.two_sides import Side, two_sides
from pipelines.stages.training import train_in
from rlhf.learning.config import LearnerConfig, Schedule
from rlhf.run.checkpoint import Checkpoints
from rlhf.run.json_lines import Row, read_rows
from rlhf.run.tracking import METRICS_FILE
from worlds.errors import UserError
from worlds.school.environments.sampled import SampledEnv
from worlds.school.environments.two_learners import TwoLearners
from worlds.school.grid.codes import COLOUR_NAMES
from worlds.school.grid.dialogue import sentences
from worlds.school.tasks import INSTRUCTION
from worlds.spaces.description import to_json

_PUBLISHED_STEPS = 40  # frames of a process in an update, by which the published code divides a bonus
# What peers say, of which tokens are learned.
_SAID = ("Hot", "Medium", "Warm", "Cold", *COLOUR_NAMES)
_PEERS = ("Caretaker", "Partner", "Peer")


@dataclass(frozen=True)
class SchoolTraining:
    """Size of a training by rewards alone.

    Updates are small and many, since a reward is rare: of 640 frames each, agents of `asocial-box` succeed in at most
    half of the episodes after 400,000 frames, of 160 each in nearly all after 300,000. beta2 is low: after many updates
    without a reward, one with Adam's usual 0.999 is so large that it can end exploration.

    Args:
      frames: steps of all environments together.
      envs: N, environments played in lock step, under V-trace and in tests.
      steps: T, steps of each in an update of V-trace.
      test_every: frames between tests; another one is made at the end.
      test_episodes: of each test; their seeds are always 0, 1 and so on, as in the published code.
      agent: sizes of the agent.
      learner: the update of V-trace.
      ppo: settings of PPO, which learns instead of V-trace; None is V-trace.
    """

    frames: int = 2_000_000
    envs: int = 32
    steps: int = 5
    test_every: int = 100_000
    test_episodes: int = 50
    agent: Mapping[str, Any] = field(
        default_factory=lambda: {
            "width": 32,
            "heads": 2,
            "language_heads": 2,
            "memory_width": 96,
            "vision_channels": (24,),
            "vision_strides": (4,),
            "vision_blocks": (1,),
            "setter_text_length": 6,
            "solver_text_length": 2,
            "utterance_length": 3,
            "feels_movement": True,
        }
    )
    learner: LearnerConfig = field(
        default_factory=lambda: LearnerConfig(
            rl_movement_weight=1.0,
            rl_language_weight=0.2,
            value_weight=0.5,
            no_op_kl_weight=0.0,
            entropy_weight=0.003,
            discount=0.99,
            lambda_=0.95,
            learning_rate=5e-4,
            beta1=0.9,
            beta2=0.99,
            clip=0.5,
        )
    )
    ppo: PPOSettings | None = None


def make_env(arm: Arm) -> gymnasium.Env:
    """Return an environment of an arm, as a solver observes it and acts in it, with its bonus."""
    return _as_solver(_sampled(arm), arm)


def _sampled(arm: Arm) -> SampledEnv:
    return SampledEnv(arm.id, dict(arm.allowed) or None, **arm.settings)


def make_places(arms: Sequence[Arm]) -> Callable[[int], gymnasium.Env]:
    """Return what makes the environment of a place from its number; the sides of a game have 0 and 1, 2 and 3 etc."""
    games: dict[int, Sequence[Side]] = {}

    def place(number: int) -> gymnasium.Env:
        arm = arms[number % len(arms)]
        if arm.id != TWO_LEARNERS:
            return make_env(arm)
        if number // 2 not in games:
            games[number // 2] = two_sides(TwoLearners(arm.allowed, **arm.settings))
        return _as_solver(games[number // 2][number % 2], arm)

    return place


def _as_solver(env: gymnasium.Env, arm: Arm) -> gymnasium.Env:
    if arm.bonus:
        counted = {"scale": arm.scale / _PUBLISHED_STEPS} if arm.bonus in ("cb", "cbl") else {}
        env = ExplorationBonus(env, make_bonus(arm.bonus, env, **counted))
    return SolverEnv(env)


def make_agent(training: SchoolTraining, seed: int) -> tuple[InteractiveAgent, Tokenizer]:
    """Return an untrained agent and its tokenizer."""
    heard = [f"{peer}: {said}" for peer in _PEERS for said in _SAID]
    tokenizer = Tokenizer.train([INSTRUCTION, *heard, *(each.strip() for each in sentences())], 400)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        agent = InteractiveAgent(AgentConfig(spaces=to_json(SPEC), vocab_size=tokenizer.vocab_size, **training.agent))
    return agent, tokenizer


def train(
    folder: Path,
    arm: Arm | Sequence[Arm],
    tests: Mapping[str, Arm],
    training: SchoolTraining,
    seed: int,
    begin_with: InteractiveAgent | None = None,
) -> list[Row]:
    """Train an agent, or resume its training, and return the rows of its metrics.

    Args:
      arm: what it learns in; of several, each is played in as many environments as the others.
      begin_with: agent whose weights it begins with; None begins from scratch.
    """
    agent, tokenizer = make_agent(training, seed)
    if begin_with is not None:
        agent.load_state_dict(begin_with.state_dict())
    checkpoint, frames = Checkpoints(folder).latest_if_any(), 0
    if checkpoint is not None:
        checkpoint.load_weights_into(agent)
        frames = checkpoint.step
        if frames >= training.frames:
            return read_rows(folder / METRICS_FILE)
    arms = [arm] if isinstance(arm, Arm) else arm
    every = training.test_every
    schedule = Schedule(training.frames, log_every=every, evaluate_every=every)
    with closing(_make_learner(agent, tokenizer, arms, training, seed, frames)) as learner:

        def test() -> dict[str, float]:
            return {name: measure(agent, tokenizer, test, training, seed) for name, test in tests.items()}

        tested = Tested(agent, learner, frames, test)
        train_in(
            folder, tested, schedule, lambda into: save_agent(agent, tokenizer, into), every, folder.name, "frames"
        )
    return read_rows(folder / METRICS_FILE)


class Tested:
    """An agent that learns by rewards alone (:class:`rlhf.learning.training.Trainable`), counted in frames.

    Args:
      frames: frames that were played before the learner was made.
      test: returns the success in each test.
    """

    counted: Mapping[str, float] = {}

    def __init__(
        self, agent: InteractiveAgent, learner: RewardLearner, frames: int, test: Callable[[], dict[str, float]]
    ) -> None:
        self.model, self._learner, self._before, self._test = agent, learner, frames, test
        self._successes: list[bool] = []  # of the episodes that ended since the last test

    @property
    def done(self) -> int:
        return self._before + self._learner.frames

    def update(self, progress: float) -> dict[str, float]:
        metrics = self._learner.update()
        self._successes += self._learner.finished()
        return {name: metrics[name] for name in ("entropy", "explained", "phase") if name in metrics}

    def evaluate(self) -> dict[str, float]:
        success, self._successes = float(np.mean(self._successes or [0.0])), []
        return {"train": success} | self._test()

    def score(self, metrics: Mapping[str, float]) -> None:
        return None

    def note(self, metrics: Mapping[str, float]) -> str:
        return f"success {np.mean(self._successes[-500:]):.1%}" if self._successes else ""

    def state_dict(self) -> dict[str, Any]:
        return {"learner": self._learner.state_dict(), "successes": list(self._successes)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._learner.load_state_dict(state["learner"])
        self._successes = list(state["successes"])


def _make_learner(
    agent: InteractiveAgent, tokenizer: Tokenizer, arms: Sequence[Arm], training: SchoolTraining, seed: int, frames: int
) -> RewardLearner:
    """Return the learner that a training names, before which ``frames`` were played."""
    steered = [arm for arm in arms if "curriculum" in arm.settings]
    if steered and any(arm != steered[0] for arm in arms):
        raise UserError("all environments of an agent with a curriculum have to be alike, since they follow one")
    environment = make_places(arms)
    together = any(arm.id == TWO_LEARNERS for arm in arms)
    if together and training.ppo is not None:
        raise UserError("two learners learn by V-trace, since PPO plays every environment by itself; leave out /ppo")
    if together and training.envs % 2:
        raise UserError(f"two learners need an even number of environments, not {training.envs}")
    learner: RewardLearner
    if training.ppo is not None:
        learner = make_ppo(agent, tokenizer, environment, training.ppo, seed, frames)
    else:
        updates = -(-training.frames // (training.envs * training.steps))
        learner = VTraceLearner(
            agent, tokenizer, environment, training.envs, training.steps, training.learner, seed, updates
        )
    if not steered:
        return learner
    curriculum = _sampled(steered[0]).curriculum
    assert curriculum is not None
    return CurriculumLearner(learner, curriculum)


def measure(agent: InteractiveAgent, tokenizer: Tokenizer, test: Arm, training: SchoolTraining, seed: int) -> float:
    """Return the share of a test's episodes in which an agent succeeds, with sampled actions.

    Args:
      training: how many episodes, and in how many environments at once.
    """
    slots = min(training.envs, training.test_episodes)
    envs = [make_env(test) for _ in range(slots)]
    agent.eval()
    players = AgentSolvers(agent, tokenizer, slots, seed)
    waiting = list(range(training.test_episodes))
    seen = [env.reset(seed=waiting.pop(0))[0] for env in envs]
    begins, playing = np.ones(slots, np.bool_), np.ones(slots, np.bool_)
    successes = 0
    while playing.any():
        actions = players.act(seen, begins)  # type: ignore[arg-type]
        begins = np.zeros(slots, np.bool_)
        for slot in np.flatnonzero(playing).tolist():
            seen[slot], _, terminated, truncated, info = envs[slot].step(actions[slot])
            if terminated or truncated:
                successes += bool(info["success"])
                playing[slot] = bool(waiting)
                if waiting:
                    seen[slot], begins[slot] = envs[slot].reset(seed=waiting.pop(0))[0], True
    for env in envs:
        env.close()
    agent.train()
    return successes / training.test_episodes
