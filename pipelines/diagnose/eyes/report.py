"""Sentences, figure and page of a diagnosis of an agent's eyes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from markupsafe import Markup
from matplotlib.figure import Figure

from pipelines.charts import style
from pipelines.charts.palette import QUIET
from pipelines.diagnose.diagnosis import Measure
from pipelines.diagnose.eyes.findings import BinShares, EyesFindings
from pipelines.diagnose.eyes.readings import MEMORY, READING_WORDS, TAUGHT, TOKENS, UNTRAINED, WORDS
from pipelines.diagnose.figures import draw_line
from pipelines.report.page import Cell, Row, Section, Table, part
from pipelines.report.page import page as whole_page
from rlhf.run.statistics import LEVEL, percent, points

EYES_PAGE = "eyes.html"
_FEW = 10  # episodes with fewer of which no point is drawn and no cause is named
_METHOD = (
    f"Intervals cover {percent(LEVEL)} and resample the measured episodes; they hold for other episodes, not for "
    "another training of agent or probes. They are not corrected for the number of comparisons."
)
_LEAD = (
    "Frames in which exactly one thing is in view, of episodes that {agent}the probes and the taught network did not "
    "learn from. The taught network is the agent's own image encoder with new weights, taught what is in view in the "
    "frames that probes learn from: what it reaches, eyes of that cost can learn. Probes are one linear layer and a "
    "soft maximum over features that stay as they are."
)
# What a fall and a rise from one reading to the next say.
_CAUSES = {
    (UNTRAINED, TOKENS): ("training took this from the eyes", "training gave this to the eyes"),
    (TAUGHT, TOKENS): ("the eyes could have learned this (perception)", "the eyes learned more than from the truth"),
    (TOKENS, WORDS): (
        "the eyes show this, and the words do not use it (language)",
        "words say more than a probe finds",
    ),
    (TOKENS, MEMORY): (
        "this does not reach the policies (attention and memory)",
        "earlier frames, and the instruction itself, say more than one frame",
    ),
}


def headline(findings: EyesFindings) -> str:
    """The kind and colour that the agent's tokens show, and what the same network can be taught."""
    parts = []
    for name, words in ((TOKENS, "its visual tokens show"), (TAUGHT, "the same network taught with the truth knows")):
        found = findings.reading(name)
        if found is not None and found.colour is not None and found.kind is not None:
            shares = f"{percent(found.colour.estimate)} of colours and {percent(found.kind.estimate)} of kinds"
            parts.append(f"{words} {shares}")
    return f"Eyes of {_name(findings.agent)}: {', '.join(parts)}."


def remarks(findings: EyesFindings) -> Iterator[str]:
    """Sentences on what makes the findings doubtful."""
    unseen, measured = findings.unseen_episodes, findings.measured_episodes
    if unseen is None:
        yield (
            "It is not known what the agent learned from: its folder, or that of an agent that it began as, does not "
            "lie in a run that notes it. Measured episodes may be among it, and its readings too high."
        )
    if measured < _FEW:
        left = "" if unseen is None else f"; the agent did not learn from {unseen:,} of those recorded"
        yield f"Too few episodes to name causes: {measured} were measured on, and {_FEW} are needed{left}."


def cause_sentences(findings: EyesFindings) -> Iterator[str]:
    """A sentence for every comparison, with its meaning if its interval excludes 0 and there are enough episodes."""
    for step in findings.steps:
        for what, measure in (("colours", step.colour), ("kinds", step.kind)):
            if measure is None:
                continue
            says = _says(measure, *_CAUSES[step.first, step.second])
            yield f"{what}, {step.second} less {step.first}: {points(measure.interval)}: {says}"


def _says(measure: Measure, fall: str, rise: str) -> str:
    if measure.episodes < _FEW:
        return "too few episodes to name a cause"
    return fall if measure.high < 0 else rise if measure.low > 0 else "no difference that is certain"


def figure(findings: EyesFindings) -> Figure:
    """Draw the shares of every reading by the size of the thing in the picture."""
    drawn, axes = style.panels(
        7.2, 4.2, columns=2, title=headline(findings).removesuffix("."), sharex=True, sharey=True
    )
    for axis, what, chance in (
        (axes[0], "colour", 1 / len(findings.colours)),
        (axes[1], "kind", 1 / len(findings.kinds)),
    ):
        for number, reading in enumerate(findings.readings):
            found = [(place, getattr(one, what)) for place, one in enumerate(reading.by_pixels)]
            known = [(place, share) for place, share in found if share is not None and share.episodes >= _FEW]
            draw_line(axis, [place + 0.06 * (number - 2) for place, _ in known], [share for _, share in known], number)
        axis.axhline(chance, color=QUIET, lw=1.2, ls=":")
        style.label(axis, f"{what} right", "pixels of the only thing in view")
        axis.set_xticks(range(len(findings.readings[0].by_pixels)), _ranges(findings.readings[0].by_pixels))
        style.in_percent(axis, "y", 0.0)
    keys = style.series_keys([READING_WORDS[reading.name] for reading in findings.readings])
    style.legend(drawn, [*keys, style.key("chance", QUIET, ":", lw=1.2)], columns=2)
    return drawn


def page(findings: EyesFindings, drawn: Figure) -> Markup:
    """Render the page."""
    title, main = "Diagnosis of an agent's eyes", headline(findings)
    lead = _LEAD.format(agent="" if findings.unseen_episodes is None else "the agent, ")
    causes = (
        "Differences in points, paired by frame. What none of them explains of an agent's failures is left to control."
    )
    return whole_page(
        title,
        f"{title} \N{MIDDLE DOT} {findings.circumstances.created}",
        main,
        [part("notice", remark) for remark in remarks(findings)],
        [
            Section(
                "Colours and kinds", lead, (part("wide", style.svg(drawn, main)), part("table", _overall(findings)))
            ),
            Section("From the eyes to words and policies", causes, (part("points", list(cause_sentences(findings))),)),
            Section("By pixels", parts=(part("table", _binned(findings, "pixels")),)),
            Section("By distance", parts=(part("table", _binned(findings, "distance")),)),
        ],
        ran=findings.circumstances,
        method=_METHOD,
    )


def _name(folder: str) -> str:
    """Name of an agent: of its run's folder, and of its own."""
    return "/".join(Path(folder).parts[-2:])


def _ranges(bins: Sequence[BinShares]) -> list[str]:
    found = [f"{one.least:g}+" if one.most is None else f"{one.least:g}\N{EN DASH}{one.most:g}" for one in bins]
    return [f"below {bins[1].least:g}", *found[1:]]


def _overall(findings: EyesFindings) -> Table:
    rows = [
        Row(READING_WORDS[one.name], (_cell(one.colour), _cell(one.kind)), note=one.name) for one in findings.readings
    ]
    chance = (Cell(percent(1 / len(findings.colours))), Cell(percent(1 / len(findings.kinds))))
    floor = (Cell(percent(findings.commonest_colour)), Cell(percent(findings.commonest_kind)))
    return Table(
        ("What is read", "Colour right", "Kind right"),
        (*rows, Row("always the commonest", floor), Row("chance", chance)),
    )


def _binned(findings: EyesFindings, by: str) -> Table:
    bins: Sequence[BinShares] = getattr(findings.readings[0], f"by_{by}")
    unit = "px" if by == "pixels" else "m"
    head = [f"{what}, {some} {unit}" for what in ("Colour", "Kind") for some in _ranges(bins)]
    rows = []
    for one in findings.readings:
        own: Sequence[BinShares] = getattr(one, f"by_{by}")
        rows.append(Row(READING_WORDS[one.name], (*(_cell(b.colour) for b in own), *(_cell(b.kind) for b in own))))
    return Table(("What is read", *head), tuple(rows))


def _cell(measure: Measure | None) -> Cell:
    return Cell.share(measure, *([f"{measure.items:,} frames"] if measure else []))
