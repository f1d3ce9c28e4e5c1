"""Page of a diagnosis: one HTML file with the figures, and their numbers in tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from pipelines.diagnose import sentences
from pipelines.diagnose.diagnosis import PART_WORDS, Diagnosis, GroupFindings, Measure, ModelFindings
from pipelines.report.data import Picture
from pipelines.report.page import circumstances, render
from pipelines.report.tables import DASH, Cell, Row, Table
from rlhf.run.statistics import LEVEL, percent, points

_SCRIPTED = "All marks are by scripted stand-ins, imperfect on purpose; no person marked anything."
_METHOD = (
    f"Intervals cover {percent(LEVEL)} and resample episodes, as pairs, marks and requests of one episode depend "
    "on each other; where all episodes agree, they are Wilson's for that number of episodes. They are not corrected "
    "for the number of comparisons. Every number with its interval and count is in diagnostics.json."
)

Cells = Callable[[GroupFindings], Sequence[Cell]]


@dataclass(frozen=True)
class _Part:
    """Figures (a description and a PNG, None without data) and tables under a title."""

    figures: tuple[tuple[str, bytes | None], ...] = ()
    tables: tuple[Table, ...] = ()
    title: str = ""


@dataclass(frozen=True)
class _Hero:
    """Model's name, its accuracy in large letters, and its baselines."""

    name: str
    text: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Section:
    """Section of the page."""

    title: str
    lead: str
    parts: tuple[_Part, ...]


def page(diagnosis: Diagnosis, figures: Mapping[str, bytes], traces: Sequence[Picture]) -> Markup:
    """Render the whole page.

    Args:
      diagnosis: all numbers.
      figures: PNG by name.
      traces: whole episodes with the models' scores.
    """
    sections = (_pairs, _calibration, _marks, _signal, _success, _words)
    return render(
        "diagnosis.html",
        package="pipelines.diagnose",
        title="Diagnosis of reward models" if len(diagnosis.models) > 1 else "Diagnosis of a reward model",
        diagnosis=diagnosis,
        headline=sentences.headline(diagnosis),
        heroes=[_hero(diagnosis, model) for model in diagnosis.models],
        notices=[*([_SCRIPTED] if diagnosis.scripted else []), *diagnosis.remarks],
        sections=[section(diagnosis, figures) for section in sections],
        traces=traces,
        circumstances=circumstances(diagnosis.circumstances),
        method=_METHOD,
    )


def _hero(diagnosis: Diagnosis, model: ModelFindings) -> _Hero:
    group = sentences.main_group(diagnosis)
    own = model.group(*group)
    accuracy = own.pairs.accuracy if own is not None else None
    notes = [_bounds(accuracy), f"of pairs, {PART_WORDS[group[0]]}"]
    if own is not None and own.pairs.balanced is not None and own.pairs.majority is not None:
        notes.append(f"balanced {percent(own.pairs.balanced.estimate)}, commoner sign {percent(own.pairs.majority)}")
    return _Hero(model.name, DASH if accuracy is None else percent(accuracy.estimate), tuple(notes))


def _pairs(diagnosis: Diagnosis, figures: Mapping[str, bytes]) -> _Section:
    def cells(own: GroupFindings) -> list[Cell]:
        found = own.pairs
        majority = Cell() if found.majority is None else Cell(percent(found.majority))
        return [*(_cell(m, "pairs") for m in (found.accuracy, found.better, found.worse, found.balanced)), majority]

    head = ("All pairs", "Got better", "Got worse", "Balanced", "Commoner sign")
    lead = (
        "The share of pairs of moments, with marks of one sign between them, of which the better one has the higher "
        "utility. The baseline is the commoner sign, not one half."
    )
    drawn = (
        (sentences.accuracy_sentence(diagnosis), figures.get("accuracy")),
        ("Pair accuracy by the distance of the two moments", figures.get("distance")),
    )
    tables = (_table(diagnosis, head, cells), *([_comparisons(diagnosis)] if diagnosis.comparisons else []))
    return _Section("Pairs of moments", lead, (_Part(drawn, tables),))


def _comparisons(diagnosis: Diagnosis) -> Table:
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
    return Table(("Same pairs, episode by episode", "", "Difference in accuracy", "Episodes"), rows)


def _calibration(diagnosis: Diagnosis, figures: Mapping[str, bytes]) -> _Section:
    def cells(own: GroupFindings) -> list[Cell]:
        found = own.calibration
        base = Cell() if found.base_log_loss is None else Cell(f"{found.base_log_loss:.2f}")
        marks = [_cell(one.error, "") for one in own.mark_calibration] or [Cell(), Cell()]
        return [_cell(found.error, "pairs"), _number(found.log_loss), base, *marks]

    head = ("Calibration error", "Log loss", "Log loss of the base rate", "Error of predicted (+)", "of predicted (-)")
    lead = "The model predicts that the later moment is better with the probability sigmoid(U2 - U1)."
    drawn = ((sentences.calibration_sentence(diagnosis), figures.get("calibration")),)
    return _Section("Calibration", lead, (_Part(drawn, (_table(diagnosis, head, cells),)),))


def _marks(diagnosis: Diagnosis, figures: Mapping[str, bytes]) -> _Section:
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
    drawn = ((sentences.marks_sentence(diagnosis), figures.get("predicted_marks")),)
    return _Section("Predicted marks", lead, (_Part(drawn, (_table(diagnosis, head, cells),)),))


def _signal(diagnosis: Diagnosis, figures: Mapping[str, bytes]) -> _Section:
    def cells(own: GroupFindings) -> list[Cell]:
        found = own.signal
        return [_number(one) for one in (found.plus, found.minus, found.noise, found.ratio)]

    head = ("Change at a (+)", "Change at a (\N{MINUS SIGN})", "Noise", "Signal to noise")
    lead = (
        "Mean change of utility in the steps around a mark, and its standard deviation in as many steps without "
        f"marks. {sentences.signal_sentence(diagnosis)}."
    )
    return _Section("Signal to noise at marks", lead, (_Part(tables=(_table(diagnosis, head, cells),)),))


def _success(diagnosis: Diagnosis, figures: Mapping[str, bytes]) -> _Section:
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
    drawn = ((sentences.returns_sentence(diagnosis), figures.get("returns")),)
    parts = (_Part(drawn, (_table(diagnosis, head, cells),)),)
    return _Section("Requests that succeeded and requests that failed", lead, parts)


def _words(diagnosis: Diagnosis, figures: Mapping[str, bytes]) -> _Section:
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

        drawn = ((f"Utility around the moment under other {exchanged}", figures.get(exchanged)),)
        parts.append(_Part(drawn, (_table(diagnosis, head, cells),), f"Other {exchanged}"))
    return _Section("Attention to language", lead, tuple(parts))


def _table(diagnosis: Diagnosis, head: Sequence[str], cells: Cells) -> Table:
    """Table with a row for every group and model."""
    several, rows = len(diagnosis.models) > 1, []
    for group in diagnosis.groups():
        for model in diagnosis.models:
            own = model.group(*group)
            if own is not None:
                columns = (Cell(str(own.episodes)), *cells(own))
                rows.append(Row(sentences.row_name(group), columns, note=model.name if several else ""))
    return Table(("Play", "Episodes", *head), tuple(rows))


def _cell(measure: Measure | None, unit: str) -> Cell:
    """Cell with a share, its interval and its denominator."""
    if measure is None:
        return Cell()
    count = (f"{measure.items:,} {unit}",) if unit else ()
    return Cell(percent(measure.estimate), (_bounds(measure), *count))


def _number(measure: Measure | None) -> Cell:
    if measure is None:
        return Cell()
    found = (f"{measure.estimate:.2f}", f"{measure.low:.2f} to {measure.high:.2f}")
    number, bounds = (text.replace("-", "\N{MINUS SIGN}") for text in found)
    return Cell(number, (bounds,))


def _bounds(measure: Measure | None) -> str:
    return "" if measure is None else f"{percent(measure.low)} to {percent(measure.high)}"
