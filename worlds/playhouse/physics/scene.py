"""From the record of a house to a MuJoCo model.

Walls, floors and furniture are fixed geoms of the world body; loose things are free bodies that begin asleep and cost
nothing until they are touched; avatars are upright capsules that slide and turn.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import mujoco
import numpy as np

from worlds.playhouse.house.parts import Vector
from worlds.playhouse.house.record import AVATAR_HEIGHT, AVATAR_RADIUS, FLOOR, FORMAT, House, Thing
from worlds.playhouse.physics.avatar import AVATAR_MASS_KG
from worlds.playhouse.physics.doors import add_door_leaf
from worlds.playhouse.physics.geoms import FIXED_GROUPS, HIDING_GROUPS, LEAF, PLAYER, Geoms, SolidsAndPicture
from worlds.playhouse.physics.looks import add_looks
from worlds.playhouse.physics.picture import Picture
from worlds.playhouse.physics.shell import add_furnished_shell, add_plain_shell, walls

__all__ = ["FIXED_GROUPS", "HIDING_GROUPS", "Scene", "build", "scene_of", "walls"]

AVATAR_COLOURS = {"setter": (0.25, 0.35, 0.60), "solver": (0.60, 0.45, 0.20)}
SPIN_DAMPING = 2.0  # 1/s
CACHED_SCENES = 64
_DISABLE = mujoco.mjtDisableBit
_NEVER_USED = (
    int(_DISABLE.mjDSBL_EQUALITY) | int(_DISABLE.mjDSBL_FRICTIONLOSS)
    | int(_DISABLE.mjDSBL_SPRING) | int(_DISABLE.mjDSBL_ACTUATION) | int(_DISABLE.mjDSBL_SENSOR)
)  # fmt: skip
_USED_BY_LEAVES = int(_DISABLE.mjDSBL_LIMIT)
_CAPSULE, _SPHERE = mujoco.mjtGeom.mjGEOM_CAPSULE, mujoco.mjtGeom.mjGEOM_SPHERE


@dataclass(frozen=True, eq=False)
class Scene:
    """A compiled house, shared by all worlds that play in it; it must not be changed.

    Args:
      house: its record.
      model: the compiled model of the physics.
      picture: all that is seen of the same bodies, see :class:`worlds.playhouse.physics.poses.Poses`; in houses of the
        first format the model.
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
      leaf_body: int64 [door leaves], bodies, in the order of ``house.door_leaves``.
      leaf_qpos: int64 [door leaves], coordinates.
      finish: int32 [geoms of the picture], what surfaces look like: places in
        :data:`worlds.drawing.finishes.FINISHES`, all 0 (plain) in houses of the first format.
      owners: what can be touched: ids of objects, players and furniture, and FLOOR.
      geom_owner: int32 [geoms], places in ``owners``; -1 for walls and door leaves.
    """

    house: House
    model: mujoco.MjModel
    picture: mujoco.MjModel | Picture
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
    leaf_body: np.ndarray
    leaf_qpos: np.ndarray
    finish: np.ndarray
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
    spec.option.timestep = house.timestep
    spec.option.enableflags |= mujoco.mjtEnableBit.mjENBL_SLEEP
    spec.option.sleep_tolerance = 0.01
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_EULER
    spec.option.cone = mujoco.mjtCone.mjCONE_PYRAMIDAL
    if house.format == FORMAT:
        geoms = Geoms(spec)
        add_plain_shell(geoms, house)
        fixed_geoms = add_contents(geoms, spec.worldbody, house)
        model = spec.compile()
        return _index(house, model, model, np.zeros(model.ngeom, dtype=np.int32), fixed_geoms)
    geoms = SolidsAndPicture(spec)
    add_furnished_shell(geoms, house)
    geoms.stops |= LEAF if house.door_leaves else 0
    fixed_geoms = add_contents(geoms, spec.worldbody, house)
    doorways = {doorway.id: doorway for doorway in house.doorways}
    for leaf in house.door_leaves:
        add_door_leaf(geoms, spec.worldbody, leaf, doorways[leaf.doorway])
    _make_fast(spec, house)
    picture = geoms.seen.picture()
    return _index(house, spec.compile(), picture, picture.finish, fixed_geoms)


def _make_fast(spec: mujoco.MjSpec, house: House) -> None:
    """Save a seventh of the physics' time where no earlier recording fixes it.

    Whole kinds of constraints that the house does not have are left out, the solver stops at a millionth of the first
    cost, and avatars, whose friction is a tenth of a thing's, have none.
    """
    spec.option.disableflags |= _NEVER_USED if house.door_leaves else _NEVER_USED | _USED_BY_LEAVES
    spec.option.tolerance = 1e-6
    for start in house.starts:
        spec.body(start.agent).first_geom().condim = 1


def add_contents(geoms: Geoms, world: mujoco.MjsBody, house: House) -> list[int]:
    """Add all but the shell; return numbers of the first geoms of all furniture with that after the last."""
    fixed_geoms = [geoms.number]
    for piece in house.furniture:
        geoms.add_furniture(piece)
        fixed_geoms.append(geoms.number)
    for start in house.starts:
        _add_avatar(geoms, world, start.agent, start.x, start.y)
    for thing in house.objects:
        _add_object(geoms, world, thing)
    return fixed_geoms


def _index(
    house: House, model: mujoco.MjModel, picture: mujoco.MjModel | Picture, finish: np.ndarray, fixed_geoms: list[int]
) -> Scene:
    agents = tuple(s.agent for s in house.starts)
    avatars = np.arange(1, 1 + len(agents))  # bodies are numbered as they were added, the world first
    objects = np.arange(1 + len(agents), 1 + len(agents) + len(house.objects))
    leaves = np.arange(1 + len(agents) + len(house.objects), model.nbody)
    avatar_joint = model.body_jntadr[avatars].astype(np.int64)
    object_joint = model.body_jntadr[objects]
    return Scene(
        house=house,
        model=model,
        picture=picture,
        agents=agents,
        avatar_body=avatars.astype(np.int64),
        avatar_qpos=model.jnt_qposadr[avatar_joint].astype(np.int64),
        avatar_dof=model.jnt_dofadr[avatar_joint].astype(np.int64),
        object_body=objects.astype(np.int64),
        object_qpos=model.jnt_qposadr[object_joint].astype(np.int64),
        object_dof=model.jnt_dofadr[object_joint].astype(np.int64),
        object_mass=model.body_mass[objects],
        object_inertia=model.body_inertia[objects],
        object_radius=np.array([0.5 * o.scale * _mean(o.spec.extent) for o in house.objects]),
        object_footprint=np.array([o.radius for o in house.objects]),
        object_half_height=np.array([o.height / 2 for o in house.objects]),
        leaf_body=leaves.astype(np.int64),
        leaf_qpos=model.jnt_qposadr[model.body_jntadr[leaves]].astype(np.int64),
        finish=finish,
        owners=(*(o.id for o in house.objects), *agents, *(f.id for f in house.furniture), FLOOR),
        geom_owner=_owners(model, [*objects.tolist(), *avatars.tolist()], fixed_geoms),
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


@cache
def _mean(lengths: Vector) -> float:
    return float(np.mean(lengths))


def _add_object(geoms: Geoms, world: mujoco.MjsBody, thing: Thing) -> None:
    """A free body with its origin and centre of mass in the middle of the thing; its mass is that of a solid box."""
    scale, (width, depth, height) = thing.scale, thing.spec.extent
    body = world.add_body(
        name=thing.id, pos=[thing.x, thing.y, thing.z + thing.height / 2], quat=_yaw_quaternion(thing.yaw)
    )
    body.sleep = mujoco.mjtSleepPolicy.mjSLEEP_INIT
    mass = thing.spec.mass_kg * scale
    w, d, h = (scale * e for e in (width, depth, height))
    inertia = [(d * d + h * h) * mass / 12, (w * w + h * h) * mass / 12, (w * w + d * d) * mass / 12]
    largest = max(inertia)
    inertia = [max(i, largest / 2) for i in inertia]  # a thin thing that turns too easily is hard to integrate
    body.explicitinertial, body.ipos, body.iquat = True, [0, 0, 0], [1, 0, 0, 0]
    body.mass, body.inertia = mass, inertia
    body.add_freejoint().damping = [SPIN_DAMPING * largest, 0, 0]
    geoms.begin(body)
    geoms.add_thing(thing)


def _yaw_quaternion(yaw: float) -> list[float]:
    return [float(np.cos(yaw / 2)), 0.0, 0.0, float(np.sin(yaw / 2))]


def _add_avatar(geoms: Geoms, world: mujoco.MjsBody, agent: str, x: float, y: float) -> None:
    """A capsule whose lower end is under the floor, so that things meet only its upright side."""
    body, joint = world.add_body(name=agent, pos=[x, y, 0]), mujoco.mjtJoint
    geoms.begin(body)
    body.add_joint(type=joint.mjJNT_SLIDE, axis=[1, 0, 0], ref=x)
    body.add_joint(type=joint.mjJNT_SLIDE, axis=[0, 1, 0], ref=y)
    body.add_joint(type=joint.mjJNT_HINGE, axis=[0, 0, 1], armature=10.0)
    half, alpha = (AVATAR_HEIGHT - AVATAR_RADIUS) / 2, 0.0 if isinstance(geoms, SolidsAndPicture) else 1.0
    capsule = geoms.add(
        (AVATAR_RADIUS, half, 0), (0, 0, half), (*AVATAR_COLOURS[agent], alpha), shape=_CAPSULE, layers=PLAYER,
        fixed=False,
    )  # fmt: skip
    assert capsule is not None, "it collides"
    capsule.mass, capsule.friction, capsule.priority = AVATAR_MASS_KG, [0.1, 0.005, 0.0001], 1
    if isinstance(geoms, SolidsAndPicture):
        add_looks(geoms.seen, agent, AVATAR_COLOURS[agent])
        return
    for side in (-1, 1):  # eyes show which way it looks
        at = (0.19, 0.085 * side, 2 * half - 0.02)
        eye = geoms.add((0.055, 0, 0), at, (0.98, 0.98, 0.98, 1), shape=_SPHERE, fixed=False)
        if eye is not None:
            eye.mass = 0
