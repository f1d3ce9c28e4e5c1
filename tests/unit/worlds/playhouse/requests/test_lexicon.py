"""Nouns: plurals, and what a general name can mean; sizes of things; what is beside something, and what is under it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from worlds.playhouse.requests.facts import Entity, Facts
from worlds.playhouse.requests.lexicon import can_be_called, plural_of
from worlds.playhouse.requests.relations import holds, volume


def entity(
    name: str, what: str, kind: str, low: tuple[float, float, float], high: tuple[float, float, float]
) -> Entity:
    nothing = frozenset[str]()
    return Entity(name, what, kind, (kind,), None, None, nothing, nothing, "room", "floor", False, low, high)  # type: ignore[arg-type]


TABLE = entity("t", "furniture", "dining table", (0.0, 0.0, 0.0), (1.0, 2.0, 0.7))
BALL = replace(entity("b", "object", "ball", (1.2, 0.9, 0.0), (1.4, 1.1, 0.2)), disc=0.1)


@pytest.mark.parametrize(
    ("noun", "plural"),
    [("potted cactus", "potted cacti"), ("bar of soap", "bars of soap"), ("drawers", "drawers"), ("glass", "glasses")],
)
def test_plurals(noun: str, plural: str) -> None:
    assert plural_of(noun) == plural


def test_a_dining_table_is_a_table_and_a_desk_is_none() -> None:
    assert can_be_called(TABLE, "table") and can_be_called(TABLE, "dining table")
    assert not can_be_called(replace(TABLE, kind="desk"), "table")
    assert not can_be_called(replace(TABLE, kind="table"), "dining table")


def test_what_lies_under_a_table_is_not_said_to_be_next_to_it() -> None:
    under = replace(BALL, low=(0.4, 0.9, 0.0), high=(0.6, 1.1, 0.2))
    facts = Facts((TABLE, BALL, under))
    assert holds("next to", BALL, (TABLE,), facts, clearly=True)
    assert not holds("next to", under, (TABLE,), facts, clearly=True)
    assert holds("next to", under, (TABLE,), facts, clearly=False), "but who says so is not wrong"
    assert holds("under", under, (TABLE,), facts, clearly=True)


def test_things_are_as_large_as_their_boxes() -> None:
    long = replace(BALL, disc=0.35, box=(0.7, 0.05))
    assert volume(long) == pytest.approx(0.7 * 0.05 * 0.2)
    assert volume(TABLE) == pytest.approx(1.4)
