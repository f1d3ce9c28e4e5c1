"""Scenes of furnished houses: things stand, containers hold, and what is seen is what the record says."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest

from worlds.contract import SETTER, SOLVER
from worlds.playhouse.house.catalogue import FURNITURE_KINDS, OBJECT_KINDS, SIZES
from worlds.playhouse.house.record import FLOOR, FORMAT_2, Furniture, House, Room, Start, Thing
from worlds.playhouse.house.rules import check
from worlds.playhouse.house.sampling import HouseSettings, sample_house
from worlds.playhouse.physics.geoms import Geoms
from worlds.playhouse.physics.poses import Poses
from worlds.playhouse.physics.scene import Scene, add_contents, build
from worlds.playhouse.physics.shell import add_furnished_shell

HALL = (Room("room_0", 0.0, 0.0, 14.0, 14.0, "oak", "playroom", "white"),)
STARTS = (Start(SETTER, 13.5, 13.5, 0.0), Start(SOLVER, 12.5, 13.5, 0.0))


def hall(*things, furniture=()):
    house = House(HALL, (), tuple(furniture), things, STARTS, format=FORMAT_2, substeps=HouseSettings().substeps)
    check(house)
    return build(house)


def after(scene: Scene, seconds: float, wake: bool = True) -> mujoco.MjData:
    """The state after some seconds, in which everything was awake at first."""
    data = mujoco.MjData(scene.model)
    mujoco.mj_forward(scene.model, data)
    if wake:
        data.qvel[scene.object_dof] = 1e-3
    for _ in range(round(seconds / scene.house.timestep)):
        mujoco.mj_step(scene.model, data)
    return data


def moved(scene: Scene, data: mujoco.MjData) -> dict[str, tuple[float, float]]:
    """Metres and share of a turn by which each thing has left its first place."""
    found = {}
    for thing, at in zip(scene.house.objects, scene.object_qpos, strict=True):
        before, now = scene.model.qpos0[at : at + 7], data.qpos[at : at + 7]
        found[thing.id] = math.dist(before[:3], now[:3]), 1.0 - abs(float(before[3:] @ now[3:]))
    return found


def asleep(scene: Scene, data: mujoco.MjData) -> np.ndarray:
    """Whether each thing sleeps: bool [objects]."""
    return data.tree_asleep[scene.model.body_treeid[scene.object_body]] >= 0


@pytest.mark.parametrize("size", SIZES)
def test_every_kind_stands_still_and_falls_asleep(size):
    things = [
        Thing(f"object_{i}", kind, "red", size, "room_0", FLOOR, 1.0 + 1.2 * (i % 10), 1.0 + 1.2 * (i // 10), 0.0, i)
        for i, kind in enumerate(OBJECT_KINDS)
    ]
    scene = hall(*things)
    data = after(scene, 5.0)
    for thing in things:
        way, turn = moved(scene, data)[thing.id]
        assert way < 0.006 and turn < 2e-3, thing.kind  # a small guitar rocks by 4 degrees
    assert asleep(scene, data).all()
    assert not asleep(scene, after(scene, 2 * scene.house.timestep)).any(), "they had been awake"


@pytest.mark.parametrize("kind", [kind.name for kind in OBJECT_KINDS.values() if kind.inside])
def test_containers_catch_what_falls_into_them_and_keep_it_when_they_are_moved(kind):
    holder = Thing("object_0", kind, "red", "medium", "room_0", FLOOR, 5.0, 5.0, 0.0, 0.4)
    ball = Thing("object_1", "apple", "red", "small", "room_0", FLOOR, 8.0, 5.0, 0.0, 0.0)
    scene = hall(holder, ball)
    model, data = scene.model, mujoco.MjData(scene.model)
    at, push = int(scene.object_qpos[1]), int(scene.object_dof[0])
    data.qpos[at : at + 3] = 5.0, 5.0, 1.0
    mujoco.mj_forward(model, data)
    data.qvel[scene.object_dof] = 1e-3
    for _ in range(round(2.0 / scene.house.timestep)):
        mujoco.mj_step(model, data)
    assert holder.spec.inside is not None
    bottom = holder.spec.inside.at[2] * holder.scale
    assert bottom - 0.01 < data.qpos[at + 2] - ball.height / 2 < bottom + 0.05
    for _ in range(round(2.0 / scene.house.timestep)):  # carried along at half a metre a second
        data.qvel[push : push + 2] = 0.5, 0.0
        mujoco.mj_step(model, data)
    x, y = data.qpos[at : at + 2] - data.qpos[int(scene.object_qpos[0]) :][:2]
    assert data.qpos[int(scene.object_qpos[0])] > 5.5
    assert math.hypot(x, y) < holder.radius and data.qpos[at + 2] - ball.height / 2 < holder.height


@pytest.mark.parametrize("kind", [kind.name for kind in FURNITURE_KINDS.values() if kind.surfaces])
def test_every_surface_carries_things(kind):
    piece = Furniture("furniture_0", kind, "blue", "room_0", 6.0, 6.0, 1)
    things = []
    for i, surface in enumerate(piece.spec.surfaces):
        x, y = piece.to_house(*surface.at[:2])
        things.append(Thing(f"object_{i}", "tin", "red", "small", "room_0", "furniture_0", x, y, surface.at[2], 0.0))
    scene = hall(*things, furniture=[piece])
    data = after(scene, 2.0)
    assert all(way < 0.005 for way, _ in moved(scene, data).values())


def test_pictures_are_those_that_mujoco_would_compile():
    """The same house with all its parts as geoms of a model, as in the first format; players look another way there."""
    house = sample_house(2, HouseSettings.of(preset="flat"))
    scene, spec = build(house), mujoco.MjSpec()
    whole = Geoms(spec)
    add_furnished_shell(whole, house)
    add_contents(whole, spec.worldbody, house)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    drawn, here = Poses(scene).of(after(scene, 0.0)), ~np.isin(scene.picture.geom_bodyid, scene.avatar_body)
    shown = (model.geom_rgba[:, 3] > 0) & ~np.isin(model.geom_bodyid, scene.avatar_body)
    assert drawn.geom_xpos[here] == pytest.approx(data.geom_xpos[shown], abs=1e-9)
    assert drawn.geom_xmat[here] == pytest.approx(data.geom_xmat[shown], abs=1e-9)
    for name in ("geom_type", "geom_size", "geom_rgba", "geom_bodyid"):
        assert getattr(scene.picture, name)[here] == pytest.approx(getattr(model, name)[shown]), name
    solid = model.geom_conaffinity > 0
    for name in ("geom_type", "geom_size", "geom_pos", "geom_quat", "geom_contype", "geom_conaffinity", "geom_bodyid"):
        assert np.array_equal(getattr(scene.model, name), getattr(model, name)[solid]), name
