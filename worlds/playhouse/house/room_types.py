"""The types of room: what people call them, what stands in them, and how they are finished."""

from __future__ import annotations

from dataclasses import dataclass


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


_WOOD, _STONE, _SOFT = (
    ("oak", "walnut", "pine"),
    ("slate", "marble", "clay", "mosaic"),
    ("moss", "sand", "felt", "wool"),
)

_ROOM_TYPES = (
    RoomType(
        "living room",
        ("living area", "lounge", "sitting room", "livingroom"),
        1.15,
        ("sofa", "rack", "dining table"),
        (
            "armchair",
            "rug",
            "tv stand",
            "fireplace",
            "coffee table",
            "side table",
            "ledge",
            "wall frame",
            "picture",
            "bookcase",
            "table",
            "small wardrobe",
            "shelf",
            "chest",
        ),
        (*_WOOD, *_SOFT),
        walls="paper",
        chance=5.0,
    ),
    RoomType(
        "bedroom",
        ("bed room", "sleeping room"),
        1.0,
        ("bed", "wardrobe"),
        (
            "rug",
            "armchair",
            "drawer unit",
            "chest",
            "small wardrobe",
            "rack",
            "desk",
            "wall mirror",
            "picture",
            "bookcase",
            "wall frame",
        ),
        (*_WOOD, *_SOFT),
        walls="paper",
        chance=5.0,
    ),
    RoomType(
        "playroom",
        ("play room", "play area", "nursery", "toy room"),
        1.0,
        ("rack", "chest"),
        ("table", "rug", "shelf", "sofa", "wall frame", "picture", "round table"),
        (*_WOOD, *_SOFT),
        share=1.3,
        chance=4.0,
    ),
    RoomType(
        "kitchen",
        ("cooking area", "kitchenette"),
        0.9,
        ("oven", "counter", "fridge"),
        ("round table", "cupboard", "chair", "ledge", "bench", "mat", "dining table"),
        (*_STONE, "pine"),
        walls="tiles",
        chance=4.0,
    ),
    RoomType(
        "bathroom",
        ("bath room", "washroom", "wash room", "restroom", "rest room", "toilet room"),
        0.75,
        ("bathtub", "toilet", "sink", "bathtub plank"),
        ("ledge", "mat", "wall mirror", "washing machine"),
        _STONE,
        walls="tiles",
        chance=4.0,
    ),
    RoomType(
        "pantry",
        ("pantry room", "store room", "storeroom", "larder"),
        0.7,
        ("rack", "ledge"),
        ("shelf", "cupboard", "fridge"),
        (*_STONE, "oak"),
        share=1.3,
        chance=3.5,
    ),
    RoomType(
        "dining room",
        ("dining area", "diningroom"),
        0.95,
        ("dining table", "cupboard"),
        ("rug", "chair", "bench", "picture", "side table", "ledge"),
        _WOOD,
        walls="paper",
        chance=2.0,
    ),
    RoomType(
        "study",
        ("office", "study room", "library", "home office"),
        0.85,
        ("desk", "bookcase"),
        ("armchair", "shelf", "drawer unit", "picture", "rug", "table", "wall frame"),
        (*_WOOD, *_SOFT),
        chance=2.0,
    ),
    RoomType(
        "hallway",
        ("hall", "corridor", "entrance", "entrance hall", "passage"),
        1.0,
        ("coat stand", "mat"),
        ("bench", "picture", "wall mirror", "drawer unit", "ledge", "chest"),
        (*_WOOD, "slate", "marble"),
        share=0.5,
        chance=2.5,
        passage=True,
    ),
    RoomType(
        "laundry room",
        ("laundry", "utility room", "washing room"),
        0.7,
        ("washing machine", "sink"),
        ("counter", "cupboard", "ledge", "mat"),
        _STONE,
        walls="tiles",
        chance=1.5,
    ),
    RoomType(
        "conservatory",
        ("sun room", "sunroom", "winter garden", "garden room"),
        0.9,
        ("bench", "round table"),
        ("armchair", "coffee table", "sofa", "table"),
        ("clay", "slate", "pine"),
        walls="brick",
        chance=1.5,
    ),
)

ROOM_TYPES: dict[str, RoomType] = {kind.name: kind for kind in _ROOM_TYPES}


def room_type_called(words: str) -> str | None:
    """Name of the type that people call so; None if they call none so."""
    return next((t.name for t in _ROOM_TYPES if words == t.name or words in t.synonyms), None)
