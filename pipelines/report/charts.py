"""Charts as SVG text: drawn with the page's own colours, so they follow its light and dark modes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Protocol

import numpy as np

from pipelines.report.data import Chart, Curve
from pipelines.report.findings import VERDICT_WORDS, Row
from rlhf.run.statistics import Interval, percent, points, signed

WIDTH, HEIGHT = 460, 260  # of a chart, in its own units
SMALL = 340, 220  # of one among three in a row, so that its letters are as large as elsewhere
LEFT, RIGHT, TOP, BOTTOM = 46, 14, 12, 40
MOST_POINTS = 240  # of a curve; longer ones are averaged in bins
SMOOTHED_FROM = 60  # points, from which on the raw curve is faint and a running mean is drawn over it


@dataclass(frozen=True)
class Frame:
    """Where data lie on a chart's surface."""

    x: tuple[float, float]
    y: tuple[float, float]
    width: int = WIDTH
    height: int = HEIGHT

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Position of a point of data in the chart's units."""
        across = (x - self.x[0]) / (self.x[1] - self.x[0])
        up = (y - self.y[0]) / (self.y[1] - self.y[0])
        return (
            LEFT + across * (self.width - LEFT - RIGHT),
            self.height - BOTTOM - up * (self.height - TOP - BOTTOM),
        )


def line_chart(
    chart: Chart, colours: Sequence[str], size: tuple[int, int] = (WIDTH, HEIGHT), marked: Sequence[float] = ()
) -> str:
    """The chart as ``<svg>`` of ``size``; ``colours`` are CSS classes, one a curve.

    Args:
      marked: places on the x axis, each shown by an upright line; those beyond the curves are left out.
    """
    curves = [_thinned(curve) for curve in chart.curves]
    frame = _frame(curves, chart.share, size)
    if frame is None:
        return '<p class="quiet">Nothing was measured.</p>'
    parts = [_grid(frame, chart), *(_upright(frame, x) for x in marked if frame.x[0] <= x <= frame.x[1])]
    for curve, colour in zip(curves, colours, strict=True):
        parts.append(_drawn(curve, colour, frame))
    label = escape(f"{chart.title}: {', '.join(curve.name for curve in chart.curves)}")
    view = f'viewBox="0 0 {frame.width} {frame.height}" role="img" aria-label="{label}"'
    kind = "chart" if size[0] == WIDTH else "chart small"
    return f'<svg class="{kind}" {view}>{"".join(parts)}</svg>'


class Compared(Protocol):
    """Intervals of several agents, side by side in one block of a plot."""

    @property
    def probe(self) -> str: ...

    @property
    def agents(self) -> dict[str, Interval]: ...


def interval_plot(rows: Sequence[Compared], colours: dict[str, str]) -> str:
    """Success by probe from 0 to 100%: a dot and its interval for each agent, as ``<svg>``.

    Args:
      colours: CSS class by agent, in the order to draw.
    """
    lanes = _Lanes((0.0, 1.0), len(rows), len(colours))
    parts = [lanes.line(share, percent(share)) for share in (0.0, 0.25, 0.5, 0.75, 1.0)]
    for number, row in enumerate(rows):
        parts.append(lanes.name(number, row.probe))
        for lane, (agent, colour) in enumerate(colours.items()):
            interval = row.agents.get(agent)
            if interval is not None:
                said = f"{agent} at {row.probe}: {percent(interval.estimate)} "
                said += f"({percent(interval.low)} to {percent(interval.high)}, {interval.count} episodes)"
                parts.append(lanes.interval(number, lane, interval, colour, said))
    return lanes.svg(parts, "Success by probe and agent, with intervals")


def difference_plot(rows: Sequence[Row], lanes: int = 1) -> str:
    """The paired difference by probe with its interval, coloured by its verdict, as ``<svg>``.

    Args:
      lanes: those of the :func:`interval_plot` beside it, so that the probes stand at the same heights.
    """
    low = min(-0.02, *(row.difference.low for row in rows))
    high = max(0.02, *(row.difference.high for row in rows))
    margin = 0.05 * (high - low)
    drawn = _Lanes((low - margin, high + margin), len(rows), lanes)
    parts = [drawn.line(share, signed(share), "zero" if share == 0 else "grid") for share in ticks(low, high)]
    for number, row in enumerate(rows):
        said = f"{row.probe}: {points(row.difference)}, {VERDICT_WORDS[row.verdict]}"
        parts.append(drawn.name(number, row.probe))
        parts.append(drawn.interval(number, (lanes - 1) / 2, row.difference, row.verdict, said))
    return drawn.svg(parts, "Difference by probe in points, with intervals")


@dataclass(frozen=True)
class _Lanes:
    """Where intervals lie: one block for each probe, one lane in it for each agent."""

    x: tuple[float, float]
    blocks: int
    lanes: int

    LANE, PADDING, LEFT, TOP, BOTTOM = 13, 15, 88, 4, 26

    @property
    def block(self) -> int:
        return self.LANE * self.lanes + self.PADDING

    @property
    def height(self) -> int:
        return self.TOP + self.block * self.blocks + self.BOTTOM

    def across(self, value: float) -> float:
        share = (value - self.x[0]) / (self.x[1] - self.x[0])
        return self.LEFT + share * (WIDTH - self.LEFT - 2 * RIGHT)

    def down(self, block: int, lane: float) -> float:
        return self.TOP + self.block * block + self.PADDING / 2 + self.LANE * (lane + 0.5)

    def line(self, value: float, label: str, kind: str = "grid") -> str:
        x, foot = self.across(value), self.height - self.BOTTOM
        return (
            f'<line class="{kind}" x1="{x:.1f}" x2="{x:.1f}" y1="{self.TOP}" y2="{foot}"/>'
            f'<text class="tick" x="{x:.1f}" y="{self.height - 8}" text-anchor="middle">{label}</text>'
        )

    def name(self, block: int, name: str) -> str:
        y = self.down(block, (self.lanes - 1) / 2) + 4.5
        return f'<text class="name" x="{self.LEFT - 14}" y="{y:.1f}" text-anchor="end">{escape(name)}</text>'

    def interval(self, block: int, lane: float, interval: Interval, colour: str, said: str) -> str:
        y = self.down(block, lane)
        low, middle, high = (self.across(value) for value in (interval.low, interval.estimate, interval.high))
        return (
            f'<g class="{colour}"><title>{escape(said)}</title>'
            f'<line class="whisker" x1="{low:.1f}" x2="{high:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<circle class="dot" cx="{middle:.1f}" cy="{y:.1f}" r="4.6"/></g>'
        )

    def svg(self, parts: Sequence[str], label: str) -> str:
        view = f'viewBox="0 0 {WIDTH} {self.height}" role="img" aria-label="{label}"'
        return f'<svg class="chart" {view}>{"".join(parts)}</svg>'


def ticks(low: float, high: float, count: int = 5) -> list[float]:
    """About ``count`` round numbers from ``low`` to ``high``, at steps of 1, 2 or 5 times a power of ten."""
    raw = (high - low) / count
    magnitude = 10.0 ** math.floor(math.log10(raw))
    step = next(times * magnitude for times in (1, 2, 5, 10) if times * magnitude >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(index * step, 12) for index in range(first, last + 1)]


def short(number: float) -> str:
    """A tick's label: 12500 as "12.5k"."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(number) >= size:
            return f"{number / size:g}{letter}"
    return f"{number:g}".replace("-", "\N{MINUS SIGN}")


def _frame(curves: Sequence[Curve], share: bool, size: tuple[int, int]) -> Frame | None:
    """Bounds that hold all finite points, None if there are none."""
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


def _grid(frame: Frame, chart: Chart) -> str:
    parts = []
    for value in ticks(*frame.y):
        _, y = frame.at(frame.x[0], value)
        kind = "zero" if value == 0 else "grid"
        label = percent(value) if chart.share else short(value)
        parts.append(f'<line class="{kind}" x1="{LEFT}" x2="{frame.width - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text class="tick" x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{label}</text>')
    for value in ticks(*frame.x, count=frame.width // 90):
        x, foot = frame.at(value, frame.y[0])
        parts.append(f'<text class="tick" x="{x:.1f}" y="{foot + 17:.1f}" text-anchor="middle">{short(value)}</text>')
    middle = f'x="{(LEFT + frame.width - RIGHT) / 2:.1f}" y="{frame.height - 5}" text-anchor="middle"'
    return "".join(parts) + f'<text class="axis" {middle}>{escape(chart.x_label)}</text>'


def _upright(frame: Frame, x: float) -> str:
    (across, foot), (_, top) = frame.at(x, frame.y[0]), frame.at(x, frame.y[1])
    line = f'<line class="mark" x1="{across:.1f}" x2="{across:.1f}" y1="{top:.1f}" y2="{foot:.1f}"/>'
    return f'<g class="worse"><title>alarm at update {x:,g}</title>{line}</g>'


def _drawn(curve: Curve, colour: str, frame: Frame) -> str:
    """One curve: alone if it is short; faint under its running mean if it is long and wild."""
    dashed = " dashed" if curve.dashed else ""
    name = f"<title>{escape(curve.name)}</title>"
    if len(curve.x) < SMOOTHED_FROM:
        dots = "".join(_dot(frame, x, y) for x, y in zip(curve.x, curve.y, strict=True) if math.isfinite(y))
        dots = dots if len(curve.x) <= 24 else ""
        return f'<g class="{colour}">{name}<path class="line{dashed}" d="{_path(curve, frame)}"/>{dots}</g>'
    smooth = Curve(curve.name, curve.x, _running_mean(curve.y), curve.dashed)
    return (
        f'<g class="{colour}">{name}<path class="line faint" d="{_path(curve, frame)}"/>'
        f'<path class="line{dashed}" d="{_path(smooth, frame)}"/></g>'
    )


def _dot(frame: Frame, x: float, y: float) -> str:
    across, down = frame.at(x, y)
    return f'<circle class="dot" cx="{across:.1f}" cy="{down:.1f}" r="3.4"/>'


def _path(curve: Curve, frame: Frame) -> str:
    """The curve as SVG path commands; a number that is not finite lifts the pen."""
    commands, down = [], False
    for x, y in zip(curve.x, curve.y, strict=True):
        if math.isfinite(y):
            across, height = frame.at(x, y)
            commands.append(f"{'L' if down else 'M'}{across:.1f} {height:.1f}")
        down = math.isfinite(y)
    return "".join(commands)


def _thinned(curve: Curve) -> Curve:
    """The curve with neighbours averaged so that at most MOST_POINTS are left."""
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
