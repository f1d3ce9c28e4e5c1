"""Several agents that differ in one thing each, trained from several seeds and compared on the same episodes.

Stages that agents share run once for each seed (demonstrations, the cloned agent, its play, its marks), and so does
every reward model that several of them are improved against. Finished stages of neighbouring experiments are reused.
The table is written again whenever another agent has been evaluated; cells of missing agents are "not run".
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from agents.computing import usable_device
from experiments.engine.config import ExperimentConfig, resolve_config
from experiments.engine.plan import Plan
from experiments.engine.report import write_experiment_report
from experiments.engine.sharing import reuse_stages
from experiments.engine.stages import SeedStages
from pipelines.stages.running.staged_run import Stage
from worlds.errors import UserError


def plan_arms(config: ExperimentConfig, title: str, only: Sequence[str] = ()) -> Plan:
    """Return the plan that trains and evaluates every arm from every seed, the first arms of all seeds first.

    Args:
      only: names of arms to run now; empty: all.

    Raises:
      UserError: if ``only`` names unknown arms, or the device is missing.
    """
    if unknown := [name for name in only if name not in config.arms]:
        raise UserError(f"no arm {unknown[0]!r} in this experiment; known: {', '.join(config.arms)}")
    if config.device is not None:
        usable_device(config.device)  # refuse a missing device before the first training
    config = resolve_config(config)

    def stages(arm: str, seed: int) -> list[Stage]:
        return SeedStages(config, seed).arm(arm)

    def report(_: str, __: Sequence[int]) -> Path:
        return write_experiment_report(config, title)

    return Plan(
        config.run, config.seeds, stages, report, config, parts=tuple(only or config.arms),
        prepare=partial(reuse_stages, config), free=("device", "also_compared_with"),
    )  # fmt: skip
