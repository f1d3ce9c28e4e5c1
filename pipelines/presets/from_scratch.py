"""The whole loop, cloning too, in about a quarter of an hour on two cores, with the best settings for this time.

They are those of :mod:`pipelines.presets.small`, and these differ:

* All six requests are asked for about equally often.
* The agent has normed blocks in its image encoder and a glimpse (:class:`agents.config.AgentConfig`), and reads whole
  requests.
* The reward model keeps the image encoder of the cloned agent. An update takes two thirds of the time, and there are
  more of them.
* BC+RL replays the setters of demonstrations, too, and rewards what is said. It has 800 updates, at a learning rate
  that falls to a twentieth.
"""

from __future__ import annotations

from dataclasses import replace

from pipelines.loops.rounds import LoopConfig
from pipelines.presets import small
from pipelines.stages.clone import CloneConfig
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.reward import RewardConfig


def demo() -> LoopConfig:
    """`rlhf demo --preset from-scratch`."""
    base = small.loop()
    played = replace(base.play.players, tasks=small.ALL_TASKS)
    return replace(
        base,
        demonstrations=replace(
            base.demonstrations, players=replace(base.demonstrations.players, tasks=small.ALL_TASKS)
        ),
        clone=_cloning(base.clone),
        play=replace(base.play, players=played),
        reward=_rewarding(base.reward),
        improve=_improving(base.improve),
    )  # fmt: skip


def _cloning(base: CloneConfig) -> CloneConfig:
    return replace(base, network={"vision_norm": True, "glimpse": True}, text_length="auto")


def _rewarding(base: RewardConfig) -> RewardConfig:
    training = replace(base.training, updates=900, evaluate_every=150, frozen_vision=True)
    return replace(base, checkpoint_every=150, training=training)


def _improving(base: ImproveConfig) -> ImproveConfig:
    learner = replace(
        base.learner, learning_rate=1e-3, decay=0.05, rl_language_weight=4.0, bc_language_weight=0.3
    )  # fmt: skip
    return replace(base, replay=None, updates=800, evaluate_every=200, checkpoint_every=400, learner=learner)
