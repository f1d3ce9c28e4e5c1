"""Finished surfaces: where on its geom a pixel lies, and what the geom's pattern shows there.

A pattern lies on a geom in the geom's own coordinates, in metres, so that it sticks to things that move. What belongs
to the world (body 0) does not move; its patterns begin at the world's origin, and so go on from one geom to the next.

A pixel's pattern is read from the level whose texels are about as large as what the pixel covers; where even the finest
are larger, between the four nearest. See :mod:`worlds.drawing.pattern_table`.
"""

from __future__ import annotations

import math

import numpy as np

from worlds.drawing.kernels.geometry import (
    BOX,
    PLANE,
    dot,
    inlined,
    into,
    offset_from,
    own_axes,
    plus,
    scaled,
)
from worlds.drawing.kernels.pixels import LIGHT, shade

# A geom's row of ``frames``, in its own axes: the eye; the ray of the first pixel, and what a pixel to the right and
# one below add to it; what is added to a place on its surface; its third axis in the world.
EYE, RAY, RIGHT, DOWN, ANCHOR, UP = 0, 3, 6, 9, 12, 15
FRAME = 18

SIDE_BITS = 8  # the finest level of a pattern has 1 << SIDE_BITS texels along a side
STEPS = 256.0  # of a coordinate from one texel to the next
FAR_OFF = float(1 << 40)  # added to coordinates, in steps, so that they are positive; a multiple of every side
LANES = 0x00FF00FF00FF00FF  # four numbers of 8 bits, 16 bits apart: all are multiplied at once
UNLIT = 255 * 256  # brightness of what shines by itself
SHARPNESS = 0.9  # texels a pixel that are as good as one; less shimmers, more blurs
STEEPEST = 8.0  # most by which a pixel on a surface is longer than wide
STRETCH = 16  # pixels of a row that are read from one level
LEVEL_OF = np.array([0, 0] + [min(SIDE_BITS, max(0, int(math.log2(i / 2) + 0.5))) for i in range(2, 1024)], np.int64)


@inlined
def write_frame(frames, geom, body, xpos, xmat, eye, rays):
    """Write a geom's row of ``frames``, float64 [G, FRAME]."""
    axes, offset = own_axes(xmat, geom), offset_from(xpos, geom, eye)
    _put(frames[geom], EYE, scaled(into(axes, offset), -1.0))
    _put(frames[geom], RAY, into(axes, rays[2]))
    _put(frames[geom], RIGHT, into(axes, rays[0]))
    _put(frames[geom], DOWN, into(axes, rays[1]))
    still = 1.0 if body == 0 else 0.0
    _put(frames[geom], ANCHOR, scaled(into(axes, (xpos[geom, 0], xpos[geom, 1], xpos[geom, 2])), still))
    _put(frames[geom], UP, axes[2])


@inlined
def _put(frame, first, vector):
    frame[first], frame[first + 1], frame[first + 2] = vector


@inlined
def _of(frame, first):
    return (frame[first], frame[first + 1], frame[first + 2])


@inlined
def paint(run, y, frame, kind, half, finish, base, table, pixel):
    """Paint a run of pixels of one geom that has a finish.

    Args:
      run: (first pixel, pixel after the last, depth float64 [W] in metres, fade int32 [W] 0 to 256, colour int32 [W] as
        red | green << 8 | blue << 16, bright int32 [W] 0 to 65280) of a row; colour and bright are written, and of
        what is no plane bright is the surface's own before.
      table: see :class:`worlds.drawing.pattern_table.PatternTable`.
      pixel: side of a pixel one metre away, metres.
    """
    start, stop, depth, fade, _, bright = run
    texels, levels, rates, seconds, upright, lit = table
    if not lit[finish]:
        for x in range(start, stop):
            bright[x] = UNLIT
    elif kind == PLANE:  # is drawn with a checker, which its finish replaces
        own = shade(abs(dot(_of(frame, UP), LIGHT)))  # ceilings get as much from below
        for x in range(start, stop):
            bright[x] = own * fade[x]
    one = in_lanes(base)
    other = in_lanes(seconds[finish]) if seconds[finish] >= 0 else one
    pattern = texels, finish * levels[SIDE_BITS + 1], levels, rates[finish, 0], rates[finish, 1], one, other
    eye, right = _of(frame, EYE), _of(frame, RIGHT)
    first = plus(_of(frame, RAY), _of(frame, DOWN), y)
    size = 2.0 * SHARPNESS * pixel * max(rates[finish, 0], rates[finish, 1])
    if kind != PLANE and kind != BOX:
        _paint_round(run, eye, first, right, frame, half[0], pattern, 1.5 * size)
        return
    while start < stop:
        face, end = 2, stop
        if kind == BOX:  # each face is convex: a row passes it once
            face = face_of(plus(eye, plus(first, right, start), depth[start]), half)
            low, high = start, stop - 1
            while low < high:
                middle = (low + high + 1) >> 1
                if face_of(plus(eye, plus(first, right, middle), depth[middle]), half) == face:
                    low = middle
                else:
                    high = middle - 1
            end = low + 1
        _paint_flat(run, start, end, eye, first, right, frame, half, face, not upright[finish], pattern, size)
        start = end


@inlined
def _paint_flat(run, start, stop, eye, first, right, frame, half, face, grain, pattern, size):
    """Paint pixels of one face: its places are quotients of what grows evenly from pixel to pixel."""
    texels, begin, levels, rate_u, rate_v, one, other = pattern
    _, _, depth, _, colour, bright = run
    i, j = 0 if face else 1, 1 if face == 2 else 2
    if grain and half[j] > half[i]:
        i, j = j, i
    rate_u, rate_v = rate_u * STEPS, rate_v * STEPS
    at_u, at_v = (eye[i] + frame[ANCHOR + i]) * rate_u + FAR_OFF, (eye[j] + frame[ANCHOR + j]) * rate_v + FAR_OFF
    u, grow_u, v, grow_v = first[i] * rate_u, right[i] * rate_u, first[j] * rate_v, right[j] * rate_v
    to_plane = (half[face] if eye[face] > 0.0 else -half[face]) - eye[face]
    while start < stop:
        # Stretches begin where they would if nothing were in front: so what passes by changes no level.
        end = min((start | (STRETCH - 1)) + 1, stop)
        ray = plus(first, right, (start & -STRETCH) + STRETCH // 2)
        far = max(0.0, to_plane / (ray[face] if ray[face] != 0.0 else 1e-9))
        long = min(STEEPEST, math.sqrt(dot(ray, ray)) / max(abs(ray[face]), 1e-9))
        level = LEVEL_OF[int(min(1023.0, size * (0.5 + 0.5 * long) * far))]
        bits, from_here = SIDE_BITS - level, begin + levels[level]
        if level and one == other:  # texels are as large as pixels: the nearest one will do
            last = (1 << bits) - 1
            for x in range(start, end):
                place_u = (np.int64((u + grow_u * x) * depth[x] + at_u) >> (level + 8)) & last
                place_v = (np.int64((v + grow_v * x) * depth[x] + at_v) >> (level + 8)) & last
                both = texels[np.uintp(from_here + (place_v << bits) + place_u)]
                bright[x] = (bright[x] * np.int32((both & 255) + 1)) >> 8
        elif level:
            last = (1 << bits) - 1
            for x in range(start, end):
                place_u = (np.int64((u + grow_u * x) * depth[x] + at_u) >> (level + 8)) & last
                place_v = (np.int64((v + grow_v * x) * depth[x] + at_v) >> (level + 8)) & last
                both = texels[np.uintp(from_here + (place_v << bits) + place_u)]
                colour[x] = mixed(one, other, (both >> 16) & 255)
                bright[x] = (bright[x] * np.int32((both & 255) + 1)) >> 8
        else:
            for x in range(start, end):
                place_u = np.int64((u + grow_u * x) * depth[x] + at_u) - 128
                place_v = np.int64((v + grow_v * x) * depth[x] + at_v) - 128
                both = between(texels, from_here, bits, place_u, place_v)
                colour[x] = mixed(one, other, (both >> 16) & 255)
                bright[x] = (bright[x] * np.int32((both & 255) + 1)) >> 8
        start = end


@inlined
def _paint_round(run, eye, first, right, frame, radius, pattern, size):
    """Paint pixels of a round thing: columns go around its axis, a whole number of squares, and rows along it."""
    texels, begin, levels, rate_u, rate_v, one, other = pattern
    start, stop, depth, _, colour, bright = run
    squares = max(1.0, math.floor(0.5 + 2.0 * math.pi * radius * rate_u / (1 << SIDE_BITS)))
    around, rate_v = squares * STEPS * (1 << SIDE_BITS), rate_v * STEPS
    for x in range(start, stop):
        p = plus(eye, plus(first, right, x), depth[x])
        level = LEVEL_OF[int(min(1023.0, size * depth[x]))]
        back = 128 << level
        place_u = (np.int64(turn_of(p[0], p[1]) * around + FAR_OFF) - back) >> level
        place_v = (np.int64((p[2] + frame[ANCHOR + 2]) * rate_v + FAR_OFF) - back) >> level
        both = between(texels, begin + levels[level], SIDE_BITS - level, place_u, place_v)
        colour[x] = mixed(one, other, (both >> 16) & 255)
        bright[x] = (bright[x] * np.int32((both & 255) + 1)) >> 8


@inlined
def face_of(p, half):
    """The axis of the face of a box on which a point of its surface lies."""
    x, y, z = half[0] - abs(p[0]), half[1] - abs(p[1]), half[2] - abs(p[2])
    if z <= x and z <= y:
        return 2
    return 1 if y <= x else 0


@inlined
def turn_of(x, y):
    """The direction of (x, y) from +x counter-clockwise, as a part of a whole turn, from -1/2 to 1/2; within 1e-5."""
    ax, ay = abs(x), abs(y)
    t = min(ax, ay) / max(max(ax, ay), 1e-30)
    s = t * t
    # The arc tangent, over 2 pi, by a polynomial: as exact as pixels need, and the same on all machines.
    turn = t * (0.15913367 + s * (-0.05256963 + s * (0.02867321 + s * (-0.01355300 + s * 0.00331758))))
    turn = 0.25 - turn if ay > ax else turn
    turn = 0.5 - turn if x < 0.0 else turn
    return -turn if y < 0.0 else turn


@inlined
def between(texels, begin, bits, u, v):
    """Read between four texels, at a place in steps from the middle of the first; two numbers, the second << 16."""
    right, down, last = u & 255, v & 255, (1 << bits) - 1
    x, y = begin + ((u >> 8) & last), v >> 8
    upper = texels[np.uintp(((y & last) << bits) + x)]
    lower = texels[np.uintp((((y + 1) & last) << bits) + x)]
    pair = (((upper << 8) + (lower - upper) * down) >> 8) & LANES
    left = pair & 0xFFFFFFFF
    return ((left << 8) + ((pair >> 32) - left) * right) >> 8


@inlined
def in_lanes(colour):
    """Red | blue << 16 | green << 32 of red | green << 8 | blue << 16."""
    colour = np.int64(colour)
    return (colour & 0xFF00FF) | ((colour & 0xFF00) << 24)


@inlined
def mixed(one, other, weight):
    """The colour between two in lanes, ``weight`` 255ths of the way to the other: red | green << 8 | blue << 16."""
    both = (((one << 8) + (other - one) * (weight + (weight >> 7))) >> 8) & 0xFF00FF00FF
    return np.int32((both | both >> 24) & 0xFFFFFF)
