"""How well people infer goals: the human baseline of the watch stage, beside models that watched the same.

Precision and recall are those of :mod:`experiments.watch_and_help.watching.measures`, over all answers together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments.engine.results_docs import ResultTable
from experiments.watch_and_help.inferred_goals import load_goals
from experiments.watch_and_help.watching.frames import counts_of
from experiments.watch_and_help.watching.measures import Accuracy, chance
from experiments.watch_and_help.watching.recorded import TASK_NOTE
from rlhf.records.preferences import InferredGoal
from rlhf.replay.demonstrations import demonstrated_goal
from rlhf.run.statistics import Interval, crossed_interval
from rlhf.store import ParquetStore
from worlds.household.tasks.goals import Goal
from worlds.household.tasks.splits import TEST_1, TEST_2, TRAIN, goals_of

OTHER = "other demonstrations"
PEOPLE, MODELS, CHANCE = "people", "models", "chance"
HEAD = ("demonstrations of", "by", "raters or seeds", "demonstrations", "answers", "precision", "recall", "whole goal")
HEAD += ("median time",)


@dataclass(frozen=True)
class Watched:
    """A demonstration, and who inferred which goal from it.

    Args:
      split: "test_1" or "test_2" of a task's; else OTHER.
      task: name of the task; "" for none.
      goal: the true one.
      answers: of people.
    """

    split: str
    task: str
    goal: Goal
    answers: Sequence[InferredGoal]


@dataclass(frozen=True)
class Answers:
    """Inferred goals beside the true ones.

    Args:
      inferred: integers [answers, predicates], counts in the order of PREDICATES.
      goals: the same, true ones.
      who: int [answers], number of the rater, or of the model's seed.
      of: int [answers], number of the demonstration.
      seconds: that each answer took, as far as it is known.
    """

    inferred: np.ndarray
    goals: np.ndarray
    who: np.ndarray
    of: np.ndarray
    seconds: tuple[float, ...] = ()


@dataclass(frozen=True)
class Measured:
    """Accuracy with 95% intervals over raters (or seeds) and demonstrations; None where nothing was inferred."""

    precision: Interval | None
    recall: Interval | None
    exact: Interval | None


def watched_in(store: ParquetStore, scripted: bool = False) -> list[Watched]:
    """Return the demonstrations of a dataset from which goals were inferred, in the order of recording.

    Args:
      store: the dataset.
      scripted: those of programs instead of those of people.
    """
    by_episode: dict[str, list[InferredGoal]] = {}
    for answer in store.preferences(InferredGoal):
        if answer.scripted == scripted:
            by_episode.setdefault(answer.episode_id, []).append(answer)
    found = []
    for name in (name for name in store.ids() if name in by_episode):
        episode = store.read(name)
        goal, task = demonstrated_goal(episode), str(episode.notes.get(TASK_NOTE, ""))
        if goal is not None:
            split = task.partition("/")[0]
            found.append(Watched(split if split in (TEST_1, TEST_2) else OTHER, task, goal, by_episode[name]))
    return found


def measure(answers: Answers, seed: int = 0) -> Measured:
    """Measure answers; ``seed`` is that of the bootstrap."""
    common = np.minimum(answers.inferred, answers.goals).sum(1).astype(np.float64)
    right = (answers.inferred == answers.goals).all(1).astype(np.float64)

    def share(part: np.ndarray, whole: np.ndarray) -> Interval | None:
        return crossed_interval(part, whole.astype(np.float64), answers.who, answers.of, seed=seed)

    return Measured(
        share(common, answers.inferred.sum(1)), share(common, answers.goals.sum(1)), share(right, np.ones(len(right)))
    )


def answers_of_people(watched: Sequence[Watched]) -> Answers:
    """Return all answers of people about these demonstrations; there is one at least."""
    pairs = [(number, answer) for number, each in enumerate(watched) for answer in each.answers]
    raters = {name: number for number, name in enumerate(sorted({answer.rater for _, answer in pairs}))}
    return Answers(
        np.stack([_counts(answer.counts) for _, answer in pairs]),
        np.stack([_counts(watched[number].goal) for number, _ in pairs]),
        np.array([raters[answer.rater] for _, answer in pairs]),
        np.array([number for number, _ in pairs]),
        tuple(answer.seconds for _, answer in pairs if answer.seconds is not None),
    )


def answers_of_models(watched: Sequence[Watched], experiment: Path) -> Answers | None:
    """Return the goals that an experiment's models inferred for the same tasks, each seed once; None if there are none.

    Args:
      watched: demonstrations of one split.
      experiment: folder of `rlhf reproduce watch-and-help`.
    """
    seeds = sorted(int(path.name.removeprefix("seed-")) for path in (experiment / "watch").glob("seed-*"))
    inferred = {seed: load_goals(experiment, seed, watched[0].split) or {} for seed in seeds}
    found = [
        (number, rank, goals[each.task])
        for rank, goals in enumerate(inferred.values())
        for number, each in enumerate(watched)
        if each.task in goals
    ]
    if not found:
        return None
    return Answers(
        np.stack([_counts(goal) for _, _, goal in found]),
        np.stack([_counts(watched[number].goal) for number, _, _ in found]),
        np.array([rank for _, rank, _ in found]),
        np.array([number for number, _, _ in found]),
    )


def people_table(watched: Sequence[Watched], experiment: Path | None = None) -> ResultTable:
    """Return the table of a dataset: people, the models of an experiment, and chance, by split.

    Args:
      watched: from :func:`watched_in`.
      experiment: folder of `rlhf reproduce watch-and-help`; None leaves models out.
    """
    rows = []
    for split in (TEST_1, TEST_2, OTHER):
        own = [each for each in watched if each.split == split]
        if not own:
            continue
        rows.append(_row(split, PEOPLE, answers_of_people(own)))
        models = answers_of_models(own, experiment) if experiment else None
        rows += [_row(split, MODELS, models)] if models else []
        rows.append(_chance_row(split, own))
    return ResultTable(HEAD, tuple(rows))


def _row(split: str, by: str, answers: Answers) -> tuple[str, ...]:
    found = measure(answers)
    counts = (len(set(answers.who.tolist())), len(set(answers.of.tolist())), len(answers.goals))
    time = f"{np.median(answers.seconds):.0f} s" if answers.seconds else ""
    cells = (_cell(found.precision), _cell(found.recall), _cell(found.exact))
    return (split, by, *map(str, counts), *cells, time)


def _chance_row(split: str, watched: Sequence[Watched]) -> tuple[str, ...]:
    """The goal of a training task that is drawn at random."""
    training = np.stack([_counts(each.goal) for each in goals_of(TRAIN)])
    found: Accuracy = chance(training, np.stack([_counts(each.goal) for each in watched]))
    shares = (f"{share:.2f}" for share in (found.precision, found.recall, found.exact))
    return (split, CHANCE, "", str(len(watched)), "", *shares, "")


def _cell(found: Interval | None) -> str:
    return "" if found is None else f"{found.estimate:.2f} ({found.low:.2f} to {found.high:.2f})"


def _counts(goal: Mapping[str, int]) -> np.ndarray:
    return counts_of(goal).astype(np.int64)
