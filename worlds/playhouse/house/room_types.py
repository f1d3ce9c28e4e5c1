"""The types of room: what people call them, what stands in them, and how they are finished."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from worlds.data_files import read_entries


@dataclass(frozen=True)
class RoomType:
    """A type of room.

    Args:
      synonyms: other names that people use.
      size: factor on the width and depth of ordinary rooms.
      needs: kinds of furniture by which it is known, the most important first.
      also: kinds of furniture that may stand there, too.
      floors: names of its floors.
      share: its share of the loose things, per square metre.
      chance: weight with which it is chosen.
      walls: finish of its walls.
      passage: whether it is long and narrow, with rooms at its sides.
    """

    name: str
    synonyms: tuple[str, ...]
    size: float
    needs: tuple[str, ...]
    also: tuple[str, ...]
    floors: tuple[str, ...]
    share: float = 1.0
    chance: float = 1.0
    walls: str = "plaster"
    passage: bool = False


ROOM_TYPES: dict[str, RoomType] = read_entries(Path(__file__).parent / "data" / "room_types.json", RoomType)


def room_type_called(words: str) -> str | None:
    """Name of the type that people call so; None if they call none so."""
    return next((t.name for t in ROOM_TYPES.values() if words == t.name or words in t.synonyms), None)
