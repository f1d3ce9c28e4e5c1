"""The loop in the household: a helper of Alice is cloned from a scripted one, and improved by marks.

Alice acts herself and asks for help in words. The loop takes some hours on two cores. What differs from the paper's
settings, and why:

* The nano agent sees entities, no pictures: nearly as fast as the Playhouse's, which sees 36x48 pixels.
* Windows of few steps and many trajectories, Adam with a higher learning rate and beta1 = 0.9, as in the demo.
* CSS has no weight: most of what a request names is in other rooms, so that words and what is seen hardly match.
* Setters are live: Alice plans again at every step, as what a replayed one does depends on her recorded helper.
"""

from __future__ import annotations

from pathlib import Path

from pipelines.loops.rounds import LoopConfig
from pipelines.presets import small
from pipelines.stages.clone import CloneConfig
from pipelines.stages.evaluate import EvaluateConfig
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.mark import MarkConfig
from pipelines.stages.record import RecordConfig
from pipelines.stages.reward import RewardConfig
from pipelines.stages.settings.world_config import PlayersConfig, WorldConfig

WORLD = WorldConfig("household")
STEPS = 250  # of an episode
_ALICE = PlayersConfig(setter={"acts": True})


def demo() -> LoopConfig:
    """`rlhf demo --preset household`."""
    return LoopConfig(
        run=Path("runs/demo"),
        rounds=1,
        world=WORLD,
        demonstrations=RecordConfig(episodes=4000, steps=STEPS, tail=3, players=_ALICE),
        clone=CloneConfig(
            vocabulary=512,
            text_length="size",
            training=small.cloning(updates=20_000, steps=8, batch=32, css_weight=0.0, learning_rate=1e-3)
        ),
        play=RecordConfig(episodes=400, steps=STEPS, players=_ALICE),
        held_out_play=40,
        mark=MarkConfig(),
        reward=RewardConfig(
            training=small.rewarding(updates=1000, steps=40, batch=12, css_weight=0.0, evaluate_every=100)
        ),
        improve=ImproveConfig(
            setters="live", slots=32, steps=20, updates=500, evaluate_every=50, checkpoint_every=50,
            evaluation_episodes=20,
            learner=small.learner(bc_movement_weight=1.0),
        ),
        evaluate=EvaluateConfig(episodes=50),
    )  # fmt: skip
