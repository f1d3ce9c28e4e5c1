"""The folders of a Minari dataset in the format arrow or parquet: one file of one table an episode."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from gymnasium import spaces

from pipelines.exchange.arrow_columns import is_text, to_numpy
from pipelines.exchange.pictures import decoded
from pipelines.exchange.source_files import read_json, regular
from worlds.errors import UserError


class ArrowReader:
    """Reader of the episodes of a Minari dataset.

    A table has T + 1 rows; all columns but the observations and infos have nothing in the last.

    Every method raises UserError naming what is missing or damaged.
    """

    def __init__(self, folder: Path, suffix: str) -> None:
        self._folder, self._suffix = folder, suffix
        self._read: tuple[int, pa.StructArray] | None = None

    def close(self) -> None:
        """Forget the episode that was read last."""
        self._read = None

    def rewards(self, episode: int) -> np.ndarray:
        return self._column(episode, "rewards", pa.types.is_floating, pa.types.is_integer)[:-1].astype(np.float64)

    def ends(self, episode: int, steps: int) -> tuple[bool, bool]:
        both = (self._column(episode, name, pa.types.is_boolean) for name in ("terminations", "truncations"))
        terminated, truncated = (bool(one[steps - 1 : steps].any()) for one in both)
        return terminated, truncated

    def seed(self, episode: int) -> int | None:
        path = self._folder / str(episode) / "metadata.json"
        seed = read_json(path, f"{path} is missing").get("seed") if path.exists() else None
        return seed if isinstance(seed, int) and not isinstance(seed, bool) else None

    def tree(self, episode: int, name: str, space: spaces.Space, rows: int) -> Any:
        where = f"{self._path(episode)}, column {name}"
        return self._tree(self._field(self._table(episode), name, where).slice(0, rows), space, where)

    def info(self, episode: int, name: str) -> np.ndarray | list[str] | None:
        table = self._table(episode)
        for key in ("infos", name):
            if not pa.types.is_struct(table.type) or table.type.get_field_index(key) < 0:
                return None
            table = table.field(key)
        try:
            return to_numpy(table.drop_null(), (1,)).reshape(-1)
        except ValueError:
            return None

    def _tree(self, column: pa.Array, space: spaces.Space, where: str) -> Any:
        if isinstance(space, spaces.Dict):
            return {
                key: self._tree(self._field(column, key, where), part, f"{where}.{key}")
                for key, part in space.spaces.items()
            }
        if isinstance(space, spaces.Tuple):
            return tuple(
                self._tree(self._field(column, str(i), where), part, f"{where}.{i}")
                for i, part in enumerate(space.spaces)
            )
        if column.null_count:
            raise UserError(f"{where} has rows without a value")
        if is_text(column.type) or pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type):
            return decoded(column.to_pylist(), space, where)
        return self._numbers(column, space.shape or (), where)

    def _column(self, episode: int, name: str, *kinds: Any) -> np.ndarray:
        where = f"{self._path(episode)}, column {name}"
        column = self._field(self._table(episode), name, where)
        if not any(kind(column.type) for kind in kinds):
            raise UserError(f"{where} is {column.type}, which {name} are not")
        return self._numbers(column, (), where)

    def _numbers(self, column: pa.Array, shape: tuple[int, ...], where: str) -> np.ndarray:
        """Return a column as an array [rows, *shape]; one number may lie in a list."""
        try:
            return to_numpy(column, shape or (1,)).reshape(len(column), *shape)
        except ValueError as error:
            raise UserError(f"{where}: {error}") from error

    def _field(self, column: pa.Array, name: str, where: str) -> pa.Array:
        if not pa.types.is_struct(column.type) or column.type.get_field_index(name) < 0:
            raise UserError(f"{where} has no {name!r}")
        return column.field(name)

    def _path(self, episode: int) -> Path:
        return self._folder / str(episode) / f"part-0.{self._suffix}"

    def _table(self, episode: int) -> pa.StructArray:
        """Return the rows of an episode; the last one read is kept."""
        if self._read is None or self._read[0] != episode:
            path = self._path(episode)
            try:
                regular(path)
                table = pq.ParquetFile(path).read() if self._suffix == "parquet" else _arrow_table(path)
                rows = table.combine_chunks().to_struct_array()
                rows.validate(full=True)
            except FileNotFoundError:
                raise UserError(f"{path} is missing") from None
            except (pa.ArrowException, OSError, ValueError) as error:
                problem = " ".join(str(error).split())
                raise UserError(f"{path} cannot be read, it may be damaged: {problem}") from error
            self._read = episode, rows.combine_chunks() if isinstance(rows, pa.ChunkedArray) else rows
        return self._read[1]


def _arrow_table(path: Path) -> pa.Table:
    with pa.OSFile(str(path)) as file:
        return pa.ipc.open_file(file).read_all()
