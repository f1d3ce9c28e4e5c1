"""`rlhf household tasks`: all tasks of Watch-And-Help as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

from experiments.watch_and_help.benchmark import DEMONSTRATIONS, demonstration, tasks
from rlhf.run.progress import announce, progress
from rlhf.store.files.durable import write_file
from worlds.household.tasks.splits import SPLITS, TEST_1, TEST_2, TRAIN, goals_of
from worlds.ranges import Count, Seed
from worlds.settings import settings


@settings
class HouseholdTasksConfig:
    """Settings of `rlhf household tasks`.

    Args:
      out: folder to write into; files of the same names are replaced.
      seed: of places; goals are the same for all seeds.
      tasks: of each split; none means all: 1,011 of training, 100 of each test.
      train_demonstrations: places in which goals of training are shown.
      test_1_demonstrations: likewise of test_1, whose goals are of one predicate set.
      test_2_demonstrations: likewise of test_2, whose goals are of two.
    """

    out: Path = Path("household-tasks")
    seed: Seed = 0
    tasks: Count | None = None
    train_demonstrations: Count = DEMONSTRATIONS[TRAIN]
    test_1_demonstrations: Count = DEMONSTRATIONS[TEST_1]
    test_2_demonstrations: Count = DEMONSTRATIONS[TEST_2]


def write_tasks(config: HouseholdTasksConfig) -> Path:
    """Write tasks and demonstrations of the three splits, and return their folder.

    ``train.jsonl``, ``test_1.jsonl`` and ``test_2.jsonl`` have a task a line, with the fields of
    a BenchmarkTask; ``train_demonstrations.jsonl`` and so on have a demonstration a
    line: its name, and the configuration of its place, which has the goal.
    """
    config.out.mkdir(parents=True, exist_ok=True)
    demonstrations = {
        TRAIN: config.train_demonstrations,
        TEST_1: config.test_1_demonstrations,
        TEST_2: config.test_2_demonstrations,
    }
    for split in SPLITS:
        goals = len(goals_of(split))
        lines = map(vars, tasks(split, config.seed))
        _write(config.out / f"{split}.jsonl", min(config.tasks or goals, goals), lines)
        shown = _demonstrations(split, config.seed)
        _write(config.out / f"{split}_demonstrations.jsonl", demonstrations[split], shown)
    return config.out


def _demonstrations(split: str, seed: int) -> Iterator[Mapping[str, Any]]:
    for number in count():
        yield {"name": f"{split}/demonstration-{number}", "config": demonstration(split, number, seed)}


def _write(path: Path, most: int, lines: Iterator[Mapping[str, Any]]) -> None:
    numbered = progress(range(most), most, path.name, "line")
    text = "".join(json.dumps(line) + "\n" for _, line in zip(numbered, lines, strict=False))
    write_file(path, text.encode())
    announce(f"wrote {most:,} lines to {path}")
