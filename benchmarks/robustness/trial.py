"""Trials in groups, their execution and their outcomes."""

from __future__ import annotations

import json
import os
import random
import shutil
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.robustness.material import Material


@dataclass(frozen=True)
class Trial:
    """One trial.

    Args:
      run: called with an empty folder; returns what broke, or None if the expectation of the group held.
    """

    name: str
    run: Callable[[Path], str | None]


@dataclass(frozen=True)
class Group:
    """Trials of one kind.

    Args:
      name: name for ``--only``.
      expectation: what must hold in every trial, for the page.
      promises: sentences that a user can rely on, for the page.
      trials: returns all trials, from the material and a random generator.
      count: number of trials to draw without ``--count``; None runs all.
    """

    name: str
    tried: str
    expectation: str
    promises: tuple[str, ...]
    trials: Callable[[Material, random.Random], list[Trial]]
    count: int | None = None


@dataclass(frozen=True)
class Outcome:
    """Outcome of one trial; ``broke`` is None if it held."""

    group: str
    trial: str
    broke: str | None
    seconds: float


def drawn(group: Group, material: Material, seed: int, count: int | None = None) -> list[Trial]:
    """Draw the trials of a group that are run, the same for the same seed.

    Args:
      count: largest number of trials; None uses the group's own number.
    """
    rng = random.Random(f"{group.name} {seed}")
    trials = group.trials(material, rng)
    count = group.count if count is None else count
    if count is None or count >= len(trials):
        return trials
    chosen = sorted(rng.sample(range(len(trials)), count))
    return [trials[index] for index in chosen]


def run_trial(group: str, trial: Trial, folder: Path) -> Outcome:
    """Run one trial in the new folder ``folder``, which is removed afterwards if it held."""
    folder.mkdir(parents=True)
    began = time.monotonic()
    try:
        broke = trial.run(folder)
    except Exception as error:  # an exception of a reader is a trial that broke
        place = traceback.extract_tb(error.__traceback__)[-1]
        broke = f"{type(error).__name__}: {' '.join(str(error).split())} ({Path(place.filename).name}:{place.lineno})"
    if broke is None:
        shutil.rmtree(folder, ignore_errors=True)
    return Outcome(group, trial.name, broke, time.monotonic() - began)


def run_all(
    trials: Sequence[tuple[str, Trial]], folder: Path, jobs: int = 1, show: Callable[[Outcome], object] = lambda _: None
) -> list[Outcome]:
    """Run ``trials`` in ``jobs`` processes; return the outcomes in their order.

    Args:
      folder: parent of the trials' folders; those of trials that broke are kept.
      show: called with every outcome, in the process that ran it.
    """
    files = [folder / f"outcomes-{job}.jsonl" for job in range(jobs)]
    children = []
    for job, path in enumerate(files):
        if (child := os.fork()) == 0:
            _run_share(list(enumerate(trials))[job::jobs], folder, path, show)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    found = {}
    for path in files:
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            number = record.pop("number")
            found[number] = Outcome(**record)
    missing = [trial for number, trial in enumerate(trials) if number not in found]
    if missing:
        raise RuntimeError(f"{len(missing)} trials were never run, for example {missing[0][1].name}")
    return [found[number] for number in sorted(found)]


def _run_share(
    trials: Iterable[tuple[int, tuple[str, Trial]]], folder: Path, path: Path, show: Callable[[Outcome], object]
) -> None:
    """Run some of the trials, write a line of JSON for each to ``path``, and end this process."""
    with path.open("w", encoding="utf-8") as file:
        for number, (group, trial) in trials:
            outcome = run_trial(group, trial, folder / f"{number:04d}-{group}")
            file.write(json.dumps({"number": number, **asdict(outcome)}) + "\n")
            file.flush()
            show(outcome)
    os._exit(0)
