"""Table and figure of the sweep over rater noise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields, replace

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.engine.page import Section
from experiments.engine.rows import Row, Rows
from experiments.engine.table import Cell, mean, table
from experiments.interactive_agents.rater_noise_results import Noise, NoiseResult
from pipelines.charts import style
from pipelines.charts.palette import COLOURS, QUIET, RULE
from rlhf.run.statistics import Interval, over_runs, percent

FIGURE_FILE = "raters.png"
MEASURES = ("accuracy", "balanced")
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


def section(results: Sequence[NoiseResult], usual: Noise) -> Section:
    """Return all results as a table and a figure; the usual rater is in every part of the table."""
    rows, failed = list[Row](), dict[str, str]()
    for axis, points in by_axis(results, usual).items():
        for value, own in points:
            name = f"{AXIS_WORDS[axis]}: {value:g}" + (" (usual)" if value == getattr(usual, axis) else "")
            rows += [Row("rater-noise", name, one.seed, axis, measures=_measures(one)) for one in own]
            failed[name] = own[0].failed

    def share(measure: str) -> Cell:
        def cell(own: Rows) -> str:
            found = over_runs([_interval(row, measure) for row in own if measure in row.measures], same_episodes=True)
            if found is None:
                return failed[own[0].arm] if measure == MEASURES[0] else ""
            return f"{percent(found.estimate)} ({percent(found.low)} to {percent(found.high)})"

        return cell

    columns = (
        ("episodes", mean("episodes", ",.0f")),
        ("marks", mean("marks", ",.0f")),
        ("pairs ordered correctly", share("accuracy")),
        ("balanced", share("balanced")),
        (
            "commoner sign",
            lambda own: next((percent(row.measures["majority"]) for row in own if "majority" in row.measures), ""),
        ),
    )
    count = len({one.seed for one in results})
    about = f"Evaluated on clean marks of held-out play; {count} seed{'s' if count > 1 else ''}, 95% intervals."
    return Section(rows, [table(rows, "rater", columns), about], {FIGURE_FILE: draw(results, usual)})


def _measures(one: NoiseResult) -> dict[str, float]:
    found = {"episodes": float(one.episodes), "marks": float(one.marks)}
    for name in MEASURES:
        if (measure := getattr(one, name)) is not None:
            found |= {name: measure.estimate, f"{name}, low": measure.low, f"{name}, high": measure.high}
            found |= {"held-out episodes": measure.episodes, "majority": one.majority}
    return found


def _interval(row: Row, name: str) -> Interval:
    middle, low, high = (row.measures[each] for each in (name, f"{name}, low", f"{name}, high"))
    return Interval(middle, low, high, int(row.measures["held-out episodes"]))


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
