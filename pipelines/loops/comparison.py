"""Comparison of rounds of improvement: ``rounds.json`` and the report."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count, takewhile
from pathlib import Path

from pipelines.loops.preferred import answers, compared_folder, share_preferred
from pipelines.loops.rounds import (
    CLONE,
    EVALUATED,
    REFERENCE,
    LoopConfig,
    agent_name,
    asked_play,
    resolve_round,
    resolve_start,
    round_folder,
)
from pipelines.report.data import DATA_FILE, Chart, ReportData, RoundResult, RoundsCompared, save_report_data
from pipelines.report.file import circumstances, write_report
from pipelines.report.findings import OVERALL
from pipelines.report.gathered import clips, losses, outcome, replay_curve, reward_traces, watched
from pipelines.stages.evaluate import ProbeResult, load_results
from pipelines.stages.evidence import EVIDENCE_FILE
from pipelines.stages.outcomes.paired import gain, success_of
from pipelines.stages.outcomes.replay_change import Metric, Replays, change_of, compared_replays
from pipelines.stages.running.staged_run import FinishedStage, finished_stages
from rlhf.records.json_records import to_json
from rlhf.records.marks import PROGRESS
from rlhf.run.json_lines import Row
from rlhf.run.statistics import Interval
from rlhf.run.tracking import column, read_metrics
from rlhf.store import open_store
from rlhf.store.columns import json_text
from rlhf.store.files.durable import write_file

ROUNDS_FILE = "rounds.json"
Results = Mapping[str, Sequence[ProbeResult]]  # by agent


def write_comparison(config: LoopConfig) -> Path:
    """Write rounds.json and the report of all evaluated rounds, and return the report's path."""
    return _report(config, *write_rounds(config))


def write_rounds(config: LoopConfig) -> tuple[RoundsCompared, Results]:
    """Write rounds.json of all evaluated rounds, and return it and the results that it is made of."""
    start = resolve_start(config)
    rounds = list(takewhile(lambda number: _is_evaluated(config, number), count(1)))
    results = _by_agent(load_results(start.evaluate.out))
    for number in rounds:
        results |= _by_agent(load_results(resolve_round(config, number).evaluate.out))
    compared = RoundsCompared(
        clone=CLONE,
        clone_success=success(results[CLONE], config.seed),
        reference_success=success(results[REFERENCE], config.seed) if REFERENCE in results else None,
        rounds=tuple(_round_result(config, number, results) for number in rounds),
    )
    write_file(config.run / ROUNDS_FILE, (json.dumps(to_json(compared), indent=2) + "\n").encode())
    return compared, results


def success(results: Sequence[ProbeResult], seed: int) -> dict[str, Interval]:
    """Success by probe with Wilson's interval, and over several probes of equal weight with a bootstrap interval.

    Args:
      results: results of one agent.
      seed: seed of the bootstrap.
    """
    found = {result.probe: success_of([[result]]) for result in results}
    if len(found) > 1:
        found[OVERALL] = success_of([results], seed)
    return found


def _by_agent(results: Sequence[ProbeResult]) -> dict[str, list[ProbeResult]]:
    return {agent: [r for r in results if r.agent == agent] for agent in dict.fromkeys(r.agent for r in results)}


def _is_evaluated(config: LoopConfig, number: int) -> bool:
    return any(stage.name == EVALUATED for stage in finished_stages(round_folder(config.run, number)))


def _round_result(config: LoopConfig, number: int, results: Results) -> RoundResult:
    one = resolve_round(config, number)
    store, agent, deployed = open_store(one.play.data), agent_name(number), agent_name(number - 1)
    asked = map(open_store, asked_play(config.run, [number]))
    marks = [mark for played in (store, *asked) for mark in played.marks()]
    progress = sum(mark.sign == PROGRESS for mark in marks)
    rows = read_metrics(one.improve.runs / "improve")
    return RoundResult(
        number=number,
        agent=agent,
        deployed=deployed,
        episodes=len(store.ids(split="train")),
        held_out_episodes=len(store.ids(split="held_out")),
        progress=progress,
        regress=len(marks) - progress,
        by_people=sum(not mark.scripted for mark in marks),
        accuracy=_accuracy(one.reward.runs / one.reward.name),
        modelled_return=_ends(rows, "modelled_return"),
        true_success=_ends(rows, "true_success"),
        success=success(results[agent], config.seed),
        on_clone=gain([results[agent]], [results[CLONE]], config.seed),
        on_deployed=gain([results[agent]], [results[deployed]], config.seed),
        preferred=_preferred(config.run, number),
    )


def _preferred(run: Path, number: int) -> dict[str, Interval]:
    folder = compared_folder(run, number)
    said = answers(open_store(folder), run, number) if folder.is_dir() else {}
    return {rater: share for rater, own in said.items() if (share := share_preferred(own)) is not None}


def _accuracy(folder: Path) -> float | None:
    """Pair accuracy of the reward model on held-out play, or else on validation play."""
    best = json_text.from_json((folder / EVIDENCE_FILE).read_text(encoding="utf-8"))
    names = (f"{where}/pair_accuracy" for where in ("reward_model_held_out", "reward_model_validation"))
    return next((best[name] for name in names if name in best), None)


def _ends(rows: list[Row], metric: Metric) -> tuple[float, float] | None:
    """First and last value of a metric; None if too few plays ended to compare them."""
    found = change_of(rows, compared_replays(rows), metric)
    return None if found.first is None or found.last is None else (found.first.value, found.last.value)


def _report(config: LoopConfig, compared: RoundsCompared, results: Results) -> Path:
    """Write report.json and report.html into the run's folder and return the latter's path."""
    start, one = resolve_start(config), resolve_round(config, len(compared.rounds))
    numbers = [result.number for result in compared.rounds]
    agents = [CLONE, *map(agent_name, numbers)]
    cloning = config.run / "clone"
    last = replace(start.evaluate, agents={**start.evaluate.agents, **one.evaluate.agents})
    data = ReportData(
        title=f"An agent improved in {len(numbers)} round{'s' if len(numbers) > 1 else ''} of marks",
        before=CLONE,
        between=tuple(agents[1:-1]),
        after=agents[-1],
        reference=REFERENCE if REFERENCE in results else None,
        split=last.split,
        outcomes=tuple(outcome(result, config.seed) for name in results for result in results[name]),
        circumstances=circumstances(config, _stages(config, numbers), _counts(compared)),
        rounds=compared,
        reward_over_training=_chart(config, numbers, "modelled_return", "Modelled reward per episode"),
        success_over_training=_chart(config, numbers, "true_success", "True success"),
        second_over_training=_chart(config, numbers, "second_return", "Return by the second reward model per episode"),
        watched=tuple(watched(round_folder(config.run, number) / "improve", agent_name(number)) for number in numbers),
        traces=reward_traces(one.improve),
        clips=clips(last, CLONE, agents[-1]),
        clips_note="The first episode of each probe; nothing was chosen for its outcome.",
        training=(losses(cloning, "Cloning", ("bc/movement", "bc_held_out/movement")),) if cloning.is_dir() else (),
    )
    save_report_data(data, config.run / DATA_FILE)
    return write_report(data, config.run / "report.html")


def _stages(config: LoopConfig, numbers: Sequence[int]) -> list[FinishedStage]:
    stages = finished_stages(config.run)
    for number in numbers:
        named = finished_stages(round_folder(config.run, number))
        stages += [replace(stage, name=f"{agent_name(number)}: {stage.name}") for stage in named]
    return stages


def _counts(compared: RoundsCompared) -> dict[str, object]:
    return {
        "episodes played in rounds": sum(one.episodes + one.held_out_episodes for one in compared.rounds),
        "marks on them": sum(one.marks for one in compared.rounds),
        "marks by people": sum(one.by_people for one in compared.rounds),
    }


def _chart(config: LoopConfig, numbers: Sequence[int], name: Metric, title: str) -> Chart | None:
    """Chart of a metric in every round; None if no round has measured it."""
    curves = []
    for number in numbers:
        rows = read_metrics(round_folder(config.run, number) / "improve")
        replays: Replays = "held_out" if column(rows, f"held_out/{name}")[0] else "train"
        curves.append(replace(replay_curve(rows, replays, name, agent_name(number)), dashed=False))
    if not any(curve.x for curve in curves):
        return None
    note = "Each round has a reward model of its own." if name == "modelled_return" else ""
    return Chart(f"{title}, by round", "updates", tuple(curves), share=name == "true_success", note=note)
