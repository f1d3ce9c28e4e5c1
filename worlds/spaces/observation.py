"""What a player sees, feels and hears before it acts.

An observation is a dictionary. It always has ``setter_text`` and ``solver_text``, what each has last said, and
``previous_movement`` (``previous_continuous`` where there are continuous components), the player's own last action.
The rest is declared here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from worlds.errors import UserError
from worlds.spaces.action import ActionSpec, Array, InvalidSpace, Pointer, shown
from worlds.spaces.names import check_names

MOST_PIXELS = 16_384  # of a side


class Departure(NamedTuple):
    """A part of an observation that is outside the space that its environment declares."""

    name: str
    found: str
    declared: str


class InvalidObservation(UserError, ValueError):
    """An observation that leaves the declared space. The message names the part, the value and the range."""


@dataclass(frozen=True)
class Image:
    """A picture: uint8 [height, width, channels] at key ``image``."""

    height: int
    width: int
    channels: int = 3

    def __post_init__(self) -> None:
        for side in (self.height, self.width, self.channels):
            if not 1 <= side <= MOST_PIXELS:
                found = f"an image of {self.height}x{self.width} pixels and {self.channels} channels"
                raise InvalidSpace(f"{found}; every side has 1 to {MOST_PIXELS:,}")

    @property
    def shape(self) -> tuple[int, int, int]:
        """(height, width, channels)."""
        return self.height, self.width, self.channels


@dataclass(frozen=True)
class Grid:
    """A map of cells: int16 [height, width, channels] at key ``grid``, each channel one of its number of categories."""

    height: int
    width: int
    categories: tuple[int, ...]

    def __post_init__(self) -> None:
        if min(self.height, self.width) < 1 or not self.categories:
            raise InvalidSpace(f"a grid of {self.height}x{self.width} cells and {len(self.categories)} channels")
        if not all(1 <= count <= 1 << 15 for count in self.categories):
            raise InvalidSpace(f"a grid with {list(self.categories)} categories; each channel has 1 to 32768")

    @property
    def shape(self) -> tuple[int, int, int]:
        """(height, width, channels)."""
        return self.height, self.width, len(self.categories)

    @cached_property
    def counts(self) -> np.ndarray:
        """Number of categories of every channel: uint16 [channels]; it cannot be written to."""
        counts = np.array(self.categories, np.uint16)
        counts.setflags(write=False)
        return counts

    @cached_property
    def limits(self) -> np.ndarray:
        """The same for every cell, to compare with: uint16 [height, width, channels]; it cannot be written to."""
        limits = np.tile(self.counts, (self.height, self.width, 1))
        limits.setflags(write=False)
        return limits


@dataclass(frozen=True)
class Category:
    """A feature of an entity that is one of ``count`` categories."""

    name: str
    count: int

    def __post_init__(self) -> None:
        if not 1 <= self.count <= 1 << 15:
            raise InvalidSpace(f"feature {self.name!r} has {self.count} categories, not 1 to 32768")


@dataclass(frozen=True)
class Entities:
    """A set of things: N rows, N at most ``most``, in any order; a pointer of the action means a row.

    ``entity_categories``, int16 [N, categorical features], and ``entity_values``, float32 [N, real features].

    Args:
      most: largest N.
      categorical: features that are categories.
      real: names of features that are real numbers.
      position: those of ``real`` that are coordinates, by whose differences entities are related in space.
    """

    most: int
    categorical: tuple[Category, ...] = ()
    real: tuple[str, ...] = ()
    position: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.most < 1 or not (self.categorical or self.real):
            raise InvalidSpace("entities need at least one row and one feature")
        names = tuple(each.name for each in self.categorical) + self.real
        check_names("entities", "features", names, InvalidSpace)
        unknown = next((name for name in self.position if name not in self.real), None)
        if unknown is not None:
            raise InvalidSpace(f"entities have no real feature {unknown!r} that could be a coordinate")

    @property
    def counts(self) -> np.ndarray:
        """Number of categories of every categorical feature: int64 [categorical features]."""
        return np.array([each.count for each in self.categorical], dtype=np.int64)


@dataclass(frozen=True)
class Vector:
    """Real numbers: float32 [length] at key ``vector``; ``names`` are for people."""

    length: int
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.length < 1 or (self.names and len(self.names) != self.length):
            raise InvalidSpace(f"a vector of {self.length} numbers with {len(self.names)} names")


_OWN_KEYS = (
    "image", "grid", "entity_categories", "entity_values", "vector", "legal",
    "setter_text", "solver_text", "previous_movement", "previous_continuous",
)  # fmt: skip


@dataclass(frozen=True)
class ObservationSpec:
    """What a player observes besides both players' last words and its own last action.

    Texts are keys of further texts, e.g. "inventory".
    """

    image: Image | None = None
    grid: Grid | None = None
    entities: Entities | None = None
    vector: Vector | None = None
    texts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_names("an observation", "texts", self.texts, InvalidSpace)
        taken = next((name for name in self.texts if name in _OWN_KEYS), None)
        if taken is not None:
            raise InvalidSpace(f"a text is named {taken!r}, which is the key of another part of observations")

    @cached_property
    def arrays(self) -> Mapping[str, Array]:
        """Type and shape of every array that is declared here, by key; None is the number of entities."""
        found: dict[str, tuple[Any, tuple[int | None, ...]]] = {}
        if self.image is not None:
            found["image"] = np.uint8, self.image.shape
        if self.grid is not None:
            found["grid"] = np.int16, self.grid.shape
        if self.entities is not None:
            found["entity_categories"] = np.int16, (None, len(self.entities.categorical))
            found["entity_values"] = np.float32, (None, len(self.entities.real))
        if self.vector is not None:
            found["vector"] = np.float32, (self.vector.length,)
        return {key: (np.dtype(dtype), shape) for key, (dtype, shape) in found.items()}


@dataclass(frozen=True)
class PlayerSpec:
    """The spaces of one player."""

    observation: ObservationSpec
    action: ActionSpec

    def __post_init__(self) -> None:
        there = self.observation.entities.most if self.observation.entities else 0
        for part in self.action.discrete:
            if isinstance(part, Pointer) and part.most != there:
                raise InvalidSpace(
                    f"component {part.name!r} points at one of {part.most} entities, but {there} are observed at most"
                )

    @cached_property
    def arrays(self) -> Mapping[str, Array]:
        """Type and shape of every array of an observation but those of the own last action, by key.

        These are the parts of a step that a world fixes: columns of recordings and inputs of agents are made from them.
        """
        legal: dict[str, Array] = {"legal": (np.dtype(np.bool_), (int(self.action.counts.sum()),))}
        return {**self.observation.arrays, **(legal if self.action.masked else {})}

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Keys of all texts of an observation."""
        return ("setter_text", "solver_text", *self.observation.texts)

    @cached_property
    def _previous(self) -> Mapping[str, Array]:
        """Type and shape of the own last action's parts, by key."""
        return {f"previous_{name}": array for name, array in self.action.arrays.items()}

    def blank(self) -> dict[str, Any]:
        """Return an observation without a word and of zeros: no entities, and every action is legal."""
        seen: dict[str, Any] = {
            key: np.zeros([0 if side is None else side for side in shape], dtype)
            for key, (dtype, shape) in self.arrays.items()
        }
        if "legal" in seen:
            seen["legal"][:] = True
        seen |= dict.fromkeys(self.texts, "")
        return seen | {f"previous_{name}": value for name, value in self.action.neutral().items()}

    def check_observation(self, seen: Mapping[str, Any]) -> None:
        """Refuse an observation that is not of this space.

        Raises:
          InvalidObservation: naming the first part that does not fit.
        """
        for key, (dtype, shape) in self.arrays.items():
            _check_array(key, seen.get(key), dtype, shape)
        for key in self.texts:
            if not isinstance(seen.get(key), str):
                raise InvalidObservation(f"{key} is {_missing_or(seen, key)}, not text")
            if whole_text(seen[key]) != seen[key]:
                raise InvalidObservation(f"{key} has half a character, a lone surrogate, which no file can hold")
        for key, (dtype, shape) in self._previous.items():
            _check_array(key, seen.get(key), dtype, shape)
        if self.observation.grid is not None:
            _check_categories("grid", seen["grid"], self.observation.grid.limits)
        if self.observation.entities is not None:
            self._check_entities(seen)
        for key in ("entity_values", "vector"):
            if key in self.arrays and not np.isfinite(seen[key]).all():
                raise InvalidObservation(f"{key} has a value that is not finite")
        if self.action.masked:
            self._check_legal(seen)

    def _check_entities(self, seen: Mapping[str, Any]) -> None:
        assert self.observation.entities is not None
        rows, others = len(seen["entity_categories"]), len(seen["entity_values"])
        if rows != others or rows > self.observation.entities.most:
            found = f"{rows} rows of categories and {others} of values"
            raise InvalidObservation(
                f"entities have {found}, not as many of each, at most {self.observation.entities.most}"
            )
        _check_categories("entity_categories", seen["entity_categories"], self.observation.entities.counts)

    def _check_legal(self, seen: Mapping[str, Any]) -> None:
        counts = self.action.counts
        ends = np.cumsum(counts)
        for part, begin, end in zip(self.action.discrete, ends - counts, ends, strict=True):
            if not seen["legal"][begin:end].any():
                raise InvalidObservation(f"legal has no legal value of {part.name}")


def whole_text(text: str) -> str:
    """Return ``text`` with U+FFFD in place of every lone surrogate, which UTF-8 cannot encode."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _check_array(key: str, value: Any, dtype: np.dtype, shape: tuple[int | None, ...]) -> None:
    fits = isinstance(value, np.ndarray) and value.dtype == dtype and value.ndim == len(shape)
    if fits and value.shape == shape:
        return
    if not fits or any(want not in (None, have) for want, have in zip(shape, value.shape, strict=True)):
        wanted = ", ".join("N" if side is None else str(side) for side in shape)
        raise InvalidObservation(f"{key} is {'missing' if value is None else shown(value)}, not {dtype} [{wanted}]")


def _check_categories(key: str, values: np.ndarray, counts: np.ndarray) -> None:
    """Refuse int16 categories, the first of which is not below ``counts``, of the shape of ``values`` or of a row."""
    wrong = values.view(np.uint16) >= counts  # a category below 0 is a large number, too
    if wrong.any():
        where = np.argwhere(wrong)[0].tolist()
        most = np.broadcast_to(counts, values.shape)[tuple(where)] - 1
        raise InvalidObservation(f"{key}{where} is {values[tuple(where)]}, not a category from 0 to {most}")


def _missing_or(seen: Mapping[str, Any], key: str) -> str:
    return shown(seen[key]) if key in seen else "missing"
