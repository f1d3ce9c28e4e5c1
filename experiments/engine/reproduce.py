"""`rlhf reproduce`: an experiment over several seeds, each a run of its own that can be resumed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from agents.computing import usable_device
from experiments.engine.arms import plan_arms
from experiments.engine.config import ExperimentConfig
from experiments.engine.declaration import ReproduceConfig, experiment_named
from experiments.engine.page import TABLE, Section, write_page
from experiments.engine.parts import Parts, choose_parts, placed, run_parts, with_all_seeds, write_overview
from experiments.engine.plan import Plan
from experiments.engine.results_docs import check_places, publish
from experiments.engine.rows import rows_of_results
from experiments.engine.table import markdown, tabulate
from pipelines.loops.loop import FREE, LoopConfig, demo
from pipelines.loops.rounds import CLONE, REFERENCE, resolve_config, resolve_round, resolve_start
from pipelines.report.data import DATA_FILE, ReportData, save_report_data
from pipelines.report.file import circumstances, write_report
from pipelines.report.findings import find
from pipelines.report.gathered import outcome
from pipelines.stages.evaluate import EvaluateConfig, ProbeResult, evaluate, load_results
from pipelines.stages.outcomes.evaluation_text import REQUESTS
from pipelines.stages.running.staged_run import Stage
from rlhf.run.progress import announce

IMPROVED = "BC+RL"  # name, in tables, of the agent of the demo's only round


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


def _demo(config: ReproduceConfig, preset: LoopConfig) -> Plan:
    if config.device is not None:
        usable_device(config.device)  # refuse a missing device before the first stage
    preset = replace(preset, run=config.run)

    def run_of(seed: int) -> LoopConfig:
        device = config.device or preset.device
        return resolve_config(replace(preset, run=config.run / f"seed-{seed}" / "demo", seed=seed, device=device))

    def evaluation(seed: int) -> EvaluateConfig:
        run = run_of(seed)
        (improved,) = resolve_round(run, 1).evaluate.agents.values()
        first = resolve_start(run).evaluate
        agents = {CLONE: first.agents[CLONE], IMPROVED: improved, REFERENCE: first.agents[REFERENCE]}
        return replace(first, agents=agents, episodes=config.episodes, out=run.run / f"results-{config.episodes}.json")

    def stages(_: str, seed: int) -> list[Stage]:
        return [
            Stage("demo", "the whole loop", lambda: demo(run_of(seed))),
            Stage(f"evaluation, {config.episodes}", "on more episodes", lambda: evaluate(evaluation(seed))),
        ]

    def report(_: str, seeds: Sequence[int]) -> Path:
        return _demo_report(config, preset, {seed: load_results(evaluation(seed).out) for seed in seeds})

    return Plan(config.run, config.seeds, stages, report, preset, free=FREE)


def _demo_report(config: ReproduceConfig, preset: LoopConfig, found: Mapping[int, Sequence[ProbeResult]]) -> Path:
    """Write the page and report.html, and return the path of the latter."""
    outcomes = tuple(outcome(result, seed) for seed, results in found.items() for result in results)
    data = ReportData(
        title=f"{config.name} over {len(found)} seeds", before=CLONE, after=IMPROVED, reference=REFERENCE,
        outcomes=outcomes, circumstances=circumstances(config), split=preset.evaluate.split,
    )  # fmt: skip
    save_report_data(data, config.run / DATA_FILE)
    rows = [
        row
        for seed, results in found.items()
        for result in results
        for row in rows_of_results(config.name, result.agent, seed, [result])
    ]
    probes = preset.evaluate.probes or tuple(preset.evaluate.world.entry().probes)
    tables = markdown(tabulate(rows, (CLONE, IMPROVED, REFERENCE), probes, CLONE), REQUESTS[preset.evaluate.split])
    write_page(config.run, config.name, [Section(rows, [tables])], tuple(found))
    announce(find(data).headline)
    return write_report(data, config.run / "report.html")
