"""Worlds whose pointers can be told by the thing that they point at, whatever else is seen."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

NO_THING = -1


@runtime_checkable
class PointingWorld(Protocol):
    """A world that knows which thing the i-th entity of an observation is.

    A pointer's value counts the entities that a player observes now, so that it means another thing as soon as others
    come into view. Whoever does again what was recorded, while the other player does something else, needs the thing.
    """

    def row_at(self, player: str, pointer: int) -> int:
        """Return the number of the thing at which a pointer's value points now; NO_THING for nothing."""
        ...

    def pointer_to(self, player: str, row: int) -> int | None:
        """Return the pointer's value for a thing; None if the player does not observe it now."""
        ...
