"""A dataset of demonstrations for the tests of watching."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from experiments.watch_and_help.watching.recorded import episode_id, record_shown
from rlhf.records.episode import Episode
from rlhf.store import open_store
from worlds.household.tasks.benchmark import task

NUMBERS = (40, 41, 61)  # of tasks of test_1, of two activities
GROUP = "test_1_tasks"


@cache
def _played(folder: Path) -> tuple[Episode, ...]:
    store_of = folder / "made"
    record_shown(store_of, GROUP, NUMBERS)
    store = open_store(store_of)
    return tuple(store.read(name) for name in store.ids())


def write_demonstrations(folder: Path, made: Path) -> dict[str, dict[str, int]]:
    """Write three demonstrations into a new dataset; return their goals by episode.

    Args:
      folder: of the dataset.
      made: a folder of the test session, in which they are played once.
    """
    store = open_store(folder, create=True)
    for episode in _played(made):
        store.write(episode)
    return {episode_id(GROUP, number): dict(task("test_1", number).goal) for number in NUMBERS}
