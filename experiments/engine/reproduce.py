"""`rlhf reproduce`: an experiment over several seeds, each a run of its own that can be resumed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from agents.computing import usable_device
from experiments.engine.arms import plan_arms
from experiments.engine.config import ExperimentConfig
from experiments.engine.declaration import ReproduceConfig, experiment_named
from experiments.engine.parts import Parts, choose_parts, placed, run_parts, with_all_seeds, write_overview
from experiments.engine.plan import Plan
from experiments.engine.results_docs import check_places, publish
from experiments.engine.table import markdown, tabulate
from pipelines.loops.demo import DEVICES, DemoConfig, demo, resolve_config
from pipelines.report.data import DATA_FILE, ReportData, save_report_data
from pipelines.report.file import circumstances, write_report
from pipelines.report.findings import find
from pipelines.report.gathered import AFTER, BEFORE, REFERENCE, outcome
from pipelines.stages.evaluate import EvaluateConfig, ProbeResult, evaluate, load_results
from pipelines.stages.outcomes.evaluation_text import REQUESTS
from pipelines.stages.running.staged_run import Stage
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
            path = _arms(config, make()).carry_out()
        case "parts":
            path = _parts(config, make())
        case "demo":
            path = _demo(config, make()).carry_out()
        case "own":
            path = make(config).carry_out()
    if config.docs:
        publish(config.name, path.with_name(TABLE))
    return path


def _parts(config: ReproduceConfig, presets: Parts) -> Path:
    folder = config.run
    every = placed(presets, folder, config.seeds, config.episodes, config.device)
    run_parts(choose_parts(every, config.parts), config.arms)
    # The overview is of all that was ever run here, also from other seeds.
    return write_overview({name: with_all_seeds(part) for name, part in every.items()}, folder, config.name)


def _arms(config: ReproduceConfig, preset: ExperimentConfig) -> Plan:
    evaluating = replace(preset.evaluate, episodes=config.episodes)
    resolved = replace(
        preset, run=config.run, seeds=config.seeds, evaluate=evaluating,
        device=config.device or preset.device,
    )  # fmt: skip
    return plan_arms(resolved, config.name, config.arms)


def _demo(config: ReproduceConfig, preset: DemoConfig) -> Plan:
    if config.device is not None:
        usable_device(config.device)  # refuse a missing device before the first stage
    preset = replace(preset, run=config.run)

    def run_of(seed: int) -> DemoConfig:
        return resolve_config(replace(preset, run=config.run / f"seed-{seed}" / "demo", seed=seed), config.device)

    def evaluation(seed: int) -> EvaluateConfig:
        run = run_of(seed)
        return replace(run.evaluate, episodes=config.episodes, out=run.run / f"results-{config.episodes}.json")

    def stages(_: str, seed: int) -> list[Stage]:
        return [
            Stage("demo", "the whole loop", lambda: demo(run_of(seed))),
            Stage(f"evaluation, {config.episodes}", "on more episodes", lambda: evaluate(evaluation(seed))),
        ]

    def report(seeds: Sequence[int]) -> Path:
        return _demo_report(config, preset, {seed: load_results(evaluation(seed).out) for seed in seeds})

    return Plan(config.run, config.seeds, stages, report, preset, free=DEVICES)


def _demo_report(config: ReproduceConfig, preset: DemoConfig, found: Mapping[int, Sequence[ProbeResult]]) -> Path:
    """Write table.md and report.html, and return the path of the latter."""
    outcomes = tuple(outcome(result, seed) for seed, results in found.items() for result in results)
    data = ReportData(
        title=f"{config.name} over {len(found)} seeds", before=BEFORE, after=AFTER, reference=REFERENCE,
        outcomes=outcomes, circumstances=circumstances(config), split=preset.evaluate.split,
    )  # fmt: skip
    save_report_data(data, config.run / DATA_FILE)
    write_file(config.run / TABLE, _demo_tables(found, preset.evaluate).encode())
    announce(find(data).headline)
    return write_report(data, config.run / "report.html")


def _demo_tables(found: Mapping[int, Sequence[ProbeResult]], evaluation: EvaluateConfig) -> str:
    """Format success of the agents, and the differences to BC, as Markdown, like those of an experiment."""
    agents = (BEFORE, AFTER, REFERENCE)
    results = {agent: {seed: [r for r in of if r.agent == agent] for seed, of in found.items()} for agent in agents}
    probes = evaluation.probes or tuple(evaluation.world.entry().probes)
    return markdown(tabulate(results, agents, probes, BEFORE), REQUESTS[evaluation.split])
