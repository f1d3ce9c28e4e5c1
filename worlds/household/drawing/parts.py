"""Parts of which things are drawn: boxes, round things and upright cylinders, in shares of a thing's box.

Shares run from 0 to 1: along the depth from the back to the front, along the width, and from the bottom to the top.
"""

from __future__ import annotations

from typing import NamedTuple

from worlds.drawing.kernels import geometry
from worlds.household.state.vocabulary import Condition

Span = tuple[float, float]
Paint = float | str  # share of the class's colour, or RGB in hexadecimal digits

ALWAYS = 0
OPEN, SHUT = int(Condition.OPEN), -int(Condition.OPEN)
CLOSED = int(Condition.CLOSED)  # of doors, which are open where nothing is known
ON, OFF = int(Condition.ON), -int(Condition.ON)
SITTING, STANDING = int(Condition.SITTING), -int(Condition.SITTING)

ALL: Span = (0.0, 1.0)


class Part(NamedTuple):
    """A shape in a thing's box. Spans are shares of the box; with a negative ``when`` it is drawn outside that
    condition.
    """

    shape: int
    depth: Span = ALL
    width: Span = ALL
    height: Span = ALL
    paint: Paint = 1.0
    when: int = ALWAYS


def box(depth: Span = ALL, width: Span = ALL, height: Span = ALL, paint: Paint = 1.0, when: int = ALWAYS) -> Part:
    """Return a box."""
    return Part(geometry.BOX, depth, width, height, paint, when)


def ball(depth: Span = ALL, width: Span = ALL, height: Span = ALL, paint: Paint = 1.0, when: int = ALWAYS) -> Part:
    """Return an ellipsoid."""
    return Part(geometry.ELLIPSOID, depth, width, height, paint, when)


def drum(depth: Span = ALL, width: Span = ALL, height: Span = ALL, paint: Paint = 1.0, when: int = ALWAYS) -> Part:
    """Return an upright cylinder; its radius is that of the smaller side."""
    return Part(geometry.CYLINDER, depth, width, height, paint, when)


def middle(share: float) -> Span:
    """Return the middle ``share`` of a side."""
    return 0.5 - share / 2, 0.5 + share / 2
