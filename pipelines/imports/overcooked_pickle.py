"""Pickled tables of Overcooked-AI's published games, read without pandas and without running what is in them.

A pickle names the classes that it is rebuilt from. Here these are NumPy's arrays and stand-ins for pandas' table; every
other name is refused before anything is called.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from typing import IO, Any

import numpy as np

from worlds.errors import UserError


class _Part:
    """Stand-in for a part of a pandas table: it keeps its state and does nothing."""

    state: Any = None

    def __setstate__(self, state: Any) -> None:
        self.state = state


class _Table(_Part):
    """A ``DataFrame``."""


class _Blocks(_Part):
    """A ``BlockManager``, which has the columns of a table, grouped by type."""


class _Index(_Part):
    """An ``Index``, which has names."""


def _index(_: type[_Index], state: Mapping[str, Any]) -> _Index:
    """Return an index as pandas' ``_new_Index`` does."""
    index = _Index()
    index.state = state
    return index


def _array(_: type[np.ndarray], shape: Any, dtype: Any) -> np.ndarray:
    """Return an empty array as NumPy's ``_reconstruct`` does."""
    return np.ndarray.__new__(np.ndarray, shape, dtype)


_KNOWN: Mapping[str, Any] = {
    "pandas.core.frame.DataFrame": _Table,
    "pandas.core.internals.managers.BlockManager": _Blocks,
    "pandas.core.indexes.base._new_Index": _index,
    "pandas.core.indexes.base.Index": _Index,
    "pandas.core.indexes.numeric.Int64Index": _Index,
    "numpy.core.multiarray._reconstruct": _array,
    "numpy.ndarray": np.ndarray,
    "numpy.dtype": np.dtype,
}


class _Unpickler(pickle.Unpickler):
    """Unpickler that knows the names above and no others."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        super().__init__(file)
        self._name = name

    def find_class(self, module_name: str, global_name: str, /) -> Any:
        wanted = f"{module_name}.{global_name}"
        if wanted not in _KNOWN:
            raise UserError(f"{self._name} wants to load {wanted}, which no table of games needs; it is not opened")
        return _KNOWN[wanted]


def read_table(file: IO[bytes], name: str, columns: Sequence[str]) -> dict[str, np.ndarray]:
    """Return the named columns of the pickled table in ``file``, [rows] each.

    Args:
      file: the pickle.
      name: of the file, for messages.
      columns: names of the columns that are needed; others are left out.

    Raises:
      UserError: the file is damaged, is another pickle, names a class that such a table does not need, or lacks a
        column.
    """
    try:
        found = _columns(_Unpickler(file, name).load())
    except UserError:
        raise
    except Exception as error:  # a damaged pickle may raise anything
        raise UserError(
            f"{name} is no table of games that can be read ({' '.join(str(error).split()) or type(error).__name__})"
        ) from error
    missing = next((column for column in columns if column not in found), None)
    if missing is not None:
        raise UserError(f"{name} has no column {missing!r}; it has {', '.join(found) or 'none'}")
    rows = {column: len(found[column]) for column in columns}
    if len(set(rows.values())) != 1 or not rows[columns[0]]:
        raise UserError(f"{name} has columns of {sorted(set(rows.values()))} rows, not all as many, at least one")
    return {column: found[column] for column in columns}


def _columns(table: Any) -> dict[str, np.ndarray]:
    """Return all columns by name, in the table's order."""
    if not isinstance(table, _Table):
        raise ValueError("it is no pickled table")
    axes, _, _, more = table.state["_data"].state
    names = [str(each) for each in axes[0].state["data"]]
    found = dict[str, np.ndarray]()
    for block in more["0.14.1"]["blocks"]:
        places = np.arange(len(names))[block["mgr_locs"]].tolist()
        for place, values in zip(places, block["values"], strict=True):
            if not isinstance(values, np.ndarray):
                raise ValueError(f"column {names[place]} is no array")
            found[names[place]] = values
    return {name: found[name] for name in names}
