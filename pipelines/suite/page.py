"""Page of a suite's report: success by agent and kind, success against time, agreement of judges."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from pipelines.report.charts import SMOOTHED_FROM, interval_plot, line_chart
from pipelines.report.data import Chart, Curve
from pipelines.report.page import Cell, DrawnFigure, Row, Section, Table, part, signed_bounds
from pipelines.report.page import page as whole_page
from pipelines.report.sections import solid
from pipelines.suite.report_data import (
    ALL,
    AgentResults,
    LiveResults,
    SuiteReport,
    SuiteResults,
    agreement_sentence,
    left_out_sentence,
)
from pipelines.suite.request_kinds import INSTRUCTION, KINDS, QUESTION
from pipelines.suite.scenarios import RECORDED
from rlhf.run.statistics import FEWER_RESAMPLES, LEVEL, percent, signed

_COLOURS = ("before", "after", "c2", "c3", "c4", "c5", "c6")
_SHORT = {ALL: "all", INSTRUCTION: "instructions", QUESTION: "questions"}
_METHOD = (
    f"Intervals cover {percent(LEVEL)}: cluster bootstrap ({FEWER_RESAMPLES:,} resamples) over scenarios, or "
    "episodes; where all have the same outcome, Wilson's interval with the number of scenarios. Of several judges of "
    "one continuation the majority counts, a tie counts one half. The time of success is the median of the judges who "
    "saw it succeed. Differences are over the scenarios in which both agents were judged."
)


class _Group:
    """Intervals of one kind of request, for a plot."""

    def __init__(self, kind: str, agents: Sequence[AgentResults]) -> None:
        self.probe = _SHORT[kind]
        self.agents = {row.agent: row.success[kind] for row in agents if kind in row.success}


def page(report: SuiteReport) -> Markup:
    """Render the whole page."""
    notice = "The judges are scripted stand-ins. No person judged anything."
    return whole_page(
        "Judged by people" if not report.scripted else "Judged by stand-ins",
        f"Standardised test suite \N{MIDDLE DOT} {report.circumstances.created}",
        _headline(report),
        [part("notice", notice)] if report.scripted else [],
        [
            *(() if report.suite is None else (_suite(report.suite), _judges(report.suite))),
            None if report.live is None else _live(report.live),
        ],
        ran=report.circumstances,
        method=_METHOD,
    )


def _headline(report: SuiteReport) -> str:
    rows = report.suite.agents if report.suite is not None else report.live.agents if report.live is not None else ()
    best = max(rows, key=lambda row: row.success[ALL].estimate)
    unit = "scenarios" if report.suite is not None else "requests"
    return f"{best.agent} is judged to succeed in {percent(best.success[ALL].estimate)} of {unit}"


def _suite(results: SuiteResults) -> Section:
    lead = (
        f"{results.over} of suite {', '.join(results.suites)}; judges did not know the agent of a continuation. "
        f"Every scenario has the same weight; lines are {percent(LEVEL)} intervals over scenarios."
    )
    if results.recorded_by:
        by = ", ".join(f"{count} by {who}" for who, count in sorted(results.recorded_by.items()))
        lead += f" “{RECORDED}” is the recorded play itself: {by}."
    if results.left_out:
        lead += f" {left_out_sentence(results.left_out)}"
    table = _table(results.agents, "Continuations", results.baseline)
    return Section("Success as judged", lead, (_figures(results.agents, "seconds after the take-over"), table))


def _live(results: LiveResults) -> Section:
    lead = (
        "Setters played with the agent and judged each request. Every request has the same "
        f"weight; lines are {percent(LEVEL)} intervals over episodes."
    )
    table = _table(results.agents, "Requests", None)
    return Section("Live interaction", lead, (_figures(results.agents, "seconds after the request"), table))


def _figures(agents: Sequence[AgentResults], x_label: str) -> Markup:
    colours = _colours(agents)
    groups = [_Group(kind, agents) for kind in (ALL, *KINDS) if any(kind in row.success for row in agents)]
    chart = Chart("Success against time", x_label, tuple(_curve(row) for row in agents), share=True)
    figures = (
        DrawnFigure("Success", interval_plot(groups, colours), solid(colours)),
        DrawnFigure("Succeeded within a time", line_chart(chart, list(colours.values())), solid(colours)),
    )
    return part("figures", figures)


def _curve(row: AgentResults) -> Curve:
    """Curve of success against time, with few enough points that the chart does not smooth it."""
    every = -(-len(row.cumulative.steps) // (SMOOTHED_FROM - 1))
    return Curve(row.agent, row.cumulative.seconds[::every], row.cumulative.share[::every])


def _colours(agents: Sequence[AgentResults]) -> dict[str, str]:
    others = [row.agent for row in agents if row.agent != RECORDED]
    colours = {name: _COLOURS[number % len(_COLOURS)] for number, name in enumerate(others)}
    return {row.agent: colours.get(row.agent, "reference") for row in agents}


def _table(agents: Sequence[AgentResults], unit: str, baseline: str | None) -> Markup:
    compared = baseline is not None and any(row.difference is not None for row in agents)
    differences = (f"Less {baseline}, points",) if compared else ()
    head = ("Agent", *(_SHORT[kind].capitalize() for kind in (ALL, *KINDS)), *differences, unit)
    return part("table", Table(head, tuple(_row(row, compared) for row in agents)))


def _row(row: AgentResults, compared: bool) -> Row:
    cells = [Cell.share(row.success.get(kind)) for kind in (ALL, *KINDS)]
    if compared:
        one = row.difference
        cells.append(Cell() if one is None else Cell(signed(one.estimate), (signed_bounds(one),)))
    count = f"{row.outcomes:,}" + (f" of {row.played:,}" if row.played != row.outcomes else "")
    return Row(row.agent, (*cells, Cell(count)))


def _judges(results: SuiteResults) -> Section:
    rows = (Row(one.judge, (Cell(f"{one.judged:,}"), Cell(percent(one.success)))) for one in results.agreement.judges)
    table = Table(("Judge", "Judged", "Judged a success"), tuple(rows))
    return Section("The judges", f"{agreement_sentence(results.agreement)}.", (part("table", table),))
