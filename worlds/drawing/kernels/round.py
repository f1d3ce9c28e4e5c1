"""Spheres, ellipsoids, cylinders and capsules: the exact hit of every pixel's ray."""

from __future__ import annotations

import math

from worlds.drawing.kernels.culling import EYE_PLANE, clip, is_hidden
from worlds.drawing.kernels.geometry import CAPSULE, CYLINDER, dot, into, kernel, plus, scaled, times
from worlds.drawing.kernels.pixels import LIGHT, put


@kernel
def draw_round(pixels, geom, kind, screen, rays, offset, axes, half, near):
    height, width = pixels.shape
    x0, x1, y0, y1 = _round_bounds(width, height, kind, screen, offset, axes, half)
    if x0 >= x1 or y0 >= y1 or is_hidden(pixels, x0, x1, y0, y1, near):
        return
    window = pixels[y0:y1, x0:x1]
    origin = scaled(into(axes, offset), -1.0)
    right, down = into(axes, rays[0]), into(axes, rays[1])
    corner = plus(plus(into(axes, rays[2]), right, x0), down, y0)
    light = into(axes, LIGHT)
    if kind == CYLINDER or kind == CAPSULE:
        _draw_rod(window, geom, kind == CAPSULE, origin, corner, right, down, half[0], half[2], light)
    else:
        _draw_ellipsoid(window, geom, origin, corner, right, down, half, light)


@kernel
def _round_bounds(width, height, kind, screen, offset, axes, half):
    """Return the columns [x0, x1) and rows [y0, y1) of a round thing; of a rod, those of its ends and all between."""
    centre = into(screen, offset)
    u, v, w = into(screen, axes[0]), into(screen, axes[1]), into(screen, axes[2])
    if kind == CYLINDER or kind == CAPSULE:
        a, b, c = scaled(u, half[0]), scaled(v, half[0]), scaled(w, half[0] if kind == CAPSULE else 0.0)
        l0, r0, t0, b0 = ellipsoid_bounds(plus(centre, w, half[2]), a, b, c)
        l1, r1, t1, b1 = ellipsoid_bounds(plus(centre, w, -half[2]), a, b, c)
        return clip(width, height, min(l0, l1), max(r0, r1), min(t0, t1), max(b0, b1))
    left, right, top, bottom = ellipsoid_bounds(centre, scaled(u, half[0]), scaled(v, half[1]), scaled(w, half[2]))
    return clip(width, height, left, right, top, bottom)


@kernel
def ellipsoid_bounds(centre, a, b, c):
    """Return the first and last column and row of an ellipsoid with the half axes a, b, c; of a disc if one is 0.

    The plane of a column X touches the ellipsoid where (n.centre)^2 = (n.a)^2 + (n.b)^2 + (n.c)^2, n = (1, 0, -X).
    """
    k = centre[2] * centre[2] - a[2] * a[2] - b[2] * b[2] - c[2] * c[2]
    if k <= EYE_PLANE * EYE_PLANE or centre[2] <= 0.0:
        return -math.inf, math.inf, -math.inf, math.inf
    x = (centre[0] * centre[2] - a[0] * a[2] - b[0] * b[2] - c[0] * c[2]) / k
    y = (centre[1] * centre[2] - a[1] * a[2] - b[1] * b[2] - c[1] * c[2]) / k
    xx = (centre[0] * centre[0] - a[0] * a[0] - b[0] * b[0] - c[0] * c[0]) / k
    yy = (centre[1] * centre[1] - a[1] * a[1] - b[1] * b[1] - c[1] * c[1]) / k
    dx, dy = math.sqrt(max(x * x - xx, 0.0)), math.sqrt(max(y * y - yy, 0.0))
    return x - dx, x + dx, y - dy, y + dy


@kernel
def _draw_ellipsoid(window, geom, origin, corner, right, down, half, light):
    """Draw the pixels whose rays meet an ellipsoid; all vectors are in its own frame."""
    shrink = (1.0 / half[0], 1.0 / half[1], 1.0 / half[2])  # makes it the unit sphere
    o = times(origin, shrink)
    right, down, corner = times(right, shrink), times(down, shrink), times(corner, shrink)
    light = times(light, shrink)
    c = dot(o, o) - 1.0
    if c <= 0.0:  # the eye is inside
        return
    for y in range(window.shape[0]):
        first = plus(corner, down, y)
        for x in range(window.shape[1]):
            d = plus(first, right, x)
            b = dot(o, d)
            under = b * b - dot(d, d) * c
            if b >= 0.0 or under < 0.0:
                continue
            inverse = (math.sqrt(under) - b) / c
            p = plus(o, d, 1.0 / inverse)
            normal = times(p, shrink)
            put(window, y, x, inverse, geom, dot(p, light) / math.sqrt(dot(normal, normal)))


@kernel
def _draw_rod(window, geom, capsule, o, corner, right, down, radius, half, light):
    """Draw the pixels whose rays meet a cylinder or capsule along z; all vectors are in its own frame."""
    c = o[0] * o[0] + o[1] * o[1] - radius * radius
    if c <= 0.0 and abs(o[2]) <= half:  # the eye is inside
        return
    for y in range(window.shape[0]):
        first = plus(corner, down, y)
        for x in range(window.shape[1]):
            d = plus(first, right, x)
            z = o[2]
            if c > 0.0:
                a, b = d[0] * d[0] + d[1] * d[1], o[0] * d[0] + o[1] * d[1]
                under = b * b - a * c
                if b >= 0.0 or under < 0.0:
                    continue
                inverse = (math.sqrt(under) - b) / c
                p = plus(o, d, 1.0 / inverse)
                z = p[2]
                if abs(z) <= half:
                    put(window, y, x, inverse, geom, (p[0] * light[0] + p[1] * light[1]) / radius)
                    continue
            # The ray comes in beyond an end: it can only meet that end.
            end = half if z > 0.0 else -half
            if capsule:
                inverse, lit = _meet_ball((o[0], o[1], o[2] - end), d, radius, light)
            else:
                inverse, lit = _meet_disc(o, d, end, radius, light)
            if inverse > 0.0:
                put(window, y, x, inverse, geom, lit)


@kernel
def _meet_ball(o, d, radius, light):
    """Return the inverse depth, or 0.0, at which a ray meets the ball at 0, and the cosine of its normal and light."""
    b, c = dot(o, d), dot(o, o) - radius * radius
    under = b * b - dot(d, d) * c
    if b >= 0.0 or under < 0.0 or c <= 0.0:
        return 0.0, 0.0
    inverse = (math.sqrt(under) - b) / c
    return inverse, dot(plus(o, d, 1.0 / inverse), light) / radius


@kernel
def _meet_disc(o, d, end, radius, light):
    """Return the inverse depth, or 0.0, at which a ray meets a cylinder's end from outside, and that cosine."""
    sign = 1.0 if end > 0.0 else -1.0
    inverse = d[2] / (end - o[2])
    if inverse <= 0.0 or sign * o[2] <= abs(end):
        return 0.0, 0.0
    x, y = o[0] + d[0] / inverse, o[1] + d[1] / inverse
    if x * x + y * y > radius * radius:
        return 0.0, 0.0
    return inverse, sign * light[2]
