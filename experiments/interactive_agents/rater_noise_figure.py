"""Table and figure of the sweep over rater noise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from experiments.interactive_agents.rater_noise_results import Noise, NoiseResult
from pipelines.diagnose.figures import COLOURS, legend, panels, percent_axis, png
from reward_models.scores.plots import FAINT, INK, SLATE
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


def draw(results: Sequence[NoiseResult], usual: Noise) -> bytes:
    """Draw accuracy on held-out pairs, all and balanced, over each axis of noise, as PNG."""
    found = {axis: points for axis, points in by_axis(results, usual).items() if len(points) > 1} or {
        "miss": by_axis(results, usual)["miss"]
    }
    figure, axes = panels(_title(results, usual), len(found), 2.9, sharex=False)
    for axis, (name, points) in zip(axes, found.items(), strict=True):
        _draw_axis(axis, name, points, getattr(usual, name))
    axes[0].set_ylabel("held-out pairs ordered correctly", fontsize=9, color=INK)
    keys = [
        *(Line2D([], [], label=label, **style) for label, style in _SERIES.values()),
        Line2D([], [], color=SLATE, lw=1.2, label="commoner sign"),
        Line2D([], [], color=SLATE, lw=1.2, ls=":", label="commoner sign, balanced"),
        Line2D([], [], color=FAINT, lw=5, label="the usual rater"),
    ]
    legend(figure, keys)
    return png(figure)


_SERIES = {
    "accuracy": ("all pairs", dict(color=COLOURS[0], marker="o", ls="-", ms=6, lw=1.6)),
    "balanced": ("mean of better and worse pairs", dict(color=COLOURS[1], marker="s", ls="--", ms=5.5, lw=1.6)),
}


def _draw_axis(axis: Axes, name: str, points: Sequence[tuple[float, list[NoiseResult]]], usual: float) -> None:
    axis.axvline(usual, color=FAINT, lw=5, zorder=0)
    for measure, (_, style) in _SERIES.items():
        known = [(value, interval) for value, own in points if (interval := _over(own, measure)) is not None]
        x, low, high = [v for v, _ in known], [i.low for _, i in known], [i.high for _, i in known]
        axis.vlines(x, low, high, color=style["color"], lw=2.2, alpha=0.4)
        axis.plot(x, [interval.estimate for _, interval in known], mec="white", mew=0.7, zorder=3, **style)
    for majority in [one.majority for _, own in points for one in own if not math.isnan(one.majority)][:1]:
        axis.axhline(majority, color=SLATE, lw=1.2, zorder=1)
    axis.axhline(0.5, color=SLATE, lw=1.2, ls=":", zorder=1)
    axis.set_xlabel(AXIS_WORDS[name], fontsize=9, color=INK)
    percent_axis(axis, "y", None)
    if name != "delay":
        percent_axis(axis, "x", None)


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
