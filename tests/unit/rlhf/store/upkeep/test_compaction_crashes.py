"""Files of many episodes that are damaged, and kills and full disks while they are written."""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path

import pytest

from rlhf.store import open_store, rebuild_index, same_episode
from rlhf.store.upkeep import compaction
from tests.unit.rlhf.store.gathered import TWO, files, make_dataset, small, spans, whole
from tests.unit.rlhf.store.killed import killed
from worlds.errors import UserError


@pytest.fixture(autouse=True)
def apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every episode is long enough for a row group of its own."""
    monkeypatch.setattr(compaction, "LONG", 1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_dataset(tmp_path / "data")


# Damage


@pytest.mark.parametrize("place", (0.3, 0.5, 0.98))
@pytest.mark.parametrize("table", ("episodes", "steps"))
def test_one_damaged_episode_costs_no_other_of_its_file(folder: Path, table: str, place: float) -> None:
    """Whether its columns are damaged, or the footer that it has of its own."""
    open_store(folder).compact()
    begin, end = spans(folder, "e1")[table]
    (path,) = (folder / table).iterdir()
    data = bytearray(path.read_bytes())
    data[begin + int(place * (end - begin))] ^= 1
    path.write_bytes(data)
    store, others = open_store(folder), [0, 2, 3, 4]
    with pytest.raises(UserError, match="is damaged .* remove episode e1 with `rlhf episodes drop`"):
        store.read("e1")
    assert all(same_episode(store.read(f"e{seed}"), small(seed)) for seed in others)
    (folder / "index.jsonl").unlink()
    assert rebuild_index(folder) == 4
    store = open_store(folder)
    assert sorted(store.ids()) == [f"e{seed}" for seed in others] and same_episode(store.read("e2"), small(2))
    found = [(problem.file, problem.what) for problem in store.verify()]
    assert (f"steps/{path.name}", "1 of its episodes is not in the index") in found
    store.write(small(5))
    store.compact()
    assert path.exists()  # so that a copy of the damaged episode may still be made out of it


def test_damage_to_the_common_footer_is_reported_and_costs_no_episode(folder: Path) -> None:
    open_store(folder).compact()
    (path,) = (folder / "steps").iterdir()
    data = bytearray(path.read_bytes())
    data[-20] ^= 1
    path.write_bytes(data)
    store = open_store(folder)
    assert all(same_episode(store.read(f"e{seed}"), small(seed)) for seed in range(5))
    (problem,) = store.verify()
    assert problem.file == f"steps/{path.name}" and "other programs cannot read it" in problem.what
    store.write(small(5))
    store.compact()
    assert whole(folder, range(6))


def test_a_damaged_episode_stops_gathering_in_one_line(folder: Path) -> None:
    path = folder / "steps" / "e3.parquet"
    path.write_bytes(path.read_bytes()[:-100])
    store = open_store(folder)
    with pytest.raises(UserError, match=r"e3.parquet is damaged .* remove episode e3 with `rlhf episodes drop`"):
        store.compact(TWO)
    assert len(files(folder)) == 4 and not list(folder.rglob("*.part"))  # two in one file, and three single ones
    store.drop(["e3"])
    store.compact()
    assert len(store) == 4 and store.verify() == []


def test_a_missing_episode_stops_gathering_in_one_line(folder: Path) -> None:
    (folder / "episodes" / "e3.parquet").unlink()
    with pytest.raises(UserError, match=r"e3.parquet is damaged \(it is missing\)"):
        open_store(folder).compact()
    assert len(files(folder)) == 5 and not list(folder.rglob("*.part"))


@pytest.mark.parametrize(
    "places",
    [
        *(7, [], {}, {"steps": [0, 9]}),
        *({"steps": [0, 9], "episodes": place} for place in ([9, 0], [-1, 9], [0, 9, 9], [0, True], "09", None)),
    ],
)
def test_a_line_without_places_in_its_files_is_refused(folder: Path, places: object) -> None:
    path = folder / "index.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    lines[1]["bytes"] = places
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(UserError, match="line 2 of .* names no bytes of .*--rebuild"):
        open_store(folder)


# Kills and full disks


def test_a_kill_at_any_step_leaves_every_episode_once(folder: Path) -> None:
    moment, smaller = 0, 0
    while True:
        moment += 1
        copy = folder.parent / f"killed-{moment}"
        shutil.copytree(folder, copy)
        interrupted = killed(copy, lambda store: store.compact(TWO), moment)
        assert whole(copy)
        smaller += len(files(copy)) == 4  # the first file is there, the second is not
        if not interrupted:
            break
        if moment % 5 == 0:
            open_store(copy).compact(TWO)
            assert whole(copy) and len(files(copy)) == 3
        shutil.rmtree(copy)
    assert moment > 40 and smaller > 5


def test_a_full_disk_at_any_write_leaves_every_episode_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write, refused = os.write, 0
    for allowed in range(200):
        copy = folder.parent / f"full-{allowed}"
        shutil.copytree(folder, copy)
        store, left = open_store(copy), allowed

        def write_until_full(descriptor: int, data: memoryview) -> int:
            nonlocal left
            left -= 1
            if left < 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return write(descriptor, data[: max(1, len(data) // 2)] if left == 0 else data)

        monkeypatch.setattr(os, "write", write_until_full)
        try:
            store.compact(TWO)
        except UserError as error:
            refused += 1
            assert "no space is left" in str(error) and "\n" not in str(error)
        monkeypatch.setattr(os, "write", write)
        assert whole(copy) and not list(copy.rglob("*.part"))
        if left >= 0:
            break
    assert refused > 10
