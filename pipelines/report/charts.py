"""Charts of a page: curves over updates, intervals by probe, and differences between agents."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from pipelines.charts import style
from pipelines.charts.palette import QUIET, colour
from pipelines.report.data import Chart, Curve
from pipelines.report.findings import VERDICT_WORDS, Row
from rlhf.run.statistics import Interval, percent, points, signed

SIZE, SMALL = (5.2, 2.95), (3.3, 2.25)  # inches of a chart, and of one of three in a row
MOST_POINTS = 240  # of a curve; longer ones are averaged in bins
SMOOTHED_FROM = 60  # points from which a running mean is drawn over the faint raw curve
NOTHING = Markup('<p class="quiet">Nothing was measured.</p>')  # in place of a chart
_LANE, _PADDING = 0.15, 0.17  # inches between the intervals of one probe, and between probes


def line_chart(chart: Chart, colours: Sequence[str], small: bool = False, marked: Sequence[float] = ()) -> Markup:
    """Draw curves over one x axis, or the note that nothing was measured."""
    if not any(math.isfinite(value) for curve in chart.curves for value in curve.y):
        return NOTHING
    figure, axes = chart_axes(SMALL if small else SIZE, chart.share)
    style.label(axes, x=chart.x_label)
    for curve, name in zip(chart.curves, colours, strict=True):
        _draw_curve(axes, _thinned(curve), colour(name))
    _set_limits(axes, chart)
    least, most = axes.get_xlim()
    for x in marked:
        if least <= x <= most:
            line = axes.axvline(x, color=colour("bad"), lw=1.1, ls=":", alpha=0.8)
            style.tooltip(line, f"alarm at update {x:,g}")
    words = f"{chart.title}: {', '.join(curve.name for curve in chart.curves)}"
    return style.svg(figure, words, "chart small" if small else "chart")


def chart_axes(size: tuple[float, float], share: bool, foot: float = 0.46) -> tuple[Figure, Axes]:
    """Create the figure and the axes of one chart; shares of 1 are labelled in per cent.

    Args:
      share: true if y is a share of 1.
    """
    figure, (axes,) = style.panels(*size, margins=(0.52, foot, 0.16, 0.14))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
        axis.set_major_formatter(FuncFormatter(lambda value, _: short(value)))
    if share:
        style.in_percent(axes)
        axes.set_ylim(0, 1)
    axes.axhline(0, color=QUIET, lw=0.7, alpha=0.6, zorder=0.5)
    return figure, axes


class Compared(Protocol):
    """Intervals of several agents, side by side in one block of a plot."""

    @property
    def probe(self) -> str: ...

    @property
    def agents(self) -> dict[str, Interval]: ...


def interval_plot(rows: Sequence[Compared], colours: dict[str, str]) -> Markup:
    """Draw success by probe from 0 to 100%: a dot and its interval for each agent."""
    figure, axes = _lanes(rows, len(colours))
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1])
    style.in_percent(axes, "x")
    for number, row in enumerate(rows):
        for lane, (agent, name) in enumerate(colours.items()):
            if (found := row.agents.get(agent)) is not None:
                tip = f"{agent} at {row.probe}: {percent(found.estimate)} "
                tip += f"({percent(found.low)} to {percent(found.high)}, {found.count} episodes)"
                style.interval(axes, _height(number, lane, len(colours)), found, colour(name), across=True, tip=tip)
    return style.svg(figure, "Success by probe and agent, with intervals")


def difference_plot(rows: Sequence[Row], lanes: int = 1) -> Markup:
    """Draw the paired difference by probe with its interval, coloured by its verdict.

    Args:
      lanes: number of lanes of the :func:`interval_plot` beside it, so that the probes have the same heights.
    """
    low = min(-0.02, *(row.difference.low for row in rows))
    high = max(0.02, *(row.difference.high for row in rows))
    figure, axes = _lanes(rows, lanes)
    axes.set_xlim(low - 0.05 * (high - low), high + 0.05 * (high - low))
    axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: signed(value)))
    axes.axvline(0, color=QUIET, lw=0.7, alpha=0.6, zorder=0.5)
    for number, row in enumerate(rows):
        tip = f"{row.probe}: {points(row.difference)}, {VERDICT_WORDS[row.verdict]}"
        style.interval(axes, number, row.difference, colour(row.verdict), across=True, tip=tip)
    return style.svg(figure, "Difference by probe in points, with intervals")


def _lanes(rows: Sequence[Compared], lanes: int) -> tuple[Figure, Axes]:
    """Create axes with a block for each probe, of one lane for each agent."""
    height = len(rows) * (_LANE * lanes + _PADDING) + 0.35
    figure, (axes,) = style.panels(SIZE[0], height, grid="x", margins=(1.0, 0.3, 0.3, 0.05))
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_yticks(range(len(rows)), [row.probe for row in rows])
    axes.tick_params(axis="y", labelsize=9.5, labelcolor=colour("ink"), pad=8)
    axes.spines["bottom"].set_visible(False)
    return figure, axes


def _height(row: int, lane: int, lanes: int) -> float:
    """Height of a lane, where blocks are 1 apart."""
    return row + (lane - (lanes - 1) / 2) * _LANE / (_LANE * lanes + _PADDING)


def short(number: float) -> str:
    """Label of a tick: 12500 as "12.5k"."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(number) >= size:
            return f"{number / size:g}{letter}"
    return f"{number:.6g}".replace("-", "\N{MINUS SIGN}")


def _set_limits(axes: Axes, chart: Chart) -> None:
    """End the axes at the finite points, with a margin above and below except for shares."""
    finite = [(x, y) for curve in chart.curves for x, y in zip(curve.x, curve.y, strict=True) if math.isfinite(y)]
    (x_low, y_low), (x_high, y_high) = np.min(finite, axis=0), np.max(finite, axis=0)
    axes.set_xlim(x_low, x_high if x_high > x_low else x_low + 1)
    if not chart.share:
        margin = 0.06 * (y_high - y_low) or 0.5 * abs(y_high) or 0.5
        axes.set_ylim(y_low - margin, y_high + margin)


def _draw_curve(axes: Axes, curve: Curve, shade: str) -> None:
    """Draw a short curve with its points, or the running mean of a long one over the faint curve."""
    y = np.where(np.isfinite(curve.y), curve.y, np.nan)
    if len(curve.x) >= SMOOTHED_FROM:
        axes.plot(curve.x, y, color=shade, lw=0.8, alpha=0.28, clip_on=False)
        y = _running_mean(curve.y)
    marker = "o" if len(curve.x) <= 24 else ""
    (line,) = axes.plot(
        curve.x, y, color=shade, lw=1.8, ls=(0, (3, 2.2)) if curve.dashed else "-", marker=marker, ms=4.6,
        mec=colour("card"), mew=0.7, clip_on=False,
    )  # fmt: skip
    style.tooltip(line, curve.name)


def _thinned(curve: Curve) -> Curve:
    """Average neighbouring points of a curve, to at most MOST_POINTS."""
    size = -(-len(curve.x) // MOST_POINTS)
    if size <= 1:
        return curve
    bins = range(0, len(curve.x), size)
    x = tuple(float(np.mean(curve.x[i : i + size])) for i in bins)
    return Curve(curve.name, x, tuple(_finite_mean(curve.y[i : i + size]) for i in bins), curve.dashed)


def _running_mean(values: Sequence[float]) -> list[float]:
    """Mean over a window of about a twelfth of the curve, centred, narrower at the ends."""
    reach = max(1, len(values) // 24)
    return [_finite_mean(values[max(0, i - reach) : i + reach + 1]) for i in range(len(values))]


def _finite_mean(values: Sequence[float]) -> float:
    finite = [value for value in values if math.isfinite(value)]
    return sum(finite) / len(finite) if finite else math.nan
