"""Processor time of each arm of an experiment, of the stages that it needs, reported beside its success."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from experiments.engine.config import ExperimentConfig, folder_of
from experiments.engine.results_docs import markdown_table
from experiments.engine.stages import SeedStages
from pipelines.stages.running.staged_run import finished_stages

_EVALUATION = ("evaluate ", "follow ")  # beginnings of the names of stages that make no agent


@dataclass(frozen=True)
class ArmCost:
    """Processor time of one arm of one seed, in hours of one core.

    Args:
      whole: of all stages that make its agent, from the demonstrations on.
      own: of those that the arm it is compared with does not need.
    """

    whole: float
    own: float


def costs(config: ExperimentConfig) -> dict[str, dict[int, ArmCost]]:
    """Sum up the processor time of every arm, for the seeds whose stages are complete and were measured."""
    found: dict[str, dict[int, ArmCost]] = {}
    needed = {arm: _making(config, arm) for arm in config.arms}
    for seed in config.seeds:
        measured = {stage.name: stage.core_seconds for stage in finished_stages(folder_of(config, seed))}
        for arm, names in needed.items():
            known = {name: value for name in names if (value := measured.get(name)) is not None}
            if len(known) == len(names):
                own = sum(value for name, value in known.items() if name not in needed[config.compared_with])
                found.setdefault(arm, {})[seed] = ArmCost(sum(known.values()) / 3600.0, own / 3600.0)
    return found


def costs_table(config: ExperimentConfig) -> str:
    """Format the processor time of every arm as Markdown, means over seeds."""
    head = ["agent", "core-hours", f"more than {config.compared_with}", "seeds"]
    rows = list[tuple[str, ...]]()
    for name, seeds in costs(config).items():
        whole, own = (_mean(seeds, part) for part in ("whole", "own"))
        rows.append((name, f"{whole:.2f}", f"{own:.2f}", ", ".join(map(str, seeds))))
    first = "Processor time of the stages that make each agent, of one core, without evaluations, mean of a seed."
    return f"{first}\n\n{markdown_table(head, rows)}"


def _mean(seeds: Mapping[int, ArmCost], part: str) -> float:
    return sum(getattr(one, part) for one in seeds.values()) / len(seeds)


def _making(config: ExperimentConfig, arm: str) -> list[str]:
    """Names of the stages that make the agent of an arm, which are those of every seed."""
    names = [stage.name for stage in SeedStages(config, config.seeds[0]).arm(arm)]
    return [name for name in names if not name.startswith(_EVALUATION)]
