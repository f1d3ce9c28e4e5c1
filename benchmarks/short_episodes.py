"""Short episodes in files of their own, and in groups as `rlhf record` writes them: recording, size and reading.

    python -m benchmarks.short_episodes

The episodes are as BabyAI's: a symbolic grid, six steps. Both stores take turns, and the times are those of processor
time, so that other load on the machine hits both.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from benchmarks.timing import options
from rlhf.records.episode import Episode
from rlhf.records.spaces import EpisodeSpaces
from rlhf.store import ParquetStore, open_store
from rlhf.store.group_writer import GroupWriter
from rlhf.store.synthetic import synthetic_play
from worlds.spaces.action import ActionSpec, Discrete, FreeText
from worlds.spaces.observation import Grid, ObservationSpec, PlayerSpec

_SPEECH = FreeText(400)
_ACT = Discrete("action", ("left", "right", "forward", "pickup", "drop", "toggle", "done"), neutral=6)
SPACES = EpisodeSpaces(
    PlayerSpec(ObservationSpec(grid=Grid(7, 7, (11, 6, 4))), ActionSpec((_ACT,), speech=_SPEECH)),
    ActionSpec((), speech=_SPEECH),
)


def write_singly(store: ParquetStore, episodes: Iterable[Episode]) -> None:
    """Write every episode when it ends."""
    for episode in episodes:
        store.write(episode)


def write_in_groups(store: ParquetStore, episodes: Iterable[Episode]) -> None:
    """Write the episodes as `rlhf record` does."""
    with GroupWriter(store.write_group) as writer:
        for episode in episodes:
            writer.add(episode)


WAYS: dict[str, Callable[[ParquetStore, Iterable[Episode]], None]] = {
    "singly": write_singly,
    "in groups": write_in_groups,
}


def main() -> None:
    """Print what each way takes, and the ratio of the two."""
    chosen = options(
        __doc__, episodes=(1000, "how many"), steps=(6, "steps of each"), rounds=(5, "of each measurement")
    )
    episodes = [synthetic_play(seed, SPACES, chosen.steps) for seed in range(chosen.episodes)]
    shuffled = random.Random(0).sample([episode.episode_id for episode in episodes], len(episodes))
    took: dict[str, dict[str, list[float]]] = {}
    with tempfile.TemporaryDirectory(dir=".") as made:  # not on a disk in memory
        for number in range(chosen.rounds):
            for way, write in WAYS.items():
                store = open_store(Path(made) / f"{way}-{number}", create=True)
                measured = {
                    "recording": lambda store=store, write=write: write(store, episodes),
                    "opening": lambda store=store: open_store(store.folder).ids(),
                    "reading in order": lambda store=store: [store.read(each.episode_id) for each in episodes],
                    "reading at random": lambda store=store: [store.read(each) for each in shuffled],
                }
                for what, measure in measured.items():
                    began = time.process_time()
                    measure()
                    times = took.setdefault(what, {name: [] for name in WAYS})
                    times[way].append((time.process_time() - began) / len(episodes))
        sizes = {way: _size(Path(made) / f"{way}-0") / len(episodes) for way in WAYS}
    for what, times in took.items():
        _report(what, times)
    print(f"bytes on disk, an episode: {', '.join(f'{size:,.0f} {way}' for way, size in sizes.items())}")


def _report(what: str, times: dict[str, list[float]]) -> None:
    """Print the median of both times and of their ratio, and the lowest and highest ratio."""
    ratios = sorted(one / other for one, other in zip(*times.values(), strict=True))
    medians = ", ".join(f"{statistics.median(each) * 1e6:,.0f} us {way}" for way, each in times.items())
    spread = f"{statistics.median(ratios):.1f} times ({ratios[0]:.1f} to {ratios[-1]:.1f} in {len(ratios)} pairs)"
    print(f"{what}, an episode: {medians}: {spread}")


def _size(folder: Path) -> int:
    """Return the bytes of a folder, in blocks of the file system."""
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*"))


if __name__ == "__main__":
    main()
