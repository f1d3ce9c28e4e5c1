"""``kill -9`` in the middle of recording loses at most the episode being played, and two may record at once."""

from __future__ import annotations

import random
import signal
import time
from pathlib import Path

import pytest

from rlhf.store import open_store, same_episode
from rlhf.store.synthetic import synthetic_episode
from tests.processes import Printing


def record(folder: Path, name: str, episodes: int) -> None:
    """Record episodes, and print the id of each once it is durable."""
    store = open_store(folder, create=True)
    for seed in range(episodes):
        episode = synthetic_episode(seed, steps=20, height=12, width=16, episode_id=f"{name}-{seed}")
        store.write(episode)
        print(episode.episode_id, flush=True)


def holds(folder: Path, ids: list[str]) -> bool:
    """Whether each episode reads back as it was recorded."""
    store = open_store(folder)
    seeds = [int(episode_id.rpartition("-")[2]) for episode_id in ids]
    expected = [synthetic_episode(seed, 20, 12, 16, episode_id) for seed, episode_id in zip(seeds, ids, strict=True)]
    return all(map(same_episode, store.stream(ids), expected))


@pytest.mark.e2e
def test_what_was_recorded_survives_kill(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    moments = random.Random(0)
    recorded: list[str] = []
    for round_ in range(10):
        process = Printing(record, folder, f"round{round_}", 1_000_000)
        recorded += [process.stdout.readline().strip() for _ in range(moments.randint(1, 8))]
        time.sleep(moments.uniform(0, 0.01))
        process.kill()
        recorded += process.communicate().split()
        assert process.wait() == -signal.SIGKILL
        store = open_store(folder)
        lost_or_found = set(store.ids()) - set(recorded)
        assert len(lost_or_found) <= round_ + 1  # at most the one in each round that was whole but not yet printed
        assert store.verify() == []
        assert holds(folder, store.ids())
        assert set(recorded) <= set(store.ids())
    assert len(recorded) > 20


@pytest.mark.e2e
def test_two_record_into_one_dataset_and_one_is_killed(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    survivor, victim = Printing(record, folder, "survivor", 60), Printing(record, folder, "victim", 1_000_000)
    first = victim.stdout.readline().strip()
    time.sleep(0.05)
    victim.kill()
    from_victim = [first, *victim.communicate().split()]
    from_survivor = survivor.communicate().split()
    assert victim.wait() == -signal.SIGKILL
    assert survivor.wait() == 0 and from_survivor == [f"survivor-{seed}" for seed in range(60)]
    store = open_store(folder)
    assert store.verify() == []
    assert set(from_survivor) | set(from_victim) <= set(store.ids()) and len(store) - len(from_victim) in (60, 61)
    assert holds(folder, store.ids())
