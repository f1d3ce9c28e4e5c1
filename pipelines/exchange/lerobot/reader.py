"""The files of a LeRobot dataset, read episode by episode and trusted in nothing.

Nothing in them is executed, no path in them leads out of the folder, and damage is one line that names the file.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path, PurePosixPath
from string import Formatter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.exchange.arrow_columns import to_numpy
from pipelines.exchange.bad_episodes import BadEpisodes, refuse
from pipelines.exchange.lerobot.layout import EPISODES, INFO, NUMBERED, VERSION, Feature
from pipelines.exchange.source_files import read_json, regular
from worlds.errors import UserError

_CONVERT = "convert it with `python -m lerobot.scripts.convert_dataset_v21_to_v30` of the package lerobot"
_FORMAT = re.compile(r"(0?\d{1,2}d)?")  # of a number in a path, such as 03d
_PLACE = ("episode_index", "length", "data/chunk_index", "data/file_index")
_FILM = ("chunk_index", "file_index", "from_timestamp", "to_timestamp")
_MOST_NUMBERS = 1 << 31  # of a frame's value


@dataclass(frozen=True)
class FilmPlace:
    """Where the pictures of an episode lie.

    Args:
      begin: second of the film at which they begin, as the dataset says.
      end: second at which they end, likewise; NaN if it does not say.
    """

    file: tuple[int, int]
    begin: float
    end: float


@dataclass(frozen=True)
class Place:
    """An episode's place in the files.

    Args:
      films: its place in a film by feature, as far as the dataset says.
    """

    number: int
    steps: int
    data: tuple[int, int]
    films: Mapping[str, FilmPlace]

    @property
    def name(self) -> str:
        """Name of the episode in messages."""
        return f"episode {self.number}"


class Source:
    """A dataset.

    Args:
      bad: what is done about episodes that cannot be read.

    Raises UserError if there is no ``meta/info.json``, it is damaged, or it is of another version than v3.0.
    """

    def __init__(self, folder: Path, bad: BadEpisodes) -> None:
        self.folder, self.bad = folder, bad
        self._info_path = folder / INFO
        self._info = read_json(self._info_path, f"{folder} is no LeRobot dataset: it has no {INFO}")
        version = self._field("codebase_version", str)
        if not re.fullmatch(r"v3\.\d+", version):
            older = f"; {_CONVERT}" if version.startswith(("v1", "v2")) else "; update this program"
            raise UserError(f"{self._info_path} is of version {version[:40]}, this program reads {VERSION}{older}")
        rate = self._field("fps", (int, float))
        if not 0 < rate < 1e6:
            raise UserError(f"{self._info_path}: fps is {str(rate)[:40]}, no number of frames per second")
        self.rate = float(rate)
        self.features = self._features()
        self._read: tuple[Any, Any] = (None, None)

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
    def episodes(self) -> tuple[Place, ...]:
        """Places of all episodes, in the order of their numbers.

        Raises UserError if the files are missing or damaged, or number the episodes otherwise than from 0 on.
        """
        folder = self.folder / EPISODES
        paths = sorted(folder.glob("*/*.parquet"))
        if not paths:
            raise UserError(f"{folder} has no file; download the dataset again")
        found = [self.bad.read(str(path), partial(self._places, path)) for path in paths]
        places = sorted((place for some in found for place in some or ()), key=lambda place: place.number)
        numbers, wanted = [place.number for place in places], self._info.get("total_episodes")
        if len(set(numbers)) < len(numbers):
            raise UserError(f"{folder} has an episode twice; download the dataset again")
        if numbers != list(range(len(numbers))):
            line = f"{folder}: episodes are not numbered 0 to {len(numbers) - 1}"
            self.bad.read("episodes without a place", partial(refuse, line))
        elif type(wanted) is int and wanted != len(numbers):
            line = f"{self._info_path} has {str(wanted)[:40]} episodes, {folder} {len(numbers)}"
            self.bad.read("episodes without a place", partial(refuse, line))
        return tuple(places)

    def rows(self, place: Place, columns: Sequence[str]) -> pa.Table:
        """Return the frames of an episode, in order; the file that was read last is kept.

        Raises UserError if a file is missing or damaged, lacks a column, or has other frames than described.
        """
        path = self._data_path(place)
        table, rows = self._file(path, tuple(dict.fromkeys(["episode_index", "frame_index", "task_index", *columns])))
        found, frames = rows.get(place.number, (np.zeros(0, np.int64),) * 2)
        if len(frames) != place.steps or not np.array_equal(frames, np.arange(len(frames))):
            raise UserError(f"{path}: the frames of episode {place.number} are not 0 to {place.steps - 1}")
        return table.take(found) if _gaps(found) else table.slice(found[0], len(found))

    def film_path(self, name: str, file: tuple[int, int]) -> Path:
        """Return the path of a film of the feature ``name``, by the numbers of its file."""
        return self._path("video_path", video_key=name, chunk_index=file[0], file_index=file[1])

    def explained(self, place: Place, column: str) -> Any:
        """Return a context in which a ValueError names the file and the episode of ``place``."""
        return explained(self._data_path(place), f"{column} of episode {place.number}")

    def task_numbers(self, place: Place, rows: pa.Table) -> list[int]:
        """Return the number of the task at every frame of an episode."""
        with self.explained(place, "task_index"):
            return to_numpy(rows["task_index"], (1,)).reshape(-1).tolist()

    def _data_path(self, place: Place) -> Path:
        return self._path("data_path", chunk_index=place.data[0], file_index=place.data[1])

    def _file(self, path: Path, names: tuple[str, ...]) -> Any:
        """Return the table in a file of data, and for each episode its rows and the numbers of their frames."""
        if self._read[0] != (path, names):
            table = read_table(path, names)
            with explained(path, "episode_index"):
                numbers = to_numpy(table["episode_index"], (1,)).reshape(-1)
            with explained(path, "frame_index"):
                frames = to_numpy(table["frame_index"], (1,)).reshape(-1)
            order = np.argsort(numbers, kind="stable")
            known, begins = np.unique(numbers[order], return_index=True)
            rows = {
                number: (some, frames[some])
                for number, some in zip(known.tolist(), np.split(order, begins[1:]), strict=True)
            }
            self._read = (path, names), (table, rows)
        return self._read[1]

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
            known = all(type(size) is int and size > 0 for size in sizes)
            if not isinstance(dtype, str) or not known or math.prod(sizes) > _MOST_NUMBERS:
                raise UserError(f"{self._info_path}: the dtype or shape of the feature {name!r} cannot be understood")
            found[name] = Feature(dtype, tuple(sizes), _names(each.get("names"), math.prod(sizes)))
        missing = next((name for name in NUMBERED if name not in found), None)
        if missing is not None:
            raise UserError(f"{self._info_path} declares no {missing}, which every LeRobot dataset has")
        return found

    def _is_depth(self, name: str) -> bool:
        feature = self._info["features"][name]
        notes = [each for each in (feature.get("info"), feature.get("video_info")) if isinstance(each, dict)]
        return any(each.get(key) is True for each in notes for key in ("is_depth_map", "video.is_depth_map"))

    def _places(self, path: Path) -> list[Place]:
        videos = [name for name, feature in self.features.items() if feature.dtype == "video"]
        films = [f"videos/{name}/{key}" for name in videos for key in _FILM]
        found = []
        for row in read_table(path, _PLACE, films).to_pylist():
            if not all(type(row[name]) is int and row[name] >= 0 for name in _PLACE) or not row["length"]:
                line = f"{path}: episode {row['episode_index']} has no place among the files"
                self.bad.read(f"episode {row['episode_index']}", partial(refuse, line))
                continue
            lie = {name: _film_place(*(row.get(f"videos/{name}/{key}") for key in _FILM)) for name in videos}
            number, steps, *data = (row[name] for name in _PLACE)
            found.append(Place(number, steps, (data[0], data[1]), {name: one for name, one in lie.items() if one}))
        return found

    def _path(self, template: str, **names: Any) -> Path:
        """Path of a file by a template of ``meta/info.json``. Raises UserError if it leads out of the folder."""
        text = self._field(template, str)
        path = PurePosixPath(text.format(**names)) if len(text) < 1000 and _understood(text, names) else None
        if path is None:
            raise UserError(f"{self._info_path}: {template} is {text[:80]!r}, which cannot be understood")
        found = self.folder / path
        if path.is_absolute() or ".." in path.parts or "\0" in str(path) or not self._holds(found):
            raise UserError(f"{self._info_path}: {template} leads to {str(path)[:80]}, out of the dataset's folder")
        return found

    def _holds(self, path: Path) -> bool:
        """Return whether ``path`` lies in the folder, or where a download of the Hub keeps the files of it."""
        real, folder = path.resolve(), self.folder.resolve()
        blobs = folder.parent.parent / "blobs"  # of snapshots/REVISION
        return real.is_relative_to(folder) or (folder.parent.name == "snapshots" and real.is_relative_to(blobs))


def _film_place(chunk: Any, file: Any, begin: Any, end: Any) -> FilmPlace | None:
    """Return the place in a film that an episode's row says; None if it says none."""
    if type(chunk) is not int or type(file) is not int or type(begin) not in (int, float) or not 0 <= begin < 1e9:
        return None
    return FilmPlace((chunk, file), float(begin), float(end) if type(end) in (int, float) else math.nan)


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


def read_table(path: Path, columns: Sequence[str] | None, further: Sequence[str] = ()) -> pa.Table:
    """Read a Parquet file.

    Args:
      further: columns that are read if they are there.

    Raises UserError if it is missing or damaged, or lacks a column.
    """
    try:
        with pq.ParquetFile(regular(path)) as file:
            there = file.schema_arrow.names
            if len(set(there)) < len(there):
                raise UserError(f"{path} has a column twice; it has {', '.join(there)}")
            missing = next((name for name in columns or () if name not in there), None)
            if missing is not None:
                raise UserError(f"{path} has no column {missing}; it has {', '.join(there)}")
            wanted = None if columns is None else [*columns, *(name for name in further if name in there)]
            return file.read(wanted, use_threads=False)
    except FileNotFoundError:
        raise UserError(f"there is no file {path}; download the dataset again") from None
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{path} is no Parquet file that can be read ({' '.join(str(error).split())})") from error


@contextmanager
def explained(path: Path, what: str) -> Iterator[None]:
    """Turn a ValueError about a column into a line that names the file."""
    try:
        yield
    except ValueError as error:
        raise UserError(f"{path}: {what}: {' '.join(str(error).split())}") from error
