"""Pictures of a home: from a person's eyes, and from above."""

from __future__ import annotations

import math

import numpy as np

from worlds.drawing.canvas import Canvas, palette_of
from worlds.drawing.kernels.pixels import SKY_LEVELS
from worlds.drawing.shapes import Shapes
from worlds.household.drawing.gathering import OUTSIDE, gather
from worlds.household.drawing.model import model_of
from worlds.household.state.home import Home, State
from worlds.household.state.tables import Tables, tables
from worlds.household.state.vocabulary import Held

FOV_DEG = 75.0  # vertical
PITCH = math.radians(-20.0)  # of the gaze: things lie below the eyes
EYES = 0.44  # height of the eyes above a person's centre, as a share of the person's height
ABOVE_FOV_DEG = 16.0  # of the view from above: nearly a plan
MARGIN_M = 0.15
LIT, PAPER = 1.24, 255
HANDS = 4
_SKY = palette_of(np.zeros((0, 3)))


class Pictures:
    """Draws homes in pictures of one size. Threads must not share one."""

    def __init__(self, height: int, width: int) -> None:
        self.height, self.width = height, width
        self._canvas = Canvas(height, width, FOV_DEG, 1)
        self._above = Canvas(height, width, ABOVE_FOV_DEG, 1)
        self._make_room(0, 0)
        rise, side = math.tan(math.radians(FOV_DEG) / 2), math.tan(math.radians(FOV_DEG) / 2) * width / height
        ahead = math.cos(PITCH) - abs(math.sin(PITCH)) * rise
        self._angle = math.atan2(side, ahead)

    def from_eyes(self, home: Home, state: State, number: int, t: Tables | None = None) -> np.ndarray:
        """Return what a person sees, in an array of the caller's own: uint8 [height, width, 3]."""
        person = home.persons[number]
        x, y, z = state.centre[person].tolist()
        eye = np.array([x, y, z + EYES * float(home.size[person, 2])])
        return self._draw(self._canvas, home, state, number, eye, float(state.facing[number]), PITCH, t)

    def from_above(self, home: Home, state: State, shown: np.ndarray | None = None) -> np.ndarray:
        """Return the home without ceilings, north at the top: uint8 [height, width, 3].

        ``shown``, bool [N], restricts the things that are drawn; walls always are.
        """
        if shown is not None:
            state = state.copy()
            state.held[~shown] = Held.NOWHERE
        low = (state.centre - home.size / 2)[home.rooms].min(axis=0) - MARGIN_M
        high = (state.centre + home.size / 2)[home.rooms].max(axis=0) + MARGIN_M
        wide, deep, _ = (high - low).tolist()
        away = max(deep, wide * self.height / self.width) / 2 / math.tan(math.radians(ABOVE_FOV_DEG) / 2)
        eye = np.array([(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, high[2] + away], np.float64)
        image = self._draw(self._above, home, state, OUTSIDE, eye, math.pi / 2, -math.pi / 2, None)
        lit = np.minimum(image * LIT, 255.0).astype(np.uint8)  # from so far away the canvas shows all a bit darker
        lit[self._above.geoms() < 0] = PAPER
        return lit

    def _draw(
        self, canvas: Canvas, home: Home, state: State, number: int, eye: np.ndarray, yaw: float, pitch: float,
        t: Tables | None,
    ) -> np.ndarray:  # fmt: skip
        model = model_of(home, state)
        self._make_room(len(model.kind) + len(model.wall_kind) + HANDS, len(home))
        t = tables(home, state) if t is None else t
        shapes, xpos, xmat, palette = self._scene, self._xpos, self._xmat, self._palette
        at = float(eye[0]), float(eye[1]), float(eye[2])
        count = gather(t, model, number, at, yaw, self._angle, self._low, self._high, shapes[:3], xpos, xmat, palette)
        palette[count : count + SKY_LEVELS] = _SKY
        seen = Shapes(shapes.kind[:count], shapes.body[:count], shapes.half[:count])
        return canvas.draw(seen, xpos[:count], xmat[:count], palette[: count + SKY_LEVELS], eye, yaw, pitch)

    def _make_room(self, shapes: int, rows: int) -> None:
        """Make the arrays large enough for a home of so many shapes and rows."""
        if shapes and shapes <= len(self._xpos) and rows <= len(self._low):
            return
        self._scene = Shapes(np.zeros(shapes, np.int32), np.zeros(shapes, np.int32), np.zeros((shapes, 3)))
        self._xpos, self._xmat = np.zeros((shapes, 3)), np.zeros((shapes, 9))
        self._palette = np.zeros(shapes + SKY_LEVELS, np.int32)
        self._low, self._high = np.zeros(rows), np.zeros(rows)
        self._canvas.allow(shapes)
        self._above.allow(shapes)
