"""The demo: one round of improvement of the pretrained agent, in minutes on two cores.

World and players are those of :mod:`pipelines.presets.small`, and these differ:

* The agent and the reward model that rounds begin with are the pretrained ones (:mod:`agents.pretrained`). Half as
  many demonstrations are recorded, to go on imitating them.
* All six requests are asked for about equally often. The agent's play has up to 96 steps a request, as putting one
  thing beside another takes that long, and ends soon after a request is fulfilled or was answered wrongly.
* The reward model learns from marks of this play alone, as the pretrained one has learned from demonstrations. It keeps
  imitating them, which preserves what it knows of answers, and keeps the image encoder, which makes updates cheaper;
  so does BC+RL.
* BC+RL learns from windows of 16 steps, in which answers and what they were about are together. It replays the setters
  of demonstrations, too. The discount of .98 leaves looking around before an answer worth the time. Movement is
  imitated with the paper's weight of 1: with .3, as in other presets, one of three seeds lost most of *Position*.
"""

from __future__ import annotations

from dataclasses import replace

import agents.pretrained
import reward_models.pretrained
from pipelines.loops.rounds import LoopConfig
from pipelines.presets import from_scratch, small
from pipelines.presets.small import WORLD
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.refine import RefineConfig
from pipelines.stages.reward import RewardConfig
from rlhf.learning.refining_config import RefiningConfig

__all__ = ["WORLD", "demo", "refine"]


def demo() -> LoopConfig:
    """`rlhf demo`."""
    base = from_scratch.demo()
    return replace(
        base,
        agent=agents.pretrained.PLAYHOUSE,
        reward_model=reward_models.pretrained.PLAYHOUSE,
        demonstrations=replace(base.demonstrations, episodes=1000),
        marked_demonstrations="none",
        play=replace(base.play, steps=96, tail=16),
        reward=_rewarding(base.reward),
        improve=_improving(base.improve),
    )


def refine() -> RefineConfig:
    """`rlhf refine`: as many updates of as many steps as the demo's improvement has."""
    return small.refining(RefiningConfig(), demo().improve)


def _rewarding(base: RewardConfig) -> RewardConfig:
    training = replace(base.training, updates=500, evaluate_every=100, learning_rate=1e-3)
    return replace(base, imitate="all", checkpoint_every=100, training=training)


def _improving(base: ImproveConfig) -> ImproveConfig:
    return replace(
        base, updates=300, steps=16, slots=32, batch=16, evaluate_every=100, checkpoint_every=150,
        learner=replace(
            base.learner, learning_rate=1e-3, decay=0.1, discount=0.98, frozen_vision=True, bc_movement_weight=1.0,
            bc_language_weight=0.3, rl_language_weight=4.0,
        ),
    )  # fmt: skip
