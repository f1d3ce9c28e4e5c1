"""Goals that were inferred from demonstrations: what the watch stage gives the help stage."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rlhf.store.files.durable import write_file
from worlds.errors import UserError
from worlds.household.tasks.goals import Goal

EARLY = (0.25, 0.5, 1.0)  # shares of a demonstration after which helpers begin


Goals = Mapping[str, Goal]  # task -> count of each predicate; those that are not expected are left out
# share watched, such as "0.5" -> task -> predicate that is possible -> probabilities of its counts 0, 1, ...
Posteriors = Mapping[str, Mapping[str, Mapping[str, list[float]]]]


def _file(folder: Path, seed: int, split: str, what: str) -> Path:
    return folder / "watch" / f"seed-{seed}" / f"{what}-{split}.json"


def _save(path: Path, found: Goals | Posteriors, indent: int | None = None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, (json.dumps(found, indent=indent) + "\n").encode())


def _load(path: Path) -> Any:
    return json.loads(path.read_bytes()) if path.is_file() else None


def save_goals(folder: Path, seed: int, split: str, goals: Goals) -> None:
    """Write the goals that a seed's model inferred after whole demonstrations of a split's tasks."""
    _save(_file(folder, seed, split, "goals"), goals, indent=1)


def load_goals(folder: Path, seed: int, split: str) -> dict[str, dict[str, int]] | None:
    """Return the goals that a seed's model inferred; None if it inferred none."""
    return _load(_file(folder, seed, split, "goals"))


def save_posteriors(folder: Path, seed: int, split: str, posteriors: Posteriors) -> None:
    """Write a seed's distributions over the goals of a split's tasks."""
    _save(_file(folder, seed, split, "posteriors"), posteriors)


@dataclass(frozen=True)
class Inferred:
    """What a model inferred for the tasks of a split.

    Args:
      posteriors: see :func:`save_posteriors`; empty where there are none.
    """

    goals: Goals
    posteriors: Posteriors = field(default_factory=dict)

    def probable(self, task: str, share: float) -> Mapping[str, list[float]]:
        """Return the probabilities of the counts of a task's possible predicates.

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
    """Return all that a seed's model inferred for the tasks of a split; None if it inferred nothing."""
    goals = load_goals(folder, seed, split)
    return None if goals is None else Inferred(goals, _load(_file(folder, seed, split, "posteriors")) or {})
