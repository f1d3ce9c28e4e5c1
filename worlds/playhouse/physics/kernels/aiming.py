"""What a player aims at: rays, and the thing that a grab would take."""

from __future__ import annotations

import math

from worlds.playhouse.physics.avatar import (
    AIM_TOLERANCE,
    EYE_HEIGHT,
    HELD,
    OFFERS,
    PITCH,
    REACH,
    YAW,
)
from worlds.playhouse.physics.engine import mj_ray
from worlds.playhouse.physics.kernels.compiling import kernel


@kernel
def target(model, data, p, players, hands, state, avatars, objects):
    """Return the object that a grab of player ``p`` would take, -1 if there is none.

    It is within reach, nobody holds it or someone holds it out, nothing hides it, and the crosshair is on it or misses
    it by no more than AIM_TOLERANCE; of several, the one that the crosshair is deepest in.

    Args:
      hands: scratch for rays: (start, difference, normal where it hits: float64 [9]; geom hit: int32 [1]), and what
        they need to know: (bodies of geoms int32 [geoms]; groups of fixed geoms uint8 [6]).
    """
    qpos, eye = state[0], avatars[1][p]
    ray = hands[0]
    ray[0], ray[1], ray[2] = qpos[eye], qpos[eye + 1], EYE_HEIGHT
    c = math.cos(players[p, PITCH])
    gx, gy, gz = c * math.cos(players[p, YAW]), c * math.sin(players[p, YAW]), math.sin(players[p, PITCH])
    best, best_miss = -1, AIM_TOLERANCE
    for i in range(len(objects[0])):
        at, radius = objects[1][i], objects[5][i]
        dx, dy, dz = qpos[at] - ray[0], qpos[at + 1] - ray[1], qpos[at + 2] - ray[2]
        distance = math.sqrt(dx * dx + dy * dy + dz * dz)
        along = dx * gx + dy * gy + dz * gz
        if distance - radius > REACH or along <= 0.0:
            continue
        miss = math.sqrt(max(distance * distance - along * along, 0.0)) - radius
        if miss > best_miss or is_kept(players, p, i):
            continue
        ray[3], ray[4], ray[5] = dx, dy, dz
        if in_sight(model, data, hands, avatars[0][p], objects[0][i]):
            best, best_miss = i, miss
    return best


@kernel
def is_kept(players, p, thing):
    """Return True if a player holds ``thing`` and does not hold it out to player ``p``."""
    for q in range(players.shape[0]):
        if players[q, HELD] == thing and (q == p or players[q, OFFERS] == 0.0):
            return True
    return False


@kernel
def in_sight(model, data, hands, own_body, body):
    """Return True if nothing but ``body`` is between start and end of the ray (hands[0]: start, difference)."""
    hit = cast(model, data, hands, 0, own_body)
    return hit < 0.0 or hit >= 1.0 or hands[2][hands[1][0]] == body


@kernel
def cast(model, data, hands, groups, without_body):
    """Return the share of the ray of ``hands`` before it first meets something; negative if it meets nothing."""
    ray = hands[0].ctypes.data
    return mj_ray(model, data, ray, ray + 24, groups, 1, without_body, hands[1].ctypes.data, ray + 48)
