"""A pixel: inverse depth, geom and shade in one integer; light, and the background."""

from __future__ import annotations

import math

import numpy as np

from worlds.drawing.kernels.geometry import dot, kernel, plus

# Light. A surface's shade is AMBIENT + DIFFUSE * (1 + normal . LIGHT) / 2: never dark, and in equal steps from one
# face of an upright box to the next, so that walls, floor and ceiling meet in visible edges.
AMBIENT, DIFFUSE = 0.56, 0.44
LIGHT = (0.169, 0.507, 0.845)  # towards the light, 1 : 3 : 5; its length is 1
# The brightness of a surface at depth z is FADE_FAR + FADE_NEAR / z, at most 1, in 256ths: far things are a bit darker.
FADE_FAR, FADE_NEAR = 205, 102

INK_BITS = 24  # geom id (16) and shade (8)
DEPTH_MASK = -(1 << INK_BITS)
DEPTH_UNIT = float(1 << 30)  # inverse depth of 1 / metre; its step is a nanometre at one metre, 0.1 um at ten
FIXED = DEPTH_UNIT * (1 << INK_BITS)
NEAREST = 500.0  # 1 / metre; what is nearer than 2 mm counts as 2 mm away

SKY_LEVELS = 64  # shades of the background, from straight down to straight up


@kernel
def shade(lit):
    """Return the shade, 0 to 255, of a surface whose normal makes the cosine ``lit`` with the light."""
    return int(255.0 * (AMBIENT + DIFFUSE * 0.5 * (1.0 + lit)))


@kernel
def put(window, y, x, inverse, geom, lit):
    """Write a pixel unless something nearer is there."""
    depth = np.int64(min(NEAREST, inverse) * FIXED) & DEPTH_MASK
    window[y, x] = max(window[y, x], depth | (geom << 8) | shade(lit))


@kernel
def draw_sky(pixels, rays, first_level):
    """Start a frame: every pixel of a row gets the background of the row's elevation."""
    height, width = pixels.shape
    middle = plus(rays[2], rays[0], 0.5 * (width - 1))
    for y in range(height):
        ray = plus(middle, rays[1], y)
        height_of_ray = ray[2] / math.sqrt(dot(ray, ray))
        level = int(0.5 * (1.0 + height_of_ray) * (SKY_LEVELS - 1) + 0.5)
        pixels[y, :] = ((first_level + level) << 8) | 255
