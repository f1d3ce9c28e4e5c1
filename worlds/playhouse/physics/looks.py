"""What players of furnished houses look like: a body, a head that nods with the gaze, and an arm that reaches to what
is held. All of it is for show: things meet the capsule inside.

A player looks along +x; the head turns up and down about the neck, the right arm about the shoulder.
"""

from __future__ import annotations

import math

import mujoco
import numpy as np
from numba import njit

from worlds.playhouse.house.parts import PAINTS, Vector
from worlds.playhouse.physics.picture import PictureRows

NECK = 0.96  # m above the floor
SHOULDER = (0.02, -0.19, 0.80)  # m
REST = (0.05, -0.25, 0.42)  # m, of the hand that holds nothing
PALM = 0.056  # m, radius of a hand

_SPHERE, _CAPSULE, _ELLIPSOID, _BOX = (
    int(kind)
    for kind in (
        mujoco.mjtGeom.mjGEOM_SPHERE,
        mujoco.mjtGeom.mjGEOM_CAPSULE,
        mujoco.mjtGeom.mjGEOM_ELLIPSOID,
        mujoco.mjtGeom.mjGEOM_BOX,
    )
)
_SKIN, _WHITE, _DARK = PAINTS["skin"], (0.99, 0.99, 0.99), (0.10, 0.08, 0.09)
_HAIR = {"setter": (0.24, 0.15, 0.10), "solver": (0.90, 0.72, 0.36)}
_TROUSERS = {"setter": (0.22, 0.22, 0.27), "solver": (0.30, 0.38, 0.52)}

Geom = tuple[int, Vector, Vector, Vector, str]  # shape, size, place, colour, finish


def _body(agent: str, shirt: Vector) -> list[Geom]:
    """Parts that only go with the body."""
    trousers, dark = _TROUSERS[agent], tuple(0.85 * c for c in shirt)
    return [
        (_CAPSULE, (0.165, 0.20, 0), (0, 0, 0.64), shirt, "cloth"),
        (_ELLIPSOID, (0.16, 0.18, 0.12), (0, 0, 0.40), trousers, "cloth"),
        *((_CAPSULE, (0.075, 0.13, 0), (0, 0.085 * side, 0.22), trousers, "cloth") for side in (-1, 1)),
        *((_ELLIPSOID, (0.12, 0.07, 0.05), (0.05, 0.085 * side, 0.05), _DARK, "plain") for side in (-1, 1)),
        (_CAPSULE, (0.05, 0.16, 0), (0.02, 0.215, 0.64), (dark[0], dark[1], dark[2]), "cloth"),
        (_SPHERE, (PALM, 0, 0), (0.03, 0.22, 0.43), _SKIN, "plain"),
    ]


def _head(agent: str) -> list[Geom]:
    """Parts that nod."""
    hair = _HAIR[agent]
    return [
        (_ELLIPSOID, (0.160, 0.150, 0.165), (0, 0, 1.12), _SKIN, "plain"),
        (_ELLIPSOID, (0.150, 0.162, 0.155), (-0.035, 0, 1.160), hair, "plain"),
        *((_SPHERE, (0.042, 0, 0), (0.125, 0.062 * side, 1.145), _WHITE, "plain") for side in (-1, 1)),
        *((_SPHERE, (0.024, 0, 0), (0.150, 0.060 * side, 1.147), _DARK, "plain") for side in (-1, 1)),
        (_SPHERE, (0.026, 0, 0), (0.160, 0, 1.100), _SKIN, "plain"),
        (_BOX, (0.012, 0.042, 0.007), (0.140, 0, 1.050), (0.72, 0.25, 0.24), "plain"),
    ]


def _arm(shirt: Vector) -> list[Geom]:
    """The arm that reaches, and its hand; they are placed when they are drawn."""
    return [
        (_CAPSULE, (0.05, 0.16, 0), (0.02, -0.215, 0.64), shirt, "cloth"),
        (_SPHERE, (PALM, 0, 0), REST, _SKIN, "plain"),
    ]


# Places of a player's geoms: first those of the body, then those of the head, then the arm and its hand.
BODY_GEOMS, HEAD_GEOMS = len(_body("setter", _SKIN)), len(_head("setter"))
ARM = BODY_GEOMS + HEAD_GEOMS


def add_looks(seen: PictureRows, agent: str, shirt: Vector) -> None:
    """Add the geoms of a player to the present body: body, head, arm, hand."""
    for shape, size, at, rgb, finish in (*_body(agent, shirt), *_head(agent), *_arm(shirt)):
        seen.add(shape, size, at, None, (*rgb, 1.0), finish)


@njit(nogil=True, cache=True)
def pose(first, body, pitch, held, radius, bodies, own, xpos, xmat):
    """Turn the head of a player to where it looks, and reach out its arm to what it holds.

    Args:
      pitch: of its gaze, radians.
      held: body of what it holds, or -1.
      radius: of that, metres.
      bodies: positions float64 [bodies, 3] and orientations float64 [bodies, 9].
      own: float64 [geoms, 3], places of geoms in the frame of their body.
      xpos: float64 [geoms, 3], written.
      xmat: float64 [geoms, 9], written.

    Returns:
      Half the length of the arm between its round ends, metres.
    """
    at, turn = bodies[0][body], bodies[1][body]
    c, s = math.cos(0.7 * pitch), math.sin(0.7 * pitch)
    head = (c, 0.0, -s, 0.0, 1.0, 0.0, s, 0.0, c)  # by row; +x goes up with the pitch
    for geom in range(first + BODY_GEOMS, first + ARM):
        x, y, z = own[geom, 0], own[geom, 1], own[geom, 2] - NECK
        x, z = c * x - s * z, s * x + c * z + NECK
        for i in range(3):
            xpos[geom, i] = at[i] + turn[3 * i] * x + turn[3 * i + 1] * y + turn[3 * i + 2] * z
            for j in range(3):
                xmat[geom, 3 * i + j] = (
                    turn[3 * i] * head[j] + turn[3 * i + 1] * head[3 + j] + turn[3 * i + 2] * head[6 + j]
                )
    arm = first + ARM
    shoulder, hand, way = np.zeros(3), np.zeros(3), np.zeros(3)
    for i in range(3):
        for j in range(3):
            shoulder[i] += turn[3 * i + j] * SHOULDER[j]
            hand[i] += turn[3 * i + j] * REST[j]
        shoulder[i] += at[i]
        hand[i] = bodies[0][held][i] if held >= 0 else hand[i] + at[i]
    length = math.sqrt(((hand - shoulder) ** 2).sum())
    short = max(0.1, length - 0.7 * radius) if held >= 0 else length
    way[:] = (hand - shoulder) / max(length, 1e-9)
    flat = math.sqrt(way[0] ** 2 + way[1] ** 2)
    side_x, side_y = (-way[1] / flat, way[0] / flat) if flat > 1e-9 else (0.0, 1.0)
    for i in range(3):
        xpos[arm, i] = shoulder[i] + 0.5 * short * way[i]
        xpos[arm + 1, i] = shoulder[i] + short * way[i]
    third = (way[0], way[1], way[2])
    first_axis = (side_x, side_y, 0.0)
    second = (third[1] * 0.0 - third[2] * side_y, third[2] * side_x, third[0] * side_y - third[1] * side_x)
    for i in range(3):
        xmat[arm, 3 * i], xmat[arm, 3 * i + 1], xmat[arm, 3 * i + 2] = first_axis[i], second[i], third[i]
    return 0.5 * short
