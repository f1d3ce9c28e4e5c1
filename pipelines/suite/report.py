"""`rlhf suite report`: people's judgements of a suite's continuations and of live play (paper, 6.4 and 6.5)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pipelines.report.file import circumstances
from pipelines.suite.page import page
from pipelines.suite.report_data import (
    ALL,
    AgentResults,
    LiveResults,
    SuiteReport,
    SuiteResults,
    agreement_sentence,
    left_out_sentence,
    share,
)
from pipelines.suite.request_kinds import KINDS, kind_of
from pipelines.suite.results import (
    Outcome,
    cumulative_success,
    difference,
    judges_agreement,
    majority,
    one_voice,
    request_rate,
    success_rate,
)
from pipelines.suite.scenarios import NOTE, RECORDED
from rlhf.records.json_records import to_json
from rlhf.records.marks import Judgement
from rlhf.run.progress import announce
from rlhf.run.statistics import points
from rlhf.store import ParquetStore, open_store
from rlhf.store.files.durable import write_file
from worlds.errors import UserError
from worlds.ranges import Seed
from worlds.settings import settings

VERDICTS = "verdicts"  # in the notes of an episode judged by its setter
JSON_FILE, PAGE_FILE = "report.json", "report.html"


@settings
class ReportSuiteConfig:
    """Settings of `rlhf suite report`.

    Args:
      data: datasets of continuations that were judged, of live play with verdicts, or both.
      out: folder for report.json and report.html; None uses the first dataset's.
      baseline: agent that others are compared with, scenario by scenario; None uses the first that is not "recorded".
      scripted: report the judgements of scripted judges; otherwise they are left out.
      seed: seed of the resampling.
    """

    data: tuple[Path, ...] = (Path("study/sts"),)
    out: Path | None = None
    baseline: str | None = None
    scripted: bool = False
    seed: Seed = 0

    def __post_init__(self) -> None:
        if not self.data:
            raise UserError("no dataset to report on: name at least one with --data")


def report_suite(config: ReportSuiteConfig) -> SuiteReport:
    """Print the report, and write it as JSON and as a page.

    Raises UserError if the datasets have no judgements, or damaged ones.
    """
    stores = [open_store(folder) for folder in config.data]
    notes = {
        store: {row.episode_id: store.read_transcript(row.episode_id).notes for row in store.rows()} for store in stores
    }
    suite, live = _suite(config, notes), _live(config, notes)
    if suite is None and live is None:
        raise UserError(f"{', '.join(map(str, config.data))}: {_why_empty(config, notes)}")
    counts: dict[str, object] = {} if suite is None else {"judgements by": _judges(config)}
    report = SuiteReport(suite, live, config.scripted, circumstances(config, counts=counts))
    out = config.out or config.data[0]
    out.mkdir(parents=True, exist_ok=True)
    write_file(out / JSON_FILE, (json.dumps(to_json(report), indent=2) + "\n").encode())
    write_file(out / PAGE_FILE, page(report).encode())
    announce(text(report))
    announce(f"report: {(out / PAGE_FILE).resolve()}")
    return report


Notes = Mapping[ParquetStore, Mapping[str, Mapping[str, Any]]]  # by store and episode


def _suite(config: ReportSuiteConfig, notes: Notes) -> SuiteResults | None:
    about = {episode: note[NOTE] for own in notes.values() for episode, note in own.items() if NOTE in note}
    _check(about)
    judged: dict[str, list[Judgement]] = {}
    left_out: Counter[str] = Counter()
    for store in notes:
        for one in store.judgements():
            if one.scripted != config.scripted or one.episode_id not in about:
                continue
            if one.left_out:  # neither success nor failure: no part of any rate, interval or agreement
                left_out[one.left_out] += 1
            else:
                judged.setdefault(one.episode_id, []).append(one)
    judged = {episode: own for episode, own in judged.items() if one_voice(own)}
    if not judged:
        return None
    outcomes = [judged_outcome(about[episode], own) for episode, own in judged.items()]
    played = Counter(one["agent"] for one in about.values())
    agents = list(played)
    baseline = _baseline(config, [agent for agent in agents if any(one.agent == agent for one in outcomes)])
    longest = max(int(one["limit"]) for one in about.values())
    clock = next(iter(notes)).description.steps_per_second
    rows = [
        _agent(agent, outcomes, played[agent], longest, clock, config.seed, baseline)
        for agent in agents
        if any(one.agent == agent for one in outcomes)
    ]
    return SuiteResults(
        suites=tuple(sorted({one["suite"] for one in about.values()})),
        scenarios=len({_scenario(one) for one in about.values()}),
        judged=len({_scenario(about[episode]) for episode in judged}),
        baseline=baseline,
        recorded_by=dict(Counter(one["player"] for one in about.values() if one["agent"] == RECORDED)),
        agents=tuple(rows),
        left_out=dict(left_out),
        agreement=judges_agreement(
            judged, {e: _scenario(about[e]) for e in judged}, seed=config.seed, steps_per_second=clock
        ),
    )


def _agent(
    agent: str, outcomes: Sequence[Outcome], played: int, longest: int, clock: float, seed: int,
    baseline: str | None = None, by_cluster: bool = True,
) -> AgentResults:  # fmt: skip
    """Return the results of one agent.

    Args:
      clock: steps in a second.
      baseline: agent that it is compared with; None compares it with none.
      by_cluster: true if scenarios weigh the same, false if requests do.
    """
    own = [one for one in outcomes if one.agent == agent]
    success = {kind: (success_rate if by_cluster else request_rate)(some, seed=seed) for kind, some in _by_kind(own)}
    compared = None
    if baseline not in (None, agent):
        compared = difference(own, [one for one in outcomes if one.agent == baseline], seed=seed)
    return AgentResults(
        agent=agent,
        outcomes=len(own),
        clusters=len({one.cluster for one in own}),
        played=played,
        success={kind: found for kind, found in success.items() if found is not None},
        difference=compared,
        cumulative=cumulative_success(own, longest, by_cluster=by_cluster, seed=seed, steps_per_second=clock),
    )


def _by_kind(outcomes: Sequence[Outcome]) -> Iterable[tuple[str, list[Outcome]]]:
    yield ALL, list(outcomes)
    for kind in KINDS:
        yield kind, [one for one in outcomes if one.kind == kind]


def judged_outcome(about: Mapping[str, Any], judgements: Sequence[Judgement]) -> Outcome:
    """Return the outcome of a continuation by the majority of its judges; ``about`` is its note on the scenario."""
    success, steps = majority(judgements, int(about["step"]))
    return Outcome(about["agent"], _scenario(about), about["kind"], success, steps)


def _scenario(about: Mapping[str, Any]) -> str:
    return f"{about['suite']} {about['name']}"


def _check(about: Mapping[str, Mapping[str, Any]]) -> None:
    """Check that continuations' notes are those that `rlhf suite play` writes. Raises UserError if one is missing."""
    wanted = {"suite": str, "name": str, "agent": str, "step": int, "limit": int, "kind": str, "player": str}
    for episode, note in about.items():
        wrong = [name for name, kind in wanted.items() if not isinstance(note.get(name), kind)]
        if wrong:
            raise UserError(f"episode {episode}: its notes on the scenario lack {wrong[0]}; play it again, or drop it")


def _baseline(config: ReportSuiteConfig, agents: Sequence[str]) -> str | None:
    if config.baseline is not None and config.baseline not in agents:
        raise UserError(f"nothing by {config.baseline} was judged; there are {', '.join(agents)}")
    return config.baseline or next((agent for agent in agents if agent != RECORDED), None)


def _live(config: ReportSuiteConfig, notes: Notes) -> LiveResults | None:
    outcomes: list[Outcome] = []
    for store, own in notes.items():
        solvers = {row.episode_id: row.solver for row in store.rows()}
        scripted = _judged_by_scripts(store)
        for episode, note in own.items():
            if VERDICTS in note and (episode in scripted) == config.scripted:
                outcomes += [verdict_outcome(solvers[episode], episode, verdict) for verdict in note[VERDICTS]]
    if not outcomes:
        return None
    longest = int(max((one.steps for one in outcomes if one.steps is not None), default=0))
    agents = sorted({one.agent for one in outcomes})
    clock = next(iter(notes)).description.steps_per_second
    requests = Counter(one.agent for one in outcomes)
    rows = [_agent(agent, outcomes, requests[agent], longest, clock, config.seed, by_cluster=False) for agent in agents]
    return LiveResults(tuple(rows))


def _judged_by_scripts(store: ParquetStore) -> set[str]:
    """Ids of the episodes in which no person is the setter."""
    return {row.episode_id for row in store.rows() if row.setter.partition(":")[0] != "human"}


def verdict_outcome(solver: str, episode: str, verdict: Any) -> Outcome:
    """Convert a setter's verdict on one request. Raises UserError if ``verdict`` is none."""
    try:
        step, asked, words, success = (verdict[name] for name in ("step", "request_step", "request", "success"))
        if not (isinstance(success, bool) and isinstance(words, str) and 0 <= int(asked) <= int(step)):
            raise ValueError
    except (KeyError, TypeError, ValueError) as error:
        problem = f"episode {episode}: {json.dumps(verdict)[:80]} in its notes is no verdict on a request"
        raise UserError(f"{problem}; drop the episode, or leave its dataset out") from error
    return Outcome(solver, episode, kind_of(words), float(success), float(step - asked + 1) if success else None)


def _why_empty(config: ReportSuiteConfig, notes: Notes) -> str:
    """Reason why there is nothing to report."""
    others = any(one.scripted != config.scripted for store in notes for one in store.judgements()) or any(
        VERDICTS in note for own in notes.values() for note in own.values()
    )
    if others:
        return "only people judged; leave out --scripted" if config.scripted else "only scripted judges; use --scripted"
    if any(NOTE in note for own in notes.values() for note in own.values()):
        return "nothing has been judged yet; invite judges (`rlhf serve`)"
    return "there are no continuations and no verdicts; `rlhf suite play` makes continuations"


def _judges(config: ReportSuiteConfig) -> str:
    return "scripted stand-ins" if config.scripted else "people"


def text(report: SuiteReport) -> str:
    """Format the report's tables for a terminal."""
    lines: list[str] = []
    if report.suite is not None:
        suite = report.suite
        lines.append(f"success over {suite.over}, 95% intervals over scenarios:")
        lines += _table(suite.agents, "continuations")
        lines += [
            f"  {row.agent} less {suite.baseline}: {points(row.difference)}" for row in suite.agents if row.difference
        ]
        lines.append(agreement_sentence(suite.agreement))
        if suite.left_out:
            lines.append(left_out_sentence(suite.left_out))
    if report.live is not None:
        lines.append("live, judged by setters; 95% intervals over episodes:")
        lines += _table(report.live.agents, "requests")
    return "\n".join(lines)


def _table(agents: Sequence[AgentResults], unit: str) -> list[str]:
    width = max(len(row.agent) for row in agents)
    return [
        f"  {row.agent:<{width}} "
        + "   ".join(f"{kind} {share(row.success.get(kind))}" for kind in (ALL, *KINDS))
        + f"   ({row.outcomes} {unit if row.outcomes != 1 else unit.removesuffix('s')})"
        for row in agents
    ]
