"""The page of a diagnosis: one HTML file, the figures inside, every number of them in a table beneath."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape

from pipelines.diagnose import sentences as said
from pipelines.diagnose.diagnosis import PART_WORDS, Diagnosis, GroupFindings, Measure, ModelFindings
from pipelines.report.data import Picture
from pipelines.report.page import circumstances, document, section, uri
from rlhf.run.statistics import LEVEL, Interval, percent, points

_SCRIPTED = "All marks were given by scripted stand-ins, which are deliberately imperfect; no person marked anything."

Cells = Callable[[GroupFindings], Sequence[str]]


def page(diagnosis: Diagnosis, figures: Mapping[str, bytes], traces: Sequence[Picture]) -> str:
    """The whole page."""
    title = "Diagnosis of reward models" if len(diagnosis.models) > 1 else "Diagnosis of a reward model"
    parts = [
        _opening(diagnosis, title),
        _pairs(diagnosis, figures),
        _calibration(diagnosis, figures),
        _marks(diagnosis, figures),
        _signal(diagnosis),
        _success(diagnosis, figures),
        _words(diagnosis, figures),
        _traces(traces),
        circumstances(diagnosis.circumstances),
        _method(diagnosis),
    ]
    return document(title, parts)


def _opening(diagnosis: Diagnosis, title: str) -> str:
    notices = [*([_SCRIPTED] if diagnosis.scripted else []), *diagnosis.remarks]
    told = "".join(f'<p class="notice">{escape(notice)}</p>' for notice in notices)
    return (
        f'<header><p class="kicker">{escape(title)} &middot; {escape(diagnosis.circumstances.created)}</p>'
        f"<h1>{escape(said.headline(diagnosis)).replace('-', '&#8209;')}</h1>"
        f'<div class="heroes">{"".join(_hero(diagnosis, model) for model in diagnosis.models)}</div>{told}</header>'
    )


def _hero(diagnosis: Diagnosis, model: ModelFindings) -> str:
    group = said.judged_group(diagnosis)
    own = model.group(*group)
    accuracy = own.pairs.accuracy if own is not None else None
    number = "\N{EN DASH}" if accuracy is None else percent(accuracy.estimate)
    about = f"{_bounds(accuracy)}<br>of pairs, {escape(PART_WORDS[group[0]])}"
    if own is not None and own.pairs.balanced is not None and own.pairs.majority is not None:
        about += f"<br>balanced {percent(own.pairs.balanced.estimate)}, commoner sign {percent(own.pairs.majority)}"
    return (
        f'<div class="card hero"><div class="who">{escape(model.name)}</div><div class="number">{number}</div>'
        f'<div class="interval">{about}</div></div>'
    )


def _pairs(diagnosis: Diagnosis, figures: Mapping[str, bytes]) -> str:
    def cells(own: GroupFindings) -> list[str]:
        found = own.pairs
        majority = "\N{EN DASH}" if found.majority is None else percent(found.majority)
        return [_cell(m, "pairs") for m in (found.accuracy, found.better, found.worse, found.balanced)] + [majority]

    head = ("All pairs", "Got better", "Got worse", "Balanced", "Commoner sign")
    lead = (
        "Two moments of an episode with marks of one sign between them: does the utility put the better one higher? "
        "Compare with the commoner sign alone, not with one half."
    )
    return section(
        "Pairs of moments",
        lead,
        _figure(figures, "accuracy", said.accuracy_sentence(diagnosis))
        + _figure(figures, "distance", "Pair accuracy by the distance of the two moments")
        + _table(diagnosis, head, cells)
        + _comparisons(diagnosis),
    )


def _comparisons(diagnosis: Diagnosis) -> str:
    if not diagnosis.comparisons:
        return ""
    rows = "".join(
        f'<tr><th scope="row">{escape(said.row_name((one.part, one.solver)))}</th>'
        f"<td>{escape(one.second)} less {escape(one.first)}</td><td>{_points(one.difference)}</td>"
        f"<td>{one.difference.episodes}</td></tr>"
        for one in diagnosis.comparisons
    )
    head = "<th>Same pairs, episode by episode</th><th></th><th>Difference in accuracy</th><th>Episodes</th>"
    return f'<div class="card scroll"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'


def _calibration(diagnosis: Diagnosis, figures: Mapping[str, bytes]) -> str:
    def cells(own: GroupFindings) -> list[str]:
        found = own.calibration
        base = "\N{EN DASH}" if found.base_log_loss is None else f"{found.base_log_loss:.2f}"
        marks = [_cell(one.error, "") for one in own.mark_calibration] or ["\N{EN DASH}"] * 2
        return [_cell(found.error, "pairs"), _number(found.log_loss), base, *marks]

    head = ("Calibration error", "Log loss", "Log loss of the base rate", "Error of predicted (+)", "of predicted (-)")
    lead = "The model says that the later moment is better with the probability sigmoid(U2 - U1). How often is it?"
    return section(
        "Calibration",
        lead,
        _figure(figures, "calibration", said.calibration_sentence(diagnosis)) + _table(diagnosis, head, cells),
    )


def _marks(diagnosis: Diagnosis, figures: Mapping[str, bytes]) -> str:
    def cells(own: GroupFindings) -> list[str]:
        if own.marked is None:
            return ["\N{EN DASH}"] * 8
        return [
            _cell(m, unit)
            for sign in own.marked.signs
            for m, unit in ((sign.precision, "predicted"), (sign.recall, "given"), (sign.f1, ""), (sign.raters, ""))
        ]

    names = [f"({sign}) {what}" for sign in "+\N{MINUS SIGN}" for what in ("precision", "recall", "F1", "raters' F1")]
    lead = (
        "A peak of the reward is taken for a mark. How large a peak has to be is chosen on validation play. Raters "
        "compared with each other are the ceiling; marks predicted for another episode are the floor."
    )
    drawn = _figure(figures, "predicted_marks", said.marks_sentence(diagnosis))
    return section("Predicted marks", lead, drawn + _table(diagnosis, names, cells))


def _signal(diagnosis: Diagnosis) -> str:
    def cells(own: GroupFindings) -> list[str]:
        found = own.signal
        return [_number(one) for one in (found.plus, found.minus, found.noise, found.ratio)]

    head = ("Change at a (+)", "Change at a (\N{MINUS SIGN})", "Noise", "Signal to noise")
    lead = (
        "How far the utility moves in the steps around a mark, and, as standard deviation, in as many steps where "
        f"nobody marked. {said.signal_sentence(diagnosis)}."
    )
    return section("Marks against what is not marked", lead, _table(diagnosis, head, cells))


def _success(diagnosis: Diagnosis, figures: Mapping[str, bytes]) -> str:
    def cells(own: GroupFindings) -> list[str]:
        found = own.success
        two = (found.succeeded, found.failed)
        means = [_number(one.mean_return) for one in two]
        shares = [_cell(m, "requests") for one in two for m in (one.rated_plus, one.predicted_plus)]
        return [_cell(found.auc, "requests"), *means, *shares]

    head = (
        "AUC", "Return, success", "Return, failure", "Success: rater's (+)", "model's (+)", "Failure: rater's (+)",
        "model's (+)",
    )  # fmt: skip
    lead = "Success is decided by each task's hard-coded check, which neither the model nor its raters' marks replace."
    drawn = _figure(figures, "returns", said.returns_sentence(diagnosis))
    return section("Requests that succeeded and requests that failed", lead, drawn + _table(diagnosis, head, cells))


def _words(diagnosis: Diagnosis, figures: Mapping[str, bytes]) -> str:
    lead = (
        "The same behaviour, scored with the words that were said, with others of the same kind that make it wrong, "
        "and with words that have nothing to do with it (the paper's Figure 3C). A model that listens puts them in "
        "this order."
    )
    drawn = ""
    for what in ("answers", "instructions"):

        def cells(own: GroupFindings, what: str = what) -> list[str]:
            found = getattr(own, what)
            if found is None:
                return ["\N{EN DASH}"] * 6
            shares = (found.right_over_plausible, found.plausible_over_unrelated, found.in_order)
            return [*(_number(one) for one in found.change), *(_cell(one, what) for one in shares)]

        head = ("Right", "Plausible", "Unrelated", "Right > plausible", "Plausible > unrelated", "In order")
        drawn += f"<h3>Other {what}</h3>" + _figure(figures, what, f"Utility around the moment under other {what}")
        drawn += _table(diagnosis, head, cells)
    return section("Does it listen?", lead, drawn)


def _traces(traces: Sequence[Picture]) -> str:
    if not traces:
        return ""
    drawn = "".join(
        f'<figure class="card trace"><img loading="lazy" alt="{escape(one.caption)}" src="{uri(one.png, "image/png")}">'
        f"<figcaption>{escape(one.caption)}</figcaption></figure>"
        for one in traces
    )
    return section(
        "Rewards along episodes", "Those with the most marks of both signs.", f'<div class="pair">{drawn}</div>'
    )


def _method(diagnosis: Diagnosis) -> str:
    said_here = (
        f"Intervals cover {percent(LEVEL)} and resample episodes, as pairs, marks and requests of one episode depend "
        "on each other; where all episodes agree, they are Wilson's of so many episodes. They are not corrected for "
        "the number of comparisons. Every number with its interval and count is in diagnostics.json."
    )
    return f'<footer class="quiet"><p>{escape(said_here)}</p></footer>'


def _figure(figures: Mapping[str, bytes], name: str, alt: str) -> str:
    if name not in figures:
        return '<p class="quiet">There was nothing to measure.</p>'
    picture = f'<img alt="{escape(alt)}" src="{uri(figures[name], "image/png")}">'
    return f'<figure class="card trace" style="margin-top:1.1rem">{picture}</figure>'


def _table(diagnosis: Diagnosis, head: Sequence[str], cells: Cells) -> str:
    """A row for every group and model."""
    several = len(diagnosis.models) > 1
    rows = []
    for group in diagnosis.groups():
        for model in diagnosis.models:
            own = model.group(*group)
            if own is not None:
                name = escape(said.row_name(group)) + (
                    f'<br><small class="quiet">{escape(model.name)}</small>' if several else ""
                )
                columns = "".join(f"<td>{cell}</td>" for cell in (str(own.episodes), *cells(own)))
                rows.append(f'<tr><th scope="row">{name}</th>{columns}</tr>')
    titles = "".join(f"<th>{escape(title)}</th>" for title in ("Play", "Episodes", *head))
    return (
        f'<div class="card scroll"><table><thead><tr>{titles}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
    )


def _cell(measure: Measure | None, unit: str) -> str:
    """A share with its interval and what it is a share of."""
    if measure is None:
        return "\N{EN DASH}"
    count = f"<br>{measure.items:,} {unit}" if unit else ""
    return f'{percent(measure.estimate)}<small class="quiet">{_bounds(measure)}{count}</small>'


def _number(measure: Measure | None) -> str:
    if measure is None:
        return "\N{EN DASH}"
    low, high = f"{measure.low:.2f}", f"{measure.high:.2f}"
    return f'{measure.estimate:.2f}<small class="quiet">{low} to {high}</small>'.replace("-", "\N{MINUS SIGN}")


def _bounds(measure: Measure | None) -> str:
    return "" if measure is None else f"{percent(measure.low)} to {percent(measure.high)}"


def _points(measure: Measure) -> str:
    return points(Interval(measure.estimate, measure.low, measure.high, measure.episodes))
