"""Rounds of improvement side by side (the paper's Figure 9), as a part of the report."""

from __future__ import annotations

from collections.abc import Callable

from markupsafe import Markup

from pipelines.report.data import RoundResult, RoundsCompared
from pipelines.report.findings import VERDICT_WORDS, verdict_of
from pipelines.report.page import bounds, render, signed_bounds
from pipelines.report.round_charts import before_and_after, marks_by_round, probes_in_order, success_by_round
from pipelines.report.sections import DrawnFigure
from pipelines.report.tables import Cell, Row, Table
from rlhf.run.statistics import Interval, percent, points, signed


def compared(data: RoundsCompared) -> Markup:
    """Render success, marks, modelled reward and true success by round, as charts and as a table."""
    rounds = data.rounds
    modelled = [(one.agent, one.modelled_return) for one in rounds]
    true = [(one.agent, one.true_success) for one in rounds]
    figures = (
        DrawnFigure("Success by round", success_by_round(data), note=_lanes_note(data)),
        DrawnFigure("Marks by round", marks_by_round(rounds), note="Progress above the line, regress below it."),
        DrawnFigure(
            "Modelled reward, before and after",
            before_and_after(modelled, share=False),
            note="Per replayed episode, from BC to the round's agent, by the round's own reward model.",
        ),
        DrawnFigure(
            "True success, before and after",
            before_and_after(true, share=True),
            note="Of the same replays. Where modelled reward rises and true success does not, the reward model is "
            "exploited.",
        ),
    )
    return render("rounds.html", figures=figures, table=_table(data))


def _table(data: RoundsCompared) -> Table:
    measured = ("Reward model", "Modelled reward", "True success", "Success")
    head = ("Round", "Play marked", "Marks", *measured, "Against before", f"Against {data.clone}")
    return Table(head, tuple(Row(one.agent, _cells(one)) for one in data.rounds))


def _cells(one: RoundResult) -> tuple[Cell, ...]:
    success = one.success[probes_in_order(one.success)[0]]
    raters = f"{one.by_people:,} by people" if one.by_people else "scripted"
    marks = f"+{one.progress:,} \N{MINUS SIGN}{one.regress:,}"
    return (
        Cell(f"{one.episodes:,}", (f"by {one.deployed}",)),
        Cell(marks, (raters,)),
        Cell(notes=("pairs right",)) if one.accuracy is None else Cell(percent(one.accuracy), ("pairs right",)),
        _change(one.modelled_return, lambda value: f"{value:.2f}"),
        _change(one.true_success, percent),
        Cell(percent(success.estimate), (bounds(success),)),
        _gain(one.on_deployed),
        _gain(one.on_clone),
    )


def _gain(difference: Interval) -> Cell:
    verdict = verdict_of(difference)
    title = f"{VERDICT_WORDS[verdict]}: {points(difference)}"
    return Cell(signed(difference.estimate), (signed_bounds(difference),), verdict, title)


def _change(pair: tuple[float, float] | None, text: Callable[[float], str]) -> Cell:
    return Cell() if pair is None else Cell(text(pair[1]), (f"from {text(pair[0])}",))


def _lanes_note(data: RoundsCompared) -> str:
    probes = probes_in_order(data.clone_success)
    numbered = ", ".join(f"{number}. {probe}" for number, probe in enumerate(probes, start=1))
    note = f"{numbered}, from left to right." if len(probes) > 1 else f"{probes[0].capitalize()}."
    return note + (" Dashed: the demonstrator." if data.reference_success is not None else "")
