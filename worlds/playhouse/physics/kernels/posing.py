"""Orientations of held things: unit quaternions (w, x, y, z), as MuJoCo has them."""

from __future__ import annotations

import math

from worlds.contract import TICKS_PER_SECOND
from worlds.playhouse.physics.avatar import (
    BIN_VALUES,
    FULL_NEAREST,
    HOLD,
    POSE,
    ROLL,
    ROTATION_RATE,
    SPIN,
    TILT,
    TWIST,
    YAW,
)
from worlds.playhouse.physics.kernels.compiling import kernel


@kernel
def begin_pose(player):
    """Hold a thing upright at first, near enough not to be held out."""
    player[HOLD] = min(player[HOLD], FULL_NEAREST)
    player[POSE], player[POSE + 1], player[POSE + 2] = math.cos(player[TWIST] / 2), 0.0, 0.0
    player[POSE + 3] = math.sin(player[TWIST] / 2)


@kernel
def rotate(player, bins):
    """Turn the orientation wanted about the holder's left, upward and forward axes."""
    half = ROTATION_RATE / TICKS_PER_SECOND / 2
    x, y, z = BIN_VALUES[ROLL, bins[ROLL]], BIN_VALUES[TILT, bins[TILT]], BIN_VALUES[SPIN, bins[SPIN]]
    size = math.sqrt(x * x + y * y + z * z)
    if size == 0.0:
        return
    c, s = math.cos(half), math.sin(half) / size
    pose = product(c, s * x, s * y, s * z, player[POSE], player[POSE + 1], player[POSE + 2], player[POSE + 3])
    size = math.sqrt(pose[0] ** 2 + pose[1] ** 2 + pose[2] ** 2 + pose[3] ** 2)
    for i in range(4):
        player[POSE + i] = pose[i] / size


@kernel
def size_along(player, x, y, z, radius, half_height):
    """Metres that a held thing, as the cylinder that it fits in, extends from its middle along a unit vector."""
    w, a, b, c = player[POSE], player[POSE + 1], player[POSE + 2], player[POSE + 3]
    ahead, left, up = (
        2 * (a * c + w * b),
        2 * (b * c - w * a),
        1 - 2 * (a * a + b * b),
    )  # its axis, as the holder sees it
    cos, sin = math.cos(player[YAW]), math.sin(player[YAW])
    share = min(abs((ahead * cos - left * sin) * x + (ahead * sin + left * cos) * y + up * z), 1.0)
    return share * half_height + math.sqrt(1.0 - share * share) * radius


@kernel
def rotation_to_upright(qpos, at, yaw):
    """Rotation vector (in the thing's own frame) from its orientation to the upright one with this heading."""
    w, x, y, z = qpos[at + 3], -qpos[at + 4], -qpos[at + 5], -qpos[at + 6]
    c, s = math.cos(yaw / 2), math.sin(yaw / 2)
    return rotation_vector(w * c - z * s, x * c + y * s, y * c - x * s, w * s + z * c)


@kernel
def rotation_to_pose(qpos, at, player):
    """Rotation vector (in the thing's own frame) from its orientation to the one that the player wants."""
    w, x, y, z = qpos[at + 3], -qpos[at + 4], -qpos[at + 5], -qpos[at + 6]
    c, s = math.cos(player[YAW] / 2), math.sin(player[YAW] / 2)
    turned = product(c, 0.0, 0.0, s, player[POSE], player[POSE + 1], player[POSE + 2], player[POSE + 3])
    return rotation_vector(*product(w, x, y, z, *turned))


@kernel
def rotation_vector(ew, ex, ey, ez):
    """Rotation vector of a unit quaternion, the short way."""
    if ew < 0.0:
        ew, ex, ey, ez = -ew, -ex, -ey, -ez
    size = math.sqrt(ex * ex + ey * ey + ez * ez)
    scale = 2.0 * math.atan2(size, ew) / size if size > 1e-9 else 2.0
    return scale * ex, scale * ey, scale * ez


@kernel
def product(w, x, y, z, a, b, c, d):
    """The product of two quaternions: first the rotation (a, b, c, d), then (w, x, y, z)."""
    return (
        w * a - x * b - y * c - z * d,
        w * b + x * a + y * d - z * c,
        w * c - x * d + y * a + z * b,
        w * d + x * c - y * b + z * a,
    )
