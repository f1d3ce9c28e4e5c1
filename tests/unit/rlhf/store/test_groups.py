"""Short episodes that are recorded together: read, dropped, gathered and found again; kills while they are written."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from rlhf.records.episode import Episode
from rlhf.records.marks import Mark
from rlhf.store import MemoryStore, ParquetStore, open_store, rebuild_index, same_episode
from rlhf.store.group_writer import GroupWriter
from rlhf.store.synthetic import synthetic_episode, synthetic_play
from rlhf.store.upkeep import compaction
from tests.unit.rlhf.declared_spaces import SPACES
from tests.unit.rlhf.store.gathered import files, rows, small, spans
from tests.unit.rlhf.store.killed import killed
from worlds.errors import UserError

FIVE = [small(seed) for seed in range(5)]


@pytest.fixture(autouse=True)
def apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """No group is so small that it is put together with others."""
    monkeypatch.setattr(compaction, "LONG", 1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A dataset with e0 to e4 in one file, and e9, a long episode, in its own."""
    store = open_store(tmp_path / "data", create=True)
    store.write_group(FIVE)
    store.write(small(9))
    store.write_marks([Mark("e1", "ann", 2, 1, scripted=False)])
    return store.folder


def holds(folder: Path, seeds: list[int]) -> bool:
    """Return whether the dataset holds exactly these episodes, once, in this order, and nothing is wrong with it."""
    store = open_store(folder)
    assert store.ids() == [f"e{seed}" for seed in seeds]
    assert all(same_episode(store.read(f"e{seed}"), small(seed)) for seed in seeds)
    found = rows(folder)
    assert sorted(found["episodes"]) == sorted(store.ids()) and len(found["steps"]) == 6 * len(seeds)
    return store.verify() == []


# What is written and read


def test_a_group_is_one_file_of_each_table_and_one_line_of_the_index(folder: Path) -> None:
    assert holds(folder, [0, 1, 2, 3, 4, 9])
    (group,) = files(folder) - {"e9.parquet"}
    assert group.startswith("group-") and pq.ParquetFile(folder / "steps" / group).num_row_groups == 1
    lines = [json.loads(line) for line in (folder / "index.jsonl").read_text().splitlines()]
    assert [one["episode_id"] for one in lines[1]["episodes"]] == ["e0", "e1", "e2", "e3", "e4"]


@pytest.mark.parametrize("name", SPACES)
def test_episodes_of_a_group_are_read_as_they_were_written(name: str, tmp_path: Path) -> None:
    """All of them and in any order, with their fingerprints, whatever their spaces and lengths are."""
    episodes = [synthetic_play(seed, SPACES[name], steps=2 + 3 * seed) for seed in range(4)]
    store = open_store(tmp_path / "data", create=True)
    store.write_group(episodes)
    single = open_store(tmp_path / "single", create=True)
    for episode in episodes:
        single.write(episode)
    store = open_store(tmp_path / "data")
    for episode in (*episodes, *reversed(episodes)):
        assert same_episode(store.read(episode.episode_id), episode)
        learnt = store.read_compressed(episode.episode_id)
        other = single.read_compressed(episode.episode_id)
        assert learnt.frames == other.frames and (learnt.movement == other.movement).all()
        assert learnt.utterance == episode.utterance
        assert store.read_transcript(episode.episode_id) == single.read_transcript(episode.episode_id)
    assert store.rows() == single.rows() and store.fingerprints() == single.fingerprints()
    assert store.verify() == []


@pytest.mark.parametrize(
    "wrong, message",
    [
        (small(9), "episode e9 is in .* already"),
        (small(2), "two episodes are called e2"),
        (replace(small(7), world="another"), "episode e7 is of world another"),
        (synthetic_episode(7, 6, 5, 5, "e7"), "episode e7 has 5x5 images"),
        (replace(small(7), notes={"a": object()}), "episode e7 cannot be recorded"),
    ],
)
@pytest.mark.parametrize("in_memory", (True, False))
def test_a_group_with_a_wrong_episode_is_not_written(
    tmp_path: Path, wrong: Episode, message: str, in_memory: bool
) -> None:
    store = MemoryStore() if in_memory else open_store(tmp_path / "data", create=True)
    store.write(small(9))
    with pytest.raises(UserError, match=message):
        store.write_group([small(2), wrong])
    assert store.ids() == ["e9"] and store.verify() == []
    store.write_group([])
    store.write_group([small(2), small(7)])
    assert store.ids() == ["e9", "e2", "e7"]


# What is dropped, gathered and found again


def test_groups_are_gathered_as_they_are(folder: Path) -> None:
    store = open_store(folder)
    store.write_group([small(seed) for seed in (5, 6)])
    before = store.fingerprints()
    (group,) = {name for name in files(folder) if name.startswith("group-") and _rows_in(folder, name) == 30}
    whole = (folder / "steps" / group).read_bytes()
    store.compact()
    (pack,) = files(folder)
    begin, end = spans(folder, "e3")["steps"]
    assert (folder / "steps" / pack).read_bytes()[begin:end] == whole and spans(folder, "e0")["steps"] == [begin, end]
    assert pq.ParquetFile(folder / "steps" / pack).num_row_groups == 3
    assert holds(folder, [0, 1, 2, 3, 4, 9, 5, 6]) and store.fingerprints() == before
    store.compact()
    assert files(folder) == {pack}
    store.write(small(7))
    store.drop(["e3", "e6"])
    assert holds(folder, [0, 1, 2, 4, 9, 5, 7])
    store.compact()
    assert holds(folder, [0, 1, 2, 4, 9, 5, 7]) and len(files(folder)) == 1


def _rows_in(folder: Path, name: str) -> int:
    return pq.ParquetFile(folder / "steps" / name).metadata.num_rows


@pytest.mark.parametrize("compacted", (True, False))
def test_the_index_of_groups_is_recreated(folder: Path, compacted: bool) -> None:
    if compacted:
        open_store(folder).compact()
    before = open_store(folder).fingerprints()
    (folder / "index.jsonl").unlink()
    assert rebuild_index(folder) == 6
    store = open_store(folder)
    assert store.fingerprints() == before and store.verify() == []
    store.drop(["e0"])
    assert holds(folder, [seed for seed in (int(name[1:]) for name in store.ids())])


@pytest.mark.parametrize("compacted", (True, False))
def test_damage_to_a_group_costs_no_other_file(folder: Path, compacted: bool) -> None:
    if compacted:
        open_store(folder).compact()
        place = spans(folder, "e1")["steps"][0]
        (path,) = (folder / "steps").iterdir()
    else:
        (path,), place = (folder / "steps").glob("group-*"), 0
    data = bytearray(path.read_bytes())
    data[place + 60] ^= 1
    path.write_bytes(data)
    store = open_store(folder)
    with pytest.raises(UserError, match="is damaged .* remove episode e1 with `rlhf episodes drop`"):
        store.read("e1")
    assert same_episode(store.read("e9"), small(9))
    (folder / "index.jsonl").unlink()
    assert rebuild_index(folder) == 1


@pytest.mark.parametrize("line", ('{"episodes": 7}', '{"episodes": [7]}', '{"episodes": [{"file": "x"}]}'))
def test_a_line_of_several_that_lists_no_episodes_is_refused(folder: Path, line: str) -> None:
    with (folder / "index.jsonl").open("a") as file:
        file.write(line + "\n")
    with pytest.raises(UserError, match="line .* of .*index.jsonl .*--rebuild"):
        open_store(folder).ids()


# Kills


def test_a_kill_at_any_step_leaves_the_whole_group_or_nothing(folder: Path) -> None:
    moment, recorded = 0, 0
    while True:
        moment += 1
        copy = folder.parent / f"killed-{moment}"
        shutil.copytree(folder, copy)
        interrupted = killed(copy, lambda store: store.write_group([small(5), small(6), small(7)]), moment)
        there = [0, 1, 2, 3, 4, 9, 5, 6, 7] if "e5" in open_store(copy) else [0, 1, 2, 3, 4, 9]
        assert holds(copy, there)
        recorded += len(there) == 9
        shutil.rmtree(copy)
        if not interrupted:
            break
    assert moment > 8 and recorded > 1


@pytest.mark.parametrize("share", (0.1, 0.5, 0.99))
def test_a_line_that_a_failing_machine_cut_brings_the_whole_group_back(folder: Path, share: float) -> None:
    """The files are there, so that opening the dataset completes what the line did not."""
    path = folder / "index.jsonl"
    first, line, *_ = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + line[: int(share * len(line))])
    assert holds(folder, [9, 0, 1, 2, 3, 4]) or holds(folder, [0, 1, 2, 3, 4, 9])


@pytest.mark.parametrize("compacted", (True, False))
def test_a_kill_while_groups_are_dropped_or_gathered_leaves_every_other_episode_once(
    folder: Path, compacted: bool
) -> None:
    if compacted:
        open_store(folder).compact()
        open_store(folder).write_group([small(5), small(6)])

    def change(store: ParquetStore) -> None:
        store.drop(["e1", "e2"])
        store.compact()

    for moment in range(1, 200, 5):
        copy = folder.parent / f"killed-{moment}"
        shutil.copytree(folder, copy)
        interrupted = killed(copy, change, moment)
        store = open_store(copy)
        gone = {1, 2} if "e1" not in store else set()
        assert holds(copy, [seed for seed in (0, 1, 2, 3, 4, 9, *((5, 6) if compacted else ())) if seed not in gone])
        shutil.rmtree(copy)
        if not interrupted:
            break
    assert moment > 30


# What is gathered


class Clock:
    """A clock that only a test moves."""

    def __init__(self) -> None:
        self.sec = 100.0

    def __call__(self) -> float:
        return self.sec


@pytest.fixture
def clock() -> Clock:
    return Clock()


def written(steps: list[int], clock: Clock, seconds: float) -> list[list[int]]:
    """Return the lengths of the episodes of each group; each episode takes so many ``seconds``."""
    groups: list[list[int]] = []
    with GroupWriter(lambda episodes: groups.append([len(episode) for episode in episodes]), clock) as writer:
        for seed, length in enumerate(steps):
            clock.sec += seconds
            writer.add(synthetic_episode(seed, length, 4, 5))
    return groups


def test_what_is_gathered_is_written_when_play_is_interrupted(clock: Clock, tmp_path: Path) -> None:
    store = open_store(tmp_path / "data", create=True)
    with pytest.raises(KeyboardInterrupt), GroupWriter(store.write_group, clock) as writer:
        writer.add(FIVE[0])
        writer.add(FIVE[1])
        assert store.ids() == []
        raise KeyboardInterrupt
    assert store.ids() == ["e0", "e1"] and len(files(store.folder)) == 1
