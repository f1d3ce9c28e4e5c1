"""What Alice showed: her demonstrations, in Parquet files of 250 places each.

A file holds places and actions; what was seen is computed by playing them again (:meth:`Shown.states`). Every place
is played with its number as the seed, so any number of processes makes the same files.
"""

from __future__ import annotations

import itertools
import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from experiments.watch_and_help.benchmark import DEMONSTRATIONS, demonstration, task
from experiments.watch_and_help.demonstrations import demonstrate
from rlhf.run.progress import announce
from worlds.household.homes.placing import place
from worlds.household.navigation.ways import Ways
from worlds.household.rules import apply
from worlds.household.rules.joint import WAITING
from worlds.household.state.home import Home, State
from worlds.household.tasks.splits import SPLITS, TEST_1, TEST_2, goals_of

PER_FILE = 250
TASKS: Mapping[str, str] = {f"{split}_tasks": split for split in (TEST_1, TEST_2)}  # places of the tests' tasks
SETS = (*SPLITS, *TASKS)

_SCHEMA = pa.schema(
    [
        ("number", pa.int32()),
        ("name", pa.string()),
        ("goal", pa.string()),
        ("config", pa.string()),
        ("success", pa.bool_()),
        ("verb", pa.list_(pa.int8())),
        ("thing", pa.list_(pa.int16())),
        ("hand", pa.list_(pa.int8())),
    ]
)


@dataclass(frozen=True)
class Shown:
    """A demonstration as it was recorded.

    Args:
      number: within its set; also the seed of Alice's chance.
      name: of the task whose goal she shows, "" if it is of no task.
      acts: verb, row of the thing and hand at each step: int16 [steps, 3].
    """

    number: int
    name: str
    goal: Mapping[str, int]
    config: Mapping[str, Any]
    success: bool
    acts: np.ndarray

    def states(self) -> Iterator[tuple[Home, State]]:
        """Yield the home and its state before every step, and after the last. The state changes in place."""
        home, state = place(self.config)
        ways = Ways(home, state)
        yield home, state
        for verb, thing, hand in self.acts.tolist():
            apply(home, state, ways, ((verb, thing, hand), WAITING), self.number)
            yield home, state


def show(group: str, number: int) -> Shown:
    """Let Alice play a place.

    Args:
      group: "train", "test_1" or "test_2", or "test_1_tasks" or "test_2_tasks", the tasks in which she is helped later.
    """
    if group in TASKS:
        of = task(TASKS[group], number)
        name, config = of.name, dict(of.watch)
    else:
        name, config = "", demonstration(group, number)
    played = demonstrate(config, number)
    acts = np.array([[int(part) for part in setter] for setter, _ in played.acts], np.int16).reshape(-1, 3)
    return Shown(number, name, config["task"]["goal"], config, played.success, acts)


def file_of(folder: Path, group: str, chunk: int) -> Path:
    """Return the file of the places from ``chunk`` * PER_FILE on.

    Args:
      group: see :func:`show`.
      chunk: from 0.
    """
    return folder / f"{group}-{chunk:03d}.parquet"


def write_shown(path: Path, group: str, numbers: Sequence[int]) -> int:
    """Let Alice play places, and write them.

    Args:
      path: of the file, which is written whole or not at all.
      group: see :func:`show`.

    Returns:
      How many demonstrations succeeded.
    """
    every = [show(group, number) for number in numbers]
    columns = [
        [each.number for each in every],
        [each.name for each in every],
        [json.dumps(each.goal) for each in every],
        [json.dumps(each.config) for each in every],
        [each.success for each in every],
        *([each.acts[:, part] for each in every] for part in range(3)),
    ]
    arrays = [pa.array(column, field.type) for column, field in zip(columns, _SCHEMA, strict=True)]
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as unfinished:
        pq.write_table(pa.Table.from_arrays(arrays, schema=_SCHEMA), unfinished, compression="zstd")
    os.replace(unfinished.name, path)
    return sum(each.success for each in every)


def make_demonstrations(
    folder: Path, wanted: Mapping[str, int] | None = None, workers: int = 2, per_file: int = PER_FILE
) -> None:
    """Write all demonstrations that are not there yet, and print which share of them succeeded.

    Args:
      wanted: successful ones of each group; None means the published numbers, and 100 of the tasks of each test.
    """
    wanted = wanted or dict(DEMONSTRATIONS) | {group: len(goals_of(split)) for group, split in TASKS.items()}
    folder.mkdir(parents=True, exist_ok=True)
    for group, count in wanted.items():
        end = count if group in TASKS else None
        files, tried, succeeded = -(-count // per_file), 0, 0
        while succeeded < count:
            spans = [range(each * per_file, (each + 1) * per_file) for each in range(files)]
            spans = [span if end is None else range(span.start, min(span.stop, end)) for span in spans]
            paths = [file_of(folder, group, each) for each in range(files)]
            missing = [(path, group, span) for path, span in zip(paths, spans, strict=True) if not path.exists()]
            _write_all(missing, workers)
            tried, succeeded = _numbers(paths)
            if end is not None:
                break
            files += 1
        announce(f"demonstrations of {group}: {succeeded} of {tried} succeeded ({succeeded / tried:.1%})")


def _write_all(files: Sequence[tuple[Path, str, range]], workers: int) -> None:
    """Write files in some processes, or in this one."""
    if workers < 2 or len(files) < 2:
        for file in files:
            write_shown(*file)
    else:
        with ProcessPoolExecutor(workers) as pool:
            list(pool.map(write_shown, *zip(*files, strict=True)))


def _numbers(paths: Sequence[Path]) -> tuple[int, int]:
    """Demonstrations and successful ones in files."""
    success = [pq.read_table(path, columns=["success"])["success"].to_pylist() for path in paths]
    return sum(map(len, success)), sum(map(sum, success))


def load_shown(folder: Path, group: str, count: int | None = None) -> Iterator[Shown]:
    """Yield recorded demonstrations: successful ones, and of tasks all.

    Args:
      group: see :func:`show`.
      count: most that are yielded; None means all.
    """
    paths = itertools.takewhile(Path.exists, (file_of(folder, group, chunk) for chunk in itertools.count()))
    rows = (row for path in paths for row in pq.read_table(path).to_pylist())
    kept = (row for row in rows if row["success"] or group in TASKS)
    for row in itertools.islice(kept, count):
        acts = np.stack([np.array(row[part], np.int16) for part in ("verb", "thing", "hand")], axis=1)
        yield Shown(
            row["number"], row["name"], json.loads(row["goal"]), json.loads(row["config"]), row["success"], acts
        )
