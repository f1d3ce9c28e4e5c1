"""`rlhf reproduce`: an experiment over several seeds, each a run of its own that can be resumed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from experiments.engine.config import ExperimentConfig
from experiments.engine.declaration import ReproduceConfig, experiment_named
from experiments.engine.parts import Parts, choose_parts, placed, run_parts, with_all_seeds, write_overview
from experiments.engine.report import write_experiment_report
from experiments.engine.results_docs import check_places, publish
from experiments.engine.running import run_experiment
from experiments.engine.table import markdown, tabulate
from pipelines.loops.demo import DEVICES, DemoConfig, demo, resolve_config
from pipelines.report.data import DATA_FILE, ReportData, save_report_data
from pipelines.report.file import circumstances, write_report
from pipelines.report.findings import find
from pipelines.report.gathered import AFTER, BEFORE, REFERENCE, outcome
from pipelines.stages.evaluate import EvaluateConfig, ProbeResult, evaluate, load_results
from pipelines.stages.outcomes.evaluation_text import REQUESTS
from pipelines.stages.running.staged_run import differing_settings
from rlhf.run.config import load_config
from rlhf.run.progress import announce
from rlhf.store.files.durable import write_file

TABLE = "table.md"  # of every experiment


def reproduce(config: ReproduceConfig) -> Path:
    """Run all seeds, evaluate them on more episodes, write the report, and return its path."""
    experiment = experiment_named(config.name)
    experiment.check(config)
    if config.docs:
        check_places(config.name)  # refused now, not after hours
    make = experiment.load()
    match experiment.kind:
        case "arms":
            path = _arms(config, make())
        case "parts":
            path = _parts(config, make())
        case "demo":
            path = _demo(config, make())
        case "own":
            path = make(config)
    if config.docs:
        publish(config.name, path.with_name(TABLE))
    return path


def _parts(config: ReproduceConfig, presets: Parts) -> Path:
    folder = config.run
    every = placed(presets, folder, config.seeds, config.episodes, config.device)
    for done in run_parts(choose_parts(every, config.parts), config.arms):
        announce(done)
    # The overview is of all that was ever run here, also from other seeds.
    return write_overview({name: with_all_seeds(part) for name, part in every.items()}, folder, config.name)


def _arms(config: ReproduceConfig, preset: ExperimentConfig) -> Path:
    evaluating = replace(preset.evaluate, episodes=config.episodes)
    resolved = replace(
        preset, run=config.run, seeds=config.seeds, evaluate=evaluating,
        device=config.device or preset.device,
    )  # fmt: skip
    for arm, seed in run_experiment(resolved, config.arms):
        announce(f"{arm}, seed {seed}: {write_experiment_report(resolved, config.name)}")
    return write_experiment_report(resolved, config.name)


def _demo(config: ReproduceConfig, preset: DemoConfig) -> Path:
    folder = config.run
    found: dict[int, list[ProbeResult]] = {}
    for seed in config.seeds:
        run = resolve_config(replace(preset, run=folder / f"seed-{seed}", seed=seed), config.device)
        if not _is_complete(run):
            announce(f"seed {seed}")
            demo(run)
        evaluation = replace(run.evaluate, episodes=config.episodes, out=run.run / f"results-{config.episodes}.json")
        if not _is_evaluated(evaluation):
            evaluate(evaluation)
        found[seed] = load_results(evaluation.out)
    outcomes = tuple(outcome(result, seed) for seed, results in found.items() for result in results)
    data = ReportData(
        title=f"{config.name} over {len(config.seeds)} seeds", before=BEFORE, after=AFTER, reference=REFERENCE,
        outcomes=outcomes, circumstances=circumstances(config), split=preset.evaluate.split,
    )  # fmt: skip
    save_report_data(data, folder / DATA_FILE)
    write_file(folder / TABLE, _demo_tables(found, preset.evaluate).encode())
    announce(find(data).headline)
    return write_report(data, folder / "report.html")


def _demo_tables(found: Mapping[int, Sequence[ProbeResult]], evaluation: EvaluateConfig) -> str:
    """Format success of the agents, and the differences to BC, as Markdown, like those of an experiment."""
    agents = (BEFORE, AFTER, REFERENCE)
    results = {agent: {seed: [r for r in of if r.agent == agent] for seed, of in found.items()} for agent in agents}
    probes = evaluation.probes or tuple(evaluation.world.entry().probes)
    return markdown(tabulate(results, agents, probes, BEFORE), REQUESTS[evaluation.split])


def _is_complete(run: DemoConfig) -> bool:
    """Return True if the run has ended, with the same settings."""
    if not (run.run / DATA_FILE).is_file():
        return False
    return not differing_settings(load_config(run.run, DemoConfig, older=True), run, DEVICES)


def _is_evaluated(config: EvaluateConfig) -> bool:
    """Return True if there are results of all agents and probes."""
    if not config.out.is_file():
        return False
    results = load_results(config.out)
    return len(results) == len(config.agents) * len(config.probes or config.world.entry().probes)
