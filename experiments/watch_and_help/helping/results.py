"""Tables and figures of the help stage, from the files of all episodes so far.

For a task, the steps with a helper are compared with the mean steps of Alice alone in the same task. Speedup is the
paper's, alone / helped - 1 of each episode, below 0 where a helper is in the way; a failure has taken all 250 steps.
The authors' result files, of which the published figures of test 1 are, clip it: at 0, and 0 for a failure. The reward
is success - steps / 250, and -1 for a failure. Means are over tasks, of the means over tries; errors are standard
errors over tasks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from experiments.engine.config import slug
from experiments.engine.results_docs import ResultTable
from experiments.watch_and_help.helping import figures
from experiments.watch_and_help.helping.episodes import HelpEpisode, load_episodes
from experiments.watch_and_help.helping.figures import Measured
from experiments.watch_and_help.helping.methods import ALONE, METHODS
from experiments.watch_and_help.helping.published import ALL, CLIPPED, PUBLISHED
from pipelines.charts.style import png
from rlhf.store.files.durable import write_file
from worlds.household.tasks.progress import HORIZON
from worlds.household.tasks.sets import NAMES
from worlds.household.tasks.splits import TEST_1, TEST_2

MEASURES = ("success", "steps", "speedup", "reward", "undone", "waits", "questions")
BY_ACTIVITY = ("success", "speedup", "reward")
NONE = "–"


@dataclass(frozen=True)
class Results:
    """All episodes of the help stage so far.

    Args:
      episodes: by split, then by name of the helper.
    """

    episodes: Mapping[str, Mapping[str, Sequence[HelpEpisode]]]

    @classmethod
    def load(cls, folder: Path, names: Sequence[str] = tuple(METHODS)) -> Results:
        """Return what is in the folder of an experiment; helpers are in the order of ``names``."""
        found: dict[str, dict[str, list[HelpEpisode]]] = {}
        for split in (TEST_1, TEST_2):
            for name in names:
                paths = sorted((folder / "help").glob(f"seed-*/{split}/{slug(name)}-[0-9]*.json"))
                rows = [each for path in paths for each in load_episodes(path)]
                if rows:
                    found.setdefault(split, {})[name] = rows
        return cls(found)

    def activities(self, split: str) -> list[str]:
        """Return the activities of a split's tasks, and "all"; goals of two sets are only shown together."""
        sets = {each.sets for rows in self.episodes[split].values() for each in rows}
        return [*(name for name in NAMES if (name,) in sets), ALL]

    def measured(self, split: str, name: str, measure: str, activity: str = ALL) -> Measured | None:
        """Return a measure of a helper; None if nothing was measured.

        Args:
          split: of the tasks.
          name: of the helper.
          measure: one of ``MEASURES``; "undone" is the share of episodes in which the helper took away what satisfied
            Alice's goal, "waits" the share of the helper's steps without a plan, "questions" those that it asked.
          activity: name of a predicate set, or "all".
        """
        rows = [each for each in self.episodes[split].get(name, ()) if activity in (ALL, *each.sets)]
        alone = self._steps_alone(split) if measure == "speedup" else {}
        by_task: dict[str, list[float]] = {}
        for row in rows:
            if measure != "speedup" or row.task in alone:
                by_task.setdefault(row.task, []).append(_value(row, measure, alone.get(row.task, 0.0)))
        if not by_task:
            return None
        means = np.array([np.mean(values) for values in by_task.values()])
        error = float(np.std(means, ddof=1)) / len(means) ** 0.5 if len(means) > 1 else 0.0
        return Measured(float(means.mean()), error)

    def _steps_alone(self, split: str) -> dict[str, float]:
        steps: dict[str, list[int]] = {}
        for row in self.episodes[split].get(ALONE, ()):
            steps.setdefault(row.task, []).append(row.steps)
        return {task: float(np.mean(values)) for task, values in steps.items()}

    def markdown(self) -> str:
        """Return all tables, Markdown; "" if there are no episodes."""
        parts = []
        for split, helpers in self.episodes.items():
            parts += [f"## Help, {split.replace('_', '-')}", self._about(split), self.overview(split).markdown()]
            if len(self.activities(split)) > 1:
                for measure in BY_ACTIVITY:
                    clipped = measure == "speedup" and split in CLIPPED
                    about = f"{measure.capitalize()} by activity; published{', clipped at 0,' * clipped} in brackets."
                    parts += [about, self.by_activity(split, measure).markdown()]
            if any(each.contradicted for rows in helpers.values() for each in rows):
                about = (
                    "Things that the helper had placed and that Alice took away, and the steps after which the helper "
                    "no longer wanted them there."
                )
                parts += [about, self.revisions(split).markdown()]
            if early := self.early(split):
                about = (
                    "Helpers that begin when they have watched a share of the demonstration, and ask about counts of "
                    "which they are less than 90% sure."
                )
                parts += [about, early.markdown()]
        return "\n\n".join(part.rstrip("\n") for part in parts if part)

    def _about(self, split: str) -> str:
        rows = next(iter(self.episodes[split].values()))
        tasks, tries = len({each.task for each in rows}), len(rows)
        return f"{tasks} tasks, {tries / tasks:.0f} tries of each; means ± standard errors over tasks."

    def overview(self, split: str) -> ResultTable:
        """Return the table of all helpers over all tasks."""
        published = PUBLISHED.get(split, {})
        known_speedup = "published, clipped" if split in CLIPPED else "published"
        head = ("helper", "success", "published", "steps", "speedup", known_speedup, "reward", "published", "undone")
        rows = []
        for name in self.episodes[split]:
            known = published.get(name)
            row = [name]
            for measure in ("success", "steps", "speedup", "reward"):
                row.append(
                    _shown(
                        self.measured(split, name, measure) if (measure, name) != ("speedup", ALONE) else None, measure
                    )
                )
                if measure != "steps":
                    figure = known.of(measure, ALL) if known else None
                    row.append(NONE if figure is None else _number(figure, measure))
            undone = self.measured(split, name, "undone")
            rows.append((*row, NONE if undone is None else f"{100 * undone.mean:.0f}%"))
        return ResultTable(head, tuple(rows))

    def revisions(self, split: str) -> ResultTable:
        """Return how soon helpers drop what Alice contradicts, of those that she contradicted."""
        rows = []
        for name, episodes in self.episodes[split].items():
            if total := sum(each.contradicted for each in episodes):
                within = sum(each.contradicted > 0 for each in episodes) / len(episodes)
                delays = [delay for each in episodes for delay in each.delays if delay >= 0]
                median = f"{np.median(delays):.0f}" if delays else NONE
                mean = f"{np.mean(delays):.1f}" if delays else NONE
                share = f"{100 * len(delays) / total:.0f}%"
                rows.append((name, f"{100 * within:.0f}%", str(total), share, median, mean))
        head = ("helper", "episodes with some", "taken away", "dropped", "median steps", "mean steps")
        return ResultTable(head, tuple(rows))

    def early(self, split: str) -> ResultTable | None:
        """Return what helpers gain that begin early or ask; None if none of them played."""
        if not any(METHODS[name].needs_posterior for name in self.episodes[split] if name in METHODS):
            return None
        rows = []
        for name in self.episodes[split]:
            method = METHODS.get(name)
            if method is not None and method.helper == "planner" and method.goal == "inferred":
                asked = self.measured(split, name, "questions")
                cells = [_shown(self.measured(split, name, measure), measure) for measure in BY_ACTIVITY]
                questions = f"{asked.mean:.1f}" if asked and method.asks else NONE
                rows.append((f"{100 * method.watched:.0f}%", "yes" if method.asks else "no", *cells, questions))
        return ResultTable(("watched", "asks", *BY_ACTIVITY, "questions"), tuple(rows))

    def by_activity(self, split: str, measure: str) -> ResultTable:
        """Return the table of one measure of all helpers, by activity."""
        activities, published = self.activities(split), PUBLISHED.get(split, {})
        rows = []
        for name in self.episodes[split]:
            if (measure, name) == ("speedup", ALONE):
                continue
            cells = []
            for activity in activities:
                figure = published[name].of(measure, activity) if name in published else None
                beside = "" if figure is None else f" ({_number(figure, measure)})"
                cells.append(_shown(self.measured(split, name, measure, activity), measure) + beside)
            rows.append((name, *cells))
        return ResultTable(("helper", *(each.replace("_", " ") for each in activities)), tuple(rows))


def _value(row: HelpEpisode, measure: str, alone: float) -> float:
    if measure == "speedup":
        return alone / (row.steps if row.success else HORIZON) - 1
    if measure == "reward":
        return 1 - row.steps / HORIZON if row.success else -1.0
    if measure == "undone":
        return float(row.undone > 0)
    if measure == "waits":
        return row.waits[1] / max(row.steps, 1)
    return float(getattr(row, measure))


def _shown(measured: Measured | None, measure: str) -> str:
    if measured is None:
        return NONE
    mean = _number(measured.mean, measure)
    error = f"{100 * measured.error:.1f}" if measure == "success" else _number(measured.error, measure)
    return f"{mean} ± {error}"


def _number(value: float, measure: str) -> str:
    if measure == "success":
        return f"{100 * value:.1f}%"
    return f"{value:.1f}" if measure == "steps" else f"{value:.2f}"


def write_results(folder: Path) -> None:
    """Write tables as Markdown and JSON, and the figures, into ``folder``/help."""
    results = Results.load(folder)
    where = folder / "help"
    write_file(where / "table.md", (results.markdown() + "\n").encode())
    numbers = {
        split: {
            name: {
                measure: {
                    activity: asdict(found)
                    for activity in results.activities(split)
                    if (found := results.measured(split, name, measure, activity))
                }
                for measure in MEASURES
            }
            for name in helpers
        }
        for split, helpers in results.episodes.items()
    }
    write_file(where / "table.json", (json.dumps(numbers, indent=1) + "\n").encode())
    for split in results.episodes:
        bars = {
            measure: {
                name: {
                    activity: results.measured(split, name, measure, activity) for activity in results.activities(split)
                }
                for name in results.episodes[split]
            }
            for measure in BY_ACTIVITY
        }
        known = PUBLISHED.get(split, {})
        write_file(where / f"{split}-activities.png", png(figures.by_activity(bars, known)))
        write_file(where / f"{split}-speedup.png", png(figures.speedup_over_success(bars, known, split in CLIPPED)))
