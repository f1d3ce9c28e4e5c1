"""BabyAI: success by the number of the bot's demonstrations, and BC+RL from scripted marks.

`rlhf reproduce babyai` (Chevalier-Boisvert et al., 2019, "BabyAI"). Its parts are named
LEVEL/OBSERVED/DEMONSTRATIONS, e.g. `GoToLocal/grid/1000`; `--parts` chooses some. Every part is an experiment of its
own:

* The demonstrator is the bot that comes with minigrid, with a random action at one step in twenty, and now and then a
  stretch of them. Published figures are of the perfect bot.
* An agent observes the level's own symbols ("grid"), or a picture of what it faces in 56x56 pixels ("pictures"), and
  its mission as the setter's words.
* Cloning keeps the weights that imitate validation episodes best: mistakes of few demonstrations are soon learned by
  heart. The contrastive loss weighs much, so that words are learned before. Updates grow with the demonstrations, but
  slower.
* At 1,000 demonstrations, the agent's own play is marked by scripted raters (a success is progress, an end without it a
  regress), a reward model learns from the marks, and BC+RL improves the agent in the missions of its own play. Another
  one has no more than one person gives in an afternoon, of the agent's own play. Missions are asked for once, so no
  further request says for free that the one before was carried out.

Differences from the paper's settings are those of :mod:`pipelines.presets.small`, but for weights of losses: the
setter speaks once and the solver never, so language is not rewarded.
"""

from __future__ import annotations

from dataclasses import replace

from experiments.engine.config import PLAYER, TRUTH, Arm, ExperimentConfig
from pipelines.presets import small
from pipelines.stages.clone import CloneConfig
from pipelines.stages.evaluate import EvaluateConfig
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.mark import MarkConfig
from pipelines.stages.record import RecordConfig
from pipelines.stages.reward import RewardConfig
from pipelines.stages.settings.world_config import PlayersConfig, WorldConfig
from reward_models.learning.config import RewardTrainingConfig
from rlhf.learning.cloner import CloningConfig
from rlhf.learning.config import ExecutorConfig

# Most steps of a level's episodes. The bot needs about 5, 6, 7 and 14.
LEVELS = {"GoToObj": 64, "GoToLocal": 64, "PickupLoc": 64, "PutNextLocal": 128}
OBSERVED = {"grid": {}, "pictures": {"picture": 56}}
UPDATES = {1_000: 1_000, 5_000: 2_500, 20_000: 6_000, 60_000: 12_000}  # of cloning, by demonstrations
IMPROVED = 1_000  # demonstrations at which BC+RL is compared with BC
AFTERNOON = "600 marks"
_PLAYERS = PlayersConfig(solver={"error": 0.05, "distraction": 0.005})


def parts() -> dict[str, ExperimentConfig]:
    """`rlhf reproduce babyai`, the parts with few demonstrations first."""
    return {
        f"{level}/{observed}/{count}": _part(level, observed, count)
        for count in UPDATES
        for observed in OBSERVED
        for level in LEVELS
    }


def _part(level: str, observed: str, demonstrations: int) -> ExperimentConfig:
    options = {"linger": 1, **OBSERVED[observed]}
    world = WorldConfig(f"gym:BabyAI-{level}-v0", options=options)
    recorded = RecordConfig(episodes=demonstrations, steps=LEVELS[level], world=world, players=_PLAYERS)
    mark, arms = MarkConfig(delay=0.3, delay_sd=0.3, longest_delay=1), {"BC": Arm()}
    if demonstrations == IMPROVED:
        arms |= {
            "BC+RL (IBT)": Arm(reward="ibt", improve=_improving(world)),
            f"BC+RL ({AFTERNOON})": Arm(reward="ibt", improve=_improving(world), marks=AFTERNOON),
            "BC+RL (scripted reward)": Arm(reward=TRUTH, improve=_improving(world)),
            "demonstrator": Arm(clone="scripted"),
        }
    return ExperimentConfig(
        demonstrations=recorded,
        clones={PLAYER: CloneConfig(vocabulary=512, text_length="size", training=_cloning(UPDATES[demonstrations]))},
        play=RecordConfig(episodes=1_000, steps=LEVELS[level], slots=64, world=world, players=_PLAYERS),
        held_out_play=64,
        mark=mark,
        marks={AFTERNOON: (replace(mark, solver="agent", most=600),)},
        rewards={"ibt": RewardConfig(checkpoint_every=100, training=_rewarding())},
        arms=arms,
        evaluate=EvaluateConfig(episodes=200, slots=64, world=world, players=_PLAYERS),
        also_evaluated_on=(),
    )


def _cloning(updates: int) -> CloningConfig:
    return small.cloning(
        updates=updates, steps=4, batch=64, movement_weight=0.3, language_weight=0.1, css_weight=10.0,
        evaluate_every=max(100, updates // 20), keep="best", patience=5,
    )  # fmt: skip


def _rewarding() -> RewardTrainingConfig:
    return small.rewarding(
        updates=500, steps=24, batch=16, evaluate_every=100, bc_weight=0.1, augmentation=0.0, unmarked_margin=1
    )


def _improving(world: WorldConfig) -> ImproveConfig:
    return ImproveConfig(
        replay="agent", slots=64, steps=8, batch=32, updates=400, evaluate_every=50, checkpoint_every=100,
        torch_threads=1, world=world,
        learner=small.learner(bc_language_weight=0.1),
        execution=ExecutorConfig(overlap=True),
    )  # fmt: skip
