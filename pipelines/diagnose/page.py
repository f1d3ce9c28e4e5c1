"""Page of a diagnosis: one HTML file with the figures, and their numbers in tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from markupsafe import Markup
from matplotlib.figure import Figure

from pipelines.charts.style import svg
from pipelines.diagnose import sentences
from pipelines.diagnose.diagnosis import PART_WORDS, Diagnosis, GroupFindings, Measure, ModelFindings
from pipelines.report.data import Picture
from pipelines.report.page import DASH, Cell, Hero, Row, Section, Table, bounds, part
from pipelines.report.page import page as whole_page
from rlhf.run.statistics import LEVEL, percent, points

_SCRIPTED = "All marks are by scripted stand-ins, imperfect on purpose; no person marked anything."
_METHOD = (
    f"Intervals cover {percent(LEVEL)} and resample episodes, as pairs, marks and requests of one episode depend "
    "on each other; where all episodes agree, they are Wilson's for that number of episodes. They are not corrected "
    "for the number of comparisons. Every number with its interval and count is in diagnostics.json."
)

Cells = Callable[[GroupFindings], Sequence[Cell]]


Figures = Mapping[str, Figure]


def page(diagnosis: Diagnosis, figures: Figures, traces: Sequence[Picture]) -> Markup:
    """Render the whole page."""
    title = "Diagnosis of reward models" if len(diagnosis.models) > 1 else "Diagnosis of a reward model"
    notices = [*([_SCRIPTED] if diagnosis.scripted else []), *diagnosis.remarks]
    heroes = part("heroes", [_hero(diagnosis, model) for model in diagnosis.models])
    shown = Section("Rewards along episodes", "Those with the most marks of both signs.", (part("pictures", traces),))
    return whole_page(
        title,
        f"{title} \N{MIDDLE DOT} {diagnosis.circumstances.created}",
        sentences.headline(diagnosis),
        [heroes, *(part("notice", notice) for notice in notices)],
        [
            *(section(diagnosis, figures) for section in (_pairs, _calibration, _marks, _signal, _success, _words)),
            shown if traces else None,
        ],
        ran=diagnosis.circumstances,
        method=_METHOD,
    )


def _drawn(figures: Figures, name: str, words: str) -> Markup:
    """Part with a figure, or the note that there was nothing to draw."""
    return part("wide", svg(figures[name], words)) if name in figures else part("line", "There was nothing to measure.")


def _hero(diagnosis: Diagnosis, model: ModelFindings) -> Hero:
    group = sentences.main_group(diagnosis)
    own = model.group(*group)
    accuracy = own.pairs.accuracy if own is not None else None
    notes = ["" if accuracy is None else bounds(accuracy), f"of pairs, {PART_WORDS[group[0]]}"]
    if own is not None and own.pairs.balanced is not None and own.pairs.majority is not None:
        notes.append(f"balanced {percent(own.pairs.balanced.estimate)}, commoner sign {percent(own.pairs.majority)}")
    return Hero(model.name, DASH if accuracy is None else percent(accuracy.estimate), tuple(notes))


def _pairs(diagnosis: Diagnosis, figures: Figures) -> Section:
    def cells(own: GroupFindings) -> list[Cell]:
        found = own.pairs
        majority = Cell() if found.majority is None else Cell(percent(found.majority))
        return [*(_cell(m, "pairs") for m in (found.accuracy, found.better, found.worse, found.balanced)), majority]

    head = ("All pairs", "Got better", "Got worse", "Balanced", "Commoner sign")
    lead = (
        "The share of pairs of moments, with marks of one sign between them, of which the better one has the higher "
        "utility. The baseline is the commoner sign, not one half."
    )
    parts = (
        _drawn(figures, "accuracy", sentences.accuracy_sentence(diagnosis)),
        _drawn(figures, "distance", "Pair accuracy by the distance of the two moments"),
        _table(diagnosis, head, cells),
        *([_comparisons(diagnosis)] if diagnosis.comparisons else []),
    )
    return Section("Pairs of moments", lead, parts)


def _comparisons(diagnosis: Diagnosis) -> Markup:
    rows = tuple(
        Row(
            sentences.row_name((one.part, one.solver)),
            (
                Cell(f"{one.second} less {one.first}"),
                Cell(points(one.difference.interval)),
                Cell(str(one.difference.episodes)),
            ),
        )
        for one in diagnosis.comparisons
    )
    return part("table", Table(("Same pairs, episode by episode", "", "Difference in accuracy", "Episodes"), rows))


def _calibration(diagnosis: Diagnosis, figures: Figures) -> Section:
    def cells(own: GroupFindings) -> list[Cell]:
        found = own.calibration
        base = Cell() if found.base_log_loss is None else Cell(f"{found.base_log_loss:.2f}")
        marks = [_cell(one.error, "") for one in own.mark_calibration] or [Cell(), Cell()]
        return [_cell(found.error, "pairs"), _number(found.log_loss), base, *marks]

    head = ("Calibration error", "Log loss", "Log loss of the base rate", "Error of predicted (+)", "of predicted (-)")
    lead = "The model predicts that the later moment is better with the probability sigmoid(U2 - U1)."
    drawn = _drawn(figures, "calibration", sentences.calibration_sentence(diagnosis))
    return Section("Calibration", lead, (drawn, _table(diagnosis, head, cells)))


def _marks(diagnosis: Diagnosis, figures: Figures) -> Section:
    def cells(own: GroupFindings) -> list[Cell]:
        if own.marked is None:
            return [Cell()] * 8
        return [
            _cell(m, unit)
            for sign in own.marked.signs
            for m, unit in ((sign.precision, "predicted"), (sign.recall, "given"), (sign.f1, ""), (sign.raters, ""))
        ]

    head = [f"({sign}) {name}" for sign in "+\N{MINUS SIGN}" for name in ("precision", "recall", "F1", "raters' F1")]
    lead = (
        "A peak of the reward counts as a predicted mark; its threshold is chosen on validation play. Raters "
        "compared with each other are the ceiling; marks predicted for another episode are the floor."
    )
    alone = [own for own in diagnosis.models[0].groups if own.episodes == 1]
    if alone:
        names = "; ".join(sentences.row_name((own.part, own.solver)) for own in alone)
        lead += f" {names}: one episode only, so there is no floor."
    drawn = _drawn(figures, "predicted_marks", sentences.marks_sentence(diagnosis))
    return Section("Predicted marks", lead, (drawn, _table(diagnosis, head, cells)))


def _signal(diagnosis: Diagnosis, figures: Figures) -> Section:
    def cells(own: GroupFindings) -> list[Cell]:
        found = own.signal
        return [_number(one) for one in (found.plus, found.minus, found.noise, found.ratio)]

    head = ("Change at a (+)", "Change at a (\N{MINUS SIGN})", "Noise", "Signal to noise")
    lead = (
        "Mean change of utility in the steps around a mark, and its standard deviation in as many steps without "
        f"marks. {sentences.signal_sentence(diagnosis)}."
    )
    return Section("Signal to noise at marks", lead, (_table(diagnosis, head, cells),))


def _success(diagnosis: Diagnosis, figures: Figures) -> Section:
    def cells(own: GroupFindings) -> list[Cell]:
        found = own.success
        two = (found.succeeded, found.failed)
        means = [_number(one.mean_return) for one in two]
        shares = [_cell(m, "requests") for one in two for m in (one.rated_plus, one.predicted_plus)]
        return [_cell(found.auc, "requests"), *means, *shares]

    head = (
        "AUC", "Return, success", "Return, failure", "Success: rater's (+)", "model's (+)", "Failure: rater's (+)",
        "model's (+)",
    )  # fmt: skip
    lead = "Success is decided by each task's hard-coded check, independent of the model and of the marks."
    drawn = _drawn(figures, "returns", sentences.returns_sentence(diagnosis))
    title = "Requests that succeeded and requests that failed"
    return Section(title, lead, (drawn, _table(diagnosis, head, cells)))


def _words(diagnosis: Diagnosis, figures: Figures) -> Section:
    lead = (
        "The same behaviour, scored with its own words, with others of the same kind that make it wrong, and with "
        "unrelated words (the paper's Figure 3C). A model that attends to language scores them in this order."
    )
    head = ("Right", "Plausible", "Unrelated", "Right > plausible", "Plausible > unrelated", "In order")
    parts = []
    for exchanged in ("answers", "instructions"):

        def cells(own: GroupFindings, exchanged: str = exchanged) -> list[Cell]:
            found = getattr(own, exchanged)
            if found is None:
                return [Cell()] * 6
            shares = (found.right_over_plausible, found.plausible_over_unrelated, found.in_order)
            return [*(_number(one) for one in found.change), *(_cell(one, exchanged) for one in shares)]

        drawn = _drawn(figures, exchanged, f"Utility around the moment under other {exchanged}")
        parts += [part("heading", f"Other {exchanged}"), drawn, _table(diagnosis, head, cells)]
    return Section("Attention to language", lead, tuple(parts))


def _table(diagnosis: Diagnosis, head: Sequence[str], cells: Cells) -> Markup:
    """Part with a table of a row for every group and model."""
    several, rows = len(diagnosis.models) > 1, []
    for group in diagnosis.groups():
        for model in diagnosis.models:
            own = model.group(*group)
            if own is not None:
                columns = (Cell(str(own.episodes)), *cells(own))
                rows.append(Row(sentences.row_name(group), columns, note=model.name if several else ""))
    return part("table", Table(("Play", "Episodes", *head), tuple(rows)))


def _cell(measure: Measure | None, unit: str) -> Cell:
    """Cell with a share, its interval and its denominator."""
    return Cell.share(measure, *([f"{measure.items:,} {unit}"] if measure and unit else []))


def _number(measure: Measure | None) -> Cell:
    if measure is None:
        return Cell()
    found = (f"{measure.estimate:.2f}", f"{measure.low:.2f} to {measure.high:.2f}")
    number, between = (text.replace("-", "\N{MINUS SIGN}") for text in found)
    return Cell(number, (between,))
