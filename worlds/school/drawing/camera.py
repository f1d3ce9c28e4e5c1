"""A room as a picture for people."""

from __future__ import annotations

import copy

import numpy as np
from minigrid.core.grid import Grid
from minigrid.core.world_object import WorldObj
from PIL import Image, ImageDraw, ImageFont

from worlds.school.drawing.things import paint
from worlds.school.grid.codes import COLOURS, NONE, NORTH, OBJECTS, VIEW
from worlds.school.grid.room import Room
from worlds.school.grid.sight import world_cell
from worlds.school.grid.things import Thing

_DARK = 24  # what is not seen
_STRIP = 36  # height of a line of words in pixels


def lit_cells(room: Room, seen: np.ndarray) -> np.ndarray:
    """Return the cells of the room that are seen, bool [size, size]."""
    found = np.zeros((room.size, room.size), np.bool_)
    for i, j in np.argwhere(seen):
        x, y = world_cell(*room.agent, room.direction, i, j)
        if 0 <= x < room.size and 0 <= y < room.size:
            found[x, y] = True
    return found


def draw_room(room: Room, tile: int, seen: np.ndarray | None = None) -> np.ndarray:
    """Return the room from above: uint8 [height * tile, width * tile, 3]. Cells ``seen`` by the agent are lighter."""
    assert seen is None or seen.shape == (VIEW, VIEW)
    light = np.zeros((room.size, room.size), np.bool_) if seen is None else lit_cells(room, seen)
    picture = np.zeros((room.height * tile, room.width * tile, 3), np.uint8)
    for x in range(room.width):
        for y in range(room.height):
            thing, there = room.at(x, y), room.direction if room.agent == (x, y) else None
            picture[y * tile : (y + 1) * tile, x * tile : (x + 1) * tile] = Grid.render_tile(
                None if thing is None else _Drawn(thing), there, bool(light[x, y]), tile
            )
    return picture


def draw_view(room: Room, tile: int, seen: np.ndarray) -> np.ndarray:
    """Return what the agent sees, with the agent looking up: uint8 [VIEW * tile, VIEW * tile, 3]. Unseen cells are
    dark.
    """
    picture = np.full((VIEW * tile, VIEW * tile, 3), _DARK, np.uint8)
    for i, j in np.argwhere(seen).tolist():
        thing = room.at(*world_cell(*room.agent, room.direction, i, j))
        ahead = NORTH if (i, j) == (VIEW // 2, VIEW - 1) else None
        is_hidden = ahead is not None or getattr(thing, "hidden", False)
        drawn = None if thing is None or is_hidden else _Drawn(thing, room.direction)
        picture[j * tile : (j + 1) * tile, i * tile : (i + 1) * tile] = Grid.render_tile(drawn, ahead, False, tile)
    return picture


def fitted(picture: np.ndarray, height: int, width: int) -> np.ndarray:
    """Return a picture centred on a dark page of ``height`` x ``width`` pixels, or its middle if that is smaller."""
    page = np.full((height, width, 3), _DARK, np.uint8)
    rows, columns = min(height, picture.shape[0]), min(width, picture.shape[1])
    top, left = (height - rows) // 2, (width - columns) // 2
    above, before = (picture.shape[0] - rows) // 2, (picture.shape[1] - columns) // 2
    page[top : top + rows, left : left + columns] = picture[above : above + rows, before : before + columns]
    return page


def with_words(picture: np.ndarray, words: str) -> np.ndarray:
    """Return a picture with a line of words below it."""
    strip = Image.new("RGB", (picture.shape[1], _STRIP), (_DARK,) * 3)
    ImageDraw.Draw(strip).text((10, 6), words, (235, 235, 235), ImageFont.load_default(20))
    return np.concatenate([picture, np.asarray(strip)])


class _Drawn(WorldObj):
    """A thing as MiniGrid's cache of tiles wants it: what it looks like is all that its encoding says.

    Its encoding begins with -1, so that it is not taken for one of MiniGrid's own objects.
    """

    def __init__(self, thing: Thing, upwards: int = NORTH) -> None:
        self._thing = copy.copy(thing)
        turns = NORTH - upwards
        for name in ("direction", "pointing") if thing.type == "npc" else ():
            value = getattr(thing, name)
            setattr(self._thing, name, value if value == NONE else (value + turns) % 4)

    def render(self, r: np.ndarray) -> None:
        """Draw it on a tile."""
        paint(r, self._thing)

    def encode(self) -> tuple[int, ...]:  # type: ignore[override]
        """Return what decides how it is drawn."""
        thing = self._thing
        return -1, OBJECTS[thing.type], COLOURS[thing.color], *thing.state()
