"""What was observed, drawn plainly: the right colour at the right place, and nothing that cannot be drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from worlds.contract.plain_pictures import PlainPictures, colour_of
from worlds.spaces.observation import Category, Entities, Grid, ObservationSpec, Vector


def shows(picture: np.ndarray, category: int) -> bool:
    return bool((picture == colour_of(category)).all(-1).any())


def test_a_cell_has_the_colour_of_its_category_at_its_place() -> None:
    pictures = PlainPictures(ObservationSpec(grid=Grid(4, 6, (3, 2))))
    grid = np.zeros((4, 6, 2), np.int16)
    grid[1, 4, 0] = 2
    picture = pictures.draw({"grid": grid})
    side = (512 - 16 - 64) // 6
    centre = [8 + round((at + 0.5) * side) for at in (1, 4)]
    assert tuple(picture[centre[0], centre[1]]) == colour_of(2)
    assert tuple(picture[centre[0], centre[1] - side]) == colour_of(0)
    grid[1, 4, 1] = 1
    assert tuple(pictures.draw({"grid": grid})[centre[0], centre[1]]) not in (colour_of(2), colour_of(0)), "the dot"


def test_a_vector_over_time_has_a_bar_at_the_step() -> None:
    vector = np.linspace(-1, 1, 20, dtype=np.float32)[:, None].repeat(3, 1)
    pictures = PlainPictures(ObservationSpec(vector=Vector(3, ("east", "north", "grip"))), {"vector": vector})
    columns = []
    for step in (0, 10, 19):
        red = (pictures.draw({"vector": vector[step]}, step) == colour_of(2)).all(-1)
        columns.append(int(np.flatnonzero(red.any(0)).mean()))
    assert columns == sorted(set(columns))


def test_entities_are_points_where_coordinates_are_declared() -> None:
    things = {"categorical": (Category("kind", 3),), "real": ("x", "y", "size")}
    seen = {"entity_categories": np.array([[2]], np.int16), "entity_values": np.array([[1, 2, 3]], np.float32)}
    with_places = PlainPictures(ObservationSpec(entities=Entities(5, **things, position=("x", "y")))).draw(seen)
    table = PlainPictures(ObservationSpec(entities=Entities(5, **things))).draw(seen)
    assert shows(with_places, 3) and not shows(table, 3)


NOTHING = {"entity_categories": np.zeros((0, 1), np.int16), "entity_values": np.zeros((0, 2), np.float32)}


@pytest.mark.parametrize(
    ("spec", "seen"),
    [
        (ObservationSpec(), {}),
        (ObservationSpec(texts=("hands", "tale")), {"hands": "", "tale": "once upon a time " * 30}),
        (ObservationSpec(entities=Entities(2, (Category("kind", 2),), ("x", "y"), ("x", "y"))), NOTHING),
        (ObservationSpec(vector=Vector(500)), {"vector": np.ones(500, np.float32)}),
        (ObservationSpec(grid=Grid(200, 300, (900,))), {"grid": np.full((200, 300, 1), 899, np.int16)}),
        (
            ObservationSpec(grid=Grid(3, 3, (2, 2, 2)), vector=Vector(2), entities=Entities(90, (), ("x",))),
            {
                "grid": np.ones((3, 3, 3), np.int16),
                "vector": np.full(2, -1e9, np.float32),
                "entity_categories": np.zeros((90, 0), np.int16),
                "entity_values": np.zeros((90, 1), np.float32),
            },
        ),
    ],
)
def test_whatever_is_observed_can_be_drawn(spec: ObservationSpec, seen: dict[str, Any]) -> None:
    for size in ((384, 512), (60, 80), (512, 90)):
        picture = PlainPictures(spec).draw(seen, size=size)
        assert picture.shape == (*size, 3) and picture.dtype == np.uint8
        assert len(np.unique(picture)) > 1, "something is drawn"
