"""What a house should hold for certain, in words: "drum", "red drum", "drum in the playroom"."""

from __future__ import annotations

from dataclasses import dataclass

from worlds.contract import WorldError
from worlds.playhouse.house.catalogue import COLOURS, FURNITURE_KINDS, OBJECT_KINDS
from worlds.playhouse.house.room_types import ROOM_TYPES, room_type_called


@dataclass(frozen=True)
class Wanted:
    """One thing or piece of furniture that a house should hold.

    Args:
      kind: its name in the catalogue.
      loose: whether it is a loose thing.
      colour: None for any.
      room: type of its room, None for any.
    """

    kind: str
    loose: bool
    colour: str | None
    room: str | None


def wanted(text: str) -> Wanted:
    """Read words such as "red drum in the playroom". Raises WorldError for words that name nothing."""
    what, _, where = text.partition(" in ")
    room = room_type_called(where.removeprefix("the ")) if where else None
    if where and room is None:
        raise WorldError(f"setting include: {text!r} names the unknown room {where!r}; known: {', '.join(ROOM_TYPES)}")
    first, _, rest = what.partition(" ")
    colour, kind = (first, rest) if first in COLOURS and rest and what not in OBJECT_KINDS else (None, what)
    if kind not in OBJECT_KINDS and kind not in FURNITURE_KINDS:
        known = ", ".join((*OBJECT_KINDS, *FURNITURE_KINDS))
        raise WorldError(f"setting include: {text!r} names the unknown kind {kind!r}; known: {known}")
    return Wanted(kind, kind in OBJECT_KINDS, colour, room)
