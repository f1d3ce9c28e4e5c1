"""Door leaves as bodies on hinges: what pushes them, what stops them, and what they look like.

A leaf meets players, things and furniture, but neither walls, in whose plane it swings, nor other leaves. It stays
where it is left, since its hinge is upright and resists every turn in proportion to its speed.
"""

from __future__ import annotations

import math

import mujoco

from worlds.playhouse.house.door_leaf import (
    LEAF_BOTTOM,
    LEAF_HALF,
    LEAF_PAINTS,
    LEAF_TOP,
    WIDEST,
    DoorLeaf,
    closed_yaw,
    hinge_place,
)
from worlds.playhouse.house.parts import PAINTS, Vector
from worlds.playhouse.house.record import Doorway
from worlds.playhouse.physics.geoms import LEAF, LEAF_GROUP, LOOSE, PLAYER, SolidsAndPicture

MASS = 2.5  # kg a metre of length
FRICTION = 2.2  # N m s for each square metre of length squared: a leaf that swings freely soon comes to rest
OVERHANG = 0.02  # metres by which a leaf that has no other beside it is drawn longer, so that nobody sees past it
_HANDLE = 1.0  # metres above the floor
_DEEPER = 0.92  # as bright are panels, which lie deeper
_WOODS = ("oak", "walnut")  # paints that show the grain


def add_door_leaf(geoms: SolidsAndPicture, world: mujoco.MjsBody, leaf: DoorLeaf, doorway: Doorway) -> None:
    """A body with its origin on the floor under its hinge; the leaf extends along its +x."""
    yaw, length = closed_yaw(leaf, doorway) + leaf.angle, leaf.length
    body = world.add_body(
        name=leaf.id, pos=[*hinge_place(leaf, doorway), 0.0], quat=[math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2)]
    )
    body.sleep = mujoco.mjtSleepPolicy.mjSLEEP_INIT
    half, tall = (length / 2, LEAF_HALF, (LEAF_TOP - LEAF_BOTTOM) / 2), (LEAF_TOP + LEAF_BOTTOM) / 2
    body.explicitinertial, body.ipos, body.iquat = True, [half[0], 0.0, tall], [1, 0, 0, 0]
    x, y, z = (h * h for h in half)
    mass = MASS * length
    body.mass, body.inertia = mass, [mass / 3 * i for i in (y + z, x + z, x + y)]
    widest = math.degrees(WIDEST)
    hinge = body.add_joint(
        type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0, 0, 1], ref=math.degrees(leaf.angle), range=[-widest, widest],
        limited=True,
    )  # fmt: skip
    hinge.damping = [FRICTION * length * length, 0, 0]
    geoms.begin(body)
    solid = geoms.add(half, (half[0], 0.0, tall), (0, 0, 0, 0), layers=LOOSE | PLAYER)
    assert solid is not None, "it collides"
    solid.contype, solid.group = LEAF, LEAF_GROUP
    solid.condim, solid.priority = 1, 1  # what is carried slides along it
    alone = length > doorway.width / 2
    _add_looks(
        geoms,
        length + (OVERHANG if alone else 0.0),
        LEAF_PAINTS[leaf.paint],
        "wood" if leaf.paint in _WOODS else "plain",
    )


def _add_looks(geoms: SolidsAndPicture, length: float, paint: Vector, finish: str) -> None:
    """Stiles and rails around two panels that lie deeper, and a handle on both sides."""
    dark = tuple(_DEEPER * c for c in paint)
    post, head, foot = 0.11, LEAF_TOP - 0.12, LEAF_BOTTOM + 0.2
    middle = (LEAF_TOP + LEAF_BOTTOM) / 2
    boxes: list[tuple[Vector, Vector]] = [
        *(
            (((right - left) / 2, LEAF_HALF, (LEAF_TOP - LEAF_BOTTOM) / 2), ((left + right) / 2, 0.0, middle))
            for left, right in ((-LEAF_HALF, post), (length - post, length))
        ),
        *(
            ((length / 2 - post, LEAF_HALF, (high - low) / 2), (length / 2, 0.0, (high + low) / 2))
            for low, high in ((LEAF_BOTTOM, foot), (_HANDLE - 0.09, _HANDLE + 0.09), (head, LEAF_TOP))
        ),
    ]
    for size, at in boxes:
        geoms.add(size, at, (*paint, 1.0), finish)
    panel = (length / 2 - post, 0.45 * LEAF_HALF, (head - foot) / 2)
    geoms.add(panel, (length / 2, 0.0, (head + foot) / 2), (*dark, 1.0), finish)
    for side in (-1, 1):
        _add_handle(geoms, length, side)


def _add_handle(geoms: SolidsAndPicture, length: float, side: int) -> None:
    brass, x = (*PAINTS["brass"], 1.0), length - 0.06
    geoms.add((0.03, 0.004, 0.11), (x, side * LEAF_HALF, _HANDLE), brass)
    geoms.add((0.012, 0.012, 0.08), (x, side * (LEAF_HALF + 0.035), _HANDLE), brass)
    for up in (-0.07, 0.07):
        geoms.add((0.010, 0.02, 0.010), (x, side * (LEAF_HALF + 0.018), _HANDLE + up), brass)
