"""Page of a training."""

from __future__ import annotations

from markupsafe import Markup

from pipelines.report.page import circumstances, render
from pipelines.report.sections import BY_MODEL, BY_TRUTH, figure, monitor, traces, training
from pipelines.report.training import TrainingReport

_CURVES = "Metrics of the run; faint lines are single updates, bold ones running means."


def page(report: TrainingReport) -> Markup:
    """Render the whole page."""
    return render(
        "training.html",
        title=report.kind,
        report=report,
        monitor=monitor(report.monitored, report.watched, BY_TRUTH if report.rewarded_by_truth else BY_MODEL),
        evaluation=[figure(chart) for chart in report.evaluation],
        traces=traces(report.traces, report.traces_note),
        curves=training(report.curves, _CURVES),
        circumstances=circumstances(report.circumstances),
    )
