"""Soft light: dark corners, dark floors under furniture, and shadows under what moves.

What does not move dims a map of the floor once (:mod:`worlds.drawing.light`). What moves casts a soft ellipse on what
is just below it, at every drawing.
"""

from __future__ import annotations

import math

import numpy as np

from worlds.drawing.kernels.culling import clip
from worlds.drawing.kernels.geometry import CAPSULE, HIDDEN, PLANE, inlined, into, offset_from, own_axes, plus
from worlds.drawing.kernels.pixels import DEPTH_UNIT, INK_BITS
from worlds.drawing.kernels.round import ellipsoid_bounds
from worlds.drawing.kernels.surfaces import EYE, between

OTHER, FLOOR, WALL = 0, 1, 2  # roles of geoms
OFF_WALL = 0.12  # metres from a wall at which the map tells how light it is
GROUND, GROUND_DIM = 0.35, 0.25  # metres above the floor to where it dims things, and by how much at the floor
STRIDE = 16  # pixels of a row between which light changes evenly
SOFT, DEEP = 0.06, 0.16  # metres: the seam of a shadow, and the depth below a thing to which its shadow falls
DARKEST = 120.0  # 255ths
NEAREST_SHADOW, FARTHEST = 0.3, 5.0  # metres, of things whose shadows are drawn


@inlined
def shine(run, y, frame, role, half, axes, rays, eye, light):
    """Dim a run of pixels of one geom by the light that reaches it.

    Args:
      run: see :func:`worlds.drawing.kernels.surfaces.paint`; bright is changed.
      role: of the geom: FLOOR, WALL or OTHER.
      light: (cells int64 [4 ** bits], bits, x and y of its corner, cells a metre, height of the walls).
    """
    start, stop, depth, _, _, bright = run
    ray = plus(rays[2], rays[1], y)
    if role == OTHER:
        heights = eye[2] + depth[start] * ray[2], eye[2] + depth[stop - 1] * ray[2]
        if min(heights[0], heights[1]) >= GROUND:
            return
    at = eye
    if role == WALL:
        thin = 0 if half[0] < half[1] else 1
        at = plus(eye, axes[thin], OFF_WALL if frame[EYE + thin] > 0.0 else -OFF_WALL)
    before = _light_at(start, role, eye[2], at, ray, rays[0], depth, light)
    while start < stop:
        end = min(start + STRIDE, stop)
        after = _light_at(end - 1, role, eye[2], at, ray, rays[0], depth, light)
        grow = (after - before) // max(end - 1 - start, 1)
        for x in range(start, end):
            bright[x] = (bright[x] * ((before + (x - start) * grow) >> 8)) >> 8
        start, before = end, after


@inlined
def _light_at(x, role, height, at, ray, right, depth, light):
    """The light that reaches a pixel, in 65536ths."""
    cells, bits, low_x, low_y, rate, top = light
    far = depth[x]
    height += far * ray[2]
    under = max(0.0, GROUND - (height if role == OTHER else min(height, top - height)))
    lit = 1.0 if role == FLOOR else 1.0 - GROUND_DIM * (under / GROUND) * (under / GROUND)
    if role != OTHER:
        last = float((1 << bits) - 2) * 256.0
        u = (at[0] + far * (ray[0] + right[0] * x) - low_x) * rate * 256.0 - 128.0
        v = (at[1] + far * (ray[1] + right[1] * x) - low_y) * rate * 256.0 - 128.0
        here = between(cells, 0, bits, np.int64(min(max(u, 0.0), last)), np.int64(min(max(v, 0.0), last)))
        lit *= (((here if role == FLOOR else here >> 16) & 255) + 1) / 256.0
    return np.int32(65536.0 * lit)


@inlined
def cast(dark, pixels, body, size, kind, xpos, xmat, thing, rays, screen, eye):
    """Darken the pixels of what is just below a thing that moves.

    Args:
      dark: uint8 [H, W], changed; 255 where there is no shadow.
      thing: int32 [3], its body, first geom and the geom after its last one.
      screen: see :func:`worlds.drawing.kernels.geometry.eye_frame`.
    """
    height, width = pixels.shape
    centre = into(screen, offset_from(xpos, thing[1], eye))
    if not NEAREST_SHADOW < centre[2] < FARTHEST:
        return
    if not -width < centre[0] / centre[2] < 2 * width or not -height < centre[1] / centre[2] < 2 * height:
        return
    strength = DARKEST * min(1.0, FARTHEST - centre[2])  # fades out
    low, high = _extent(thing, size, kind, xpos, xmat)
    wide, long, bottom = 0.5 * (high[0] - low[0]) + SOFT, 0.5 * (high[1] - low[1]) + SOFT, max(low[2], 0.0)
    middle = 0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1])
    centre = into(screen, (middle[0] - eye[0], middle[1] - eye[1], bottom - 0.4 * DEEP - eye[2]))
    a, b, c = into(screen, (wide, 0.0, 0.0)), into(screen, (0.0, long, 0.0)), into(screen, (0.0, 0.0, 0.6 * DEEP))
    if centre[2] <= abs(a[2]) + abs(b[2]) + abs(c[2]):  # reaches behind the eye
        return
    left, right, upper, lower = ellipsoid_bounds(centre, a, b, c)
    x0, x1, y0, y1 = clip(width, height, left, right, upper, lower)
    for y in range(y0, y1):
        ray = plus(rays[2], rays[1], y)
        if ray[2] >= 0.0:  # no ground is seen
            continue
        # Inverse depths between which the row meets the ground.
        nearest = np.int64(DEPTH_UNIT * max(0.0, ray[2] / min(-1e-9, bottom + 0.02 - eye[2])))
        farthest = np.int64(DEPTH_UNIT * max(0.0, ray[2] / min(-1e-9, bottom - DEEP - eye[2])))
        for x in range(x0, x1):
            inverse, geom = pixels[y, x] >> INK_BITS, (pixels[y, x] >> 8) & 0xFFFF
            if inverse > nearest or inverse < farthest or geom >= len(body) or body[geom] == thing[0]:
                continue
            depth = DEPTH_UNIT / inverse
            below = max(0.0, bottom - eye[2] - depth * ray[2])
            dx = (eye[0] + depth * (ray[0] + rays[0][0] * x) - middle[0]) / (wide + 0.5 * below)
            dy = (eye[1] + depth * (ray[1] + rays[0][1] * x) - middle[1]) / (long + 0.5 * below)
            away = dx * dx + dy * dy
            if away < 1.0:
                dim = strength * min(1.0, 1.6 * (1.0 - away)) * (1.0 - below / DEEP)
                dark[y, x] = min(np.int64(dark[y, x]), np.int64(255.0 - dim))


@inlined
def _extent(thing, size, kind, xpos, xmat):
    """Return the lower and the upper corner of the upright box around a thing."""
    low, high = (math.inf, math.inf, math.inf), (-math.inf, -math.inf, -math.inf)
    for geom in range(thing[1], thing[2]):
        if kind[geom] == HIDDEN or kind[geom] == PLANE:
            continue
        u, v, w = own_axes(xmat, geom)
        end = size[geom, 2] + (size[geom, 0] if kind[geom] == CAPSULE else 0.0)
        x, y, z = xpos[geom, 0], xpos[geom, 1], xpos[geom, 2]
        rx = abs(u[0]) * size[geom, 0] + abs(v[0]) * size[geom, 1] + abs(w[0]) * end
        ry = abs(u[1]) * size[geom, 0] + abs(v[1]) * size[geom, 1] + abs(w[1]) * end
        rz = abs(u[2]) * size[geom, 0] + abs(v[2]) * size[geom, 1] + abs(w[2]) * end
        low = (min(low[0], x - rx), min(low[1], y - ry), min(low[2], z - rz))
        high = (max(high[0], x + rx), max(high[1], y + ry), max(high[2], z + rz))
    return low, high
