"""Runs side by side: the runs under a folder, and the differences of two or more of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pipelines.report.data import DATA_FILE, load_report_data
from pipelines.report.findings import find
from pipelines.report.training_state import TRAININGS
from pipelines.stages.outcomes.cards import latest_metrics
from rlhf.records.json_records import differences
from rlhf.run.checkpoint import Checkpoints
from rlhf.run.config import CONFIG_FILE, is_locked, read_record
from rlhf.run.tracking import METRICS_FILE, read_metrics
from worlds.errors import UserError

State = Literal["running", "finished", "resumable", "stopped"]

_LOOPS = ("LoopConfig", "ExperimentConfig", "ReproduceConfig")
# Metrics of the result of a training, by their name in comparisons.
RESULTS = {
    "loss of movement on validation play": "bc_held_out/movement",
    "pair accuracy on validation play": "reward_model_validation/kept_accuracy",
    "pair accuracy on held-out play": "reward_model_held_out/kept_accuracy",
    "modelled return on held-out play": "held_out/modelled_return",
    "return by the second reward model on held-out play": "held_out/second_return",
    "true success on held-out play": "held_out/true_success",
    "modelled return in training": "train/modelled_return",
    "true success in training": "train/true_success",
}


@dataclass(frozen=True)
class RunRow:
    """One run in a list.

    Args:
      stage: the command that started it: clone, reward, refine, improve, demo, iterate or experiment.
      state: "running", "finished", "resumable" (interrupted, with a checkpoint or finished stages) or "stopped"
        (interrupted before its first checkpoint or stage).
      updates: number of updates made; None for loops.
      of: number of updates that the run is to make; None for loops.
    """

    folder: str
    stage: str
    state: State
    updates: int | None
    of: int | None
    created: str
    headline: str


@dataclass(frozen=True)
class RunsDifference:
    """Two or more runs side by side.

    Args:
      settings: values of every setting that differs between runs, by its dotted name, in the order of the runs.
      results: the last value of each metric of :data:`RESULTS` that at least one run has, likewise.
    """

    runs: tuple[RunRow, ...]
    settings: Mapping[str, tuple[Any, ...]]
    results: Mapping[str, tuple[float | None, ...]]


def list_runs(folder: Path) -> list[RunRow]:
    """Return the runs in ``folder`` and in its subfolders, oldest first.

    Raises UserError if there is no such folder.
    """
    if not folder.is_dir():
        raise UserError(f"{folder} is no folder; name the folder of your runs")
    return sorted((run_row(run) for run in _find_runs(folder)), key=lambda row: (row.created, row.folder))


def compare_runs(folders: Sequence[Path]) -> RunsDifference:
    """Return the differences of the runs in ``folders``.

    Raises UserError if there are fewer than two, or one is no run's folder or damaged.
    """
    if len(folders) < 2:
        raise UserError("runs compare needs the folders of two runs or more")
    configs = [read_record(folder)["config"] for folder in folders]
    names = dict.fromkeys(name for config in configs[1:] for name, _, _ in differences(configs[0], config))
    metrics = [latest_metrics(folder) if (folder / METRICS_FILE).is_file() else {} for folder in folders]
    return RunsDifference(
        runs=tuple(map(run_row, folders)),
        settings={name: tuple(_value_at(config, name) for config in configs) for name in names},
        results={
            title: tuple(one.get(metric) for one in metrics)
            for title, metric in RESULTS.items()
            if any(metric in one for one in metrics)
        },
    )


def run_row(folder: Path) -> RunRow:
    """Summarise the run in ``folder``. Raises UserError if it is no run's folder, or damaged."""
    record = read_record(folder)
    kind, created = record["kind"], str(record.get("created", ""))
    if kind not in TRAININGS:
        data = folder / DATA_FILE
        headline = find(load_report_data(data)).headline if data.is_file() else ""
        stage = str(kind).removesuffix("Config").lower()
        begun = any(folder.glob("**/stages.json"))
        return RunRow(str(folder), stage, _state(folder, data, begun), None, None, created, headline)
    training = TRAININGS[kind]
    rows = read_metrics(folder) if (folder / METRICS_FILE).is_file() else []
    checkpoint = Checkpoints(folder).latest_if_any()
    updates = max([int(row["step"]) for row in rows], default=checkpoint.step if checkpoint else 0)
    config = record["config"]
    planned = _value_at(config, "training.updates" if "training" in config else "updates")
    return RunRow(
        folder=str(folder),
        stage=training.verb,
        state=_state(folder, folder / training.makes, checkpoint is not None),
        updates=updates,
        of=planned if isinstance(planned, int) else None,
        created=created,
        headline=training.headline(rows) if rows else "",
    )


def _state(folder: Path, result: Path, begun: bool) -> State:
    if is_locked(folder):
        return "running"
    return "finished" if result.exists() else "resumable" if begun else "stopped"


def _find_runs(folder: Path) -> Iterator[Path]:
    """Yield the folders of runs; agents' folders, too, have a ``config.json``, but it names no command."""
    for path in sorted(folder.rglob(CONFIG_FILE)):
        try:
            if read_record(path.parent)["kind"] in (*TRAININGS, *_LOOPS):
                yield path.parent
        except UserError:
            continue


def _value_at(config: Any, name: str) -> Any:
    for part in name.split("."):
        config = config.get(part) if isinstance(config, Mapping) else None
    return config
