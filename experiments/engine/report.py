"""Table and figures of an experiment, from the files that its arms have written so far."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from experiments.engine import figures
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
from experiments.engine.costs import costs_table
from experiments.engine.curves import curves_table, followed
from experiments.engine.figures import Series
from experiments.engine.marks import learned_from, marks_table, mean_marks
from experiments.engine.stages import SeedStages
from experiments.engine.table import Outcomes, Table, differences, markdown, tabulate
from pipelines.charts.style import png
from pipelines.report.file import made_by
from pipelines.stages.evaluate import load_results
from pipelines.stages.outcomes.evaluation_text import REQUESTS
from rlhf.records.json_records import to_json
from rlhf.run.tracking import column, read_metrics
from rlhf.store.files.durable import write_file


def write_experiment_report(config: ExperimentConfig, title: str) -> Path:
    """Write table.md, the tables' JSON and the figures into the experiment's folder; return the path of table.md."""
    parts = [f"# {title}", made_by(config.seeds)]
    for evaluation in evaluations_of(config):
        found = _outcomes(config, evaluation)
        if not evaluation or any(found[arm] for arm in config.arms if arm != config.compared_with):
            parts += _show(config, evaluation, found)
    table = current_table(config)
    if config.marks:
        learned = learned_from(config)
        parts.append(marks_table(learned))
        if learned:
            _draw(config, "marks.png", figures.over_marks(table, {a: mean_marks(m) for a, m in learned.items()}))
    if config.refinements:
        parts.append(costs_table(config))
    if config.curves and config.curve_probe == EVERY_PROBE:
        parts.append(curves_table(config))
    if config.lines:
        _draw(config, "lines.png", figures.along_lines(table, config.lines))
    _draw_training(config)
    path = config.run / "table.md"
    write_file(path, "\n\n".join(part.rstrip("\n") for part in parts).encode() + b"\n")
    return path


def current_table(config: ExperimentConfig) -> Table:
    """Tabulate the results that the experiment's folder has so far, of the requests of the main table."""
    return _tabulate(config, _outcomes(config))


def _show(config: ExperimentConfig, evaluation: str, found: Outcomes) -> list[str]:
    """Write the table of an evaluation as JSON and as a figure; return it as Markdown."""
    table, suffix = _tabulate(config, found), suffix_of(evaluation)
    write_file(config.run / f"table{suffix}.json", (json.dumps(to_json(table), indent=2) + "\n").encode())
    _draw(config, f"success{suffix}.png", figures.success(table))
    beside = [_tabulate(config, found, name) for name in config.also_compared_with if found[name]]
    requests = REQUESTS[evaluations_of(config)[evaluation].split]
    requests += f", {LIKELIEST}" if evaluation == LIKELIEST else ""
    return [markdown(table, requests), *map(differences, beside)]


def _draw_training(config: ExperimentConfig) -> None:
    """Draw the metrics of the arms' improvement."""
    training, held_out = (_over_updates(config, f"{where}/modelled_return") for where in ("train", "held_out"))
    if training or held_out:
        drawn = figures.over_training(training, "Modelled reward", "per episode", held_out)
        _draw(config, "reward.png", drawn)
    truth, held_out = (_over_updates(config, f"{where}/true_success") for where in ("train", "held_out"))
    if truth or held_out:
        drawn = figures.over_training(truth, "True success of replayed requests", "share", held_out)
        _draw(config, "true_success.png", drawn)
    if drawn := followed(config):
        probe = "All probes" if config.curve_probe == EVERY_PROBE else config.curve_probe.capitalize()
        _draw(config, "curves.png", figures.over_training(drawn, f"{probe}, held out", "share fulfilled"))


def _outcomes(config: ExperimentConfig, evaluation: str = "") -> Outcomes:
    """Outcomes of every arm in an evaluation so far, by seed; empty for an arm without results."""
    return {
        arm: {
            seed: load_results(results_of(config, arm, seed, evaluation))
            for seed in config.seeds
            if is_evaluated(config, arm, seed, evaluation)
        }
        for arm in config.arms
    }


def _tabulate(config: ExperimentConfig, outcomes: Outcomes, compared_with: str | None = None) -> Table:
    """Tabulate ``outcomes``, with differences from the experiment's own arm, or from ``compared_with``."""
    arms, probes = tuple(config.arms), probes_of(config)
    if compared_with is not None:
        return tabulate(outcomes, arms, probes, compared_with)
    return tabulate(outcomes, arms, probes, config.compared_with, others_compared(config))


def _draw(config: ExperimentConfig, name: str, figure: figures.Figure) -> None:
    write_file(config.run / name, png(figure))


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
