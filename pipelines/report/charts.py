"""Charts of a report, as SVG: curves over updates, intervals by probe, and differences between agents."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from markupsafe import Markup

from pipelines.report.data import Chart, Curve
from pipelines.report.findings import VERDICT_WORDS, Row
from pipelines.report.svg import NOTHING, Drawing, Point
from rlhf.run.statistics import Interval, percent, points, signed

WIDTH, HEIGHT = 460, 260  # of a chart, in its own units
SMALL = 340, 220  # of one of three in a row, with letters as large as elsewhere
LEFT, RIGHT, TOP, BOTTOM = 46, 14, 12, 40
MOST_POINTS = 240  # of a curve; longer ones are averaged in bins
SMOOTHED_FROM = 60  # points from which a running mean is drawn over the faint raw curve


@dataclass(frozen=True)
class Frame:
    """Range of the data on both axes and the size of the chart.

    Args:
      x: smallest and largest value on the x axis.
      y: smallest and largest value on the y axis.
      width: of the whole chart.
      height: of the whole chart.
    """

    x: tuple[float, float]
    y: tuple[float, float]
    width: int = WIDTH
    height: int = HEIGHT

    def at(self, x: float, y: float) -> Point:
        """Position of a point of data in the chart's units."""
        across = (x - self.x[0]) / (self.x[1] - self.x[0])
        up = (y - self.y[0]) / (self.y[1] - self.y[0])
        return (
            LEFT + across * (self.width - LEFT - RIGHT),
            self.height - BOTTOM - up * (self.height - TOP - BOTTOM),
        )


def line_chart(
    chart: Chart, colours: Sequence[str], size: tuple[int, int] = (WIDTH, HEIGHT), marked: Sequence[float] = ()
) -> Markup:
    """Draw curves over one x axis, or the note that nothing was measured.

    Args:
      chart: the curves.
      colours: CSS classes, one for each curve.
      size: width and height.
      marked: values on the x axis, each shown by a vertical line; those beyond the curves are left out.
    """
    curves = [_thinned(curve) for curve in chart.curves]
    frame = _frame(curves, chart.share, size)
    if frame is None:
        return NOTHING
    label = f"{chart.title}: {', '.join(curve.name for curve in chart.curves)}"
    drawing = Drawing(size, label, "chart" if size[0] == WIDTH else "chart small")
    draw_rules(drawing, frame, chart.share)
    for value in ticks(*frame.x, count=frame.width // 90):
        x, foot = frame.at(value, frame.y[0])
        drawing.text("tick", (x, foot + 17), short(value), "middle")
    drawing.text("axis", ((LEFT + frame.width - RIGHT) / 2, frame.height - 5), chart.x_label, "middle")
    for x in marked:
        if frame.x[0] <= x <= frame.x[1]:
            with drawing.group("worse", f"alarm at update {x:,g}"):
                drawing.line("mark", frame.at(x, frame.y[1]), frame.at(x, frame.y[0]))
    for curve, colour in zip(curves, colours, strict=True):
        _draw_curve(drawing, frame, curve, colour)
    return drawing.markup()


class Compared(Protocol):
    """Intervals of several agents, side by side in one block of a plot."""

    @property
    def probe(self) -> str: ...

    @property
    def agents(self) -> dict[str, Interval]: ...


def interval_plot(rows: Sequence[Compared], colours: dict[str, str]) -> Markup:
    """Draw success by probe from 0 to 100%: a dot and its interval for each agent.

    Args:
      rows: one block each.
      colours: CSS class by agent, in the order to draw.
    """
    lanes = _Lanes((0.0, 1.0), len(rows), len(colours), "Success by probe and agent, with intervals")
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        lanes.line(share, percent(share))
    for number, row in enumerate(rows):
        lanes.name(number, row.probe)
        for lane, (agent, colour) in enumerate(colours.items()):
            interval = row.agents.get(agent)
            if interval is not None:
                title = f"{agent} at {row.probe}: {percent(interval.estimate)} "
                title += f"({percent(interval.low)} to {percent(interval.high)}, {interval.count} episodes)"
                lanes.interval(number, lane, interval, colour, title)
    return lanes.drawing.markup()


def difference_plot(rows: Sequence[Row], lanes: int = 1) -> Markup:
    """Draw the paired difference by probe with its interval, coloured by its verdict.

    Args:
      rows: one block each.
      lanes: number of lanes of the :func:`interval_plot` beside it, so that the probes have the same heights.
    """
    low = min(-0.02, *(row.difference.low for row in rows))
    high = max(0.02, *(row.difference.high for row in rows))
    margin = 0.05 * (high - low)
    drawn = _Lanes((low - margin, high + margin), len(rows), lanes, "Difference by probe in points, with intervals")
    for share in ticks(low, high):
        drawn.line(share, signed(share), "zero" if share == 0 else "grid")
    for number, row in enumerate(rows):
        title = f"{row.probe}: {points(row.difference)}, {VERDICT_WORDS[row.verdict]}"
        drawn.name(number, row.probe)
        drawn.interval(number, (lanes - 1) / 2, row.difference, row.verdict, title)
    return drawn.drawing.markup()


class _Lanes:
    """Plot of intervals: one block for each probe, one lane in it for each agent.

    Args:
      x: range of the values.
      blocks: number of probes.
      lanes: number of agents.
      label: description of the plot.
    """

    LANE, PADDING, LEFT, TOP, BOTTOM = 13, 15, 88, 4, 26

    def __init__(self, x: tuple[float, float], blocks: int, lanes: int, label: str) -> None:
        self._x, self._lanes = x, lanes
        self._block = self.LANE * lanes + self.PADDING
        self._height = self.TOP + self._block * blocks + self.BOTTOM
        self.drawing = Drawing((WIDTH, self._height), label)

    def _across(self, value: float) -> float:
        share = (value - self._x[0]) / (self._x[1] - self._x[0])
        return self.LEFT + share * (WIDTH - self.LEFT - 2 * RIGHT)

    def _down(self, block: int, lane: float) -> float:
        return self.TOP + self._block * block + self.PADDING / 2 + self.LANE * (lane + 0.5)

    def line(self, value: float, label: str, css: str = "grid") -> None:
        """Draw a vertical line at a value, with its label below."""
        x = self._across(value)
        self.drawing.line(css, (x, self.TOP), (x, self._height - self.BOTTOM))
        self.drawing.text("tick", (x, self._height - 8), label, "middle")

    def name(self, block: int, name: str) -> None:
        """Draw the name of a block, at its left."""
        self.drawing.text("name", (self.LEFT - 14, self._down(block, (self._lanes - 1) / 2) + 4.5), name, "end")

    def interval(self, block: int, lane: float, interval: Interval, colour: str, title: str) -> None:
        """Draw a dot at the estimate and a line from bound to bound."""
        y = self._down(block, lane)
        with self.drawing.group(colour, title):
            self.drawing.line("whisker", (self._across(interval.low), y), (self._across(interval.high), y))
            self.drawing.dot((self._across(interval.estimate), y))


def ticks(low: float, high: float, count: int = 5) -> list[float]:
    """About ``count`` round numbers from ``low`` to ``high``, at steps of 1, 2 or 5 times a power of ten."""
    raw = (high - low) / count
    magnitude = 10.0 ** math.floor(math.log10(raw))
    step = next(times * magnitude for times in (1, 2, 5, 10) if times * magnitude >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(index * step, 12) for index in range(first, last + 1)]


def short(number: float) -> str:
    """Label of a tick: 12500 as "12.5k"."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(number) >= size:
            return f"{number / size:g}{letter}"
    return f"{number:g}".replace("-", "\N{MINUS SIGN}")


def draw_rules(drawing: Drawing, frame: Frame, share: bool, whole: bool = False) -> None:
    """Draw horizontal lines at round values of y, with their labels at the left.

    Args:
      drawing: where the lines are drawn.
      frame: of the chart.
      share: true if values are labelled in per cent.
      whole: true if values are counts, drawn at whole numbers only and labelled without their sign.
    """
    for value in ticks(*frame.y):
        if whole and value != int(value):
            continue
        y = frame.at(frame.x[0], value)[1]
        label = percent(value) if share else short(abs(value) if whole else value)
        drawing.line("zero" if value == 0 else "grid", (LEFT, y), (frame.width - RIGHT, y))
        drawing.text("tick", (LEFT - 8, y + 4), label, "end")


def _frame(curves: Sequence[Curve], share: bool, size: tuple[int, int]) -> Frame | None:
    """Frame of all finite points; None if there are none."""
    points = np.array([(x, y) for curve in curves for x, y in zip(curve.x, curve.y, strict=True) if math.isfinite(y)])
    if not len(points):
        return None
    (x_low, y_low), (x_high, y_high) = points.min(axis=0), points.max(axis=0)
    if share:
        y_low, y_high = 0.0, 1.0
    else:
        margin = 0.06 * (y_high - y_low) or 0.5 * abs(y_high) or 0.5
        y_low, y_high = y_low - margin, y_high + margin
    x_high = x_high if x_high > x_low else x_low + 1
    return Frame((float(x_low), float(x_high)), (float(y_low), float(y_high)), *size)


def _draw_curve(drawing: Drawing, frame: Frame, curve: Curve, colour: str) -> None:
    """Draw a short curve with its points, or the running mean of a long one over the faint curve."""
    line = "line dashed" if curve.dashed else "line"
    with drawing.group(colour, curve.name):
        if len(curve.x) >= SMOOTHED_FROM:
            drawing.path("line faint", _pieces(frame, curve.x, curve.y))
            drawing.path(line, _pieces(frame, curve.x, _running_mean(curve.y)))
            return
        pieces = _pieces(frame, curve.x, curve.y)
        drawing.path(line, pieces)
        for point in (point for piece in pieces for point in piece if len(curve.x) <= 24):
            drawing.dot(point, 3.4)


def _pieces(frame: Frame, x: Sequence[float], y: Sequence[float]) -> list[list[Point]]:
    """Positions of the points, split at numbers that are not finite."""
    pieces: list[list[Point]] = [[]]
    for one, value in zip(x, y, strict=True):
        if math.isfinite(value):
            pieces[-1].append(frame.at(one, value))
        else:
            pieces.append([])
    return pieces


def _thinned(curve: Curve) -> Curve:
    """Average neighbouring points of a curve, to at most MOST_POINTS."""
    size = -(-len(curve.x) // MOST_POINTS)
    if size <= 1:
        return curve
    bins = range(0, len(curve.x), size)
    x = tuple(float(np.mean(curve.x[i : i + size])) for i in bins)
    return Curve(curve.name, x, tuple(_finite_mean(curve.y[i : i + size]) for i in bins), curve.dashed)


def _running_mean(values: Sequence[float]) -> tuple[float, ...]:
    """Mean over a window of about a twelfth of the curve, centred, narrower at the ends."""
    reach = max(1, len(values) // 24)
    return tuple(_finite_mean(values[max(0, i - reach) : i + reach + 1]) for i in range(len(values)))


def _finite_mean(values: Sequence[float]) -> float:
    finite = [value for value in values if math.isfinite(value)]
    return sum(finite) / len(finite) if finite else math.nan
