"""Headlines: the result of a training in one sentence, for its report and the last line of its log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pipelines.stages.outcomes.replay_change import (
    METRICS,
    NAMES,
    Change,
    Measurement,
    Metric,
    Replays,
    change_of,
    compared_replays,
)
from rlhf.records.preferences import NOUNS, PREFERENCES
from rlhf.run.json_lines import Row
from rlhf.run.statistics import LEVEL, Interval, percent
from rlhf.run.tracking import column

_PLAY = {"held_out": "held-out play", "validation": "validation play"}  # in the order of preference
_NAMES: Mapping[Metric, str] = {
    "modelled_return": "the modelled return",
    "second_return": "the return by the second reward model",
    "true_success": "true success",
}


def improvement_headline(rows: list[Row]) -> str:
    """Return the outcomes of replays at the beginning and the end, with intervals, or that too few ended."""
    replays = compared_replays(rows)
    changes: dict[Metric, Change] = {metric: change_of(rows, replays, metric) for metric in METRICS}
    if all(found.last is None for found in changes.values()):
        return "No replay has ended yet."
    known = [
        f"{_NAMES[metric]} went from {measurement_text(found.first, metric)} to {measurement_text(found.last, metric)}"
        for metric, found in changes.items()
        if found.first is not None and found.last is not None
    ]
    sentences = []
    if known:
        listed = " and ".join([", ".join(known[:-1]), known[-1]] if known[1:] else known)
        sentences.append(f"On {NAMES[replays]} replays {listed} ({_counts(changes)}).")
    if not changes["true_success"].known and changes["true_success"].last is not None:
        sentences.append(too_few(changes["true_success"], replays))
    elif not known:
        sentences.append(too_few(changes["modelled_return"], replays, "plays"))
    return " ".join(sentences)


def too_few(found: Change, replays: Replays, what: str = "requests") -> str:
    """Return a sentence that too few plays ended to compare beginning and end, with the newest measurement."""
    sentence = f"Too few finished {what} on {NAMES[replays]} replays ({found.requests:,}) to compare beginning and end"
    metric: Metric = "true_success" if what == "requests" else "modelled_return"
    return f"{sentence}; {_NAMES[metric]} so far: {measurement_text(found.last, metric)}."


def measurement_text(measured: Measurement | None, metric: Metric) -> str:
    """Format a measurement, e.g. "42% (34 to 51%)" or "0.93 (0.81 to 1.05)"; "unknown" of None."""
    if measured is None:
        return "unknown"
    if metric == "true_success":
        return share_text(measured.value, measured.interval)
    bounds = (
        "" if measured.interval is None else f" ({number(measured.interval.low)} to {number(measured.interval.high)})"
    )
    return number(measured.value) + bounds


def share_text(share: float, interval: Interval | None) -> str:
    """Format a share with its interval: "42% (34 to 51%)"."""
    return percent(share) + ("" if interval is None else f" ({_plain(interval.low)} to {percent(interval.high)})")


def number(value: float) -> str:
    """Format a number with two decimals and a typographic minus."""
    return f"{value:.2f}".replace("-", "\N{MINUS SIGN}")


def cloning_headline(rows: list[Row], episodes: int | None = None) -> str:
    """Return the first and last imitation loss of a step's movement, and that of a constant prediction.

    Args:
      rows: rows of the run's metrics.
      episodes: number of held-out episodes; None if it is not known.
    """
    held_out = bool(column(rows, "bc_held_out/movement")[0])
    loss = column(rows, "bc_held_out/movement" if held_out else "bc/movement")[1]
    blind = column(rows, "bc/marginal_entropy")[1]
    if not loss:
        return "The imitation loss was not measured yet."
    where = "held-out play" if held_out else "training play (no held-out play was measured)"
    if held_out and episodes:
        where += f" ({episodes:,} episode{'s' if episodes > 1 else ''})"
    change = f"went from {loss[0]:.2f} to {loss[-1]:.2f}" if len(loss) > 1 else f"is {loss[-1]:.2f}"
    beside = f"; a constant prediction has {blind[0]:.2f}" if blind else ""
    return f"The loss of a step's movement on {where} {change} nats{beside}."


def reward_headline(rows: list[Row]) -> str:
    """Return the kept reward model's accuracy on marks and other preferences, with intervals, or the best so far."""
    sentences = []
    for where, play in _PLAY.items():
        accuracies = _of(rows, where, "pair_accuracy")
        if accuracies:
            sentences.append(_ordered(rows, where, play, accuracies))
            break
    sentences += [sentence for kind in PREFERENCES if (sentence := _agreed(rows, kind))]
    return " ".join(sentences) or "No pairs of moments were put in the right order yet."


def kept_accuracy(rows: list[Row], where: str, kind: str = "") -> Interval | None:
    """Return the accuracy of the kept model on "held_out" or "validation" play; None before the end.

    Args:
      rows: rows of the run's metrics.
      kind: the kind of preference; "" is pairs of moments by marks.
    """
    part = f"{kind}_" if kind else ""
    accuracy, low, high, count = (
        _of(rows, where, f"kept_{part}{name}") for name in ("accuracy", "accuracy_low", "accuracy_high", "episodes")
    )
    if not (accuracy and low and high and count):
        return None
    return Interval(accuracy[-1], low[-1], high[-1], int(count[-1]))


def _ordered(rows: list[Row], where: str, play: str, accuracies: Sequence[float]) -> str:
    kept, majority = kept_accuracy(rows, where), _of(rows, where, "majority")
    beside = f"; always predicting the more frequent sign: {percent(majority[-1])}" if majority else ""
    if kept is None:
        best = percent(max(accuracies))
        return f"At best {best} of the pairs of moments in {play} are put in the right order{beside}."
    episodes = f"{kept.count:,} episode{'s' if kept.count != 1 else ''}"
    sentence = f"{share_text(kept.estimate, kept)} of the pairs of moments in {play} ({episodes})"
    return f"{sentence} are put in the right order{beside}."


def _agreed(rows: list[Row], kind: str) -> str:
    """Return a sentence on the examples of one kind of preference; "" if none were evaluated."""
    nouns = f"the decided examples of {NOUNS[kind]}"
    for where, play in _PLAY.items():
        if (kept := kept_accuracy(rows, where, kind)) is not None:
            return f"{share_text(kept.estimate, kept)} of {nouns} in {play} are ordered as the raters did."
        if accuracies := _of(rows, where, f"{kind}_accuracy"):
            return f"At best {percent(max(accuracies))} of {nouns} in {play} are ordered as the raters did."
    return ""


def _of(rows: list[Row], where: str, name: str) -> list[float]:
    return column(rows, f"reward_model_{where}/{name}")[1]


def _counts(changes: Mapping[Metric, Change]) -> str:
    metric: Metric = "true_success" if changes["true_success"].known else "modelled_return"
    found = changes[metric]
    assert found.first is not None and found.last is not None
    what = "requests" if metric == "true_success" else "plays"
    return f"{percent(LEVEL)} intervals; {found.first.count:,} and {found.last.count:,} {what}"


def _plain(share: float) -> str:
    return percent(share).removesuffix("%")
