"""A LeRobot dataset as other programs write them, for tests of what reads it."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from pipelines.exchange.formats import Imported, import_episodes
from pipelines.exchange.settings import LeRobotImport

FPS = 10
DATA, EPISODES = "data/chunk-000/file-000.parquet", "meta/episodes/chunk-000/file-000.parquet"
ARM = {
    "observation.state": {"dtype": "float32", "shape": [2], "names": {"motors": ["shoulder", "elbow"]}},
    "action": {"dtype": "float32", "shape": [2], "names": ["shoulder", "elbow"]},
    "observation.images.front": {"dtype": "image", "shape": [3, 8, 10], "names": ["channels", "height", "width"]},
}
_NUMBERS = ("timestamp", "frame_index", "episode_index", "index", "task_index")


def arm_episode(steps: int, task: str = "lift the cube", seed: int = 0) -> dict[str, Any]:
    """Columns of an episode of an arm with one camera."""
    rng = np.random.default_rng(seed)
    return {
        "observation.state": rng.normal(size=(steps, 2)).astype(np.float32),
        "action": rng.uniform(-2, 3, (steps, 2)).astype(np.float32),
        "observation.images.front": rng.integers(0, 256, (steps, 8, 10, 3)).astype(np.uint8),
        "task": [task] * steps,
    }


def write_lerobot(
    folder: Path,
    episodes: Sequence[Mapping[str, Any]],
    features: Mapping[str, Any] = ARM,
) -> Path:
    """Write a dataset with all episodes in one row group; return its folder.

    Args:
      episodes: columns of each, [T, ...]; "task" has the text at every frame.
      features: as ``meta/info.json`` declares them; those of video have no column.
    """
    lengths = [len(episode["task"]) for episode in episodes]
    tasks = list(dict.fromkeys(task for episode in episodes for task in episode["task"]))
    columns: dict[str, Any] = {
        "timestamp": pa.array(np.concatenate([np.arange(n) / FPS for n in lengths]).astype(np.float32)),
        "frame_index": np.concatenate([np.arange(n) for n in lengths]),
        "episode_index": np.repeat(np.arange(len(lengths)), lengths),
        "index": np.arange(sum(lengths)),
        "task_index": [tasks.index(task) for episode in episodes for task in episode["task"]],
    }
    for name, feature in features.items():
        if feature["dtype"] != "video":
            values = [value for episode in episodes for value in episode[name]]
            columns[name] = _column(values, feature["dtype"])
    for part in ("data/chunk-000", "meta/episodes/chunk-000"):
        (folder / part).mkdir(parents=True)
    pq.write_table(pa.table(columns), folder / DATA)
    ends = np.cumsum(lengths)
    about: dict[str, Any] = {
        "episode_index": range(len(lengths)),
        "tasks": [sorted(set(episode["task"])) for episode in episodes],
        "length": lengths,
        "data/chunk_index": [0] * len(lengths),
        "data/file_index": [0] * len(lengths),
        "dataset_from_index": ends - lengths,
        "dataset_to_index": ends,
    }
    for name in (name for name, feature in features.items() if feature["dtype"] == "video"):
        begins = {"from_timestamp": (ends - lengths) / FPS, "to_timestamp": ends / FPS}
        numbers = {"chunk_index": [0] * len(lengths), "file_index": [0] * len(lengths)}
        about |= {f"videos/{name}/{key}": value for key, value in (begins | numbers).items()}
    pq.write_table(pa.table({key: list(value) for key, value in about.items()}), folder / EPISODES)
    pd.DataFrame({"task_index": range(len(tasks))}, index=tasks).to_parquet(folder / "meta/tasks.parquet")
    numbered = {name: {"dtype": "float32" if name == "timestamp" else "int64", "shape": [1]} for name in _NUMBERS}
    said: dict[str, Any] = {
        "codebase_version": "v3.0",
        "robot_type": "so101",
        "total_episodes": len(lengths),
        "fps": FPS,
        "data_path": "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
        "video_path": "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4",
        "features": {**features, **numbered},
    }
    (folder / "meta/info.json").write_text(json.dumps(said))
    return folder


def _column(values: Sequence[Any], dtype: str) -> Any:
    if dtype == "image":
        return [{"bytes": _png(value), "path": None} for value in values]
    return [value.tolist() if isinstance(value, np.ndarray) else value for value in values]


def _png(pixels: np.ndarray) -> bytes:
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


def rewritten(name: str, change: Callable[[pa.Table], pa.Table]) -> Callable[[Path], None]:
    """Return what changes the table in the file ``name`` of a dataset."""
    return lambda folder: pq.write_table(change(pq.read_table(folder / name)), folder / name)


def column(name: str, values: Any, file: str = DATA) -> Callable[[Path], None]:
    """Return what puts other values into a column."""
    return rewritten(file, lambda table: table.set_column(table.column_names.index(name), name, pa.array(values)))


def cell(name: str, row: int, value: Any, file: str = DATA) -> Callable[[Path], None]:
    """Return what puts another value into a row of a column."""

    def changed(table: pa.Table) -> pa.Table:
        values = table[name].to_pylist()
        values[row] = value
        return table.set_column(table.column_names.index(name), name, pa.array(values, table[name].type))

    return rewritten(file, changed)


def info(change: Callable[[dict[str, Any]], Any]) -> Callable[[Path], None]:
    """Return what changes the object in ``meta/info.json``."""

    def changed(folder: Path) -> None:
        said = json.loads((folder / "meta/info.json").read_text())
        change(said)
        (folder / "meta/info.json").write_text(json.dumps(said))

    return changed


def import_arm(folder: Path, **settings: Any) -> Imported:
    """Import a dataset into the folder "data" beside it."""
    return import_episodes(folder, folder.parent / "data", "lerobot", LeRobotImport(**settings))
