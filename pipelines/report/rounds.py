"""Rounds of improvement side by side (the paper's Figure 9), as HTML for the report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape

from pipelines.report.charts import Frame, short, ticks
from pipelines.report.data import RoundResult, RoundsCompared
from pipelines.report.findings import OVERALL, VERDICT_WORDS, judge
from rlhf.run.statistics import Interval, percent, points, signed

_COLOURS = ("c1", "c2", "c3", "c4", "c5", "c6")
_SIDE, _FOOT = 46, 40  # the frame's margins, where names are written


def compared(data: RoundsCompared) -> str:
    """Success by round, what each reward model promised and what came of it, marks, and all of it as a table."""
    rounds = data.rounds
    promised = [(one.agent, one.modelled_return) for one in rounds]
    came = [(one.agent, one.true_success) for one in rounds]
    figures = (
        _figure("Success by round", success_by_round(data), _whose(data)),
        _figure("Marks by round", marks_by_round(rounds), "Progress above the line, regress below it."),
        _figure(
            "Modelled reward, before and after",
            before_and_after(promised, share=False),
            "Per replayed episode, from BC to the round's agent, as the round's own reward model sees it.",
        ),
        _figure(
            "True success, before and after",
            before_and_after(came, share=True),
            "Of the same replays. Where the left one rises and this does not, the reward model is being exploited.",
        ),
    )
    return f'<div class="pair">{"".join(figures)}</div>{_table(data)}'


def success_by_round(data: RoundsCompared) -> str:
    """Intervals by round, one line a probe; dashed, the demonstrator: ``<svg>``."""
    probes = _probes(data.clone_success)
    names = [data.clone, *(one.agent for one in data.rounds)]
    frame = _frame(len(names), (0.0, 1.0))
    parts = [_grid(frame, names, share=True)]
    if data.reference_success is not None:
        level = data.reference_success[probes[0]].estimate
        parts.append(f'<g class="reference"><title>demonstrator: {percent(level)}</title>{_across(frame, level)}</g>')
    for lane, probe in enumerate(probes):
        intervals = [data.clone_success[probe], *(one.success[probe] for one in data.rounds)]
        shift = 0.09 * (lane - (len(probes) - 1) / 2)
        parts.append(_intervals(frame, intervals, _COLOURS[lane % len(_COLOURS)], probe, names, shift))
        if len(probes) == 1:
            places = [frame.at(index, interval.estimate) for index, interval in enumerate(intervals)]
            parts += [_label(x + 9, y, percent(i.estimate)) for (x, y), i in zip(places, intervals, strict=True)]
    return _svg(frame, parts, "Success by round, with intervals")


def before_and_after(pairs: Sequence[tuple[str, tuple[float, float] | None]], share: bool) -> str:
    """For every round a grey dot before, a coloured one after, and a line between them: ``<svg>``."""
    values = [value for _, pair in pairs if pair is not None for value in pair]
    if not values:
        return '<p class="quiet">Nothing was measured.</p>'
    low, high = (0.0, 1.0) if share else (min(0.0, *values), max(0.0, *values) or 1.0)
    margin = 0.0 if share else 0.06 * (high - low)
    frame = _frame(len(pairs), (low - margin, high + margin))
    parts = [_grid(frame, [name for name, _ in pairs], share)]
    for index, (name, pair) in enumerate(pairs):
        if pair is not None:
            (x, before), (_, after) = (frame.at(index, value) for value in pair)
            told = [percent(value) if share else f"{value:.2f}" for value in pair]
            parts.append(
                f"<g><title>{escape(name)}: {told[0]} before, {told[1]} after</title>"
                f'<g class="after"><line class="whisker" x1="{x:.1f}" x2="{x:.1f}" y1="{before:.1f}" y2="{after:.1f}"/>'
                f'{_dot(x, after)}{_label(x + 9, after, told[1])}</g><g class="before">{_dot(x, before)}</g></g>'
            )
    return _svg(frame, parts, "Before and after, by round")


def marks_by_round(rounds: Sequence[RoundResult]) -> str:
    """Bars of the (+) above and the (-) below a line: ``<svg>``."""
    high, low = max(one.progress for one in rounds), max(one.regress for one in rounds)
    frame = _frame(len(rounds), (-1.12 * low - 0.5, 1.12 * high + 0.5))
    parts = [_grid(frame, [one.agent for one in rounds], share=False, whole=True)]
    for index, one in enumerate(rounds):
        for value, colour in ((one.progress, "better"), (-one.regress, "worse")):
            (x, top), (_, foot) = frame.at(index, max(value, 0)), frame.at(index, min(value, 0))
            parts.append(
                f'<g class="{colour}"><title>{escape(one.agent)}: {abs(value)} marks</title>'
                f'<rect x="{x - 16:.1f}" y="{top:.1f}" width="32" height="{foot - top:.1f}" fill="currentColor"/>'
                f"{_label(x + 21, (top + foot) / 2, f'{abs(value):,}')}</g>"
            )
    return _svg(frame, parts, "Marks by round")


def _table(data: RoundsCompared) -> str:
    measured = ("Reward model", "Modelled reward", "True success", "Success")
    head = ("Round", "Play marked", "Marks", *measured, "Against before")
    cells = "".join(f"<th>{name}</th>" for name in (*head, f"Against {escape(data.clone)}"))
    rows = "".join(_row(one) for one in data.rounds)
    return f'<div class="card scroll"><table><thead><tr>{cells}</tr></thead><tbody>{rows}</tbody></table></div>'


def _row(one: RoundResult) -> str:
    success = one.success[_probes(one.success)[0]]
    whose = f"{one.by_people:,} by people" if one.by_people else "scripted"
    cells = (
        _cell(f"{one.episodes:,}", f"by {one.deployed}"),
        _cell(f"+{one.progress:,} \N{MINUS SIGN}{one.regress:,}", whose),
        _cell("–" if one.accuracy is None else percent(one.accuracy), "pairs right"),
        _cell(*_change(one.modelled_return, lambda value: f"{value:.2f}")),
        _cell(*_change(one.true_success, percent)),
        _cell(percent(success.estimate), f"{percent(success.low)} to {percent(success.high)}"),
        _gain(one.on_deployed),
        _gain(one.on_clone),
    )  # fmt: skip
    return f'<tr><th scope="row">{escape(one.agent)}</th>{"".join(cells)}</tr>'


def _gain(difference: Interval) -> str:
    verdict = judge(difference)
    pill = f'<span class="pill {verdict}" title="{VERDICT_WORDS[verdict]}: {points(difference)}">'
    return f"<td>{pill}{signed(difference.estimate)}</span><small>{_range(difference)}</small></td>"


def _change(pair: tuple[float, float] | None, told: Callable[[float], str]) -> tuple[str, str]:
    return ("–", "") if pair is None else (told(pair[1]), f"from {told(pair[0])}")


def _range(difference: Interval) -> str:
    return f"{signed(difference.low)} to {signed(difference.high)}"


def _cell(number: str, note: str) -> str:
    return f'<td>{number}<small class="quiet">{escape(note)}</small></td>'


def _probes(success: Mapping[str, Interval]) -> list[str]:
    """The probes in the order to show: over all of them first, where there are several."""
    return sorted(success, key=lambda probe: probe != OVERALL)


def _whose(data: RoundsCompared) -> str:
    probes = _probes(data.clone_success)
    numbered = ", ".join(f"{number}. {probe}" for number, probe in enumerate(probes, start=1))
    said = f"{numbered}, from left to right." if len(probes) > 1 else f"{probes[0].capitalize()}."
    return said + (" Dashed: the demonstrator." if data.reference_success is not None else "")


def _figure(title: str, drawn: str, note: str) -> str:
    return f'<figure class="card"><h3>{escape(title)}</h3>{drawn}<figcaption>{escape(note)}</figcaption></figure>'


def _frame(columns: int, y: tuple[float, float]) -> Frame:
    return Frame((-0.5, columns - 0.5), y)


def _grid(frame: Frame, names: Sequence[str], share: bool, whole: bool = False) -> str:
    parts = []
    for value in ticks(*frame.y):
        if whole and value != int(value):
            continue
        y = frame.at(0, value)[1]
        label = percent(value) if share else short(abs(value) if whole else value)
        parts.append(_rule(frame, y, "zero" if value == 0 else "grid"))
        parts.append(f'<text class="tick" x="{_SIDE - 8}" y="{y + 4:.1f}" text-anchor="end">{label}</text>')
    for index, name in enumerate(names):
        x = frame.at(index, frame.y[0])[0]
        foot = frame.height - _FOOT + 18
        parts.append(f'<text class="tick" x="{x:.1f}" y="{foot}" text-anchor="middle">{escape(name)}</text>')
    return "".join(parts)


def _rule(frame: Frame, y: float, kind: str) -> str:
    left, right = frame.at(frame.x[0], frame.y[0])[0], frame.at(frame.x[1], frame.y[0])[0]
    return f'<line class="{kind}" x1="{left:.1f}" x2="{right:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>'


def _across(frame: Frame, value: float) -> str:
    return _rule(frame, frame.at(0, value)[1], "line dashed")


def _intervals(
    frame: Frame, intervals: Sequence[Interval], colour: str, probe: str, names: Sequence[str], shift: float
) -> str:
    places = [frame.at(index + shift, interval.estimate) for index, interval in enumerate(intervals)]
    path = "".join(f"{'L' if number else 'M'}{x:.1f} {y:.1f}" for number, (x, y) in enumerate(places))
    parts = [f'<path class="line faint" d="{path}"/>']
    for (x, y), interval, name in zip(places, intervals, names, strict=True):
        low, high = frame.at(0, interval.low)[1], frame.at(0, interval.high)[1]
        said = f"{name} at {probe}: {percent(interval.estimate)} ({percent(interval.low)} to {percent(interval.high)})"
        parts.append(
            f"<g><title>{escape(said)}</title>"
            f'<line class="whisker" x1="{x:.1f}" x2="{x:.1f}" y1="{low:.1f}" y2="{high:.1f}"/>{_dot(x, y)}</g>'
        )
    return f'<g class="{colour}">{"".join(parts)}</g>'


def _dot(x: float, y: float) -> str:
    return f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="4.6"/>'


def _label(x: float, y: float, text: str) -> str:
    return f'<text class="tick" x="{x:.1f}" y="{y + 4:.1f}">{escape(text)}</text>'


def _svg(frame: Frame, parts: Sequence[str], label: str) -> str:
    view = f'viewBox="0 0 {frame.width} {frame.height}" role="img" aria-label="{label}"'
    return f'<svg class="chart" {view}>{"".join(parts)}</svg>'
