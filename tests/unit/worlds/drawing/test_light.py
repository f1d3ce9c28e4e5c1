"""Soft light: corners and the floor under things are darker; shadows move with what casts them."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from tests.unit.worlds.drawing.test_finishes import scene
from worlds.drawing.kernels.shadows import FLOOR, OTHER, WALL
from worlds.drawing.light import light_of
from worlds.playhouse.drawing.camera import Camera

ROOM = """
<geom type="plane" size="2.5 2.5 1" rgba=".7 .7 .7 1"/>
<geom type="box" pos="0 2.5 1.3" size="2.5 .05 1.3" rgba=".8 .8 .8 1"/>
<geom type="box" pos="2.5 0 1.3" size=".05 2.5 1.3" rgba=".8 .8 .8 1"/>
<geom type="box" pos="-1 -1 .7" size=".5 .4 .04" rgba=".5 .3 .2 1"/>
"""
THING = '<body pos="0 0 {}"><freejoint/><geom type="box" size=".15 .15 .15" rgba=".9 .1 .1 1"/></body>'
ABOVE = np.array([0.0, 0.0, 4.0]), np.pi / 2, -np.pi / 2


def drawn(height: float, shadows: bool, x: float = 0.0, hide: int = -1) -> tuple[np.ndarray, np.ndarray]:
    model, data = scene(ROOM, THING.format(height))
    data.qpos[0] = x
    mujoco.mj_forward(model, data)
    camera = Camera(model, 120, 120, 50.0, shadows=shadows)
    return camera.draw(data, *ABOVE, hide_body=hide).astype(float).mean(axis=-1), camera.geoms()


def at(image: np.ndarray, x: float, y: float) -> float:
    """Brightness of the floor at a place, seen from above."""
    pixel = 2 * np.tan(np.radians(25)) / 120 * 4.0
    return float(image[round(59.5 - y / pixel), round(59.5 + x / pixel)])


def test_roles_and_the_map():
    model, data = scene(ROOM, THING.format(0.15))
    camera = Camera(model, 10, 10)
    light = light_of(camera._shapes, data.geom_xpos, data.geom_xmat)
    assert light.role.tolist() == [FLOOR, WALL, WALL, OTHER, OTHER]
    assert light.things.tolist() == [[1, 4, 5]]

    def floor(x: float, y: float) -> int:
        column, row = (int((p - c) * light.rate) for p, c in zip((x, y), light.corner, strict=True))
        return int(light.cells[row * 128 + column]) & 255

    assert floor(1.0, 1.0) > floor(1.0, 2.3) > 0, "dark along the wall"
    assert floor(1.0, -1.0) > floor(-1.0, -1.0), "dark under the table"


def test_without_shadows_there_is_no_difference():
    model, data = scene(ROOM)
    plain, off = Camera(model, 60, 60), Camera(model, 60, 60, shadows=False)
    np.testing.assert_array_equal(plain.draw(data, *ABOVE), off.draw(data, *ABOVE))


def test_shadows_lie_below_what_casts_them_and_move_with_it():
    plain, _ = drawn(0.15, False)
    here, geoms = drawn(0.15, True)
    there, _ = drawn(0.15, True, x=0.8)
    assert geoms[60, 60] == 4
    assert at(here, 0.0, 0.17) < at(there, 0.0, 0.17) - 10
    assert at(there, 0.8, 0.17) < at(here, 0.8, 0.17) - 10
    assert at(plain, 0.0, 0.17) > at(here, 0.0, 0.17)


def test_what_is_high_up_or_hidden_casts_none():
    low, high, hidden = drawn(0.15, True)[0], drawn(0.9, True)[0], drawn(0.15, True, hide=1)[0]
    assert at(low, 0.17, 0.0) < at(high, 0.24, 0.0) - 10
    assert at(hidden, 0.18, 0.0) == pytest.approx(at(hidden, 0.6, 0.0), abs=6)
