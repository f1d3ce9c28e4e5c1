"""Written scenarios: requests that a world can pose in places made for them, beside those that are drawn from play."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from worlds.contract import Setter


class AskingOnce(Setter, Protocol):
    """A setter that plays what comes before a request, makes it, and then keeps silent.

    Attributes:
      asked: step at which it made the request; None before, or if it could not make it.
    """

    asked: int | None


@dataclass(frozen=True)
class PosedScenario:
    """A written request in a place.

    Args:
      kind: "instruction" or "question".
    """

    number: int
    words: str
    kind: str
    config: Mapping[str, Any]
    setter: AskingOnce


class Collection(Protocol):
    """Requests that somebody has written down."""

    @property
    def numbers(self) -> Sequence[int]:
        """Of the requests that can be posed."""
        ...

    @property
    def left_out(self) -> Mapping[int, str]:
        """Reasons for which the others cannot, by number."""
        ...

    def pose(self, number: int, seed: int) -> PosedScenario | None:
        """Return a request in the place of a seed; None where no place has been found in which it makes sense."""
        ...
