"""From the record of a house to a MuJoCo model.

Walls, floors and furniture are fixed geoms of the world body; loose things are free bodies that begin asleep and cost
nothing until they are touched; avatars are upright capsules that slide and turn.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import mujoco
import numpy as np

from worlds.playhouse.house.catalogue import COLOURS, FLOORS
from worlds.playhouse.house.parts import MAIN, PAINTS, Part, Vector
from worlds.playhouse.house.record import (
    AVATAR_HEIGHT,
    AVATAR_RADIUS,
    FLOOR,
    WALL_HEIGHT,
    WALL_THICKNESS,
    House,
    Thing,
)
from worlds.playhouse.physics.avatar import AVATAR_MASS_KG, TIMESTEP_SEC

AVATAR_COLOURS = {"setter": (0.25, 0.35, 0.60), "solver": (0.60, 0.45, 0.20)}
SPIN_DAMPING = 2.0  # 1/s
WALL_COLOUR = (0.82, 0.80, 0.74)
CACHED_SCENES = 64

# Collision layers: a pair of geoms meets if one's contype shares a bit with the other's conaffinity. Avatars slide
# above the ground plane without touching it.
LOOSE, PLAYER = 1, 2
# Groups of geoms, for rays that should meet fixed things only.
FIXED_GROUP, MOVING_GROUP = 0, 1
FIXED_GROUPS = np.array([1, 0, 0, 0, 0, 0], dtype=np.uint8)
_SHAPES = {
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
    "ellipsoid": mujoco.mjtGeom.mjGEOM_ELLIPSOID,
}


@dataclass(frozen=True, eq=False)
class Scene:
    """A compiled house, shared by all worlds that play in it; it must not be changed.

    Args:
      house: its record.
      model: the compiled model.
      agents: the avatars in the order of the arrays below.
      avatar_body: int64 [agents], bodies.
      avatar_qpos: int64 [agents], first coordinates; an avatar has x, y, yaw.
      avatar_dof: int64 [agents], first degrees of freedom.
      object_body: int64 [objects], bodies, in the order of ``house.objects``.
      object_qpos: int64 [objects], first coordinates.
      object_dof: int64 [objects], first degrees of freedom.
      object_mass: float64 [objects], kg.
      object_inertia: float64 [objects, 3], kg m^2 about its own axes.
      object_radius: float64 [objects], m, of a sphere about as large.
      object_footprint: float64 [objects], m, radius of the upright cylinder it fits in.
      object_half_height: float64 [objects], m, half the height of that cylinder.
      owners: what can be touched: ids of objects, players and furniture, and FLOOR.
      geom_owner: int32 [geoms], places in ``owners``; -1 for walls.
    """

    house: House
    model: mujoco.MjModel
    agents: tuple[str, ...]
    avatar_body: np.ndarray
    avatar_qpos: np.ndarray
    avatar_dof: np.ndarray
    object_body: np.ndarray
    object_qpos: np.ndarray
    object_dof: np.ndarray
    object_mass: np.ndarray
    object_inertia: np.ndarray
    object_radius: np.ndarray
    object_footprint: np.ndarray
    object_half_height: np.ndarray
    owners: tuple[str, ...]
    geom_owner: np.ndarray


_cache: OrderedDict[House, Scene] = OrderedDict()
_cache_lock = threading.Lock()


def scene_of(house: House) -> Scene:
    """The compiled scene of a house; the most recent ones are kept."""
    with _cache_lock:
        if house in _cache:
            _cache.move_to_end(house)
            return _cache[house]
    scene = build(house)
    with _cache_lock:
        _cache[house] = scene
        while len(_cache) > CACHED_SCENES:
            _cache.popitem(last=False)
    return scene


def build(house: House) -> Scene:
    """Compile a house that has passed :func:`worlds.playhouse.house.rules.check`."""
    spec = mujoco.MjSpec()
    spec.option.timestep = TIMESTEP_SEC
    spec.option.enableflags |= mujoco.mjtEnableBit.mjENBL_SLEEP
    spec.option.sleep_tolerance = 0.01
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_EULER
    spec.option.cone = mujoco.mjtCone.mjCONE_PYRAMIDAL
    _add_shell(spec.worldbody, house)
    fixed_geoms = [len(spec.worldbody.geoms)]  # before each piece of furniture, and after the last
    for piece in house.furniture:
        turn = _quaternion((0.0, 0.0, 90.0 * piece.quarter_turns))
        for part in piece.spec.parts:
            x, y = piece.to_house(part.at[0], part.at[1])
            _add_part(spec.worldbody, part, piece.colour, 1.0, (x, y, part.at[2]), turn, fixed=True)
        fixed_geoms.append(len(spec.worldbody.geoms))
    for start in house.starts:
        _add_avatar(spec.worldbody, start.agent, start.x, start.y)
    for thing in house.objects:
        _add_object(spec.worldbody, thing)
    return _index(house, spec.compile(), fixed_geoms)


def _index(house: House, model: mujoco.MjModel, fixed_geoms: list[int]) -> Scene:
    agents = tuple(s.agent for s in house.starts)
    avatars = [model.body(agent).id for agent in agents]
    objects = [model.body(o.id).id for o in house.objects]
    avatar_joint = model.body_jntadr[avatars].astype(np.int64)
    object_joint = model.body_jntadr[np.array(objects, dtype=np.int64)]
    owners = (*(o.id for o in house.objects), *agents, *(f.id for f in house.furniture), FLOOR)
    return Scene(
        house=house,
        model=model,
        agents=agents,
        avatar_body=np.array(avatars, dtype=np.int64),
        avatar_qpos=model.jnt_qposadr[avatar_joint].astype(np.int64),
        avatar_dof=model.jnt_dofadr[avatar_joint].astype(np.int64),
        object_body=np.array(objects, dtype=np.int64),
        object_qpos=model.jnt_qposadr[object_joint].astype(np.int64),
        object_dof=model.jnt_dofadr[object_joint].astype(np.int64),
        object_mass=np.array([model.body_mass[b] for b in objects]),
        object_inertia=np.array([model.body_inertia[b] for b in objects]).reshape(-1, 3),
        object_radius=np.array([0.5 * o.scale * float(np.mean(o.spec.extent)) for o in house.objects]),
        object_footprint=np.array([o.radius for o in house.objects]),
        object_half_height=np.array([o.height / 2 for o in house.objects]),
        owners=owners,
        geom_owner=_owners(model, [*objects, *avatars], fixed_geoms),
    )


def _owners(model: mujoco.MjModel, bodies: list[int], fixed_geoms: list[int]) -> np.ndarray:
    """Return the owner of every geom: int32 [geoms], places in (moving bodies, furniture, floor), -1 for the rest.

    Geoms of the world body come first: the ground, what else belongs to the shell, and furniture.
    """
    place = np.full(model.nbody, -1, dtype=np.int32)
    place[bodies] = np.arange(len(bodies), dtype=np.int32)
    owner = place[model.geom_bodyid]
    for piece, (first, last) in enumerate(pairwise(fixed_geoms)):
        owner[first:last] = len(bodies) + piece
    owner[0] = len(bodies) + len(fixed_geoms) - 1
    return owner


def _quaternion(euler_deg: Vector) -> np.ndarray:
    """Rotation about the fixed x, then y, then z axis: float64 [4]."""
    quaternion = np.zeros(4)
    mujoco.mju_euler2Quat(quaternion, np.radians(euler_deg), "XYZ")
    return quaternion


def _add_part(
    body: mujoco.MjsBody, part: Part, colour: str, scale: float, at: Vector, turn: np.ndarray | None, fixed: bool
) -> None:
    rgb = COLOURS[colour] if part.paint == MAIN else PAINTS[part.paint]
    quaternion = _quaternion(part.euler)
    if turn is not None:
        mujoco.mju_mulQuat(quaternion, turn, quaternion.copy())
    layers = LOOSE | PLAYER if part.solid else 0
    body.add_geom(
        type=_SHAPES[part.shape],
        size=[scale * s for s in part.size],
        pos=list(at),
        quat=quaternion,
        rgba=[*(min(1.0, part.shade * c) for c in rgb), 0.0 if part.hidden else 1.0],
        group=FIXED_GROUP if fixed else MOVING_GROUP,
        contype=0 if fixed else layers,
        conaffinity=layers,
    )


def _add_object(world: mujoco.MjsBody, thing: Thing) -> None:
    """A free body with its origin and centre of mass in the middle of the thing; its mass is that of a solid box."""
    scale, (width, depth, height) = thing.scale, thing.spec.extent
    body = world.add_body(
        name=thing.id, pos=[thing.x, thing.y, thing.z + thing.height / 2], quat=_yaw_quaternion(thing.yaw)
    )
    body.sleep = mujoco.mjtSleepPolicy.mjSLEEP_INIT
    mass = thing.spec.mass_kg * scale
    w, d, h = (scale * e for e in (width, depth, height))
    inertia = np.array([d * d + h * h, w * w + h * h, w * w + d * d]) * mass / 12
    inertia = np.maximum(inertia, inertia.max() / 2)  # a thin thing that turns too easily is hard to integrate
    body.explicitinertial, body.ipos, body.iquat = True, [0, 0, 0], [1, 0, 0, 0]
    body.mass, body.inertia = mass, inertia
    body.add_freejoint().damping = [SPIN_DAMPING * float(inertia.max()), 0, 0]
    for part in thing.spec.parts:
        at = (scale * part.at[0], scale * part.at[1], scale * part.at[2] - thing.height / 2)
        _add_part(body, part, thing.colour, scale, at, None, fixed=False)


def _yaw_quaternion(yaw: float) -> list[float]:
    return [float(np.cos(yaw / 2)), 0.0, 0.0, float(np.sin(yaw / 2))]


def _add_avatar(world: mujoco.MjsBody, agent: str, x: float, y: float) -> None:
    """A capsule whose lower end is under the floor, so that things meet only its upright side."""
    body, joint = world.add_body(name=agent, pos=[x, y, 0]), mujoco.mjtJoint
    body.add_joint(type=joint.mjJNT_SLIDE, axis=[1, 0, 0], ref=x)
    body.add_joint(type=joint.mjJNT_SLIDE, axis=[0, 1, 0], ref=y)
    body.add_joint(type=joint.mjJNT_HINGE, axis=[0, 0, 1], armature=10.0)
    half = (AVATAR_HEIGHT - AVATAR_RADIUS) / 2
    body.add_geom(
        type=mujoco.mjtGeom.mjGEOM_CAPSULE, size=[AVATAR_RADIUS, half, 0], pos=[0, 0, half],
        rgba=[*AVATAR_COLOURS[agent], 1], group=MOVING_GROUP, contype=PLAYER, conaffinity=PLAYER, mass=AVATAR_MASS_KG,
        friction=[0.1, 0.005, 0.0001], priority=1,
    )  # fmt: skip
    for side in (-1, 1):  # eyes show which way it looks
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.055, 0, 0], pos=[0.19, 0.085 * side, 2 * half - 0.02],
            rgba=[0.98, 0.98, 0.98, 1], group=MOVING_GROUP, contype=0, conaffinity=0, mass=0,
        )  # fmt: skip


def _add_shell(world: mujoco.MjsBody, house: House) -> None:
    """The ground, each room's own floor finish, and the walls with gaps where doorways are."""
    plane, box = mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_BOX
    world.add_geom(type=plane, size=[0, 0, 1], rgba=[0.5, 0.5, 0.5, 0.0], contype=0, conaffinity=LOOSE)
    for room in house.rooms:
        world.add_geom(
            type=plane, size=[(room.x1 - room.x0) / 2, (room.y1 - room.y0) / 2, 1],
            pos=[(room.x0 + room.x1) / 2, (room.y0 + room.y1) / 2, 0],
            rgba=[*FLOORS[room.floor], 1.0], contype=0, conaffinity=0,
        )  # fmt: skip
    for x0, y0, x1, y1 in walls(house):
        world.add_geom(
            type=box, size=[(x1 - x0) / 2, (y1 - y0) / 2, WALL_HEIGHT / 2],
            pos=[(x0 + x1) / 2, (y0 + y1) / 2, WALL_HEIGHT / 2],
            rgba=[*WALL_COLOUR, 1.0], contype=0, conaffinity=LOOSE | PLAYER,
        )  # fmt: skip


def walls(house: House) -> Iterator[tuple[float, float, float, float]]:
    """Footprints (x0, y0, x1, y1) of the stretches of wall, doorways left out. Rooms that touch share their wall."""
    thick = WALL_THICKNESS / 2
    for along in ("x", "y"):
        for place in sorted({e for r in house.rooms for e in ((r.y0, r.y1) if along == "x" else (r.x0, r.x1))}):
            for low, high in _stretches(house, along, place):
                if along == "x":
                    yield low, place - thick, high, place + thick
                else:
                    yield place - thick, low, place + thick, high


def _stretches(house: House, along: str, place: float) -> Iterator[tuple[float, float]]:
    """The intervals of one wall line that are wall; their outer ends reach round the corners."""
    thick, sides = WALL_THICKNESS / 2, []
    for room in house.rooms:
        if along == "x" and place in (room.y0, room.y1):
            sides.append((room.x0 - thick, room.x1 + thick))
        if along == "y" and place in (room.x0, room.x1):
            sides.append((room.y0 - thick, room.y1 + thick))
    gaps = []
    for door in house.doorways:
        across, middle = (door.y, door.x) if along == "x" else (door.x, door.y)
        if door.along == along and abs(across - place) < thick:
            gaps.append((middle - door.width / 2, middle + door.width / 2))
    end = -np.inf
    merged: list[list[float]] = []
    for low, high in sorted(sides):
        if low <= end:
            merged[-1][1] = end = max(end, high)
        else:
            merged.append([low, high])
            end = high
    for low, high in merged:
        for gap_low, gap_high in sorted(g for g in gaps if low < g[0] and g[1] < high):
            yield low, gap_low
            low = gap_high
        yield low, high
