"""Episodes of LeRobot datasets: what they ask for, and bad ones, which end an import or are left out."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipelines.exchange.formats import import_episodes
from pipelines.exchange.lerobot.video import Film
from pipelines.exchange.settings import LeRobotImport
from rlhf.store import open_store
from tests.unit.pipelines.exchange.lerobot.foreign_lerobot import (
    ARM,
    DATA,
    EPISODES,
    FPS,
    arm_episode,
    import_arm,
    put,
    rewritten,
    write_lerobot,
)
from worlds.errors import UserError

# Requests


def _tasks(**columns: Any) -> Callable[[Path], None]:
    return lambda folder: pq.write_table(pa.table(columns), folder / "meta/tasks.parquet")


_NUMBERS, _TEXTS = pa.array([1, 0]), pa.array(["stack it", "lift the cube"])


@pytest.mark.parametrize(
    ("columns", "settings", "note"),
    [
        ({"task": _TEXTS}, {}, ""),
        ({"task": _TEXTS.dictionary_encode(), "task_index": _NUMBERS.dictionary_encode()}, {}, ""),
        ({"task": _TEXTS.cast(pa.large_string()), "task_index": _NUMBERS.cast(pa.uint8())}, {}, ""),
        ({"task": _TEXTS.cast(pa.string_view())}, {}, ""),
        ({"__index_level_0__": _TEXTS}, {}, ""),
        ({"description": _TEXTS}, {}, ""),
        ({"language": pa.array(["en", "en"]), "task": _TEXTS}, {}, "the column task, not language"),
        ({"task": pa.array(["", None]), "__index_level_0__": _TEXTS}, {}, "__index_level_0__, not task"),
        ({"task": pa.array(["x", "y"]), "task_en": _TEXTS}, {"instruction_column": "task_en"}, "task_en, not task"),
    ],
)
def test_the_column_of_requests_is_chosen_and_said(
    columns: dict[str, Any], settings: dict[str, Any], note: str, tmp_path: Path
) -> None:
    folder = write_lerobot(tmp_path / "arm", [arm_episode(3, "lift the cube"), arm_episode(2, "stack it")])
    _tasks(**{"task_index": _NUMBERS} | columns)(folder)
    notes = import_arm(folder, **settings).notes
    assert len(notes) == bool(note) and all(note in line and "--lerobot.instruction-column" in line for line in notes)
    store = open_store(tmp_path / "data")
    asked = [set(episode.setter_text) for episode in store.stream(store.ids())]
    assert asked == [{"lift the cube"}, {"stack it"}]


def test_requests_may_be_lines_of_json_or_a_feature_of_the_frames(tmp_path: Path) -> None:
    texts = {"language_instruction": ["pick"] * 3}
    features = ARM | {"language_instruction": {"dtype": "string", "shape": [1]}}
    folder = write_lerobot(tmp_path / "arm", [arm_episode(3) | texts], features)
    (folder / "meta/tasks.parquet").unlink()
    (folder / "meta/tasks.jsonl").write_text('{"task_index": 0, "task": "lift the cube"}\n')
    import_arm(folder)
    import_episodes(folder, tmp_path / "b", "lerobot", LeRobotImport(instruction_column="language_instruction"))
    for name, asked in (("data", "lift the cube"), ("b", "pick")):
        assert set(open_store(tmp_path / name).read("arm-000000").setter_text) == {asked}


@pytest.mark.parametrize(
    ("columns", "settings", "line"),
    [
        ({"task_de": _TEXTS, "task_en": _TEXTS}, {}, "task_de, task_en; name one with --lerobot.instruction-column"),
        ({"task": _TEXTS}, {"instruction_column": "words"}, "no column of texts words; it has task"),
        ({"task": _TEXTS, "task_index": pa.array([0, 0])}, {}, "several texts task for task 0"),
        ({"task": pa.array([None, "stack it"])}, {}, "has no task 1, which episode 1 has"),
    ],
)
def test_requests_that_are_not_clear_are_refused(
    columns: dict[str, Any], settings: dict[str, Any], line: str, tmp_path: Path
) -> None:
    folder = write_lerobot(tmp_path / "arm", [arm_episode(3, "lift the cube"), arm_episode(2, "stack it")])
    _tasks(**{"task_index": _NUMBERS} | columns)(folder)
    with pytest.raises(UserError, match=line):
        import_arm(folder, **settings)


# Bad episodes


def _row(table: pa.Table, name: str, row: int, value: Any) -> pa.Table:
    values = table[name].to_pylist()
    values[row] = value
    return table.set_column(table.column_names.index(name), name, pa.array(values, table[name].type))


def _moved(folder: Path) -> None:
    """Let the last episode lie in a file of data that is not there."""
    rewritten(EPISODES, lambda table: _row(table, "data/file_index", 2, 1))(folder)


@pytest.mark.parametrize(
    ("change", "left", "reason"),
    [
        (rewritten(DATA, lambda table: _row(table, "observation.state", 4, [np.nan, 0.0])), [0, 2], "not finite"),
        (rewritten(DATA, lambda table: _row(table, "action", 4, [np.inf, 0.0])), [0, 2], "not finite"),
        (rewritten(DATA, lambda table: _row(table, "frame_index", 5, 7)), [0, 2], "are not 0 to 2"),
        (
            rewritten(DATA, lambda table: pa.concat_tables([table.slice(0, 4), table.slice(5)])),
            [0, 2],
            "are not 0 to 2",
        ),
        (rewritten(DATA, lambda table: _row(table, "task_index", 6, 9)), [0, 1], "has no task 9"),
        (rewritten(EPISODES, lambda table: _row(table, "length", 0, 0)), [1, 2], "episode 0 has no place"),
        (rewritten(EPISODES, lambda table: table.slice(0, 2)), [0, 1], "has 3 episodes, .* 2"),
        (rewritten(EPISODES, lambda table: table.take([0, 2])), [0, 2], "are not numbered 0 to 1"),
        (_moved, [0, 1], "there is no file .*file-001.parquet"),
    ],
)
def test_one_bad_episode_of_three_may_be_skipped(
    change: Callable[[Path], None], left: list[int], reason: str, tmp_path: Path
) -> None:
    lengths = (3, 3, 1)
    folder = write_lerobot(tmp_path / "arm", [arm_episode(steps, seed=steps) for steps in lengths])
    change(folder)
    with pytest.raises(UserError, match=f"{reason}.*; --skip-bad"):
        import_arm(folder)
    imported = import_episodes(folder, tmp_path / "data", "lerobot", LeRobotImport(), skip_bad=True)
    store = open_store(tmp_path / "data")
    assert store.ids() == [f"arm-{number:06d}" for number in left] and store.verify() == []
    assert (imported.episodes, imported.steps) == (2, sum(lengths[number] for number in left))
    assert any(re.search(f"left out .*episode.*{reason}", line) for line in imported.notes)


def test_a_film_that_is_missing_costs_its_own_episodes(tmp_path: Path) -> None:
    features = ARM | {"observation.images.front": {"dtype": "video", "shape": [8, 10, 3]}}
    folder = write_lerobot(tmp_path / "arm", [arm_episode(5), arm_episode(3), arm_episode(4)], features)
    name = "videos/observation.images.front"
    for column, values in (("file_index", [0, 1, 0]), ("from_timestamp", [0.4, 0.0, 0.0])):
        path = f"{name}/{column}"
        rewritten(EPISODES, lambda table, path=path, values=values: put(table, path, values))(folder)
    film = Film(folder / f"{name}/chunk-000/file-000.mp4", FPS, 8, 10)
    film.add(np.repeat(np.arange(9, dtype=np.uint8) * 25, 8 * 10 * 3).reshape(9, 8, 10, 3))
    film.close()
    imported = import_episodes(folder, tmp_path / "data", "lerobot", LeRobotImport(), skip_bad=True)
    assert imported.episodes == 2 and "left out episode 1: there is no file" in imported.notes[0]
    store = open_store(tmp_path / "data")
    shades = [store.read(name).pictures().mean(axis=(1, 2, 3)) / 25 for name in store.ids()]
    assert [np.round(some).astype(int).tolist() for some in shades] == [[4, 5, 6, 7, 8], [0, 1, 2, 3]]
