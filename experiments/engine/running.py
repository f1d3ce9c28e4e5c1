"""Several agents that differ in one thing each, trained from several seeds and compared on the same episodes.

Stages that agents share run once for each seed (demonstrations, the cloned agent, its play, its marks), and so does
every reward model that several of them are improved against. Finished stages of neighbouring experiments are reused.
The table is written again whenever another agent has been evaluated; cells of missing agents are "not run".
"""

from __future__ import annotations

from collections.abc import Iterator

from agents.computing import usable_device
from experiments.engine.config import ExperimentConfig, folder_of, resolve_config
from experiments.engine.sharing import reuse_stages
from experiments.engine.stages import SeedStages
from pipelines.stages.running.staged_run import open_run, run_stages
from rlhf.run.config import lock_run
from worlds.errors import UserError


def run_experiment(config: ExperimentConfig, only: tuple[str, ...] = ()) -> Iterator[tuple[str, int]]:
    """Train and evaluate every arm from every seed, the first arms of all seeds first; yield (arm, seed) after each.

    An interrupted experiment resumes. Finished stages of experiments in neighbouring folders are reused.

    Args:
      config: of the experiment.
      only: names of arms to run now; empty: all.

    Raises:
      UserError: if the folder holds another experiment, ``only`` names unknown arms, or the device is missing.
    """
    if unknown := [name for name in only if name not in config.arms]:
        raise UserError(f"no arm {unknown[0]!r} in this experiment; known: {', '.join(config.arms)}")
    if config.device is not None:
        usable_device(config.device)  # refuse a missing device before the first training
    config = resolve_config(config)
    open_run(config.run, config, "experiment", free=("seeds", "device", "also_compared_with"), option="--runs")
    with lock_run(config.run):
        reuse_stages(config)
        for name in only or config.arms:
            for seed in config.seeds:
                run_stages(folder_of(config, seed), SeedStages(config, seed).arm(name), title=f"{name}, seed {seed}: ")
                yield name, seed
