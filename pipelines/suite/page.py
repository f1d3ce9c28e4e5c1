"""The page of a suite's report: success by agent and kind, success against time, how far judges agree."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from pipelines.report.charts import SMOOTHED_FROM, interval_plot, line_chart
from pipelines.report.data import Chart, Curve
from pipelines.report.page import circumstances, document, section
from pipelines.report.sections import legend
from pipelines.suite.report_data import ALL, AgentResults, SuiteReport, SuiteResults, agreement_sentence
from pipelines.suite.request_kinds import INSTRUCTION, KINDS, QUESTION
from pipelines.suite.scenarios import RECORDED
from rlhf.run.statistics import FEWER_RESAMPLES, LEVEL, Interval, percent, signed

_COLOURS = ("before", "after", "c2", "c3", "c4", "c5", "c6", "c1")
_SHORT = {ALL: "all", INSTRUCTION: "instructions", QUESTION: "questions"}
_SCRIPTED = "The judges here are scripted stand-ins. No person judged anything."


class _Group:
    """Intervals of one kind of request, for a plot."""

    def __init__(self, kind: str, agents: Sequence[AgentResults]) -> None:
        self.probe = _SHORT[kind]
        self.agents = {row.agent: row.success[kind] for row in agents if kind in row.success}


def page(report: SuiteReport) -> str:
    """The whole page."""
    parts = [_opening(report)]
    if report.suite is not None:
        parts += [_suite(report.suite), _judges(report.suite)]
    if report.live is not None:
        lead = (
            "Setters played with the agent and said after each request whether it succeeded. Every request weighs the "
            f"same; lines are {percent(LEVEL)} intervals over episodes."
        )
        body = _figures(report.live.agents, "seconds after the request") + _table(report.live.agents, "Requests", None)
        parts.append(section("Live interaction", lead, body))
    parts += [circumstances(report.circumstances), _method()]
    return document("Judged by people" if not report.scripted else "Judged by stand-ins", parts)


def _opening(report: SuiteReport) -> str:
    rows = report.suite.agents if report.suite is not None else report.live.agents if report.live is not None else ()
    best = max(rows, key=lambda row: row.success[ALL].estimate)
    what = "scenarios" if report.suite is not None else "requests"
    headline = f"{best.agent} is judged to succeed in {percent(best.success[ALL].estimate)} of {what}"
    notice = f'<p class="notice">{_SCRIPTED}</p>' if report.scripted else ""
    return (
        f'<header><p class="kicker">Standardised test suite &middot; {escape(report.circumstances.created)}</p>'
        f"<h1>{escape(headline)}</h1>{notice}</header>"
    )


def _suite(told: SuiteResults) -> str:
    lead = (
        f"{told.over} of suite {', '.join(told.suites)}; judges did not know whose continuation it was. "
        f"Every scenario weighs the same; lines are {percent(LEVEL)} intervals over scenarios."
    )
    if told.recorded_by:
        by = ", ".join(f"{count} by {who}" for who, count in sorted(told.recorded_by.items()))
        lead += f" “{RECORDED}” is what was done when the play was recorded: {by}."
    body = _figures(told.agents, "seconds after the take-over") + _table(told.agents, "Continuations", told.baseline)
    return section("Success as judged", lead, body)


def _figures(agents: Sequence[AgentResults], x_label: str) -> str:
    colours = _colours(agents)
    groups = [_Group(kind, agents) for kind in (ALL, *KINDS) if any(kind in row.success for row in agents)]
    curves = tuple(_curve(row) for row in agents)
    chart = Chart("Success against time", x_label, curves, share=True)
    key = legend((name, colour, False) for name, colour in colours.items())
    return (
        f'<div class="pair"><figure class="card"><h3>Success</h3>{key}{interval_plot(groups, colours)}</figure>'
        f'<figure class="card"><h3>Succeeded within a time</h3>{key}{line_chart(chart, list(colours.values()))}'
        "</figure></div>"
    )


def _curve(row: AgentResults) -> Curve:
    """Success against time, at so many times that the chart draws each as it is."""
    every = -(-len(row.cumulative.steps) // (SMOOTHED_FROM - 1))
    return Curve(row.agent, row.cumulative.seconds[::every], row.cumulative.share[::every])


def _colours(agents: Sequence[AgentResults]) -> dict[str, str]:
    others = [row.agent for row in agents if row.agent != RECORDED]
    colours = {name: _COLOURS[number % len(_COLOURS)] for number, name in enumerate(others)}
    return {row.agent: colours.get(row.agent, "reference") for row in agents}


def _table(agents: Sequence[AgentResults], unit: str, baseline: str | None) -> str:
    compared = baseline is not None and any(row.difference is not None for row in agents)
    head = "".join(f"<th>{_SHORT[kind].capitalize()}</th>" for kind in (ALL, *KINDS))
    head += f"<th>Less {escape(baseline or '')}, points</th>" if compared else ""
    rows = "".join(_row(row, compared) for row in agents)
    return (
        f'<div class="card scroll"><table><thead><tr><th>Agent</th>{head}<th>{unit}</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _row(row: AgentResults, compared: bool) -> str:
    cells = "".join(_cell(row.success.get(kind)) for kind in (ALL, *KINDS))
    if compared:
        cells += f"<td>{_points(row.difference)}</td>"
    count = f"{row.outcomes:,}" + (f" of {row.played:,}" if row.played != row.outcomes else "")
    return f'<tr><th scope="row">{escape(row.agent)}</th>{cells}<td>{count}</td></tr>'


def _points(interval: Interval | None) -> str:
    if interval is None:
        return "&ndash;"
    return f'{signed(interval.estimate)}<small class="quiet">{signed(interval.low)} to {signed(interval.high)}</small>'


def _cell(interval: Interval | None) -> str:
    if interval is None:
        return "<td>&ndash;</td>"
    bounds = f"{percent(interval.low)} to {percent(interval.high)}"
    return f'<td>{percent(interval.estimate)}<small class="quiet">{bounds}</small></td>'


def _judges(told: SuiteResults) -> str:
    rows = "".join(
        f'<tr><th scope="row">{escape(one.judge)}</th><td>{one.judged:,}</td><td>{percent(one.success)}</td></tr>'
        for one in told.agreement.judges
    )
    table = (
        '<div class="card scroll"><table><thead><tr><th>Judge</th><th>Judged</th><th>Said succeeded</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )
    return section("The judges", f"{agreement_sentence(told.agreement)}.", table)


def _method() -> str:
    said = (
        f"Intervals cover {percent(LEVEL)}: percentile bootstrap ({FEWER_RESAMPLES:,} resamples) over scenarios, or "
        "episodes, with all that is of one together; where all came to the same, Wilson's interval of so many "
        "scenarios. Of several judges of one continuation the majority counts, a tie counts one half. Time is that "
        "of the median judge who says that it succeeded. Differences are of scenarios that both agents were judged in."
    )
    return f'<footer class="quiet"><p>{escape(said)}</p></footer>'
