"""The whole loop at the size of two CPU cores, from which other presets begin.

What differs from the paper's settings (and from the defaults), and why:

* One room with three or four large things of four kinds and four colours, seen in 36x48 pixels through a narrower
  lens: a small network can learn to tell them apart in minutes.
* The nano agent, one Transformer layer: two cores train it at a few thousand frames a second.
* The agent reads and says texts no longer than its size does, of a vocabulary of 512: it is the agent of the
  published results.
* Windows of few steps and many trajectories, and a heavier CSS: what words mean is learned from many different
  situations, and a window of consecutive frames is one situation.
* Adam with a higher learning rate, and in cloning and in training the reward model beta1 = 0.9: few updates have to go
  far.
* Pictures are shifted by up to two pixels in cloning and in training the reward model, against overfitting to few
  rooms.
* The loss of unmarked drift keeps rewards at 0 where raters watched and marked nothing. Little play is marked, and the
  policy would otherwise exploit other rewards.
* The policy gradient of movement weighs eight times as much as in the paper, and imitation less: in a few hundred
  updates the paper's weight has no visible effect. Language is learned only by imitation: a reward model of this size
  does not distinguish right answers from wrong ones.

:func:`longer` has about three times the updates, of all six requests about equally often, and rewards language too, as
in the paper: its marks have enough answers for it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from agents.config import AgentConfig
from pipelines.loops.rounds import LoopConfig
from pipelines.stages.clone import CloneConfig
from pipelines.stages.evaluate import EvaluateConfig
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.mark import MarkConfig
from pipelines.stages.record import RecordConfig
from pipelines.stages.refine import RefineConfig
from pipelines.stages.reward import RewardConfig
from pipelines.stages.settings.world_config import PlayersConfig, WorldConfig
from reward_models.learning.training import RewardTrainingConfig
from rlhf.learning.cloner import CloningConfig
from rlhf.learning.config import ExecutorConfig, LearnerConfig
from rlhf.learning.refining_config import RefiningConfig

Training = TypeVar("Training", CloningConfig, RewardTrainingConfig, LearnerConfig)

_ROOM = {
    "rooms": [1, 1],
    "furniture": [0, 1],
    "objects": [3, 4],
    "room_size": [4.0, 5.0],
    "sizes": ["large"],
    "kinds": ["ball", "block", "duck", "bottle"],
    "colours": ["red", "blue", "green", "yellow"],
    "on_furniture": 0.0,
}
WORLD = WorldConfig("playhouse", 36, 48, settings=_ROOM, options={"fov_y_deg": 60.0})
ALL_TASKS = {"go": 1.5, "lift": 1.5, "position": 1.5, "color": 1.0, "count": 0.7, "exist": 1.0}
_TASKS = {"go": 8.0, "lift": 3.0, "position": 0.2, "color": 0.3, "count": 0.1, "exist": 0.2}
_SOLVER = {"wrong_object": 0.1, "motor_noise": 0.01, "hesitation": 0.02, "reaction": 0, "drop": 0.05}
# Demonstrations pack requests closely; the agent's own play has one request an episode, which setter replay repeats.
_DEMONSTRATED = PlayersConfig(
    tasks=_TASKS,
    setter={"first_request": [0, 0], "pause": [1, 3], "patience": 20},
    solver=_SOLVER,
)
_PLAYED = PlayersConfig(tasks=_TASKS, setter={"first_request": [0, 0], "follow_up": False}, solver=_SOLVER)


def loop() -> LoopConfig:
    """Settings of all stages."""
    learned = cloning(updates=3000, steps=2, css_weight=10.0, clip=20.0, decay=0.3, shift=2)
    judged = rewarding(
        updates=550, steps=40, batch=12, learning_rate=2e-3, evaluate_every=110, evaluation_episodes=150, shift=2
    )
    return LoopConfig(
        run=Path("runs/demo"),
        rounds=1,
        world=WORLD,
        demonstrations=RecordConfig(episodes=2000, steps=48, players=_DEMONSTRATED),
        clone=CloneConfig(size="nano", vocabulary=512, text_length="size", training=learned),
        play=RecordConfig(episodes=700, steps=40, slots=64, players=_PLAYED),
        held_out_play=64,
        mark=MarkConfig(),
        reward=RewardConfig(checkpoint_every=110, training=judged),
        improve=_improving(),
        evaluate=EvaluateConfig(episodes=100),
    )


def longer() -> LoopConfig:
    """Settings of all stages with three times as much to learn, and to learn from."""
    base = loop()
    played = replace(base.play.players, tasks=ALL_TASKS)
    improve = replace(
        base.improve, updates=500, evaluate_every=50, checkpoint_every=100,
        learner=replace(base.improve.learner, rl_language_weight=0.1),
    )  # fmt: skip
    return replace(
        base,
        demonstrations=replace(
            base.demonstrations, episodes=6000, players=replace(base.demonstrations.players, tasks=ALL_TASKS)
        ),
        clone=replace(base.clone, training=replace(base.clone.training, updates=9000)),
        play=replace(base.play, episodes=1400, players=played),
        held_out_play=128,
        reward=replace(base.reward, training=replace(base.reward.training, updates=1100, evaluate_every=110)),
        improve=improve,
        evaluate=replace(base.evaluate, episodes=200),
    )  # fmt: skip


def slower(size: str) -> float:
    """Return the factor of learning rates for ``size``: the width of the demo's agent over its own."""
    return AgentConfig.preset(loop().clone.size).width / AgentConfig.preset(size).width


def cloning_at(base: CloneConfig, size: str) -> CloneConfig:
    """Return the settings of cloning an agent of another size. Its learning rate follows :func:`slower`, untuned."""
    return replace(base, size=size, training=at_rate(base.training, slower(size)))


def at_rate(training: Training, factor: float) -> Training:
    """Return the settings of a training with its learning rate multiplied by ``factor``."""
    return replace(training, learning_rate=training.learning_rate * factor)


def refining(method: RefiningConfig, improve: ImproveConfig) -> RefineConfig:
    """Return the settings of a refinement by ``method``, with those that it shares with an improvement."""
    training = replace(
        method, updates=improve.updates, steps=improve.steps, batch=improve.slots + (improve.batch or improve.slots),
        learning_rate=improve.learner.learning_rate, beta2=improve.learner.beta2,
        evaluate_every=improve.evaluate_every, shift=2,
    )  # fmt: skip
    return RefineConfig(training=training)


def cloning(**others: Any) -> CloningConfig:
    """Return settings of cloning in minutes, with other values of some."""
    return replace(CloningConfig(learning_rate=1.5e-3, beta1=0.9, beta2=0.99), **others)


def rewarding(**others: Any) -> RewardTrainingConfig:
    """Return settings of training a reward model in minutes, with other values of some."""
    usual = RewardTrainingConfig(learning_rate=1e-3, beta1=0.9, beta2=0.99, calibrate=True, unmarked_drift_weight=1.0)
    return replace(usual, **others)


def learner(**others: Any) -> LearnerConfig:
    """Return settings of BC+RL's updates in minutes, with other values of some."""
    usual = LearnerConfig(
        learning_rate=3e-4, beta2=0.99, rl_movement_weight=4.0, rl_language_weight=0.0, bc_movement_weight=0.3
    )
    return replace(usual, **others)


def _improving() -> ImproveConfig:
    return ImproveConfig(
        replay="agent:clone", slots=64, steps=8, batch=32, updates=250, evaluate_every=50, checkpoint_every=125,
        torch_threads=1, learner=learner(), execution=ExecutorConfig(overlap=True),
    )  # fmt: skip
