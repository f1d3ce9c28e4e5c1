"""What a house should hold for certain, in words: "drum", "red drum", "drum in the playroom"."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

from worlds.contract import WorldError
from worlds.playhouse.house.catalogue import COLOURS, FURNITURE_KINDS, OBJECT_KINDS
from worlds.playhouse.house.room_types import ROOM_TYPES, room_type_called


@dataclass(frozen=True)
class Wanted:
    """One thing or piece of furniture that a house should hold.

    Args:
      colour: None for any.
      room: type of its room, None for any.
    """

    kind: str
    loose: bool
    colour: str | None
    room: str | None


def wanted(text: str) -> Wanted:
    """Read words such as "red drum in the playroom"; kinds may be called by their synonyms, too.

    Raises:
      WorldError: the words name nothing.
    """
    what, _, where = text.partition(" in ")
    room = room_type_called(where.removeprefix("the ")) if where else None
    if where and room is None:
        raise WorldError(f"setting include: {text!r} names the unknown room {where!r}; known: {', '.join(ROOM_TYPES)}")
    first, _, rest = what.partition(" ")
    colour, kind = (None, _KINDS.get(what)) if what in _KINDS else (first, _KINDS.get(rest))
    if kind is None or (colour is not None and colour not in COLOURS):
        noun = rest if first in COLOURS and rest else what
        close = get_close_matches(noun, _KINDS, n=3, cutoff=0.3)
        raise WorldError(f"setting include: {text!r} names the unknown kind {noun!r}; near it: {', '.join(close)}")
    return Wanted(kind[0], kind[1], colour, room)


def _called() -> dict[str, tuple[str, bool]]:
    """The kind that is called so, and whether it is loose: own names go before synonyms, things before furniture."""
    found: dict[str, tuple[str, bool]] = {}
    for loose, catalogue in ((True, OBJECT_KINDS), (False, FURNITURE_KINDS)):
        for name in catalogue:
            found.setdefault(name, (name, loose))
    for loose, catalogue in ((True, OBJECT_KINDS), (False, FURNITURE_KINDS)):
        for name, kind in catalogue.items():
            for synonym in kind.synonyms:
                found.setdefault(synonym, (name, loose))
    return found


_KINDS = _called()
