"""Pickled tables of Overcooked-AI's published games, read without pandas and without running what is in them.

A pickle names the classes that it is rebuilt from. Here these are stand-ins, which keep what they are given and do
nothing; every other name is refused before anything is called. NumPy's own classes would trust what a file says about
the memory of an array. Arrays are built afterwards, of numbers from their bytes and of objects from a list.
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


class _Values(_Part):
    """An ``ndarray``."""


class _Type(_Part):
    """A ``dtype``."""

    def __init__(self, code: Any, *_: Any) -> None:
        self.code = code


def _values(*_: Any) -> _Values:
    """Return what NumPy's ``_reconstruct`` would return an empty array for."""
    return _Values()


def _array(values: Any) -> np.ndarray:
    """Return the array of which a pickle had ``values``.

    Raises:
      ValueError: they are no array, or one of another type than numbers, times and Python's objects.
    """
    if not isinstance(values, _Values):
        raise ValueError("a part of the table is no array")
    _, shape, kind, by_columns, data = values.state
    if (
        not isinstance(kind, _Type)
        or not isinstance(kind.code, str)
        or any(part is not None for part in kind.state[2:5])
    ):
        raise ValueError("an array is of no plain type")
    order = "F" if by_columns else "C"
    if kind.code.startswith("O"):
        if not isinstance(data, list):
            raise ValueError("an array of objects has no list of them")
        found = np.empty(len(data), dtype=object)
        for place, value in enumerate(data):
            found[place] = value
        return found.reshape(shape, order=order)
    if kind.code[:1] not in "iufbMm" or not kind.code[1:].isdecimal():
        raise ValueError(f"an array is of the type {kind.code!r}")
    number = kind.code if kind.code[0] in "iufb" else f"i{kind.code[1:]}"  # times are numbers, too
    swapped = kind.state[1] if kind.state[1] in ("<", ">") else "="
    return np.frombuffer(data, np.dtype(number).newbyteorder(swapped)).reshape(shape, order=order)


_KNOWN: Mapping[str, Any] = {
    "pandas.core.frame.DataFrame": _Table,
    "pandas.core.internals.managers.BlockManager": _Blocks,
    "pandas.core.indexes.base._new_Index": _index,
    "pandas.core.indexes.base.Index": _Index,
    "pandas.core.indexes.numeric.Int64Index": _Index,
    "numpy.core.multiarray._reconstruct": _values,
    "numpy.ndarray": _Values,
    "numpy.dtype": _Type,
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
    names = [str(each) for each in _array(axes[0].state["data"])]
    found = dict[str, np.ndarray]()
    for block in more["0.14.1"]["blocks"]:
        for place, values in zip(_array(block["mgr_locs"]).tolist(), _array(block["values"]), strict=True):
            found[names[place]] = np.asarray(values)
    return {name: found[name] for name in names}
