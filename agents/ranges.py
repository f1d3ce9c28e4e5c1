"""Ranges of numeric settings, in their annotations, and one check of them all.

A configuration declares ``updates: Count = 20_000`` and calls :func:`check_ranges` in ``__post_init__``; the command
line calls :func:`refusal` for typed values before it builds a configuration. Imports nothing heavy.
"""

from __future__ import annotations

import functools
import math
import numbers
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

LARGEST = 2**31 - 1  # of counts: what indices of every library can hold
_LARGEST_FLOAT = 3.4e38  # what a float of 32 bits can hold
_LONGEST = 40  # characters of a refused value that are repeated


@dataclass(frozen=True)
class Range:
    """Numbers that a setting accepts. None is no limit but that of 32 bits; "not a number" is never accepted.

    Args:
      least: smallest accepted number.
      above: exclusive lower limit.
      most: largest accepted number.
      below: exclusive upper limit.
      what: noun for the number, e.g. "a share".
      why: reason why other numbers are refused.
    """

    least: float | None = None
    above: float | None = None
    most: float | None = None
    below: float | None = None
    what: str = ""
    why: str = ""

    def refusal(self, value: float) -> str | None:
        """Return the end of "NAME is ..." if ``value`` is refused, e.g. "at least 1, not 0"; else None."""
        if self.most is None and self.below is None and abs(value) > _LARGEST_FLOAT:
            infinite = isinstance(value, float) and math.isinf(value)
            finite = "a finite number" if infinite else "a number that 32 bits can hold"
            return self._refused(f"{finite}, {self._takes()}", value)
        low = (self.least is None or value >= self.least) and (self.above is None or value > self.above)
        high = (self.most is None or value <= self.most) and (self.below is None or value < self.below)
        if low and high:
            return None
        return self._refused(f"at most {LARGEST:,}" if low and self.most == LARGEST else self._takes(), value)

    def _refused(self, takes: str, value: float) -> str:
        return f"{takes}, not {shortened(value)}" + (f": {self.why}" if self.why else "")

    def _takes(self) -> str:
        least, above, most, below = (
            None if limit is None else f"{limit:,}" if isinstance(limit, int) else f"{limit:,g}"
            for limit in (self.least, self.above, None if self.most == LARGEST else self.most, self.below)
        )
        what = f"{self.what} " if self.what else ""
        high = f"{most}" if most is not None else f"less than {below}" if below is not None else ""
        if least is not None:
            unlimited = f"from {least} on" if what else f"at least {least}"
            return what + (f"from {least} to {high}" if high else unlimited)
        return what + f"above {above}" + (f" and {'up to ' if most is not None else ''}{high}" if high else "")


Count = Annotated[int, Range(least=1, most=LARGEST)]
CountFromZero = Annotated[int, Range(least=0, most=LARGEST)]
Steps = Annotated[int, Range(least=0, most=LARGEST, what="a number of steps")]
Pixels = Annotated[int, Range(least=0, most=LARGEST, what="a number of pixels")]
Seed = Annotated[int, Range(least=0, most=2**32 - 1)]
Weight = Annotated[float, Range(least=0)]
Positive = Annotated[float, Range(above=0)]
Seconds = Annotated[float, Range(above=0, most=1_000_000, what="a number of seconds")]  # timers take no more
Megabytes = Annotated[float, Range(above=0, most=1_000_000, what="a number of megabytes")]
Share = Annotated[float, Range(least=0, most=1, what="a share")]
ShareBelowOne = Annotated[float, Range(least=0, below=1, what="a share")]
Decay = Annotated[float, Range(least=0, below=1, why="it is the share of the past in an average")]


def check_ranges(config: object, error: type[Exception] = ValueError) -> None:
    """Raise ``error``, naming the setting, its value and its range, for a number outside its range.

    Args:
      config: a dataclass whose annotations have ranges; a number without one only has to be finite.
      error: class of the exception.
    """
    for name, hint in _hints(type(config)).items():
        if (refused := refusal(hint, getattr(config, name))) is not None:
            raise error(f"{name} is {refused}")


def refusal(hint: Any, value: Any) -> str | None:
    """Return the end of "NAME is ..." if the annotation ``hint`` refuses the number ``value``; else None.

    Values that are not numbers, and need not be, are accepted.
    """
    origin, members = get_origin(hint), get_args(hint)
    if origin is Annotated:
        ranges = [mark for mark in members[1:] if isinstance(mark, Range)]
        if not ranges:
            return refusal(members[0], value)
        return _kind_refusal(members[0], value) or ranges[0].refusal(value)
    if origin in (Union, types.UnionType):
        wrong = None if value is None else [refusal(m, value) for m in members if m is not type(None)]
        return None if not wrong or None in wrong else wrong[0]
    if origin in (tuple, list):
        return _sequence_refusal(members, value)
    if origin in (dict, Mapping) and isinstance(value, Mapping):
        return next(filter(None, (refusal(members[1], item) for item in value.values())), None)
    if hint is float and isinstance(value, float) and not math.isfinite(value):
        return f"a finite number, not {value}"
    return _kind_refusal(hint, value)


def ranges_of(hint: Any) -> Iterator[tuple[type, Range | None]]:
    """Yield every type of number that ``hint`` accepts, with its range."""
    origin, members = get_origin(hint), get_args(hint)
    if origin is Annotated:
        own = next((mark for mark in members[1:] if isinstance(mark, Range)), None)
        for kind, inner in ranges_of(members[0]):
            yield kind, own or inner
    elif hint in (int, float):
        yield hint, None
    else:
        for member in members:
            yield from ranges_of(member)


@functools.cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)


def _kind_refusal(hint: Any, value: Any) -> str | None:
    if hint is int and (isinstance(value, bool) or not isinstance(value, numbers.Integral)):
        return f"a whole number, not {shortened(value)}"
    if hint is float and (isinstance(value, bool) or not isinstance(value, numbers.Real)):
        return f"a number, not {shortened(value)}"
    return None


def _sequence_refusal(members: tuple[Any, ...], value: Any) -> str | None:
    several = members[-1] is Ellipsis or len(members) == 1
    if not isinstance(value, (tuple, list)) or (not several and len(value) != len(members)):
        return f"{'several' if several else len(members)} values, not {shortened(value)}"
    hints = members[:1] * len(value) if several else members
    return next(filter(None, (refusal(*pair) for pair in zip(hints, value, strict=True))), None)


def shortened(value: Any) -> str:
    """Return ``value`` short enough to be repeated in a line."""
    if isinstance(value, int) and abs(value) >= 10**_LONGEST:
        return "a number of more digits" if value > 0 else "a negative number of more digits"
    text = repr(value) if isinstance(value, str) else f"{value}"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
