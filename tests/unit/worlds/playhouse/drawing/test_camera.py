"""The camera against MuJoCo's own ray caster, pixel by pixel, and the promises it makes about its frames."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from worlds.contract import WorldError
from worlds.playhouse.drawing.camera import Camera

HEIGHT, WIDTH, FOV = 36, 48, 75.0
SHOWN_GROUPS = np.array([1, 1, 1, 0, 0, 0], dtype=np.uint8)

SHAPES = {
    "plane": "1.5 0.8 1",
    "sphere": "0.4",
    "ellipsoid": "0.9 0.3 0.15",
    "capsule": "0.15 0.8",
    "cylinder": "0.5 0.6",
    "box": "1.2 0.5 0.05",
}
ROOM = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1" rgba=".6 .55 .5 1"/>
    <geom name="east" type="box" pos="2 0 1.25" size=".05 2 1.25" rgba=".8 .8 .8 1"/>
    <geom name="west" type="box" pos="-2 0 1.25" size=".05 2 1.25" rgba=".8 .8 .8 1"/>
    <geom name="north" type="box" pos="0 2 1.25" size="2.05 .05 1.25" rgba=".8 .8 .8 1"/>
    <geom name="south" type="box" pos="0 -2 1.25" size="2.05 .05 1.25" rgba=".8 .8 .8 1"/>
    <geom name="ceiling" type="box" pos="0 0 2.55" size="2.05 2.05 .05" rgba=".8 .8 .8 1"/>
    <geom name="table" type="box" pos=".7 .4 .6" size=".5 .4 .04" euler="0 0 25" rgba=".5 .3 .2 1"/>
    <geom name="leg" type="cylinder" pos=".7 .4 .28" size=".05 .28" rgba=".5 .3 .2 1"/>
    <body name="ball" pos=".6 .4 .76"><freejoint/><geom name="ball" type="sphere" size=".12" rgba=".9 .1 .1 1"/></body>
    <body name="rod" pos="-.5 .9 .2"><freejoint/><geom name="rod" type="capsule" size=".08 .5" euler="70 30 0"/></body>
    <body name="egg" pos="-.9 -.8 .3"><freejoint/><geom name="egg" type="ellipsoid" size=".3 .15 .1"/></body>
    <body name="can" pos=".9 -1.1 .2"><freejoint/><geom name="can" type="cylinder" size=".2 .2"/></body>
    <body name="avatar" pos="0 0 .7"><freejoint/><geom name="avatar" type="capsule" size=".2 .5"/></body>
  </worldbody>
</mujoco>
"""


def scene(xml: str) -> tuple[mujoco.MjModel, mujoco.MjData]:
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


def geoms(*lines: str) -> tuple[mujoco.MjModel, mujoco.MjData]:
    return scene(f"<mujoco><worldbody>{''.join(lines)}</worldbody></mujoco>")


def rays(height: int, width: int, yaw: float, pitch: float) -> np.ndarray:
    """One ray per pixel, a metre deep, by rotating those of a camera that looks along +x: float64 [H, W, 3]."""
    half = np.tan(np.radians(FOV) / 2)
    left = (width / 2 - (np.arange(width) + 0.5)) / (height / 2) * half
    up = (height / 2 - (np.arange(height) + 0.5)) / (height / 2) * half
    local = np.stack(np.broadcast_arrays(1.0, left[None, :], up[:, None]), axis=-1)
    return Rotation.from_euler("ZY", [yaw, -pitch]).apply(local.reshape(-1, 3)).reshape(height, width, 3)


def cast(model, data, eye, yaw, pitch, hide_body=-1) -> tuple[np.ndarray, np.ndarray]:
    """Hits of MuJoCo's rays: geom [H, W], -1 for none, and depth [H, W], inf for none."""
    seen, depth, hit = np.full((HEIGHT, WIDTH), -1), np.full((HEIGHT, WIDTH), np.inf), np.zeros(1, dtype=np.int32)
    for pixel, ray in zip(np.ndindex(HEIGHT, WIDTH), rays(HEIGHT, WIDTH, yaw, pitch).reshape(-1, 3), strict=True):
        distance = mujoco.mj_ray(model, data, eye, ray, SHOWN_GROUPS, True, hide_body, hit)
        if hit[0] >= 0:
            seen[pixel], depth[pixel] = hit[0], distance
    return seen, depth


def silhouette(seen: np.ndarray) -> np.ndarray:
    """Pixels beside one that shows another geom: bool [H, W]."""
    padded = np.pad(seen, 1, mode="edge")
    shifts = [padded[1 + dy : HEIGHT + 1 + dy, 1 + dx : WIDTH + 1 + dx] for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
    return np.any([shift != seen for shift in shifts], axis=0)


def assert_as_cast(model, data, eye, yaw, pitch, hide_body=-1) -> float:
    """Assert that a frame agrees with MuJoCo's rays; returns the part of it that shows geoms."""
    camera = Camera(model, HEIGHT, WIDTH, FOV)
    camera.draw(data, eye, yaw, pitch, hide_body)
    seen, depth = cast(model, data, eye, yaw, pitch, hide_body)
    wrong = camera.geoms() != seen
    assert wrong.mean() < 0.002, f"{wrong.sum()} pixels differ from {eye}, yaw {yaw}, pitch {pitch}"
    assert not np.any(wrong & ~silhouette(seen))
    both = ~wrong & (seen >= 0)
    np.testing.assert_allclose(camera.depths()[both], depth[both], rtol=1e-6, atol=1e-6)
    assert np.all(np.isinf(camera.depths()[~wrong & (seen < 0)]))
    return float((seen >= 0).mean())


def outside_eye(rng: np.random.Generator, model: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
    """A point near geom 0 (often inside its bounding sphere) but not inside it: rays to both sides meet it there."""
    while True:
        eye, hit = data.geom_xpos[0] + rng.normal(size=3) * rng.choice([0.3, 0.8, 2.0]), np.zeros(1, dtype=np.int32)
        if any(mujoco.mj_ray(model, data, eye, np.array([0, 0, d]), None, 1, -1, hit) < 0 for d in (1.0, -1.0)):
            return eye


@pytest.mark.parametrize("kind", SHAPES)
def test_one_shape_from_all_sides_agrees_with_ray_casting(kind):
    rng = np.random.default_rng(list(SHAPES).index(kind))
    covered = []
    for _ in range(12):
        euler = " ".join(map(str, rng.uniform(-180, 180, 3)))
        model, data = geoms(f'<geom type="{kind}" size="{SHAPES[kind]}" pos="0.3 -0.2 0.5" euler="{euler}"/>')
        eye = outside_eye(rng, model, data)
        towards = data.geom_xpos[0] + rng.normal(size=3) * 0.3 - eye
        yaw, pitch = np.arctan2(towards[1], towards[0]), np.arctan2(towards[2], np.hypot(*towards[:2]))
        covered.append(assert_as_cast(model, data, eye, yaw, pitch))
    assert np.mean(np.array(covered) > 0.02) > 0.2  # planes are invisible from behind


def test_random_views_of_a_room_agree_with_ray_casting():
    model, data = scene(ROOM)
    rng = np.random.default_rng(0)
    avatar = model.body("avatar").id
    for _ in range(8):
        data.qpos.reshape(-1, 7)[:, 3:] = rng.normal(size=(5, 4))
        mujoco.mj_forward(model, data)
        eye = np.array([*rng.uniform(-0.3, 0.3, 2), rng.uniform(1.2, 2.2)])
        assert_as_cast(model, data, eye, rng.uniform(-7, 7), rng.uniform(-1.5, 1.5), avatar)


@pytest.mark.parametrize(("gap", "yaw"), [(0.3, 3.0), (0.01, 0.0), (0.01, np.pi / 2), (0.003, 0.6)])
def test_views_close_to_a_wall_agree_with_ray_casting(gap, yaw):
    model, data = scene(ROOM)
    eye = np.array([2 - 0.05 - gap, 1.7, 0.9])
    assert_as_cast(model, data, eye, yaw, -0.2, model.body("avatar").id)


def test_same_inputs_same_bytes_and_two_threads_at_once():
    model, data = scene(ROOM)
    rng = np.random.default_rng(5)
    views = [(rng.uniform([-1.8, -1.8, 0.5], [1.8, 1.8, 2]), rng.uniform(-4, 4), rng.uniform(-1, 1)) for _ in range(60)]

    def film(order):
        camera = Camera(model, HEIGHT, WIDTH)
        return {i: camera.draw(data, *views[i]) for i in order}

    expected = film(range(60))
    with ThreadPoolExecutor(2) as pool:
        films = list(pool.map(film, [range(60), range(59, -1, -1)] * 4))
    for played in films:
        assert all(np.array_equal(played[i], expected[i]) for i in range(60))
    assert len({frame.tobytes() for frame in expected.values()}) == 60


def test_hidden_body_and_invisible_geoms():
    model, data = geoms(
        '<body name="near" pos="1 0 0"><geom type="sphere" size=".3" rgba="1 0 0 1"/></body>',
        '<body name="clear" pos="1.5 0 0"><geom type="sphere" size=".3" rgba="1 1 0 0"/></body>',
        '<body name="solid" pos="1.7 0 0"><geom type="sphere" size=".3" group="3"/></body>',
        '<body name="far" pos="2 0 0"><geom type="box" size=".3 .3 .3" rgba="0 0 1 1"/></body>',
    )
    camera = Camera(model, HEIGHT, WIDTH)
    camera.draw(data, np.zeros(3), 0.0, 0.0)
    assert camera.geoms()[HEIGHT // 2, WIDTH // 2] == 0
    image = camera.draw(data, np.zeros(3), 0.0, 0.0, hide_body=model.body("near").id)
    assert set(np.unique(camera.geoms())) == {-1, 3}
    assert image[HEIGHT // 2, WIDTH // 2, 2] > 100 and image[HEIGHT // 2, WIDTH // 2, 0] == 0


def test_an_eye_inside_a_thing_sees_through_it():
    outer, inner = '<geom type="{}" size=".3 .3 .3" pos="0 0 0"/>', '<geom type="sphere" size=".3" pos="1 0 0"/>'
    for kind in ("box", "sphere", "ellipsoid", "capsule", "cylinder"):
        model, data = geoms(outer.format(kind), inner)
        camera = Camera(model, HEIGHT, WIDTH)
        camera.draw(data, np.array([0.1, 0.05, -0.1]), 0.0, 0.0)
        assert set(np.unique(camera.geoms())) == {-1, 1}


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e300])
def test_a_state_or_eye_that_is_no_number_does_not_crash(bad):
    model, data = scene(ROOM)
    camera = Camera(model, HEIGHT, WIDTH)
    eye = np.array([0.0, 0.0, 1.5])
    assert camera.draw(data, np.array([bad, 0.0, 1.5]), 0.0, 0.0).shape == (HEIGHT, WIDTH, 3)
    assert camera.draw(data, eye, 0.0 if abs(bad) == 1e300 else bad, bad).shape == (HEIGHT, WIDTH, 3)
    data.geom_xpos[[1, 8, 9, 10, 11]] = bad
    camera.draw(data, eye, 0.0, -0.4)
    assert model.geom("floor").id in camera.geoms()
    data.geom_xmat[:] = bad
    assert camera.draw(data, eye, 0.0, 0.0).shape == (HEIGHT, WIDTH, 3)


def test_errors_name_the_cause():
    model, data = scene(ROOM)
    _, other = geoms('<geom type="sphere" size=".1"/>')
    mesh, _ = scene(
        '<mujoco><asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>'
        '<worldbody><geom name="statue" type="mesh" mesh="m"/></worldbody></mujoco>'
    )
    camera, view = Camera(model, HEIGHT, WIDTH), (np.zeros(3), 0.0, 0.0)
    turned, wide = np.zeros((WIDTH, HEIGHT, 3), np.uint8), np.zeros((HEIGHT, WIDTH, 6), np.uint8)
    for bad, named in (
        (lambda: Camera(model, 0, 48), "0 x 48"),
        (lambda: Camera(model, 36, 48, 180), "fov_y_deg is 180"),
        (lambda: Camera(mesh, HEIGHT, WIDTH), "statue is a mjGEOM_MESH"),
        (lambda: camera.draw(other, *view), "13 geoms, data has 1"),
        (lambda: camera.draw(data, *view, out=turned), "C-contiguous uint8"),
        (lambda: camera.draw(data, *view, out=wide[..., ::2]), "C-contiguous uint8"),
        (lambda: camera.draw(data, *view, out=np.zeros((HEIGHT, WIDTH, 3))), "C-contiguous uint8"),  # type: ignore
    ):
        with pytest.raises(WorldError, match=named):
            bad()
