"""What walls hide: drawn masks, and rules that hold for all."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.worlds.school.small_rooms import empty_room
from worlds.school.grid import things
from worlds.school.grid.codes import EAST, STEPS, VIEW
from worlds.school.grid.sight import shadows, view_cell, visible, world_cell

# Walls "#", other cells that are seen ".", those that are not " ", the viewer "A"; the walls themselves are seen.
MASKS = {
    "nothing in the way": [".......", ".......", ".......", ".......", ".......", ".......", "...A..."],
    "ahead: what is hidden widens by a cell a row, up to the outermost columns": [
        "       ", "       ", ".     .", "..   ..", "...#...", ".......", "...A...",
    ],
    "on the diagonal: its row outwards, and all ahead of it and outwards": [
        "   ....", "   ....", "   ....", "   ....", "   ....", "  #....", "...A...",
    ],
    "beside: its row outwards, and the diagonal": [
        ".......", ".......", ".......", ".......", " ......", "  .....", "  #A...",
    ],
    "the outermost columns hide nothing": [".......", ".......", ".......", ".......", "#.....#", ".......", "...A..."],
    "between ahead and the diagonal: all ahead of it and outwards, not its row": [
        "   ....", "   ....", "   ....", ".  ....", "..#....", ".......", "...A...",
    ],
}  # fmt: skip


def parse(drawing: list[str]) -> tuple[np.ndarray, np.ndarray]:
    cells = np.array([list(row) for row in drawing]).T
    return cells == "#", cells != " "


@pytest.mark.parametrize("name", MASKS)
def test_drawn_masks(name):
    dark, lit = parse(MASKS[name])
    assert np.array_equal(shadows(dark), lit)


def test_left_and_right_are_alike_and_walls_hide_only():
    rng = np.random.default_rng(0)
    for _ in range(300):
        dark = rng.random((VIEW, VIEW)) < rng.choice((0.05, 0.2, 0.5))
        dark[3, 6] = False
        lit = shadows(dark)
        assert np.array_equal(shadows(dark[::-1]), lit[::-1])
        fewer = dark & (rng.random((VIEW, VIEW)) < 0.7)
        assert (shadows(fewer) >= lit).all(), "without a wall, no less is seen"
        assert lit[3, 5:].all()


@pytest.mark.parametrize("direction", range(4))
def test_view_cells_and_cells_of_the_room_are_inverse(direction):
    for i in range(VIEW):
        for j in range(VIEW):
            assert view_cell(20, 30, direction, world_cell(20, 30, direction, i, j)) == (i, j)
    dx, dy = STEPS[direction]
    assert world_cell(20, 30, direction, 3, 5) == (20 + dx, 30 + dy)
    assert view_cell(20, 30, direction, (20 - dx, 30 - dy)) is None


def test_doors_hide_while_they_are_closed_and_fences_never():
    room = empty_room()
    room.agent, room.direction = (2, 5), EAST
    door = things.Door("blue")
    room.put(door, (4, 5))
    assert not room.sight()[1][3, 3] and room.sight(through=True)[1].all()
    door.use(room)
    assert room.sight()[1][3, 3]
    for hides, thing in ((False, things.Fence()), (False, things.Switch("red")), (True, things.RemoteDoor("red"))):
        room.put(thing, (4, 5))
        assert room.sight()[1][3, 3] != hides
    assert np.array_equal(visible(room.opaque, 2, 5, EAST), room.sight()[1])
