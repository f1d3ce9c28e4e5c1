"""`rlhf reproduce`: a published result over several seeds, every seed a run of its own that can be gone on with."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, replace
from pathlib import Path

import tyro

from pipelines.demo import DemoConfig, demo, settle
from pipelines.evaluate import EvaluateConfig, evaluate, load_results
from pipelines.findings import find
from pipelines.report import circumstances, write_report
from pipelines.report_data import DATA_FILE, ReportData, save_report_data
from pipelines.story import AFTER, BEFORE, REFERENCE, outcome
from rlhf.errors import UserError
from rlhf.presets import preset_names
from rlhf.progress import announce
from rlhf.run_config import load_config


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

    def __post_init__(self) -> None:
        if not self.seeds or len(set(self.seeds)) < len(self.seeds) or self.episodes < 1:
            raise UserError(
                f"seeds are one or more different numbers and episodes at least 1, not {self.seeds} and {self.episodes}"
            )


def reproduce(config: ReproduceConfig) -> Path:
    """Run all seeds, evaluate them at length, and write one report; return its path."""
    preset = _preset(config.name)
    folder = config.runs / config.name
    outcomes = []
    for seed in config.seeds:
        run = settle(replace(preset, run=folder / f"seed-{seed}", seed=seed))
        if not _is_complete(run):
            announce(f"seed {seed}")
            demo(run)
        long = replace(run.evaluate, episodes=config.episodes, out=run.run / f"results-{config.episodes}.json")
        if not _is_evaluated(long):
            evaluate(long)
        outcomes += [outcome(result, seed) for result in load_results(long.out)]
    data = ReportData(
        title=f"{config.name} over {len(config.seeds)} seeds", before=BEFORE, after=AFTER, reference=REFERENCE,
        outcomes=tuple(outcomes), circumstances=circumstances(config),
    )  # fmt: skip
    save_report_data(data, folder / DATA_FILE)
    announce(find(data).headline)
    return write_report(data, folder / "report.html")


def _is_complete(run: DemoConfig) -> bool:
    """Whether the run has come to its end, with these very settings."""
    return (run.run / DATA_FILE).is_file() and load_config(run.run, DemoConfig) == run


def _is_evaluated(config: EvaluateConfig) -> bool:
    """Whether the results are there, of all agents and probes."""
    if not config.out.is_file():
        return False
    results = load_results(config.out)
    return len(results) == len(config.agents) * len(config.probes or config.world.entry().probes)


def _preset(name: str) -> DemoConfig:
    """The demo's configuration as the preset ``name`` gives it. Raises UserError if there is none."""
    if name not in preset_names():
        raise UserError(f"no result named {name!r} to reproduce; known: {', '.join(preset_names())}")
    make = getattr(importlib.import_module(f"pipelines.runs.{name}"), "demo", None)
    if make is None:
        raise UserError(f"the preset {name} has no demo to reproduce; demo has")
    return make()
