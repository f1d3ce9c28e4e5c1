"""Requests in other words: what people say last is moved to where games read it."""

from __future__ import annotations

import pytest

from worlds.playhouse.games.rewording import rewordings


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("put three white objects in a row in the playroom?", "put three white objects in the playroom in a row"),
        ("take 4 books and form a square in living room", "take 4 books in living room and form a square"),
        ("place three pillows in a row on floor", "put three pillows in a row"),
        ("form a triangle shape on bedroom floor by using cushions", "form a triangle with cushions"),
        ("build a tower in the rest room?", "build a tower with two objects in the rest room"),
        ("find white colored robot in this house and go near to it", "go to white colored robot in this house"),
        ("bring a mirror frame for me", "bring me a mirror frame"),
        ("lift the drum and place on the blue pillow?", "put the drum on the blue pillow"),
        ("bring me 2 tissue rolls from pantry to living room", "bring me 2 tissue rolls from pantry"),
    ],
)
def test_what_people_write_is_reworded(said: str, read: str) -> None:
    assert read in list(rewordings(said))


def test_words_themselves_are_never_among_them() -> None:
    for said in ("lift the red ball", "put the mug on the table in the kitchen", "", "thanks"):
        assert said not in list(rewordings(said))
