"""Success of arms at the checkpoints of their improvement, over updates, steps played and processor time."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from experiments.engine.config import ExperimentConfig, curve_of, folder_of
from experiments.engine.figures import Series
from experiments.engine.results_docs import ResultTable
from experiments.engine.rows import Row, Rows, grouped, of_seeds, rows_of_results, seed_means
from experiments.engine.stages import SeedStages
from experiments.engine.table import Cell, by_arm, format_range, shown, table
from pipelines.stages.evaluate import load_results
from pipelines.stages.running.staged_run import finished_stages

CURVES = "over updates"


def curve_rows(config: ExperimentConfig, title: str) -> Iterator[Row]:
    """Yield all episodes of the seeds whose checkpoints have all been evaluated.

    ``updates`` is the checkpoint's, ``hours`` the core-hours of the improvement until then, if they were measured;
    processor time is taken as even over the updates.
    """
    for arm in config.curves:
        settings = config.arms[arm].improve
        assert settings is not None
        for seed in config.seeds:
            stages = SeedStages(config, seed)
            done = {stage.name: stage.core_seconds for stage in finished_stages(folder_of(config, seed))}
            if stages.curve(arm).name not in done:
                continue
            whole = done.get(stages.improve(arm).name)
            for result in load_results(curve_of(config, arm, seed)):
                updates = int(result.agent)
                hours = {} if whole is None else {"hours": whole / 3600 * updates / settings.updates}
                measures = {"updates": updates, **hours}
                yield from rows_of_results(f"{title}/{CURVES}", arm, seed, [result], measures)


def followed(rows: Rows) -> Series:
    """Return updates and success at each, the mean over probes, of every seed of every arm."""
    return {arm: [_curve(seed) for seed in of_seeds(own).values()] for arm, own in grouped(rows, by_arm).items()}


def _curve(rows: Rows) -> tuple[np.ndarray, np.ndarray]:
    at = sorted(grouped(rows, lambda row: int(row.measures["updates"])).items())
    return np.array([updates for updates, _ in at], dtype=float), np.array([_rate(own) for _, own in at])


def _rate(rows: Rows) -> float:
    """Success of one seed: the mean over probes."""
    probes = grouped(rows, lambda row: row.probe).values()
    return float(np.mean([sum(bool(row.success) for row in own) / len(own) for own in probes]))


def about(config: ExperimentConfig) -> str:
    """Return what the table shows."""
    return (
        f"Success over all probes in per cent, {config.curve_episodes} episodes a probe, seed and checkpoint: means of "
        "the seeds, with the least and the greatest. Steps are those that the agent played. Core-hours are the "
        "improvement's, without what came before it."
    )


def curves_table(rows: Rows, config: ExperimentConfig) -> ResultTable:
    """Return success over updates, a line a checkpoint, with the steps that were played and the core-hours."""
    settings = config.arms[config.curves[0]].improve  # steps of an update are the same for all arms in ``curves``
    assert settings is not None
    steps = settings.slots * settings.steps / 1e6
    columns = [
        column
        for arm in config.curves
        for column in ((arm, _of(arm, shown(_success))), (f"{arm}, core-hours", _of(arm, _hours)))
    ]
    updates = sorted({int(row.measures["updates"]) for row in rows})
    return table(
        rows, ("updates", "million steps"), columns, lambda row: _line(steps, int(row.measures["updates"])),
        map(partial(_line, steps), updates),
    )  # fmt: skip


def _line(steps: float, updates: int) -> tuple[str, str]:
    return f"{updates:,}", f"{updates * steps:.2f}"


def _of(arm: str, cell: Cell) -> Cell:
    return lambda rows: cell([row for row in rows if row.arm == arm])


def _success(rows: Rows) -> str:
    return format_range([100 * _rate(own) for own in of_seeds(rows).values()])


def _hours(rows: Rows) -> str:
    return f"{np.mean(hours):.2f}" if (hours := seed_means(rows, "hours")) else ""
