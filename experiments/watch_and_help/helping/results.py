"""Tables and figures of the help stage, from the files of all episodes so far.

For a task, the steps with a helper are compared with the mean steps of Alice alone in the same task. Speedup is the
paper's, alone / helped - 1 of each episode, below 0 where a helper is in the way; a failure has taken all 250 steps.
The authors' result files, of which the published figures of test 1 are, clip it: at 0, and 0 for a failure. The reward
is success - steps / 250, and -1 for a failure. Means are over tasks, of the means over tries; errors are standard
errors over tasks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from experiments.engine.config import slug
from experiments.engine.page import Section
from experiments.engine.results_docs import ResultTable
from experiments.engine.rows import Row, Rows, grouped, rows_of, value
from experiments.engine.table import Cell, by_arm, table
from experiments.watch_and_help.helping import figures
from experiments.watch_and_help.helping.episodes import HelpEpisode, load_episodes
from experiments.watch_and_help.helping.figures import Measured
from experiments.watch_and_help.helping.methods import ALONE, METHODS
from experiments.watch_and_help.helping.published import ALL, CLIPPED, PUBLISHED
from worlds.household.tasks.progress import HORIZON
from worlds.household.tasks.sets import NAMES
from worlds.household.tasks.splits import TEST_1, TEST_2

BY_ACTIVITY = ("success", "speedup", "reward")
NONE = "–"
_DROPPED = "taken away"  # what the helper had placed, and the steps after which it no longer wanted it there


def load_rows(folder: Path, split: str, names: Iterable[str] = METHODS) -> list[Row]:
    """Return all episodes of a test so far, helpers in the order of ``names``.

    ``undone`` is 1 where the helper took away what satisfied Alice's goal, ``waits`` the share of the helper's steps
    without a plan. A row without a probe is one thing that Alice took away, with its ``delay``, -1 for never.
    """
    found = list[tuple[str, int, HelpEpisode]]()
    for name in names:
        for path in sorted((folder / "help").glob(f"seed-*/{split}/{slug(name)}-[0-9]*.json")):
            seed = int(path.parents[1].name.removeprefix("seed-"))
            found += [(name, seed, episode) for episode in load_episodes(path)]
    steps: dict[str, list[int]] = {}
    for _, _, episode in (each for each in found if each[0] == ALONE):
        steps.setdefault(episode.task, []).append(episode.steps)
    alone = {task: float(np.mean(values)) for task, values in steps.items()}
    place = f"watch-and-help/{split}"
    return [row for name, seed, one in found for row in _rows(place, name, seed, one, alone.get(one.task))]


def _rows(place: str, name: str, seed: int, one: HelpEpisode, alone: float | None) -> Iterator[Row]:
    measures = {
        "steps": one.steps,
        "reward": 1 - one.steps / HORIZON if one.success else -1.0,
        "undone": float(one.undone > 0),
        "waits": one.waits[1] / max(one.steps, 1),
        "questions": one.questions,
        "contradicted": one.contradicted,
    }
    if alone is not None:
        measures["speedup"] = alone / (one.steps if one.success else HORIZON) - 1
    episode = f"{one.task}#{one.attempt}"
    yield Row(place, name, seed, "+".join(one.sets), episode, one.success, measures)
    for delay in one.delays:
        yield Row(f"{place}/{_DROPPED}", name, seed, "", episode, measures={"delay": delay})


def over_tasks(rows: Rows, measure: str, activity: str = ALL) -> Measured | None:
    """Return the mean of a measure over tasks of one activity, or of all; None if nothing was measured."""
    by_task: dict[str, list[float]] = {}
    for row in rows:
        if activity in (ALL, *row.probe.split("+")) and (found := value(row, measure)) is not None:
            by_task.setdefault(row.episode.partition("#")[0], []).append(found)
    if not by_task:
        return None
    means = np.array([np.mean(values) for values in by_task.values()])
    error = float(np.std(means, ddof=1)) / len(means) ** 0.5 if len(means) > 1 else 0.0
    return Measured(float(means.mean()), error)


def section_of(folder: Path) -> Section:
    """Return the tables and figures of both tests; no paragraphs if there are no episodes."""
    found = [_of_test(load_rows(folder, split), split) for split in (TEST_1, TEST_2)]
    return Section(
        [row for one in found for row in one.rows],
        [part for one in found for part in one.parts],
        {name: figure for one in found for name, figure in one.figures.items()},
    )


def _of_test(every: Rows, split: str) -> Section:
    rows = rows_of(every, f"watch-and-help/{split}")
    if not rows:
        return Section()
    activities, first = _activities(rows), grouped(rows, by_arm).get(rows[0].arm, [])
    tasks = len({row.episode.partition("#")[0] for row in first})
    about = f"{tasks} tasks, {len(first) / tasks:.0f} tries of each; means ± standard errors over tasks."
    parts = [f"## Help, {split.replace('_', '-')}", about, overview(rows, split)]
    for measure in BY_ACTIVITY if len(activities) > 1 else ():
        clipped = ", clipped at 0," if measure == "speedup" and split in CLIPPED else ""
        parts += [f"{measure.capitalize()} by activity; published{clipped} in brackets."]
        parts += [by_activity(rows, split, measure, activities)]
    if any(row.measures["contradicted"] for row in rows):
        parts += [
            "Things that the helper had placed and that Alice took away, and the steps after which the helper no "
            "longer wanted them there.",
            revisions(every),
        ]
    if any(METHODS[arm].needs_posterior for arm in grouped(rows, by_arm)):
        parts += [
            "Helpers that begin when they have watched a share of the demonstration, and ask about counts of which "
            "they are less than 90% sure.",
            early(rows),
        ]
    return Section(every, parts, _figures(rows, split, activities))


def _activities(rows: Rows) -> list[str]:
    """The activities of the tasks, and "all"; goals of two sets are only shown together."""
    played = {row.probe for row in rows}
    return [*(name for name in NAMES if name in played), ALL]


def _over(measure: str, activity: str = ALL) -> Cell:
    """A cell with a mean over tasks; Alice alone is what speedup is measured against."""

    def cell(rows: Rows) -> str:
        found = None if (measure, rows[0].arm) == ("speedup", ALONE) else over_tasks(rows, measure, activity)
        if found is None:
            return NONE
        error = f"{100 * found.error:.1f}" if measure == "success" else _number(found.error, measure)
        return f"{_number(found.mean, measure)} ± {error}"

    return cell


def _published(split: str, measure: str, activity: str, form: str = "{}", otherwise: str = NONE) -> Cell:
    def cell(rows: Rows) -> str:
        known = PUBLISHED.get(split, {}).get(rows[0].arm)
        figure = known.of(measure, activity) if known else None
        return otherwise if figure is None else form.format(_number(figure, measure))

    return cell


def overview(rows: Rows, split: str) -> ResultTable:
    """Return the table of all helpers over all tasks."""

    def undone(own: Rows) -> str:
        found = over_tasks(own, "undone")
        return NONE if found is None else f"{100 * found.mean:.0f}%"

    columns = (
        ("success", _over("success")),
        ("published", _published(split, "success", ALL)),
        ("steps", _over("steps")),
        ("speedup", _over("speedup")),
        ("published, clipped" if split in CLIPPED else "published", _published(split, "speedup", ALL)),
        ("reward", _over("reward")),
        ("published", _published(split, "reward", ALL)),
        ("undone", undone),
    )
    return table(rows, "helper", columns)


def by_activity(rows: Rows, split: str, measure: str, activities: Sequence[str]) -> ResultTable:
    """Return the table of one measure of all helpers, by activity."""

    def cell(activity: str) -> Cell:
        ours, theirs = _over(measure, activity), _published(split, measure, activity, " ({})", "")
        return lambda own: ours(own) + theirs(own)

    columns = [(activity.replace("_", " "), cell(activity)) for activity in activities]
    return table((row for row in rows if (measure, row.arm) != ("speedup", ALONE)), "helper", columns)


def revisions(rows: Rows) -> ResultTable:
    """Return how soon helpers drop what Alice contradicts, of those that she contradicted."""

    def taken(own: Rows) -> int:
        return sum(int(row.measures.get("contradicted", 0)) for row in own)

    def delays(own: Rows) -> list[float]:
        return [delay for row in own if (delay := row.measures.get("delay", -1)) >= 0]

    def within(own: Rows) -> str:
        episodes = [row for row in own if row.probe]
        return f"{100 * sum(row.measures['contradicted'] > 0 for row in episodes) / len(episodes):.0f}%"

    columns = (
        ("episodes with some", within),
        ("taken away", lambda own: str(taken(own))),
        ("dropped", lambda own: f"{100 * len(delays(own)) / taken(own):.0f}%"),
        ("median steps", lambda own: f"{np.median(found):.0f}" if (found := delays(own)) else NONE),
        ("mean steps", lambda own: f"{np.mean(found):.1f}" if (found := delays(own)) else NONE),
    )
    lines = [arm for arm, own in grouped(rows, by_arm).items() if taken(own)]
    return table(rows, "helper", columns, lines=lines)


def early(rows: Rows) -> ResultTable:
    """Return what helpers gain that begin early or ask."""

    def asked(own: Rows) -> str:
        found = over_tasks(own, "questions")
        return f"{found.mean:.1f}" if found and METHODS[own[0].arm].asks else NONE

    def line(row: Row) -> tuple[str, str]:
        method = METHODS[row.arm]
        return f"{100 * method.watched:.0f}%", "yes" if method.asks else "no"

    planners = (row for row in rows if (METHODS[row.arm].helper, METHODS[row.arm].goal) == ("planner", "inferred"))
    columns = [*((measure, _over(measure)) for measure in BY_ACTIVITY), ("questions", asked)]
    return table(planners, ("watched", "asks"), columns, line)


def _figures(rows: Rows, split: str, activities: Sequence[str]) -> dict[str, figures.Figure]:
    helpers = grouped(rows, by_arm)
    bars = {
        measure: {
            name: {activity: over_tasks(own, measure, activity) for activity in activities}
            for name, own in helpers.items()
        }
        for measure in BY_ACTIVITY
    }
    known = PUBLISHED.get(split, {})
    return {
        f"{split}-activities.png": figures.by_activity(bars, known),
        f"{split}-speedup.png": figures.speedup_over_success(bars, known, split in CLIPPED),
    }


def _number(value: float, measure: str) -> str:
    if measure == "success":
        return f"{100 * value:.1f}%"
    return f"{value:.1f}" if measure == "steps" else f"{value:.2f}"
