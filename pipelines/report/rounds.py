"""Rounds of improvement side by side (the paper's Figure 9), as a part of the report: charts and a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from pipelines.charts import style
from pipelines.charts.palette import QUIET, SERIES, colour
from pipelines.report.charts import NOTHING, SIZE, chart_axes
from pipelines.report.data import RoundResult, RoundsCompared
from pipelines.report.findings import OVERALL, VERDICT_WORDS, verdict_of
from pipelines.report.page import Cell, DrawnFigure, Row, Table, part, signed_bounds
from rlhf.run.statistics import Interval, percent, points, signed


def compared(data: RoundsCompared) -> tuple[Markup, Markup]:
    """Render success, marks, modelled reward and true success by round, as charts and as a table."""
    rounds = data.rounds
    modelled = [(one.agent, one.modelled_return) for one in rounds]
    true = [(one.agent, one.true_success) for one in rounds]
    figures = (
        DrawnFigure("Success by round", success_by_round(data), note=_lanes_note(data)),
        DrawnFigure("Marks by round", marks_by_round(rounds), note="Progress above the line, regress below it."),
        DrawnFigure(
            "Modelled reward, before and after",
            before_and_after(modelled, share=False),
            note="Per replayed episode, from BC to the round's agent, by the round's own reward model.",
        ),
        DrawnFigure(
            "True success, before and after",
            before_and_after(true, share=True),
            note="Of the same replays. Where modelled reward rises and true success does not, the reward model is "
            "exploited.",
        ),
    )
    return part("figures", figures), part("table", _table(data))


def _table(data: RoundsCompared) -> Table:
    measured = ("Reward model", "Modelled reward", "True success", "Success")
    head = ("Round", "Play marked", "Marks", *measured, "Against before", f"Against {data.clone}")
    return Table(head, tuple(Row(one.agent, _cells(one)) for one in data.rounds))


def _cells(one: RoundResult) -> tuple[Cell, ...]:
    success = one.success[probes_in_order(one.success)[0]]
    raters = f"{one.by_people:,} by people" if one.by_people else "scripted"
    marks = f"+{one.progress:,} \N{MINUS SIGN}{one.regress:,}"
    return (
        Cell(f"{one.episodes:,}", (f"by {one.deployed}",)),
        Cell(marks, (raters,)),
        Cell(notes=("pairs right",)) if one.accuracy is None else Cell(percent(one.accuracy), ("pairs right",)),
        _change(one.modelled_return, lambda value: f"{value:.2f}"),
        _change(one.true_success, percent),
        Cell.share(success),
        _gain(one.on_deployed),
        _gain(one.on_clone),
    )


def _gain(difference: Interval) -> Cell:
    verdict = verdict_of(difference)
    title = f"{VERDICT_WORDS[verdict]}: {points(difference)}"
    return Cell(signed(difference.estimate), (signed_bounds(difference),), verdict, title)


def _change(pair: tuple[float, float] | None, text: Callable[[float], str]) -> Cell:
    return Cell() if pair is None else Cell(text(pair[1]), (f"from {text(pair[0])}",))


def _lanes_note(data: RoundsCompared) -> str:
    probes = probes_in_order(data.clone_success)
    numbered = ", ".join(f"{number}. {probe}" for number, probe in enumerate(probes, start=1))
    note = f"{numbered}, from left to right." if len(probes) > 1 else f"{probes[0].capitalize()}."
    return note + (" Dashed: the demonstrator." if data.reference_success is not None else "")


def probes_in_order(success: Mapping[str, Interval]) -> list[str]:
    """Probes in the order to show: over all of them first, where there are several."""
    return sorted(success, key=lambda probe: probe != OVERALL)


def success_by_round(data: RoundsCompared) -> Markup:
    """Draw intervals by round, one line for each probe, and the demonstrator's level dashed."""
    probes = probes_in_order(data.clone_success)
    names = [data.clone, *(one.agent for one in data.rounds)]
    figure, axes = _by_round(names, share=True)
    if data.reference_success is not None:
        level = data.reference_success[probes[0]].estimate
        line = axes.axhline(level, color=colour("reference"), ls=(0, (3, 2.2)), lw=1.8)
        style.tooltip(line, f"demonstrator: {percent(level)}")
    for lane, probe in enumerate(probes):
        intervals = [data.clone_success[probe], *(one.success[probe] for one in data.rounds)]
        shade, shift = colour(SERIES[lane % len(SERIES)]), 0.09 * (lane - (len(probes) - 1) / 2)
        axes.plot(
            [index + shift for index in range(len(names))], [one.estimate for one in intervals],
            color=shade, lw=0.8, alpha=0.28,
        )  # fmt: skip
        for index, (name, one) in enumerate(zip(names, intervals, strict=True)):
            tip = f"{name} at {probe}: {percent(one.estimate)} ({percent(one.low)} to {percent(one.high)})"
            style.interval(axes, index + shift, one, shade, tip=tip)
            if len(probes) == 1:
                _beside(axes, index, one.estimate, percent(one.estimate))
    return style.svg(figure, "Success by round, with intervals")


def before_and_after(pairs: Sequence[tuple[str, tuple[float, float] | None]], share: bool) -> Markup:
    """Draw for every round a grey dot before, a coloured one after, and a line between them.

    Args:
      pairs: name of each round, and its two numbers if they are known.
    """
    if all(pair is None for _, pair in pairs):
        return NOTHING
    figure, axes = _by_round([name for name, _ in pairs], share)
    for index, (name, pair) in enumerate(pairs):
        if pair is None:
            continue
        shown = [percent(value) if share else f"{value:.2f}" for value in pair]
        drawn = axes.plot([index] * 2, pair, color=colour("after"), lw=2.2, alpha=0.5)
        for value, which in zip(pair, ("before", "after"), strict=True):
            drawn += axes.plot(index, value, "o", color=colour(which), ms=5.5, mec=colour("card"), mew=0.8)
        for one in drawn:
            style.tooltip(one, f"{name}: {shown[0]} before, {shown[1]} after")
        _beside(axes, index, pair[1], shown[1])
    return style.svg(figure, "Before and after, by round")


def marks_by_round(rounds: Sequence[RoundResult]) -> Markup:
    """Draw bars of the (+) above and of the (-) below a line."""
    figure, axes = _by_round([one.agent for one in rounds], share=False)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{abs(value):,.0f}"))
    for index, one in enumerate(rounds):
        for value, verdict in ((one.progress, "better"), (-one.regress, "worse")):
            (bar,) = axes.bar(index, value, 0.16, color=colour(verdict))
            style.tooltip(bar, f"{one.agent}: {abs(value)} marks")
            _beside(axes, index + 0.06, value / 2, f"{abs(value):,}")
    axes.margins(y=0.12)
    return style.svg(figure, "Marks by round")


def _by_round(names: Sequence[str], share: bool) -> tuple[Figure, Axes]:
    figure, axes = chart_axes(SIZE, share, 0.3)
    axes.set_xlim(-0.5, len(names) - 0.5)
    axes.set_xticks(range(len(names)), names)
    return figure, axes


def _beside(axes: Axes, x: float, y: float, words: str) -> None:
    """Write words at the right of a dot."""
    axes.annotate(words, (x, y), (7, 0), textcoords="offset points", va="center", fontsize=8.5, color=QUIET)
