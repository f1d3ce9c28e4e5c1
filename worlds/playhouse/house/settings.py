"""Settings of sampled houses, and named presets of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from worlds.contract import WorldError
from worlds.contract.known_settings import check_known
from worlds.playhouse.house.catalogue import (
    COLOURS,
    FURNITURE_KINDS,
    OBJECT_KINDS,
    PLAIN_COLOURS,
    PLAIN_FURNITURE_KINDS,
    PLAIN_KINDS,
    SIZES,
)
from worlds.playhouse.house.room_types import ROOM_TYPES
from worlds.playhouse.house.rules import LARGEST_ROOM, SMALLEST_ROOM, check_substeps
from worlds.playhouse.house.wanted import wanted

PLAIN, FURNISHED = "plain", "furnished"
MOST_ROOMS = {PLAIN: 5, FURNISHED: 7}


@dataclass(frozen=True)
class HouseSettings:
    """Settings of sampled houses.

    Args:
      rooms: (fewest, most) in the house, both included.
      furniture: (fewest, most) in the whole house, both included.
      objects: (fewest, most) in the whole house, both included.
      room_size: (least, greatest) width and depth of a room in metres; in furnished houses of an ordinary room, since
        living rooms are larger and pantries smaller.
      kinds: names of kinds of object; None means all of the catalogue, in plain houses the first 14.
      colours: names of the colours of objects and furniture; None means all, in plain houses the first ten.
      sizes: names of the sizes of objects; None means all.
      furniture_kinds: names of kinds of furniture; None means all, in plain houses the first ten.
      on_furniture: chance that an object stands on furniture, where it fits on any, rather than on the floor.
      face_room: turn players who would start close before a wall or furniture to where the room is open. The house of a
        seed is the same with and without.
      style: "plain", rooms without names and anything anywhere, or "furnished", rooms with names and what belongs in
        them.
      room_types: names of the types that furnished rooms may have; None means all.
      include: what is in a furnished house for certain, e.g. "drum", "red drum", "drum in the playroom".
      in_containers: chance that an object of a furnished house lies in a bin, box or basket of its room, where it fits.
      repeats: chance that an object is of a kind that is in the house already, in another colour.
      strays: chance that an object is of a kind that does not belong in its room.
      substeps: physics steps of a tick in furnished houses, 2 to 16; plain ones always have 4. With fewer, play is
        faster, and things press deeper into each other.
      door_leaves: share of the doorways of a furnished house that have a leaf or two, closed or open at first, which
        players push open by walking. The rest of a seed's house is the same with and without.
      preset: name of settings that hold where no other is given: room, flat or house.

    Raises:
      WorldError: a range is empty, or a name is not in the catalogue.
    """

    rooms: tuple[int, int] = (1, 5)
    furniture: tuple[int, int] = (4, 12)
    objects: tuple[int, int] = (8, 24)
    room_size: tuple[float, float] = (4.0, 6.0)
    kinds: tuple[str, ...] | None = None
    colours: tuple[str, ...] | None = None
    sizes: tuple[str, ...] | None = None
    furniture_kinds: tuple[str, ...] | None = None
    on_furniture: float = 0.4
    face_room: bool = False
    style: str = PLAIN
    room_types: tuple[str, ...] | None = None
    include: tuple[str, ...] = ()
    in_containers: float = 0.2
    repeats: float = 0.4
    strays: float = 0.15
    substeps: int = 2
    door_leaves: float = 0.0
    preset: str = ""

    def __post_init__(self) -> None:
        if self.preset:
            self._read_preset()
        if self.style not in MOST_ROOMS:
            raise WorldError(f"setting style: unknown {self.style!r}; known: {', '.join(MOST_ROOMS)}")
        for name, least in (("rooms", 1), ("furniture", 0), ("objects", 0), ("room_size", 2 * SMALLEST_ROOM)):
            self._check_range(name, least)
        most = max(MOST_ROOMS.values())
        if self.rooms[1] > most:
            raise WorldError(f"setting rooms: {self.rooms[1]} rooms; a house has at most {most}")
        if self.room_size[1] > LARGEST_ROOM:
            raise WorldError(f"setting room_size: {self.room_size[1]} m; a room has at most {LARGEST_ROOM:g} m")
        for name, catalogue in _CATALOGUES.items():
            self._check_names(name, catalogue)
        for name in ("on_furniture", "in_containers", "repeats", "strays", "door_leaves"):
            chance = getattr(self, name)
            if not 0.0 <= chance <= 1.0:
                raise WorldError(f"setting {name}: {chance} is not a chance between 0 and 1")
        if not isinstance(self.face_room, bool):
            raise WorldError(f"setting face_room: {self.face_room!r} is neither true nor false")
        check_substeps(self.substeps, "setting substeps")
        if isinstance(self.include, str):
            raise WorldError(f"setting include: {self.include!r} is not a list; write ({self.include!r},)")
        object.__setattr__(self, "include", tuple(self.include))
        for text in self.include:
            wanted(text)

    def _read_preset(self) -> None:
        """Take the preset's settings where none other than the default is given."""
        if self.preset not in PRESETS:
            raise WorldError(f"setting preset: unknown {self.preset!r}; known: {', '.join(PRESETS)}")
        for field in fields(self):
            if field.name in PRESETS[self.preset] and getattr(self, field.name) == field.default:
                object.__setattr__(self, field.name, PRESETS[self.preset][field.name])
        object.__setattr__(self, "preset", "")

    def _check_range(self, name: str, least: float) -> None:
        value = getattr(self, name)
        if not isinstance(value, list | tuple) or len(value) != 2 or not least <= value[0] <= value[1]:
            raise WorldError(f"setting {name}: {value!r} is not a pair (fewest, most) with {least} <= fewest <= most")
        object.__setattr__(self, name, tuple(value))

    def _check_names(self, name: str, catalogue: Sequence[str]) -> None:
        value = getattr(self, name)
        if value is None:
            return
        if isinstance(value, str) or not value:
            raise WorldError(f"setting {name}: {value!r} is not a list of names; leave it out for all of them")
        unknown = next((v for v in value if v not in catalogue), None)
        if unknown is not None:
            raise WorldError(f"setting {name}: unknown {unknown!r}; known: {', '.join(catalogue)}")
        object.__setattr__(self, name, tuple(value))

    def check_together(self) -> None:
        """Raise WorldError if a setting does not go with the others."""
        most = MOST_ROOMS[self.style]
        if self.rooms[1] > most:
            raise WorldError(f"setting rooms: {self.rooms[1]} rooms; a {self.style} house has at most {most}")
        if self.style == PLAIN and (self.include or self.room_types):
            name = "include" if self.include else "room_types"
            raise WorldError(f"setting {name}: plain rooms have no names; set style to {FURNISHED!r}")
        if self.style == PLAIN and self.door_leaves:
            raise WorldError(f"setting door_leaves: plain houses have no doors; set style to {FURNISHED!r}")
        rooms = {one.room for text in self.include if (one := wanted(text)).room}
        other = next((room for room in sorted(rooms) if room not in self.choices("room_types")), None)
        if other is not None:
            raise WorldError(f"setting include: no room may be a {other}; add it to room_types")
        if len(rooms) > self.rooms[1]:
            raise WorldError(f"setting include: it names {len(rooms)} rooms, and rooms allows {self.rooms[1]}")

    @classmethod
    def of(cls, **settings: Any) -> HouseSettings:
        """Settings by name, as from a configuration file; those of a ``preset`` hold where no other is given.

        Raises:
          WorldError: a name does not exist, or a value is none that its setting can have.
        """
        preset = settings.pop("preset", "") or ""
        if preset and preset not in PRESETS:
            raise WorldError(f"setting preset: unknown {preset!r}; known: {', '.join(PRESETS)}")
        settings = dict(PRESETS.get(preset, {})) | settings
        check_known(settings, [f.name for f in fields(cls)], "house")
        found = cls(**settings)
        found.check_together()
        return found

    def choices(self, name: str) -> tuple[str, ...]:
        """The names that a setting allows, None read as all of its style."""
        everything = _PLAIN if self.style == PLAIN else _CATALOGUES
        return getattr(self, name) or tuple(everything[name])


_CATALOGUES: dict[str, Sequence[str]] = {
    "kinds": tuple(OBJECT_KINDS),
    "colours": tuple(COLOURS),
    "sizes": tuple(SIZES),
    "furniture_kinds": tuple(FURNITURE_KINDS),
    "room_types": tuple(ROOM_TYPES),
}
_PLAIN: dict[str, Sequence[str]] = _CATALOGUES | {
    "kinds": PLAIN_KINDS,
    "colours": PLAIN_COLOURS,
    "furniture_kinds": PLAIN_FURNITURE_KINDS,
}

# From easy to hard: the demo's room, two furnished rooms of few kinds, and five with everything.
PRESETS: Mapping[str, Mapping[str, Any]] = {
    "room": {
        "rooms": (1, 1),
        "furniture": (0, 1),
        "objects": (3, 4),
        "room_size": (4.0, 5.0),
        "sizes": ("large",),
        "kinds": ("ball", "block", "duck", "bottle"),
        "colours": ("red", "blue", "green", "yellow"),
        "on_furniture": 0.0,
    },
    "flat": {
        "style": FURNISHED,
        "rooms": (2, 2),
        "furniture": (7, 10),
        "objects": (14, 20),
        "room_size": (3.6, 5.0),
        "kinds": (
            "ball", "block", "book", "mug", "duck", "robot", "car", "pillow", "candle", "lamp", "plate", "bottle",
            "rocket", "teddy", "drum", "apple", "soap", "tissue roll", "potted plant", "bin",
        ),
        "colours": PLAIN_COLOURS,
    },
    "house": {
        "style": FURNISHED,
        "rooms": (5, 5),
        "furniture": (22, 30),
        "objects": (60, 60),
        "room_size": (3.6, 5.4),
        "on_furniture": 0.55,
    },
}  # fmt: skip
