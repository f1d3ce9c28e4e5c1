"""The files of a LeRobot dataset, written episode by episode."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.exchange.lerobot.arrow import arrow_type, to_arrow
from pipelines.exchange.lerobot.layout import (
    CARD,
    DATA_PATH,
    EPISODES_PATH,
    EVENTS,
    FILES_A_CHUNK,
    INFO,
    NUMBERED,
    STATS,
    TASKS,
    VERSION,
    VIDEO_PATH,
    Feature,
    place,
)
from pipelines.exchange.lerobot.statistics import Statistics, Together, of_numbers, of_pictures
from pipelines.exchange.lerobot.video import Film
from pipelines.exchange.lerobot.words import EVENTS_TYPE

_MB = 1_000_000
_EPISODES_A_FILE = 10_000  # of the table of episodes
_SUMMARISED = ("action", "observation.")  # beginnings of the columns that policies learn from


class Writer:
    """Writes a dataset into an empty folder.

    Args:
      rate: frames per second.
      file_mb: megabytes that a file has at least before the next one begins.
    """

    def __init__(self, out: Path, features: Mapping[str, Feature], rate: float, world: str, file_mb: float) -> None:
        self._out, self._rate, self._world, self._file_mb = out, rate, world, file_mb
        self._features = {**features, **NUMBERED}
        self._types = {name: EVENTS_TYPE if name == EVENTS else arrow_type(each) for name, each in self._kept().items()}
        self._tasks: dict[str, int] = {}
        self._episodes: list[dict[str, Any]] = []
        self._frames = 0
        self._statistics = Together()
        self._data = _Files(out, DATA_PATH)
        self._table: pq.ParquetWriter | None = None
        self._films: dict[str, Film] = {}
        self._film_files = {name: _Files(out, VIDEO_PATH, video_key=name) for name in self._videos()}
        self._film_info: dict[str, Any] = {}

    def add(self, columns: Mapping[str, Any], tasks: Sequence[str], pictures: np.ndarray | None, split: str) -> None:
        """Write one episode of T frames.

        Args:
          columns: values [T, ...] by column; those of ``language_events`` are an Arrow array.
          tasks: [T], what was asked for at each frame.
          pictures: uint8 [T, H, W, channels] of the columns of pictures and video; None without.
        """
        steps, number = len(tasks), len(self._episodes)
        columns = {**columns, **self._numbers(steps, number, tasks)}
        row: dict[str, Any] = {"episode_index": number, "tasks": list(dict.fromkeys(tasks)), "length": steps}
        row |= {"dataset_from_index": self._frames, "dataset_to_index": self._frames + steps, "split": split}
        statistics = {name: each for name in self._features if (each := self._summary(name, columns, pictures))}
        for name, found in statistics.items():
            row |= {f"stats/{name}/{key}": value.tolist() for key, value in found.items()}
        row |= {f"data/{key}": value for key, value in self._write_rows(columns).items()}
        for name in self._videos():
            assert pictures is not None, "a dataset with video has pictures"
            row |= {f"videos/{name}/{key}": value for key, value in self._write_film(name, pictures).items()}
        self._statistics.add(statistics)
        self._episodes.append(row)
        self._frames += steps

    def close(self) -> None:
        """Write what describes the episodes."""
        if self._table is not None:
            self._table.close()
        for name in list(self._films):
            self._close_film(name)
        (self._out / INFO).parent.mkdir(exist_ok=True)
        self._write_json(INFO, self._info())
        self._write_json(STATS, self._statistics.to_json())
        texts = pd.Index(list(self._tasks), name="task")
        pd.DataFrame({"task_index": range(len(self._tasks))}, index=texts).to_parquet(self._out / TASKS)
        self._write_episodes()
        (self._out / CARD).write_text(_CARD, encoding="utf-8")

    def _kept(self) -> dict[str, Feature]:
        """Columns of the files of data."""
        return {name: feature for name, feature in self._features.items() if feature.dtype != "video"}

    def _videos(self) -> list[str]:
        return [name for name, feature in self._features.items() if feature.dtype == "video"]

    def _numbers(self, steps: int, number: int, tasks: Sequence[str]) -> dict[str, np.ndarray]:
        frames = np.arange(steps)
        return {
            "timestamp": frames / self._rate,
            "frame_index": frames,
            "episode_index": np.full(steps, number),
            "index": self._frames + frames,
            "task_index": np.array([self._tasks.setdefault(task, len(self._tasks)) for task in tasks]),
        }

    def _summary(self, name: str, columns: Mapping[str, Any], pictures: np.ndarray | None) -> Statistics | None:
        """Statistics of a column that policies learn from or that numbers the frames; None of others."""
        feature = self._features[name]
        if feature.dtype in ("image", "video"):
            return None if pictures is None else of_pictures(pictures)
        if name in NUMBERED or name.startswith(_SUMMARISED):
            return of_numbers(np.asarray(columns[name]).reshape(-1, *feature.shape))
        return None

    def _write_rows(self, columns: Mapping[str, Any]) -> dict[str, int]:
        """Write an episode as a row group; return the numbers of its file."""
        if self._table is not None and self._data.full(self._file_mb):
            self._table.close()
            self._table = None
        arrays = [
            columns[name] if name == EVENTS else to_arrow(columns[name], self._features[name]) for name in self._types
        ]
        rows = pa.table(arrays, schema=pa.schema(self._types.items()))
        if self._table is None:
            self._table = pq.ParquetWriter(self._data.next(), rows.schema, compression="snappy")
        self._table.write_table(rows, row_group_size=max(1, len(rows)))
        return self._data.numbers

    def _write_film(self, name: str, pictures: np.ndarray) -> dict[str, Any]:
        """Add an episode to a film; return the numbers of its file, and where in it the episode lies."""
        files = self._film_files[name]
        if name in self._films and files.full(self._file_mb):
            self._close_film(name)
        if name not in self._films:
            self._films[name] = Film(files.next(), self._rate, *pictures.shape[1:3])
        film = self._films[name]
        begin = film.frames / self._rate
        film.add(pictures)
        return files.numbers | {"from_timestamp": begin, "to_timestamp": film.frames / self._rate}

    def _close_film(self, name: str) -> None:
        film = self._films.pop(name)
        film.close()
        self._film_info[name] = film.info() | {"video.fps": self._rate}

    def _write_episodes(self) -> None:
        for first in range(0, len(self._episodes), _EPISODES_A_FILE):
            numbers = place(first // _EPISODES_A_FILE)
            marked = {f"meta/episodes/{key}": value for key, value in numbers.items()}
            rows = [row | marked for row in self._episodes[first : first + _EPISODES_A_FILE]]
            path = self._out / EPISODES_PATH.format(**numbers)
            path.parent.mkdir(parents=True, exist_ok=True)
            table = pa.Table.from_pylist([{key: row[key] for key in row if key != "split"} for row in rows])
            pq.write_table(table, path)

    def _info(self) -> dict[str, Any]:
        features = {name: feature.to_json() for name, feature in self._features.items()}
        for name, info in self._film_info.items():
            features[name]["info"] = info
        rate = int(self._rate) if float(self._rate).is_integer() else self._rate
        return {
            "codebase_version": VERSION,
            "robot_type": self._world,
            "total_episodes": len(self._episodes),
            "total_frames": self._frames,
            "total_tasks": len(self._tasks),
            "chunks_size": FILES_A_CHUNK,
            "data_files_size_in_mb": max(1, round(self._file_mb)),
            "video_files_size_in_mb": max(1, round(self._file_mb)),
            "fps": rate,
            "splits": self._splits(),
            "data_path": DATA_PATH,
            "video_path": VIDEO_PATH if self._videos() else None,
            "features": features,
        }

    def _splits(self) -> dict[str, str]:
        """Numbers of the episodes of each part, "begin:end"."""
        parts = [row["split"] for row in self._episodes]
        return {part: f"{parts.index(part)}:{parts.index(part) + parts.count(part)}" for part in dict.fromkeys(parts)}

    def _write_json(self, name: str, value: Any) -> None:
        (self._out / name).write_text(json.dumps(value, indent=4) + "\n", encoding="utf-8")


class _Files:
    """Files that are written one after the other."""

    def __init__(self, out: Path, template: str, **names: str) -> None:
        self._out, self._template, self._names = out, template, names
        self._count = 0
        self._path = out

    @property
    def numbers(self) -> dict[str, int]:
        """Numbers of the file that is written now."""
        return place(self._count - 1)

    def full(self, file_mb: float) -> bool:
        """Return whether the file that is written now is large enough."""
        return self._path.stat().st_size >= file_mb * _MB

    def next(self) -> Path:
        """Begin another file."""
        self._count += 1
        self._path = self._out / self._template.format(**self._names, **self.numbers)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        return self._path


_CARD = """---
tags:
- LeRobot
- interactive-rlhf
task_categories:
- robotics
configs:
- config_name: default
  data_files: data/*/*.parquet
---

This dataset was exported by interactive-rlhf in the format of LeRobot's dataset v3. One frame is one step. The file
`interactive-rlhf.jsonl` holds what that format has no place for; `rlhf episodes import --from lerobot` reads both.
"""
