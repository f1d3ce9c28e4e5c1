"""What two results of an environment have in common, so that a change of one would change the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np


def assert_nothing_shared(results: Sequence[Any]) -> None:
    """No two of the results of consecutive calls hold the same dictionary, list or array."""
    for one, other in combinations([dict(_parts(result, "")) for result in results], 2):
        ids = {id(part): name for name, part in one.items()}
        for name, part in other.items():
            same = ids.get(id(part)) or next((at for at, known in one.items() if _overlap(part, known)), None)
            assert same is None, f"{name} of a later call is {same} of an earlier one"


def _parts(value: Any, name: str) -> list[tuple[str, Any]]:
    """Return what can be changed in a value, by its path."""
    if isinstance(value, Mapping):
        inner = [part for key, held in value.items() for part in _parts(held, f"{name}[{key!r}]")]
        return [(name, value), *inner]
    if isinstance(value, (list, tuple)):
        inner = [part for number, held in enumerate(value) for part in _parts(held, f"{name}[{number}]")]
        return [(name, value), *inner] if isinstance(value, list) else inner
    return [(name, value)] if isinstance(value, np.ndarray) else []


def _overlap(one: Any, other: Any) -> bool:
    return isinstance(one, np.ndarray) and isinstance(other, np.ndarray) and bool(np.shares_memory(one, other))
