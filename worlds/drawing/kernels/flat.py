"""Boxes and planes: faces filled row by row."""

from __future__ import annotations

import numpy as np

from worlds.drawing.kernels.culling import EYE_PLANE, clip, first_pixel, is_hidden, stop_pixel
from worlds.drawing.kernels.geometry import cross, dot, into, kernel, plus, scaled
from worlds.drawing.kernels.pixels import DEPTH_MASK, FIXED, LIGHT, NEAREST, shade

TILE, TILE_CONTRAST = 0.5, 0.08  # side of the tiles on planes in metres, and how much darker every other one is
TINY = 1e-30


@kernel
def draw_box(pixels, geom, screen, offset, axes, half):
    """Draw the sides of a box that face the eye: along each of its axes one or none."""
    centre, eye = into(screen, offset), scaled(into(axes, offset), -1.0)
    u, v, w = axes
    for _ in range(3):
        if abs(eye[0]) > half[0]:
            sign = 1.0 if eye[0] > 0.0 else -1.0
            ink = (geom << 8) | shade(sign * dot(u, LIGHT))
            middle = plus(centre, into(screen, u), sign * half[0])
            _draw_face(pixels, ink, middle, into(screen, v), half[1], into(screen, w), half[2], False)
        u, v, w = v, w, u
        eye, half = (eye[1], eye[2], eye[0]), (half[1], half[2], half[0])


@kernel
def draw_plane(pixels, geom, screen, offset, axes, half):
    if dot(axes[2], offset) >= 0.0:  # seen from behind
        return
    ink = (geom << 8) | shade(dot(axes[2], LIGHT))
    centre, u, v = into(screen, offset), into(screen, axes[0]), into(screen, axes[1])
    _draw_face(pixels, ink, centre, u, half[0], v, half[1], True)


@kernel
def _draw_face(pixels, ink, centre, u, half_u, v, half_v, tiled):
    """Draw the rectangle of the points centre + a u + b v, |a| <= half_u, |b| <= half_v; a half may be infinite.

    On the ray d = (column, row, 1) the face's plane is met at inverse depth g.d, at a = a.d / g.d and b = b.d / g.d:
    the pixels inside are those where g.d +- a.d / half_u and g.d +- b.d / half_v are not negative. This holds as well
    where the face reaches behind the eye, so nothing needs clipping.
    """
    height, width = pixels.shape
    normal = cross(u, v)
    k = dot(normal, centre)
    if k == 0.0:
        return
    g, a, b = scaled(normal, 1.0 / k), scaled(cross(v, centre), 1.0 / k), scaled(cross(centre, u), 1.0 / k)
    x0, x1, y0, y1 = 0, width, 0, height
    near = centre[2] - half_u * abs(u[2]) - half_v * abs(v[2])
    if near > EYE_PLANE:
        x0, x1, y0, y1 = _face_bounds(width, height, centre, scaled(u, half_u), scaled(v, half_v))
        if x0 >= x1 or y0 >= y1 or is_hidden(pixels, x0, x1, y0, y1, near):
            return
    e0, e1 = _edge(plus(g, a, 1.0 / half_u), width), _edge(plus(g, a, -1.0 / half_u), width)
    e2, e3 = _edge(plus(g, b, 1.0 / half_v), width), _edge(plus(g, b, -1.0 / half_v), width)
    for y in range(y0, y1):
        low = max(max(e0[0] * y + e0[1], e1[0] * y + e1[1]), max(e2[0] * y + e2[1], e3[0] * y + e3[1]))
        high = min(min(e0[2] * y + e0[3], e1[2] * y + e1[3]), min(e2[2] * y + e2[3], e3[2] * y + e3[3]))
        start, stop = first_pixel(low, width), stop_pixel(high, width)
        if start < stop:
            row = pixels[y, start:stop]
            if tiled:
                _fill_tiled(row, ink, start, y, g, a, b)
            else:
                _fill(row, ink, g[0] * start + g[1] * y + g[2], g[0])


@kernel
def _face_bounds(width, height, centre, u, v):
    """Return the columns [x0, x1) and rows [y0, y1) of a face that is wholly in front of the eye."""
    p, q = plus(centre, u, 1.0), plus(centre, u, -1.0)
    c0, c1, c2, c3 = plus(p, v, 1.0), plus(p, v, -1.0), plus(q, v, 1.0), plus(q, v, -1.0)
    i0, i1, i2, i3 = 1.0 / c0[2], 1.0 / c1[2], 1.0 / c2[2], 1.0 / c3[2]
    left = min(min(c0[0] * i0, c1[0] * i1), min(c2[0] * i2, c3[0] * i3))
    right = max(max(c0[0] * i0, c1[0] * i1), max(c2[0] * i2, c3[0] * i3))
    top = min(min(c0[1] * i0, c1[1] * i1), min(c2[1] * i2, c3[1] * i3))
    bottom = max(max(c0[1] * i0, c1[1] * i1), max(c2[1] * i2, c3[1] * i3))
    return clip(width, height, left, right, top, bottom)


@kernel
def _edge(e, width):
    """Return the columns at which a row enters and leaves the half plane e.(column, row, 1) >= 0.

    Returns:
      (slope, offset, slope, offset) of the first and of the last column inside, as functions of the row.
    """
    across = e[0] if e[0] != 0.0 else TINY
    slope, offset = -e[1] / across, -e[2] / across
    if across > 0.0:
        return slope, offset, 0.0, width - 1.0
    return 0.0, 0.0, slope, offset


@kernel
def _fill(row, ink, inverse, step):
    """Fill a run of pixels whose inverse depth starts at ``inverse`` and grows by ``step`` from pixel to pixel."""
    last = inverse + step * (row.shape[0] - 1)
    if max(inverse, last) > NEAREST:
        inverse, last = min(NEAREST, inverse), min(NEAREST, last)
        step = (last - inverse) / max(row.shape[0] - 1, 1)
    depth, growth = np.int64(max(0.0, inverse) * FIXED), np.int64(max(-NEAREST, min(NEAREST, step)) * FIXED)
    for i in range(row.shape[0]):
        row[i] = max(row[i], ((depth + i * growth) & DEPTH_MASK) | ink)


@kernel
def _fill_tiled(row, ink, start, y, g, a, b):
    """Fill a run of pixels of a plane with a checker that fades with distance."""
    full = ink & 255
    for i in range(row.shape[0]):
        x = float(start + i)
        inverse = min(NEAREST, max(TINY, g[0] * x + g[1] * y + g[2]))
        along = np.floor((a[0] * x + a[1] * y + a[2]) / (inverse * TILE))
        across = np.floor((b[0] * x + b[1] * y + b[2]) / (inverse * TILE))
        odd = along + across - 2.0 * np.floor(0.5 * (along + across))
        dim = np.int64(full * TILE_CONTRAST * odd * min(1.0, 2.0 * inverse))
        row[i] = max(row[i], (np.int64(inverse * FIXED) & DEPTH_MASK) | (ink - dim))
