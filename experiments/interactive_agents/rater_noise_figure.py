"""Table and figure of the sweep over rater noise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.interactive_agents.rater_noise_results import Noise, NoiseResult
from pipelines.charts import style
from pipelines.charts.palette import COLOURS, QUIET, RULE
from rlhf.run.statistics import Interval, over_runs, percent

AXIS_WORDS = {
    "miss": "share of events without a mark",
    "delay": "delay of marks in steps",
    "mistake": "share of marks with the wrong sign",
    "marked": "share of marked episodes",
}


def by_axis(results: Sequence[NoiseResult], usual: Noise) -> dict[str, list[tuple[float, list[NoiseResult]]]]:
    """Group the results that differ from the usual one in one axis by this axis and its value, rising."""
    found = {}
    for axis in AXIS_WORDS:
        own = [one for one in results if replace(one.noise, **{axis: getattr(usual, axis)}) == usual]
        values = sorted({getattr(one.noise, axis) for one in own})
        found[axis] = [(value, [one for one in own if getattr(one.noise, axis) == value]) for value in values]
    return found


def table(results: Sequence[NoiseResult], usual: Noise) -> str:
    """Format all results as a table in Markdown; the usual rater is in every part of it."""
    lines = [
        "| rater | episodes | marks | pairs ordered correctly | balanced | commoner sign |",
        "|---|---|---|---|---|---|",
    ]
    for axis, points in by_axis(results, usual).items():
        for value, own in points:
            name = f"{AXIS_WORDS[axis]}: {value:g}" + (" (usual)" if value == getattr(usual, axis) else "")
            lines.append(f"| {name} | {_mean(own, 'episodes')} | {_mean(own, 'marks')} | {_shares(own)} |")
    count = len({one.seed for one in results})
    lines += ["", f"Evaluated on clean marks of held-out play; {count} seed{'s' if count > 1 else ''}, 95% intervals."]
    return "\n".join(lines) + "\n"


def _mean(results: Sequence[NoiseResult], name: str) -> str:
    return f"{np.mean([getattr(one, name) for one in results]):,.0f}"


def _shares(results: Sequence[NoiseResult]) -> str:
    """Cells of accuracy, balanced accuracy and majority, or the reason why there are none."""
    cells = []
    for name in ("accuracy", "balanced"):
        interval = _over(results, name)
        if interval is None:
            return f"{results[0].failed} | | "
        cells.append(f"{percent(interval.estimate)} ({percent(interval.low)} to {percent(interval.high)})")
    majority = next(one.majority for one in results if not math.isnan(one.majority))
    return " | ".join([*cells, percent(majority)])


def draw(results: Sequence[NoiseResult], usual: Noise) -> Figure:
    """Draw accuracy on held-out pairs, all and balanced, over each axis of noise."""
    found = {axis: points for axis, points in by_axis(results, usual).items() if len(points) > 1} or {
        "miss": by_axis(results, usual)["miss"]
    }
    width = max(6.0, 3.3 * len(found) + 0.6)
    figure, panels = style.panels(width, 3.9, columns=len(found), title=_title(results, usual), sharey=True)
    for axes, (name, points) in zip(panels, found.items(), strict=True):
        _draw_axis(axes, name, points, getattr(usual, name))
    panels[0].set_ylabel("held-out pairs ordered correctly")
    keys = [
        *(style.key(label, shade, line, marker) for label, shade, line, marker in _SERIES.values()),
        style.key("commoner sign", QUIET, lw=1.2),
        style.key("commoner sign, balanced", QUIET, ":", lw=1.2),
        style.key("the usual rater", RULE, lw=5),
    ]
    style.legend(figure, keys, 3)
    return figure


_SERIES = {
    "accuracy": ("all pairs", COLOURS[0], "-", "o"),
    "balanced": ("mean of better and worse pairs", COLOURS[1], "--", "s"),
}


def _draw_axis(axes: Axes, name: str, points: Sequence[tuple[float, list[NoiseResult]]], usual: float) -> None:
    axes.axvline(usual, color=RULE, lw=5, zorder=0)
    for measure, (_, shade, line, marker) in _SERIES.items():
        known = [(value, found) for value, own in points if (found := _over(own, measure)) is not None]
        axes.plot([value for value, _ in known], [found.estimate for _, found in known], color=shade, ls=line, lw=1.6)
        for value, found in known:
            style.interval(axes, value, found, shade, marker)
    for majority in [one.majority for _, own in points for one in own if not math.isnan(one.majority)][:1]:
        axes.axhline(majority, color=QUIET, lw=1.2, zorder=1)
    axes.axhline(0.5, color=QUIET, lw=1.2, ls=":", zorder=1)
    axes.set_xlabel(AXIS_WORDS[name])
    style.in_percent(axes)
    if name != "delay":
        style.in_percent(axes, "x")


def _over(results: Sequence[NoiseResult], name: str) -> Interval | None:
    """Mean over the seeds whose training succeeded; they are all measured on the same held-out play."""
    measures = [measure.interval for one in results if (measure := getattr(one, name)) is not None]
    return over_runs(measures, same_episodes=True)


def _title(results: Sequence[NoiseResult], usual: Noise) -> str:
    """Title with the balanced accuracy of the usual rater's model and of the worst one."""
    noises = dict.fromkeys(one.noise for one in results)
    found = {noise: _over([one for one in results if one.noise == noise], "balanced") for noise in noises}
    known = {noise: interval for noise, interval in found.items() if interval is not None}
    if usual not in known:
        return "Nothing could be learned from the usual rater's marks"
    worst = min(known, key=lambda noise: known[noise].estimate)
    usual_words = (
        f"Held-out pairs, balanced: {percent(known[usual].estimate)} are ordered correctly with the usual rater's marks"
    )
    if worst == usual:
        return f"{usual_words}, and no other is lower"
    (axis,) = [f.name for f in fields(usual) if getattr(usual, f.name) != getattr(worst, f.name)]
    value = getattr(worst, axis)
    shown = f"{value:g}" if axis == "delay" else percent(value)
    return f"{usual_words}; the lowest is {percent(known[worst].estimate)} ({AXIS_WORDS[axis]}: {shown})"
