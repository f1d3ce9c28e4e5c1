"""Drawing of boxes, planes and round things into pixels, for the cameras of worlds.

The arithmetic is in ``kernels/``: ``geometry`` (vectors, the eye's frame), ``pixels`` (depth, shade, background),
``culling`` (what may be in view), ``flat`` (boxes, planes) and ``round`` (spheres to capsules). Finishes and shadows
come after all drawing, once for every pixel that is seen: ``surfaces`` (patterns) and ``shadows`` (soft light).

A ray starts at the eye and passes through the centre of every pixel; what it hits first is computed exactly, shape by
shape inside the shape's bounds on the screen. There is no near plane and no meshing: a round thing is round at any
distance, and a wall at the tip of the nose is still a wall. Only outer sides are drawn: an eye inside a thing sees
through it.

Every pixel is one integer, ``inverse depth << 24 | geom << 8 | shade``, and to draw is to take the larger. So the order
of drawing does not matter (near things are drawn first only because they save drawing the others), and where surfaces
coincide the geom with the higher id shows. No arithmetic is reordered or fused: the same inputs give the same
pixels in every thread.

Coordinates: world (z up); *screen*: a point (X, Y, Z) lies Z metres deep, at column X / Z and row Y / Z. In screen
coordinates the ray of a pixel is (column, row, 1), and both on which side of an edge it passes and how near it meets a
plane are scalar products with it. Points and vectors are tuples of three floats, which stay in registers.

Numba's cache on disk does not notice changes in other files than the compiled function's own. So only :func:`draw`,
:func:`develop` and :func:`dress` are cached, and a digest of the kernels' files is part of the cache's key.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba import njit

from worlds.drawing.kernels.culling import near_to_far
from worlds.drawing.kernels.flat import draw_box, draw_plane
from worlds.drawing.kernels.geometry import BOX, PLANE, eye_frame, njit_bare, offset_from, own_axes
from worlds.drawing.kernels.pixels import DEPTH_UNIT, FADE_FAR, FADE_NEAR, INK_BITS, draw_sky
from worlds.drawing.kernels.round import draw_round
from worlds.drawing.kernels.shadows import cast, shine
from worlds.drawing.kernels.surfaces import paint, write_frame

_cached = njit(nogil=True, cache=True, error_model="numpy")
_cached_bare = njit_bare(cache=True)


def digest_of(folder: Path) -> str:
    """Return a digest of the source files in a folder."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


class EntryPoints(NamedTuple):
    """The compiled functions; what they do is written where they are made."""

    draw: Callable[..., None]
    develop: Callable[..., None]
    dress: Callable[..., None]


def entry_points(digest: str) -> EntryPoints:
    """Return the compiled functions; numba's cache has ``digest`` in its key, since all of them enclose it."""

    @_cached
    def draw(scene, xpos, xmat, hide_body, through, view, order, nearest, pixels, before):
        """Fill ``pixels`` with what an eye sees of a scene.

        Args:
          scene: (kind int32 [G], body int32 [G], half sizes float64 [G, 3]) of the geoms; an infinite plane's half
            sizes are infinite.
          xpos: float64 [G, 3], positions of the geoms, as in MuJoCo.
          xmat: float64 [G, 9], orientations of the geoms, as in MuJoCo.
          hide_body: body whose geoms are left out.
          through: body of which only every other pixel is drawn, as on a chessboard; -1: none.
          view: (x, y, z of the eye in metres; yaw and pitch in radians; side of a pixel one metre away in metres).
          order: int32 [G], scratch.
          nearest: float64 [G], scratch.
          pixels: int64 [H, W], written.
          before: int64 [H, W], scratch.
        """
        _ = digest
        kind, body, size = scene
        eye = (view[0], view[1], view[2])
        screen, rays = eye_frame(view[3], view[4], view[5], pixels.shape[0], pixels.shape[1])
        draw_sky(pixels, rays, len(kind))
        if through >= 0:
            before[:] = 0
        for i in range(near_to_far(kind, body, size, xpos, xmat, hide_body, eye, screen, pixels, order, nearest)):
            geom = order[i]
            axes = own_axes(xmat, geom)
            offset = offset_from(xpos, geom, eye)
            half = (size[geom, 0], size[geom, 1], size[geom, 2])
            window = before if body[geom] == through else pixels
            if kind[geom] == BOX:
                draw_box(window, geom, screen, offset, axes, half)
            elif kind[geom] == PLANE:
                draw_plane(window, geom, screen, offset, axes, half)
            else:
                draw_round(window, geom, kind[geom], screen, rays, offset, axes, half, nearest[geom])
        if through >= 0:
            for y in range(pixels.shape[0]):
                for x in range(1 - y % 2, pixels.shape[1], 2):
                    pixels[y, x] = max(pixels[y, x], before[y, x])

    @_cached
    def develop(pixels, palette, image):
        """Turn ``pixels`` int64 [H, W] into colours, uint8 [H, W, 3].

        Args:
          palette: int32 [G + SKY_LEVELS], red | green << 8 | blue << 16.
        """
        _ = digest
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

    @_cached_bare
    def dress(pixels, scene, xpos, xmat, hide_body, view, palette, table, light, scratch, image):
        """Turn ``pixels`` int64 [H, W] into colours, uint8 [H, W, 3], with finishes and, perhaps, shadows.

        Args:
          scene: (kind, body, half sizes, finish int32 [G]) of the geoms, as in ``draw``.
          palette: int32 [G + SKY_LEVELS], red | green << 8 | blue << 16.
          table: see :class:`worlds.drawing.pattern_table.PatternTable`.
          light: (whether there are shadows, role int32 [G], things int32 [things, 3], the map), see
            :class:`worlds.drawing.light.Light` and :mod:`worlds.drawing.kernels.shadows`.
          scratch: (frames float64 [G, FRAME], bool [G], uint8 [H, W], float64 [W], and three int32 [W]).
        """
        _ = digest
        kind, body, size, finish = scene
        shaded, role, things, shine_map = light
        frames, ready, dark, depth, fade, colour, bright = scratch
        height, width = pixels.shape
        eye, last = (view[0], view[1], view[2]), len(palette) - 1
        screen, rays = eye_frame(view[3], view[4], view[5], height, width)
        ready[:] = False
        if shaded:
            dark[:] = 255
            for i in range(len(things)):
                if things[i, 0] != hide_body:
                    cast(dark, pixels, body, size, kind, xpos, xmat, things[i], rays, screen, eye)
        for y in range(height):
            row = pixels[y]
            for x in range(width):
                colour[x] = palette[min((row[x] >> 8) & 0xFFFF, last)]
            for x in range(width):
                fade[x] = min(256, FADE_FAR + (((row[x] >> INK_BITS) * FADE_NEAR) >> 30))
                bright[x] = np.int32(row[x] & 255) * fade[x]
            for x in range(width):  # of inverse depths without their last bits, which are less than a micrometre
                depth[x] = DEPTH_UNIT / 256.0 / max(np.int32(row[x] >> (INK_BITS + 8)), 1)
            x = 0
            while x < width:
                start, geom = x, (row[x] >> 8) & 0xFFFF
                x += 1
                while x < width and (row[x] >> 8) & 0xFFFF == geom:
                    x += 1
                if geom >= len(kind) or not (shaded or finish[geom]):
                    continue
                if not ready[geom]:
                    ready[geom] = True
                    write_frame(frames, geom, body[geom], xpos, xmat, eye, rays)
                half = (size[geom, 0], size[geom, 1], size[geom, 2])
                run = (start, x, depth, fade, colour, bright)
                if finish[geom]:
                    paint(run, y, frames[geom], kind[geom], half, finish[geom], palette[geom], table, view[5])
                if shaded and table[5][finish[geom]]:
                    shine(run, y, frames[geom], role[geom], half, own_axes(xmat, geom), rays, eye, shine_map)
            if shaded:
                for x in range(width):
                    bright[x] = (bright[x] * (np.int32(dark[y, x]) + 1)) >> 8
            line = image[y].reshape(3 * width)
            for x in range(width):
                line[3 * x] = ((colour[x] & 255) * bright[x] + 32768) >> 16
                line[3 * x + 1] = (((colour[x] >> 8) & 255) * bright[x] + 32768) >> 16
                line[3 * x + 2] = ((colour[x] >> 16) * bright[x] + 32768) >> 16

    return EntryPoints(draw, develop, dress)


draw, develop, dress = entry_points(digest_of(Path(__file__).parent / "kernels"))
