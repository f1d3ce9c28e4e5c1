"""What a player can do in one step: components of movement, and words.

An action is arrays and a text: ``movement``, whole numbers [ticks, discrete components], has the bins that are chosen
and the entities that are pointed at; ``continuous``, float32 [ticks, continuous components], has the rest, and is
missing where a world has no such components; ``utterance`` is what is said.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from worlds.errors import UserError
from worlds.spaces.names import check_names

_FEW = 8  # values of a movement
TURN_SEC = 0.25  # for which a turn of a world without a clock is shown
UTTERANCE_MAX_CHARS = 160
MOST_BINS = 32_767  # values of a discrete component or pointer: as many as int16 counts
Array = tuple[np.dtype, tuple[int | None, ...]]  # type and shape; None is the number of entities
NOTHING = 0  # the value of a pointer that points at nothing; i points at row i - 1 of the entities observed


class InvalidSpace(UserError, ValueError):
    """A space that cannot be declared. The message names what is wrong."""


class InvalidAction(UserError, ValueError):
    """An action that does not fit the declared space. The message names the component, the value and the range."""


def check_count(name: str, count: int) -> None:
    """Raise InvalidSpace if the component ``name`` has more values than the actions of an episode can hold."""
    if count > MOST_BINS:
        raise InvalidSpace(
            f"component {name!r} has {count:,} values, more than {MOST_BINS:,}; give the environment several smaller "
            "components, e.g. MultiDiscrete"
        )


@dataclass(frozen=True)
class Discrete:
    """A component with named bins, one of which is chosen at every tick.

    Args:
      bins: name of every bin, in the order of their indices.
      neutral: index of the bin that does nothing.
      values: number that every bin stands for; empty if the names say it all.
    """

    name: str
    bins: tuple[str, ...]
    neutral: int = 0
    values: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        check_count(self.name, len(self.bins))
        check_names(f"component {self.name!r}", "bins", self.bins, InvalidSpace)
        if len(self.bins) < 2:
            raise InvalidSpace(f"component {self.name!r} has {len(self.bins)} bins; a choice needs two or more")
        if not 0 <= self.neutral < len(self.bins):
            raise InvalidSpace(f"component {self.name!r}: neutral is {self.neutral}, not 0 to {len(self.bins) - 1}")
        if self.values and len(self.values) != len(self.bins):
            raise InvalidSpace(f"component {self.name!r} has {len(self.values)} values for {len(self.bins)} bins")
        object.__setattr__(self, "values", tuple(map(float, self.values)))

    @property
    def count(self) -> int:
        """Number of bins."""
        return len(self.bins)


@dataclass(frozen=True)
class Pointer:
    """A component that points at one of at most ``most`` entities observed, or at nothing."""

    name: str
    most: int

    def __post_init__(self) -> None:
        if self.most < 1:
            raise InvalidSpace(f"component {self.name!r} points at one of {self.most} entities; one or more are needed")
        check_count(self.name, self.count)

    @property
    def neutral(self) -> int:
        """The value that points at nothing."""
        return NOTHING

    @property
    def count(self) -> int:
        """Number of values: nothing, and every entity."""
        return 1 + self.most


@dataclass(frozen=True)
class Continuous:
    """A component with a real value at every tick, from ``low`` to ``high``; ``neutral`` does nothing."""

    name: str
    low: float
    high: float
    neutral: float = 0.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise InvalidSpace(
                f"component {self.name!r} is bounded by {self.low} and {self.high}; give finite bounds, the lower first"
            )
        if not self.low <= self.neutral <= self.high:
            raise InvalidSpace(f"component {self.name!r}: neutral is {self.neutral}, not {self.low} to {self.high}")
        for name in ("low", "high", "neutral"):  # 0 and 0.0 are one bound, also in files and fingerprints
            object.__setattr__(self, name, float(getattr(self, name)))


@dataclass(frozen=True)
class FreeText:
    """Speech in any words, cut after ``most_chars`` characters."""

    most_chars: int = UTTERANCE_MAX_CHARS


@dataclass(frozen=True)
class Grammar:
    """Speech in sentences of a finite grammar: one word or phrase from every slot, joined by spaces.

    Args:
      slots: alternatives of every slot, e.g. (("where is", "help"), ("Jack", "the door")).
    """

    slots: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        if not self.slots or not all(self.slots):
            raise InvalidSpace("a grammar needs one slot or more, each with one alternative or more")
        for number, slot in enumerate(self.slots):
            check_names("the grammar", f"slot {number}", slot, InvalidSpace, empty=True)

    @property
    def most_chars(self) -> int:
        """Characters of the longest sentence."""
        return max(map(len, self.sentences()))

    def sentences(self) -> Iterator[str]:
        """Yield every sentence."""
        for words in itertools.product(*self.slots):
            yield " ".join(filter(None, words))


@lru_cache(maxsize=16)
def _sentences(grammar: Grammar) -> frozenset[str]:
    return frozenset(grammar.sentences())


Component = Discrete | Pointer | Continuous
Speech = FreeText | Grammar


@dataclass(frozen=True)
class ActionSpec:
    """What a player can do in one step.

    Args:
      components: of its movement; discrete ones and pointers share one array, in this order.
      ticks: actions of a step, one after the other.
      tick_sec: seconds of the world that a tick lasts, for people to read and at which they are shown play. The
        default suits turn-based worlds, which have no clock.
      speech: None where the player cannot speak.
      masked: True if observations say which values of discrete components and pointers are legal.
    """

    components: tuple[Component, ...]
    ticks: int = 1
    tick_sec: float = TURN_SEC
    speech: Speech | None = None
    masked: bool = False

    def __post_init__(self) -> None:
        names = tuple(component.name for component in self.components)
        check_names("an action", "components", names, InvalidSpace)
        if self.ticks < 1 or not self.tick_sec > 0:
            raise InvalidSpace(
                f"a step of {self.ticks} ticks of {self.tick_sec} s; give one or more of positive length"
            )
        if self.masked and not self.discrete:
            raise InvalidSpace("legal actions are declared, but no component is discrete or a pointer")
        object.__setattr__(self, "tick_sec", float(self.tick_sec))

    @cached_property
    def discrete(self) -> tuple[Discrete | Pointer, ...]:
        """The components of ``movement``, in the order of its columns."""
        return tuple(each for each in self.components if not isinstance(each, Continuous))

    @cached_property
    def continuous(self) -> tuple[Continuous, ...]:
        """The components of ``continuous``, in the order of its columns."""
        return tuple(each for each in self.components if isinstance(each, Continuous))

    @cached_property
    def counts(self) -> np.ndarray:
        """Number of values of every discrete component: int64 [discrete components]; it cannot be written to."""
        counts = np.array([each.count for each in self.discrete], dtype=np.int64)
        counts.setflags(write=False)
        return counts

    @cached_property
    def limits(self) -> np.ndarray:
        """Numbers of values of a step's movement in a row, to compare with: unsigned [ticks x discrete components]."""
        limits = np.tile(self.counts.astype(f"u{np.dtype(self.dtype).name}"), self.ticks)
        limits.setflags(write=False)
        return limits

    @cached_property
    def dtype(self) -> type[np.int8] | type[np.int16]:
        """Type of ``movement``: the smallest that has all values."""
        return np.int8 if self.counts.max(initial=0) <= 128 else np.int16

    @cached_property
    def arrays(self) -> Mapping[str, Array]:
        """Type and shape of every array of an action, by key."""
        found: dict[str, Array] = {"movement": (np.dtype(self.dtype), (self.ticks, len(self.discrete)))}
        if self.continuous:
            found["continuous"] = np.dtype(np.float32), (self.ticks, len(self.continuous))
        return found

    @property
    def step_sec(self) -> float:
        """Seconds of the world that a step lasts."""
        return self.ticks * self.tick_sec

    @property
    def steps_per_second(self) -> float:
        """Steps in a second of the world."""
        return 1 / self.step_sec

    def neutral_movement(self) -> np.ndarray:
        """Return the movement that does nothing: [ticks, discrete components]."""
        return self._still.copy()

    @cached_property
    def _still(self) -> np.ndarray:
        return np.tile(np.array([each.neutral for each in self.discrete], self.dtype), (self.ticks, 1))

    def neutral_continuous(self) -> np.ndarray:
        """Return the continuous values that do nothing: float32 [ticks, continuous components]."""
        return np.tile(np.array([each.neutral for each in self.continuous], np.float32), (self.ticks, 1))

    def neutral(self) -> dict[str, np.ndarray]:
        """Return the arrays of the action that does nothing, as :attr:`arrays` has them."""
        moves = {"movement": self.neutral_movement()}
        return moves | {"continuous": self.neutral_continuous()} if self.continuous else moves

    def silent(self, legal: np.ndarray | None = None) -> Any:
        """Return the action that does nothing and says nothing; where that is not legal, the first that is.

        Args:
          legal: bool [values of all discrete components]; None allows all.
        """
        action: dict[str, Any] = {**self.neutral(), "utterance": ""}
        if legal is not None:
            for column, allowed in enumerate(np.split(legal, np.cumsum(self.counts)[:-1])):
                if not allowed[self.discrete[column].neutral]:
                    action["movement"][:, column] = int(np.argmax(allowed))
        return action

    def spoken(self, words: str) -> str:
        """Return ``words`` as far as the player can say them: cut to the longest utterance; "" if no sentence."""
        if not words or self.speech is None:
            return ""
        if isinstance(self.speech, Grammar):
            return words if words in _sentences(self.speech) else ""
        return words[: self.speech.most_chars]

    def check(self, action: Mapping[str, Any], entities: int | None = None) -> None:
        """Raise InvalidAction, naming the first part of ``action`` that does not fit this space.

        Pointers may point at the ``entities`` observed now; None allows as many as there can be.
        """
        self._check_movement(action.get("movement"), entities)
        if self.continuous:
            self._check_continuous(action.get("continuous"))
        elif "continuous" in action:
            raise InvalidAction("continuous values are given, but no component is continuous")
        said = action.get("utterance", "")
        if not isinstance(said, str):
            raise InvalidAction(f"utterance is a {type(said).__name__}; give text")
        if said and self.speech is None:
            raise InvalidAction(f"utterance is {said[:40]!r}, but the player cannot speak")
        if said and isinstance(self.speech, Grammar) and said not in _sentences(self.speech):
            raise InvalidAction(f"utterance is {said[:40]!r}, no sentence of the grammar")

    def _check_movement(self, movement: Any, entities: int | None) -> None:
        shape = (self.ticks, len(self.discrete))
        if not isinstance(movement, np.ndarray) or movement.shape != shape or movement.dtype.kind not in "iu":
            raise InvalidAction(f"movement is {shown(movement)}; give integers {list(shape)}")
        if movement.size <= _FEW and self._has_all(movement.tolist(), entities):
            return
        wrong = (movement < 0) | (movement >= self.counts)
        if entities is not None:
            points = np.array([isinstance(each, Pointer) for each in self.discrete], np.bool_)
            wrong |= points & (movement > entities)
        if wrong.any():
            tick, column = np.argwhere(wrong)[0].tolist()
            part, found = self.discrete[column], movement[tick, column]
            if isinstance(part, Pointer):
                there = part.most if entities is None else entities
                raise InvalidAction(f"{part.name} points at entity {found} at tick {tick}; there are {there}")
            raise InvalidAction(f"{part.name} is {found} at tick {tick}; bins are 0..{part.count - 1}")

    def _has_all(self, movement: list[list[int]], entities: int | None) -> bool:
        """Return True if all values of a movement exist; for a few values faster than with arrays."""
        most = self._highest if entities is None else [high if high >= 0 else entities for high in self._pointed]
        return all(0 <= value <= high for tick in movement for value, high in zip(tick, most, strict=True))

    @cached_property
    def _highest(self) -> tuple[int, ...]:
        return tuple(each.count - 1 for each in self.discrete)

    @cached_property
    def _pointed(self) -> tuple[int, ...]:
        """Highest value of every discrete component, but -1 of a pointer."""
        return tuple(-1 if isinstance(each, Pointer) else each.count - 1 for each in self.discrete)

    def _check_continuous(self, values: Any) -> None:
        shape = (self.ticks, len(self.continuous))
        if not isinstance(values, np.ndarray) or values.shape != shape or values.dtype.kind != "f":
            raise InvalidAction(f"continuous is {shown(values)}; give floats {list(shape)}")
        low, high = np.array([[each.low, each.high] for each in self.continuous], np.float32).T
        wrong = ~((values >= low) & (values <= high))  # also where it is no number
        if wrong.any():
            tick, column = np.argwhere(wrong)[0].tolist()
            part = self.continuous[column]
            raise InvalidAction(f"{part.name} is {values[tick, column]} at tick {tick}, not {part.low} to {part.high}")


def shown(value: Any) -> str:
    """Return what ``value`` is, in a few words: an array's type and shape, else its Python type."""
    return f"{value.dtype} {list(value.shape)}" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"
