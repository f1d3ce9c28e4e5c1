"""Figures of a diagnosis, drawn from its records; models differ in colour and in shape."""

from __future__ import annotations

import io
from collections.abc import Sequence
from textwrap import fill

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator

from pipelines.diagnose import sentences
from pipelines.diagnose.diagnosis import (
    PART_WORDS,
    Diagnosis,
    DistanceFinding,
    Measure,
    ModelFindings,
    WordsFindings,
)
from reward_models.scores.plots import FAINT, INK, SLATE

# Okabe and Ito's colours, distinct for colour-blind readers.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = ("o", "s", "^", "D", "v", "P")
WORDS = (("right words", "#009E73", "-"), ("plausible, wrong", "#E69F00", "--"), ("unrelated", "#7b3294", ":"))
_DPI = 144
_FEWEST_MOMENTS = 10  # of a drawn mean curve, unless no group has so many


def figures(diagnosis: Diagnosis) -> dict[str, bytes]:
    """Draw every figure as PNG, by name in the order to show; figures without data are left out."""
    drawn = {
        "accuracy": accuracy(diagnosis),
        "distance": distance(diagnosis),
        "calibration": calibration(diagnosis),
        "predicted_marks": predicted_marks(diagnosis),
        "returns": returns(diagnosis),
        "answers": words(diagnosis, "answers"),
        "instructions": words(diagnosis, "instructions"),
    }
    return {name: png(figure) for name, figure in drawn.items() if figure is not None}


def png(figure: Figure) -> bytes:
    """Encode ``figure`` as PNG."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=_DPI)
    return buffer.getvalue()


def accuracy(diagnosis: Diagnosis) -> Figure | None:
    """Draw pair accuracy of every model in every group, all and balanced, beside the commoner sign's."""
    groups = [g for g in diagnosis.groups() if any(_pairs(m, g) is not None for m in diagnosis.models)]
    if not groups:
        return None
    count, names = len(diagnosis.models), ("pairs ordered correctly", "mean of better and worse pairs")
    figure, axes = _lane_axes(sentences.accuracy_sentence(diagnosis), groups, count, names)
    for row, group in enumerate(groups):
        for lane, model in enumerate(diagnosis.models):
            own = model.group(*group)
            if own is not None:
                _whisker(axes[0], own.pairs.accuracy, row, lane, count)
                _whisker(axes[1], own.pairs.balanced, row, lane, count)
        _tick(axes[0], next(own.pairs.majority for m in diagnosis.models if (own := m.group(*group))), row, "-")
        _tick(axes[1], 0.5, row, "-")
    legend(figure, [*_model_keys(diagnosis.models), _tick_key("commoner sign", "-")])
    return figure


def predicted_marks(diagnosis: Diagnosis) -> Figure | None:
    """Draw F1 of the predicted marks, between chance and the raters' own agreement."""
    groups = [g for g in diagnosis.groups() if any(_marked(m, g) is not None for m in diagnosis.models)]
    if not groups:
        return None
    count = len(diagnosis.models)
    names = ("F1 of predicted (+)", "F1 of predicted (\N{MINUS SIGN})")
    figure, axes = _lane_axes(sentences.marks_sentence(diagnosis), groups, count, names)
    for place, axis in enumerate(axes):
        for row, group in enumerate(groups):
            for lane, model in enumerate(diagnosis.models):
                found = _marked(model, group)
                if found is not None:
                    sign = found.signs[place]
                    _whisker(axis, sign.f1, row, lane, count)
                    _tick(axis, None if sign.raters is None else sign.raters.estimate, row, "-")
                    _floor(axis, sign.chance, row, lane, count)
    keys = [_tick_key("one rater against another", "-"), _tick_key("marks predicted for another episode", ":")]
    legend(figure, [*_model_keys(diagnosis.models), *keys])
    return figure


def distance(diagnosis: Diagnosis) -> Figure | None:
    """Draw pair accuracy by the distance of the two moments."""
    groups = [sentences.whole(diagnosis, part) for part in sentences.parts_of(diagnosis)]
    groups = [g for g in groups if any((own := m.group(*g)) and own.pairs.by_distance for m in diagnosis.models)]
    if not groups:
        return None
    main = sentences.main_group(diagnosis)
    own = diagnosis.models[0].group(*main)
    assert own is not None
    title = f"{sentences.where(main)}: {sentences.distance_sentence(diagnosis.models[0], own)}"
    figure, axes = panels(title, len(groups), 3.0)
    for axis, group in zip(axes, groups, strict=True):
        for number, model in enumerate(diagnosis.models):
            found = model.group(*group)
            by_distance = () if found is None else found.pairs.by_distance
            x = np.arange(len(by_distance)) + 0.09 * (number - (len(diagnosis.models) - 1) / 2)
            _line(axis, x, [one.accuracy for one in by_distance], number)
            if number == 0:
                at, majority = np.arange(len(by_distance)), [one.majority for one in by_distance]
                axis.hlines(majority, at - 0.4, at + 0.4, color=SLATE, lw=1.6, zorder=1)
                axis.set_xticks(at, [one.steps for one in by_distance])
        axis.set_title(sentences.where(group), fontsize=9.5, color=INK, loc="left")
        axis.set_xlabel("steps between the two moments", fontsize=9, color=INK)
        percent_axis(axis, "y", None)
    low = min(one.accuracy.low for m in diagnosis.models for g in groups for one in _by_distance(m, g))
    axes[0].set_ylim(_below(low), 1.02)
    axes[0].set_ylabel("pairs ordered correctly", fontsize=9, color=INK)
    legend(figure, [*_model_keys(diagnosis.models), Line2D([], [], color=SLATE, lw=1.2, label="commoner sign")])
    return figure


def calibration(diagnosis: Diagnosis) -> Figure | None:
    """Draw predicted probabilities against the shares that happened."""
    groups = [sentences.whole(diagnosis, part) for part in sentences.parts_of(diagnosis)]
    groups = [g for g in groups if any((own := m.group(*g)) and own.calibration.bins for m in diagnosis.models)]
    if not groups:
        return None
    figure, axes = panels(sentences.calibration_sentence(diagnosis), len(groups), 3.4)
    for axis, group in zip(axes, groups, strict=True):
        axis.plot([0, 1], [0, 1], color=SLATE, lw=1, zorder=1)
        for number, model in enumerate(diagnosis.models):
            found = model.group(*group)
            bins = () if found is None else found.calibration.bins
            _line(axis, [one.predicted for one in bins], [one.happened for one in bins], number, dots=False)
            axis.scatter(
                [one.predicted for one in bins],
                [one.happened.estimate for one in bins],
                s=[12 + 260 * one.share for one in bins],
                color=COLOURS[number % len(COLOURS)],
                marker=MARKERS[number % len(MARKERS)],
                zorder=4,
            )
        axis.set_title(sentences.where(group), fontsize=9.5, color=INK, loc="left")
        axis.set_xlabel("predicted probability that the later is better", fontsize=9, color=INK)
        percent_axis(axis, "y", 0.0)
        percent_axis(axis, "x", 0.0)
    axes[0].set_ylabel("share of pairs in which it is", fontsize=9, color=INK)
    legend(figure, [*_model_keys(diagnosis.models), Line2D([], [], color=SLATE, lw=1, label="perfect calibration")])
    return figure


def returns(diagnosis: Diagnosis) -> Figure | None:
    """Draw the modelled return of requests that succeeded and of those that failed."""
    group = sentences.main_group(diagnosis)
    shown = [(model, own.success) for model in diagnosis.models if (own := model.group(*group)) is not None]
    shown = [(model, found) for model, found in shown if found.succeeded.returns and found.failed.returns]
    if not shown:
        return None
    figure, axes = panels(sentences.returns_sentence(diagnosis), len(shown), 3.0, sharex=False)
    for axis, (model, found) in zip(axes, shown, strict=True):
        both = np.concatenate([found.succeeded.returns, found.failed.returns])
        low, high = np.quantile(both, [0.01, 0.99])
        edges = np.linspace(low, high if high > low else low + 1, 25)
        for outcome, colour, style, name in (
            (found.succeeded, COLOURS[0], "-", "succeeded"),
            (found.failed, COLOURS[1], "--", "failed"),
        ):
            values = np.clip(outcome.returns, low, edges[-1])
            height, _ = np.histogram(values, edges)
            axis.stairs(height / len(values), edges, color=colour, lw=1.8, ls=style, label=f"{name} ({len(values)})")
            axis.stairs(height / len(values), edges, color=colour, alpha=0.15, fill=True)
        axis.axvline(0, color=FAINT, lw=1, zorder=0)
        axis.set_title(model.name, fontsize=9.5, color=INK, loc="left")
        axis.set_xlabel("modelled return of a request", fontsize=9, color=INK)
        axis.legend(fontsize=8, frameon=False, labelcolor=INK)
        percent_axis(axis, "y", None)
    axes[0].set_ylabel("share of requests", fontsize=9, color=INK)
    return figure


def words(diagnosis: Diagnosis, what: str) -> Figure | None:
    """Draw Figure 3C: utility around the moment under three kinds of words; parts in rows, models in columns."""
    groups = [sentences.whole(diagnosis, part) for part in sentences.parts_of(diagnosis)]
    counts = {g: max((f.moments for m in diagnosis.models if (f := _words(m, g, what))), default=0) for g in groups}
    most = max(counts.values(), default=0)
    groups = [g for g in groups if counts[g] >= min(most, _FEWEST_MOMENTS) > 0]  # the tables have the others
    if not groups:
        return None
    main = sentences.main_group(diagnosis)
    shown = main if main in groups else groups[0]
    first = diagnosis.models[0]
    title = f"{sentences.where(shown)}: {sentences.words_sentence(first, _words(first, shown, what), what)}"
    columns = len(diagnosis.models)
    figure = _figure(max(7.5, 3.4 * columns + 0.6), 2.5 * len(groups) + 1.0, title)
    axes = figure.subplots(len(groups), columns, squeeze=False, sharex=True, sharey="col")
    for row, group in enumerate(groups):
        for column, model in enumerate(diagnosis.models):
            axis, found = axes[row][column], _words(model, group, what)
            _dress(axis)
            _draw_words(axis, found)
            axis.set_title(_words_title(model, group, found, columns), fontsize=9, color=INK, loc="left")
        axes[row][0].set_ylabel("change of utility", fontsize=9, color=INK)
    moment = "the answer is heard" if what == "answers" else "the success is seen"
    for axis in axes[-1]:
        axis.xaxis.set_major_locator(MaxNLocator(integer=True))
        axis.set_xlabel(f"steps from where {moment}", fontsize=9, color=INK)
    legend(figure, [Line2D([], [], color=colour, ls=style, lw=2, label=name) for name, colour, style in WORDS])
    return figure


def _draw_words(axis: Axes, found: WordsFindings | None) -> None:
    axis.axhline(0, color=FAINT, lw=1, zorder=0)
    axis.axvline(0, color=FAINT, lw=1, zorder=0)
    for (_, colour, style), curve in zip(WORDS, found.curves if found else (), strict=False):
        axis.plot(curve.offsets, curve.mean, color=colour, ls=style, lw=2)
        axis.fill_between(curve.offsets, curve.low, curve.high, color=colour, alpha=0.13, lw=0)


def _words_title(model: ModelFindings, group: tuple[str, str], found: WordsFindings | None, columns: int) -> str:
    name = f"{model.name}, " if columns > 1 else ""
    count = 0 if found is None else found.moments
    return f"{name}{PART_WORDS[group[0]]} ({count})"


def _by_distance(model: ModelFindings, group: tuple[str, str]) -> tuple[DistanceFinding, ...]:
    own = model.group(*group)
    return () if own is None else own.pairs.by_distance


def _below(low: float) -> float:
    """Lower end of an axis of shares that shows ``low``: a tenth, with a margin."""
    return max(-0.02, np.floor(10 * low) / 10 - 0.03)


# -- parts of figures -------------------------------------------------------------------------------------------


def _pairs(model: ModelFindings, group: tuple[str, str]) -> Measure | None:
    own = model.group(*group)
    return None if own is None else own.pairs.accuracy


def _marked(model: ModelFindings, group: tuple[str, str]):
    own = model.group(*group)
    return None if own is None else own.marked


def _words(model: ModelFindings, group: tuple[str, str], what: str) -> WordsFindings | None:
    own = model.group(*group)
    return None if own is None else getattr(own, what)


def blank_figure(width: float, height: float) -> Figure:
    """Create a figure of so many inches, without a window or global state."""
    figure = Figure(figsize=(width, height), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    return figure


def _figure(width: float, height: float, title: str) -> Figure:
    figure, folded = blank_figure(width, height), fill(title, int(width * 10.2))
    figure.suptitle(folded, x=0.012, ha="left", fontsize=11, fontweight="bold", color=INK)
    return figure


def panels(title: str, count: int, height: float, sharex: bool = True) -> tuple[Figure, list[Axes]]:
    """Create panels beside each other."""
    figure = _figure(max(6.0, 3.3 * count + 0.6), height + 1.0, title)
    axes = figure.subplots(1, count, squeeze=False, sharey=True, sharex=sharex)[0]
    for axis in axes:
        _dress(axis)
    return figure, list(axes)


def _lane_axes(
    title: str, groups: Sequence[tuple[str, str]], models: int, names: Sequence[str]
) -> tuple[Figure, list[Axes]]:
    """Create axes of shares, one for each of ``names``, with a row for every group and a lane for every model."""
    figure = _figure(8.6, 1.5 + len(groups) * (0.26 + 0.16 * models), title)
    axes = list(figure.subplots(1, len(names), squeeze=False, sharey=True)[0])
    for axis, name in zip(axes, names, strict=True):
        _dress(axis)
        axis.grid(axis="y", visible=False)
        axis.grid(axis="x", color=FAINT, lw=0.6, alpha=0.6)
        axis.set_ylim(len(groups) - 0.5, -0.5)
        axis.set_yticks(range(len(groups)), [sentences.row_name(group) for group in groups])
        axis.tick_params(axis="y", length=0)
        axis.set_xlabel(name, fontsize=9, color=INK)
        percent_axis(axis, "x", 0.0)
        for row in range(1, len(groups)):
            axis.axhline(row - 0.5, color=FAINT, lw=0.6)
    return figure, axes


def _whisker(axis: Axes, measure: Measure | None, row: int, lane: int, lanes: int) -> None:
    """Draw a dot and its interval."""
    if measure is not None:
        y = _lane(row, lane, lanes)
        colour = COLOURS[lane % len(COLOURS)]
        axis.plot([measure.low, measure.high], [y, y], color=colour, lw=2.2, alpha=0.5, solid_capstyle="round")
        axis.plot(measure.estimate, y, MARKERS[lane % len(MARKERS)], color=colour, ms=6, mec="white", mew=0.8)


def _tick(axis: Axes, value: float | None, row: int, style: str) -> None:
    """Draw a vertical tick across a row."""
    if value is not None:
        axis.plot([value, value], [row - 0.36, row + 0.36], color=SLATE, lw=1.6, ls=style, zorder=1)


def _floor(axis: Axes, measure: Measure | None, row: int, lane: int, lanes: int) -> None:
    """Draw a short dotted tick in a model's lane."""
    if measure is not None:
        y = _lane(row, lane, lanes)
        axis.plot([measure.estimate] * 2, [y - 0.3 / lanes, y + 0.3 / lanes], color=SLATE, lw=1.8, ls=":", zorder=1)


def _lane(row: int, lane: int, lanes: int) -> float:
    """Height of a model's lane in a group's row."""
    return row + 0.62 * ((lane + 0.5) / lanes - 0.5)


def _tick_key(name: str, style: str) -> Line2D:
    return Line2D([], [], color=SLATE, lw=1.6, ls=style, label=name)


def _line(
    axis: Axes, x: Sequence[float] | np.ndarray, measures: Sequence[Measure], number: int, dots: bool = True
) -> None:
    """Draw a line through measures, each with its interval."""
    colour, y = COLOURS[number % len(COLOURS)], [one.estimate for one in measures]
    axis.vlines(x, [one.low for one in measures], [one.high for one in measures], color=colour, lw=2.2, alpha=0.4)
    marker = MARKERS[number % len(MARKERS)] if dots else ""
    axis.plot(x, y, color=colour, marker=marker, ms=5.5, mec="white", mew=0.7, lw=1.6, zorder=3)


def _model_keys(models: Sequence[ModelFindings]) -> list[Line2D]:
    return [
        Line2D([], [], color=COLOURS[n % len(COLOURS)], marker=MARKERS[n % len(MARKERS)], ms=6, lw=1.8, label=m.name)
        for n, m in enumerate(models)
    ]


def legend(figure: Figure, handles: Sequence[Line2D], columns: int = 4) -> None:
    """Draw the legend below the panels."""
    figure.legend(
        handles=list(handles), loc="outside lower left", fontsize=8.5, frameon=False, labelcolor=INK, ncols=columns
    )


def percent_axis(axis: Axes, which: str, low: float | None) -> None:
    """Format an axis of shares in per cent, from ``low`` to 100 unless that is None."""
    one = axis.yaxis if which == "y" else axis.xaxis
    one.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.0f}%"))
    if low is not None:
        (axis.set_ylim if which == "y" else axis.set_xlim)(low - 0.02, 1.02)


def _dress(axis: Axes) -> None:
    axis.tick_params(labelsize=8.5, color=FAINT, labelcolor=INK)
    axis.spines[["top", "right"]].set_visible(False)
    axis.spines[["left", "bottom"]].set_color(FAINT)
    axis.grid(axis="y", color=FAINT, lw=0.6, alpha=0.6)
    axis.set_axisbelow(True)
