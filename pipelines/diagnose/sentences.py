"""What a diagnosis says, in sentences; computed from its numbers, never chosen. They are the titles of its figures."""

from __future__ import annotations

from pipelines.diagnose.diagnosis import (
    EVERYBODY,
    PART_WORDS,
    Diagnosis,
    GroupFindings,
    Measure,
    ModelFindings,
    WordsFindings,
)
from pipelines.report.findings import FEWEST_EPISODES
from reward_models.mark_signal import NOISY
from rlhf.run.statistics import percent


def judged_group(diagnosis: Diagnosis) -> tuple[str, str]:
    """(part, solver) of the group by which models are judged first: all play of the most telling part there is."""
    parts = {part: None for part, _ in diagnosis.groups()}
    return whole(diagnosis, next(part for part in PART_WORDS if part in parts))


def whole(diagnosis: Diagnosis, part: str) -> tuple[str, str]:
    """(part, solver) of all play of ``part``: that of all solvers, or of the only one."""
    own = [group for group in diagnosis.groups() if group[0] == part]
    return next((group for group in own if group[1] == EVERYBODY), own[0])


def parts_of(diagnosis: Diagnosis) -> list[str]:
    """Parts of the data in the order to show."""
    there = {part for part, _ in diagnosis.groups()}
    return [part for part in PART_WORDS if part in there]


def where(group: tuple[str, str]) -> str:
    """E.g. "Held-out play" or "Held-out play, agent:clone"."""
    words = PART_WORDS[group[0]]
    words = words[0].upper() + words[1:]
    return words if group[1] == EVERYBODY else f"{words}, {group[1]}"


def row_name(group: tuple[str, str]) -> str:
    """A group's name among others: "Held-out play, all" for all its solvers."""
    return f"{where(group)}, all" if group[1] == EVERYBODY else where(group)


def accuracy_sentence(diagnosis: Diagnosis) -> str:
    """How many pairs every model orders rightly, where it counts."""
    group, said = judged_group(diagnosis), []
    for model, own in _each(diagnosis, group):
        accuracy, balanced = own.pairs.accuracy, own.pairs.balanced
        if accuracy is not None:
            also = "" if balanced is None else f" (balanced {percent(balanced.estimate)})"
            said.append(f"{model.name} {percent(accuracy.estimate)}{also}{_few(accuracy)}")
    if not said:
        return f"{where(group)} has no marks that order any moments"
    return f"{where(group)}, pairs of moments ordered as raters order them: {', '.join(said)}"


def distance_sentence(model: ModelFindings, own: GroupFindings) -> str:
    """Where along the distance a model beats the commoner sign."""
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
    """By how much stated probabilities are off."""
    group = judged_group(diagnosis)
    said = [
        f"{model.name} by {round(100 * own.calibration.error.estimate)} points"
        for model, own in _each(diagnosis, group)
        if own.calibration.error is not None
    ]
    return f"{where(group)}: stated probabilities are off on average: {', '.join(said) or 'not measured'}"


def marks_sentence(diagnosis: Diagnosis) -> str:
    """F1 of the predicted (+) between floor and ceiling."""
    group, said, bounds = judged_group(diagnosis), [], ""
    for model, own in _each(diagnosis, group):
        plus = own.marked.signs[0] if own.marked else None
        if plus is None or plus.f1 is None:
            continue
        said.append(f"{model.name} {percent(plus.f1.estimate)}")
        if plus.raters is not None:
            bounds = f"; one rater against another {percent(plus.raters.estimate)}"
    return f"{where(group)}: F1 of the (+) that rewards predict: {', '.join(said) or 'not measured'}{bounds}"


def signal_sentence(diagnosis: Diagnosis) -> str:
    """Whether what models pay at marks stands out from what they pay elsewhere."""
    group, said = judged_group(diagnosis), []
    for model, own in _each(diagnosis, group):
        ratio = own.signal.ratio
        if ratio is not None:
            number = f"{ratio.estimate:.1f}".replace("-", "\N{MINUS SIGN}")
            said.append(f"{model.name} {number}{', mostly noise' if ratio.estimate < NOISY else ''}{_few(ratio)}")
    return f"{where(group)}, signal to noise: {', '.join(said) or 'not measured'}"


def returns_sentence(diagnosis: Diagnosis) -> str:
    """Area under the curve, in words."""
    group = judged_group(diagnosis)
    said = [
        f"{model.name} {percent(own.success.auc.estimate)}{_few(own.success.auc)}"
        for model, own in _each(diagnosis, group)
        if own.success.auc is not None
    ]
    how_often = ", ".join(said) or "not measured"
    return f"{where(group)}: how often a request that succeeds earns more than one that fails: {how_often}"


def words_sentence(model: ModelFindings, found: WordsFindings | None, unit: str) -> str:
    """How often the right words do better, and the plausible ones better than the unrelated."""
    if found is None:
        return f"{model.name}: no {unit} to exchange"
    shares = (found.right_over_plausible, found.plausible_over_unrelated)
    first, second = (percent(share.estimate) for share in shares)
    counted = f"{first} of {found.moments} {unit}"
    return f"{model.name}: right beats plausible at {counted}, plausible beats unrelated at {second}"


def headline(diagnosis: Diagnosis) -> str:
    """One sentence on top of the page: can the best model tell better from worse, where it counts?

    By balanced accuracy: who always says "better" has a good accuracy where that is commoner, and one half here.
    """
    group = judged_group(diagnosis)
    judged = [(model, own.pairs.balanced) for model, own in _each(diagnosis, group)]
    known = [(model, balanced) for model, balanced in judged if balanced is not None]
    play = PART_WORDS[group[0]]
    if not known:
        return f"There are no marks of both signs in {play} to judge by."
    model, balanced = max(known, key=lambda one: one[1].estimate)
    if balanced.episodes < FEWEST_EPISODES:
        return f"Too few marked episodes of {play} ({balanced.episodes}) to judge by."
    numbers = f"balanced accuracy {percent(balanced.estimate)}, where blind chance gives 50%"
    if balanced.low > 0.5:
        return f"On {play}, {model.name} tells better from worse: {numbers}."
    if balanced.high < 0.5:
        return f"On {play}, {model.name} does worse than blind chance: {numbers}."
    return f"On {play}, {model.name} cannot be told from blind chance: {numbers}."


def _each(diagnosis: Diagnosis, group: tuple[str, str]) -> list[tuple[ModelFindings, GroupFindings]]:
    found = [(model, model.group(*group)) for model in diagnosis.models]
    return [(model, own) for model, own in found if own is not None]


def _few(measure: Measure) -> str:
    return f" (of {measure.episodes} episodes only)" if measure.episodes < FEWEST_EPISODES else ""
