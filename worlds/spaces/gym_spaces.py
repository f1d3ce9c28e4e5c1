"""Action spaces of Gymnasium environments as components of one action, with what carries values from one to the other.

A foreign space is a tree of dictionaries and tuples, of which every leaf becomes some components.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from gymnasium import spaces

from worlds.spaces.action import Component, Continuous, Discrete, InvalidSpace, check_count

Path = tuple[str | int, ...]


def leaves(space: spaces.Space, path: Path = ()) -> list[tuple[Path, spaces.Space]]:
    """Return the leaves of a tree of ``Dict`` and ``Tuple`` spaces with their paths, in the space's own order."""
    if isinstance(space, spaces.Dict):
        return [leaf for key, part in space.spaces.items() for leaf in leaves(part, (*path, key))]
    if isinstance(space, spaces.Tuple):
        return [leaf for key, part in enumerate(space.spaces) for leaf in leaves(part, (*path, key))]
    return [(path, space)]


def at(value: Any, path: Path) -> Any:
    """Return the part of ``value`` at ``path``."""
    for key in path:
        value = value[key]
    return value


@dataclass(frozen=True)
class ActionTranslation:
    """Components for a Gymnasium action space.

    Args:
      build: (discrete values [discrete components], continuous values [continuous components]) -> the environment's
        action.
    """

    components: tuple[Component, ...]
    build: Callable[[np.ndarray, np.ndarray], Any]
    read: Callable[[Any], tuple[np.ndarray, np.ndarray]]

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """Number of values of every discrete component."""
        return tuple(each.count for each in self.components if isinstance(each, Discrete))


def translate_action(
    space: spaces.Space, bins: Sequence[str] = (), neutral: Mapping[str, float] | None = None
) -> ActionTranslation:
    """Return components for the action space of a Gymnasium environment. Raises InvalidSpace if it has none.

    Args:
      bins: names of the actions of a single Discrete space, by default "0", "1", ...
    """
    components: list[Component] = []
    parts: list[tuple[Path, Callable[[np.ndarray, np.ndarray], Any]]] = []
    resting, found = dict(neutral or {}), leaves(space)
    for path, leaf in found:
        own = _components(path_name(path, "action"), leaf, bins, resting)
        discrete = sum(isinstance(each, Discrete) for each in components)
        continuous = len(components) - discrete
        parts.append((path, _builder(leaf, discrete, continuous, len(own))))
        components += own
    unknown = next(iter(resting), None)
    if unknown is not None:
        raise InvalidSpace(f"neutral names {unknown!r}; components: {', '.join(each.name for each in components)}")
    is_tree = isinstance(space, (spaces.Dict, spaces.Tuple))
    build = (lambda chosen, values: _tree(space, parts, chosen, values)) if is_tree else parts[0][1]
    return ActionTranslation(tuple(components), build, lambda action: _columns(found, action))


def path_name(path: Path, otherwise: str) -> str:
    """Return the name of a leaf: its path joined by dots, or ``otherwise`` for a space that is no tree."""
    return ".".join(map(str, path)) or otherwise


def _components(name: str, leaf: spaces.Space, bins: Sequence[str], resting: dict[str, float]) -> list[Component]:
    if isinstance(leaf, spaces.Discrete):
        count = int(leaf.n)
        check_count(name, count)
        if bins and len(bins) != count:
            raise InvalidSpace(f"component {name!r} has {count} bins, but {len(bins)} are named")
        return [_discrete(name, tuple(bins) or tuple(map(str, range(count))), resting)]
    if isinstance(leaf, (spaces.MultiDiscrete, spaces.MultiBinary)):
        counts = np.asarray(leaf.nvec).ravel() if isinstance(leaf, spaces.MultiDiscrete) else [2] * size_of(leaf)
        numbered = [(f"{name}.{number}", int(count)) for number, count in enumerate(counts)]
        for one, count in numbered:
            check_count(one, count)
        return [_discrete(one, tuple(map(str, range(count))), resting) for one, count in numbered]
    if isinstance(leaf, spaces.Box) and leaf.dtype is not None and leaf.dtype.kind == "f":
        low, high = (np.asarray(side, np.float64).ravel() for side in (leaf.low, leaf.high))
        single = len(low) == 1
        names = [name if single else f"{name}.{number}" for number in range(len(low))]
        return [
            Continuous(one, below, above, resting.pop(one, min(max(0.0, below), above)))
            for one, below, above in zip(names, low.tolist(), high.tolist(), strict=True)
        ]
    raise InvalidSpace(
        f"{name} is a {leaf}; actions are Discrete, MultiDiscrete, MultiBinary, Box of floats, "
        "or a Dict or Tuple of them"
    )


def _discrete(name: str, bins: tuple[str, ...], resting: dict[str, float]) -> Discrete:
    return Discrete(name, bins, int(resting.pop(name, 0)))


def size_of(space: spaces.Space) -> int:
    """Return how many numbers a value of a space has."""
    return int(np.prod(space.shape or (1,)))


def _builder(leaf: spaces.Space, discrete: int, continuous: int, own: int) -> Callable[[np.ndarray, np.ndarray], Any]:
    """What makes the leaf's value of its columns: those from ``discrete`` or ``continuous``, ``own`` in number."""
    if isinstance(leaf, spaces.Discrete):
        first = int(leaf.start)
        return lambda chosen, values: int(chosen[discrete]) + first
    if isinstance(leaf, spaces.MultiDiscrete):
        start = np.asarray(getattr(leaf, "start", 0))
        return lambda chosen, values: (chosen[discrete : discrete + own].reshape(leaf.shape) + start).astype(leaf.dtype)
    if isinstance(leaf, spaces.MultiBinary):
        return lambda chosen, values: chosen[discrete : discrete + own].reshape(leaf.shape).astype(leaf.dtype)
    return lambda chosen, values: np.asarray(values[continuous : continuous + own], leaf.dtype).reshape(leaf.shape)


def _tree(space: spaces.Space, parts: Sequence[tuple[Path, Callable]], chosen: np.ndarray, values: np.ndarray) -> Any:
    """Put the leaves' values where the environment expects them."""
    built = {path: build(chosen, values) for path, build in parts}

    def value(part: spaces.Space, path: Path) -> Any:
        if isinstance(part, spaces.Dict):
            return {key: value(own, (*path, key)) for key, own in part.spaces.items()}
        if isinstance(part, spaces.Tuple):
            return tuple(value(own, (*path, key)) for key, own in enumerate(part.spaces))
        return built[path]

    return value(space, ())


def _columns(found: Sequence[tuple[Path, spaces.Space]], action: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the discrete and the continuous values of an environment's action, whose space has these leaves."""
    chosen: list[int] = []
    values: list[float] = []
    for path, leaf in found:
        value = at(action, path)
        if isinstance(leaf, spaces.Discrete):
            chosen.append(int(value) - int(leaf.start))
        elif isinstance(leaf, spaces.Box):
            values += np.clip(np.asarray(value), leaf.low, leaf.high).ravel().tolist()
        else:
            chosen += (np.asarray(value) - getattr(leaf, "start", 0)).ravel().tolist()
    return np.array(chosen, np.int16), np.array(values, np.float32)
