"""Kinds of loose things and of furniture: what one is made of, what it is called, and what people know of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import hypot
from typing import Annotated

from pydantic import PlainValidator

from worlds.drawing.finishes import FINISHES
from worlds.playhouse.house.colours import COLOURS
from worlds.playhouse.house.parts import MAIN, PAINTS, Part, Vector
from worlds.playhouse.house.room_types import ROOM_TYPES
from worlds.playhouse.house.shapes import parts_of

SIZES: dict[str, float] = {"small": 0.8, "medium": 1.15, "large": 1.6}

HEAD_ROOM = 1.3  # metres; what hangs higher is in no player's way

SHAPES = ("round", "circular", "rectangular", "square", "pointy", "long")
CATEGORIES = (
    "toy", "vehicle", "animal", "fruit", "eatable", "flies", "floats", "musical", "book", "plant", "soft", "ball",
    "light", "container", "furniture", "seat", "storage", "dining furniture", "tableware", "clothing", "to sit on",
    "to sleep on", "to dry with", "to pour water on", "to read", "to drink from", "to eat from", "to cook with",
    "to wash with", "to look at", "to play tennis with",
)  # fmt: skip


@dataclass(frozen=True)
class Surface:
    """A level rectangle of a thing on which others can stand.

    Args:
      at: centre (x, y) in the thing's frame and height above its floor.
      half: half-extents (x, y).
      clearance: free height above it.
    """

    at: Vector
    half: tuple[float, float]
    clearance: float = 10.0


@dataclass(frozen=True, kw_only=True)
class Kind:
    """What kinds of loose thing and of furniture have in common.

    Args:
      plural: of the name; empty for the regular one.
      synonyms: other nouns that people use for it.
      shapes: words of :data:`SHAPES` that are true of it.
      categories: words of :data:`CATEGORIES` that are true of it.
      colours: in which it is found in furnished houses; () for any.
      rooms: types of room in which it is found; () for any.
      inside: where things can be put into it; None if it holds none.
    """

    plural: str = ""
    synonyms: tuple[str, ...] = ()
    shapes: frozenset[str] = frozenset()
    categories: frozenset[str] = frozenset()
    colours: tuple[str, ...] = ()
    rooms: tuple[str, ...] = ()
    inside: Surface | None = None

    def _complete(self, name: str, parts: Iterable[Part]) -> None:
        """Fill in the plural, and raise ValueError for a word that is in no vocabulary."""
        object.__setattr__(self, "plural", self.plural or regular_plural(name))
        for field, said, known in (
            ("shapes", self.shapes, SHAPES),
            ("categories", self.categories, CATEGORIES),
            ("colours", self.colours, COLOURS),
            ("rooms", self.rooms, ROOM_TYPES),
            ("paint", (part.paint for part in parts), (MAIN, *PAINTS)),
            ("finish", (part.finish for part in parts), FINISHES),
        ):
            unknown = sorted(set(said).difference(known))
            if unknown:
                raise ValueError(f"{field}: unknown {unknown[0]!r}; known: {', '.join(known)}")


@dataclass(frozen=True)
class ObjectKind(Kind):
    """A kind of loose thing. Its front is at +x.

    Args:
      extent: full width (x), depth (y) and height (z); every part lies inside, bar small trims.
      mass_kg: before scaling.
      parts: primitives, z from the floor up.
      round: whether it fills a disc on the floor rather than a rectangle.
      sizes: names of :data:`SIZES` in which it is found in furnished houses.
    """

    name: str
    extent: Vector
    mass_kg: float
    parts: Annotated[tuple[Part, ...], PlainValidator(parts_of)]
    round: bool = False
    sizes: tuple[str, ...] = tuple(SIZES)

    def __post_init__(self) -> None:
        self._complete(self.name, self.parts)

    def radius(self, scale: float) -> float:
        """Radius (m) of the upright cylinder that the standing thing fits in."""
        return 0.5 * scale * (self.extent[0] if self.round else hypot(self.extent[0], self.extent[1]))

    def height(self, scale: float) -> float:
        """Height (m) of the standing thing."""
        return self.extent[2] * scale


@dataclass(frozen=True)
class FurnitureKind(Kind):
    """A kind of fixed thing. Its back is at -y, its front at +y.

    Args:
      half: half-extents (x, y) of its footprint.
      height: its highest point.
      against_wall: whether it stands with its back to a wall, or hangs there.
      parts: primitives.
      surfaces: planes on which things can stand.
      bottom: its lowest point; more than 0 for what hangs on a wall or lies across another piece.
      under: the floor under it, as far as things fit there; None if they do not.
      over: kind of furniture that it lies across, empty for what stands or hangs by itself.
    """

    name: str
    half: tuple[float, float]
    height: float
    against_wall: bool
    parts: Annotated[tuple[Part, ...], PlainValidator(parts_of)]
    surfaces: tuple[Surface, ...]
    bottom: float = 0.0
    under: Surface | None = None
    over: str = ""

    def __post_init__(self) -> None:
        self._complete(self.name, self.parts)

    @property
    def flat(self) -> bool:
        """Whether it lies on the floor and is walked on: a rug."""
        return self.height < 0.05

    @property
    def in_the_way(self) -> bool:
        """Whether players must walk around it."""
        return not self.flat and self.bottom < HEAD_ROOM


def regular_plural(noun: str) -> str:
    """E.g. "balls", "boxes", "cherries"."""
    if noun.endswith(("s", "x", "ch", "sh")):
        return noun + "es"
    if noun.endswith("y") and noun[-2:-1] not in tuple("aeiou"):
        return noun[:-1] + "ies"
    return noun + "s"
