"""Geoms that may be in view, and the pixels that they may cover."""

from __future__ import annotations

import math

import numpy as np

from worlds.drawing.kernels.geometry import (
    CAPSULE,
    HIDDEN,
    PLANE,
    dot,
    into,
    kernel,
    offset_from,
    own_axes,
    scaled,
)
from worlds.drawing.kernels.pixels import DEPTH_MASK, FIXED, INK_BITS, NEAREST

EYE_PLANE = 1e-6  # metres; what comes nearer to the plane of the eye has no bounds on the screen


@kernel
def near_to_far(kind, body, size, xpos, xmat, hide_body, eye, screen, pixels, order, nearest):
    """Find the geoms that may be in view; put them in ``order``, the nearest first, so that they hide the others.

    Returns:
      Their number. Also sets ``nearest`` to a lower bound of the depth of each but planes.
    """
    right, bottom = pixels.shape[1] - 1.0, pixels.shape[0] - 1.0
    seen = 0
    for geom in range(len(kind)):
        if kind[geom] == HIDDEN or body[geom] == hide_body:
            continue
        centre = into(screen, offset_from(xpos, geom, eye))
        u, v, w = own_axes(xmat, geom)
        round_end = size[geom, 0] if kind[geom] == CAPSULE else 0.0
        a = scaled(into(screen, u), size[geom, 0])
        b = scaled(into(screen, v), size[geom, 1])
        c = scaled(into(screen, w), size[geom, 2] + round_end)
        if _outside(centre, a, b, c, right, bottom):
            continue
        # The floor lies under everything: it comes last.
        near = math.inf if kind[geom] == PLANE else centre[2] - abs(a[2]) - abs(b[2]) - abs(c[2])
        nearest[geom] = near
        place = seen
        while place > 0 and nearest[order[place - 1]] > near:
            order[place] = order[place - 1]
            place -= 1
        order[place] = geom
        seen += 1
    return seen


@kernel
def _outside(centre, a, b, c, right, bottom):
    """Return True if the box with these half axes lies wholly behind the eye or beyond one side of the screen."""
    return (
        _beyond((0.0, 0.0, 1.0), centre, a, b, c)
        or _beyond((1.0, 0.0, 0.0), centre, a, b, c)
        or _beyond((0.0, 1.0, 0.0), centre, a, b, c)
        or _beyond((-1.0, 0.0, right), centre, a, b, c)
        or _beyond((0.0, -1.0, bottom), centre, a, b, c)
    )


@kernel
def _beyond(side, centre, a, b, c):
    """Return True if the box lies wholly on the negative side of a plane through the eye."""
    return dot(side, centre) + abs(dot(side, a)) + abs(dot(side, b)) + abs(dot(side, c)) < 0.0


@kernel
def is_hidden(pixels, x0, x1, y0, y1, near):
    """Return True if every pixel of the rectangle already shows something nearer than ``near`` metres."""
    if not near * NEAREST > 1.0:
        return False
    limit = (np.int64(FIXED / near) | ~DEPTH_MASK) + (1 << INK_BITS)
    for y in range(y0, y1):
        row = pixels[y, x0:x1]
        behind = 0
        for i in range(row.shape[0]):
            behind += row[i] < limit
        if behind:
            return False
    return True


@kernel
def clip(width, height, left, right, top, bottom):
    """Return the pixels [x0, x1) x [y0, y1) whose centres may lie between these bounds; they are widened by a hair."""
    return (
        first_pixel(left - 1e-6, width),
        stop_pixel(right + 1e-6, width),
        first_pixel(top - 1e-6, height),
        stop_pixel(bottom + 1e-6, height),
    )


@kernel
def first_pixel(bound, count):
    """Return the first of ``count`` pixels at or after ``bound``."""
    # Limits come first in min and max: so they beat NaN.
    return int(math.ceil(min(float(count), max(0.0, bound))))


@kernel
def stop_pixel(bound, count):
    """Return one past the last of ``count`` pixels at or before ``bound``."""
    return int(math.floor(min(count - 1.0, max(-1.0, bound)))) + 1
