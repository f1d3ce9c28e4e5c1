"""A parameter tree as a picture, left to right: parameters as rectangles, values as round boxes (paper, figure 10)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path as FilePath
from typing import TYPE_CHECKING

from worlds.drawing.picture_file import whole_file
from worlds.errors import UserError
from worlds.school.parameters.names import paper_parameter, paper_value
from worlds.school.parameters.tree import Parameter, format_tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = (".png", ".svg", ".pdf")
# Lengths in inches.
FONT_POINTS = 9
LETTER, LINE = 0.078, 0.165  # of the font: width of a letter, height of a line
PADDING, GAP, BETWEEN_COLUMNS = 0.07, 0.07, 0.34
PARAMETER, VALUE, CHOSEN = "#2f4858", "#dfe8ee", "#f2b457"
INK, LIGHT, EDGE = "#1d2a33", "#ffffff", "#93a4b0"


@dataclass
class _Box:
    """A parameter, or values that open the same parameters, and the boxes to the right of it."""

    lines: tuple[str, ...]
    is_parameter: bool
    chosen: tuple[bool, ...]
    inner: list[_Box] = field(default_factory=list)
    depth: int = 0
    y: float = 0.0

    @property
    def height(self) -> float:
        return len(self.lines) * LINE + 2 * PADDING

    @property
    def width(self) -> float:
        return max(len(line) for line in self.lines) * LETTER + 2 * PADDING + 0.06


def draw_tree(
    tree: Parameter,
    path: str | FilePath,
    *,
    paper: bool = False,
    chosen: Mapping[str, str] | None = None,
    dots_per_inch: int = 130,
) -> None:
    """Write the picture of a tree. Neighbouring values that open the same parameters share a box.

    The file also holds the tree as text, under "Description" (in a PDF "Subject").
    """
    path = FilePath(path)
    if path.suffix.lower() not in FORMATS:
        raise UserError(f"cannot draw a tree as {path.name!r}: the ending must be one of {', '.join(FORMATS)}")
    from matplotlib.figure import Figure  # slow to import; sampling needs no pictures

    root = _box(tree, paper, chosen or {})
    height = _stack(root, 0.0) + GAP
    lefts = _columns(root)
    width = lefts[-1] + GAP
    figure = Figure(figsize=(width, height))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, width), ylim=(height, 0))
    axes.set_axis_off()
    _draw(root, axes, lefts)
    try:
        with whole_file(path) as file:
            notes = _notes(path, format_tree(tree, paper=paper, chosen=chosen))
            figure.savefig(file, dpi=dots_per_inch, metadata=notes)
    except OSError as error:
        raise UserError(f"cannot write the picture {path}: {error.strerror}") from error


def _notes(path: FilePath, text: str) -> dict[str, str | None]:
    """Return what is noted in a file: the tree, and no date, so that the same tree gives the same file."""
    kind = path.suffix.lower()
    if kind == ".png":
        return {"Description": text}
    return {"Description": text, "Date": None} if kind == ".svg" else {"Subject": text, "CreationDate": None}


def _box(parameter: Parameter, paper: bool, chosen: Mapping[str, str], depth: int = 0) -> _Box:
    """Return the box of a parameter, with those of its values and of what these open."""
    name = paper_parameter(parameter.name) if paper else parameter.name
    box = _Box((name,), True, (False,), depth=depth)
    picked = chosen.get(parameter.name)
    for opened, group in groupby(parameter.values, key=lambda value: (value.parameters, value.name == picked)):
        values = [value.name for value in group]
        marks = tuple(value == picked for value in values)
        lines = tuple(paper_value(parameter.name, value) if paper else value for value in values)
        inside = chosen if any(marks) or not chosen else {}
        inner = [_box(each, paper, inside, depth + 2) for each in opened[0]]
        box.inner.append(_Box(lines, False, marks, inner, depth + 1))
    return box


def _stack(box: _Box, top: float) -> float:
    """Place a box and what it opens below ``top``; return where they end."""
    end = top
    for inner in box.inner:
        end = _stack(inner, end)
    own = top + GAP + box.height
    box.y = (box.inner[0].y + box.inner[-1].y) / 2 if box.inner else top + GAP + box.height / 2
    if end < own and box.inner:  # a tall box beside few others
        _shift(box, (own - end) / 2)
    return max(end, own)


def _shift(box: _Box, by: float) -> None:
    for each in _all(box):
        each.y += by


def _all(box: _Box) -> Iterator[_Box]:
    yield box
    for inner in box.inner:
        yield from _all(inner)


def _columns(root: _Box) -> list[float]:
    """Return the left edge of every column, and the right edge of the last."""
    boxes = list(_all(root))
    lefts = [GAP]
    for depth in range(max(box.depth for box in boxes) + 1):
        lefts.append(lefts[-1] + max(box.width for box in boxes if box.depth == depth) + BETWEEN_COLUMNS)
    return [*lefts[:-1], lefts[-1] - BETWEEN_COLUMNS]


def _draw(box: _Box, axes: Axes, lefts: list[float]) -> None:
    from matplotlib.patches import FancyBboxPatch

    left, top = lefts[box.depth], box.y - box.height / 2
    style = "square,pad=0" if box.is_parameter else "round,pad=0,rounding_size=0.1"
    fill = PARAMETER if box.is_parameter else CHOSEN if any(box.chosen) else VALUE
    edge = PARAMETER if box.is_parameter else EDGE
    shape = FancyBboxPatch((left, top), box.width, box.height, boxstyle=style, fc=fill, ec=edge, lw=0.8, zorder=2)
    axes.add_patch(shape)
    for number, line in enumerate(box.lines):
        y = top + PADDING + (number + 0.5) * LINE
        ink = LIGHT if box.is_parameter else INK
        middle = left + box.width / 2
        axes.text(middle, y, line, ha="center", va="center", fontsize=FONT_POINTS, color=ink, zorder=3)
    for inner in box.inner:
        _connect(axes, (left + box.width, box.y), (lefts[inner.depth], inner.y))
        _draw(inner, axes, lefts)


def _connect(axes: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    bend = end[0] - BETWEEN_COLUMNS / 2
    points = [start, (bend, start[1]), (bend, end[1]), end]
    line = PathPatch(Path(points, [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO]), fc="none", ec=EDGE, lw=1)
    axes.add_patch(line)
