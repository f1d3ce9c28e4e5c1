"""Findings of a report, in numbers and in words, computed from its data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pipelines.report.data import Chart, Outcomes, ReportData
from pipelines.stages.outcomes.evaluation_text import REQUESTS
from pipelines.stages.outcomes.paired import at_probes, gain, success_of
from rlhf.learning.guards import standard_error
from rlhf.run.statistics import Interval, percent, points

Verdict = Literal["better", "worse", "unclear", "few"]

FEWEST_EPISODES = 20  # below this a bootstrap interval is too narrow
_ERRORS = 2.0  # standard errors that a fall of true success must exceed
OVERALL = "All probes"

VERDICT_WORDS: dict[Verdict, str] = {
    "better": "better",
    "worse": "worse",
    "unclear": "no clear difference",
    "few": "too few episodes to compare",
}


@dataclass(frozen=True)
class Row:
    """Success at one probe (or over all, with equal weights), as shares of 1."""

    probe: str
    agents: dict[str, Interval]
    difference: Interval
    verdict: Verdict


@dataclass(frozen=True)
class Findings:
    """Rows by probe, the row over all probes, and sentences about them."""

    rows: tuple[Row, ...]
    overall: Row
    headline: str
    remarks: tuple[str, ...]


def find(data: ReportData) -> Findings:
    """Compute the findings of ``data``."""
    probes = list(dict.fromkeys(outcome.probe for outcome in data.outcomes if outcome.agent == data.before))
    rows = tuple(_row(data, [probe], probe[:1].upper() + probe[1:]) for probe in probes)
    overall = rows[0] if len(rows) == 1 else _row(data, probes, OVERALL)
    remarks = [_by_probe(rows)] if len(rows) > 1 else []
    remarks += over_optimisation(data.reward_over_training, data.success_over_training) + _alarms(data)
    return Findings(rows, overall, headline(overall, data.before, data.after, REQUESTS[data.split]), tuple(remarks))


def headline(row: Row, before: str, after: str, requests: str) -> str:
    """Sentence on ``row``, of ``requests``: the better agent, the difference and its interval."""
    was, now = row.agents[before], row.agents[after]
    numbers = f"{percent(now.estimate)} of {requests} succeed instead of {percent(was.estimate)}"
    against, difference = f"{percent(now.estimate)} against {percent(was.estimate)}", points(row.difference)
    if row.verdict == "better":
        return f"{after} does better than {before}: {numbers}, {difference}."
    if row.verdict == "worse":
        return f"{after} does worse than {before}: {numbers}, {difference}."
    if row.verdict == "few":
        return f"Too few episodes ({row.difference.count:,}) to compare {after} with {before}: {against}."
    return f"No clear difference between {after} and {before}: {against}, {difference}."


def verdict_of(difference: Interval) -> Verdict:
    """Verdict on a paired difference."""
    if difference.count < FEWEST_EPISODES:
        return "few"
    if difference.low > 0:
        return "better"
    return "worse" if difference.high < 0 else "unclear"


def _row(data: ReportData, probes: Sequence[str], title: str) -> Row:
    """Row of one probe, or over several with equal weights."""
    runs = {name: _runs(data, name, probes) for name in _agents(data)}
    agents = {name: success_of(found, data.resampling_seed) for name, found in runs.items() if found}
    difference = gain(runs[data.after], runs[data.before], data.resampling_seed)
    return Row(title, agents, difference, verdict_of(difference))


def _agents(data: ReportData) -> list[str]:
    return [name for name in (data.reference, data.before, *data.between, data.after) if name is not None]


def _runs(data: ReportData, agent: str, probes: Sequence[str]) -> list[list[Outcomes]]:
    """Outcomes of an agent at ``probes``, by run; runs without all of them are left out."""
    own = [outcome for outcome in data.outcomes if outcome.agent == agent and outcome.probe in probes]
    by_run = [[outcome for outcome in own if outcome.run == run] for run in sorted({outcome.run for outcome in own})]
    return [at_probes(run, probes) for run in by_run if len(run) == len(probes)]


def _by_probe(rows: Sequence[Row]) -> str:
    """Return, e.g., "Better at Go and Lift; no clear difference at Count."."""
    parts = []
    for verdict, words in VERDICT_WORDS.items():
        probes = [row.probe for row in rows if row.verdict == verdict]
        if probes:
            parts.append(f"{words} at {_listed(probes)}")
    sentence = "; ".join(parts) + "."
    return sentence[0].upper() + sentence[1:]


def over_optimisation(reward: Chart | None, success: Chart | None) -> list[str]:
    """Return a warning if the modelled reward rose while true success fell by more than chance."""
    risen, fallen = _rise(reward), _rise(success)
    if risen is None or fallen is None or not (risen[0] > 0 and fallen[0] < -_ERRORS * fallen[1]):
        return []
    return [
        "The modelled reward rose while true success fell: the agent exploits the reward model "
        "(over-optimisation). Stop earlier, or raise the weight of cloning."
    ]


def _alarms(data: ReportData) -> list[str]:
    """Return a warning if the guards raised an alarm."""
    raised = [alarm for run in data.watched for alarm in run.alarms]
    if not raised:
        return []
    kinds = _listed(sorted({alarm.kind.replace("_", "-") for alarm in raised}))
    count = "an alarm was" if len(raised) == 1 else f"{len(raised):,} alarms were"
    return [f"While the agent improved, {count} raised ({kinds}), listed beside the curves of modelled reward."]


def _rise(chart: Chart | None) -> tuple[float, float] | None:
    """Mean over a chart's curves of their last fifth less their first, and its standard error.

    The error is that of a share of as many requests as a single point has, because points share plays; it is 0 where
    that number is unknown, or the chart is not of shares.
    """
    rises, errors = [], []
    for curve in chart.curves if chart else ():
        finite = np.isfinite(curve.y)
        values = np.asarray(curve.y)[finite]
        if len(values) >= 2:
            fifth = max(1, len(values) // 5)
            ends = (values[:fifth], values[-fifth:])
            rises.append(float(np.mean(ends[1]) - np.mean(ends[0])))
            if chart is not None and chart.share and curve.counts:
                counts = np.asarray(curve.counts)[finite]
                most = (counts[:fifth].max(), counts[-fifth:].max())
                errors += [standard_error(float(np.mean(y)), n) for y, n in zip(ends, most, strict=True)]
    return (float(np.mean(rises)), float(np.hypot.reduce([0.0, *errors])) / len(rises)) if rises else None


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
