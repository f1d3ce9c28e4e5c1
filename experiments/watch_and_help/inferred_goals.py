"""Goals that were inferred from demonstrations: what the watch stage gives the help stage."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rlhf.store.files.durable import write_file
from worlds.errors import UserError
from worlds.household.tasks.goals import Goal

EARLY = (0.25, 0.5, 1.0)  # shares of a demonstration after which helpers begin


def goals_file(folder: Path, seed: int, split: str) -> Path:
    """Return the file of the goals that a seed's model inferred for the tasks of a split.

    Args:
      folder: of the whole experiment.
      seed: of the model.
      split: "test_1" or "test_2".
    """
    return folder / "watch" / f"seed-{seed}" / f"goals-{split}.json"


def save_goals(folder: Path, seed: int, split: str, goals: Mapping[str, Goal]) -> None:
    """Write inferred goals; arguments as those of :func:`goals_file`.

    Args:
      goals: count of each predicate, by the name of the task (:class:`worlds.household.tasks.benchmark.BenchmarkTask`)
        in whose place ``watch`` Alice was seen; predicates that are not expected are left out.
    """
    path = goals_file(folder, seed, split)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, (json.dumps(goals, indent=1) + "\n").encode())


def load_goals(folder: Path, seed: int, split: str) -> dict[str, dict[str, int]] | None:
    """Return inferred goals by task; None if nothing was inferred. Arguments as those of :func:`goals_file`."""
    path = goals_file(folder, seed, split)
    return json.loads(path.read_bytes()) if path.is_file() else None


Posteriors = Mapping[str, Mapping[str, Mapping[str, list[float]]]]  # share watched, task, predicate: of its counts


def posteriors_file(folder: Path, seed: int, split: str) -> Path:
    """Return the file of the distributions over goals; arguments as those of :func:`goals_file`."""
    return goals_file(folder, seed, split).with_name(f"posteriors-{split}.json")


def save_posteriors(folder: Path, seed: int, split: str, posteriors: Posteriors) -> None:
    """Write distributions over goals; arguments as those of :func:`goals_file`.

    Args:
      posteriors: probabilities of the counts 0, 1, ... of each predicate, by the share of the demonstration that was
        watched (e.g. "0.5") and the name of the task; predicates that are hardly possible are left out.
    """
    path = posteriors_file(folder, seed, split)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, (json.dumps(posteriors) + "\n").encode())


def load_posteriors(folder: Path, seed: int, split: str) -> Posteriors | None:
    """Return distributions over goals; None if there are none. Arguments as those of :func:`goals_file`."""
    path = posteriors_file(folder, seed, split)
    return json.loads(path.read_bytes()) if path.is_file() else None


@dataclass(frozen=True)
class Inferred:
    """What a model inferred for the tasks of a split.

    Args:
      goals: after whole demonstrations, by task.
      posteriors: see :func:`save_posteriors`; empty where there are none.
    """

    goals: Mapping[str, Goal]
    posteriors: Posteriors = field(default_factory=dict)

    def probable(self, task: str, share: float) -> Mapping[str, list[float]]:
        """Return the probabilities of the counts of a task's possible predicates.

        Args:
          task: its name.
          share: of the demonstration that was watched.

        Raises:
          UserError: nothing was inferred for the task after this share.
        """
        found = self.posteriors.get(str(share), {}).get(task)
        if found is None:
            raise UserError(f"no goal was inferred for {task} after {share:.0%} of it: run the part watch first")
        return found

    def goal(self, task: str, share: float = 1.0) -> Goal:
        """Return the most probable goal of a task. Arguments and errors as those of :meth:`probable`."""
        if share < 1.0:
            best = {text: each.index(max(each)) for text, each in self.probable(task, share).items()}
            return {text: count for text, count in best.items() if count}
        if task not in self.goals:
            raise UserError(f"no goal was inferred for {task}: run the part watch first")
        return self.goals[task]


def load_inferred(folder: Path, seed: int, split: str) -> Inferred | None:
    """Return all that was inferred; None if nothing was. Arguments as those of :func:`goals_file`."""
    goals = load_goals(folder, seed, split)
    return None if goals is None else Inferred(goals, load_posteriors(folder, seed, split) or {})
