"""Sections shared by the report of an evaluated run and the report of a training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.charts.palette import SERIES
from pipelines.report.charts import line_chart
from pipelines.report.data import Chart, Picture, WatchedRun
from pipelines.report.page import DrawnFigure, Legend, Section, part
from rlhf.learning.guards import Alarm, Watched

ALARM_WORDS: dict[Watched, str] = {
    "over_optimisation": "over-optimisation",
    "disagreement": "disagreement of reward models",
    "entropy": "entropy",
    "gradient": "gradient",
}
BY_MODEL = (
    "The agent is rewarded by the model only. Where its reward rises and true success does not, the model is exploited."
)
BY_TRUTH = "The agent was rewarded by the tasks' ground truth, which is named modelled reward here."
_MOST_OF_A_KIND = 5  # alarms shown of each kind; a gradient may come and go a hundred times
_UNKNOWN = "Alarms are unknown: this run saved none."
_WATCHED = (
    "The guards watch the gradient's norm and the movement policy's entropy at every update, and modelled return "
    "against true success and the return by a second reward model at every play of held-out episodes. Alarms do not "
    "change the training, but disagreement with the second model ends one with patience."
)


@dataclass(frozen=True)
class AlarmLine:
    """Alarm in the list, or, with ``text`` only, the number of those left out."""

    text: str
    kind: str = ""
    when: str = ""


def monitor(charts: Sequence[Chart | None], watched: Sequence[WatchedRun], lead: str = BY_MODEL) -> Section | None:
    """Return the reward-hacking monitor: modelled reward beside true success, with the alarms.

    Returns:
      The section; None if nothing was measured.
    """
    measured = [chart for chart in charts if chart is not None]
    if not measured and not watched:
        return None
    single = len(watched) == 1  # the updates of several runs are not the same
    shown = [alarm for kind in ALARM_WORDS for alarm in _of_kind(watched[0], kind)[:_MOST_OF_A_KIND]] if single else []
    marked = sorted({alarm.update for alarm in shown})
    figures = part("figures", [figure(chart, marked=marked) for chart in measured])
    title = "Modelled reward and true success while the agent improved"
    known = [run for run in watched if run.since is not None]
    if not known:
        return Section(title, lead, (figures, part("notice", _UNKNOWN)))
    notes = [f"{_name(run)}{_UNKNOWN}" for run in watched if run.since is None]
    notes += [f"{_name(run)}Alarms were saved from update {run.since:,} on." for run in known if run.since]
    count = alarm_count(sum(len(run.alarms) for run in known))
    alarms = part("alarms", f"{count}.", [line for run in known for line in _alarm_lines(run)], [*notes, _WATCHED])
    return Section(title, lead, (figures, alarms))


def alarm_count(count: int) -> str:
    """Return "No alarm was raised" or, e.g., "3 alarms were raised"."""
    if not count:
        return "No alarm was raised"
    return "1 alarm was raised" if count == 1 else f"{count:,} alarms were raised"


def _name(run: WatchedRun) -> str:
    return f"{run.run}: " if run.run else ""


def _alarm_lines(run: WatchedRun) -> list[AlarmLine]:
    """First alarms of every kind, the gravest kind first, and the number of further ones."""
    lines = []
    for kind, words in ALARM_WORDS.items():
        found = _of_kind(run, kind)
        for alarm in found[:_MOST_OF_A_KIND]:
            text = alarm.text[:1].upper() + alarm.text[1:] + "."
            lines.append(AlarmLine(text, words, f"{_name(run)}update {alarm.update:,}"))
        if more := found[_MOST_OF_A_KIND:]:
            lines.append(AlarmLine(f"{words}: and {len(more):,} more, the last at update {more[-1].update:,}"))
    return lines


def _of_kind(run: WatchedRun, kind: Watched) -> list[Alarm]:
    return [alarm for alarm in run.alarms if alarm.kind == kind]


def traces(pictures: Sequence[Picture], note: str = "") -> Section | None:
    """Return utility and reward along episodes, or ``note`` with the reason why there are none."""
    if not pictures and not note:
        return None
    lead = "Utility and reward along recorded episodes, with the marks that raters gave them."
    shown = (part("pictures", pictures),) if pictures else ()
    return Section("What the reward model learned from marks", lead if pictures else note, shown)


def training(charts: Sequence[Chart], lead: str = "") -> Section | None:
    """Return small charts, three in a row; None without any."""
    if not charts:
        return None
    return Section("Training", lead, (part("figures", [figure(chart, small=True) for chart in charts], small=True),))


def figure(chart: Chart, small: bool = False, marked: Sequence[float] = ()) -> DrawnFigure:
    """Draw a chart with its title, legend and note; a single curve with the name of its chart has no legend entry."""
    colours = _curve_colours(chart)
    named = zip(chart.curves, colours, strict=True)
    entries = [(curve.name, colour, curve.dashed) for curve, colour in named if curve.name != chart.title]
    if marked and entries:
        entries.append(("alarm", "worse", True))
    return DrawnFigure(chart.title, line_chart(chart, colours, small, marked), tuple(entries), chart.note)


def _curve_colours(chart: Chart) -> list[str]:
    """Colours in turn; a dashed curve has the colour of the solid one before it, its training twin."""
    colours, used = [], 0
    for curve in chart.curves:
        used += 0 if curve.dashed and colours else 1
        colours.append(SERIES[(used - 1) % len(SERIES)])
    return colours


def solid(colours: dict[str, str]) -> Legend:
    """Legend of names and their CSS classes."""
    return tuple((name, css, False) for name, css in colours.items())
