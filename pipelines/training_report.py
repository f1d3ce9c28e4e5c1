"""The report of a training that nobody has evaluated yet: how it went, from what the run has written so far.

A run that is still at work can be looked at, too. What such a report cannot say is how good the agent is.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from pipelines.findings import over_optimisation, percent
from pipelines.improve_config import ImproveConfig
from pipelines.places import WorldConfig
from pipelines.report_data import Chart, Circumstances, Picture, WatchedRun
from pipelines.report_sections import alarm_count
from pipelines.reward import RewardConfig
from pipelines.statistics import wilson_interval
from pipelines.story import reward_over_training, reward_traces, success_over_training, watched
from pipelines.training_charts import CLONING, IMPROVEMENT, PAIRS, TEACHING, WORDS, charts
from rlhf.errors import UserError
from rlhf.json_lines import Row
from rlhf.json_records import differences
from rlhf.machine import Machine
from rlhf.run_config import load_config, read_record
from rlhf.tracking import column, read_metrics


@dataclass(frozen=True)
class Fact:
    """A big number of the page. ``warns``: whether it is bad news."""

    name: str
    number: str
    note: str = ""
    warns: bool = False


@dataclass(frozen=True)
class TrainingReport:
    """All that the page of a training shows.

    Args:
      headline: what happened, in numbers. next_step, command: what to do to learn more, or with what was made.
      warnings: what is wrong.
      monitored: modelled reward and true success, of BC+RL. watched: its alarms.
      exam: of a reward model, on episodes set aside.
      rewarded_by_truth: whether no reward model was optimised.
      traces_note: why there are no traces, if there are none.
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
    exam: tuple[Chart, ...] = ()
    traces: tuple[Picture, ...] = ()
    traces_note: str = ""
    rewarded_by_truth: bool = False


def training_report(run: Path) -> TrainingReport:
    """What the run in the folder ``run`` has to tell.

    Raises:
      UserError: if it is no training's folder, or its files are damaged.
    """
    record = read_record(run)
    return TOLD[record["kind"]](run, record, read_metrics(run))


def _improvement(run: Path, record: Mapping[str, Any], rows: list[Row]) -> TrainingReport:
    config, alarms = record["config"], watched(run)
    where, of = ("held_out", "held-out") if column(rows, "held_out/modelled_return")[0] else ("train", "training")
    modelled, success = (column(rows, f"{where}/{name}")[1] for name in ("modelled_return", "true_success"))
    parts = []
    if modelled:
        parts.append(f"the modelled return went from {_told(modelled[0])} to {_told(modelled[-1])}")
    if success:
        parts.append(f"true success from {percent(success[0])} to {percent(success[-1])}")
    told = f"On {of} replays {' and '.join(parts)}." if parts else "No replay has come to its end yet."
    traces, note = _traces(run, record)
    agent, monitored = _newest_agent(run), (reward_over_training(run), success_over_training(run))
    return TrainingReport(
        kind="Improvement by BC+RL",
        headline=told,
        facts=(
            *_return_facts(of, modelled, success, column(rows, f"{where}/requests")[1]),
            _updates(rows, config["updates"]),
            _alarm_fact(alarms),
        ),
        next_step="This says how the training went, not how good the agent is: it was not evaluated. To measure it "
        "beside the agent that it began as, in houses and on instructions that neither was trained on:",
        command=f"rlhf evaluate --agents BC {shlex.quote(config['agent'])} BC+RL {shlex.quote(str(agent))} "
        f"--out {shlex.quote(str(run / 'results.json'))}{_world_flags(config.get('world'))}",
        circumstances=_circumstances(record),
        curves=charts(rows, IMPROVEMENT),
        warnings=tuple(over_optimisation(*monitored)),
        monitored=monitored,
        watched=(alarms,),
        traces=traces,
        traces_note=note,
        rewarded_by_truth=bool(config.get("scripted_reward")),
    )


def _cloning(run: Path, record: Mapping[str, Any], rows: list[Row]) -> TrainingReport:
    config = record["config"]
    where = "held-out" if column(rows, "bc_held_out/movement")[0] else "training"
    loss = column(rows, "bc_held_out/movement" if where == "held-out" else "bc/movement")[1]
    blind, parameters = (column(rows, f"bc/{name}")[1] for name in ("marginal_entropy", "parameters"))
    facts = [_updates(rows, config["training"]["updates"])]
    if loss:
        beside = f"seeing nothing costs {blind[0]:.2f}" if blind else ""
        facts.insert(0, Fact(f"Movement on {where} play", f"{loss[-1]:.2f}", f"nats a step; {beside}".rstrip("; ")))
    if parameters:
        facts.append(Fact("Parameters", f"{parameters[0]:,.0f}", f"an agent of the size {config['size']}"))
    went = f"went from {loss[0]:.2f} to {loss[-1]:.2f} nats" if loss else "was not measured yet"
    return TrainingReport(
        kind="Cloning of recorded play (BC)",
        headline=f"The loss of a step's movement on {where} play {went}.",
        facts=tuple(facts),
        next_step="How often the agent does what it is asked to is not known from its losses. To measure it, with the "
        "--world settings with which its play was recorded:",
        command=f"rlhf evaluate --agents BC {shlex.quote(str(_newest_agent(run)))} "
        f"--out {shlex.quote(str(run / 'results.json'))}",
        circumstances=_circumstances(record),
        curves=charts(rows, CLONING),
    )


def _teaching(run: Path, record: Mapping[str, Any], rows: list[Row]) -> TrainingReport:
    config = record["config"]
    finals = {where: column(rows, f"reward_model_{where}/pair_accuracy")[1] for where in ("held_out", "validation")}
    majority = column(rows, "reward_model_held_out/majority")[1] or column(rows, "reward_model_validation/majority")[1]
    facts = []
    if finals["held_out"]:
        facts.append(Fact("Pairs right, held-out play", percent(finals["held_out"][-1]), "the model that was kept"))
    if finals["validation"]:
        facts.append(Fact("Pairs right, play set aside", percent(max(finals["validation"])), "the best so far"))
    if majority:
        facts.append(Fact("To be compared with", percent(majority[-1]), "always saying the commoner"))
    facts.append(_updates(rows, config["training"]["updates"]))
    best = facts[0] if finals["held_out"] or finals["validation"] else None
    told = "No pairs of moments were put in the right order yet."
    if best is not None:
        told = f"{best.number} of the pairs of moments in {best.name.partition(', ')[2]} are put in the right order."
    traces, note = _traces(run, record)
    data, model = " ".join(map(shlex.quote, config["data"])), shlex.quote(str(run / "reward_model"))
    return TrainingReport(
        kind="A reward model from marks",
        headline=told,
        facts=tuple(facts),
        next_step="A model may do well on pairs and still be a bad thing to optimise. What it has learned, in numbers "
        "and pictures:",
        command=f"rlhf diagnose --reward-model {model} --data {data}",
        circumstances=_circumstances(record),
        curves=charts(rows, TEACHING),
        exam=charts(rows, (PAIRS, WORDS)),
        traces=traces,
        traces_note=note,
    )


Told = Callable[[Path, Mapping[str, Any], list[Row]], TrainingReport]
TOLD: Mapping[str, Told] = {"ImproveConfig": _improvement, "CloneConfig": _cloning, "RewardConfig": _teaching}


def _return_facts(of: str, modelled: list[float], success: list[float], requests: list[float]) -> list[Fact]:
    facts = []
    if modelled:
        facts.append(Fact(f"Modelled return, {of}", _told(modelled[-1]), f"from {_told(modelled[0])}, per episode"))
    if success:
        note = f"from {percent(success[0])}"
        if requests:
            interval = wilson_interval(round(success[-1] * requests[-1]), round(requests[-1]))
            note += f"; {percent(interval.low)} to {percent(interval.high)} with {interval.count:,} requests"
        facts.append(Fact(f"True success, {of}", percent(success[-1]), note))
    return facts


def _told(value: float) -> str:
    return f"{value:.2f}".replace("-", "\N{MINUS SIGN}")


def _alarm_fact(run: WatchedRun) -> Fact:
    if run.since is None:
        return Fact("Alarms", "?", "not kept by this run")
    return Fact("Alarms", f"{len(run.alarms):,}", alarm_count(len(run.alarms)).lower(), warns=bool(run.alarms))


def _updates(rows: list[Row], planned: int) -> Fact:
    done, played = rows[-1]["step"] if rows else 0, column(rows, "played_steps")[1]
    note = f"of at most {planned:,}" if done < planned else "as many as were planned"
    return Fact("Updates", f"{done:,}", note + (f"; {played[-1]:,.0f} steps played" if played else ""))


def _newest_agent(run: Path) -> Path:
    """The agent that the run made; of one that is still at work, that of its newest checkpoint."""
    latest = run / "checkpoints" / "latest"
    if (run / "agent").is_dir() or not latest.is_file():
        return run / "agent"
    return run / "checkpoints" / latest.read_text(encoding="utf-8").strip() / "agent"


def _world_flags(world: Mapping[str, Any] | None) -> str:
    """The settings of ``world`` that are not the defaults, as one types them."""
    changed = differences(WorldConfig(), world) if world is not None else ()
    return "".join(f" --world.{name} {shlex.quote(str(value))}" for name, _, value in changed)


def _traces(run: Path, record: Mapping[str, Any]) -> tuple[tuple[Picture, ...], str]:
    """Traces of the reward model in question, and why there are none."""
    if record["config"].get("scripted_reward"):
        return (), "None here: the agent was rewarded by the tasks' ground truth."
    try:
        if record["kind"] == "RewardConfig":
            taught = load_config(run, RewardConfig, older=True)
            config = ImproveConfig(data=taught.data, reward_model=run / "reward_model")
        else:
            config = load_config(run, ImproveConfig, older=True)
        traces = reward_traces(config)
    except UserError as error:
        return (), f"None here: {error}."
    return traces, "" if traces else "None here: no held-out episode has marks."


def _circumstances(record: Mapping[str, Any]) -> Circumstances:
    """Those under which the run was begun, and how often it was gone on with."""
    resumed = record.get("resumed", [])
    counts = (("gone on with", f"{len(resumed):,} times, last {_when(resumed[-1])}"),) if resumed else ()
    return Circumstances(
        command=record["command"],
        machine=str(Machine(**record["machine"])),
        version=record["version"],
        created=_when(record),
        commit=record.get("git_commit"),
        config=record["config"],
        counts=(("begun", _when(record)), *counts),
    )


def _when(record: Mapping[str, Any]) -> str:
    return datetime.fromisoformat(record["created"]).strftime("%Y-%m-%d %H:%M UTC")
