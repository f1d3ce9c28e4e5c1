"""The page of a training that nobody has evaluated yet."""

from __future__ import annotations

from html import escape

from pipelines.report.page import circumstances, document, section, unbroken
from pipelines.report.sections import BY_MODEL, BY_TRUTH, figure, monitor, traces, training
from pipelines.report.training import Fact, TrainingReport


def page(report: TrainingReport) -> str:
    """The whole page."""
    title = report.kind
    parts = [
        _opening(report),
        monitor(report.monitored, report.watched, BY_TRUTH if report.rewarded_by_truth else BY_MODEL),
        _evaluation(report),
        traces(report.traces, report.traces_note),
        training(report.curves, "As the run measured itself; faint lines are single updates, bold ones running means."),
        circumstances(report.circumstances),
    ]
    return document(title, parts)


def _opening(report: TrainingReport) -> str:
    when = escape(report.circumstances.created)
    unfinished = "; not finished" if report.unfinished else ""
    warned = "".join(f'<p class="notice warning">{escape(warning)}</p>' for warning in report.warnings)
    return (
        f'<header><p class="kicker">{escape(report.kind)} &middot; begun {when}{unfinished}</p>'
        f'<h1>{unbroken(report.headline)}</h1><div class="heroes">{"".join(map(_hero, report.facts))}</div>{warned}'
        f'<div class="notice"><p>{escape(report.next_step)}</p><pre>{escape(report.command)}</pre></div></header>'
    )


def _hero(fact: Fact) -> str:
    kind = "card hero worse" if fact.warns else "card hero"
    return (
        f'<div class="{kind}"><div class="who">{escape(fact.name)}</div>'
        f'<div class="number">{escape(fact.number)}</div><div class="interval">{escape(fact.note)}</div></div>'
    )


def _evaluation(report: TrainingReport) -> str:
    if not report.evaluation:
        return ""
    return section("The evaluation", "", f'<div class="pair">{"".join(map(figure, report.evaluation))}</div>')
