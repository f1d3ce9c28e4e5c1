"""Processor time of each arm of an experiment, of the stages that it needs, reported beside its success."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.engine.config import ExperimentConfig, folder_of
from experiments.engine.results_docs import ResultTable
from experiments.engine.rows import Row, Rows
from experiments.engine.stages import SeedStages
from experiments.engine.table import mean, seeds, table
from pipelines.stages.running.staged_run import finished_stages

COSTS = "processor time"
ABOUT = "Processor time of the stages that make each agent, of one core, without evaluations, mean of a seed."
_EVALUATION = ("evaluate ", "follow ")  # beginnings of the names of stages that make no agent


def cost_rows(config: ExperimentConfig, title: str) -> Iterator[Row]:
    """Yield the hours of one core that every arm took, for the seeds whose stages are complete and were measured.

    ``whole`` is of all stages that make an agent, from the demonstrations on, ``own`` of those that the arm it is
    compared with does not need.
    """
    needed = {arm: _making(config, arm) for arm in config.arms}
    for arm, names in needed.items():
        for seed in config.seeds:
            measured = {stage.name: stage.core_seconds for stage in finished_stages(folder_of(config, seed))}
            known = {name: value for name in names if (value := measured.get(name)) is not None}
            if len(known) == len(names):
                own = sum(value for name, value in known.items() if name not in needed[config.compared_with])
                hours = {"whole": sum(known.values()) / 3600.0, "own": own / 3600.0}
                yield Row(f"{title}/{COSTS}", arm, seed, measures=hours)


def costs_table(rows: Rows, compared_with: str) -> ResultTable:
    """Return the processor time of every arm, means over seeds."""
    columns = ("core-hours", mean("whole", ".2f")), (f"more than {compared_with}", mean("own", ".2f")), ("seeds", seeds)
    return table(rows, "agent", columns)


def _making(config: ExperimentConfig, arm: str) -> list[str]:
    """Names of the stages that make the agent of an arm, which are those of every seed."""
    names = [stage.name for stage in SeedStages(config, config.seeds[0]).arm(arm)]
    return [name for name in names if not name.startswith(_EVALUATION)]
