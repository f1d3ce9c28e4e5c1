"""Figures of an experiment: success of every arm at every probe, success and modelled reward over training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.engine.table import ALL, Table
from pipelines.charts import style
from pipelines.charts.palette import INK, colours_of

_TOGETHER, _COLUMNS = 3, 4  # curves in one panel; panels in a row
_ASIDE = 0.12  # offset from one line to the next, as a share of the distance of two positions
Series = Mapping[str, Sequence[tuple[np.ndarray, np.ndarray]]]  # name -> (x, y) of every seed


def success(table: Table) -> Figure:
    """Draw every arm at every probe: a dot and its 95% interval, one panel for each probe."""
    probes, arms = (*table.probes, ALL), [arm for arm in table.arms if table.cell(arm, ALL)]
    width, height = 1.45 * len(probes) + 2.2, 0.34 * len(arms) + 1.0
    figure, panels = style.panels(width, height, columns=len(probes), grid="x", sharey=True)
    colours = colours_of(arms, table.compared_with)
    for axes, probe in zip(panels, probes, strict=True):
        style.label(axes, probe.capitalize())
        for place, arm in enumerate(arms):
            if (cell := table.cell(arm, probe)) is not None:
                style.interval(axes, place, cell.success, colours[arm], across=True, scale=100)
        axes.set_xlim(-3, 103)
        axes.set_xticks([0, 50, 100])
    panels[0].set_yticks(range(len(arms)), arms)
    panels[0].invert_yaxis()
    figure.supxlabel("requests fulfilled, %, with 95% intervals", fontsize=9, color=INK)
    return figure


def along_lines(table: Table, lines: Mapping[str, Mapping[str, str]]) -> Figure:
    """Draw success along lines of arms (line -> position -> arm), one panel for each probe.

    Positions of which no arm has results are left out.
    """
    measured = [place for line in lines.values() for place, arm in line.items() if table.cell(arm, ALL) is not None]
    probes, places = (*table.probes, ALL), list(dict.fromkeys(measured))
    figure, panels = style.panels(1.9 * len(probes) + 1.4, 2.6, columns=len(probes), sharey=True)
    colours = colours_of(list(lines), next(iter(lines)))
    for axes, probe in zip(panels, probes, strict=True):
        style.label(axes, probe.capitalize())
        for number, (line, arms) in enumerate(lines.items()):
            aside = _ASIDE * (number - (len(lines) - 1) / 2)  # so that intervals do not overlap
            cells = [table.cell(arms[place], probe) if place in arms else None for place in places]
            middle = [100 * cell.success.estimate if cell else np.nan for cell in cells]
            axes.plot(np.arange(len(places)) + aside, middle, color=colours[line], lw=1.6)
            for x, cell in enumerate(cells):
                if cell is not None:
                    style.interval(axes, x + aside, cell.success, colours[line], scale=100)
        axes.set_xlim(-0.4, len(places) - 0.6)
        axes.set_ylim(-3, 103)
        axes.set_xticks(range(len(places)), places)
    panels[0].set_ylabel("requests fulfilled, %")
    style.legend(figure, [style.key(line, colours[line], marker="o") for line in lines], beside=True)
    return figure


def over_marks(table: Table, marks: Mapping[str, float]) -> Figure:
    """Draw success over all probes against the number of marks, with 95% intervals.

    Args:
      table: of the experiment; the arm that all are compared with is dashed.
      marks: number of marks that each arm learned from, by seed on average.
    """
    cells = {arm: cell for arm in marks if (cell := table.cell(arm, ALL)) is not None}
    figure, (axes,) = style.panels(6.2, 3.4, grid="both")
    style.label(axes, "Success over all probes", "training marks of a seed", "requests fulfilled, %")
    colours = colours_of(list(cells))
    places = dodged({arm: marks[arm] for arm in cells}, 0.02 * max(marks.values(), default=0.0))
    for arm, cell in cells.items():
        style.interval(axes, places[arm], cell.success, colours[arm], scale=100)
    keys = [style.key(arm, shade, "", "o") for arm, shade in colours.items()]
    if (base := table.cell(table.compared_with, ALL)) is not None:
        axes.axhline(100 * base.success.estimate, color=INK, ls="--", lw=1.0)
        keys.append(style.key(table.compared_with, INK, "--", lw=1.0))
    axes.set_xlim(left=0)
    style.legend(figure, keys, beside=True)
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
    """
    names = list({**series, **(dashed or {})})
    groups = [names] if len(names) <= _TOGETHER else [[name] for name in names]
    rows, colours = -(-len(groups) // _COLUMNS), colours_of(names)
    columns = -(-len(groups) // rows)
    size = (6.2, 3.4) if columns == 1 else (2.5 * columns, 2.1 * rows + 0.7)
    figure, panels = style.panels(
        *size, rows, columns, title=title if columns > 1 else "", grid="both", sharex=True, sharey=_alike(series)
    )
    for axes, group in zip(panels, groups, strict=False):
        style.label(axes, title if len(groups) == 1 else group[0])
        _draw(axes, {name: series[name] for name in group if name in series}, "-", colours)
        _draw(axes, {name: dashed[name] for name in group if dashed and name in dashed}, "--", colours)
    for unused in panels[len(groups) :]:
        unused.set_visible(False)
    for lowest in panels[len(groups) - columns : len(groups)]:
        lowest.tick_params(labelbottom=True)
    figure.supxlabel("updates", fontsize=9, color=INK)
    figure.supylabel(y_label, fontsize=9, color=INK)
    keys = [style.key(name, colours[name]) for name in names] if len(groups) == 1 else []
    if dashed:
        keys += [style.key("training episodes", INK), style.key("held-out episodes", INK, "--")]
    if keys:
        style.legend(figure, keys, beside=len(groups) == 1)
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


def _together(seeds: Sequence[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Return the x shared by all seeds, and the y there: [N] and [seeds, N]."""
    if not seeds:
        return np.zeros(0), np.zeros((0, 0))
    shared = seeds[0][0]
    for x, _ in seeds[1:]:
        shared = np.intersect1d(shared, x)
    return shared, np.stack([y[np.isin(x, shared)] for x, y in seeds])
