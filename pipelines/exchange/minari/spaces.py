"""Gymnasium spaces as the JSON of Minari's metadata."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from worlds.errors import UserError

_DEEPEST = 16  # levels of a tree of spaces


def space_json(space: spaces.Space) -> dict[str, Any]:
    """Return ``space`` as JSON values. Raises TypeError if it is another space."""
    if isinstance(space, spaces.Dict):
        return {"type": "Dict", "subspaces": {key: space_json(part) for key, part in space.spaces.items()}}
    if isinstance(space, spaces.Tuple):
        return {"type": "Tuple", "subspaces": [space_json(part) for part in space.spaces]}
    if isinstance(space, spaces.Box):
        bounds = {"low": space.low.tolist(), "high": space.high.tolist()}
        return {"type": "Box", "dtype": str(space.dtype), "shape": list(space.shape), **bounds}
    if isinstance(space, spaces.Discrete):
        return {"type": "Discrete", "dtype": "int64", "start": int(space.start), "n": int(space.n)}
    if isinstance(space, spaces.MultiDiscrete):
        counts = {"nvec": space.nvec.tolist(), "start": space.start.tolist()}
        return {"type": "MultiDiscrete", "dtype": str(space.dtype), **counts}
    if isinstance(space, spaces.MultiBinary):
        return {"type": "MultiBinary", "n": np.asarray(space.n).tolist()}
    if isinstance(space, spaces.Text):
        lengths = {"max_length": space.max_length, "min_length": space.min_length}
        return {"type": "Text", **lengths, "charset": space.characters}
    raise TypeError(f"{space} has no form in Minari's metadata")


def space_of(said: Any, where: str) -> spaces.Space:
    """Return the space that ``said`` describes.

    Args:
      said: JSON values, as :func:`space_json` returns them.

    Raises UserError if it describes none.
    """
    try:
        return _space(said, where, 0)
    except (AssertionError, AttributeError, KeyError, MemoryError, OverflowError, TypeError, ValueError) as error:
        if isinstance(error, UserError):
            raise
        problem = f"{error} is missing" if isinstance(error, KeyError) else " ".join(str(error).split())[:200]
        raise UserError(f"{where} is no space: {problem}") from error


def _space(said: Any, where: str, depth: int) -> spaces.Space:
    if not isinstance(said, Mapping) or depth > _DEEPEST:
        raise ValueError(f"a {type(said).__name__} at level {depth}")
    kind = said["type"]
    if kind == "Dict":
        return spaces.Dict({str(key): _space(part, where, depth + 1) for key, part in said["subspaces"].items()})
    if kind == "Tuple":
        return spaces.Tuple([_space(part, where, depth + 1) for part in said["subspaces"]])
    if kind == "Text":
        return spaces.Text(int(said["max_length"]), min_length=int(said["min_length"]), charset=said["charset"])
    if kind == "Discrete":
        return spaces.Discrete(int(said["n"]), start=int(said["start"]))
    if kind == "MultiBinary":
        return spaces.MultiBinary(said["n"])
    if kind == "MultiDiscrete":
        start = said.get("start")
        return spaces.MultiDiscrete(said["nvec"], dtype=_dtype(said, "iu"), start=start)  # type: ignore[arg-type]
    if kind == "Box":
        dtype, shape = _dtype(said, "fiub"), tuple(said["shape"])
        low, high = (np.array(said[side], dtype) for side in ("low", "high"))
        return spaces.Box(low, high, shape, dtype)  # type: ignore[arg-type]
    raise UserError(f"{where} has a space of type {str(kind)[:40]!r}, which this program does not know")


def _dtype(said: Mapping[str, Any], kinds: str) -> np.dtype:
    dtype = np.dtype(str(said["dtype"]))
    if dtype.kind not in kinds:
        raise ValueError(f"numbers of type {dtype}")
    return dtype
