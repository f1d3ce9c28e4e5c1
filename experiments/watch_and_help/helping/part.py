"""The part "help": every helper plays the tasks of both tests with Alice, five times each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from pathlib import Path

from experiments.engine.page import Section, write_page
from experiments.watch_and_help.benchmark import BenchmarkTask, task
from experiments.watch_and_help.helping.agent_helper import weights_digest
from experiments.watch_and_help.helping.episodes import (
    TRIES,
    digest,
    episodes_file,
    play_episode,
    save_episodes,
)
from experiments.watch_and_help.helping.methods import METHODS, Method, possible_methods
from experiments.watch_and_help.helping.results import section_of
from experiments.watch_and_help.inferred_goals import load_inferred
from experiments.watch_and_help.policies.training import load_policies, policies_digest
from pipelines.stages.running.staged_run import Stage
from rlhf.run.progress import announce, progress
from worlds.household.tasks.splits import TEST_1, TEST_2, goals_of

SPLITS = (TEST_1, TEST_2)


@dataclass(frozen=True)
class HelpSettings:
    """Size of the comparison.

    Args:
      tries: of each task.
      tasks: numbers of the tasks of each test; None for all 100.
      splits: tests that are played.
      methods: helpers by name, in the order of the tables.
    """

    tries: int = TRIES
    tasks: Sequence[int] | None = None
    splits: Sequence[str] = SPLITS
    methods: Mapping[str, Method] = field(default_factory=lambda: METHODS)


FULL = HelpSettings()


def stages(folder: Path, seed: int, settings: HelpSettings = FULL) -> Iterator[Stage]:
    """Yield the stages of a seed: one try of one helper at the tasks of one test each, which writes the tables.

    The first try of all comes before the second, so that there is a whole table early. Helpers who lack the results of
    another part are left out; their stages follow when the part has run.
    """
    every: dict[str, dict[int, BenchmarkTask]] = {}
    for split in settings.splits:
        chosen = range(len(goals_of(split))) if settings.tasks is None else settings.tasks
        every[split] = {number: task(split, number) for number in chosen}
    for attempt, split in product(range(settings.tries), settings.splits):
        methods = possible_methods(folder, seed, split, settings.methods)
        left_out = [name for name in settings.methods if name not in methods]
        if left_out and attempt == 0:
            why = "left out until the parts watch, policies and marks have run"
            announce(f"{split}, seed {seed}: {why}: {', '.join(left_out)}")
        for name, method in methods.items():
            of = _learned_from(folder, split, seed, method)
            play = partial(_play, folder, split, seed, attempt, name, method, every[split], of)
            title = f"help: {name}, {split}, try {attempt + 1}" + f", {of}" * bool(of)
            yield Stage(title, f"{len(every[split])} tasks", play)


def _learned_from(folder: Path, split: str, seed: int, method: Method) -> str:
    """Return what tells the goals and policies that a helper has from others; "" for one that learned nothing."""
    inferred = load_inferred(folder, seed, split) if method.goal == "inferred" else None
    of = ""
    if inferred is not None:
        of = digest(inferred.posteriors if method.needs_posterior else inferred.goals)
    if method.is_learned:
        return f"{of}+{policies_digest(folder, seed)}"
    return weights_digest(method.agent) if method.agent is not None else of


def _play(
    folder: Path,
    split: str,
    seed: int,
    attempt: int,
    name: str,
    method: Method,
    every: Mapping[int, BenchmarkTask],
    of: str,
) -> None:
    """Play one try of a helper, and write rows, tables and figures."""
    inferred = load_inferred(folder, seed, split) if method.goal == "inferred" else None
    policies = load_policies(folder, seed) if method.is_learned else None
    title = f"{split}, seed {seed}: {name}, try {attempt + 1}"
    episodes = [
        play_episode(method, every[number], number, attempt, seed, inferred, policies)
        for number in progress(list(every), len(every), title, "episode")
    ]
    save_episodes(episodes_file(folder, seed, split, name, attempt), episodes, of)
    write_page(folder / "help", "Help", [section(folder)])


def section(folder: Path) -> Section:
    """Return the tables of the part; see :mod:`experiments.watch_and_help.parts`."""
    return section_of(folder)
