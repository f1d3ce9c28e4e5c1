"""Made-up games of Overcooked-AI, in files of the structure of the published ones. No pandas is needed."""

from __future__ import annotations

import io
import pickle
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import numpy as np

KITCHEN = ["XXPXX", "O  2O", "X1  X", "XDXSX"]
CYCLE = 12  # steps from one soup to the next, from the first onion on
HELD = 10  # a step at which the first player has a soup in hand
_ACTIONS = ("[0, -1]", "[1, 0]", "[0, 1]", "[-1, 0]", "'INTERACT'", "[0, 0]")
_TURNED = ([0, -1], [1, 0], [0, 1], [-1, 0], [0, -1], [0, -1])
_PLACES = ([1, 2], [1, 2], [1, 2], [1, 2], [2, 2], [2, 1])


def kitchen_games(pairs: Sequence[int], steps: int, cycle: int = CYCLE) -> dict[str, list[Any]]:
    """Return the columns of a game of each of ``pairs``, in the cramped room.

    The first player acts by where it is and what it faces, the second stays. Every ``cycle`` steps a soup is cooked and
    delivered.
    """
    columns: dict[str, list[Any]] = {name: [] for name in ("layout_name", "workerid_num", "run", "round_num")}
    columns |= {name: [] for name in ("cur_gameloop", "layout", "state", "joint_action", "reward", "score")}
    for pair in pairs:
        score = 0.0
        for step in range(steps):
            phase, turn = step % cycle, step % len(_TURNED)
            delivered = phase == cycle - 1
            score += 5.0 * delivered
            row = {
                "layout_name": "cramped_room", "workerid_num": pair, "run": "run-1", "round_num": 0.0,
                "cur_gameloop": float(step), "layout": str(KITCHEN), "state": str(_state(phase - cycle + CYCLE, turn)),
                "joint_action": f"[{_ACTIONS[turn]}, [0, 0]]", "reward": 5.0 * delivered, "score": score,
            }  # fmt: skip
            for name, value in row.items():
                columns[name].append(value)
    return columns


def _state(phase: int, turn: int) -> dict[str, Any]:
    first: dict[str, Any] = {"position": _PLACES[turn], "orientation": _TURNED[turn]}
    objects: dict[str, Any] = {}
    if phase >= HELD:
        first["held_object"] = {"name": "soup", "position": _PLACES[turn], "state": ["onion", 3, 25]}
    elif phase > 0:
        onions, cooked = min(phase, 3), max(0, 5 * (phase - 3))
        objects["2,0"] = {"name": "soup", "position": [2, 0], "state": ["onion", onions, cooked]}
    players = [first, {"position": [3, 1], "orientation": [0, 1]}]
    return {"players": players, "objects": objects, "order_list": ["onion"], "pot_explosion": False}


def write_pickle(file: Path | io.BytesIO, columns: Mapping[str, Sequence[Any]]) -> None:
    """Write ``columns`` as pandas of 2021 pickled a table: blocks by type, under the names that its classes had."""
    names = {
        "pandas.core.frame": ("DataFrame",),
        "pandas.core.internals.managers": ("BlockManager",),
        "pandas.core.indexes.base": ("_new_Index", "Index"),
        "numpy.core.multiarray": ("_reconstruct",),
    }
    made = {module: ModuleType(module) for module in names}
    for module, attributes in names.items():
        for name in attributes:
            setattr(made[module], name, _function(module, name) if name.startswith("_") else _kind(module, name))
    parents = {module.rsplit(".", depth)[0] for module in names for depth in (1, 2)} - {*sys.modules, *made}
    with patch.dict(sys.modules, {**made, **{parent: ModuleType(parent) for parent in parents}}):
        content = _pickled(made, columns)
    (file.write if isinstance(file, io.BytesIO) else file.write_bytes)(content)


def _kind(module: str, name: str) -> type:
    return type(name, (), {"__module__": module, "__reduce__": lambda self: (type(self), (), self.state)})


def _function(module: str, name: str) -> Any:
    def function() -> None: ...

    function.__module__, function.__name__, function.__qualname__ = module, name, name
    return function


def _pickled(made: Mapping[str, Any], columns: Mapping[str, Sequence[Any]]) -> bytes:
    base = made["pandas.core.indexes.base"]

    class Pickler(pickle.Pickler):
        def reducer_override(self, obj: Any) -> Any:
            if isinstance(obj, np.ndarray):
                return made["numpy.core.multiarray"]._reconstruct, (np.ndarray, (0,), b"b"), obj.__reduce__()[2]
            if isinstance(obj, base.Index):
                return base._new_Index, (base.Index, obj.state)
            return NotImplemented

    index, manager = base.Index(), made["pandas.core.internals.managers"].BlockManager()
    index.state = {"data": np.array(list(columns), object), "name": None}
    arrays = [np.array(values, object if isinstance(values[0], str) else None) for values in columns.values()]
    blocks = [
        {"mgr_locs": np.array(places), "values": np.stack([arrays[place] for place in places])}
        for places in ([i for i, a in enumerate(arrays) if a.dtype == kind] for kind in {a.dtype for a in arrays})
    ]
    manager.state = ([index], [], [], {"0.14.1": {"axes": [index], "blocks": blocks}})
    table = made["pandas.core.frame"].DataFrame()
    table.state = {"_data": manager, "_typ": "dataframe", "_metadata": []}
    file = io.BytesIO()
    Pickler(file, protocol=4).dump(table)
    return file.getvalue()
