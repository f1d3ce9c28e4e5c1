"""`rlhf reproduce`: a published result over several seeds, every seed a run of its own that can be gone on with."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, replace
from pathlib import Path

import tyro

from pipelines.demo import DemoConfig, demo, settle
from pipelines.evaluate import evaluate, load_results
from pipelines.findings import find
from pipelines.report import circumstances, write_report
from pipelines.report_data import DATA_FILE, ReportData, save_report_data
from pipelines.story import AFTER, BEFORE, REFERENCE, outcome
from rlhf.errors import UserError
from rlhf.presets import preset_names
from rlhf.progress import announce


@dataclass(frozen=True)
class ReproduceConfig:
    """Settings of `rlhf reproduce`.

    Args:
      name: which result: the name of a preset, e.g. demo.
      seeds: one run each. episodes: held-out episodes per probe, agent and seed.
      runs: where the runs are written. A seed whose run is complete is not run again.
    """

    name: tyro.conf.Positional[str] = "demo"
    seeds: tuple[int, ...] = (0, 1, 2)
    episodes: int = 200
    runs: Path = Path("runs/reproduce")


def reproduce(config: ReproduceConfig) -> Path:
    """Run all seeds, evaluate them at length, and write one report; return its path."""
    preset = _preset(config.name)
    folder = config.runs / config.name
    outcomes = []
    for seed in config.seeds:
        run = settle(replace(preset, run=folder / f"seed-{seed}", seed=seed))
        if not (run.run / DATA_FILE).is_file():
            announce(f"seed {seed}")
            demo(run)
        long = replace(run.evaluate, episodes=config.episodes, out=run.run / "results-long.json")
        if not long.out.is_file():
            evaluate(long)
        outcomes += [outcome(result, seed) for result in load_results(long.out)]
    data = ReportData(
        title=f"{config.name} over {len(config.seeds)} seeds", before=BEFORE, after=AFTER, reference=REFERENCE,
        outcomes=tuple(outcomes), circumstances=circumstances(config),
    )  # fmt: skip
    save_report_data(data, folder / DATA_FILE)
    announce(find(data).headline)
    return write_report(data, folder / "report.html")


def _preset(name: str) -> DemoConfig:
    """The demo's configuration as the preset ``name`` gives it. Raises UserError if there is none."""
    if name not in preset_names():
        raise UserError(f"no result named {name!r} to reproduce; known: {', '.join(preset_names())}")
    return importlib.import_module(f"pipelines.runs.{name}").demo()
