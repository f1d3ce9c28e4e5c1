"""Where MuJoCo keeps its contacts, for compiled code, and what touches what.

MuJoCo's Python bindings build arrays of contacts anew at every look, which needs the interpreter. Compiled code reads
them in place instead. The places inside MuJoCo's structures are found once, by looking for known values.
"""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass
from functools import cache

import mujoco
import numpy as np

from worlds.contract import WorldError
from worlds.playhouse.physics.scene import Scene

TOUCHING = 0.002  # metres between things that touch; those that rest are asleep and have no contacts
_BOXES = "".join(
    f'<body pos="{3 * i} 0 0.099"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>' for i in range(3)
)
_PROBE = f'<mujoco><worldbody><geom type="plane" size="0 0 1"/>{_BOXES}</worldbody></mujoco>'


@dataclass(frozen=True)
class _Layout:
    """Bytes in MuJoCo's structures.

    Args:
      count: from the beginning of data to the number of contacts.
      pointer: from there to the pointer to the first contact: the arena begins with them.
      size: of a contact.
      geoms: from its beginning to its two geoms.
    """

    count: int
    pointer: int
    size: int
    geoms: int


@cache
def _layout() -> _Layout:
    """Return the layout, by three boxes of four contacts each, of which one after the other is lifted.

    The number of contacts is between two arrays of the header, and the pointers to buffers follow the second one.

    Raises:
      ImportError: this version of MuJoCo keeps its contacts in another way.
    """
    model = mujoco.MjModel.from_xml_string(_PROBE)
    data = mujoco.MjData(model)
    begin, end = (array.ctypes.data - data._address for array in (data.solver_fwdinv, data.energy))
    counts, pointers = set(range(begin, end, 4)), set(range(end, end + 64, 8))
    for lifted in range(3):
        data.qpos[2 : 7 * lifted : 7] = 5.0
        mujoco.mj_forward(model, data)
        first = data.contact.dist.ctypes.data  # a contact begins with its distance
        counts = {at for at in counts if _word(data, at, ctypes.c_int32) == 12 - 4 * lifted}
        pointers = {at for at in pointers if _word(data, at, ctypes.c_int64) == first}
    if len(counts) != 1 or len(pointers) != 1:
        raise ImportError(f"contacts of MuJoCo {mujoco.__version__} are not where they were; install mujoco 4.0")
    return _Layout(counts.pop(), pointers.pop(), data.contact.dist.strides[0], data.contact.geom.ctypes.data - first)


def _word(data: mujoco.MjData, at: int, kind: type[ctypes.c_int64] | type[ctypes.c_int32]) -> int:
    return kind.from_address(data._address + at).value


def contact_views(data: mujoco.MjData) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of contacts, int32 [1], and their pairs of geoms, int32 [most, words]; the first two columns.

    They are views, which live no longer than ``data``.
    """
    layout = _layout()
    most = data.narena // layout.size - 1
    words = layout.size // 4
    count = (ctypes.c_int32 * 1).from_address(data._address + layout.count)
    first = _word(data, layout.pointer, ctypes.c_int64) + layout.geoms
    pairs = (ctypes.c_int32 * (most * words)).from_address(first)
    return np.ctypeslib.as_array(count), np.ctypeslib.as_array(pairs).reshape(most, words)


class Touches:
    """What touches what, and what is inside what, in one state.

    Args:
      touched: uint8 [owners, owners], pairs that have touched in the last step, see ``Scene.owners``.
    """

    def __init__(self, scene: Scene, data: mujoco.MjData, touched: np.ndarray) -> None:
        self._scene, self._data, self._touched = scene, data, touched
        self._number = {owner: i for i, owner in enumerate(scene.owners)}
        self._geoms: dict[int, np.ndarray] = {}

    def now(self, one: str, other: str) -> bool:
        """Return True if two things are no farther than TOUCHING apart, also those that rest.

        Raises:
          WorldError: one of them does not exist.
        """
        some, others = self._solid_geoms(one), self._solid_geoms(other)
        model, data = self._scene.model, self._data
        for a in some.tolist():
            for b in others.tolist():
                if _may_be_near(model, data, a, b) and mujoco.mj_geomDistance(model, data, a, b, 0.1, None) <= TOUCHING:
                    return True
        return False

    def in_last_step(self) -> frozenset[tuple[str, str]]:
        """Return the pairs that have touched at any time of the last step, each in both orders; none of sleepers."""
        names = self._scene.owners
        pairs = [(names[a], names[b]) for a, b in np.argwhere(self._touched).tolist() if a != b]
        return frozenset(pairs) | frozenset((b, a) for a, b in pairs)

    def is_inside(self, object_id: str, container_id: str) -> bool:
        """Return True if the middle of an object is between the sides of a container, above its bottom, below its top.

        Raises:
          WorldError: one of them does not exist, or the second holds nothing.
        """
        house, scene, data = self._scene.house, self._scene, self._data
        if object_id not in house.objects_by_id:
            raise WorldError(f"no object {object_id!r} in this house; ids are those of world.house.objects")
        middle = data.xpos[scene.object_body[self._number[object_id]]]
        if container_id in house.furniture_by_id:
            piece = house.furniture_by_id[container_id]
            spec, scale, top = piece.spec, 1.0, piece.spec.height
            c, s = math.cos(piece.yaw), math.sin(piece.yaw)
            dx, dy = middle[0] - piece.x, middle[1] - piece.y
            own = np.array([c * dx + s * dy, c * dy - s * dx, middle[2]])
        elif container_id in house.objects_by_id:
            thing = house.objects_by_id[container_id]
            spec, scale, top = thing.spec, thing.scale, thing.spec.extent[2]
            body = scene.object_body[self._number[container_id]]
            own = data.xmat[body].reshape(3, 3).T @ (middle - data.xpos[body])
            own[2] += thing.height / 2  # a thing's origin is in its middle
        else:
            raise WorldError(f"no container {container_id!r} in this house; give the id of an object or of furniture")
        if spec.inside is None:
            raise WorldError(f"nothing can be put into {container_id!r}, a {spec.name}; see `inside` in the catalogue")
        x, y, z = own / scale - spec.inside.at
        room = min(spec.inside.clearance, top - spec.inside.at[2])
        return abs(x) <= spec.inside.half[0] and abs(y) <= spec.inside.half[1] and -0.01 <= z <= room

    def _solid_geoms(self, owner: str) -> np.ndarray:
        number = self._number.get(owner)
        if number is None:
            raise WorldError(f"nothing named {owner!r} in this house; give an id of an object, furniture or a player")
        if number not in self._geoms:
            model = self._scene.model
            solid = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
            self._geoms[number] = np.flatnonzero(solid & (self._scene.geom_owner == number))
        return self._geoms[number]


def _may_be_near(model: mujoco.MjModel, data: mujoco.MjData, a: int, b: int) -> bool:
    """Return False if the spheres around two geoms are apart; a plane has none."""
    radii = model.geom_rbound[a], model.geom_rbound[b]
    return 0.0 in radii or math.dist(data.geom_xpos[a], data.geom_xpos[b]) <= sum(radii) + TOUCHING
