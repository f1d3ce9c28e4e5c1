"""Vectors, a geom's place and axes, and the frame of the eye.

A point or direction is a tuple of three floats: compilers keep those in registers.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from numba import njit

DRAWN = PLANE, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX = 0, 2, 3, 4, 5, 6  # kinds, numbered as mujoco.mjtGeom
HIDDEN = -1

kernel = njit(nogil=True, error_model="numpy")  # without a cache of its own: the rasteriser's entry points have it
# Without calls and without counting references to arrays, where either for every pixel would cost too much. What is
# compiled so makes no arrays.
_njit: Any = njit  # an option is missing in its types
njit_bare = partial(_njit, nogil=True, error_model="numpy", _nrt=False)
inlined = njit_bare(forceinline=True)


@kernel
def dot(a, b):
    """Return the scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross(a, b):
    """Return the vector product."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@kernel
def scaled(a, k):
    """Return k a."""
    return (a[0] * k, a[1] * k, a[2] * k)


@kernel
def times(a, b):
    """Return the products of the components."""
    return (a[0] * b[0], a[1] * b[1], a[2] * b[2])


@kernel
def plus(a, b, k):
    """Return a + k b."""
    return (a[0] + k * b[0], a[1] + k * b[1], a[2] + k * b[2])


@kernel
def into(frame, a):
    """Return the scalar products of ``a`` with three vectors."""
    return (dot(frame[0], a), dot(frame[1], a), dot(frame[2], a))


@kernel
def offset_from(positions, geom, eye):
    """Return a geom's position as seen from the eye, in world directions."""
    return (positions[geom, 0] - eye[0], positions[geom, 1] - eye[1], positions[geom, 2] - eye[2])


@kernel
def own_axes(xmat, geom):
    """Return a geom's own axes in the world: the columns of its rotation matrix."""
    m = xmat[geom]
    return ((m[0], m[3], m[6]), (m[1], m[4], m[7]), (m[2], m[5], m[8]))


@kernel
def eye_frame(yaw, pitch, pixel, height, width):
    """Return the frame that takes world vectors to screen coordinates, and the rays of the pixels.

    Returns:
      screen: three world vectors; their products with (point - eye) are screen coordinates.
      rays: (c, r, o), world vectors; the ray of (column, row) is column * c + row * r + o, one metre deep.
    """
    cy, sy, cp, sp = math.cos(yaw), math.sin(yaw), math.cos(pitch), math.sin(pitch)
    forward, right, down = (cp * cy, cp * sy, sp), (sy, -cy, 0.0), (sp * cy, sp * sy, -cp)
    column, row = 0.5 * (width - 1), 0.5 * (height - 1)
    screen = (
        plus(scaled(right, 1.0 / pixel), forward, column),
        plus(scaled(down, 1.0 / pixel), forward, row),
        forward,
    )
    right, down = scaled(right, pixel), scaled(down, pixel)
    return screen, (right, down, plus(plus(forward, right, -column), down, -row))
