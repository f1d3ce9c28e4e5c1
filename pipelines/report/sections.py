"""Sections that the report of an evaluated run and that of a training have in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from pipelines.report.charts import SMALL, line_chart
from pipelines.report.data import Chart, Picture, WatchedRun
from pipelines.report.page import section, uri
from rlhf.learning.guards import Alarm, Watched

ALARM_WORDS: dict[Watched, str] = {
    "over_optimisation": "over-optimisation",
    "entropy": "entropy",
    "gradient": "gradient",
}
BY_MODEL = (
    "The agent is rewarded by the model alone. Where its reward rises and true success does not, "
    "the model is being exploited."
)
BY_TRUTH = "The agent was rewarded by the tasks' ground truth: what is called modelled here is that reward."
_MOST_OF_A_KIND = 5  # alarms shown of each kind; a gradient may come and go a hundred times
_COLOURS = ("c1", "c2", "c3", "c4", "c5", "c6")
_UNKNOWN = "Whether an alarm was raised is not known: this run kept none."


def monitor(charts: Sequence[Chart | None], watched: Sequence[WatchedRun], lead: str = BY_MODEL) -> str:
    """Modelled reward against true success, with the alarms: the reward-hacking monitor. "" if nothing was measured."""
    measured = [chart for chart in charts if chart is not None]
    if not measured and not watched:
        return ""
    lone = len(watched) == 1  # the updates of several runs are not the same
    shown = [alarm for kind in ALARM_WORDS for alarm in _of_kind(watched[0], kind)[:_MOST_OF_A_KIND]] if lone else []
    marked = sorted({alarm.update for alarm in shown})
    drawn = "".join(figure(chart, marked=marked) for chart in measured)
    return section(
        "Modelled reward and true success while the agent improved",
        lead,
        f'<div class="pair">{drawn}</div>{alarms(watched)}',
    )


def alarms(watched: Sequence[WatchedRun]) -> str:
    """What was raised in every run, or plainly that nothing was."""
    known = [run for run in watched if run.since is not None]
    if not known:
        return f'<p class="notice">{_UNKNOWN}</p>'
    raised = sum(len(run.alarms) for run in known)
    said = alarm_count(raised) + "."
    notes = [f"{_of(run)}{_UNKNOWN}" for run in watched if run.since is None]
    notes += [f"{_of(run)}Alarms were kept from update {run.since:,} on." for run in known if run.since]
    rows = "".join(_alarm_rows(run) for run in known)
    listed = f'<ul class="alarms">{rows}</ul>' if rows else ""
    kind = "alarmed" if raised else "calm"
    about = (
        "Watched were the gradient's norm and the movement policy's entropy at every update, and modelled return "
        "against true success at every play of held-out episodes. Alarms change nothing by themselves."
    )
    quiet = "".join(f'<p class="quiet">{escape(note)}</p>' for note in (*notes, about))
    return f'<div class="card watch {kind}"><h3>{escape(said)}</h3>{listed}{quiet}</div>'


def alarm_count(count: int) -> str:
    """ "No alarm was raised", "3 alarms were raised"."""
    if not count:
        return "No alarm was raised"
    return "1 alarm was raised" if count == 1 else f"{count:,} alarms were raised"


def _of(run: WatchedRun) -> str:
    return f"{run.run}: " if run.run else ""


def _alarm_rows(run: WatchedRun) -> str:
    """The first alarms of every kind, the gravest kind first; of further ones, how many there are."""
    rows = []
    for kind, words in ALARM_WORDS.items():
        found = _of_kind(run, kind)
        rows += [_alarm_row(run, alarm) for alarm in found[:_MOST_OF_A_KIND]]
        if more := found[_MOST_OF_A_KIND:]:
            rest = f"{words}: and {len(more):,} more, the last at update {more[-1].update:,}"
            rows.append(f'<li><span></span><span class="quiet">{escape(rest)}</span></li>')
    return "".join(rows)


def _of_kind(run: WatchedRun, kind: Watched) -> list[Alarm]:
    return [alarm for alarm in run.alarms if alarm.kind == kind]


def _alarm_row(run: WatchedRun, alarm: Alarm) -> str:
    words = escape(ALARM_WORDS[alarm.kind])
    return (
        f'<li><span class="pill worse">{words}</span><span><strong>{escape(_of(run))}update {alarm.update:,}</strong> '
        f"&middot; {escape(_sentence(alarm.text))}</span></li>"
    )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."


def traces(pictures: Sequence[Picture], note: str = "") -> str:
    """Utility and reward along episodes; ``note`` says why there are none."""
    if not pictures and not note:
        return ""
    return section(
        "What the reward model learnt from marks",
        note if not pictures else "Utility and reward along recorded episodes, with the marks that raters gave them.",
        f'<div class="pair">{"".join(map(_trace, pictures))}</div>' if pictures else "",
    )


def _trace(trace: Picture) -> str:
    said = escape(trace.caption)
    picture = f'<img loading="lazy" alt="{said}" src="{uri(trace.png, "image/png")}">'
    return f'<figure class="card trace">{picture}<figcaption>{said}</figcaption></figure>'


def training(charts: Sequence[Chart], lead: str = "") -> str:
    """Small charts, three in a row."""
    if not charts:
        return ""
    figures = "".join(figure(chart, small=True) for chart in charts)
    return section("Training", lead, f'<div class="pair small">{figures}</div>')


def figure(chart: Chart, small: bool = False, marked: Sequence[float] = ()) -> str:
    """A chart with its title, legend and note; a single curve that is called like its chart needs no legend.

    Args:
      marked: places on the x axis at which an alarm was raised.
    """
    colours = _curve_colours(chart)
    named = zip(chart.curves, colours, strict=True)
    entries = [(curve.name, colour, curve.dashed) for curve, colour in named if curve.name != chart.title]
    if marked and entries:
        entries.append(("alarm", "worse", True))
    note = f"<figcaption>{escape(chart.note)}</figcaption>" if chart.note else ""
    drawn = line_chart(chart, colours, SMALL, marked) if small else line_chart(chart, colours, marked=marked)
    return f'<figure class="card"><h3>{escape(chart.title)}</h3>{legend(entries)}{drawn}{note}</figure>'


def _curve_colours(chart: Chart) -> list[str]:
    """Colours in turn; a dashed curve keeps the colour of the solid one before it, as its held-out twin."""
    colours, used = [], 0
    for curve in chart.curves:
        used += 0 if curve.dashed and colours else 1
        colours.append(_COLOURS[(used - 1) % len(_COLOURS)])
    return colours


def legend(entries: Iterable[tuple[str, str, bool]]) -> str:
    """Entries of name, CSS class and whether it is dashed."""
    items = "".join(
        f'<li><span class="key {colour}{" dashed" if dashed else ""}"></span>{escape(name)}</li>'
        for name, colour, dashed in entries
    )
    return f'<ul class="legend">{items}</ul>' if items else ""
