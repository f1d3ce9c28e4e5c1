"""The files of a LeRobot dataset, which anybody may have written, read episode by episode.

Nothing in them is executed, no path in them leads out of the folder, and damage is one line that names the file.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from string import Formatter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.exchange.lerobot.arrow import to_numpy, to_texts
from pipelines.exchange.lerobot.layout import EPISODES, INFO, NUMBERED, TASKS, VERSION, Feature
from rlhf.store.columns.json_text import from_json
from worlds.errors import UserError

_CONVERT = "convert it with `python -m lerobot.scripts.convert_dataset_v21_to_v30` of the package lerobot"
_FORMAT = re.compile(r"(0?\d{1,2}d)?")  # of a number in a path, such as 03d
_PLACE = ("episode_index", "length", "data/chunk_index", "data/file_index")


@dataclass(frozen=True)
class Place:
    """An episode's place in the files.

    Args:
      number: of the episode.
      steps: number of frames.
      data: numbers of its file of data.
      films: numbers of its film by feature, and the second at which it begins there.
    """

    number: int
    steps: int
    data: tuple[int, int]
    films: Mapping[str, tuple[int, int, float]]


class Source:
    """A dataset.

    Args:
      folder: where it lies.

    Raises:
      UserError: there is no ``meta/info.json``, it is damaged, or it is of another version than v3.0.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._info_path = folder / INFO
        self._info = self._read_info()
        version = self._field("codebase_version", str)
        if not re.fullmatch(r"v3\.\d+", version):
            older = f"; {_CONVERT}" if version.startswith(("v1", "v2")) else "; update this program"
            raise UserError(f"{self._info_path} is of version {version}, this program reads {VERSION}{older}")
        self.rate = float(self._field("fps", (int, float)))
        if not 0 < self.rate < 1e6:
            raise UserError(f"{self._info_path}: fps is {self.rate}, no number of frames per second")
        self.features = self._features()

    @property
    def robot(self) -> str:
        """Type of the robot, "" where there is none."""
        found = self._info.get("robot_type")
        return found if isinstance(found, str) else ""

    @cached_property
    def depth_maps(self) -> frozenset[str]:
        """Features whose pictures are distances."""
        return frozenset(name for name in self.features if self._is_depth(name))

    @cached_property
    def tasks(self) -> dict[int, str]:
        """Texts of the tasks by their numbers.

        Raises:
          UserError: the file is missing or damaged.
        """
        path = self.folder / TASKS
        table = _table(path, None)
        texts = [name for name in table.column_names if pa.types.is_string(table.schema.field(name).type)]
        texts += [name for name in table.column_names if pa.types.is_large_string(table.schema.field(name).type)]
        if "task_index" not in table.column_names or not texts:
            raise UserError(f"{path} has no columns task_index and task; it has {', '.join(table.column_names)}")
        with _explained(path, "task_index"):
            numbers = to_numpy(table["task_index"], (1,)).reshape(-1).tolist()
            return dict(zip(numbers, to_texts(table[texts[0]]), strict=True))

    @cached_property
    def episodes(self) -> tuple[Place, ...]:
        """Places of all episodes, in the order of their numbers.

        Raises:
          UserError: the files are missing or damaged, or number the episodes otherwise than from 0 on.
        """
        paths = sorted((self.folder / EPISODES).glob("*/*.parquet"))
        if not paths:
            raise UserError(f"{self.folder / EPISODES} has no file; download the dataset again")
        places = sorted(itertools.chain.from_iterable(map(self._places, paths)), key=lambda place: place.number)
        if [place.number for place in places] != list(range(len(places))):
            raise UserError(f"{self.folder / EPISODES}: episodes are not numbered 0 to {len(places) - 1}")
        wanted = self._info.get("total_episodes")
        if isinstance(wanted, int) and wanted != len(places):
            raise UserError(f"{self._info_path} has {wanted} episodes, {self.folder / EPISODES} {len(places)}")
        return tuple(places)

    def rows(self, columns: Sequence[str]) -> Iterator[tuple[Place, pa.Table]]:
        """Yield the frames of every episode, in order.

        Args:
          columns: to read, besides those that number the frames.

        Raises:
          UserError: a file is missing or damaged, lacks a column, or has other frames than described.
        """
        names = list(dict.fromkeys(["episode_index", "frame_index", "task_index", *columns]))
        for (chunk, file), places in itertools.groupby(self.episodes, key=lambda place: place.data):
            path = self._path("data_path", chunk_index=chunk, file_index=file)
            table = _table(path, names)
            with _explained(path, "episode_index"):
                numbers = to_numpy(table["episode_index"], (1,)).reshape(-1)
                frames = to_numpy(table["frame_index"], (1,)).reshape(-1)
            for place in places:
                found = np.flatnonzero(numbers == place.number)
                if not np.array_equal(frames[found], np.arange(place.steps)):
                    raise UserError(f"{path}: the frames of episode {place.number} are not 0 to {place.steps - 1}")
                yield place, table.take(found) if _gaps(found) else table.slice(found[0], len(found))

    def films(self, name: str) -> Iterator[tuple[Path, list[tuple[float, int]]]]:
        """Yield the films of a feature, in the order of the episodes, with the begin and frames of each in it."""
        for (chunk, file), places in itertools.groupby(self.episodes, key=lambda place: place.films[name][:2]):
            path = self._path("video_path", video_key=name, chunk_index=chunk, file_index=file)
            yield path, [(place.films[name][2], place.steps) for place in places]

    def explained(self, place: Place, column: str) -> Any:
        """Return a context in which a ValueError names the file and the episode of ``place``."""
        path = self._path("data_path", chunk_index=place.data[0], file_index=place.data[1])
        return _explained(path, f"{column} of episode {place.number}")

    def task_texts(self, place: Place, rows: pa.Table) -> tuple[str, ...]:
        """Return the text of the task at every frame of an episode.

        Raises:
          UserError: there is no such task.
        """
        with self.explained(place, "task_index"):
            numbers = to_numpy(rows["task_index"], (1,)).reshape(-1).tolist()
        unknown = next((number for number in numbers if number not in self.tasks), None)
        if unknown is not None:
            raise UserError(f"{self.folder / TASKS} has no task {unknown}, which episode {place.number} has")
        return tuple(self.tasks[number] for number in numbers)

    def _read_info(self) -> dict[str, Any]:
        try:
            info = from_json(self._info_path.read_bytes())
        except FileNotFoundError:
            raise UserError(f"{self.folder} is no LeRobot dataset: it has no {INFO}") from None
        except (OSError, ValueError) as error:
            raise UserError(f"{self._info_path} is damaged ({' '.join(str(error).split())})") from error
        if not isinstance(info, dict):
            raise UserError(f"{self._info_path} is damaged (it holds no object)")
        return info

    def _field(self, name: str, kind: Any) -> Any:
        found = self._info.get(name)
        if not isinstance(found, kind) or isinstance(found, bool):
            raise UserError(f"{self._info_path} has no {name} that can be understood")
        return found

    def _features(self) -> dict[str, Feature]:
        found = {}
        for name, each in self._field("features", dict).items():
            shape = each.get("shape") if isinstance(each, dict) else None
            sizes = shape if isinstance(shape, list) else [0]
            dtype = each.get("dtype") if isinstance(each, dict) else None
            if not isinstance(dtype, str) or not all(type(size) is int and size > 0 for size in sizes):
                raise UserError(f"{self._info_path}: the dtype or shape of the feature {name!r} cannot be understood")
            found[name] = Feature(dtype, tuple(sizes), _names(each.get("names"), int(np.prod(sizes))))
        missing = next((name for name in NUMBERED if name not in found), None)
        if missing is not None:
            raise UserError(f"{self._info_path} declares no {missing}, which every LeRobot dataset has")
        return found

    def _is_depth(self, name: str) -> bool:
        feature = self._info["features"][name]
        notes = [each for each in (feature.get("info"), feature.get("video_info")) if isinstance(each, dict)]
        return any(each.get(key) is True for each in notes for key in ("is_depth_map", "video.is_depth_map"))

    def _places(self, path: Path) -> Iterator[Place]:
        videos = [name for name, feature in self.features.items() if feature.dtype == "video"]
        keys = ("chunk_index", "file_index", "from_timestamp")
        films = {name: [f"videos/{name}/{key}" for key in keys] for name in videos}
        table = _table(path, [*_PLACE, *itertools.chain.from_iterable(films.values())])
        for row in table.to_pylist():
            if not all(type(row[name]) is int and row[name] >= 0 for name in _PLACE) or not row["length"]:
                raise UserError(f"{path}: episode {row['episode_index']} has no place among the files")
            lie = {name: tuple(row[each] for each in columns) for name, columns in films.items()}
            if not all(type(chunk) is int and type(file) is int and begin >= 0 for chunk, file, begin in lie.values()):
                raise UserError(f"{path}: episode {row['episode_index']} has no place among the films")
            number, steps, *data = (row[name] for name in _PLACE)
            yield Place(number, steps, (data[0], data[1]), lie)  # type: ignore[arg-type]

    def _path(self, template: str, **names: Any) -> Path:
        """Path of a file by a template of ``meta/info.json``. Raises UserError if it leads out of the folder."""
        text = self._field(template, str)
        path = PurePosixPath(text.format(**names)) if _understood(text, names) else None
        if path is None:
            raise UserError(f"{self._info_path}: {template} is {text!r}, which cannot be understood")
        found = self.folder / path
        if path.is_absolute() or ".." in path.parts or "\0" in str(path) or not self._holds(found):
            raise UserError(f"{self._info_path}: {template} leads to {path}, out of the dataset's folder")
        return found

    def _holds(self, path: Path) -> bool:
        """Return whether ``path`` lies in the folder, or where a download of the Hub keeps the files of it."""
        real, folder = path.resolve(), self.folder.resolve()
        blobs = folder.parent.parent / "blobs"  # of snapshots/REVISION
        return real.is_relative_to(folder) or (folder.parent.name == "snapshots" and real.is_relative_to(blobs))


def _understood(template: str, names: Mapping[str, Any]) -> bool:
    """Return whether ``template`` is a path with nothing in braces but ``names``, as text or padded numbers."""
    try:
        fields = [each for each in Formatter().parse(template) if each[1] is not None]
    except ValueError:
        return False
    return all(name in names and not changed and _FORMAT.fullmatch(form or "") for _, name, form, changed in fields)


def _gaps(rows: np.ndarray) -> bool:
    return bool(rows[-1] - rows[0] + 1 != len(rows))


def _names(names: Any, size: int) -> tuple[str, ...] | None:
    """Names of ``size`` numbers, which may lie in a mapping; None where there are not as many."""
    while isinstance(names, dict) and len(names) == 1:
        (names,) = names.values()
    if isinstance(names, dict) and all(type(place) is int for place in names.values()):
        names = sorted(names, key=lambda name: names[name])
    fits = isinstance(names, list) and len(names) == size and all(isinstance(name, str) for name in names)
    return tuple(names) if fits else None


def _table(path: Path, columns: Sequence[str] | None) -> pa.Table:
    """Read a Parquet file.

    Args:
      path: the file.
      columns: to read; None reads all.

    Raises:
      UserError: it is missing or damaged, or lacks a column.
    """
    try:
        with pq.ParquetFile(path) as file:
            there = file.schema_arrow.names
            missing = next((name for name in columns or () if name not in there), None)
            if missing is not None:
                raise UserError(f"{path} has no column {missing}; it has {', '.join(there)}")
            return file.read(None if columns is None else list(columns), use_threads=False)
    except FileNotFoundError:
        raise UserError(f"there is no file {path}; download the dataset again") from None
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{path} is no Parquet file that can be read ({' '.join(str(error).split())})") from error


@contextmanager
def _explained(path: Path, what: str) -> Iterator[None]:
    """Turn a ValueError about a column into a line that names the file."""
    try:
        yield
    except ValueError as error:
        raise UserError(f"{path}: {what}: {' '.join(str(error).split())}") from error
