"""Finishes: patterns are as they are computed, stick to things, fade with distance and leave what is seen as it is."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest

from worlds.contract import WorldError
from worlds.drawing.finishes import FINISHES, finish_numbers
from worlds.drawing.kernels.surfaces import between, face_of, in_lanes, mixed, turn_of
from worlds.drawing.pattern_table import levels_of, pattern_table
from worlds.drawing.patterns import PATTERNS, SIDE
from worlds.playhouse.drawing.camera import Camera

FLOOR = '<geom type="plane" size="0 0 1" rgba=".7 .6 .5 1"/>'
THING = '<geom type="{}" size=".3 .25 .2" rgba=".6 .4 .3 1"/>'


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
    with pytest.raises(WorldError, match="finish 'velvet' does not exist; choose from plain, wood"):
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


def test_levels_are_means_of_the_finest():
    dim, mix = PATTERNS["brick"].draw()
    levels = levels_of(dim, mix)
    assert [len(level) for level in levels] == [256, 128, 64, 32, 16, 8, 4, 2, 1]
    for level in levels:
        n = len(level)
        mean = levels[0].reshape(n, SIDE // n, n, SIDE // n, 2).mean(axis=(1, 3))
        assert np.abs(level - mean).max() <= 4.1  # halves are rounded up, level by level


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


def test_colours_are_mixed_channel_by_channel():
    one, other = (200, 10, 90), (0, 255, 30)
    packed = [r | g << 8 | b << 16 for r, g, b in (one, other)]
    for weight in (0, 1, 100, 128, 254, 255):
        colour = int(mixed(in_lanes(packed[0]), in_lanes(packed[1]), weight))
        got = [colour & 255, (colour >> 8) & 255, colour >> 16]
        assert got == pytest.approx([a + (b - a) * weight / 255 for a, b in zip(one, other, strict=True)], abs=2.0)


def test_turns_agree_with_the_arc_tangent():
    for angle in np.linspace(-math.pi + 1e-6, math.pi - 1e-6, 997):
        assert turn_of(3 * math.cos(angle), 3 * math.sin(angle)) == pytest.approx(angle / (2 * math.pi), abs=1e-5)


def test_the_face_of_a_box_is_the_one_whose_plane_is_nearest():
    assert [face_of(p, (1.0, 2.0, 3.0)) for p in ((1, 0, 0), (0.5, -2, 1), (0.2, 1, 3))] == [0, 1, 2]


@pytest.mark.parametrize("shape", ["box", "cylinder", "ellipsoid"])
@pytest.mark.parametrize("finish", ["dots", "brick", "planks"])
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


@pytest.mark.parametrize("shape", ["box", "cylinder", "ellipsoid"])
def test_finishes_change_colours_only(shape):
    model, data = loose(shape)
    plain, finished = Camera(model, 60, 80), Camera(model, 60, 80, finish=finish_numbers(["cloth"]))
    for yaw in (0.0, 0.3):
        eye = np.array([-1.0, 0.0, 1.2])
        one, other = plain.draw(data, eye, yaw, -0.2), finished.draw(data, eye, yaw, -0.2)
        np.testing.assert_array_equal(plain.geoms(), finished.geoms())
        np.testing.assert_array_equal(plain.depths(), finished.depths())
        shown = plain.geoms() == 0
        assert (one != other).any() and np.array_equal(one[~shown], other[~shown])


def test_plain_finishes_have_the_pixels_of_none():
    model, data = loose("box")
    one, other = Camera(model, 60, 80), Camera(model, 60, 80, finish=np.zeros(1, np.int32))
    view = np.array([-1.0, 0.0, 1.2]), 0.1, -0.2
    np.testing.assert_array_equal(one.draw(data, *view), other.draw(data, *view))


def test_the_sky_is_as_bright_from_near_as_from_afar():
    model, data = loose("box")
    camera = camera_of(model, "sky")
    means = []
    for away in (1.0, 6.0):
        image = camera.draw(data, np.array([-away, 0.0, 1.0]), 0.0, 0.0)
        means.append(image[camera.geoms() == 0].mean())
    assert means[0] == pytest.approx(means[1], rel=0.12)
