"""Table and figures of an experiment, from the files that its arms have written so far."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from experiments.engine import costs, curves, figures, marks
from experiments.engine.config import (
    EVERY_PROBE,
    LIKELIEST,
    ExperimentConfig,
    evaluations_of,
    is_evaluated,
    others_compared,
    probes_of,
    results_of,
    suffix_of,
)
from experiments.engine.figures import Series
from experiments.engine.page import Section, write_page
from experiments.engine.rows import Row, Rows, grouped, rows_of, rows_of_results, seed_means
from experiments.engine.stages import SeedStages
from experiments.engine.table import Table, by_arm, differences, markdown, tabulate
from pipelines.stages.evaluate import load_results
from pipelines.stages.outcomes.evaluation_text import REQUESTS
from rlhf.records.json_records import to_json
from rlhf.run.tracking import column, read_metrics
from rlhf.store.files.durable import write_file


def write_experiment_report(config: ExperimentConfig, title: str) -> Path:
    """Write table.md, the rows, the tables' JSON and the figures into the experiment's folder; return the first."""
    return write_page(config.run, title, [section_of(config, title)], config.seeds)


def section_of(config: ExperimentConfig, title: str) -> Section:
    """Return all results so far; the tables of each evaluation are also written as JSON."""
    rows, parts, drawn = [], list[Any](), dict[str, Figure]()
    for evaluation in evaluations_of(config):
        found = list(episode_rows(config, title, evaluation))
        rows += found
        if not evaluation or any(row.arm != config.compared_with for row in found):
            table, suffix = tabulated(config, found), suffix_of(evaluation)
            write_file(config.run / f"table{suffix}.json", (json.dumps(to_json(table), indent=2) + "\n").encode())
            drawn[f"success{suffix}.png"] = figures.success(table)
            parts += _tables(config, evaluation, found, table)
    main = tabulated(config, rows_of(rows, title))
    if config.marks:
        learned = list(marks.mark_rows(config, title))
        rows += learned
        parts += [marks.ABOUT, marks.marks_table(learned)]
        if learned:
            means = {arm: seed_means(own, "marks") for arm, own in grouped(learned, by_arm).items()}
            drawn["marks.png"] = figures.over_marks(main, {arm: float(np.mean(own)) for arm, own in means.items()})
    if config.refinements:
        rows += (took := list(costs.cost_rows(config, title)))
        parts += [costs.ABOUT, costs.costs_table(took, config.compared_with)]
    followed = list(curves.curve_rows(config, title))
    if config.curves and config.curve_probe == EVERY_PROBE:
        parts += [curves.about(config), curves.curves_table(followed, config)]
    if config.lines:
        drawn["lines.png"] = figures.along_lines(main, config.lines)
    return Section([*rows, *followed], parts, drawn | _training(config, followed))


def episode_rows(config: ExperimentConfig, title: str, evaluation: str = "") -> Iterator[Row]:
    """Yield every episode of an evaluation so far, of the arms and seeds that have played all probes."""
    place = "/".join(filter(None, (title, evaluation)))
    for arm in config.arms:
        for seed in config.seeds:
            if is_evaluated(config, arm, seed, evaluation):
                yield from rows_of_results(place, arm, seed, load_results(results_of(config, arm, seed, evaluation)))


def tabulated(config: ExperimentConfig, rows: Rows, compared_with: str | None = None) -> Table:
    """Return success and differences from the experiment's own arm, or from ``compared_with``."""
    others = others_compared(config) if compared_with is None else {}
    return tabulate(rows, tuple(config.arms), probes_of(config), compared_with or config.compared_with, others)


def _tables(config: ExperimentConfig, evaluation: str, rows: Rows, table: Table) -> list[str]:
    """Return the tables of an evaluation as Markdown."""
    requests = REQUESTS[evaluations_of(config)[evaluation].split]
    requests += f", {LIKELIEST}" if evaluation == LIKELIEST else ""
    beside = [other for other in config.also_compared_with if any(row.arm == other for row in rows)]
    return [markdown(table, requests), *(differences(tabulated(config, rows, other)) for other in beside)]


def _training(config: ExperimentConfig, curve: Rows) -> dict[str, Figure]:
    """Draw the metrics of the arms' improvement, and success at its checkpoints."""
    drawn = {}
    for file, metric, title, label in (
        ("reward.png", "modelled_return", "Modelled reward", "per episode"),
        ("true_success.png", "true_success", "True success of replayed requests", "share"),
    ):
        training, held_out = (_over_updates(config, f"{where}/{metric}") for where in ("train", "held_out"))
        if training or held_out:
            drawn[file] = figures.over_training(training, title, label, held_out)
    if followed := curves.followed(curve):
        probe = "All probes" if config.curve_probe == EVERY_PROBE else config.curve_probe.capitalize()
        drawn["curves.png"] = figures.over_training(followed, f"{probe}, held out", "share fulfilled")
    return drawn


def _over_updates(config: ExperimentConfig, metric: str) -> Series:
    """Series of a metric of the arms' improvement, smoothed over neighbouring updates."""
    found = {}
    for arm in (name for name, settings in config.arms.items() if settings.improve is not None):
        seeds = []
        for seed in config.seeds:
            improving = SeedStages(config, seed).improve_config(arm)
            folder = improving.runs / improving.name
            x, y = column(read_metrics(folder), metric) if (folder / "agent").is_dir() else ((), ())
            if len(x):
                seeds.append((np.asarray(x, dtype=float), _smooth(np.asarray(y, dtype=float))))
        if seeds:
            found[arm] = seeds
    return found


def _smooth(y: np.ndarray, window: int = 9) -> np.ndarray:
    """Running mean of long series; short ones stay unchanged."""
    if len(y) < 5 * window:
        return y
    padded = np.pad(y, window // 2, mode="edge")
    return np.convolve(padded, np.ones(window) / window, mode="valid")
