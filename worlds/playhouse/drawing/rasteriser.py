"""Draws boxes, planes and round things into pixels: the arithmetic behind :mod:`worlds.playhouse.drawing.camera`.

A ray starts at the eye and passes through the centre of every pixel; what it hits first is computed exactly, shape by
shape inside the shape's bounds on the screen. There is no near plane and no meshing: a round thing is round at any
distance, and a wall at the tip of the nose is still a wall. Outer sides alone are drawn: an eye inside a thing sees
through it.

Every pixel is one integer, ``inverse depth << 24 | geom << 8 | shade``, and to draw is to take the larger. So the order
of drawing does not matter (near things are drawn first only because they save drawing the others), and where surfaces
coincide the geom with the higher id shows. No arithmetic is reordered or fused: the same inputs give the same
pixels in every thread.

Coordinates: world (z up); *screen*: a point (X, Y, Z) lies Z metres deep, at column X / Z and row Y / Z. In screen
coordinates the ray of a pixel is (column, row, 1), and both on which side of an edge it passes and how near it meets a
plane are scalar products with it. Points and vectors are tuples of three floats, which stay in registers.

Everything is in one file since Numba's cache of a compiled function does not see changes in other files.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

DRAWN = PLANE, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX = 0, 2, 3, 4, 5, 6  # kinds, numbered as mujoco.mjtGeom
HIDDEN = -1

# Light. A surface's shade is AMBIENT + DIFFUSE * (1 + normal . LIGHT) / 2: never dark, and in equal steps from one
# face of an upright box to the next, so that walls, floor and ceiling meet in visible edges.
AMBIENT, DIFFUSE = 0.56, 0.44
LIGHT = (0.169, 0.507, 0.845)  # towards the light, 1 : 3 : 5; its length is 1
# The brightness of a surface at depth z is FADE_FAR + FADE_NEAR / z, at most 1, in 256ths: far things are a bit darker.
FADE_FAR, FADE_NEAR = 205, 102
TILE, TILE_CONTRAST = 0.5, 0.08  # side of the tiles on planes in metres, and how much darker every other one is

# A pixel.
INK_BITS = 24  # geom id (16) and shade (8)
DEPTH_MASK = -(1 << INK_BITS)
DEPTH_UNIT = float(1 << 30)  # inverse depth of 1 / metre; its step is a nanometre at one metre, 0.1 um at ten
FIXED = DEPTH_UNIT * (1 << INK_BITS)
NEAREST = 500.0  # 1 / metre; what is nearer than 2 mm counts as 2 mm away

SKY_LEVELS = 64  # shades of the background, from straight down to straight up
EYE_PLANE = 1e-6  # metres; what comes nearer to the plane of the eye has no bounds on the screen
TINY = 1e-30

# Below, a point or direction is a tuple of three floats: compilers keep those in registers.

_jit = njit(nogil=True, cache=True, error_model="numpy")


@_jit
def draw(scene, xpos, xmat, hide_body, view, order, nearest, pixels):
    """Fill ``pixels`` with what an eye sees of a scene.

    Args:
      scene: (kind int32 [G], body int32 [G], half sizes float64 [G, 3]) of the geoms; an infinite plane's are infinite.
      xpos: float64 [G, 3], positions of the geoms, as in MuJoCo.
      xmat: float64 [G, 9], orientations of the geoms, as in MuJoCo.
      hide_body: body whose geoms are left out.
      view: (x, y, z of the eye in metres; yaw and pitch in radians; side of a pixel one metre away in metres).
      order: int32 [G], scratch.
      nearest: float64 [G], scratch.
      pixels: int64 [H, W], written.
    """
    kind, body, size = scene
    eye = (view[0], view[1], view[2])
    screen, rays = _view(view[3], view[4], view[5], pixels.shape[0], pixels.shape[1])
    _draw_sky(pixels, rays, len(kind))
    for i in range(_near_to_far(kind, body, size, xpos, xmat, hide_body, eye, screen, pixels, order, nearest)):
        geom = order[i]
        axes = _axes(xmat, geom)
        offset = _offset(xpos, geom, eye)
        half = (size[geom, 0], size[geom, 1], size[geom, 2])
        if kind[geom] == BOX:
            _draw_box(pixels, geom, screen, offset, axes, half)
        elif kind[geom] == PLANE:
            _draw_plane(pixels, geom, screen, offset, axes, half)
        else:
            _draw_round(pixels, geom, kind[geom], screen, rays, offset, axes, half, nearest[geom])


@_jit
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@_jit
def _cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@_jit
def _scaled(a, k):
    return (a[0] * k, a[1] * k, a[2] * k)


@_jit
def _plus(a, b, k):
    """a + k b."""
    return (a[0] + k * b[0], a[1] + k * b[1], a[2] + k * b[2])


@_jit
def _into(frame, a):
    """The scalar products of ``a`` with three vectors."""
    return (_dot(frame[0], a), _dot(frame[1], a), _dot(frame[2], a))


@_jit
def _offset(positions, geom, eye):
    """A geom's position as seen from the eye, in world directions."""
    return (positions[geom, 0] - eye[0], positions[geom, 1] - eye[1], positions[geom, 2] - eye[2])


@_jit
def _axes(xmat, geom):
    """A geom's own axes in the world: the columns of its rotation matrix."""
    m = xmat[geom]
    return ((m[0], m[3], m[6]), (m[1], m[4], m[7]), (m[2], m[5], m[8]))


@_jit
def _shade(lit):
    """Shade, 0 to 255, of a surface whose normal makes the cosine ``lit`` with the light."""
    return int(255.0 * (AMBIENT + DIFFUSE * 0.5 * (1.0 + lit)))


@_jit
def _view(yaw, pitch, pixel, height, width):
    """The frame that takes world vectors to screen coordinates, and the rays of the pixels.

    Returns:
      screen: three world vectors; their products with (point - eye) are screen coordinates.
      rays: (c, r, o), world vectors; the ray of (column, row) is column * c + row * r + o, one metre deep.
    """
    cy, sy, cp, sp = math.cos(yaw), math.sin(yaw), math.cos(pitch), math.sin(pitch)
    forward, right, down = (cp * cy, cp * sy, sp), (sy, -cy, 0.0), (sp * cy, sp * sy, -cp)
    column, row = 0.5 * (width - 1), 0.5 * (height - 1)
    screen = (
        _plus(_scaled(right, 1.0 / pixel), forward, column),
        _plus(_scaled(down, 1.0 / pixel), forward, row),
        forward,
    )
    right, down = _scaled(right, pixel), _scaled(down, pixel)
    return screen, (right, down, _plus(_plus(forward, right, -column), down, -row))


@_jit
def _draw_sky(pixels, rays, first_level):
    """Start a frame: every pixel of a row gets the background of the row's elevation."""
    height, width = pixels.shape
    middle = _plus(rays[2], rays[0], 0.5 * (width - 1))
    for y in range(height):
        ray = _plus(middle, rays[1], y)
        height_of_ray = ray[2] / math.sqrt(_dot(ray, ray))
        level = int(0.5 * (1.0 + height_of_ray) * (SKY_LEVELS - 1) + 0.5)
        pixels[y, :] = ((first_level + level) << 8) | 255


@_jit
def _near_to_far(kind, body, size, xpos, xmat, hide_body, eye, screen, pixels, order, nearest):
    """Find the geoms that may be in view; put them in ``order``, the nearest first, so that they hide the others.

    Returns:
      Their number. Also sets ``nearest`` to a lower bound of the depth of each but planes.
    """
    right, bottom = pixels.shape[1] - 1.0, pixels.shape[0] - 1.0
    seen = 0
    for geom in range(len(kind)):
        if kind[geom] == HIDDEN or body[geom] == hide_body:
            continue
        centre = _into(screen, _offset(xpos, geom, eye))
        u, v, w = _axes(xmat, geom)
        round_end = size[geom, 0] if kind[geom] == CAPSULE else 0.0
        a = _scaled(_into(screen, u), size[geom, 0])
        b = _scaled(_into(screen, v), size[geom, 1])
        c = _scaled(_into(screen, w), size[geom, 2] + round_end)
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


@_jit
def _outside(centre, a, b, c, right, bottom):
    """Return True if the box with these half axes lies wholly behind the eye or beyond one side of the screen."""
    return (
        _beyond((0.0, 0.0, 1.0), centre, a, b, c)
        or _beyond((1.0, 0.0, 0.0), centre, a, b, c)
        or _beyond((0.0, 1.0, 0.0), centre, a, b, c)
        or _beyond((-1.0, 0.0, right), centre, a, b, c)
        or _beyond((0.0, -1.0, bottom), centre, a, b, c)
    )


@_jit
def _beyond(side, centre, a, b, c):
    return _dot(side, centre) + abs(_dot(side, a)) + abs(_dot(side, b)) + abs(_dot(side, c)) < 0.0


@_jit
def _hidden(pixels, x0, x1, y0, y1, near):
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


# ---- flat things -----------------------------------------------------------------------------------------------------


@_jit
def _draw_box(pixels, geom, screen, offset, axes, half):
    """Draw the sides of a box that face the eye: along each of its axes one or none."""
    centre, eye = _into(screen, offset), _scaled(_into(axes, offset), -1.0)
    u, v, w = axes
    for _ in range(3):
        if abs(eye[0]) > half[0]:
            sign = 1.0 if eye[0] > 0.0 else -1.0
            ink = (geom << 8) | _shade(sign * _dot(u, LIGHT))
            middle = _plus(centre, _into(screen, u), sign * half[0])
            _draw_face(pixels, ink, middle, _into(screen, v), half[1], _into(screen, w), half[2], False)
        u, v, w = v, w, u
        eye, half = (eye[1], eye[2], eye[0]), (half[1], half[2], half[0])


@_jit
def _draw_plane(pixels, geom, screen, offset, axes, half):
    if _dot(axes[2], offset) >= 0.0:  # seen from behind
        return
    ink = (geom << 8) | _shade(_dot(axes[2], LIGHT))
    centre, u, v = _into(screen, offset), _into(screen, axes[0]), _into(screen, axes[1])
    _draw_face(pixels, ink, centre, u, half[0], v, half[1], True)


@_jit
def _draw_face(pixels, ink, centre, u, half_u, v, half_v, tiled):
    """Draw the rectangle of the points centre + a u + b v, |a| <= half_u, |b| <= half_v; a half may be infinite.

    On the ray d = (column, row, 1) the face's plane is met at inverse depth g.d, at a = a.d / g.d and b = b.d / g.d:
    the pixels inside are those where g.d +- a.d / half_u and g.d +- b.d / half_v are not negative. This holds as well
    where the face reaches behind the eye, so nothing needs clipping.
    """
    height, width = pixels.shape
    normal = _cross(u, v)
    k = _dot(normal, centre)
    if k == 0.0:
        return
    g, a, b = _scaled(normal, 1.0 / k), _scaled(_cross(v, centre), 1.0 / k), _scaled(_cross(centre, u), 1.0 / k)
    x0, x1, y0, y1 = 0, width, 0, height
    near = centre[2] - half_u * abs(u[2]) - half_v * abs(v[2])
    if near > EYE_PLANE:
        x0, x1, y0, y1 = _face_bounds(width, height, centre, _scaled(u, half_u), _scaled(v, half_v))
        if x0 >= x1 or y0 >= y1 or _hidden(pixels, x0, x1, y0, y1, near):
            return
    e0, e1 = _edge(_plus(g, a, 1.0 / half_u), width), _edge(_plus(g, a, -1.0 / half_u), width)
    e2, e3 = _edge(_plus(g, b, 1.0 / half_v), width), _edge(_plus(g, b, -1.0 / half_v), width)
    for y in range(y0, y1):
        low = max(max(e0[0] * y + e0[1], e1[0] * y + e1[1]), max(e2[0] * y + e2[1], e3[0] * y + e3[1]))
        high = min(min(e0[2] * y + e0[3], e1[2] * y + e1[3]), min(e2[2] * y + e2[3], e3[2] * y + e3[3]))
        start, stop = _first(low, width), _stop(high, width)
        if start < stop:
            row = pixels[y, start:stop]
            if tiled:
                _fill_tiled(row, ink, start, y, g, a, b)
            else:
                _fill(row, ink, g[0] * start + g[1] * y + g[2], g[0])


@_jit
def _face_bounds(width, height, centre, u, v):
    """Columns [x0, x1) and rows [y0, y1) of a face that is wholly in front of the eye."""
    p, q = _plus(centre, u, 1.0), _plus(centre, u, -1.0)
    c0, c1, c2, c3 = _plus(p, v, 1.0), _plus(p, v, -1.0), _plus(q, v, 1.0), _plus(q, v, -1.0)
    i0, i1, i2, i3 = 1.0 / c0[2], 1.0 / c1[2], 1.0 / c2[2], 1.0 / c3[2]
    left = min(min(c0[0] * i0, c1[0] * i1), min(c2[0] * i2, c3[0] * i3))
    right = max(max(c0[0] * i0, c1[0] * i1), max(c2[0] * i2, c3[0] * i3))
    top = min(min(c0[1] * i0, c1[1] * i1), min(c2[1] * i2, c3[1] * i3))
    bottom = max(max(c0[1] * i0, c1[1] * i1), max(c2[1] * i2, c3[1] * i3))
    return _clip(width, height, left, right, top, bottom)


@_jit
def _clip(width, height, left, right, top, bottom):
    """The pixels [x0, x1) x [y0, y1) whose centres may lie between these bounds; they are widened by a hair."""
    return (
        _first(left - 1e-6, width),
        _stop(right + 1e-6, width),
        _first(top - 1e-6, height),
        _stop(bottom + 1e-6, height),
    )


@_jit
def _first(bound, count):
    """First of ``count`` pixels at or after ``bound``. (Limits come first in min and max: so they beat NaN.)"""
    return int(math.ceil(min(float(count), max(0.0, bound))))


@_jit
def _stop(bound, count):
    """One past the last of ``count`` pixels at or before ``bound``."""
    return int(math.floor(min(count - 1.0, max(-1.0, bound)))) + 1


@_jit
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


@_jit
def _fill(row, ink, inverse, step):
    """Fill a run of pixels whose inverse depth starts at ``inverse`` and grows by ``step`` from pixel to pixel."""
    last = inverse + step * (row.shape[0] - 1)
    if max(inverse, last) > NEAREST:
        inverse, last = min(NEAREST, inverse), min(NEAREST, last)
        step = (last - inverse) / max(row.shape[0] - 1, 1)
    depth, growth = np.int64(max(0.0, inverse) * FIXED), np.int64(max(-NEAREST, min(NEAREST, step)) * FIXED)
    for i in range(row.shape[0]):
        row[i] = max(row[i], ((depth + i * growth) & DEPTH_MASK) | ink)


@_jit
def _fill_tiled(row, ink, start, y, g, a, b):
    """Fill a run of pixels of a plane with a checker that fades with distance."""
    shade = ink & 255
    for i in range(row.shape[0]):
        x = float(start + i)
        inverse = min(NEAREST, max(TINY, g[0] * x + g[1] * y + g[2]))
        along = np.floor((a[0] * x + a[1] * y + a[2]) / (inverse * TILE))
        across = np.floor((b[0] * x + b[1] * y + b[2]) / (inverse * TILE))
        odd = along + across - 2.0 * np.floor(0.5 * (along + across))
        dim = np.int64(shade * TILE_CONTRAST * odd * min(1.0, 2.0 * inverse))
        row[i] = max(row[i], (np.int64(inverse * FIXED) & DEPTH_MASK) | (ink - dim))


# ---- round things ----------------------------------------------------------------------------------------------------


@_jit
def _draw_round(pixels, geom, kind, screen, rays, offset, axes, half, near):
    height, width = pixels.shape
    x0, x1, y0, y1 = _round_bounds(width, height, kind, screen, offset, axes, half)
    if x0 >= x1 or y0 >= y1 or _hidden(pixels, x0, x1, y0, y1, near):
        return
    window = pixels[y0:y1, x0:x1]
    origin = _scaled(_into(axes, offset), -1.0)
    right, down = _into(axes, rays[0]), _into(axes, rays[1])
    corner = _plus(_plus(_into(axes, rays[2]), right, x0), down, y0)
    light = _into(axes, LIGHT)
    if kind == CYLINDER or kind == CAPSULE:
        _draw_rod(window, geom, kind == CAPSULE, origin, corner, right, down, half[0], half[2], light)
    else:
        _draw_ellipsoid(window, geom, origin, corner, right, down, half, light)


@_jit
def _round_bounds(width, height, kind, screen, offset, axes, half):
    """Columns [x0, x1) and rows [y0, y1) that hold a round thing; a rod's ends hold all of it between them."""
    centre = _into(screen, offset)
    u, v, w = _into(screen, axes[0]), _into(screen, axes[1]), _into(screen, axes[2])
    if kind == CYLINDER or kind == CAPSULE:
        a, b, c = _scaled(u, half[0]), _scaled(v, half[0]), _scaled(w, half[0] if kind == CAPSULE else 0.0)
        l0, r0, t0, b0 = _ellipsoid_bounds(_plus(centre, w, half[2]), a, b, c)
        l1, r1, t1, b1 = _ellipsoid_bounds(_plus(centre, w, -half[2]), a, b, c)
        return _clip(width, height, min(l0, l1), max(r0, r1), min(t0, t1), max(b0, b1))
    left, right, top, bottom = _ellipsoid_bounds(centre, _scaled(u, half[0]), _scaled(v, half[1]), _scaled(w, half[2]))
    return _clip(width, height, left, right, top, bottom)


@_jit
def _ellipsoid_bounds(centre, a, b, c):
    """First and last column, first and last row of an ellipsoid with the half axes a, b, c; of a disc if one is 0.

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


@_jit
def _put(window, y, x, inverse, geom, lit):
    depth = np.int64(min(NEAREST, inverse) * FIXED) & DEPTH_MASK
    window[y, x] = max(window[y, x], depth | (geom << 8) | _shade(lit))


@_jit
def _draw_ellipsoid(window, geom, origin, corner, right, down, half, light):
    """Draw the pixels whose rays meet an ellipsoid; all vectors are in its own frame."""
    shrink = (1.0 / half[0], 1.0 / half[1], 1.0 / half[2])  # makes it the unit sphere
    o = _times(origin, shrink)
    right, down, corner = _times(right, shrink), _times(down, shrink), _times(corner, shrink)
    light = _times(light, shrink)
    c = _dot(o, o) - 1.0
    if c <= 0.0:  # the eye is inside
        return
    for y in range(window.shape[0]):
        first = _plus(corner, down, y)
        for x in range(window.shape[1]):
            d = _plus(first, right, x)
            b = _dot(o, d)
            under = b * b - _dot(d, d) * c
            if b >= 0.0 or under < 0.0:
                continue
            inverse = (math.sqrt(under) - b) / c
            p = _plus(o, d, 1.0 / inverse)
            normal = _times(p, shrink)
            _put(window, y, x, inverse, geom, _dot(p, light) / math.sqrt(_dot(normal, normal)))


@_jit
def _times(a, b):
    return (a[0] * b[0], a[1] * b[1], a[2] * b[2])


@_jit
def _draw_rod(window, geom, capsule, o, corner, right, down, radius, half, light):
    """Draw the pixels whose rays meet a cylinder or capsule along z; all vectors are in its own frame."""
    c = o[0] * o[0] + o[1] * o[1] - radius * radius
    if c <= 0.0 and abs(o[2]) <= half:  # the eye is inside
        return
    for y in range(window.shape[0]):
        first = _plus(corner, down, y)
        for x in range(window.shape[1]):
            d = _plus(first, right, x)
            z = o[2]
            if c > 0.0:
                a, b = d[0] * d[0] + d[1] * d[1], o[0] * d[0] + o[1] * d[1]
                under = b * b - a * c
                if b >= 0.0 or under < 0.0:
                    continue
                inverse = (math.sqrt(under) - b) / c
                p = _plus(o, d, 1.0 / inverse)
                z = p[2]
                if abs(z) <= half:
                    _put(window, y, x, inverse, geom, (p[0] * light[0] + p[1] * light[1]) / radius)
                    continue
            # The ray comes in beyond an end: it can only meet that end.
            end = half if z > 0.0 else -half
            if capsule:
                inverse, lit = _meet_ball((o[0], o[1], o[2] - end), d, radius, light)
            else:
                inverse, lit = _meet_disc(o, d, end, radius, light)
            if inverse > 0.0:
                _put(window, y, x, inverse, geom, lit)


@_jit
def _meet_ball(o, d, radius, light):
    """Inverse depth at which a ray meets the ball at 0, or 0.0, and the cosine of its normal there with the light."""
    b, c = _dot(o, d), _dot(o, o) - radius * radius
    under = b * b - _dot(d, d) * c
    if b >= 0.0 or under < 0.0 or c <= 0.0:
        return 0.0, 0.0
    inverse = (math.sqrt(under) - b) / c
    return inverse, _dot(_plus(o, d, 1.0 / inverse), light) / radius


@_jit
def _meet_disc(o, d, end, radius, light):
    """Inverse depth at which a ray meets the outer side of a cylinder's end, or 0.0, and the cosine of its normal."""
    sign = 1.0 if end > 0.0 else -1.0
    inverse = d[2] / (end - o[2])
    if inverse <= 0.0 or sign * o[2] <= abs(end):
        return 0.0, 0.0
    x, y = o[0] + d[0] / inverse, o[1] + d[1] / inverse
    if x * x + y * y > radius * radius:
        return 0.0, 0.0
    return inverse, sign * light[2]


# ---- from pixels to colours ------------------------------------------------------------------------------------------


@_jit
def develop(pixels, palette, image):
    """Turn ``pixels`` int64 [H, W] into colours, uint8 [H, W, 3].

    Args:
      palette: int32 [G + SKY_LEVELS], red | green << 8 | blue << 16.
    """
    height, width = pixels.shape
    colour, bright = np.empty(width, np.int32), np.empty(width, np.int32)
    last = len(palette) - 1
    for y in range(height):
        row, line = pixels[y], image[y].reshape(3 * width)
        for x in range(width):
            colour[x] = palette[min((row[x] >> 8) & 0xFFFF, last)]
        for x in range(width):  # three loops, since each by itself becomes vector instructions
            fade = min(256, FADE_FAR + (((row[x] >> INK_BITS) * FADE_NEAR) >> 30))
            bright[x] = np.int32(row[x] & 255) * np.int32(fade)
        for x in range(width):
            line[3 * x] = ((colour[x] & 255) * bright[x] + 32768) >> 16
            line[3 * x + 1] = (((colour[x] >> 8) & 255) * bright[x] + 32768) >> 16
            line[3 * x + 2] = ((colour[x] >> 16) * bright[x] + 32768) >> 16
