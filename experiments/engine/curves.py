"""Success of arms at the checkpoints of their improvement, over updates, steps played and processor time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from experiments.engine.config import ExperimentConfig, curve_of, folder_of
from experiments.engine.figures import Series
from experiments.engine.results_docs import markdown_table
from experiments.engine.stages import SeedStages
from experiments.engine.table import NOT_RUN, format_range
from pipelines.stages.evaluate import ProbeResult, load_results
from pipelines.stages.running.staged_run import finished_stages


def followed(config: ExperimentConfig) -> Series:
    """Return updates and success at each, of every seed so far, for the arms in ``curves`` that have some."""
    found = {arm: [curve for _, curve in _seeds(config, arm)] for arm in config.curves}
    return {arm: curves for arm, curves in found.items() if curves}


def curves_table(config: ExperimentConfig) -> str:
    """Format success over updates as Markdown, with the steps that were played and the core-hours that it took.

    A line is an evaluated checkpoint. Seeds are averaged, with the least and the greatest; an improvement's processor
    time is taken as even over its updates.
    """
    series = followed(config)
    updates = sorted({int(x) for curves in series.values() for xs, _ in curves for x in xs})
    head = ["updates", "million steps", *(cell for arm in config.curves for cell in (arm, f"{arm}, core-hours"))]
    rows = list[list[str]]()
    for update in updates:
        cells = [f"{update:,}", f"{update * _steps_each(config) / 1e6:.2f}"]
        for arm in config.curves:
            cells += [_success(series.get(arm, ()), update), _hours(config, arm, update)]
        rows.append(cells)
    about = (
        f"Success over all probes in per cent, {config.curve_episodes} episodes a probe, seed and checkpoint: means of "
        "the seeds, with the least and the greatest. Steps are those that the agent played. Core-hours are the "
        "improvement's, without what came before it."
    )
    return f"{about}\n\n{markdown_table(head, rows)}"


def _seeds(config: ExperimentConfig, arm: str) -> Iterator[tuple[int, tuple[np.ndarray, np.ndarray]]]:
    """Yield every seed whose checkpoints have all been evaluated, with updates and success there."""
    for seed in config.seeds:
        done = {stage.name for stage in finished_stages(folder_of(config, seed))}
        if SeedStages(config, seed).curve(arm).name in done:
            yield seed, _curve(load_results(curve_of(config, arm, seed)))


def _curve(results: Sequence[ProbeResult]) -> tuple[np.ndarray, np.ndarray]:
    """Return updates, and the success at each: the mean over probes."""
    updates = sorted({int(result.agent) for result in results})
    rates = [np.mean([result.rate for result in results if int(result.agent) == update]) for update in updates]
    return np.array(updates, dtype=float), np.array(rates)


def _success(curves: Sequence[tuple[np.ndarray, np.ndarray]], update: int) -> str:
    found = [100 * float(y[x == update][0]) for x, y in curves if (x == update).any()]
    if not found:
        return NOT_RUN
    return format_range(found)


def _hours(config: ExperimentConfig, arm: str, update: int) -> str:
    """Core-hours of an arm's improvement until an update, the mean of the seeds that were measured."""
    settings, found = config.arms[arm].improve, list[float]()
    assert settings is not None
    for seed, _ in _seeds(config, arm):
        name = SeedStages(config, seed).improve(arm).name
        measured = {stage.name: stage.core_seconds for stage in finished_stages(folder_of(config, seed))}
        if (whole := measured.get(name)) is not None:
            found.append(whole / 3600 * update / settings.updates)
    return f"{np.mean(found):.2f}" if found else ""


def _steps_each(config: ExperimentConfig) -> int:
    """Steps that are played for an update, the same for all arms in ``curves``."""
    settings = config.arms[config.curves[0]].improve
    assert settings is not None
    return settings.slots * settings.steps
