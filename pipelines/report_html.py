"""A report as one HTML page that asks nobody for anything: styles inline, pictures inside, readable on any screen."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files

from pipelines.findings import OVERALL, VERDICT_WORDS, Findings, Row, percent, points
from pipelines.report_charts import SMALL, difference_plot, interval_plot, line_chart
from pipelines.report_clips import SPEED, animate
from pipelines.report_data import Chart, Circumstances, Clip, ClipPair, Picture, ReportData
from pipelines.statistics import LEVEL, RESAMPLES, Interval
from rlhf.progress import duration

_COLOURS = ("c1", "c2", "c3", "c4", "c5", "c6")


def page(data: ReportData, findings: Findings) -> str:
    """The whole page."""
    style = files("pipelines").joinpath("report.css").read_text(encoding="utf-8")
    parts = [
        _opening(data, findings),
        _success(data, findings),
        _clips(data.clips, data.clips_note),
        _reward(data),
        _traces(data.traces),
        _training(data.training),
        _circumstances(data.circumstances),
        _method(data, findings),
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<title>{escape(data.title)}</title>\n<link rel="icon" href="data:,">\n<style>\n{style}</style>\n</head>\n'
        f"<body>\n<main>\n{''.join(parts)}</main>\n</body>\n</html>\n"
    )


def _opening(data: ReportData, findings: Findings) -> str:
    row = findings.overall
    episodes, runs = row.agents[data.after].count, len({outcome.run for outcome in data.outcomes})
    probes = f"all {len(findings.rows)} probe tasks together" if len(findings.rows) > 1 else row.probe
    lead = (
        f"The difference on {escape(probes)} is {escape(points(row.difference))}, with a {percent(LEVEL)} interval, over "
        f"{episodes:,} episodes of each agent{f' from {runs} runs' if runs > 1 else ''}, in houses and on instructions that "
        "no agent was trained on."
    )
    remarks = "".join(f"<p>{escape(remark)}</p>" for remark in findings.remarks[:1])
    warnings = "".join(f'<p class="notice warning">{escape(remark)}</p>' for remark in findings.remarks[1:])
    scripted = (
        '<p class="notice"><strong>No people were involved.</strong> Whoever asked, showed and judged here is a scripted '
        "stand-in, deliberately imperfect.</p>"
    )
    return (
        f'<header><p class="kicker">{escape(data.title)} &middot; {escape(data.circumstances.created)}</p>'
        f'<h1>{_unbroken(findings.headline)}</h1><p class="lead">{lead}</p>{remarks}'
        f'<div class="heroes">{_heroes(data, row)}</div>{scripted if data.scripted else ""}{warnings}</header>'
    )


def _heroes(data: ReportData, row: Row) -> str:
    """Cards with the big numbers: before, after, their difference, the demonstrator."""
    cards = [_hero(name, row.agents[name], colour) for name, colour in _colours(data).items() if name in row.agents]
    difference = row.difference
    number, _, rest = points(difference).partition(" points ")
    cards.insert(
        2,
        f'<div class="card hero {row.verdict}"><div class="who">Difference</div><div class="number">{number} <small>points'
        f'</small></div><div class="interval">{rest.strip("()")}<br>{VERDICT_WORDS[row.verdict]}</div></div>',
    )
    return "".join(cards)


def _hero(name: str, interval: Interval, colour: str) -> str:
    return (
        f'<div class="card hero"><div class="who"><span class="swatch {colour}"></span>{escape(name)}</div>'
        f'<div class="number">{percent(interval.estimate)}</div>'
        f'<div class="bar {colour}"><i style="width:{100 * interval.estimate:.1f}%"></i></div>'
        f'<div class="interval">{_range(interval)}</div></div>'
    )


def _success(data: ReportData, findings: Findings) -> str:
    colours = _colours(data)
    order = {name: colours[name] for name in (data.before, data.after, data.reference) if name is not None}
    rows = [*findings.rows, *([findings.overall] if len(findings.rows) > 1 else [])]
    legend = _legend((name, colour, False) for name, colour in order.items())
    verdicts = _legend((VERDICT_WORDS[verdict], verdict, False) for verdict in VERDICT_WORDS if verdict in {r.verdict for r in rows})
    return (
        "<section><h2>Success at the probe tasks</h2>"
        f'<p class="quiet">Decided by each task\'s hard-coded check, never by the reward model. Lines are {percent(LEVEL)} intervals.'
        f'</p><div class="pair"><figure class="card"><h3>Success</h3>{legend}{interval_plot(rows, order)}</figure>'
        f'<figure class="card"><h3>{escape(data.after)} less {escape(data.before)}, in points</h3>{verdicts}'
        f"{difference_plot(rows, len(order))}</figure></div>{_table(rows, colours)}</section>"
    )


def _table(rows: Sequence[Row], colours: dict[str, str]) -> str:
    names = [name for name in colours if any(name in row.agents for row in rows)]
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = []
    for row in rows:
        cells = "".join(f"<td>{_cell(row.agents.get(name))}</td>" for name in names)
        number, _, rest = points(row.difference).partition(" points ")
        kind = ' class="overall"' if row.probe == OVERALL else ""
        body.append(
            f'<tr{kind}><th scope="row">{escape(row.probe)}</th>{cells}<td>{number}<small class="quiet">{rest.strip("()")}'
            f'</small></td><td><span class="pill {row.verdict}">{VERDICT_WORDS[row.verdict]}</span></td></tr>'
        )
    return (
        f'<div class="card scroll"><table><thead><tr><th>Probe</th>{head}<th>Difference, points</th><th></th></tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table></div>"
    )


def _cell(interval: Interval | None) -> str:
    if interval is None:
        return '<span class="quiet">not measured</span>'
    return f'{percent(interval.estimate)}<small class="quiet">{_range(interval)}</small>'


def _clips(clips: Sequence[ClipPair], note: str) -> str:
    if not clips:
        return ""
    cards = []
    for pair in clips:
        file, media_type = animate(pair)
        cards.append(
            f'<figure class="card"><blockquote>&ldquo;{escape(pair.instruction)}&rdquo; <small class="quiet">'
            f'{escape(pair.probe)}</small></blockquote><img loading="lazy" alt="{escape(pair.left.agent)} (left) and '
            f'{escape(pair.right.agent)} (right) asked: {escape(pair.instruction)}" src="{_uri(file, media_type)}">'
            f'<div class="sides">{_side(pair.left)}{_side(pair.right)}</div></figure>'
        )
    return (
        '<section><h2>Both agents, the same request</h2><p class="quiet">What each agent saw, in the same place, at '
        f'{SPEED:g} times real speed. {escape(note)}</p><div class="clips">{"".join(cards)}</div></section>'
    )


def _side(clip: Clip) -> str:
    verdict = '<span class="pill better">succeeded</span>' if clip.success else '<span class="pill worse">failed</span>'
    return f'<span>{escape(clip.agent)} {verdict} <small>{clip.shape[0]} steps</small></span>'


def _reward(data: ReportData) -> str:
    charts = [chart for chart in (data.reward_over_training, data.success_over_training) if chart is not None]
    if not charts:
        return ""
    return (
        "<section><h2>Modelled reward and true success while the agent improved</h2>"
        '<p class="quiet">The agent is rewarded by the model alone. Where the left rises and the right does not, the model is '
        f'being exploited.</p><div class="pair">{"".join(_chart(chart) for chart in charts)}</div></section>'
    )


def _traces(traces: Sequence[Picture]) -> str:
    if not traces:
        return ""
    figures = "".join(
        f'<figure class="card trace"><img loading="lazy" alt="{escape(trace.caption)}" src="{_uri(trace.png, "image/png")}">'
        f"<figcaption>{escape(trace.caption)}</figcaption></figure>"
        for trace in traces
    )
    return (
        "<section><h2>What the reward model learnt from marks</h2>"
        '<p class="quiet">Utility and reward along recorded episodes, with the marks that raters gave them.</p>'
        f'<div class="pair">{figures}</div></section>'
    )


def _training(charts: Sequence[Chart]) -> str:
    if not charts:
        return ""
    figures = "".join(_chart(chart, small=True) for chart in charts)
    return f'<section><h2>Training</h2><div class="pair small">{figures}</div></section>'


def _chart(chart: Chart, small: bool = False) -> str:
    colours = _curve_colours(chart)
    legend = _legend((curve.name, colour, curve.dashed) for curve, colour in zip(chart.curves, colours, strict=True))
    note = f"<figcaption>{escape(chart.note)}</figcaption>" if chart.note else ""
    drawn = line_chart(chart, colours, SMALL) if small else line_chart(chart, colours)
    return f'<figure class="card"><h3>{escape(chart.title)}</h3>{legend}{drawn}{note}</figure>'


def _curve_colours(chart: Chart) -> list[str]:
    """Colours in turn; a dashed curve keeps the colour of the solid one before it, as its held-out twin."""
    colours, used = [], 0
    for curve in chart.curves:
        used += 0 if curve.dashed and colours else 1
        colours.append(_COLOURS[(used - 1) % len(_COLOURS)])
    return colours


def _circumstances(facts: Circumstances) -> str:
    rows = [("Command", f"<code>{escape(facts.command)}</code>"), ("Machine", escape(facts.machine))]
    rows.append(("Version", escape(facts.version) + (f", commit <code>{escape(facts.commit)}</code>" if facts.commit else "")))
    rows += [(escape(name[0].upper() + name[1:]), escape(value)) for name, value in facts.counts]
    listed = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in rows)
    config = escape(json.dumps(facts.config, indent=2, ensure_ascii=False))
    return (
        f'<section><h2>What was run</h2><div class="pair"><div class="card"><dl>{listed}</dl></div>{_stages(facts)}</div>'
        f'<details class="card"><summary>All settings</summary><pre>{config}</pre></details></section>'
    )


def _stages(facts: Circumstances) -> str:
    if not facts.stages:
        return ""
    total = sum(stage.seconds for stage in facts.stages)
    rows = "".join(
        f'<li><span>{escape(stage.name)}</span><div class="bar after"><i style="width:{100 * stage.seconds / (total or 1):.1f}%">'
        f"</i></div><span>{duration(stage.seconds)}</span>"
        + (f'<small>{escape(stage.note)}</small>' if stage.note else "")
        + "</li>"
        for stage in facts.stages
    )
    return f'<div class="card"><h3>{duration(total)} in all</h3><ol class="stages">{rows}</ol></div>'


def _method(data: ReportData, findings: Findings) -> str:
    runs = len({outcome.run for outcome in data.outcomes})
    resampled = "runs first, then the episodes within each run drawn" if runs > 1 else "over episodes; there is one run, so how much another would differ is not in it"
    overall = " All probes weigh the same in the overall row, whose intervals are bootstrapped too." if len(findings.rows) > 1 else ""
    return (
        f'<footer class="quiet"><p>Intervals cover {percent(LEVEL)}. Of one agent at one probe: Wilson\'s score interval. Of the '
        f"difference: both agents play the same episodes, so outcomes are subtracted episode by episode and resampled "
        f"({RESAMPLES:,} percentile bootstrap resamples, seed {data.resampling_seed}; {resampled}).{overall} "
        "A difference is called better or worse only where its interval leaves out zero; intervals are not corrected for the "
        "number of probes.</p></footer>"
    )


def _colours(data: ReportData) -> dict[str, str]:
    colours = {data.before: "before", data.after: "after"}
    return colours | ({data.reference: "reference"} if data.reference is not None else {})


def _legend(entries: Iterable[tuple[str, str, bool]]) -> str:
    items = "".join(
        f'<li><span class="key {colour}{" dashed" if dashed else ""}"></span>{escape(name)}</li>' for name, colour, dashed in entries
    )
    return f'<ul class="legend">{items}</ul>'


def _unbroken(text: str) -> str:
    """Escaped, with hyphens at which no line is broken: for large letters."""
    return escape(text).replace("-", "&#8209;")


def _range(interval: Interval) -> str:
    return f"{percent(interval.low)} to {percent(interval.high)}"


def _uri(content: bytes, media_type: str) -> str:
    return f"data:{media_type};base64,{base64.b64encode(content).decode('ascii')}"
