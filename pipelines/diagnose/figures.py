"""Figures of a diagnosis, drawn from its records; models differ in colour and in shape."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from pipelines.charts import style
from pipelines.charts.palette import COLOURS, QUIET, RULE
from pipelines.diagnose import sentences
from pipelines.diagnose.diagnosis import PART_WORDS, Diagnosis, GroupFindings, Measure, WordsFindings

_WORDS = (("right words", COLOURS[2], "-"), ("plausible, wrong", COLOURS[4], "--"), ("unrelated", COLOURS[3], ":"))
_FEWEST_MOMENTS = 10  # of a drawn mean curve, unless no group has so many
Group = tuple[str, str]  # part, solver


def figures(diagnosis: Diagnosis) -> dict[str, Figure]:
    """Draw every figure, by name in the order to show; figures without data are left out."""
    drawn = {
        "accuracy": _accuracy(diagnosis),
        "distance": _distance(diagnosis),
        "calibration": _calibration(diagnosis),
        "predicted_marks": _predicted_marks(diagnosis),
        "returns": _returns(diagnosis),
        "answers": _words(diagnosis, "answers"),
        "instructions": _words(diagnosis, "instructions"),
    }
    return {name: figure for name, figure in drawn.items() if figure is not None}


def _accuracy(diagnosis: Diagnosis) -> Figure | None:
    """Draw pair accuracy of every model in every group, all and balanced, beside the commoner sign's."""
    groups = _groups_with(diagnosis.groups(), diagnosis, lambda own: own.pairs.accuracy)
    if not groups:
        return None
    names = ("pairs ordered correctly", "mean of better and worse pairs")
    figure, axes = _lane_axes(sentences.accuracy_sentence(diagnosis), groups, len(diagnosis.models), names)
    for row, lane, own in _lanes(diagnosis, groups):
        _whisker(axes[0], own.pairs.accuracy, row, lane)
        _whisker(axes[1], own.pairs.balanced, row, lane)
        if lane[0] == 0:
            _tick(axes[0], own.pairs.majority, row, "-")
            _tick(axes[1], 0.5, row, "-")
    style.legend(figure, [*_model_keys(diagnosis), style.key("commoner sign", QUIET, lw=1.6)])
    return figure


def _predicted_marks(diagnosis: Diagnosis) -> Figure | None:
    """Draw F1 of the predicted marks, between chance and the raters' own agreement."""
    groups = _groups_with(diagnosis.groups(), diagnosis, lambda own: own.marked)
    if not groups:
        return None
    names = ("F1 of predicted (+)", "F1 of predicted (\N{MINUS SIGN})")
    figure, axes = _lane_axes(sentences.marks_sentence(diagnosis), groups, len(diagnosis.models), names)
    for row, lane, own in _lanes(diagnosis, groups):
        for axis, sign in zip(axes, own.marked.signs if own.marked else (), strict=False):
            _whisker(axis, sign.f1, row, lane)
            _tick(axis, sign.raters and sign.raters.estimate, row, "-")
            _tick(axis, sign.chance and sign.chance.estimate, _height(row, lane), ":", 0.3 / lane[1])
    keys = [style.key("one rater against another", QUIET, lw=1.6)]
    keys.append(style.key("marks predicted for another episode", QUIET, ":", lw=1.6))
    style.legend(figure, [*_model_keys(diagnosis), *keys])
    return figure


def _distance(diagnosis: Diagnosis) -> Figure | None:
    """Draw pair accuracy by the distance of the two moments."""
    groups = _groups_with(_wholes(diagnosis), diagnosis, lambda own: own.pairs.by_distance)
    main = diagnosis.models[0].group(*sentences.main_group(diagnosis))
    if not groups or main is None:
        return None
    words = sentences.distance_sentence(diagnosis.models[0], main)
    title = f"{sentences.where(sentences.main_group(diagnosis))}: {words}"
    figure, axes = _row_of_panels(title, [sentences.where(group) for group in groups], 3.0, sharey=True, sharex=True)
    for axis, group in zip(axes, groups, strict=True):
        for number, own in _models(diagnosis, group):
            found = own.pairs.by_distance
            x = np.arange(len(found))
            aside = 0.09 * (number - (len(diagnosis.models) - 1) / 2)
            draw_line(axis, x + aside, [one.accuracy for one in found], number)
            if number == 0:
                axis.hlines([one.majority for one in found], x - 0.4, x + 0.4, color=QUIET, lw=1.6, zorder=1)
                axis.set_xticks(x, [one.steps for one in found])
        axis.set_xlabel("steps between the two moments")
        style.in_percent(axis)
    low = min(one.accuracy.low for g in groups for _, own in _models(diagnosis, g) for one in own.pairs.by_distance)
    axes[0].set_ylim(max(-0.02, np.floor(10 * low) / 10 - 0.03), 1.02)
    axes[0].set_ylabel("pairs ordered correctly")
    style.legend(figure, [*_model_keys(diagnosis), style.key("commoner sign", QUIET, lw=1.2)])
    return figure


def _calibration(diagnosis: Diagnosis) -> Figure | None:
    """Draw predicted probabilities against the shares that happened."""
    groups = _groups_with(_wholes(diagnosis), diagnosis, lambda own: own.calibration.bins)
    if not groups:
        return None
    names = [sentences.where(group) for group in groups]
    figure, axes = _row_of_panels(sentences.calibration_sentence(diagnosis), names, 3.4, sharey=True, sharex=True)
    for axis, group in zip(axes, groups, strict=True):
        axis.plot([0, 1], [0, 1], color=QUIET, lw=1, zorder=1)
        for number, own in _models(diagnosis, group):
            bins, (colour, _, marker) = own.calibration.bins, style.series(number)
            predicted, happened = [one.predicted for one in bins], [one.happened for one in bins]
            draw_line(axis, predicted, happened, number, dots=False)
            sizes = [12 + 260 * one.share for one in bins]
            shares = [one.estimate for one in happened]
            axis.scatter(predicted, shares, s=sizes, color=colour, marker=marker, zorder=4)
        axis.set_xlabel("predicted probability that the later is better")
        style.in_percent(axis, "y", 0.0)
        style.in_percent(axis, "x", 0.0)
    axes[0].set_ylabel("share of pairs in which it is")
    style.legend(figure, [*_model_keys(diagnosis), style.key("perfect calibration", QUIET, lw=1)])
    return figure


def _returns(diagnosis: Diagnosis) -> Figure | None:
    """Draw the modelled return of requests that succeeded and of those that failed."""
    group = sentences.main_group(diagnosis)
    shown = [(diagnosis.models[number].name, own.success) for number, own in _models(diagnosis, group)]
    shown = [(name, found) for name, found in shown if found.succeeded.returns and found.failed.returns]
    if not shown:
        return None
    figure, axes = _row_of_panels(sentences.returns_sentence(diagnosis), [n for n, _ in shown], 3.0, sharey=True)
    for axis, (_, found) in zip(axes, shown, strict=True):
        both = np.concatenate([found.succeeded.returns, found.failed.returns])
        low, high = np.quantile(both, [0.01, 0.99])
        edges = np.linspace(low, high if high > low else low + 1, 25)
        outcomes = ((found.succeeded, COLOURS[0], "-", "succeeded"), (found.failed, COLOURS[1], "--", "failed"))
        for outcome, colour, line, name in outcomes:
            values = np.clip(outcome.returns, low, edges[-1])
            height = np.histogram(values, edges)[0] / len(values)
            axis.stairs(height, edges, color=colour, lw=1.8, ls=line, label=f"{name} ({len(values)})")
            axis.stairs(height, edges, color=colour, alpha=0.15, fill=True)
        axis.axvline(0, color=RULE, lw=1, zorder=0)
        axis.set_xlabel("modelled return of a request")
        axis.legend(fontsize=8, frameon=False)
        style.in_percent(axis)
    axes[0].set_ylabel("share of requests")
    return figure


def _words(diagnosis: Diagnosis, what: str) -> Figure | None:
    """Draw Figure 3C: utility around the moment under three kinds of words; parts in rows, models in columns."""

    def moments(group: Group) -> int:
        return max((f.moments for _, own in _models(diagnosis, group) if (f := getattr(own, what))), default=0)

    most = max(map(moments, _wholes(diagnosis)))
    groups = [group for group in _wholes(diagnosis) if moments(group) >= min(most, _FEWEST_MOMENTS) > 0]
    if not groups:
        return None  # the tables have the others
    main, first, columns = sentences.main_group(diagnosis), diagnosis.models[0], len(diagnosis.models)
    shown = main if main in groups else groups[0]
    own = first.group(*shown)
    words = sentences.words_sentence(first, own and getattr(own, what), what)
    figure, axes = style.panels(
        max(7.5, 3.4 * columns + 0.6), 2.5 * len(groups) + 1.0, len(groups), columns,
        title=f"{sentences.where(shown)}: {words}", sharex=True, sharey="col",
    )  # fmt: skip
    places = [(group, model) for group in groups for model in diagnosis.models]
    for number, (axis, (group, model)) in enumerate(zip(axes, places, strict=True)):
        own = model.group(*group)
        _draw_words(axis, own and getattr(own, what), f"{model.name}, " * (columns > 1) + PART_WORDS[group[0]])
        if number % columns == 0:
            axis.set_ylabel("change of utility")
    moment = "the answer is heard" if what == "answers" else "the success is seen"
    for axis in axes[-columns:]:
        axis.xaxis.set_major_locator(MaxNLocator(integer=True))
        axis.set_xlabel(f"steps from where {moment}")
    style.legend(figure, [style.key(name, colour, line, lw=2) for name, colour, line in _WORDS])
    return figure


def _draw_words(axis: Axes, found: WordsFindings | None, name: str) -> None:
    axis.axhline(0, color=RULE, lw=1, zorder=0)
    axis.axvline(0, color=RULE, lw=1, zorder=0)
    for (_, colour, line), curve in zip(_WORDS, found.curves if found else (), strict=False):
        axis.plot(curve.offsets, curve.mean, color=colour, ls=line, lw=2)
        axis.fill_between(curve.offsets, curve.low, curve.high, color=colour, alpha=0.13, lw=0)
    style.label(axis, f"{name} ({found.moments if found else 0})", axis.get_xlabel(), axis.get_ylabel())


# -- parts of figures -------------------------------------------------------------------------------------------


def _wholes(diagnosis: Diagnosis) -> list[Group]:
    return [sentences.whole(diagnosis, part) for part in sentences.parts_of(diagnosis)]


def _models(diagnosis: Diagnosis, group: Group) -> list[tuple[int, GroupFindings]]:
    """Return the number of every model with its findings on a group."""
    found = [(number, model.group(*group)) for number, model in enumerate(diagnosis.models)]
    return [(number, own) for number, own in found if own is not None]


def _groups_with(
    groups: Sequence[Group], diagnosis: Diagnosis, measured: Callable[[GroupFindings], object]
) -> list[Group]:
    """Return the groups in which something was measured of a model."""
    return [group for group in groups if any(measured(own) for _, own in _models(diagnosis, group))]


def _lanes(diagnosis: Diagnosis, groups: Sequence[Group]) -> Iterator[tuple[int, tuple[int, int], GroupFindings]]:
    """Yield row, lane (its number, and of how many) and findings of every group and model."""
    for row, group in enumerate(groups):
        for number, own in _models(diagnosis, group):
            yield row, (number, len(diagnosis.models)), own


def _row_of_panels(title: str, names: Sequence[str], height: float, **shared: Any) -> tuple[Figure, list[Axes]]:
    """Create panels beside each other."""
    width = max(6.0, 3.3 * len(names) + 0.6)
    figure, axes = style.panels(width, height + 1.0, columns=len(names), title=title, **shared)
    for axis, name in zip(axes, names, strict=True):
        style.label(axis, name)
    return figure, axes


def _lane_axes(title: str, groups: Sequence[Group], models: int, names: Sequence[str]) -> tuple[Figure, list[Axes]]:
    """Create axes of shares, one for each of ``names``, with a row for every group and a lane for every model."""
    height = 1.5 + len(groups) * (0.26 + 0.16 * models)
    figure, axes = style.panels(8.6, height, columns=len(names), title=title, grid="x", sharey=True)
    for axis, name in zip(axes, names, strict=True):
        axis.set_ylim(len(groups) - 0.5, -0.5)
        axis.set_yticks(range(len(groups)), [sentences.row_name(group) for group in groups])
        axis.set_xlabel(name)
        style.in_percent(axis, "x", 0.0)
        for row in range(1, len(groups)):
            axis.axhline(row - 0.5, color=RULE, lw=0.6)
    return figure, axes


def _whisker(axis: Axes, measure: Measure | None, row: int, lane: tuple[int, int]) -> None:
    if measure is not None:
        colour, _, marker = style.series(lane[0])
        style.interval(axis, _height(row, lane), measure, colour, marker, across=True)


def _tick(axis: Axes, value: float | None, at: float, line: str, reach: float = 0.36) -> None:
    """Draw a vertical tick across a row, or a lane of it."""
    if value is not None:
        axis.plot([value, value], [at - reach, at + reach], color=QUIET, lw=1.6, ls=line, zorder=1)


def _height(row: int, lane: tuple[int, int]) -> float:
    """Height of a model's lane in a group's row."""
    return row + 0.62 * ((lane[0] + 0.5) / lane[1] - 0.5)


def draw_line(
    axis: Axes, x: Sequence[float] | np.ndarray, measures: Sequence[Measure], number: int, dots: bool = True
) -> None:
    """Draw a line through the measures of series ``number``, each with its interval."""
    colour, line, marker = style.series(number)
    axis.vlines(x, [one.low for one in measures], [one.high for one in measures], color=colour, lw=2.2, alpha=0.4)
    y, marker = [one.estimate for one in measures], marker if dots else ""
    axis.plot(x, y, color=colour, ls=line, marker=marker, ms=5.5, mec="white", mew=0.7, lw=1.6, zorder=3)


def _model_keys(diagnosis: Diagnosis) -> list:
    return style.series_keys([model.name for model in diagnosis.models])
