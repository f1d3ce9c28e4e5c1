"""Settings of the part: what is learned, what is held out, and how agents learn from marks.

Two cues and two problems, of which two combinations are learned and the other two held out: one that points at a box,
and one that says the colour of a door. There are always two objects, so that who ignores the cue is right at every
second time. The caretaker gives its cue at once, without an introduction. In rooms of 7 x 7 cells an agent sees most.
As in the case studies, objects have two colours, and an episode ends when the apple is lost. 300 demonstrations are
too few: agents that imitate them ignore both cues, and so do those that are improved from there.

Cloning, reward model and BC+RL have the settings of BabyAI (:mod:`experiments.babyai.experiment`), which is a grid as
well, and whose agents do not speak either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from experiments.engine.config import PLAYER, Arm, ExperimentConfig
from pipelines.presets import small
from pipelines.stages.clone import CloneConfig
from pipelines.stages.evaluate import EvaluateConfig
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.mark import MarkConfig
from pipelines.stages.record import RecordConfig
from pipelines.stages.reward import RewardConfig
from pipelines.stages.settings.world_config import WorldConfig
from reward_models.learning.config import RewardTrainingConfig
from rlhf.learning.cloner import CloningConfig

STEPS = 80
# Of all environments of the part.
PLACE: Mapping[str, Any] = {"size": 7, "n_colors": 2, "stop_when_lost": True}
TREE = "SocialAI-SocialAIParamEnv-v1"
_SHARED = {
    "Env_type": "Information_seeking", "Pragmatic_frame_complexity": "No", "Scaffolding": "N", "N": "2", "Peer": "Y",
}  # fmt: skip
LEARNED: Sequence[Mapping[str, str]] = (
    {**_SHARED, "Cue_type": "Pointing", "Problem": "Boxes"},
    {**_SHARED, "Cue_type": "Language_Color", "Problem": "Doors"},
)
HELD_OUT: Sequence[Mapping[str, str]] = (
    {**_SHARED, "Cue_type": "Pointing", "Problem": "Doors"},
    {**_SHARED, "Cue_type": "Language_Color", "Problem": "Boxes"},
)
PROBES = ("boxes", "doors")
MARKED = "BC+RL (marks)"


def world_of(combinations: Sequence[Mapping[str, Any]]) -> WorldConfig:
    """Return the school with places of these combinations of parameters only, each equally often."""
    settings = {"only": [dict(one) for one in combinations], **PLACE}
    return WorldConfig("school", settings=settings)


def marked_study() -> ExperimentConfig:
    """Return the experiment of the agents that learn from demonstrations and marks."""
    world = world_of(LEARNED)
    arms = {"BC": Arm(), MARKED: Arm(reward="ibt", improve=_improving(world))}
    return ExperimentConfig(
        demonstrations=RecordConfig(episodes=3000, steps=STEPS, world=world),
        clones={PLAYER: CloneConfig(vocabulary=512, text_length="size", training=_cloning())},
        play=RecordConfig(episodes=1000, steps=STEPS, slots=64, world=world),
        held_out_play=32,
        mark=MarkConfig(delay=0.3, delay_sd=0.3, longest_delay=1),
        rewards={"ibt": RewardConfig(checkpoint_every=100, training=_rewarding())},
        arms=arms,
        evaluate=EvaluateConfig(episodes=100, slots=50, probes=PROBES, world=world),
        also_evaluated_on=(),
    )


def _cloning() -> CloningConfig:
    return small.cloning(
        updates=3000, steps=8, batch=32, language_weight=0.1, css_weight=0.1, evaluate_every=250, keep="best"
    )


def _rewarding() -> RewardTrainingConfig:
    return small.rewarding(
        updates=400, steps=24, batch=16, evaluate_every=100, css_weight=0.1, bc_weight=0.1, augmentation=0.0,
        unmarked_margin=1,
    )  # fmt: skip


def _improving(world: WorldConfig) -> ImproveConfig:
    return ImproveConfig(
        replay="agent", slots=32, steps=16, batch=16, updates=800, evaluate_every=100, checkpoint_every=100,
        torch_threads=1, world=world,
        learner=small.learner(bc_language_weight=0.1, css_weight=0.1),
    )  # fmt: skip
