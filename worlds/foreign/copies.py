"""Copies of environments, which count only if they hold what the environment holds."""

from __future__ import annotations

import copy
from collections import deque
from typing import Any

import numpy as np

_ITSELF = (str, bytes, bool, int, float, complex, np.generic)


def copied(state: tuple[Any, dict[str, Any]]) -> tuple[Any, dict[str, Any]]:
    """Return a deep copy of an environment and what a world holds beside it.

    Windows, clocks and surfaces of pygame, which cannot be copied, are shared: what draws on them draws everything.

    Raises:
      NotImplementedError: the environment has no copy, or one that starts over, as copies of ``EzPickle`` do.
    """
    try:
        found = copy.deepcopy(state, _shared_surfaces(state[0]))
        same = _holds_the_same(state[0], found[0])
    except Exception as error:  # the copies of a foreign object may raise anything
        reason = f"{type(error).__name__}: {error}"
        raise NotImplementedError(f"the environment cannot be copied ({reason}); replay it instead") from error
    if not same:
        raise NotImplementedError("a copy of the environment starts over; replay it instead")
    return found


def _shared_surfaces(env: Any) -> dict[int, Any]:
    """Return a memo for ``copy.deepcopy`` in which the windows, clocks and surfaces of pygame are their own copies."""
    held = list(vars(getattr(env, "unwrapped", env)).values())
    held += [inner for value in held if isinstance(value, (list, tuple)) for inner in value]
    held += [inner for value in held if isinstance(value, dict) for inner in value.values()]
    return {id(value): value for value in held if type(value).__module__.partition(".")[0] in ("pygame", "pygame_ce")}


def _holds_the_same(one: Any, other: Any) -> bool:
    """Return True if two objects hold equal numbers and texts in all places that Python can see."""
    left, seen = [(one, other)], set[int]()
    while left:
        one, other = left.pop()
        if one is other or id(one) in seen:
            continue
        if type(one) is not type(other):
            return False
        if isinstance(one, np.random.Generator):  # its state is a new dictionary each time, so that ids say nothing
            if repr(one.bit_generator.state) != repr(other.bit_generator.state):
                return False
            continue
        seen.add(id(one))
        if isinstance(one, _ITSELF):
            if one != other and one == one:  # a NaN is not equal to itself
                return False
        elif isinstance(one, np.ndarray):
            if one.dtype != object and not np.array_equal(one, other, equal_nan=one.dtype.kind in "fc"):
                return False
        elif isinstance(one, (list, tuple, deque, dict)):
            if len(one) != len(other):
                return False
            left += zip(one, other, strict=True)
            left += zip(one.values(), other.values(), strict=True) if isinstance(one, dict) else ()
        if hasattr(one, "__dict__"):
            left.append((vars(one), vars(other)))
    return True
