"""A report as one HTML page that asks nobody for anything: styles inline, pictures inside, readable on any screen."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from pipelines.report.charts import difference_plot, interval_plot
from pipelines.report.clips import SPEED, animate
from pipelines.report.data import Clip, ClipPair, ReportData
from pipelines.report.findings import OVERALL, VERDICT_WORDS, Findings, Row
from pipelines.report.page import circumstances, document, section, unbroken, uri
from pipelines.report.rounds import compared
from pipelines.report.sections import legend, monitor, traces, training
from rlhf.run.statistics import LEVEL, RESAMPLES, Interval, percent, points, signed

_BETWEEN = ("c6", "c3", "c4", "c2", "c5")  # of agents between the first and the last
_SCRIPTED = "Whoever asked, showed and judged here is a scripted stand-in, deliberately imperfect."
_MARKED = "Whoever asked and showed here is a scripted stand-in, deliberately imperfect."


def page(data: ReportData, findings: Findings) -> str:
    """The whole page."""
    parts = [
        _opening(data, findings),
        _rounds(data),
        _success(data, findings),
        _clips(data.clips, data.clips_note),
        monitor((data.reward_over_training, data.success_over_training), data.watched),
        traces(data.traces),
        training(data.training),
        circumstances(data.circumstances),
        _method(data, findings),
    ]
    return document(data.title, parts)


def _opening(data: ReportData, findings: Findings) -> str:
    row = findings.overall
    runs = len({outcome.run for outcome in data.outcomes})
    where = f"all {len(findings.rows)} probe tasks together" if len(findings.rows) > 1 else row.probe
    lead = (
        f"The difference on {where} is {points(row.difference)}, with a {percent(LEVEL)} interval, over "
        f"{row.agents[data.after].count:,} episodes of each agent{f' from {runs} runs' if runs > 1 else ''}, "
        "in houses and on instructions that no agent was trained on."
    )
    verdicts, warnings = findings.remarks[:1], findings.remarks[1:]
    if len(findings.rows) == 1:
        verdicts, warnings = (), findings.remarks
    notices = [f'<p class="notice warning">{escape(warning)}</p>' for warning in warnings]
    if data.scripted:
        notices.insert(0, f'<p class="notice">{_stand_ins(data)}</p>')
    return (
        f'<header><p class="kicker">{escape(data.title)} &middot; {escape(data.circumstances.created)}</p>'
        f'<h1>{unbroken(findings.headline)}</h1><p class="lead">{escape(lead)}</p>'
        f"{''.join(f'<p>{escape(verdict)}</p>' for verdict in verdicts)}"
        f'<div class="heroes">{_heroes(data, row)}</div>{"".join(notices)}</header>'
    )


def _stand_ins(data: ReportData) -> str:
    """Who was no person."""
    rounds = data.rounds.rounds if data.rounds is not None else ()
    if not any(one.by_people for one in rounds):
        return f"<strong>No people were involved.</strong> {_SCRIPTED}"
    marks = f"{sum(one.by_people for one in rounds):,} of {sum(one.marks for one in rounds):,} marks"
    return f"<strong>People gave {marks} on agents' play.</strong> {_MARKED}"


def _heroes(data: ReportData, row: Row) -> str:
    """Cards with the big numbers: before, after, their difference, the demonstrator."""
    cards = [
        _hero(name, row.agents[name], colour)
        for name, colour in _colours(data).items()
        if name in row.agents and name not in data.between
    ]
    difference = (
        f'<div class="card hero {row.verdict}"><div class="who">Difference</div>'
        f'<div class="number">{signed(row.difference.estimate)} <small>points</small></div>'
        f'<div class="interval">{_signed_range(row.difference)}<br>{VERDICT_WORDS[row.verdict]}</div></div>'
    )
    return "".join([*cards[:2], difference, *cards[2:]])


def _hero(name: str, interval: Interval, colour: str) -> str:
    return (
        f'<div class="card hero"><div class="who"><span class="swatch {colour}"></span>{escape(name)}</div>'
        f'<div class="number">{percent(interval.estimate)}</div>'
        f'<div class="bar {colour}"><i style="width:{100 * interval.estimate:.1f}%"></i></div>'
        f'<div class="interval">{_range(interval)}</div></div>'
    )


def _success(data: ReportData, findings: Findings) -> str:
    colours = _colours(data)
    rows = [*findings.rows, *([findings.overall] if len(findings.rows) > 1 else [])]
    agents = legend((name, colour, False) for name, colour in colours.items())
    said = {row.verdict for row in rows}
    verdicts = legend((words, verdict, False) for verdict, words in VERDICT_WORDS.items() if verdict in said)
    figures = (
        f'<figure class="card"><h3>Success</h3>{agents}{interval_plot(rows, colours)}</figure>'
        f'<figure class="card"><h3>{escape(data.after)} less {escape(data.before)}, in points</h3>{verdicts}'
        f"{difference_plot(rows, len(colours))}</figure>"
    )
    return section(
        "Success at the probe tasks",
        f"Decided by each task's hard-coded check, never by the reward model. Lines are {percent(LEVEL)} intervals.",
        f'<div class="pair">{figures}</div>{_table(rows, colours)}',
    )


def _table(rows: Sequence[Row], colours: dict[str, str]) -> str:
    names = [name for name in colours if any(name in row.agents for row in rows)]
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    return (
        f'<div class="card scroll"><table><thead><tr><th>Probe</th>{head}<th>Difference, points</th><th></th></tr>'
        f"</thead><tbody>{''.join(_table_row(row, names) for row in rows)}</tbody></table></div>"
    )


def _table_row(row: Row, names: Sequence[str]) -> str:
    cells = [
        _cell(percent(row.agents[name].estimate), _range(row.agents[name])) if name in row.agents else _cell("–", "")
        for name in names
    ]
    cells.append(_cell(signed(row.difference.estimate), _signed_range(row.difference)))
    kind = ' class="overall"' if row.probe == OVERALL else ""
    verdict = f'<span class="pill {row.verdict}">{VERDICT_WORDS[row.verdict]}</span>'
    return f'<tr{kind}><th scope="row">{escape(row.probe)}</th>{"".join(cells)}<td>{verdict}</td></tr>'


def _cell(number: str, interval: str) -> str:
    return f'<td>{number}<small class="quiet">{interval}</small></td>'


def _rounds(data: ReportData) -> str:
    if data.rounds is None:
        return ""
    return section(
        "Round by round",
        "In every round the agent of the round before plays, its play is marked, the reward model learns from all "
        f"marks so far, and a new agent is trained from {data.rounds.clone} against it.",
        compared(data.rounds),
    )


def _clips(clips: Sequence[ClipPair], note: str) -> str:
    if not clips:
        return ""
    return section(
        "Both agents, the same request",
        f"What each agent saw, in the same place, at {SPEED:g} times real speed. {note}",
        f'<div class="clips">{"".join(map(_clip, clips))}</div>',
    )


def _clip(pair: ClipPair) -> str:
    said, probe = escape(pair.instruction), escape(pair.probe.capitalize())
    alt = f"{escape(pair.left.agent)} (left) and {escape(pair.right.agent)} (right), asked: {said}"
    return (
        f'<figure class="card"><blockquote>&ldquo;{said}&rdquo; <small class="quiet">{probe}</small>'
        f'</blockquote><img loading="lazy" alt="{alt}" src="{uri(*animate(pair))}">'
        f'<div class="sides">{_side(pair.left)}{_side(pair.right)}</div></figure>'
    )


def _side(clip: Clip) -> str:
    kind, word = ("better", "succeeded") if clip.success else ("worse", "failed")
    pill = f'<span class="pill {kind}">{word}</span>'
    return f"<span>{escape(clip.agent)} {pill} <small>{clip.shape[0]} steps</small></span>"


def _method(data: ReportData, findings: Findings) -> str:
    level, resamples = percent(LEVEL), f"{RESAMPLES:,} percentile bootstrap resamples, seed {data.resampling_seed}"
    runs = len({outcome.run for outcome in data.outcomes})
    paired = "Both agents play the same episodes, so outcomes are subtracted episode by episode"
    if runs > 1:
        how = [
            f"{paired}. Intervals are Student's t over the means of {runs} runs, so they speak of runs yet to be made,",
            f"or, where that is wider, a bootstrap of these runs' episodes ({resamples}).",
        ]
    else:
        how = [
            f"Of one agent at one probe: Wilson's score interval. Of the difference: {paired[0].lower()}{paired[1:]}",
            f"and resampled ({resamples}).",
            "There is one run, so how much another run would differ is not in the interval.",
        ]
    sentences = [
        f"Intervals cover {level}.",
        *how,
        "All probes weigh the same in the row over all." if len(findings.rows) > 1 else "",
        "A difference is called better or worse only where its interval leaves out zero;",
        "intervals are not corrected for the number of probes.",
    ]
    return f'<footer class="quiet"><p>{escape(" ".join(filter(None, sentences)))}</p></footer>'


def _colours(data: ReportData) -> dict[str, str]:
    between = {name: _BETWEEN[number % len(_BETWEEN)] for number, name in enumerate(data.between)}
    colours = {data.before: "before", **between, data.after: "after"}
    return colours | ({data.reference: "reference"} if data.reference is not None else {})


def _range(interval: Interval) -> str:
    return f"{percent(interval.low)} to {percent(interval.high)}"


def _signed_range(difference: Interval) -> str:
    return f"{signed(difference.low)} to {signed(difference.high)}"
