"""The paper's Figure 5 from our episodes, beside what was published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from experiments.watch_and_help.helping.published import ALL, Published
from pipelines.charts import style
from pipelines.charts.palette import INK, RULE

LABELS = {"success": "success, %", "speedup": "speedup", "reward": "cumulative reward"}
# Tol's colours, and greys: distinct for colour-blind readers.
_COLOURS = (
    "#bbbbbb", "#dddd77", "#cc6677", "#882255", "#332288", "#88ccee", "#117733", "#44aa99", "#999933", "#aa4499",
    "#ddcc77", "#7b8794", "#000000", "#661100", "#6699cc",
)  # fmt: skip


@dataclass(frozen=True)
class Measured:
    """A mean over tasks."""

    mean: float
    error: float


Values = Mapping[str, Mapping[str, Mapping[str, Measured | None]]]  # measure -> helper -> activity -> value


def by_activity(values: Values, published: Mapping[str, Published]) -> Figure:
    """Draw a panel for each measure: bars of all helpers by activity, and a diamond at what was published (5b)."""
    helpers = list(next(iter(values.values())))
    activities = list(next(iter(next(iter(values.values())).values())))
    size = max(1.3 * len(activities) * max(len(helpers), 6) / 6 + 1.5, 5.0), 2.1 * len(values) + 0.6
    figure, panels = style.panels(*size, len(values), sharex=True)
    width = 0.84 / len(helpers)
    for axes, (measure, by_helper) in zip(panels, values.items(), strict=True):
        scale = 100 if measure == "success" else 1
        for number, name in enumerate(helpers):
            x = np.arange(len(activities)) + (number - (len(helpers) - 1) / 2) * width
            for where, activity in zip(x, activities, strict=True):
                value = by_helper[name][activity]
                if value is not None:
                    axes.bar(where, scale * value.mean, width, color=_colour(number), yerr=scale * value.error,
                             error_kw={"elinewidth": 0.8, "ecolor": INK})  # fmt: skip
                figures = published.get(name)
                figure_there = figures.of(measure, activity) if figures else None
                if figure_there is not None:
                    axes.plot(where, scale * figure_there, "D", color="white", markeredgecolor=INK, markersize=3.5)
        axes.set_ylabel(LABELS[measure])
        axes.axhline(0, color=RULE, lw=0.8)
    panels[-1].set_xticks(range(len(activities)), [each.replace("_", " ") for each in activities])
    keys = [style.key(name, _colour(number), lw=5) for number, name in enumerate(helpers)]
    style.legend(figure, [*keys, style.key("published", "none", "", "D", mec=INK, ms=4)], beside=True)
    return figure


def speedup_over_success(values: Values, published: Mapping[str, Published], clipped: bool) -> Figure:
    """Draw every helper at its success and speedup over all tasks; published ones are hollow (5a).

    Args:
      clipped: the published speedups are clipped at 0.
    """
    figure, (axes,) = style.panels(6.2, 3.6)
    style.label(axes, x="success, %", y="speedup")
    keys = []
    for number, name in enumerate(values["success"]):
        success, speedup = (values[measure][name][ALL] for measure in ("success", "speedup"))
        if success is None or speedup is None:
            continue
        axes.errorbar(
            100 * success.mean, speedup.mean, xerr=100 * success.error, yerr=speedup.error, fmt="o",
            color=_colour(number), markersize=6, elinewidth=0.8,
        )  # fmt: skip
        keys.append(style.key(name, _colour(number), "", "o"))
        figures = published.get(name)
        there = (figures.of("success", ALL), figures.of("speedup", ALL)) if figures else (None, None)
        if there[0] is not None and there[1] is not None:
            axes.plot(100 * there[0], there[1], "D", color="none", markeredgecolor=_colour(number), markersize=6)
            axes.plot([100 * there[0], 100 * success.mean], [there[1], speedup.mean], color=RULE, lw=0.8)
    published_name = "published, clipped at 0" if clipped else "published"
    style.legend(figure, [*keys, style.key(published_name, "none", "", "D", mec=INK, ms=5)], beside=True)
    return figure


def _colour(number: int) -> str:
    return _COLOURS[number % len(_COLOURS)]
