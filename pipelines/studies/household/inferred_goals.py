"""Goals that were inferred from demonstrations: what the watch stage gives the help stage."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from rlhf.store.files.durable import write_file
from worlds.household.tasks.goals import Goal


def goals_file(folder: Path, seed: int, split: str) -> Path:
    """Return the file of the goals that a seed's model inferred for the tasks of a split.

    Args:
      folder: of the whole study.
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
