"""Report of an evaluated run as one HTML page with inline styles and pictures."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from pipelines.report.charts import difference_plot, interval_plot
from pipelines.report.clips import SPEED, animate
from pipelines.report.data import ReportData
from pipelines.report.findings import OVERALL, VERDICT_WORDS, Findings
from pipelines.report.findings import Row as FindingsRow
from pipelines.report.page import (
    Cell,
    DrawnFigure,
    Hero,
    Row,
    Section,
    Table,
    bounds,
    part,
    signed_bounds,
    uri,
)
from pipelines.report.page import page as whole_page
from pipelines.report.rounds import compared
from pipelines.report.sections import monitor, solid, traces, training
from rlhf.run.statistics import LEVEL, RESAMPLES, percent, points, signed

_BETWEEN = ("c6", "c3", "c4", "c2", "c5")  # of agents between the first and the last
_SCRIPTED = "Setters, demonstrators and raters are scripted stand-ins, imperfect on purpose."
_MARKED = "Setters and demonstrators are scripted stand-ins, imperfect on purpose."


def page(data: ReportData, findings: Findings) -> Markup:
    """Render the whole page."""
    colours = _colours(data)
    return whole_page(
        data.title,
        f"{data.title} \N{MIDDLE DOT} {data.circumstances.created}",
        findings.headline,
        _header(data, findings, colours),
        [
            _round_by_round(data),
            _success(data, findings, colours),
            _clips(data),
            monitor((data.reward_over_training, data.success_over_training, data.second_over_training), data.watched),
            traces(data.traces),
            training(data.training),
        ],
        ran=data.circumstances,
        method=_method(data, findings),
    )


def _header(data: ReportData, findings: Findings, colours: dict[str, str]) -> list[Markup]:
    overall, difference = findings.overall, findings.overall.difference
    heroes = [
        Hero(name, percent(one.estimate), (bounds(one),), colour=colour, share=one.estimate)
        for name, colour in colours.items()
        if (one := overall.agents.get(name)) is not None and name not in data.between
    ]
    notes = (signed_bounds(difference), VERDICT_WORDS[overall.verdict])
    heroes.insert(2, Hero("Difference", signed(difference.estimate), notes, "points", css=overall.verdict))
    verdicts, warnings = findings.remarks[: len(findings.rows) > 1], findings.remarks[len(findings.rows) > 1 :]
    found = [part("lead", _lead(data, findings)), *(part("line", one) for one in verdicts), part("heroes", heroes)]
    if data.scripted:
        strong, text = _stand_ins(data)
        found.append(part("notice", text, strong))
    return [*found, *(part("notice", warning, warning=True) for warning in warnings)]


def _round_by_round(data: ReportData) -> Section | None:
    if data.rounds is None:
        return None
    lead = (
        "In every round the agent of the round before plays, its play is marked, the reward model learns from all "
        f"marks so far, and a new agent is trained from {data.rounds.clone} against it."
    )
    return Section("Round by round", lead, compared(data.rounds))


def _clips(data: ReportData) -> Section | None:
    if not data.clips:
        return None
    lead = f"What each agent saw, in the same place, at {SPEED:g} times real speed. {data.clips_note}"
    shown = part("clips", [(pair, uri(*animate(pair))) for pair in data.clips])
    return Section("Both agents, the same request", lead, (shown,))


_WHERE = {
    "held_out": "in houses and on instructions that no agent was trained on",
    "train": "in houses that no agent was trained in, on instructions of training",
}


def _lead(data: ReportData, findings: Findings) -> str:
    row, runs = findings.overall, len({outcome.run for outcome in data.outcomes})
    where = f"all {len(findings.rows)} probe tasks together" if len(findings.rows) > 1 else row.probe
    return (
        f"The difference on {where} is {points(row.difference)}, with a {percent(LEVEL)} interval, over "
        f"{row.agents[data.after].count:,} episodes of each agent{f' from {runs} runs' if runs > 1 else ''}, "
        f"{_WHERE[data.split]}."
    )


def _stand_ins(data: ReportData) -> tuple[str, str]:
    """Notice on scripted stand-ins: a sentence in bold, and the rest."""
    rounds = data.rounds.rounds if data.rounds is not None else ()
    if not any(one.by_people for one in rounds):
        return "No people were involved.", _SCRIPTED
    marks = f"{sum(one.by_people for one in rounds):,} of {sum(one.marks for one in rounds):,} marks"
    return f"People gave {marks} on agents' play.", _MARKED


def _success(data: ReportData, findings: Findings, colours: dict[str, str]) -> Section:
    rows = [*findings.rows, *([findings.overall] if len(findings.rows) > 1 else [])]
    found = {row.verdict for row in rows}
    verdicts = {words: verdict for verdict, words in VERDICT_WORDS.items() if verdict in found}
    title = f"{data.after} less {data.before}, in points"
    figures = (
        DrawnFigure("Success", interval_plot(rows, colours), solid(colours)),
        DrawnFigure(title, difference_plot(rows, len(colours)), solid(dict(verdicts))),
    )
    lead = f"Decided by each task's hard-coded check, never by the reward model. Lines are {percent(LEVEL)} intervals."
    parts = (part("figures", figures), part("table", _table(rows, colours)))
    return Section("Success at the probe tasks", lead, parts)


def _table(rows: Sequence[FindingsRow], colours: dict[str, str]) -> Table:
    names = [name for name in colours if any(name in row.agents for row in rows)]
    return Table(
        ("Probe", *names, "Difference, points", ""),
        tuple(Row(row.probe, _cells(row, names), css="overall" if row.probe == OVERALL else "") for row in rows),
    )


def _cells(row: FindingsRow, names: Sequence[str]) -> tuple[Cell, ...]:
    return (
        *(Cell.share(row.agents.get(name)) for name in names),
        Cell(signed(row.difference.estimate), (signed_bounds(row.difference),)),
        Cell(VERDICT_WORDS[row.verdict], pill=row.verdict),
    )


def _method(data: ReportData, findings: Findings) -> str:
    level, resamples = percent(LEVEL), f"{RESAMPLES:,} percentile bootstrap resamples, seed {data.resampling_seed}"
    runs = len({outcome.run for outcome in data.outcomes})
    paired = "Both agents play the same episodes, so outcomes are subtracted episode by episode"
    if runs > 1:
        how = [
            f"{paired}. Intervals are Student's t over the means of {runs} runs, so they hold for further runs,",
            f"or, where that is wider, a bootstrap of these runs' episodes ({resamples}).",
        ]
    else:
        how = [
            f"For one agent at one probe: Wilson's score interval. For the difference: {paired[0].lower()}{paired[1:]}",
            f"and resampled ({resamples}).",
            "There is one run, so the variation between runs is not in the interval.",
        ]
    sentences = [
        f"Intervals cover {level}.",
        *how,
        "All probes have the same weight in the row over all." if len(findings.rows) > 1 else "",
        "A difference is called better or worse only where its interval leaves out zero;",
        "intervals are not corrected for the number of probes.",
    ]
    return " ".join(filter(None, sentences))


def _colours(data: ReportData) -> dict[str, str]:
    between = {name: _BETWEEN[number % len(_BETWEEN)] for number, name in enumerate(data.between)}
    colours = {data.before: "before", **between, data.after: "after"}
    return colours | ({data.reference: "reference"} if data.reference is not None else {})
