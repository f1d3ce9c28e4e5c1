"""Charts of rounds of improvement (the paper's Figure 9): success, marks, modelled reward and true success."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from pipelines.report.charts import BOTTOM, Frame, draw_rules
from pipelines.report.data import RoundResult, RoundsCompared
from pipelines.report.findings import OVERALL
from pipelines.report.svg import NOTHING, Drawing
from rlhf.run.statistics import Interval, percent

_COLOURS = ("c1", "c2", "c3", "c4", "c5", "c6")


def probes_in_order(success: Mapping[str, Interval]) -> list[str]:
    """Probes in the order to show: over all of them first, where there are several."""
    return sorted(success, key=lambda probe: probe != OVERALL)


def success_by_round(data: RoundsCompared) -> Markup:
    """Draw intervals by round, one line for each probe, and the demonstrator's level dashed."""
    probes = probes_in_order(data.clone_success)
    names = [data.clone, *(one.agent for one in data.rounds)]
    frame = _frame(len(names), (0.0, 1.0))
    drawing = _drawing(frame, "Success by round, with intervals", names, share=True)
    if data.reference_success is not None:
        level = data.reference_success[probes[0]].estimate
        with drawing.group("reference", f"demonstrator: {percent(level)}"):
            drawing.line("line dashed", frame.at(frame.x[0], level), frame.at(frame.x[1], level))
    for lane, probe in enumerate(probes):
        intervals = [data.clone_success[probe], *(one.success[probe] for one in data.rounds)]
        shift = 0.09 * (lane - (len(probes) - 1) / 2)
        with drawing.group(_COLOURS[lane % len(_COLOURS)]):
            _draw_intervals(drawing, frame, intervals, probe, names, shift)
        if len(probes) == 1:
            for index, interval in enumerate(intervals):
                _label(drawing, frame, index, interval.estimate, percent(interval.estimate))
    return drawing.markup()


def before_and_after(pairs: Sequence[tuple[str, tuple[float, float] | None]], share: bool) -> Markup:
    """Draw for every round a grey dot before, a coloured one after, and a line between them.

    Args:
      pairs: name of each round, and its two numbers if they are known.
      share: true if the numbers are shares of 1.
    """
    values = [value for _, pair in pairs if pair is not None for value in pair]
    if not values:
        return NOTHING
    low, high = (0.0, 1.0) if share else (min(0.0, *values), max(0.0, *values) or 1.0)
    margin = 0.0 if share else 0.06 * (high - low)
    frame = _frame(len(pairs), (low - margin, high + margin))
    drawing = _drawing(frame, "Before and after, by round", [name for name, _ in pairs], share)
    for index, (name, pair) in enumerate(pairs):
        if pair is None:
            continue
        before, after = (frame.at(index, value) for value in pair)
        shown = [percent(value) if share else f"{value:.2f}" for value in pair]
        with drawing.group("", f"{name}: {shown[0]} before, {shown[1]} after"):
            with drawing.group("after"):
                drawing.line("whisker", before, after)
                drawing.dot(after)
                _label(drawing, frame, index, pair[1], shown[1])
            with drawing.group("before"):
                drawing.dot(before)
    return drawing.markup()


def marks_by_round(rounds: Sequence[RoundResult]) -> Markup:
    """Draw bars of the (+) above and of the (-) below a line."""
    high, low = max(one.progress for one in rounds), max(one.regress for one in rounds)
    frame = _frame(len(rounds), (-1.12 * low - 0.5, 1.12 * high + 0.5))
    drawing = _drawing(frame, "Marks by round", [one.agent for one in rounds], share=False, whole=True)
    for index, one in enumerate(rounds):
        for value, colour in ((one.progress, "better"), (-one.regress, "worse")):
            (x, top), (_, foot) = frame.at(index, max(value, 0)), frame.at(index, min(value, 0))
            with drawing.group(colour, f"{one.agent}: {abs(value)} marks"):
                drawing.bar(x, 32, top, foot)
                drawing.text("tick", (x + 21, (top + foot) / 2 + 4), f"{abs(value):,}")
    return drawing.markup()


def _frame(columns: int, y: tuple[float, float]) -> Frame:
    return Frame((-0.5, columns - 0.5), y)


def _drawing(frame: Frame, label: str, names: Sequence[str], share: bool, whole: bool = False) -> Drawing:
    """Begin a drawing with its horizontal lines, and the rounds' names below."""
    drawing = Drawing((frame.width, frame.height), label)
    draw_rules(drawing, frame, share, whole)
    for index, name in enumerate(names):
        drawing.text("tick", (frame.at(index, frame.y[0])[0], frame.height - BOTTOM + 18), name, "middle")
    return drawing


def _draw_intervals(
    drawing: Drawing, frame: Frame, intervals: Sequence[Interval], probe: str, names: Sequence[str], shift: float
) -> None:
    places = [frame.at(index + shift, interval.estimate) for index, interval in enumerate(intervals)]
    drawing.path("line faint", [places])
    for (x, y), interval, name in zip(places, intervals, names, strict=True):
        low, high = frame.at(0, interval.low)[1], frame.at(0, interval.high)[1]
        bounds = f"({percent(interval.low)} to {percent(interval.high)})"
        with drawing.group("", f"{name} at {probe}: {percent(interval.estimate)} {bounds}"):
            drawing.line("whisker", (x, low), (x, high))
            drawing.dot((x, y))


def _label(drawing: Drawing, frame: Frame, index: int, value: float, words: str) -> None:
    """Write words at the right of a dot."""
    x, y = frame.at(index, value)
    drawing.text("tick", (x + 9, y + 4), words)
