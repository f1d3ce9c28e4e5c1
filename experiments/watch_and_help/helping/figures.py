"""The paper's Figure 5 from our episodes, beside what was published."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from experiments.watch_and_help.helping.published import ALL, Published
from pipelines.diagnose.figures import blank_figure
from reward_models.scores.plots import FAINT, INK

LABELS = {"success": "success, %", "speedup": "speedup", "reward": "cumulative reward"}
# Tol's colours, and greys: distinct for colour-blind readers.
_COLOURS = (
    "#bbbbbb", "#dddd77", "#cc6677", "#882255", "#332288", "#88ccee", "#117733", "#44aa99", "#999933", "#aa4499",
    "#ddcc77", "#7b8794", "#000000", "#661100", "#6699cc",
)  # fmt: skip


class Value(Protocol):
    """A mean with its standard error."""

    @property
    def mean(self) -> float:
        """The mean."""
        ...

    @property
    def error(self) -> float:
        """The standard error."""
        ...


Values = Mapping[str, Mapping[str, Mapping[str, Value | None]]]  # measure -> helper -> activity -> value


def by_activity(values: Values, published: Mapping[str, Published]) -> Figure:
    """Draw a panel for each measure: bars of all helpers by activity, and a diamond at what was published (5b).

    Args:
      values: by measure, helper and activity.
      published: by helper.
    """
    helpers = list(next(iter(values.values())))
    activities = list(next(iter(next(iter(values.values())).values())))
    figure = blank_figure(max(1.3 * len(activities) * max(len(helpers), 6) / 6 + 1.5, 5.0), 2.1 * len(values) + 0.6)
    panels: list[Axes] = figure.subplots(len(values), 1, sharex=True, squeeze=False).ravel().tolist()
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
        axes.set_ylabel(LABELS[measure], fontsize=8)
        axes.axhline(0, color=FAINT, linewidth=0.8)
        _plain(axes)
    panels[-1].set_xticks(range(len(activities)), [each.replace("_", " ") for each in activities])
    handles = [Line2D([], [], color=_colour(i), linewidth=5, label=name) for i, name in enumerate(helpers)]
    handles.append(Line2D([], [], marker="D", color="none", markeredgecolor=INK, markersize=4, label="published"))
    figure.legend(handles=handles, fontsize=7, frameon=False, loc="outside right center")
    return figure


def speedup_over_success(values: Values, published: Mapping[str, Published], clipped: bool) -> Figure:
    """Draw every helper at its success and speedup over all tasks; published ones are hollow (5a).

    Args:
      values: by measure, helper and activity.
      published: by helper.
      clipped: the published speedups are clipped at 0.
    """
    figure = blank_figure(6.2, 3.6)
    axes = figure.subplots()
    for number, name in enumerate(values["success"]):
        success, speedup = (values[measure][name][ALL] for measure in ("success", "speedup"))
        if success is None or speedup is None:
            continue
        axes.errorbar(
            100 * success.mean, speedup.mean, xerr=100 * success.error, yerr=speedup.error, fmt="o",
            color=_colour(number), markersize=6, elinewidth=0.8, label=name,
        )  # fmt: skip
        figures = published.get(name)
        there = (figures.of("success", ALL), figures.of("speedup", ALL)) if figures else (None, None)
        if there[0] is not None and there[1] is not None:
            axes.plot(100 * there[0], there[1], "D", color="none", markeredgecolor=_colour(number), markersize=6)
            axes.plot([100 * there[0], 100 * success.mean], [there[1], speedup.mean], color=FAINT, linewidth=0.8)
    axes.set_xlabel("success, %", fontsize=8)
    axes.set_ylabel("speedup", fontsize=8)
    _plain(axes)
    handles, labels = axes.get_legend_handles_labels()
    hollow, known = Line2D([], [], marker="D", color="none", markeredgecolor=INK, markersize=5), "published"
    known += ", clipped at 0" * clipped
    figure.legend([*handles, hollow], [*labels, known], fontsize=7, frameon=False, loc="outside right center")
    return figure


def _colour(number: int) -> str:
    return _COLOURS[number % len(_COLOURS)]


def _plain(axes: Axes) -> None:
    axes.tick_params(labelsize=8, colors=INK, length=0)
    axes.grid(axis="y", color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(FAINT)
