"""Plain pictures of what a player observes, for worlds whose observations have no picture.

A grid is drawn as coloured cells with a legend of its categories, a set of entities as a table and, where coordinates
are declared, as points in the plane, a vector as lines over time or as bars, and texts as they are.
"""

from __future__ import annotations

import bisect
import colorsys
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from worlds.spaces.observation import Entities, Grid, ObservationSpec, Vector

SIZE = 384, 512  # height and width of a picture, pixels
Colour = tuple[int, int, int]
Box = tuple[int, int, int, int]  # left, top, right, bottom
_PAPER, _INK, _FAINT, _LINE, _EMPTY = (250, 250, 250), (32, 33, 36), (110, 114, 120), (205, 208, 212), (232, 234, 237)
_COLOURS: tuple[Colour, ...] = (
    (66, 82, 110), (214, 69, 65), (46, 139, 87), (52, 101, 204), (230, 160, 30), (142, 68, 173), (23, 162, 184),
    (160, 100, 50), (233, 110, 160), (120, 160, 40), (100, 100, 100),
)  # fmt: skip
_GAP, _LETTER = 8, 12  # pixels
_CELL, _LEGEND, _DOT = "cell", 64, 8  # in the legend; its width and the least side of a cell with a dot, pixels
_MOST_COLUMNS, _ROW, _FEW = 3, 18, 8  # of a vector's lines; a row's height in pixels; numbers that need less room


class PlainPictures:
    """Plain pictures of one player's observations.

    Args:
      over_time: by key, the arrays ``vector`` [T, length] and ``entity_values`` [entities of all steps, features] of a
        whole episode: a vector is then drawn as lines over time, and points keep their scale. Without it a vector is
        drawn as bars.
    """

    def __init__(self, spec: ObservationSpec, over_time: Mapping[str, np.ndarray] | None = None) -> None:
        self._spec, known = spec, over_time or {}
        self._vectors = known.get("vector")
        self._vector_range = _Range(None if spec.vector is None else spec.vector.length, known.get("vector"))
        count = len(spec.entities.real) if spec.entities is not None else None
        self._entity_range = _Range(count, known.get("entity_values"))
        self._background: tuple[Box, Image.Image] | None = None  # of the vector in a box, the same at every step

    def draw(self, seen: Mapping[str, Any], step: int = 0, size: tuple[int, int] = SIZE) -> np.ndarray:
        """Return a picture of an observation: uint8 [height, width, 3]. ``size`` is (height, width) in pixels."""
        page = Image.new("RGB", (size[1], size[0]), _PAPER)
        draw = ImageDraw.Draw(page)
        parts: list[tuple[int, Callable[[Box], None]]] = []  # with shares of the room
        if (grid := self._spec.grid) is not None:
            parts.append((2, lambda box: _draw_grid(page, box, grid, seen["grid"])))
        if (entities := self._spec.entities) is not None:
            self._entity_range.widen(seen["entity_values"])
            parts.append((2, lambda box: _draw_entities(draw, box, entities, seen, self._entity_range)))
        if (vector := self._spec.vector) is not None:
            self._vector_range.widen(seen["vector"][None])
            share = 1 if vector.length <= _FEW else 2
            parts.append((share, lambda box: self._draw_vector(page, box, vector, seen["vector"], step)))
        box = (_GAP, _GAP, size[1] - _GAP, size[0] - _GAP)
        box = _draw_texts(draw, box, [f"{key}: {seen[key]}" for key in self._spec.texts])
        if not parts and not self._spec.texts:
            draw.text(box[:2], "nothing is observed but words", _FAINT, _font())
        for (_, part), panel in zip(parts, _panels(box, [share for share, _ in parts]), strict=True):
            part(panel)
        return np.array(page, np.uint8)

    def _draw_vector(self, page: Image.Image, box: Box, vector: Vector, values: np.ndarray, step: int) -> None:
        """Draw the vector's numbers as bars, or as lines over time with a bar at ``step``."""
        cells = _cells(box, vector.length)
        if cells is None:
            _draw_map(page, box, self._vectors if self._vectors is not None else values[None], step)
            return
        if self._background is None or self._background[0] != box:
            self._background = box, self._empty_graphs(page.size, cells, vector).crop(box)
        page.paste(self._background[1], box)
        draw = ImageDraw.Draw(page)
        for cell, value, low, high in zip(cells, values, *self._vector_range.ends, strict=True):
            left, top, right, bottom = _graph(cell)
            draw.text((right + 4, top), f"{value:.2g}", _INK, _font())
            if self._vectors is None:
                _draw_bar(draw, (left, top, right, bottom), float(value), low, high)
            else:
                x = left + (right - left) * (step + 0.5) / len(self._vectors)
                draw.line((x, top, x, bottom), _COLOURS[1], 1)

    def _empty_graphs(self, size: tuple[int, int], cells: list[Box], vector: Vector) -> Image.Image:
        """Return a page with the names of a vector's numbers and their lines over time."""
        page = Image.new("RGB", size, _PAPER)
        draw = ImageDraw.Draw(page)
        for number, (cell, low, high) in enumerate(zip(cells, *self._vector_range.ends, strict=True)):
            graph = _graph(cell)
            name = vector.names[number] if vector.names else str(number)
            _text(draw, (cell[0], graph[1]), name, graph[0] - cell[0] - 4, _FAINT)
            if self._vectors is not None:
                _draw_line(draw, graph, self._vectors[:, number], low, high)
        return page


class _Range:
    """Least and largest value of every column seen so far, zero included."""

    def __init__(self, columns: int | None, values: np.ndarray | None = None) -> None:
        self._low, self._high = np.zeros(columns or 0), np.zeros(columns or 0)
        if values is not None:
            self.widen(values)

    def widen(self, values: np.ndarray) -> None:
        """Include ``values`` [N, columns]."""
        if len(values):
            self._low, self._high = np.minimum(self._low, values.min(0)), np.maximum(self._high, values.max(0))

    @property
    def ends(self) -> tuple[list[float], list[float]]:
        """Least and largest value by column."""
        return self._low.tolist(), self._high.tolist()


def colour_of(category: int) -> Colour:
    """Return the colour of a category; 0, which often is emptiness, is pale."""
    if category == 0:
        return _EMPTY
    if category <= len(_COLOURS):
        return _COLOURS[category - 1]
    red, green, blue = colorsys.hls_to_rgb(category * 0.618 % 1, 0.35 + 0.3 * (category * 0.414 % 1), 0.6)
    return int(255 * red), int(255 * green), int(255 * blue)


def _dot_colour(category: int) -> Colour:
    """Return a colour that differs from that of a cell of the same category."""
    return colour_of(category + 3)


def _draw_grid(page: Image.Image, box: Box, grid: Grid, values: np.ndarray) -> None:
    """Draw cells: the first channel fills them, the second is a dot, what the others have is written."""
    side = max(1, min((box[2] - box[0] - _LEGEND) // grid.width, (box[3] - box[1]) // grid.height))
    page.paste(Image.fromarray(_cell_colours(values[..., 0], side)), box[:2])
    draw = ImageDraw.Draw(page)
    for row, column in np.argwhere(values[..., 1:].any(-1)) if side >= _DOT else ():
        dot, *others = values[row, column, 1:].tolist()
        left, top = box[0] + column * side, box[1] + row * side
        if dot:
            inner = (left + side // 3, top + side // 3, left + side - 1 - side // 3, top + side - 1 - side // 3)
            draw.ellipse(inner, _dot_colour(dot), _PAPER)
        rest = ",".join(str(value) if value else "" for value in others).strip(",")
        if rest and side >= 2 * _DOT:
            _text(draw, (left + 2, top + 1), rest, side - 2, _INK)
    _draw_legend(draw, (box[0] + grid.width * side + _GAP, box[1], box[2], box[3]), _legend(grid, values))


def _cell_colours(categories: np.ndarray, side: int) -> np.ndarray:
    """Return the picture of cells of ``side`` x ``side`` pixels, with a seam between them: uint8 [height, width, 3]."""
    there, which = np.unique(categories, return_inverse=True)
    colours = np.array([colour_of(category) for category in there.tolist()], np.uint8)
    cells = np.kron(colours[which.reshape(categories.shape)], np.ones((side, side, 1), np.uint8))
    if side >= _DOT:
        cells[::side] = cells[:, ::side] = _PAPER
    return cells


def _draw_legend(draw: ImageDraw.ImageDraw, box: Box, legend: list[tuple[str, list[int]]]) -> None:
    """Draw the colour of every category, as far as there is room."""
    x, y = box[:2]
    for title, categories in legend:
        draw.text((x, y), title, _FAINT, _font())
        y += _LETTER + 4
        for category in categories:
            if y + _LETTER > box[3]:
                return
            place = (x, y + 1, x + _LETTER - 2, y + _LETTER - 1)
            if title == _CELL:
                draw.rectangle(place, colour_of(category), _LINE)
            else:
                draw.ellipse(place, _dot_colour(category), _LINE)
            draw.text((x + _LETTER + 4, y - 1), str(category), _INK, _font())
            y += _LETTER + 4
        y += 4


def _legend(grid: Grid, values: np.ndarray) -> list[tuple[str, list[int]]]:
    """Return the categories that are explained: all of a channel with few, of others those that are there."""
    found = []
    for title, channel in zip((_CELL, "dot"), range(len(grid.categories)), strict=False):
        count = grid.categories[channel]
        there = list(range(count)) if count <= 12 else np.unique(values[..., channel]).tolist()
        found.append((title, [one for one in there if one or channel == 0]))
    return found


def _draw_entities(
    draw: ImageDraw.ImageDraw, box: Box, entities: Entities, seen: Mapping[str, Any], extent: _Range
) -> None:
    """Draw a table of the entities and, where coordinates are declared, points in the plane above it."""
    categories, values = seen["entity_categories"], seen["entity_values"]
    if entities.position:
        height = (box[3] - box[1]) * 3 // 5
        _draw_points(draw, (box[0], box[1], box[2], box[1] + height), entities, categories, values, extent)
        box = (box[0], box[1] + height + _GAP, box[2], box[3])
    names = ["", *(each.name for each in entities.categorical), *entities.real]
    width = max(1, (box[2] - box[0] - 24) // max(1, len(names) - 1))
    places = [box[0], *(box[0] + 24 + number * width for number in range(len(names) - 1))]
    rows = [[str(number + 1), *map(str, c.tolist()), *(f"{v:.3g}" for v in r)]
            for number, (c, r) in enumerate(zip(categories, values, strict=True))]  # fmt: skip
    room = (box[3] - box[1]) // (_LETTER + 3) - 1
    if len(rows) > room:
        rows = [*rows[: room - 1], ["…", f"{len(rows) - room + 1} more"]]
    for line, cells in enumerate([names, *rows]):
        y = box[1] + line * (_LETTER + 3)
        for x, cell in zip(places, cells, strict=False):
            _text(draw, (x, y), cell, width - 4 if x > box[0] else 22, _FAINT if line == 0 else _INK)


def _draw_points(
    draw: ImageDraw.ImageDraw, box: Box, entities: Entities, categories: np.ndarray, values: np.ndarray, extent: _Range
) -> None:
    """Draw every entity as a numbered point at its first two coordinates, coloured by its first category."""
    left, top, right, bottom = box
    draw.rectangle(box, None, _LINE)
    axes = [entities.real.index(name) for name in entities.position[:2]]
    lows, highs = extent.ends
    places = []
    for axis, (begin, end) in zip(axes, ((left + 12, right - 12), (bottom - 12, top + 12)), strict=False):
        span = highs[axis] - lows[axis] or 1.0
        places.append(begin + (end - begin) * (values[:, axis] - lows[axis]) / span)
    if len(places) == 1:
        places.append(np.full(len(values), (top + bottom) / 2))
    for number, (x, y) in enumerate(zip(*places, strict=True)):
        category = int(categories[number, 0]) + 1 if categories.shape[1] else 1
        draw.ellipse((x - 7, y - 7, x + 7, y + 7), colour_of(category), _PAPER)
        draw.text((x, y), str(number + 1), _PAPER, _font(9), anchor="mm")
    draw.text((left + 4, bottom - _LETTER - 4), " and ".join(entities.position[:2]), _FAINT, _font())


def _cells(box: Box, count: int) -> list[Box] | None:
    """Return a cell for each of ``count`` numbers, in as few columns as have room; None if there is no room."""
    room = max(1, (box[3] - box[1]) // _ROW)
    columns = -(-count // room)
    if columns > min(_MOST_COLUMNS, max(1, (box[2] - box[0]) // 120)):
        return None
    rows = -(-count // columns)
    width, height = (box[2] - box[0]) // columns, min(3 * _ROW, (box[3] - box[1]) // rows)
    places = [(box[0] + n // rows * width, box[1] + n % rows * height) for n in range(count)]
    return [(x, y, x + width, y + height) for x, y in places]


def _graph(cell: Box) -> Box:
    """Return the part of a number's cell between its name and its value."""
    share = (cell[2] - cell[0]) // 4
    return cell[0] + share, cell[1] + 2, cell[2] - share, cell[3] - 3


def _draw_line(draw: ImageDraw.ImageDraw, box: Box, past: np.ndarray, low: float, high: float) -> None:
    left, top, right, bottom = box
    draw.line((left, bottom, right, bottom), _LINE)
    x = left + (right - left) * (np.arange(len(past)) + 0.5) / len(past)
    y = bottom - (bottom - top) * (past - low) / (high - low or 1.0)
    draw.line([*zip(x.tolist(), y.tolist(), strict=True)], _COLOURS[3], 1)


def _draw_bar(draw: ImageDraw.ImageDraw, box: Box, value: float, low: float, high: float) -> None:
    """Draw a bar from zero to ``value``."""
    left, top, right, bottom = box
    bottom = min(bottom, top + _LETTER)
    draw.rectangle((left, top, right, bottom), None, _LINE)
    zero, end = (left + (right - left) * (at - low) / (high - low or 1.0) for at in (0.0, value))
    draw.rectangle((min(zero, end), top + 1, max(zero, end), bottom - 1), _COLOURS[3 if value >= 0 else 1])


def _draw_map(page: Image.Image, box: Box, vectors: np.ndarray, step: int) -> None:
    """Draw very many numbers as a map: time to the right, a row each, from blue over white to red."""
    title = f"{vectors.shape[1]} numbers from above to below: blue under zero, red over it"
    _text(ImageDraw.Draw(page), box[:2], title, box[2] - box[0], _FAINT)
    box = (box[0], box[1] + _LETTER + 6, box[2], box[3])
    most = np.abs(vectors).max(0) + 1e-9
    share = (vectors / most).T[..., None]
    ends = np.where(share < 0, _COLOURS[3], _COLOURS[1])
    picture = Image.fromarray((255 + (ends - 255) * np.abs(share)).astype(np.uint8))
    page.paste(picture.resize((box[2] - box[0], box[3] - box[1]), Image.Resampling.NEAREST), box[:2])
    x = box[0] + (box[2] - box[0]) * (step + 0.5) / len(vectors)
    ImageDraw.Draw(page).line((x, box[1], x, box[3]), _INK, 2)


def _draw_texts(draw: ImageDraw.ImageDraw, box: Box, texts: list[str]) -> Box:
    """Write one line for every text at the top; return the rest of the box."""
    top = box[1]
    for text in texts:
        _text(draw, (box[0], top), text, box[2] - box[0], _INK)
        top += _LETTER + 4
    return (box[0], top, box[2], box[3])


def _panels(box: Box, shares: list[int]) -> list[Box]:
    """Return parts of a box in these shares, side by side, or one below the other where it is higher than wide."""
    left, top, right, bottom = box
    ends = np.cumsum([0, *shares]) / max(1, sum(shares))
    wide = right - left >= bottom - top
    begin, length = (left, right - left) if wide else (top, bottom - top)
    sides = [
        (begin + round(low * length), begin + round(high * length) - _GAP)
        for low, high in zip(ends, ends[1:], strict=False)
    ]
    return [(low, top, high, bottom) if wide else (left, low, right, high) for low, high in sides]


def _text(draw: ImageDraw.ImageDraw, place: tuple[float, float], text: str, room: float, colour: Colour) -> None:
    """Write ``text``, cut to ``room`` pixels."""
    font = _font()
    if draw.textlength(text, font) > room:
        fits = bisect.bisect(range(len(text)), room, key=lambda end: draw.textlength(text[:end] + "…", font))
        text = text[: max(0, fits - 1)] + "…"
    draw.text(place, text, colour, font)


@lru_cache(maxsize=4)
def _font(size: int = _LETTER) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)
