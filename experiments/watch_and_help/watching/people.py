"""How well people infer goals: the human baseline of the watch stage, beside models that watched the same.

Precision and recall are those of :mod:`experiments.watch_and_help.watching.measures`, over all answers together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments.engine.results_docs import ResultTable
from experiments.engine.rows import Row, Rows, of_seeds, value
from experiments.engine.table import Cell, table
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


@dataclass(frozen=True)
class Watched:
    """A demonstration, and who inferred which goal from it.

    Args:
      split: "test_1" or "test_2" of a task's; else OTHER.
      task: name of the task; "" for none.
      goal: the true one.
    """

    split: str
    task: str
    goal: Goal
    answers: Sequence[InferredGoal]


def watched_in(store: ParquetStore, scripted: bool = False) -> list[Watched]:
    """Return the demonstrations of a dataset from which goals were inferred, in the order of recording.

    Args:
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


def answers_of_people(watched: Sequence[Watched]) -> list[Row]:
    """Return a row for each answer of people; ``seed`` is the number of the rater."""
    raters = sorted({answer.rater for each in watched for answer in each.answers})
    return [
        _row(PEOPLE, raters.index(answer.rater), number, each, answer.counts, answer.seconds)
        for number, each in enumerate(watched)
        for answer in each.answers
    ]


def answers_of_models(watched: Sequence[Watched], experiment: Path) -> list[Row]:
    """Return a row for each goal that an experiment's models, one a seed, inferred for the same tasks."""
    seeds = sorted(int(path.name.removeprefix("seed-")) for path in (experiment / "watch").glob("seed-*"))
    goals = {(seed, split): load_goals(experiment, seed, split) or {} for seed in seeds for split in (TEST_1, TEST_2)}
    return [
        _row(MODELS, seed, number, each, goals[seed, each.split][each.task])
        for seed in seeds
        for number, each in enumerate(watched)
        if each.task in goals.get((seed, each.split), {})
    ]


def _row(
    by: str, who: int, number: int, watched: Watched, said: Mapping[str, int], seconds: float | None = None
) -> Row:
    """A row of one answer: things in the inferred goal, in the true one, and in both."""
    inferred, goal = counts_of(said).astype(np.int64), counts_of(watched.goal).astype(np.int64)
    measures: dict[str, float] = {
        "inferred": inferred.sum(),
        "wanted": goal.sum(),
        "both": np.minimum(inferred, goal).sum(),
    }
    if seconds is not None:
        measures["seconds"] = seconds
    exact = bool((inferred == goal).all())
    return Row("inferred goals", by, who, watched.split, str(number), exact, measures)


def share(rows: Rows, part: str, whole: str = "") -> Interval | None:
    """Return a measure's share of another one, over all answers, with an interval over raters and demonstrations.

    Args:
      part: "both" or "success".
      whole: "inferred" for precision, "wanted" for recall; "" counts answers.
    """
    parts = np.array([value(row, part) for row in rows], np.float64)
    wholes = np.array([row.measures[whole] for row in rows], np.float64) if whole else np.ones(len(rows))
    who = np.unique([row.seed for row in rows], return_inverse=True)[1]
    return crossed_interval(parts, wholes, who, np.array([int(row.episode) for row in rows]), seed=0)


def people_table(watched: Sequence[Watched], experiment: Path | None = None) -> ResultTable:
    """Return the table of a dataset: people, the models of an experiment, and chance, by split.

    Args:
      watched: from :func:`watched_in`.
      experiment: folder of `rlhf reproduce watch-and-help`; None leaves models out.
    """
    rows = list[Row]()
    for split in (TEST_1, TEST_2, OTHER):
        own = [each for each in watched if each.split == split]
        rows += answers_of_people(own)
        rows += answers_of_models(own, experiment) if experiment else []
        rows += [_row(CHANCE, 0, number, each, {}) for number, each in enumerate(own)]

    def by_chance(split: str) -> Accuracy:
        """Of the goal of a training task that is drawn at random."""
        training = np.stack([counts_of(each.goal) for each in goals_of(TRAIN)])
        return chance(training, np.stack([counts_of(each.goal) for each in watched if each.split == split]))

    def unless_chance(cell: Cell) -> Cell:
        return lambda own: "" if own[0].arm == CHANCE else cell(own)

    def shown(name: str, part: str, whole: str = "") -> Cell:
        def cell(own: Rows) -> str:
            if own[0].arm == CHANCE:
                return f"{getattr(by_chance(own[0].probe), name):.2f}"
            found = share(own, part, whole)
            return "" if found is None else f"{found.estimate:.2f} ({found.low:.2f} to {found.high:.2f})"

        return cell

    def time(own: Rows) -> str:
        seconds = [row.measures["seconds"] for row in own if "seconds" in row.measures]
        return f"{np.median(seconds):.0f} s" if seconds else ""

    columns = (
        ("raters or seeds", unless_chance(lambda own: str(len(of_seeds(own))))),
        ("demonstrations", lambda own: str(len({row.episode for row in own}))),
        ("answers", unless_chance(lambda own: str(len(own)))),
        ("precision", shown("precision", "both", "inferred")),
        ("recall", shown("recall", "both", "wanted")),
        ("whole goal", shown("exact", "success")),
        ("median time", time),
    )
    return table(rows, ("demonstrations of", "by"), columns, lambda row: (row.probe, row.arm))
