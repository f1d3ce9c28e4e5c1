"""Finishes and soft light: patterns stick to things and fade with distance, shadows move with what casts them."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest

from worlds.contract import WorldError
from worlds.drawing.finishes import FINISHES, finish_numbers
from worlds.drawing.kernels.surfaces import between
from worlds.drawing.pattern_table import pattern_table
from worlds.drawing.patterns import PATTERNS, SIDE
from worlds.playhouse.drawing.camera import Camera

FLOOR = '<geom type="plane" size="0 0 1" rgba=".7 .6 .5 1"/>'
THING = '<geom type="{}" size=".3 .25 .2" rgba=".6 .4 .3 1"/>'
ROOM = """
<geom type="plane" size="2.5 2.5 1" rgba=".7 .7 .7 1"/>
<geom type="box" pos="0 2.5 1.3" size="2.5 .05 1.3" rgba=".8 .8 .8 1"/>
<geom type="box" pos="2.5 0 1.3" size=".05 2.5 1.3" rgba=".8 .8 .8 1"/>
<geom type="box" pos="-1 -1 .7" size=".5 .4 .04" rgba=".5 .3 .2 1"/>
"""
CUBE = '<body pos="0 0 {}"><freejoint/><geom type="box" size=".15 .15 .15" rgba=".9 .1 .1 1"/></body>'
ABOVE = np.array([0.0, 0.0, 4.0]), np.pi / 2, -np.pi / 2


def scene(*lines: str) -> tuple[mujoco.MjModel, mujoco.MjData]:
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{''.join(lines)}</worldbody></mujoco>")
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


def loose(shape: str) -> tuple[mujoco.MjModel, mujoco.MjData]:
    return scene(f'<body pos="0 0 1"><freejoint/>{THING.format(shape)}</body>')


def camera_of(model: mujoco.MjModel, *finishes: str, height: int = 72, width: int = 96) -> Camera:
    return Camera(model, height, width, 60.0, finish_numbers(finishes), shadows=False)


def test_every_finish_but_plain_has_a_pattern():
    assert FINISHES[0] == "plain" and set(PATTERNS) == set(FINISHES[1:])
    with pytest.raises(WorldError, match="velvet.*plain, wood"):
        finish_numbers(["wood", "velvet"])


@pytest.mark.parametrize("name", PATTERNS)
def test_patterns_repeat_without_a_seam_and_each_is_seen(name):
    dim, mix = PATTERNS[name].draw()
    assert dim.shape == mix.shape == (SIDE, SIDE)
    assert dim.min() > 0.2 and dim.max() < 1.05 and mix.min() >= 0.0 and mix.max() <= 1.0
    seen = dim * (1 - mix)
    assert np.ptp(seen) > 0.02
    for pattern in (seen, seen.T):
        steps = np.abs(np.diff(pattern, axis=0)).mean(axis=1)
        assert np.abs(pattern[0] - pattern[-1]).mean() <= steps.max() + 1e-9


def test_reading_between_texels_agrees_with_real_numbers():
    table, rng = pattern_table(), np.random.default_rng(0)
    number, bits = FINISHES.index("tiles"), 5
    begin = int(number * table.level[-1] + table.level[8 - bits])
    texels = table.texels[begin : begin + 4**bits].reshape(1 << bits, 1 << bits)
    for u, v in rng.integers(0, 1 << 20, (200, 2)).tolist():
        both = between(table.texels, begin, bits, u, v)
        for lane, shift in ((both & 255, 0), ((both >> 16) & 255, 16)):
            x, y, a, b = (u >> 8) % 32, (v >> 8) % 32, (u & 255) / 256, (v & 255) / 256
            at = lambda i, j, s=shift: int(texels[j % 32, i % 32] >> s) & 255  # noqa: E731
            lower = at(x, y) * (1 - a) + at(x + 1, y) * a
            upper = at(x, y + 1) * (1 - a) + at(x + 1, y + 1) * a
            assert lane == pytest.approx(lower * (1 - b) + upper * b, abs=2.0)


@pytest.mark.parametrize(("shape", "finish"), [("box", "brick"), ("cylinder", "planks"), ("ellipsoid", "dots")])
def test_patterns_stick_to_what_moves(shape, finish):
    model, data = loose(shape)
    camera = camera_of(model, finish, height=120, width=160)
    eye, yaw = np.array([-1.0, 0.1, 1.3]), -0.1
    before = camera.draw(data, eye, yaw, -0.25).astype(int)
    shift, turn = np.array([2.3, -1.7, 0.0]), 0.8
    c, s = math.cos(turn), math.sin(turn)
    data.qpos[:7] = [*shift[:2], 1.0, math.cos(turn / 2), 0, 0, math.sin(turn / 2)]
    mujoco.mj_forward(model, data)
    eye = np.array([c * eye[0] - s * eye[1] + shift[0], s * eye[0] + c * eye[1] + shift[1], eye[2]])
    after = camera.draw(data, eye, yaw + turn, -0.25).astype(int)
    shown = camera.geoms() == 0
    # The light comes from another side now: patterns are compared by what is bright beside what is dark.
    one, other = (
        np.sign(np.diff(p[..., 0], axis=1)) * (np.abs(np.diff(p[..., 0], axis=1)) > 8) for p in (before, after)
    )
    inside = shown[:, 1:] & shown[:, :-1]
    assert (one != 0)[inside].mean() > 0.005, "the pattern is seen"
    assert (one == -other)[inside & (one != 0)].mean() < 0.02
    assert (one == other)[inside].mean() > 0.93


def test_patterns_fade_with_distance():
    model, data = scene(FLOOR)
    camera = camera_of(model, "dots", height=144, width=192)
    image = camera.draw(data, np.array([0.1, 0.2, 1.2]), 0.3, -0.35).astype(float)
    depth = camera.depths()
    across = np.abs(np.diff(image[..., 0], axis=1))
    near, far = (across[((depth > low) & (depth < high))[:, 1:]].mean() for low, high in ((1.0, 2.0), (15.0, 40.0)))
    assert near > 5 and far < 0.5
    # Small steps change far pixels little: nothing shimmers.
    moved = camera.draw(data, np.array([0.11, 0.21, 1.2]), 0.3, -0.35).astype(float)
    assert np.abs(moved - image)[(depth > 15.0) & np.isfinite(depth)].max() <= 8


def drawn(height: float, shadows: bool, x: float = 0.0, hide: int = -1) -> tuple[np.ndarray, np.ndarray]:
    model, data = scene(ROOM, CUBE.format(height))
    data.qpos[0] = x
    mujoco.mj_forward(model, data)
    camera = Camera(model, 120, 120, 50.0, shadows=shadows)
    return camera.draw(data, *ABOVE, hide_body=hide).astype(float).mean(axis=-1), camera.geoms()


def at(image: np.ndarray, x: float, y: float) -> float:
    """Brightness of the floor at a place, seen from above."""
    pixel = 2 * np.tan(np.radians(25)) / 120 * 4.0
    return float(image[round(59.5 - y / pixel), round(59.5 + x / pixel)])


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
