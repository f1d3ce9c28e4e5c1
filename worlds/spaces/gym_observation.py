"""Observation spaces of Gymnasium environments as parts of one observation, with what reads values into them.

A foreign space is a tree of dictionaries and tuples. Its leaves become a picture, a grid, texts, or numbers of one
vector. Environments often return another type than they declare, or leave their bounds: what can be read without loss
is read (:func:`departure` names it), and all else is refused by the name of the leaf.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

from worlds.spaces.action import InvalidSpace, shown
from worlds.spaces.gym_spaces import Path, at, leaves, path_name, size_of
from worlds.spaces.observation import Departure, Grid, Image, InvalidObservation, ObservationSpec, Vector, whole_text

MASK = "action_mask"  # part of an observation, or of infos, that says which actions are legal
_MOST_GRID = 1 << 15
_MOST_VECTOR = 100_000
_MOST_ONE_OF = 1 << 12  # values of a Discrete that is observed as one of n; of a larger one, the binary digits are
_LEAST_SIDE = 4  # pixels of a picture; fewer are numbers, such as the memory of a game, uint8 [1, 128]
Reader = Callable[[Any], Any]


@dataclass(frozen=True)
class ObservationTranslation:
    """Parts of an observation for a Gymnasium observation space.

    Args:
      masked: ``read`` also returns "legal": bool [values of all discrete components].
    """

    spec: ObservationSpec
    read: Callable[[Any], dict[str, Any]]
    masked: bool = False


def translate_observation(
    space: spaces.Space,
    grids: Mapping[str, Sequence[int]] | None = None,
    without: Sequence[str] = (),
    counts: Sequence[int] = (),
) -> ObservationTranslation:
    """Return the parts of an observation for the observation space of a Gymnasium environment.

    A Box of bytes with two dimensions, or three or four, is the picture: one of three dimensions has its channels, or a
    stack of grey frames, first or last; one of four is a stack of pictures, whose channels lie behind each other. Whole
    numbers with three dimensions are the grid. Everything else that has numbers goes to the vector, Discrete as one of
    n. A part "action_mask" with a number for every value of the action says which are legal.

    Args:
      grids: categories per channel of leaves, by name, that are grids though their spaces look like pictures.
    """
    found_leaves = leaves(space)
    names = [path_name(path, "observation") for path, _ in found_leaves]
    unknown = next((name for name in (*(grids or {}), *without) if name not in names), None)
    if unknown is not None:
        raise InvalidSpace(f"no observation is named {unknown!r}; known: {', '.join(names)}")
    mask = [path for path, _ in found_leaves if path[:1] == (MASK,)]
    masked = bool(counts) and sum(size_of(leaf) for path, leaf in found_leaves if path in mask) == sum(counts)
    found = dict[str, Any]()
    readers: list[tuple[Path, str, Reader]] = []
    length = 0
    for name, (path, leaf) in zip(names, found_leaves, strict=True):
        if name in without:
            continue
        if masked and path in mask:
            readers.append((path, "legal", _numbers(name, size_of(leaf))))
            continue
        key, part, read = _part(name, leaf, (grids or {}).get(name))
        if key == "vector":
            length += part
        elif key == "text":
            found.setdefault("texts", []).append(name)
        elif key in found:
            first = next(path_name(path, "observation") for path, one, _ in readers if one == key)
            raise InvalidSpace(f"{name} is a second {key} besides {first}; {_left_out(name)}")
        else:
            found[key] = part
        readers.append((path, name if key == "text" else key, read))
    texts = tuple(found.pop("texts", ()))
    spec = ObservationSpec(**found, vector=Vector(length) if length else None, texts=texts)
    return ObservationTranslation(spec, lambda seen: _read(seen, readers, counts), masked)


def legal_values(mask: np.ndarray, counts: Sequence[int]) -> np.ndarray:
    """Return a mask of actions, 0 for illegal values, as bool; a component without any legal value is free."""
    legal = mask.astype(np.bool_)
    free = ~np.logical_or.reduceat(legal, np.cumsum((0, *counts[:-1]), dtype=np.int64))
    return legal | np.repeat(free, counts) if free.any() else legal


def departure(space: spaces.Space, seen: Any) -> Departure | None:
    """Return the first part of an observation, which has been read, that is outside the declared space."""
    for path, leaf in leaves(space):
        if not isinstance(leaf, (spaces.Box, spaces.Discrete, spaces.MultiDiscrete, spaces.MultiBinary)):
            continue
        value, shape = np.asarray(at(seen, path)), tuple(leaf.shape or ())
        if leaf.contains(value):
            continue
        name = path_name(path, "observation")
        if value.size == size_of(leaf) and leaf.contains(value.reshape(shape).astype(leaf.dtype)):
            return Departure(name, f"{value.dtype} {list(value.shape)}", f"{leaf.dtype} {list(shape)}")
        return Departure(name, _quoted(value), f"a value of {leaf}")
    return None


def _left_out(name: str) -> str:
    """Return how a part is left out, in each command that can."""
    check = f"""--options '{{"leave_out": ["{name}"]}}'"""
    imports = f"--minari.leave-out {name} or --rlds.leave-out {name}"
    return f"leave it out: --world.leave-out {name}, in rlhf world check {check}, in an import {imports}"


def _quoted(value: np.ndarray) -> str:
    if value.size > 8:
        return f"{value.dtype} {list(value.shape)} from {value.min()} to {value.max()}"
    return f"{value.dtype} {value.tolist()}"[:80]


# -- parts ----------------------------------------------------------------------------------------------------------


def _part(name: str, leaf: spaces.Space, categories: Sequence[int] | None) -> tuple[str, Any, Reader]:
    """Return the key of a leaf's part ("text" for texts), the part (of the vector its length), and what reads it."""
    if isinstance(leaf, spaces.Text):
        return "text", None, lambda value: text_of(name, value)
    if isinstance(leaf, spaces.Discrete):
        return _discrete(name, int(leaf.n), int(leaf.start))
    if not isinstance(leaf, (spaces.Box, spaces.MultiDiscrete, spaces.MultiBinary)):
        raise InvalidSpace(
            f"{name} is a {leaf}; observations are Box, Discrete, MultiDiscrete, MultiBinary, Text, "
            "or a Dict or Tuple of them"
        )
    shape, dtype = tuple(leaf.shape or ()), np.dtype(leaf.dtype)
    if categories is not None or (len(shape) == 3 and dtype != np.uint8 and dtype.kind in "iu"):
        return _grid(name, leaf, shape, categories)
    if isinstance(leaf, spaces.Box) and dtype == np.uint8 and len(shape) in (2, 3, 4):
        image, arranged = _picture(shape)
        if min(image.height, image.width) >= _LEAST_SIDE:
            return "image", image, lambda value: arranged(_bytes(name, value, shape))
    size = size_of(leaf)
    if size > _MOST_VECTOR:
        raise InvalidSpace(f"{name} has {size:,} numbers; a vector has at most {_MOST_VECTOR:,}; {_left_out(name)}")
    return "vector", size, _numbers(name, size)


def _discrete(name: str, count: int, first: int) -> tuple[str, int, Reader]:
    """One of n, or the binary digits of many: a value has no order, and a vector of millions no use."""
    if count <= _MOST_ONE_OF:

        def one_of(value: Any) -> np.ndarray:
            numbers = np.zeros(count, np.float32)
            numbers[_whole(name, value, first, count)] = 1
            return numbers

        return "vector", count, one_of
    digits = np.arange((count - 1).bit_length())
    return "vector", len(digits), lambda value: (_whole(name, value, first, count) >> digits & 1).astype(np.float32)


def _grid(name: str, leaf: Any, shape: tuple[int, ...], categories: Sequence[int] | None) -> tuple[str, Any, Reader]:
    if len(shape) != 3:
        raise InvalidSpace(f"{name} has shape {list(shape)}; a grid has [height, width, channels]")
    counts = _counts(name, leaf) if categories is None else [int(count) for count in categories]
    if len(counts) != shape[2]:
        raise InvalidSpace(f"{name} has {shape[2]} channels, but categories are given for {len(counts)}")
    grid = Grid(shape[0], shape[1], tuple(counts))
    return "grid", grid, lambda value: _cast(name, value, shape, np.int16)


def _counts(name: str, leaf: Any) -> list[int]:
    """Number of categories of every channel of a space of whole numbers [height, width, channels]."""
    lowest = np.min(getattr(leaf, "low", 0))
    highest = leaf.nvec - 1 if isinstance(leaf, spaces.MultiDiscrete) else leaf.high
    if lowest < 0 or np.any(highest >= _MOST_GRID):
        found = f"whole numbers from {lowest} to {np.max(highest)}"
        raise InvalidSpace(f"{name} has {found}; a grid's categories are 0 to {_MOST_GRID - 1}")
    return (np.max(highest, axis=(0, 1)) + 1).tolist()


def _picture(shape: tuple[int, ...]) -> tuple[Image, Callable[[np.ndarray], np.ndarray]]:
    """Return the image of a shape with two to four dimensions, and what puts the channels of its pictures last."""
    if len(shape) == 2:
        return Image(*shape, 1), lambda picture: picture[..., None]
    if len(shape) == 3:
        if shape[2] in (1, 3, 4) or (shape[0] >= shape[2] and shape[0] not in (1, 3, 4)):
            return Image(*shape), lambda picture: picture
        return Image(shape[1], shape[2], shape[0]), lambda picture: np.moveaxis(picture, 0, -1).copy()
    inner, arranged = _picture(shape[1:])
    image = Image(inner.height, inner.width, shape[0] * inner.channels)

    def stacked(frames: np.ndarray) -> np.ndarray:
        return np.concatenate([arranged(frame) for frame in frames], axis=2)

    return image, stacked


# -- values ---------------------------------------------------------------------------------------------------------


def _read(seen: Any, readers: Sequence[tuple[Path, str, Reader]], counts: Sequence[int]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    numbers: dict[str, list[np.ndarray]] = {}
    for path, key, read in readers:
        try:
            value = at(seen, path)
        except (KeyError, IndexError, TypeError):
            raise InvalidObservation(f"{path_name(path, 'observation')} is missing") from None
        if key in ("vector", "legal"):
            numbers.setdefault(key, []).append(read(value))
        else:
            found[key] = read(value)
    for key, parts in numbers.items():
        found[key] = parts[0] if len(parts) == 1 else np.concatenate(parts)
    if "legal" in found:
        found["legal"] = legal_values(found["legal"], counts)
    return found


def text_of(name: str, value: Any) -> str:
    """Return a text, also of bytes or an array of one, in characters that every file can hold."""
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.item()
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if not isinstance(value, str):
        raise InvalidObservation(f"{name} is a {type(value).__name__}, not text")
    return whole_text(str(value))


def _array(name: str, value: Any) -> np.ndarray:
    """Return numbers as an array, whatever holds them."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return value
    try:
        array = np.asarray(value)
        if array.dtype == object and value is not None:
            array = array.astype(np.float64)
    except (TypeError, ValueError):
        array = np.array(None)
    if array.dtype.kind not in "biuf":
        raise InvalidObservation(f"{name} is {shown(value)}, not numbers")
    return array


def _numbers(name: str, size: int) -> Reader:
    def read(value: Any) -> np.ndarray:
        array = _array(name, value)
        if array.size != size:
            raise InvalidObservation(f"{name} is {shown(value)}, which has {array.size} numbers, not {size}")
        return array.astype(np.float32).ravel()

    return read


def _whole(name: str, value: Any, first: int, count: int) -> int:
    """Return which of ``count`` whole numbers from ``first`` on a value is, from 0."""
    array = _array(name, value)
    number = array.item() if array.size == 1 else None
    if number is None or number != number or not first <= number < first + count or number != int(number):
        found = shown(value) if number is None else number
        raise InvalidObservation(f"{name} is {found}, not a whole number from {first} to {first + count - 1}")
    return int(number) - first


def _bytes(name: str, value: Any, shape: tuple[int, ...]) -> np.ndarray:
    if isinstance(value, np.ndarray) and value.dtype == np.uint8 and value.shape == shape:
        return value.copy()
    return _cast(name, value, shape, np.uint8)


def _cast(name: str, value: Any, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Return whole numbers of a shape in another type, which has to have them all."""
    array = _array(name, value)
    if array.shape != shape:
        raise InvalidObservation(f"{name} is {shown(array)}, declared is {list(shape)}")
    with np.errstate(invalid="ignore"):
        cast = array.astype(dtype)
    if not np.array_equal(cast, array):
        least, most = np.iinfo(dtype).min if dtype != np.int16 else 0, np.iinfo(dtype).max
        found = f"{array.dtype} from {array.min()} to {array.max()}"
        raise InvalidObservation(f"{name} is {found}, not whole numbers from {least} to {most}")
    return cast
