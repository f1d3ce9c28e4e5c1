"""Drawings as SVG elements, coloured by the page's CSS classes in its light and dark modes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from xml.etree import ElementTree

from markupsafe import Markup

Point = tuple[float, float]
NOTHING = Markup('<p class="quiet">Nothing was measured.</p>')  # in place of a drawing


class Drawing:
    """SVG element under construction. Texts are escaped by the XML library.

    Args:
      size: width and height, in the drawing's own units.
      label: description for screen readers.
      css: class of the element.
    """

    def __init__(self, size: tuple[int, int], label: str, css: str = "chart") -> None:
        view = {"class": css, "viewBox": f"0 0 {size[0]} {size[1]}", "role": "img", "aria-label": label}
        self._root = ElementTree.Element("svg", view)
        self._inside = self._root

    @contextmanager
    def group(self, css: str, title: str = "") -> Iterator[None]:
        """Context that draws into a group of class ``css`` with the tooltip ``title``."""
        outside, self._inside = self._inside, ElementTree.SubElement(self._inside, "g", {"class": css} if css else {})
        if title:
            ElementTree.SubElement(self._inside, "title").text = title
        yield
        self._inside = outside

    def line(self, css: str, begin: Point, end: Point) -> None:
        """Draw a straight line."""
        (x1, y1), (x2, y2) = begin, end
        self._add("line", css, x1=x1, x2=x2, y1=y1, y2=y2)

    def dot(self, centre: Point, radius: float = 4.6) -> None:
        """Draw a filled dot."""
        self._add("circle", "dot", cx=centre[0], cy=centre[1], r=radius)

    def bar(self, centre: float, width: float, top: float, foot: float) -> None:
        """Draw a vertical bar in the group's colour."""
        x, height = centre - width / 2, foot - top
        self._add("rect", "", x=x, y=top, width=width, height=height).set("fill", "currentColor")

    def path(self, css: str, pieces: Sequence[Sequence[Point]]) -> None:
        """Draw lines through the points of each piece, with gaps between pieces."""
        drawn = (f"{'L' if number else 'M'}{x:.1f} {y:.1f}" for piece in pieces for number, (x, y) in enumerate(piece))
        self._add("path", css).set("d", "".join(drawn))

    def text(self, css: str, at: Point, words: str, anchor: str = "start") -> None:
        """Write words that begin, end or have their middle at a point."""
        element = self._add("text", css, x=at[0], y=at[1])
        if anchor != "start":
            element.set("text-anchor", anchor)
        element.text = words

    def markup(self) -> Markup:
        """Return the element as unescaped text for templates."""
        return Markup(ElementTree.tostring(self._root, encoding="unicode"))

    def _add(self, name: str, css: str, **numbers: float) -> ElementTree.Element:
        given = {"class": css} if css else {}
        return ElementTree.SubElement(self._inside, name, given | {key: f"{n:.1f}" for key, n in numbers.items()})
