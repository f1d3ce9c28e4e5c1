"""Report of a training, from the metrics that the run has written so far.

Runs that are running or interrupted can be reported, too. An evaluation whose results lie in the run's folder is shown.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from pipelines.report.data import Chart, Circumstances, Picture, WatchedRun
from pipelines.report.evaluated import RESULTS_FILE, Evaluation, evaluation
from pipelines.report.findings import over_optimisation
from pipelines.report.gathered import (
    reward_over_training,
    reward_traces,
    second_over_training,
    success_over_training,
    watched,
)
from pipelines.report.sections import alarm_count
from pipelines.report.training_charts import (
    AGREED,
    CLONING,
    IMPROVEMENT,
    PAIRS,
    PREFERENCE_LOSS,
    REWARD_TRAINING,
    WORDS,
    charts,
)
from pipelines.report.training_state import TRAININGS, run_state
from pipelines.stages.clone import CloneConfig
from pipelines.stages.episodes.division import noted_division
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.outcomes import headlines
from pipelines.stages.outcomes.replay_change import (
    METRICS,
    NAMES,
    Change,
    Measurement,
    Metric,
    Replays,
    change_of,
    compared_replays,
)
from pipelines.stages.refine import RefineConfig
from pipelines.stages.reward import RewardConfig
from pipelines.stages.settings.play_settings import UNKNOWN, settings_of_agent, world_differences, world_flags
from pipelines.stages.settings.world_config import DEFAULT_WORLD, WorldConfig
from pipelines.stages.text_limits import noted_text_fit
from rlhf.data.text_fit import text_fit_sentences, text_fit_warnings
from rlhf.records.json_records import from_json, to_json
from rlhf.records.preferences import NOUNS, PREFERENCES
from rlhf.run.config import load_config, read_record
from rlhf.run.json_lines import Row
from rlhf.run.machine import Machine
from rlhf.run.statistics import percent
from rlhf.run.tracking import METRICS_FILE, column, read_metrics
from worlds.errors import UserError
from worlds.settings import BadValue


@dataclass(frozen=True)
class Fact:
    """Big number of the page; ``warns`` is true for bad news."""

    name: str
    number: str
    note: str = ""
    warns: bool = False


@dataclass(frozen=True)
class TrainingReport:
    """All data of the page of a training.

    Args:
      evaluated: results of `rlhf evaluate` in the run's folder; None without.
      unfinished: true if the run is running or was interrupted.
      words: sentences on how many recorded texts the agent reads and says in full, and on its vocabulary.
    """

    kind: str
    headline: str
    facts: tuple[Fact, ...]
    next_step: str
    command: str
    circumstances: Circumstances
    curves: tuple[Chart, ...]
    warnings: tuple[str, ...] = ()
    monitored: tuple[Chart, ...] = ()
    watched: tuple[WatchedRun, ...] = ()
    evaluation: tuple[Chart, ...] = ()
    evaluated: Evaluation | None = None
    traces: tuple[Picture, ...] = ()
    traces_note: str = ""
    rewarded_by_truth: bool = False
    unfinished: bool = False
    words: tuple[str, ...] = ()


def training_report(run: Path) -> TrainingReport:
    """Build the report of the run in the folder ``run``, finished, running or interrupted.

    Raises UserError if it is no training's folder, or its files are damaged.
    """
    record = read_record(run)
    if record["kind"] not in _CONFIGS:
        raise UserError(f"{run} is no run of a training, but of {record['kind']}; name the folder of a training")
    try:
        settings = to_json(load_config(run, _CONFIGS[record["kind"]]))
    except UserError as refused:  # it is damaged, or of a version with other settings
        try:
            return _report(run, record)
        except (LookupError, TypeError, ValueError, AttributeError):
            raise refused from None
    return _report(run, record | {"config": settings})


def _report(run: Path, record: Mapping[str, Any]) -> TrainingReport:
    rows = read_metrics(run) if (run / METRICS_FILE).exists() else []
    report, config = _with_words(REPORT_BUILDERS[record["kind"]](run, record, rows), run), record["config"]
    if record["kind"] != "RewardConfig":
        report = _with_evaluation(report, run)
    planned = config.get("updates") or config["training"]["updates"]
    state = run_state(run, record["kind"], _done(rows), planned)
    if state.finished:
        return report
    report = replace(report, headline=f"{state.summary} {report.headline}", unfinished=True)
    if _newest(run, record["kind"]).is_dir():
        return report
    command = state.resume or f"rlhf report --run {shlex.quote(str(run))}"
    todo = "To resume it" if state.resume else "To see its progress later"
    return replace(report, next_step=f"The run has no model to evaluate yet. {todo}:", command=command)


def _with_words(report: TrainingReport, run: Path) -> TrainingReport:
    """Return the report with what is known of the recorded texts, and a warning if many are cut."""
    fit = noted_text_fit(run)
    if fit is None:
        return report
    warnings = [*report.warnings, *text_fit_warnings(fit)]
    return replace(report, words=tuple(text_fit_sentences(fit)), warnings=tuple(warnings))


def _with_evaluation(report: TrainingReport, run: Path) -> TrainingReport:
    """Return the report with the results of `rlhf evaluate` in the run's folder, or a warning if they are damaged."""
    try:
        found = evaluation(run)
    except UserError as error:
        return replace(report, warnings=(*report.warnings, f"No evaluation is shown: {error}."))
    if found is None:
        return report
    return replace(report, evaluated=found, next_step="The evaluation is below. To add agents or probes to it:")


def _improvement(run: Path, record: Mapping[str, Any], rows: list[Row]) -> TrainingReport:
    config, alarms, replays = record["config"], watched(run), compared_replays(rows)
    traces, note = _traces(run, record)
    agent, reward, success = _newest(run, record["kind"]), reward_over_training(rows), success_over_training(rows)
    flags = _world_flags(config.get("world", {}), config["agent"], agent)
    return TrainingReport(
        kind="Improvement by BC+RL",
        headline=headlines.improvement_headline(rows),
        facts=(
            *_return_facts(rows, replays),
            _updates(rows, config["updates"]),
            _alarm_fact(alarms),
        ),
        next_step="These metrics do not measure how good the agent is: it was not evaluated. To compare it with the "
        "agent that it started from, in houses and on instructions that neither was trained on:",
        command=f"rlhf evaluate --agents BC {shlex.quote(config['agent'])} BC+RL {shlex.quote(str(agent))} "
        f"--baseline BC --out {shlex.quote(str(run / RESULTS_FILE))}{flags}",
        circumstances=_circumstances(record),
        curves=charts(rows, IMPROVEMENT),
        warnings=tuple(over_optimisation(reward, success)),
        monitored=tuple(chart for chart in (reward, success, second_over_training(rows)) if chart is not None),
        watched=(alarms,),
        traces=traces,
        traces_note=note,
        rewarded_by_truth=bool(config.get("scripted_reward")),
    )


def _cloning(run: Path, record: Mapping[str, Any], rows: list[Row]) -> TrainingReport:
    config, division = record["config"], noted_division(run)
    where = "held-out" if column(rows, "bc_held_out/movement")[0] else "training"
    loss = column(rows, "bc_held_out/movement" if where == "held-out" else "bc/movement")[1]
    blind, parameters = (column(rows, f"bc/{name}")[1] for name in ("marginal_entropy", "parameters"))
    facts = [_updates(rows, config["training"]["updates"])]
    if loss:
        baseline = f"a constant prediction has {blind[0]:.2f}" if blind else ""
        facts.insert(0, Fact(f"Movement on {where} play", f"{loss[-1]:.2f}", f"nats a step; {baseline}".rstrip("; ")))
    if parameters:
        facts.append(Fact("Parameters", f"{parameters[0]:,.0f}", f"an agent of the size {config['size']}"))
    agent = _newest(run, record["kind"])
    known = settings_of_agent(agent) != UNKNOWN
    return TrainingReport(
        kind="Cloning of recorded play (BC)",
        headline=headlines.cloning_headline(rows, len(division.validation) if division else None),
        facts=tuple(facts),
        next_step="The losses do not measure how often the agent succeeds. To measure it"
        + (":" if known else ", with the --world settings with which its play was recorded:"),
        command=f"rlhf evaluate --agents BC {shlex.quote(str(agent))} --out {shlex.quote(str(run / RESULTS_FILE))}",
        circumstances=_circumstances(record),
        curves=charts(rows, CLONING),
    )


def _refining(run: Path, record: Mapping[str, Any], rows: list[Row]) -> TrainingReport:
    method = record["config"]["training"]["method"]
    return replace(_cloning(run, record, rows), kind=f"Refining of a cloned agent on marked play ({method})")


def _reward_training(run: Path, record: Mapping[str, Any], rows: list[Row]) -> TrainingReport:
    config = record["config"]
    facts = [fact for where in ("held_out", "validation") if (fact := _pairs_fact(rows, where)) is not None]
    majority = column(rows, "reward_model_held_out/majority")[1] or column(rows, "reward_model_validation/majority")[1]
    if majority:
        facts.append(Fact("Baseline", percent(majority[-1]), "always predicting the more frequent sign"))
    facts += [fact for kind in PREFERENCES if (fact := _preference_fact(rows, kind)) is not None]
    facts.append(_updates(rows, config["training"]["updates"]))
    traces, note = _traces(run, record)
    data = " ".join(map(shlex.quote, config["data"]))
    model = shlex.quote(str(_newest(run, record["kind"])))
    return TrainingReport(
        kind="A reward model from marks",
        headline=headlines.reward_headline(rows),
        facts=tuple(facts),
        next_step="A model may order pairs well and still be a bad objective. To diagnose it, in numbers and pictures:",
        command=f"rlhf diagnose --reward-model {model} --data {data}",
        circumstances=_circumstances(record),
        curves=charts(rows, (*REWARD_TRAINING, PREFERENCE_LOSS)),
        evaluation=charts(rows, (PAIRS, WORDS, AGREED)),
        traces=traces,
        traces_note=note,
    )


ReportBuilder = Callable[[Path, Mapping[str, Any], list[Row]], TrainingReport]
REPORT_BUILDERS: Mapping[str, ReportBuilder] = {
    "ImproveConfig": _improvement,
    "CloneConfig": _cloning,
    "RefineConfig": _refining,
    "RewardConfig": _reward_training,
}
_CONFIGS = {kind.__name__: kind for kind in (ImproveConfig, CloneConfig, RefineConfig, RewardConfig)}


def _return_facts(rows: list[Row], replays: Replays) -> list[Fact]:
    """Facts on modelled return and true success, now and at first where that is known."""
    facts, name = [], NAMES[replays]
    for metric in METRICS:
        found, title = change_of(rows, replays, metric), metric.replace("_", " ").capitalize()
        if found.last is not None:
            share, last = metric == "true_success", found.last
            shown = percent(last.value) if share else headlines.number(last.value)
            facts.append(Fact(f"{title}, {name}", shown, _return_note(found, last, metric)))
    return facts


def _return_note(found: Change, last: Measurement, metric: Metric) -> str:
    unit = "requests" if metric == "true_success" else "plays"
    now = f"{headlines.measurement_text(last, metric)} with {last.count:,} {unit}"
    if found.first is None:
        return f"{now}; too few {unit} at first to compare"
    at_first = f"from {headlines.measurement_text(found.first, metric)} with {found.first.count:,}"
    return f"{at_first}; now {now}" + ("" if metric == "true_success" else ", per episode")


def _pairs_fact(rows: list[Row], where: str) -> Fact | None:
    """Fact on the share of pairs ordered correctly, by the best model with its interval once there is one."""
    play = {"held_out": "held-out play", "validation": "validation play"}[where]
    if (kept := headlines.kept_accuracy(rows, where)) is not None:
        bounds = f"{percent(kept.low)} to {percent(kept.high)} over {kept.count:,} episodes; the best model"
        chosen = ", selected on them" if where == "validation" else ""
        return Fact(f"Pairs right, {play}", percent(kept.estimate), bounds + chosen)
    accuracies = column(rows, f"reward_model_{where}/pair_accuracy")[1]
    if not accuracies:
        return None
    return Fact(f"Pairs right, {play}", percent(max(accuracies)), f"the best of {len(accuracies):,} evaluations so far")


def _preference_fact(rows: list[Row], kind: str) -> Fact | None:
    """Fact on one kind of preference: how many examples were learned from, and what the best model does with others."""
    name, learned = NOUNS[kind], column(rows, f"reward_model/{kind}_examples")[1]
    examples = f"{learned[-1]:,.0f} examples learned from" if learned else "being learned from"
    for where, play in (("held_out", "held-out play"), ("validation", "validation play")):
        kept = headlines.kept_accuracy(rows, where, kind)
        accuracies = column(rows, f"reward_model_{where}/{kind}_accuracy")[1]
        if kept is None and not accuracies:
            continue
        if kept is not None:
            value = percent(kept.estimate)
            note = f"{percent(kept.low)} to {percent(kept.high)} over {kept.count:,} episodes; {examples}"
        else:
            value, note = percent(max(accuracies)), f"the best so far; {examples}"
        losses = column(rows, f"reward_model_{where}/{kind}_loss")[1]
        note += f"; loss {losses[-1]:.2f} (chance {math.log(2):.2f})" if losses else ""
        return Fact(f"{name.capitalize()} right, {play}", value, note)
    if column(rows, f"reward_model/{kind}")[1]:
        return Fact(f"{name.capitalize()} right", "?", f"{examples}; none in validation or held-out play")
    return None


def _alarm_fact(run: WatchedRun) -> Fact:
    if run.since is None:
        return Fact("Alarms", "?", "not saved by this run")
    return Fact("Alarms", f"{len(run.alarms):,}", alarm_count(len(run.alarms)).lower(), warns=bool(run.alarms))


def _updates(rows: list[Row], planned: int) -> Fact:
    done, played = _done(rows), column(rows, "played_steps")[1]
    note = f"of at most {planned:,}" if done < planned else "as many as were planned"
    return Fact("Updates", f"{done:,}", note + (f"; {played[-1]:,.0f} steps played" if played else ""))


def _done(rows: list[Row]) -> int:
    """Number of updates made, up to the last measured one."""
    return rows[-1]["step"] if rows else 0


def _newest(run: Path, kind: str) -> Path:
    """Folder of the run's model, or, before it is finished, of the agent in its newest checkpoint."""
    made, latest = run / TRAININGS[kind].makes, run / "checkpoints" / "latest"
    if made.is_dir() or kind == "RewardConfig" or not latest.is_file():
        return made
    return run / "checkpoints" / latest.read_text(encoding="utf-8").strip() / "agent"


def _world_flags(world: Mapping[str, Any], *agents: str | Path) -> str:
    """Flags of the run's ``world`` for an evaluation of ``agents``; none if the agents' folders have its settings."""
    here = from_json(WorldConfig, world)
    learned = [settings_of_agent(agent).world for agent in agents]
    if all(one != WorldConfig() and not world_differences(here, one) for one in learned):
        return ""
    return world_flags(here, DEFAULT_WORLD)


def _traces(run: Path, record: Mapping[str, Any]) -> tuple[tuple[Picture, ...], str]:
    """Traces of the run's reward model, and the reason if there are none."""
    if record["config"].get("scripted_reward"):
        return (), "No traces: the agent was rewarded by the tasks' ground truth."
    try:
        if record["kind"] == "RewardConfig":
            trained = load_config(run, RewardConfig)
            config = ImproveConfig(data=trained.data, reward_model=run / "reward_model")
        else:
            config = load_config(run, ImproveConfig)
        traces = reward_traces(config)
    except UserError as error:
        return (), f"No traces: {error}."
    return traces, "" if traces else "No traces: no held-out episode has marks."


def _circumstances(record: Mapping[str, Any]) -> Circumstances:
    """Circumstances of the run's start, and the number of times it was resumed."""
    resumed = record.get("resumed", [])
    counts = (("resumed", f"{len(resumed):,} times, last {_when(resumed[-1])}"),) if resumed else ()
    return Circumstances(
        command=record.get("command", "unknown"),
        machine=_machine(record.get("machine")),
        version=record.get("version", "unknown"),
        created=_when(record),
        commit=record.get("git_commit"),
        config=record["config"],
        counts=(("begun", _when(record)), *counts),
    )


def _machine(described: Any) -> str:
    try:
        return str(from_json(Machine, described))
    except BadValue:
        return "an unknown machine"


def _when(record: Any) -> str:
    """Return the time of a start, or of a resumption, in words."""
    try:
        return datetime.fromisoformat(record["created"]).strftime("%Y-%m-%d %H:%M UTC")
    except (KeyError, TypeError, ValueError):
        return "at an unknown time"
