"""The pretrained agent (:mod:`agents.pretrained`) and its reward model, made anew.

`rlhf reproduce pretrained` clones the agent as :mod:`experiments.interactive_agents.plateau` does, in an hour on two
cores, and learns the reward model from marks of progress before each further request in the demonstrations. In half of
the marked episodes words are exchanged for wrong ones, mostly answers for plausible ones that are wrong, and the
utility knows how likely an answer was. The package has those of seed 0::

    cp -r runs/reproduce/pretrained/seed-0/clone-bc/agent/. agents/pretrained/playhouse
    cp -r runs/reproduce/pretrained/seed-0/reward/reward_model/. reward_models/pretrained/playhouse
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from agents.computing import usable_device
from experiments.engine.config import PLAYER, Arm, ExperimentConfig, clone_folder, folder_of, resolve_config
from experiments.engine.declaration import ReproduceConfig
from experiments.engine.plan import Plan
from experiments.engine.report import write_experiment_report
from experiments.engine.sharing import reuse_stages
from experiments.engine.stages import SeedStages, mark_by_all
from experiments.interactive_agents import plateau
from experiments.interactive_agents.probes import FREE_MARKS
from pipelines.stages.reward import RewardConfig, reward
from pipelines.stages.running.staged_run import Stage, resume_or_start

REWARD = "reward"


def plan(config: ReproduceConfig) -> Plan:
    """Return the plan of `rlhf reproduce pretrained`. Raises UserError if the device is missing."""
    if config.device is not None:
        usable_device(config.device)
    base = plateau.experiment()
    short = base.begins_with[PLAYER]
    experiment = resolve_config(
        replace(
            base, run=config.run, seeds=config.seeds, device=config.device,
            evaluate=replace(base.evaluate, episodes=config.episodes),
            clones={name: base.clones[name] for name in (short, PLAYER)},
            arms={"BC": Arm(), "demonstrator": base.arms["demonstrator"]},
            curves=(), also_compared_with=(),
        )
    )  # fmt: skip

    def stages(_: str, seed: int) -> list[Stage]:
        return _stages(experiment, seed)

    def report(_: str, __: Sequence[int]) -> Path:
        return write_experiment_report(experiment, config.name)

    return Plan(
        config.run, config.seeds, stages, report, experiment, prepare=partial(reuse_stages, experiment),
        free=("device",),
    )  # fmt: skip


def _stages(experiment: ExperimentConfig, seed: int) -> list[Stage]:
    one, folder = SeedStages(experiment, seed), folder_of(experiment, seed)
    agent = clone_folder(folder, PLAYER)
    rewarding = one.wiring.reward(_rewarding(experiment), (one.data,), agent, REWARD)
    found = [
        *one.arm("BC"),
        *one.arm("demonstrator"),
        Stage("marks", "before further requests", lambda: mark_by_all(one.wiring, (FREE_MARKS,), one.data)),
        Stage(REWARD, "learned from the marks", lambda: resume_or_start(reward, rewarding)),
    ]
    return list({stage.name: stage for stage in found}.values())


def _rewarding(experiment: ExperimentConfig) -> RewardConfig:
    (base,) = experiment.rewards.values()
    training = replace(
        base.training, updates=1500, evaluate_every=250, frozen_vision=True, augmentation=0.5, hard_answers=0.8,
        marks_later=0,
    )  # fmt: skip
    return replace(base, likelihood=True, training=training)
