"""`rlhf reproduce`: a published result over several seeds, each a run of its own that can be resumed."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

from agents.ranges import Count, check_ranges
from pipelines.cli.presets import PACKAGE, presets_of
from pipelines.loops.demo import DEVICES, DemoConfig, demo, resolve_config
from pipelines.report.data import DATA_FILE, ReportData, save_report_data
from pipelines.report.file import circumstances, write_report
from pipelines.report.findings import find
from pipelines.report.gathered import AFTER, BEFORE, REFERENCE, outcome
from pipelines.stages.evaluate import EvaluateConfig, ProbeResult, evaluate, load_results
from pipelines.stages.outcomes.evaluation_text import REQUESTS
from pipelines.stages.running.staged_run import differing_settings
from pipelines.studies.config import StudyConfig, StudySeed, check_seeds
from pipelines.studies.parts import Parts, choose_parts, placed, run_parts, with_all_seeds, write_overview
from pipelines.studies.report import write_study_report
from pipelines.studies.results_docs import check_places, publish
from pipelines.studies.study import study
from pipelines.studies.table import markdown, tabulate
from rlhf.run.config import load_config
from rlhf.run.progress import announce
from rlhf.run.setting_forms import Result
from rlhf.store.files.durable import write_file
from worlds.errors import UserError

TABLE = "table.md"  # of every result


@dataclass(frozen=True)
class ReproduceConfig:
    """Settings of `rlhf reproduce`.

    Args:
      name: name of the result: demo, probes, ablations, raters, marks-use, plateau, judged, fresh-marks, rounds,
        sizes, flat, babyai, door, overcooked, watch-and-help, household or school (docs/results.md describes them).
      seeds: seeds, each from 0 to 249; one run each.
      episodes: held-out episodes of each probe, agent and seed.
      runs: folder of the runs. Complete runs are not run again.
      arms: agents of a study to train; none means all.
      parts: parts of a result that consists of several (babyai, by the beginnings of their names; watch-and-help;
        school); none means all.
      device: device that trains and evaluates: "cpu", "cuda" or "cuda:1"; None is the preset's. It may change when a
        result is resumed.
      source: folder of the published files that the result is learned from (door, overcooked), or of the language
        model that acts (school), which you download; or of the study whose agents are judged (judged) or trained
        further (fresh-marks, rounds).
      docs: write the tables of a complete study into the pages of this copy of the repository.
    """

    name: Result = "demo"
    seeds: tuple[StudySeed, ...] = (0, 1, 2)
    episodes: Count = 200
    runs: Path = Path("runs/reproduce")
    arms: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    device: str | None = None
    source: Path | None = None
    docs: bool = False

    def __post_init__(self) -> None:
        check_ranges(self, UserError)
        check_seeds(self.seeds)


# Kinds of results: the function of the preset that makes it, and the settings that it takes besides names and folders.
_KINDS: dict[str, frozenset[str]] = {
    "study": frozenset({"episodes", "device", "arms", "docs"}),
    "parts": frozenset({"episodes", "device", "arms", "parts", "docs"}),
    "demo": frozenset({"episodes", "device", "docs"}),
    "published": frozenset({"source"}),  # learned from published files
    "further": frozenset({"source", "docs"}),  # begins with the agents of plateau
    "staged": frozenset({"parts", "source", "docs"}),
}
_NEEDS = {
    "published": "is learned from published files",
    "further": "begins with the agents of `rlhf reproduce plateau`",
}
_REASONS = {
    "arms": "is no study of several agents",
    "parts": "has no parts",
    "docs": "writes no tables into the pages",
    "source": "needs no files of others",
    "episodes": "has its own numbers of episodes",
    "device": "chooses its own devices",
}


def reproduce(config: ReproduceConfig) -> Path:
    """Run all seeds, evaluate them on more episodes, write the report, and return its path."""
    module = _preset(config.name)
    kind = next(kind for kind in _KINDS if hasattr(module, kind))
    _check_settings(config, kind)
    if config.docs:
        check_places(config.name)  # refused now, not after hours
    run, make = config.runs / config.name, getattr(module, kind)
    match kind:
        case "published" | "further":
            assert config.source is not None  # checked above
            path = make(config.source.absolute(), run, config.seeds)
        case "staged":
            path = make(run, config.seeds, config.parts, config.source)
        case "parts":
            path = _parts(config, make())
        case "study":
            path = _study(config, make())
        case _:
            path = _demo(config, make())
    if config.docs:
        publish(config.name, path.with_name(TABLE))
    return path


def _check_settings(config: ReproduceConfig, kind: str) -> None:
    """Refuse settings that a result of this kind would ignore, and a result without the files that it needs."""
    default = ReproduceConfig()
    for setting, reason in _REASONS.items():
        if setting not in _KINDS[kind] and getattr(config, setting) != getattr(default, setting):
            raise UserError(f"{config.name} {reason}: leave out --{setting}")
    if kind in _NEEDS and config.source is None:
        raise UserError(f"{config.name} {_NEEDS[kind]}: name their folder with --source")


def _parts(config: ReproduceConfig, presets: Parts) -> Path:
    folder = config.runs / config.name
    every = placed(presets, folder, config.seeds, config.episodes, config.device)
    for done in run_parts(choose_parts(every, config.parts), config.arms):
        announce(done)
    # The overview is of all that was ever run here, also from other seeds.
    return write_overview({name: with_all_seeds(part) for name, part in every.items()}, folder, config.name)


def _study(config: ReproduceConfig, preset: StudyConfig) -> Path:
    evaluating = replace(preset.evaluate, episodes=config.episodes)
    resolved = replace(
        preset, run=config.runs / config.name, seeds=config.seeds, evaluate=evaluating,
        device=config.device or preset.device,
    )  # fmt: skip
    for arm, seed in study(resolved, config.arms):
        announce(f"{arm}, seed {seed}: {write_study_report(resolved, config.name)}")
    return write_study_report(resolved, config.name)


def _demo(config: ReproduceConfig, preset: DemoConfig) -> Path:
    folder = config.runs / config.name
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
    """Format success of the agents, and the differences to BC, as Markdown, like those of a study."""
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


def _preset(name: str) -> ModuleType:
    """Return the preset ``name``, which has a function of one of the kinds of results.

    Raises:
      UserError: there is none.
    """
    if name not in (known := results()):
        raise UserError(f"no result named {name!r} to reproduce; known: {', '.join(known)}")
    return importlib.import_module(f"{PACKAGE}.{name.replace('-', '_')}")


def results() -> list[str]:
    """Return the names of the presets that can be reproduced; others are for other commands."""
    return sorted({found.replace("_", "-") for kind in _KINDS for found in presets_of(kind)})
