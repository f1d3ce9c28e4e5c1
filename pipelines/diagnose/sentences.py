"""Sentences of a diagnosis, computed from its numbers; they are the titles of its figures."""

from __future__ import annotations

from pipelines.diagnose.diagnosis import (
    ALL_SOLVERS,
    PART_WORDS,
    Diagnosis,
    GroupFindings,
    Measure,
    ModelFindings,
    WordsFindings,
)
from pipelines.report.findings import FEWEST_EPISODES
from reward_models.learning.mark_signal import NOISY
from rlhf.run.statistics import percent


def main_group(diagnosis: Diagnosis) -> tuple[str, str]:
    """Return (part, solver) of the main group: all play of the first part with data."""
    parts = {part: None for part, _ in diagnosis.groups()}
    return whole(diagnosis, next(part for part in PART_WORDS if part in parts))


def whole(diagnosis: Diagnosis, part: str) -> tuple[str, str]:
    """Return (part, solver) of all play of ``part``, by all solvers or by the only one."""
    own = [group for group in diagnosis.groups() if group[0] == part]
    return next((group for group in own if group[1] == ALL_SOLVERS), own[0])


def parts_of(diagnosis: Diagnosis) -> list[str]:
    """Return the parts of the data in the order to show."""
    there = {part for part, _ in diagnosis.groups()}
    return [part for part in PART_WORDS if part in there]


def where(group: tuple[str, str]) -> str:
    """Return, e.g., "Held-out play" or "Held-out play, agent:clone"."""
    words = PART_WORDS[group[0]]
    words = words[0].upper() + words[1:]
    return words if group[1] == ALL_SOLVERS else f"{words}, {group[1]}"


def row_name(group: tuple[str, str]) -> str:
    """Name of a group in a table: "Held-out play, all" for all its solvers."""
    return f"{where(group)}, all" if group[1] == ALL_SOLVERS else where(group)


def accuracy_sentence(diagnosis: Diagnosis) -> str:
    """Sentence on the share of pairs that every model orders correctly in the main group."""
    group, results = main_group(diagnosis), []
    for model, own in _each(diagnosis, group):
        accuracy, balanced = own.pairs.accuracy, own.pairs.balanced
        if accuracy is not None:
            also = "" if balanced is None else f" (balanced {percent(balanced.estimate)})"
            results.append(f"{model.name} {percent(accuracy.estimate)}{also}{_few(accuracy)}")
    if not results:
        return f"{where(group)} has no marks that order any moments"
    return f"{where(group)}, pairs of moments ordered as raters order them: {', '.join(results)}"


def distance_sentence(model: ModelFindings, own: GroupFindings) -> str:
    """Sentence on the distances at which a model beats the commoner sign."""
    found = own.pairs.by_distance
    if not found:
        return f"{model.name}: no pairs"
    better = [one.steps for one in found if one.accuracy.low > one.majority]
    if not better:
        return f"{model.name} beats the commoner sign at no distance"
    if len(better) == len(found):
        return f"{model.name} beats the commoner sign at every distance"
    return f"{model.name} beats the commoner sign at {', '.join(better)} steps"


def calibration_sentence(diagnosis: Diagnosis) -> str:
    """Sentence on the calibration error in the main group."""
    group = main_group(diagnosis)
    results = [
        f"{model.name} by {round(100 * own.calibration.error.estimate)} points"
        for model, own in _each(diagnosis, group)
        if own.calibration.error is not None
    ]
    return f"{where(group)}: mean error of predicted probabilities: {', '.join(results) or 'not measured'}"


def marks_sentence(diagnosis: Diagnosis) -> str:
    """Sentence on F1 of the predicted (+), with the raters' own."""
    group, results, bounds = main_group(diagnosis), [], ""
    for model, own in _each(diagnosis, group):
        plus = own.marked.signs[0] if own.marked else None
        if plus is None or plus.f1 is None:
            continue
        results.append(f"{model.name} {percent(plus.f1.estimate)}")
        if plus.raters is not None:
            bounds = f"; one rater against another {percent(plus.raters.estimate)}"
    return f"{where(group)}: F1 of the (+) that rewards predict: {', '.join(results) or 'not measured'}{bounds}"


def signal_sentence(diagnosis: Diagnosis) -> str:
    """Sentence on the signal-to-noise ratio of rewards at marks."""
    group, results = main_group(diagnosis), []
    for model, own in _each(diagnosis, group):
        ratio = own.signal.ratio
        if ratio is not None:
            number = f"{ratio.estimate:.1f}".replace("-", "\N{MINUS SIGN}")
            results.append(f"{model.name} {number}{', mostly noise' if ratio.estimate < NOISY else ''}{_few(ratio)}")
    return f"{where(group)}, signal to noise: {', '.join(results) or 'not measured'}"


def returns_sentence(diagnosis: Diagnosis) -> str:
    """Sentence on the area under the ROC curve of returns."""
    group = main_group(diagnosis)
    results = [
        f"{model.name} {percent(own.success.auc.estimate)}{_few(own.success.auc)}"
        for model, own in _each(diagnosis, group)
        if own.success.auc is not None
    ]
    shares = ", ".join(results) or "not measured"
    return f"{where(group)}: a request that succeeds has a larger return than one that fails in {shares}"


def words_sentence(model: ModelFindings, found: WordsFindings | None, unit: str) -> str:
    """Sentence on the shares of moments with right over plausible and plausible over unrelated words."""
    if found is None:
        return f"{model.name}: no {unit} to exchange"
    shares = (found.right_over_plausible, found.plausible_over_unrelated)
    first, second = (percent(share.estimate) for share in shares)
    counted = f"{first} of {found.moments} {unit}"
    return f"{model.name}: right beats plausible at {counted}, plausible beats unrelated at {second}"


def headline(diagnosis: Diagnosis) -> str:
    """Headline of the page: balanced accuracy of the best model in the main group against chance.

    Always predicting "better" has a high accuracy where that is commoner, but a balanced accuracy of one half.
    """
    group = main_group(diagnosis)
    accuracies = [(model, own.pairs.balanced) for model, own in _each(diagnosis, group)]
    known = [(model, balanced) for model, balanced in accuracies if balanced is not None]
    play = PART_WORDS[group[0]]
    if not known:
        return f"{where(group)} has no marks of both signs to measure on."
    model, balanced = max(known, key=lambda one: one[1].estimate)
    if balanced.episodes < FEWEST_EPISODES:
        return f"{where(group)} has too few marked episodes ({balanced.episodes}) to measure on."
    numbers = f"balanced accuracy {percent(balanced.estimate)}, where chance gives 50%"
    if balanced.low > 0.5:
        return f"On {play}, {model.name} orders better and worse above chance: {numbers}."
    if balanced.high < 0.5:
        return f"On {play}, {model.name} is below chance: {numbers}."
    return f"On {play}, {model.name} does not differ from chance: {numbers}."


def _each(diagnosis: Diagnosis, group: tuple[str, str]) -> list[tuple[ModelFindings, GroupFindings]]:
    found = [(model, model.group(*group)) for model in diagnosis.models]
    return [(model, own) for model, own in found if own is not None]


def _few(measure: Measure) -> str:
    return f" (of {measure.episodes} episodes only)" if measure.episodes < FEWEST_EPISODES else ""
