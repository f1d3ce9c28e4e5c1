"""Figures of an experiment: success of every arm at every probe, success and modelled reward over training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from experiments.engine.table import ALL, Table
from pipelines.diagnose.figures import blank_figure
from reward_models.scores.plots import FAINT, INK

_TOGETHER, _COLUMNS = 3, 4  # curves in one panel; panels in a row
_ASIDE = 0.12  # offset from one line to the next, as a share of the distance of two positions
# Okabe and Ito's colours, distinct for colour-blind readers, then three of Tol's for an experiment of ten arms; the arm
# compared with is drawn in the colour of text.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#7b8794", "#882255", "#999933", "#332288")

Series = Mapping[str, Sequence[tuple[np.ndarray, np.ndarray]]]  # name -> (x, y) of every seed


def success(table: Table) -> Figure:
    """Draw every arm at every probe: a dot and its 95% interval, one panel for each probe."""
    probes, arms = (*table.probes, ALL), [arm for arm in table.arms if table.cell(arm, ALL)]
    figure = blank_figure(1.45 * len(probes) + 2.2, 0.34 * len(arms) + 1.0)
    panels: list[Axes] = np.atleast_1d(figure.subplots(1, len(probes), sharey=True)).tolist()
    colours = colours_of(arms, table.compared_with)
    for axes, probe in zip(panels, probes, strict=True):
        _plain(axes, probe.capitalize())
        for place, arm in enumerate(arms):
            cell = table.cell(arm, probe)
            if cell is not None:
                low, middle, high = (100 * x for x in (cell.success.low, cell.success.estimate, cell.success.high))
                axes.plot([low, high], [place, place], color=colours[arm], linewidth=1.6, solid_capstyle="round")
                axes.plot(middle, place, "o", color=colours[arm], markersize=5)
        axes.set_xlim(-3, 103)
        axes.set_xticks([0, 50, 100])
        axes.grid(axis="x", color=FAINT, linewidth=0.6)
    panels[0].set_yticks(range(len(arms)), arms)
    panels[0].invert_yaxis()
    figure.supxlabel("requests fulfilled, %, with 95% intervals", fontsize=8, color=INK)
    return figure


def along_lines(table: Table, lines: Mapping[str, Mapping[str, str]]) -> Figure:
    """Draw success along lines of arms (line -> position -> arm), one panel for each probe.

    Positions of which no arm has results are left out.
    """
    measured = [place for line in lines.values() for place, arm in line.items() if table.cell(arm, ALL) is not None]
    probes, places = (*table.probes, ALL), list(dict.fromkeys(measured))
    figure = blank_figure(1.9 * len(probes) + 1.4, 2.6)
    panels: list[Axes] = np.atleast_1d(figure.subplots(1, len(probes), sharey=True)).tolist()
    colours = colours_of(list(lines), next(iter(lines)))
    for axes, probe in zip(panels, probes, strict=True):
        _plain(axes, probe.capitalize())
        for number, (line, arms) in enumerate(lines.items()):
            aside = _ASIDE * (number - (len(lines) - 1) / 2)  # so that intervals do not overlap
            cells = [table.cell(arms[place], probe) if place in arms else None for place in places]
            middle = [100 * cell.success.estimate if cell else np.nan for cell in cells]
            along = np.arange(len(places)) + aside
            axes.plot(along, middle, "o-", color=colours[line], markersize=4, linewidth=1.6, label=line)
            for x, cell in zip(along, cells, strict=True):
                if cell is not None:
                    bounds = [100 * cell.success.low, 100 * cell.success.high]
                    axes.plot([x, x], bounds, color=colours[line], linewidth=1.0)
        axes.set_xlim(-0.4, len(places) - 0.6)
        axes.set_ylim(-3, 103)
        axes.set_xticks(range(len(places)), places)
        axes.grid(axis="y", color=FAINT, linewidth=0.6)
    panels[0].set_ylabel("requests fulfilled, %", fontsize=8)
    panels[-1].legend(fontsize=7, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def over_marks(table: Table, marks: Mapping[str, float]) -> Figure:
    """Draw success over all probes against the number of marks, with 95% intervals.

    Args:
      table: of the experiment; the arm that all are compared with is dashed.
      marks: number of marks that each arm learned from, by seed on average.
    """
    cells = {arm: cell for arm in marks if (cell := table.cell(arm, ALL)) is not None}
    figure = blank_figure(6.2, 3.4)
    axes = figure.subplots()
    _plain(axes, "Success over all probes")
    colours = colours_of(list(cells), None)
    places = dodged({arm: marks[arm] for arm in cells}, 0.02 * max(marks.values(), default=0.0))
    for arm, cell in cells.items():
        low, middle, high = (100 * x for x in (cell.success.low, cell.success.estimate, cell.success.high))
        axes.plot([places[arm]] * 2, [low, high], color=colours[arm], linewidth=1.6)
        axes.plot(places[arm], middle, "o", color=colours[arm], markersize=5, label=arm)
    if (base := table.cell(table.compared_with, ALL)) is not None:
        axes.axhline(100 * base.success.estimate, color=INK, linestyle="--", linewidth=1.0, label=table.compared_with)
    axes.set_xlim(left=0)
    axes.set_xlabel("training marks of a seed", fontsize=8)
    axes.set_ylabel("requests fulfilled, %", fontsize=8)
    axes.grid(color=FAINT, linewidth=0.6)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize=7, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def dodged(places: Mapping[str, float], least: float) -> dict[str, float]:
    """Move values nearer than ``least`` to each other apart by ``least``, around their mean, in their order."""
    groups: list[list[str]] = []
    moved: dict[str, float] = {}

    def lay(group: list[str]) -> None:
        middle = float(np.mean([places[name] for name in group]))
        moved.update({name: middle + (i - (len(group) - 1) / 2) * least for i, name in enumerate(group)})

    for name in sorted(places, key=lambda name: places[name]):
        groups.append([name])
        lay([name])
        while len(groups) > 1 and moved[groups[-1][0]] - moved[groups[-2][-1]] < least:
            group = groups.pop(-2) + groups.pop()
            groups.append(group)
            lay(group)
    return moved


def over_training(series: Series, title: str, y_label: str, dashed: Series | None = None) -> Figure:
    """Draw curves over updates: the mean over seeds, with the range shaded.

    Up to three curves share a panel; more have a panel each.

    Args:
      series: by name, of every seed.
      title: of a single panel.
      y_label: of the y axis.
      dashed: the same of held-out episodes.
    """
    names = list({**series, **(dashed or {})})
    groups = [names] if len(names) <= _TOGETHER else [[name] for name in names]
    rows = -(-len(groups) // _COLUMNS)
    columns = -(-len(groups) // rows)
    figure = blank_figure(6.2 if columns == 1 else 2.5 * columns, 3.4 if columns == 1 else 2.1 * rows + 0.7)
    panels: list[Axes] = (
        figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=_alike(series)).ravel().tolist()
    )
    colours = colours_of(names, None)
    for axes, group in zip(panels, groups, strict=False):
        _plain(axes, title if len(groups) == 1 else group[0])
        _draw(axes, {name: series[name] for name in group if name in series}, "-", colours)
        _draw(axes, {name: dashed[name] for name in group if dashed and name in dashed}, "--", colours)
        axes.grid(color=FAINT, linewidth=0.6)
    for unused in panels[len(groups) :]:
        unused.set_visible(False)
    for lowest in panels[len(groups) - columns : len(groups)] if len(groups) > 1 else ():
        lowest.tick_params(labelbottom=True)
    handles = [Line2D([], [], color=colours[name], label=name) for name in names] if len(groups) == 1 else []
    if dashed:
        handles += [
            Line2D([], [], color=INK, label="training episodes"),
            Line2D([], [], color=INK, linestyle="--", label="held-out episodes"),
        ]
    if len(groups) == 1:
        panels[0].set_xlabel("updates", fontsize=8)
        panels[0].set_ylabel(y_label, fontsize=8)
        panels[0].legend(handles=handles, fontsize=7, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
        return figure
    figure.suptitle(title, fontsize=10, color=INK)
    figure.supxlabel("updates", fontsize=8, color=INK)
    figure.supylabel(y_label, fontsize=8, color=INK)
    figure.legend(handles=handles, fontsize=7, frameon=False, loc="outside lower right", ncols=2)
    return figure


def _alike(series: Series) -> bool:
    """Return true if the curves have ranges that one scale can show."""
    means = [ys.mean(0) for x, ys in map(_together, series.values()) if len(x)]
    spans = sorted(float(np.ptp(mean)) for mean in means)
    return not spans or spans[-1] <= 4 * spans[len(spans) // 2]


def _draw(axes: Axes, series: Series, style: str, colours: Mapping[str, str]) -> None:
    """Draw every curve of ``series``: the mean over seeds, with the range shaded."""
    for name, seeds in series.items():
        x, ys = _together(seeds)
        if len(x):
            axes.plot(x, ys.mean(0), style, color=colours[name], linewidth=1.6)
            if len(ys) > 1:
                axes.fill_between(x, ys.min(0), ys.max(0), color=colours[name], alpha=0.12, linewidth=0)


def colours_of(names: Sequence[str], ink: str | None) -> dict[str, str]:
    """Colours by name; the name ``ink`` has the colour of text."""
    others = [name for name in names if name != ink]
    found = {name: COLOURS[place % len(COLOURS)] for place, name in enumerate(others)}
    return found | ({} if ink is None else {ink: INK})


def _together(seeds: Sequence[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Return the x shared by all seeds, and the y there: [N] and [seeds, N]."""
    if not seeds:
        return np.zeros(0), np.zeros((0, 0))
    shared = seeds[0][0]
    for x, _ in seeds[1:]:
        shared = np.intersect1d(shared, x)
    return shared, np.stack([y[np.isin(x, shared)] for x, y in seeds])


def _plain(axes: Axes, title: str) -> None:
    axes.set_title(title, fontsize=9, color=INK)
    axes.tick_params(labelsize=8, colors=INK, length=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(FAINT)
