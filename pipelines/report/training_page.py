"""Page of a training."""

from __future__ import annotations

from markupsafe import Markup

from pipelines.report.page import Hero, Section, part
from pipelines.report.page import page as whole_page
from pipelines.report.sections import BY_MODEL, BY_TRUTH, figure, monitor, traces, training
from pipelines.report.training import TrainingReport

_CURVES = "Metrics of the run; faint lines are single updates, bold ones running means."


def page(report: TrainingReport) -> Markup:
    """Render the whole page."""
    facts = [Hero(one.name, one.number, (one.note,), css="worse" if one.warns else "") for one in report.facts]
    header = [part("heroes", facts), *(part("notice", warning, warning=True) for warning in report.warnings)]
    if report.words:
        header.append(part("line", f"Words: {'; '.join(report.words)}."))
    evaluated, evaluation = report.evaluated, [figure(chart) for chart in report.evaluation]
    return whole_page(
        report.kind,
        f"{report.kind} \N{MIDDLE DOT} begun {report.circumstances.created}{'; not finished' * report.unfinished}",
        report.headline,
        [*header, part("next_step", report.next_step, report.command)],
        [
            Section("Evaluation", evaluated.lead, (part("table", evaluated.table),)) if evaluated else None,
            monitor(report.monitored, report.watched, BY_TRUTH if report.rewarded_by_truth else BY_MODEL),
            Section("On validation episodes", parts=(part("figures", evaluation),)) if evaluation else None,
            traces(report.traces, report.traces_note),
            training(report.curves, _CURVES),
        ],
        ran=report.circumstances,
    )
