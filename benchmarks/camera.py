"""Time of a frame of the Playhouse's camera, of MuJoCo's ray caster and of its OpenGL renderer.

    python -m benchmarks.camera

All draw the same houses (sampled from seeds) from the same eyes. A time is the mean over all views of a case; of
several such rounds the median and the fastest are printed, which on a shared machine differ. The camera and the
ray caster run on one core; OpenGL by software may use all. OpenGL runs in a process of its own, once through EGL and
once through OSMesa, without shadows, reflections or multi-sampling; where it cannot run its line says so. MuJoCo
picks these from system packages, on Debian libegl1 with libegl-mesa0, and libosmesa6.

The furnished house is drawn by the camera plainly, and with finishes and soft light; the others draw the same geoms
plainly. `MUJOCO_GL=egl python -m benchmarks.camera --masks 200` compares instead which thing each pixel of the
furnished house shows, from random places in its rooms, with MuJoCo's segmentation.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

from benchmarks.timing import options
from worlds.playhouse.drawing.camera import Camera
from worlds.playhouse.house.record import FORMAT
from worlds.playhouse.house.record import House as HouseRecord
from worlds.playhouse.house.sampling import HouseSettings, sample_house
from worlds.playhouse.house.settings import FURNISHED
from worlds.playhouse.physics.avatar import EYE_HEIGHT
from worlds.playhouse.physics.geoms import Geoms
from worlds.playhouse.physics.poses import Poses
from worlds.playhouse.physics.scene import add_contents, build
from worlds.playhouse.physics.shell import add_furnished_shell

FOV_Y_DEG = 75.0
HOUSES, VIEWS = 4, 12  # per case, and per house
OPENGL = ("egl", "osmesa")


@dataclass(frozen=True)
class Case:
    """Houses of one kind, drawn at one size."""

    name: str
    height: int
    width: int
    settings: HouseSettings

    @property
    def furnished(self) -> bool:
        """Whether its houses have pictures with finishes."""
        return self.settings.style == FURNISHED


CASES = (
    Case("five rooms", 72, 96, HouseSettings(rooms=(5, 5))),
    Case("one room", 36, 48, HouseSettings(rooms=(1, 1), furniture=(1, 2), objects=(3, 6))),
    Case("furnished house", 72, 96, HouseSettings.of(preset="house")),
)

Pose = tuple[np.ndarray, float, float]  # eye [3] in metres, yaw and pitch in radians
House = tuple[HouseRecord, mujoco.MjModel, mujoco.MjData, list[Pose]]
Draw = Callable[[Pose], object]
Make = Callable[[Case, HouseRecord, mujoco.MjModel, mujoco.MjData], Draw]


def houses(case: Case) -> Iterator[House]:
    """Yield the case's houses, each with views from its players' starts, without the players."""
    for seed in range(HOUSES):
        house = sample_house(seed, case.settings)
        model = whole_model(house)
        model.vis.global_.fovy = FOV_Y_DEG
        model.vis.quality.offsamples = 0
        model.vis.global_.offheight, model.vis.global_.offwidth = case.height, case.width
        for start in house.starts:
            model.geom_rgba[model.geom_bodyid == model.body(start.agent).id, 3] = 0.0
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        rng = np.random.default_rng(seed)
        starts = [house.starts[i % len(house.starts)] for i in range(VIEWS)]
        eyes = [np.array([start.x, start.y, EYE_HEIGHT]) for start in starts]
        yield house, model, data, [(eye, rng.uniform(-np.pi, np.pi), rng.uniform(-0.6, 0.1)) for eye in eyes]


def whole_model(house: HouseRecord) -> mujoco.MjModel:
    """The model with all that is seen: of a furnished house also what is for show."""
    if house.format == FORMAT:
        return build(house).model
    spec = mujoco.MjSpec()
    geoms = Geoms(spec)
    add_furnished_shell(geoms, house)
    add_contents(geoms, spec.worldbody, house)
    return spec.compile()


def with_finishes(case: Case, house: HouseRecord, model: mujoco.MjModel, data: mujoco.MjData) -> Draw:
    """The camera with finishes and soft light, and with the player who is not at the eye."""
    scene = build(house)
    drawn = Poses(scene).of(_moved(scene.model))
    camera = Camera(scene.picture, case.height, case.width, FOV_Y_DEG, scene.finish)

    def draw(pose: Pose) -> np.ndarray:
        away = [abs(start.x - pose[0][0]) + abs(start.y - pose[0][1]) for start in house.starts]
        return camera.draw(drawn, *pose, hide_body=int(scene.avatar_body[int(np.argmin(away))]))

    return draw


def _moved(model: mujoco.MjModel) -> mujoco.MjData:
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return data


def compare_masks(views: int) -> None:
    """Print the part of pixels at which camera and MuJoCo's segmentation show the same body, or the same fixed geom."""
    case, same, shown, drawn = CASES[2], 0, 0, 0
    while drawn < views:
        house = sample_house(drawn, case.settings)
        model = whole_model(house)
        model.vis.global_.fovy = FOV_Y_DEG
        model.vis.map.znear = 0.005 / model.stat.extent
        model.vis.quality.offsamples = 0
        data, rng = _moved(model), np.random.default_rng(drawn)
        camera = Camera(model, case.height, case.width, FOV_Y_DEG)
        segments = mujoco.Renderer(model, case.height, case.width)
        segments.enable_segmentation_rendering()
        for _ in range(min(10, views - drawn)):
            room = house.rooms[rng.integers(len(house.rooms))]
            eye = np.array([rng.uniform(room.x0 + 0.3, room.x1 - 0.3), rng.uniform(room.y0 + 0.3, room.y1 - 0.3), 1.5])
            yaw, pitch = rng.uniform(-np.pi, np.pi), rng.uniform(-0.6, 0.1)
            camera.draw(data, eye, yaw, pitch)
            segments.update_scene(data, looking(eye, yaw, pitch))
            image = segments.render()
            geoms = np.where(image[..., 1] == mujoco.mjtObj.mjOBJ_GEOM, image[..., 0], -1)
            ours = camera.geoms()
            bodies = np.append(model.geom_bodyid, -1)
            alike = np.where(bodies[ours] > 0, bodies[ours] == bodies[geoms], ours == geoms)
            same, shown, drawn = same + int(alike.sum()), shown + alike.size, drawn + 1
        segments.close()
    print(f"masks of {views} views: {100 * same / shown:.2f} % of pixels alike")


def looking(eye: np.ndarray, yaw: float, pitch: float) -> mujoco.MjvCamera:
    """MuJoCo's camera at an eye."""
    view = mujoco.MjvCamera()
    view.distance, view.azimuth, view.elevation = 1.0, np.degrees(yaw), np.degrees(pitch)
    view.lookat = eye + [np.cos(pitch) * np.cos(yaw), np.cos(pitch) * np.sin(yaw), np.sin(pitch)]
    return view


def with_camera(case: Case, house: HouseRecord, model: mujoco.MjModel, data: mujoco.MjData) -> Draw:
    camera = Camera(model, case.height, case.width, FOV_Y_DEG)
    return lambda pose: camera.draw(data, *pose)


def with_rays(case: Case, house: HouseRecord, model: mujoco.MjModel, data: mujoco.MjData) -> Draw:
    """MuJoCo's ray caster, one ray per pixel: geom and distance, without colours."""
    half = np.tan(np.radians(FOV_Y_DEG) / 2)
    across = (np.arange(case.width) + 0.5 - case.width / 2) / (case.height / 2) * half
    down = (np.arange(case.height) + 0.5 - case.height / 2) / (case.height / 2) * half
    x, y = (axis.ravel()[:, None] for axis in np.meshgrid(across, down))
    geom, distance = np.zeros(len(x), dtype=np.int32), np.zeros(len(x))

    def draw(pose: Pose) -> None:
        eye, yaw, pitch = pose
        forward = np.array([np.cos(pitch) * np.cos(yaw), np.cos(pitch) * np.sin(yaw), np.sin(pitch)])
        right = np.array([np.sin(yaw), -np.cos(yaw), 0.0])
        rays = forward + x * right + y * np.cross(forward, right)
        mujoco.mj_multiRay(model, data, eye, rays.ravel(), None, True, -1, geom, distance, None, len(rays), 1e9)

    return draw


def with_opengl(case: Case, house: HouseRecord, model: mujoco.MjModel, data: mujoco.MjData) -> Draw:
    renderer = mujoco.Renderer(model, case.height, case.width)
    for flag in (mujoco.mjtRndFlag.mjRND_SHADOW, mujoco.mjtRndFlag.mjRND_REFLECTION, mujoco.mjtRndFlag.mjRND_SKYBOX):
        renderer.scene.flags[flag] = 0

    def draw(pose: Pose) -> np.ndarray:
        renderer.update_scene(data, looking(*pose))
        return renderer.render()

    return draw


def measure(case: Case, make: Make, seconds: float) -> list[float]:
    """Microseconds a frame of each round over all views: at least three rounds, more within ``seconds``."""
    plan = [(make(case, house, model, data), poses) for house, model, data, poses in houses(case)]
    for draw, poses in plan:
        draw(poses[0])
    rounds: list[float] = []
    end = time.perf_counter() + seconds
    while len(rounds) < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        for draw, poses in plan:
            for pose in poses:
                draw(pose)
        rounds.append((time.perf_counter() - start) * 1e6 / (HOUSES * VIEWS))
    return rounds


def measure_opengl(backend: str, seconds: float) -> dict[str, list[float]] | str:
    """Return rounds by case name, or the reason why there are none."""
    command = [sys.executable, "-m", "benchmarks.camera", "--opengl", backend, "--seconds", str(seconds)]
    root, environment = Path(__file__).resolve().parent.parent, {**os.environ, "MUJOCO_GL": backend}
    try:
        result = subprocess.run(command, cwd=root, env=environment, capture_output=True, timeout=600)
    except subprocess.TimeoutExpired:
        return "no answer within ten minutes"
    if result.returncode:
        return (result.stderr.decode(errors="replace").strip().splitlines() or ["no message"])[-1][:100]
    return json.loads(result.stdout.splitlines()[-1])


def report(seconds: float) -> None:
    opengl = {backend: measure_opengl(backend, seconds) for backend in OPENGL}
    for case in CASES:
        geoms = [model.ngeom for _, model, _, _ in houses(case)]
        print(
            f"\n{case.name}: {case.height} x {case.width} pixels, {min(geoms)} to {max(geoms)} geoms, {HOUSES} houses"
        )
        ours = measure(case, with_camera, seconds)
        print_row("camera", ours, ours)
        if case.furnished:
            print_row("with finishes", measure(case, with_finishes, seconds), ours)
        print_row("mj_multiRay", measure(case, with_rays, seconds), ours)
        for backend, rounds in opengl.items():
            print_row(f"OpenGL, {backend}", rounds if isinstance(rounds, str) else rounds[case.name], ours)


def print_row(name: str, rounds: list[float] | str, ours: list[float]) -> None:
    if isinstance(rounds, str):
        print(f"  {name:16} not measured: {rounds}")
        return
    median, fastest = float(np.median(rounds)), min(rounds)
    ratios = f"{median / float(np.median(ours)):6.1f} ({fastest / min(ours):.1f}) times the camera's"
    print(f"  {name:16} {median:8.1f} us a frame (fastest of {len(rounds)} rounds {fastest:.1f}), {ratios}")


def main() -> None:
    arguments = options(
        __doc__,
        seconds=(2.0, "time for each measurement"),
        opengl=(None, argparse.SUPPRESS, {"choices": OPENGL}),
        masks=(None, "compare what so many views show instead", {"metavar": "VIEWS", "type": int}),
    )
    if arguments.masks:
        compare_masks(arguments.masks)
    elif arguments.opengl:
        print(json.dumps({case.name: measure(case, with_opengl, arguments.seconds) for case in CASES}))
    else:
        report(arguments.seconds)


if __name__ == "__main__":
    main()
