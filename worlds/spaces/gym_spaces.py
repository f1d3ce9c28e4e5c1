"""Spaces of Gymnasium environments as the specs of this project, with what carries values from one to the other.

A foreign space is a tree of dictionaries and tuples. Its leaves become components of one action, and parts of one
observation: a picture, a grid, or numbers of one vector.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

from worlds.spaces.action import Component, Continuous, Discrete, InvalidSpace
from worlds.spaces.observation import Grid, Image, ObservationSpec, Vector

_MOST_GRID = 1 << 15
_MOST_VECTOR = 100_000

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
      components: of an action of one tick.
      build: (discrete values [discrete components], continuous values [continuous components]) -> the environment's
        action.
      read: the inverse of ``build``.
    """

    components: tuple[Component, ...]
    build: Callable[[np.ndarray, np.ndarray], Any]
    read: Callable[[Any], tuple[np.ndarray, np.ndarray]]


def translate_action(
    space: spaces.Space, bins: Sequence[str] = (), neutral: Mapping[str, float] | None = None
) -> ActionTranslation:
    """Return components for the action space of a Gymnasium environment.

    Args:
      space: Discrete, MultiDiscrete, MultiBinary, Box with finite bounds, or a Dict or Tuple of these.
      bins: names of the actions of a single Discrete space; "0", "1", ... if empty.
      neutral: by the component's name, the bin or value of a player that does nothing; others have bin 0, and the
        value nearest to 0.

    Raises:
      InvalidSpace: naming the space that is of another kind, or unbounded, or the neutral component that is not there.
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
        if bins and len(bins) != count:
            raise InvalidSpace(f"component {name!r} has {count} bins, but {len(bins)} are named")
        return [_discrete(name, tuple(bins) or tuple(map(str, range(count))), resting)]
    if isinstance(leaf, (spaces.MultiDiscrete, spaces.MultiBinary)):
        counts = np.asarray(leaf.nvec).ravel() if isinstance(leaf, spaces.MultiDiscrete) else [2] * _size(leaf)
        numbered = [(f"{name}.{number}", int(count)) for number, count in enumerate(counts)]
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


def _size(space: spaces.Space) -> int:
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


@dataclass(frozen=True)
class ObservationTranslation:
    """Parts of an observation for a Gymnasium observation space.

    Args:
      spec: image, grid, vector and texts.
      read: the environment's observation -> the arrays and texts of ``spec``, new ones every time.
    """

    spec: ObservationSpec
    read: Callable[[Any], dict[str, Any]]


def translate_observation(
    space: spaces.Space, grids: Mapping[str, Sequence[int]] | None = None, without: Sequence[str] = ()
) -> ObservationTranslation:
    """Return the parts of an observation for the observation space of a Gymnasium environment.

    A Box of bytes with two dimensions, or three of which one is 1, 3 or 4 channels, is the picture. Whole numbers with
    three dimensions are the grid. Everything else that has numbers goes to the vector, Discrete as one of n.

    Args:
      space: of the environment.
      grids: by a leaf's name, e.g. "image", the number of categories in each channel: this leaf is a grid, though its
        space is one of a picture.
      without: names of leaves that are left out, e.g. the mission.

    Raises:
      InvalidSpace: two pictures or two grids, a space without numbers and text, or a name that is no leaf's.
    """
    grids, found = dict(grids or {}), dict[str, Any]()
    readers: list[tuple[Path, str, Callable[[Any], Any]]] = []
    length = 0
    for path, leaf in leaves(space):
        name = path_name(path, "observation")
        if name in without:
            continue
        key, part, read = _part(name, leaf, grids.pop(name, None))
        if key == "vector":
            length += part
        elif key == "text":
            found.setdefault("texts", []).append(name)
        elif key in found:
            raise InvalidSpace(f"{name} is a second {key}; leave one out")
        else:
            found[key] = part
        readers.append((path, name if key == "text" else key, read))
    unknown = next(iter(grids), None)
    if unknown is not None:
        raise InvalidSpace(
            f"no observation is named {unknown!r}; {', '.join(path_name(p, 'observation') for p, _ in leaves(space))}"
        )
    texts = tuple(found.pop("texts", ()))
    spec = ObservationSpec(**found, vector=Vector(length) if length else None, texts=texts)
    return ObservationTranslation(spec, lambda seen: _read(seen, readers))


def _part(name: str, leaf: spaces.Space, categories: Sequence[int] | None) -> tuple[str, Any, Callable[[Any], Any]]:
    """Return the key of a leaf's part ("text" for texts), the part (of the vector its length), and what reads it."""
    if isinstance(leaf, spaces.Text):
        return "text", None, str
    if isinstance(leaf, spaces.Discrete):
        one_of, first = np.eye(int(leaf.n), dtype=np.float32), int(leaf.start)
        return "vector", int(leaf.n), lambda value: one_of[int(value) - first]
    if not isinstance(leaf, (spaces.Box, spaces.MultiDiscrete, spaces.MultiBinary)):
        raise InvalidSpace(
            f"{name} is a {leaf}; observations are Box, Discrete, MultiDiscrete, MultiBinary, Text, "
            "or a Dict or Tuple of them"
        )
    shape = tuple(leaf.shape or ())
    if categories is not None or (
        len(shape) == 3 and np.dtype(leaf.dtype) != np.uint8 and np.dtype(leaf.dtype).kind in "iu"
    ):
        return _grid(name, leaf, shape, categories)
    if isinstance(leaf, spaces.Box) and leaf.dtype == np.uint8 and len(shape) in (2, 3):
        return _image(shape)
    size = _size(leaf)
    if size > _MOST_VECTOR:
        raise InvalidSpace(f"{name} has {size} numbers; a vector has at most {_MOST_VECTOR}: leave it out")
    return "vector", size, lambda value: np.asarray(value, np.float32).ravel()


def _grid(
    name: str, leaf: Any, shape: tuple[int, ...], categories: Sequence[int] | None
) -> tuple[str, Any, Callable[[Any], Any]]:
    if len(shape) != 3:
        raise InvalidSpace(f"{name} has shape {list(shape)}; a grid has [height, width, channels]")
    counts = _counts(name, leaf) if categories is None else [int(count) for count in categories]
    if len(counts) != shape[2]:
        raise InvalidSpace(f"{name} has {shape[2]} channels, but categories are given for {len(counts)}")
    grid = Grid(shape[0], shape[1], tuple(counts))
    return "grid", grid, lambda value: np.asarray(value).astype(np.int16)


def _counts(name: str, leaf: Any) -> list[int]:
    """Number of categories of every channel of a space of whole numbers [height, width, channels]."""
    lowest = np.min(getattr(leaf, "low", 0))
    highest = leaf.nvec - 1 if isinstance(leaf, spaces.MultiDiscrete) else leaf.high
    if lowest < 0 or np.any(highest >= _MOST_GRID):
        found = f"whole numbers from {lowest} to {np.max(highest)}"
        raise InvalidSpace(f"{name} has {found}; a grid's categories are 0 to {_MOST_GRID - 1}")
    return (np.max(highest, axis=(0, 1)) + 1).tolist()


def _image(shape: tuple[int, ...]) -> tuple[str, Any, Callable[[Any], Any]]:
    if len(shape) == 2:
        return "image", Image(*shape, 1), lambda value: np.array(value, np.uint8)[..., None]
    if shape[0] in (1, 3, 4) and shape[2] not in (1, 3, 4):  # channels first
        return "image", Image(shape[1], shape[2], shape[0]), lambda value: np.moveaxis(np.asarray(value), 0, -1).copy()
    return "image", Image(*shape), lambda value: np.array(value, np.uint8)


def _read(seen: Any, readers: Sequence[tuple[Path, str, Callable[[Any], Any]]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    numbers = []
    for path, key, read in readers:
        value = read(at(seen, path))
        if key == "vector":
            numbers.append(value)
        else:
            found[key] = value
    if numbers:
        found["vector"] = numbers[0].copy() if len(numbers) == 1 else np.concatenate(numbers)
    return found
