"""The catalogue: words that people use, and things that fit into their own measures."""

from __future__ import annotations

import re
from itertools import chain

import pytest

from worlds.drawing.finishes import FINISHES
from worlds.playhouse.house.catalogue import COLOURS, FURNITURE_KINDS, OBJECT_KINDS
from worlds.playhouse.house.kinds import CATEGORIES, SHAPES, FurnitureKind, ObjectKind, regular_plural
from worlds.playhouse.house.parts import PAINTS, box
from worlds.playhouse.house.room_types import ROOM_TYPES, room_type_called

KINDS = [*OBJECT_KINDS.values(), *FURNITURE_KINDS.values()]
TRIM = 0.13  # metres by which decoration may stick out: wings, handles, antennae
SUNK = ("sofa", "armchair")  # whose backs reach into the wall, in recordings too

# Nouns of the instructions of the paper's Appendix B, singular, typing errors and all that is no noun left out.
APPENDIX_B = """
bed, sofa, chair, chest, tissue roll, boat, soap, book, train engine, wardrobe, dining table, banana, candle, rack,
ball, pillow, mug, table, cushion, armchair, arm chair, potted plant, bird toy, box, shoe, car toy, rocket, bottle,
robot, duck, ledge, plate, bin, drum, tissue, teddy, footrest, bus, water bird, bin box, lamp, mirror frame,
basket ball, grapes, lemon, block, wall frame, mini chair, plant, hair drier, paper roll, bathtub, soap bar,
bath tub plank, airplane, train toy, stool, pear fruit, tennis ball, mirror
"""


def names_of(kind: ObjectKind | FurnitureKind) -> set[str]:
    return {kind.name, *kind.synonyms}


def test_every_noun_of_appendix_b_names_something():
    nouns = {noun.strip() for noun in APPENDIX_B.replace("\n", " ").split(",")}
    known = set(chain.from_iterable(map(names_of, KINDS)))
    assert len(nouns) == 60 and nouns <= known, sorted(nouns - known)


@pytest.mark.parametrize("word", (*SHAPES, *CATEGORIES))
def test_every_word_of_the_vocabularies_is_true_of_something(word):
    assert any(word in kind.shapes | kind.categories for kind in KINDS)


def test_names_are_plain_words_and_name_one_kind_each():
    for kinds in (OBJECT_KINDS, FURNITURE_KINDS):
        for name, kind in kinds.items():
            assert name == kind.name and name not in kind.synonyms
            assert all(re.fullmatch(r"[a-z]+( [a-z]+)*", word) for word in (*names_of(kind), kind.plural))
            own = (set(kinds) - {name}) & set(kind.synonyms)
            # A shelf may be a rack, but no loose thing is called by another's own name.
            assert not own or kinds is FURNITURE_KINDS, (name, own)


def test_kinds_live_in_rooms_and_have_colours_that_exist():
    for kind in KINDS:
        assert set(kind.rooms) <= set(ROOM_TYPES) and set(kind.colours) <= set(COLOURS), kind.name
    for room in ROOM_TYPES.values():
        assert {*room.needs, *room.also} <= set(FURNITURE_KINDS), room.name
        assert sum(room.name in kind.rooms for kind in OBJECT_KINDS.values()) >= 4, room.name


def test_rooms_are_called_by_their_synonyms_and_nothing_else():
    assert room_type_called("washroom") == room_type_called("rest room") == room_type_called("restroom") == "bathroom"
    assert room_type_called("play area") == "playroom" and room_type_called("dungeon") is None
    called = list(chain.from_iterable((room.name, *room.synonyms) for room in ROOM_TYPES.values()))
    assert len(called) == len(set(called))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{type(kind).__name__}-{kind.name}")
def test_kinds_are_made_of_few_parts_that_lie_within_their_measures(kind):
    loose = isinstance(kind, ObjectKind)
    half = [kind.extent[0] / 2, kind.extent[1] / 2] if loose else list(kind.half)
    low, high = (0.0, kind.extent[2]) if loose else (kind.bottom, kind.height)
    solids = [part for part in kind.parts if part.solid]
    assert len(kind.parts) <= 20
    if loose:
        assert 1 <= len(solids) <= (5 if kind.inside else 2)
    for part in kind.parts:
        assert part.finish in FINISHES and (part.paint == "main" or part.paint in PAINTS)
        turned = part.euler != (0.0, 0.0, 0.0)
        slack = TRIM if turned or not part.solid or kind.name in SUNK else 0.011
        x, y, z = (0.0, 0.0, 0.0) if turned else half_of(part)
        assert abs(part.at[0]) + x <= half[0] + slack and abs(part.at[1]) + y <= half[1] + slack, part
        assert low - slack <= part.at[2] - z and part.at[2] + z <= high + slack, part


def half_of(part):
    if part.shape == "sphere":
        return (part.size[0],) * 3
    if part.shape in ("cylinder", "capsule"):
        return part.size[0], part.size[0], part.size[1] + (part.size[0] if part.shape == "capsule" else 0.0)
    return part.size


@pytest.mark.parametrize(
    ("noun", "plural"),
    [("ball", "balls"), ("box", "boxes"), ("bench", "benches"), ("berry", "berries"), ("key", "keys")],
)
def test_plurals_are_regular_unless_they_are_given(noun, plural):
    assert regular_plural(noun) == plural
    assert ObjectKind(noun, (0.1, 0.1, 0.1), 0.1, ()).plural == plural
    assert ObjectKind(noun, (0.1, 0.1, 0.1), 0.1, (), plural="some").plural == "some"


def test_a_word_of_no_vocabulary_is_refused_by_name():
    part = box(0.1, 0.1, 0.1, (0.0, 0.0, 0.05))
    with pytest.raises(ValueError, match="shapes: unknown 'cubic'; known: round"):
        ObjectKind("cube", (0.1, 0.1, 0.1), 0.1, (part,), shapes=frozenset({"cubic"}))
    with pytest.raises(ValueError, match="categories: unknown 'royal'; known: toy"):
        FurnitureKind("throne", (0.5, 0.5), 1.0, True, (part,), (), categories=frozenset({"royal"}))
