"""The HDF5 file of a Minari dataset: written, and read with distrust.

An HDF5 file may hold links to other files, raw data elsewhere, references and objects, and may claim more numbers than
it has. None of these is followed or read.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

import h5py
import numpy as np
from gymnasium import spaces
from h5py import h5l  # type: ignore[attr-defined]

from pipelines.exchange.pictures import decoded
from pipelines.exchange.source_files import regular
from rlhf.store.files.durable import write_all
from worlds.errors import UserError

HDF5_FILE = "main_data.hdf5"
_SMALL = 4096  # bytes of an array that is not compressed
_COMPRESSION = 1100  # times that HDF5's own filters make an array smaller, at most
_PLAIN = "biuf"


class _Disk(io.RawIOBase):
    """A file for HDF5 to write, which keeps the system's error instead of raising it.

    HDF5 cannot close a file after a refused write, and ends the process. Here it can: what it writes after a refusal
    goes nowhere.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("x+b", buffering=0)
        self._at = 0
        self.refusal: OSError | None = None

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._at = self._file.seek(offset, whence)
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        return self._file.readinto(buffer)

    def write(self, data: Any) -> int:
        self._try(lambda: write_all(self._file.fileno(), data))
        self._at += len(data)
        return len(data)

    def truncate(self, size: int | None = None) -> int:
        self._try(lambda: self._file.truncate(size))
        return self._at if size is None else size

    def close(self) -> None:
        self._try(self._file.close)
        super().close()

    def _try(self, action: Callable[[], Any]) -> None:
        try:
            if self.refusal is None:
                action()
        except OSError as error:
            self.refusal = error


class Hdf5Writer:
    """Writer of an HDF5 file. :meth:`add` and the end raise OSError if the system refuses."""

    def __init__(self, path: Path) -> None:
        self._disk = _Disk(path)
        self._file = h5py.File(self._disk, "w")
        self._episodes = 0

    def __enter__(self) -> Hdf5Writer:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._file.close()
        self._disk.close()
        if error is None and self._disk.refusal is not None:
            raise self._disk.refusal

    def add(self, columns: Mapping[str, Any], attributes: Mapping[str, Any]) -> None:
        """Add an episode. Raises ValueError if HDF5 cannot hold a text."""
        try:
            group = self._file.create_group(f"episode_{self._episodes}")
            group.attrs.update({"id": self._episodes} | dict(attributes))
            _write(group, columns)
        finally:
            if self._disk.refusal is not None:
                raise self._disk.refusal
        self._episodes += 1


def _write(group: h5py.Group, columns: Mapping[str, Any]) -> None:
    for name, column in columns.items():
        if isinstance(column, Mapping):
            _write(group.create_group(name), column)
        elif isinstance(column, list):
            group.create_dataset(name, data=column, dtype=h5py.string_dtype("utf-8"))
        elif column.nbytes > _SMALL:
            group.create_dataset(name, data=column, chunks=True, compression="gzip", compression_opts=1, shuffle=True)
        else:
            group.create_dataset(name, data=column)


class Hdf5Reader:
    """Reader of the HDF5 file of a Minari dataset.

    Every method raises UserError naming what is missing, damaged or refused.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / HDF5_FILE
        with self._readable():
            self._file = h5py.File(regular(self._path), "r")

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def rewards(self, episode: int) -> np.ndarray:
        """Return the rewards of an episode: float64 [T]."""
        group = self._episode(episode)
        return self._numbers(self._node(group, "rewards", h5py.Dataset), None).astype(np.float64)

    def ends(self, episode: int, steps: int) -> tuple[bool, bool]:
        """Return True for each, if an episode was terminated, and if it was truncated."""
        group = self._episode(episode)
        nodes = (self._node(group, name, h5py.Dataset) for name in ("terminations", "truncations"))
        terminated, truncated = (bool(self._numbers(node, steps)[-1:].any()) for node in nodes)
        return terminated, truncated

    def seed(self, episode: int) -> int | None:
        """Return the seed of the environment; None if it is not known."""
        with self._readable():
            attributes = self._episode(episode).attrs
            seed = attributes["seed"] if "seed" in attributes else None
        return int(seed) if isinstance(seed, int | np.integer) else None

    def tree(self, episode: int, name: str, space: spaces.Space, rows: int) -> Any:
        """Return the observations or actions of an episode as a tree of arrays [rows, ...] and lists of text."""
        return self._tree(self._episode(episode), name, space, rows)

    def info(self, episode: int, name: str) -> np.ndarray | list[str] | None:
        """Return column ``name`` of the infos of an episode; None without such a column."""
        with self._readable():
            group = self._episode(episode)
            if not _has(group, "infos") or not _has(self._node(group, "infos", h5py.Group), name):
                return None
        return self._array(self._node(group, f"infos/{name}", h5py.Dataset), None)

    def _tree(self, group: h5py.Group, name: str, space: spaces.Space, rows: int) -> Any:
        if isinstance(space, spaces.Dict):
            inner = self._node(group, name, h5py.Group) if space.spaces else group
            return {key: self._tree(inner, key, part, rows) for key, part in space.spaces.items()}
        if isinstance(space, spaces.Tuple):
            inner = self._node(group, name, h5py.Group)
            return tuple(self._tree(inner, f"_index_{i}", part, rows) for i, part in enumerate(space.spaces))
        node = self._node(group, name, h5py.Dataset)
        return decoded(self._array(node, rows), space, f"{self._path}, {node.name}")

    def _episode(self, number: int) -> h5py.Group:
        return self._node(self._file, f"episode_{number}", h5py.Group)

    def _node(self, group: h5py.Group, name: str, kind: type) -> Any:
        """Return what lies in the file itself at ``name``, a path below ``group``."""
        for part in name.split("/"):
            where = f"{self._path}, {str(group.name).rstrip('/')}/{part}"
            with self._readable():
                if not isinstance(group, h5py.Group) or not _has(group, part):
                    raise UserError(f"{where} is missing")
                if group.id.links.get_info(part.encode()).type != h5l.TYPE_HARD:
                    raise UserError(f"{where} is a link to another place or file, which is not followed")
                group = group[part]  # type: ignore[assignment]
        if not isinstance(group, kind):
            raise UserError(f"{self._path}, {group.name} is a {type(group).__name__}, not a {kind.__name__}")
        return group

    def _numbers(self, node: h5py.Dataset, rows: int | None) -> np.ndarray:
        found = self._array(node, rows)
        if not isinstance(found, np.ndarray) or found.ndim != 1:
            raise UserError(f"{self._path}, {node.name} is not one number for each step")
        return found

    def _array(self, node: h5py.Dataset, rows: int | None) -> Any:
        """Return the rows of ``node``: an array of numbers, a list of texts, or of the bytes of encoded pictures."""
        where = f"{self._path}, {node.name}"
        with self._readable():
            if node.is_virtual or node.external:
                raise UserError(f"{where} keeps its data in other files, which are not read")
            text, item = h5py.check_string_dtype(node.dtype), h5py.check_vlen_dtype(node.dtype)
            plain = node.dtype.kind in _PLAIN and h5py.check_dtype(enum=node.dtype) in (None, _BOOL)
            if text is None and item != np.uint8 and not plain:
                raise UserError(f"{where} holds objects of type {node.dtype}; only numbers and text are read")
            if not node.shape or (rows is not None and node.shape[0] != rows):
                raise UserError(
                    f"{where} has the shape {list(node.shape or ())}, not {'T' if rows is None else rows} rows"
                )
            if node.nbytes > _COMPRESSION * node.id.get_storage_size() + _SMALL:
                raise UserError(f"{where} claims {node.nbytes:,} bytes, more than its part of the file can hold")
            if text is not None:
                return np.asarray(node.asstr("utf-8")[()]).tolist()
            found = node[()]
        return [one.tobytes() for one in found] if item is not None else found

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """Turn h5py's errors into one line."""
        try:
            yield
        except UserError:
            raise
        except FileNotFoundError:
            raise UserError(f"{self._path} is missing") from None
        except (OSError, KeyError, RuntimeError, TypeError, ValueError) as error:
            problem = " ".join(str(error).split())
            raise UserError(f"{self._path} cannot be read, it may be damaged: {problem}") from error


_BOOL = {"FALSE": 0, "TRUE": 1}  # HDF5 has bools as such an enumeration


def _has(group: h5py.Group, name: str) -> bool:
    """Return True if the group has a link of this name, without following it."""
    return bool(group.id.links.exists(name.encode()))
