"""The folder of an RLDS dataset: its description, and examples in shards, a number of TFRecord files for each split."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pipelines.exchange.bad_episodes import refuse
from pipelines.exchange.rlds.features import STEPS, Feature, features_json, is_within, read_features
from pipelines.exchange.rlds.tfrecord import from_example, read_records, record_bytes
from pipelines.exchange.source_files import read_json
from worlds.errors import UserError

FEATURES_FILE, INFO_FILE = "features.json", "dataset_info.json"
NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9_]*")
_VERSION = "1.0.0"
_FORMAT = "tfrecord"
_TEMPLATE = "{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}"
_FILE = re.compile(r"[\w\-][\w\-.]*")
_MOST_SHARDS = 99_999


class FolderWriter:
    """Writer of a dataset.

    Args:
      folder: where it is written, which is empty.
      file_mb: megabytes of a file from which the next one is begun.
    """

    def __init__(self, folder: Path, name: str, file_mb: float) -> None:
        self._folder, self._name, self._most = folder, name, file_mb * 1e6
        self._lengths: dict[str, list[int]] = {}
        self._bytes: dict[str, int] = {}

    def write(self, split: str, example: bytes) -> None:
        """Add an example to a split."""
        lengths = self._lengths.setdefault(split, [])
        if not lengths or self._unfinished(split).stat().st_size >= self._most:
            lengths.append(0)
        with self._unfinished(split).open("ab") as file:
            file.write(record_bytes(example))
        lengths[-1] += 1
        self._bytes[split] = self._bytes.get(split, 0) + len(example)

    def finish(self, features: Mapping[str, Feature]) -> None:
        """Name the files by their number, and write the description of the dataset and its columns."""
        for split, lengths in self._lengths.items():
            for number in range(len(lengths)):
                name = _file_name(_TEMPLATE, self._name, split, number, len(lengths))
                self._unfinished(split, number).rename(self._folder / name)
        splits = [
            {
                "filepathTemplate": _TEMPLATE,
                "name": split,
                "numBytes": str(self._bytes[split]),
                "shardLengths": list(map(str, lengths)),
            }
            for split, lengths in self._lengths.items()
        ]
        info = {"name": self._name, "version": _VERSION, "fileFormat": _FORMAT, "splits": splits}
        for file, said in ((INFO_FILE, info), (FEATURES_FILE, features_json(features))):
            (self._folder / file).write_text(json.dumps(said, indent=2), encoding="utf-8")

    def _unfinished(self, split: str, number: int | None = None) -> Path:
        shard = len(self._lengths[split]) - 1 if number is None else number
        return self._folder / f"{split}-{shard}.part"


@dataclass(frozen=True)
class RldsFolder:
    """A dataset to be read.

    Args:
      shards: by split, the files and the number of examples in each.
    """

    folder: Path
    name: str
    features: Mapping[str, Feature]
    shards: Mapping[str, tuple[tuple[Path, int], ...]]

    @property
    def episodes(self) -> int:
        """Number of examples of all splits."""
        return sum(count for shards in self.shards.values() for _, count in shards)

    @classmethod
    def open(cls, folder: Path) -> RldsFolder:
        """Read the description of the dataset in ``folder``.

        Raises UserError if a file of it is missing or damaged, or of another version or format.
        """
        features = read_features(_read(folder / FEATURES_FILE), str(folder / FEATURES_FILE))
        path = folder / INFO_FILE
        said = _read(path)
        try:
            form, name = said.get("fileFormat") or _FORMAT, said["name"]
            if form != _FORMAT:
                raise UserError(f"{path}: the files are in the format {str(form)[:40]}, not {_FORMAT}")
            shards = {split["name"]: tuple(_shards(folder, name, split)) for split in said["splits"]}
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
            raise UserError(f"{path} is damaged: {type(error).__name__} {error}") from error
        if not shards:
            raise UserError(f"{path} has no splits")
        return cls(folder, name, features, shards)

    def examples(
        self, split: str, wanted: Collection[str], unwanted: Collection[str] = ()
    ) -> Iterator[tuple[int, str, Callable[[], dict[str, Any]]]]:
        """Yield the number of every example of a split, its place for messages, and what reads its columns.

        Reading raises UserError where the example is damaged or has other columns. Those that a file should have, but
        does not, come as one.
        """
        columns = {
            path: feature
            for path, feature in self.features.items()
            if path not in unwanted and any(is_within(path, part) for part in wanted)
        }
        first = 0
        for file, count in self.shards[split]:
            number, problem, records = 0, "", read_records(file)
            while True:
                try:
                    record = next(records, None)
                except UserError as error:
                    record, problem = None, str(error)
                if record is None:
                    break
                where, number = f"{file}, example {number + 1}", number + 1
                yield first + number - 1, where, partial(_decoded, columns, record, where)
            if number != count and not problem:
                problem = f"{file} has {number} examples, {INFO_FILE} says {count}; it is damaged"
            if problem:
                yield first + number, f"{file}, from example {number + 1} on", partial(refuse, problem)
            first += count


def _decoded(columns: Mapping[str, Feature], record: bytes | UserError, where: str) -> dict[str, Any]:
    if isinstance(record, UserError):
        raise record
    found, decoded = from_example(record, where), dict[str, Any]()
    for path, feature in columns.items():
        if path not in found:
            raise UserError(f"{where} has no column {path}")
        decoded[path] = feature.decode(found[path], f"{where}, {path}")
    lengths = {len(column) for path, column in decoded.items() if path.startswith(f"{STEPS}/")}
    if len(lengths) > 1 or 0 in lengths:
        raise UserError(f"{where} has columns of {' and '.join(map(str, sorted(lengths)))} steps")
    return decoded


def _shards(folder: Path, name: str, split: Mapping[str, Any]) -> Iterator[tuple[Path, int]]:
    lengths = [int(count) for count in split["shardLengths"]]
    if len(lengths) > _MOST_SHARDS:
        raise ValueError(f"{len(lengths)} files")
    template = split.get("filepathTemplate") or _TEMPLATE
    for number, count in enumerate(lengths):
        yield folder / _file_name(template, name, split["name"], number, len(lengths)), count


def _file_name(template: str, dataset: str, split: str, number: int, count: int) -> str:
    """Return the name of a file. Raises ValueError for one that is outside the folder."""
    parts = {"DATASET": dataset, "SPLIT": split, "FILEFORMAT": _FORMAT, "SHARD_X_OF_Y": f"{number:05d}-of-{count:05d}"}
    for key, value in parts.items():
        template = template.replace(f"{{{key}}}", value)
    if not _FILE.fullmatch(template):
        raise ValueError(f"the name of a file, {template[:80]!r}")
    return template


def _read(path: Path) -> dict[str, Any]:
    return read_json(path, f"{path} is missing; name the folder of a version of the dataset, such as NAME/1.0.0")
