"""A recording before and after `rlhf episodes compact`: opening it with Hugging Face `datasets`, and reading from it.

python -m benchmarks.compaction                       # 3,000 synthetic episodes of 60 steps, 48x36 pixels
python -m benchmarks.compaction --data runs/play      # a copy of a dataset of your own, which is not changed
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from pathlib import Path

from benchmarks.timing import options
from rlhf.store import ParquetStore, open_store
from rlhf.store.parquet import FILE_MB
from rlhf.store.synthetic import synthetic_episode
from rlhf.store.transfer.shared_play import share_play


def main() -> None:
    """Make the dataset, compact a copy of it, and measure both in turns."""
    chosen = options(
        __doc__,
        data=(None, "a dataset to copy instead of synthetic episodes", Path),
        episodes=(3000, "how many"),
        steps=(60, "steps of a synthetic episode"),
        file_mb=(FILE_MB, "as of the command"),
        rounds=(5, "of each measurement"),
    )
    with tempfile.TemporaryDirectory(dir=".") as made:  # not on a disk in memory
        before, after = (Path(made) / name for name in ("before", "after"))
        if chosen.data is None:
            store = open_store(before, create=True)
            for seed in range(chosen.episodes):
                store.write(synthetic_episode(seed, chosen.steps))
        else:
            share_play(chosen.data, before)
        share_play(before, after)
        report_compaction(open_store(after), chosen.file_mb)
        stores = {"before": open_store(before), "after": open_store(after)}
        report_reading(stores, chosen.rounds)
        report_opening(stores, Path(made), chosen.rounds)


def report_compaction(store: ParquetStore, file_mb: float) -> None:
    """Compact ``store``, and print the files before and after, and the time."""
    files = len(_files(store))
    size = sum(path.stat().st_size for path in _files(store)) / 1e6
    began, computed = time.perf_counter(), time.process_time()
    store.compact(file_mb)
    took, computed = time.perf_counter() - began, time.process_time() - computed
    print(f"{len(store):,} episodes, {size:,.0f} MB of steps: {files:,} files before, {len(_files(store))} after")
    print(f"  compacting  {len(store) / took:,.0f} episodes a second, {len(store) / computed:,.0f} a second of a core")


def report_reading(stores: dict[str, ParquetStore], rounds: int, episodes: int = 200) -> None:
    """Print frames read a second of a core, of whole episodes in random order, each store in turn."""
    ids = random.Random(0).sample(stores["before"].ids(), min(episodes, len(stores["before"])))
    frames = sum(row.steps for row in stores["before"].rows() if row.episode_id in set(ids))
    took: dict[str, list[float]] = {name: [] for name in stores}
    for _ in range(rounds):
        for name, store in stores.items():
            began = time.process_time()
            for episode_id in ids:
                store.read(episode_id)
            took[name].append(time.process_time() - began)
    rates = ", ".join(f"{frames / min(times):,.0f} {name}" for name, times in took.items())
    ratio = statistics.median(one / other for one, other in zip(took["before"], took["after"], strict=True))
    print(f"  reading     frames a second of a core: {rates} ({ratio:.2f} times, median of {rounds} pairs)")


def report_opening(stores: dict[str, ParquetStore], folder: Path, rounds: int) -> None:
    """Print the time in which ``datasets.load_dataset`` opens each store for the first time, each in turn."""
    import datasets
    import datasets.config

    datasets.config.HF_HUB_OFFLINE = True
    datasets.disable_progress_bars()
    took: dict[str, list[tuple[float, float]]] = {name: [] for name in stores}
    for _ in range(rounds):
        for name, store in stores.items():
            with tempfile.TemporaryDirectory(dir=folder) as cache:
                began, computed = time.perf_counter(), time.process_time()
                steps = datasets.load_dataset(str(store.folder), split="train", cache_dir=cache)
                took[name].append((time.perf_counter() - began, time.process_time() - computed))
                assert len(steps) == sum(row.steps for row in store.rows())
    for name, times in took.items():
        wall, core = min(times)
        print(f"  load_dataset  {name:<8}{wall:.1f} s ({core:.1f} s of a core), the best of {rounds}")


def _files(store: ParquetStore) -> list[Path]:
    return list((store.folder / "steps").glob("*.parquet"))


if __name__ == "__main__":
    main()
