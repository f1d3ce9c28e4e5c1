"""Hands that grab, hold, offer, throw and let go."""

from __future__ import annotations

import math

from worlds.contract import HAND_GRAB, HAND_RELEASE, HAND_THROW, TICKS_PER_SECOND
from worlds.playhouse.physics.avatar import (
    AIM,
    BIN_VALUES,
    EYE_HEIGHT,
    HAND,
    HAND_FORCE,
    HAND_GAIN,
    HAND_SPEED,
    HELD,
    HOLD,
    HOLD_CLEARANCE,
    HOLD_FARTHEST,
    HOLD_GAP,
    HOLD_HIGHEST,
    HOLD_LIFT,
    HOLD_LOSE,
    HOLD_NEAREST,
    NOTHING,
    OFFER_ANGLE,
    OFFER_REACH,
    OFFERS,
    PITCH,
    PUSH,
    PUSH_RATE,
    THROW_IMPULSE,
    THROW_SPEED,
    TILT,
    TWIST,
    TWIST_ACCELERATION,
    TWIST_GAIN,
    TWIST_SPEED,
    YAW,
)
from worlds.playhouse.physics.kernels.aiming import cast, target
from worlds.playhouse.physics.kernels.compiling import kernel
from worlds.playhouse.physics.kernels.posing import (
    begin_pose,
    rotate,
    rotation_to_pose,
    rotation_to_upright,
    size_along,
)


@kernel
def use_hand(model, data, p, bins, players, hands, state, avatars, objects):
    """Grab, release, throw, rotate, reach out and draw in, once a tick."""
    player, full = players[p], len(bins) > TILT
    if bins[HAND] == HAND_RELEASE and player[HELD] >= 0:
        let_go(player, state, objects)
    elif bins[HAND] == HAND_THROW and player[HELD] >= 0:
        throw(player, p, state, avatars, objects)
    elif bins[HAND] == HAND_GRAB and player[HELD] < 0:
        found = target(model, data, p, players, hands, state, avatars, objects)
        if found >= 0:
            if full:
                hand_over(players, found, state, objects)
            take(player, p, found, state, avatars, objects)
            if full:
                begin_pose(player)
    if player[HELD] >= 0:
        hold = player[HOLD] + BIN_VALUES[PUSH, bins[PUSH]] * PUSH_RATE / TICKS_PER_SECOND
        player[HOLD] = min(max(hold, HOLD_NEAREST), HOLD_FARTHEST)
        if full:
            rotate(player, bins)
            offer(players, p, state, avatars)
        place_hand(model, data, player, p, hands, state, avatars, objects, full)
        lose_if_far(player, p, state, avatars, objects)


@kernel
def let_go(player, state, objects):
    dof = objects[2][int(player[HELD])]
    for i in range(6):
        state[2][dof + i] = 0.0
    player[HELD] = NOTHING
    player[OFFERS] = 0.0


@kernel
def throw(player, p, state, avatars, objects):
    """Let go of a thing that flies along the gaze, beside the player's own walk."""
    held, walk, qvel = int(player[HELD]), avatars[2][p], state[1]
    dof, speed, level = objects[2][held], min(THROW_SPEED, THROW_IMPULSE / objects[3][held]), math.cos(player[PITCH])
    let_go(player, state, objects)
    qvel[dof] = qvel[walk] + speed * level * math.cos(player[YAW])
    qvel[dof + 1] = qvel[walk + 1] + speed * level * math.sin(player[YAW])
    qvel[dof + 2] = speed * math.sin(player[PITCH])


@kernel
def hand_over(players, thing, state, objects):
    """Let whoever holds ``thing`` out let go of it."""
    for q in range(players.shape[0]):
        if players[q, HELD] == thing:
            let_go(players[q], state, objects)


@kernel
def offer(players, p, state, avatars):
    """Set OFFERS: a thing is held out to the other player by a stretched arm in about its direction."""
    player, qpos = players[p], state[0]
    player[OFFERS] = 0.0
    if player[HOLD] < OFFER_REACH:
        return
    for q in range(players.shape[0]):
        dx, dy = qpos[avatars[1][q]] - qpos[avatars[1][p]], qpos[avatars[1][q] + 1] - qpos[avatars[1][p] + 1]
        ahead = dx * math.cos(player[YAW]) + dy * math.sin(player[YAW])
        if q != p and ahead > math.cos(OFFER_ANGLE) * math.hypot(dx, dy):
            player[OFFERS] = 1.0


@kernel
def take(player, p, found, state, avatars, objects):
    """Begin to hold at the distance at which the thing is, and to keep its heading relative to the gaze."""
    qpos, at, eye = state[0], objects[1][found], avatars[1][p]
    dx, dy, dz = qpos[at] - qpos[eye], qpos[at + 1] - qpos[eye + 1], qpos[at + 2] - EYE_HEIGHT
    player[HELD] = found
    player[HOLD] = min(max(math.sqrt(dx * dx + dy * dy + dz * dz), HOLD_NEAREST), HOLD_FARTHEST)
    w, x, y, z = qpos[at + 3], qpos[at + 4], qpos[at + 5], qpos[at + 6]
    player[TWIST] = math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)) - player[YAW]


@kernel
def place_hand(model, data, player, p, hands, state, avatars, objects, full):
    """Set where the middle of a held thing should be: beyond the avatar's body, and before any floor, wall or table."""
    qpos, eye, thing, ray = state[0], avatars[1][p], int(player[HELD]), hands[0]
    radius, half_height = objects[6][thing], objects[7][thing]
    wide, tall = radius, half_height
    if full:
        wide = size_along(player, math.cos(player[YAW]), math.sin(player[YAW]), 0.0, radius, half_height)
        tall = size_along(player, 0.0, 0.0, 1.0, radius, half_height)
    out = max(player[HOLD] * math.cos(player[PITCH]), HOLD_CLEARANCE + wide)
    height = EYE_HEIGHT + player[HOLD] * math.sin(player[PITCH]) + HOLD_LIFT
    up = min(max(height, tall + HOLD_GAP), HOLD_HIGHEST) - EYE_HEIGHT
    ray[0], ray[1], ray[2] = qpos[eye], qpos[eye + 1], EYE_HEIGHT
    ray[3], ray[4], ray[5] = out * math.cos(player[YAW]), out * math.sin(player[YAW]), up
    hit = cast(model, data, hands, hands[3].ctypes.data, -1)
    share, back = 1.0, 0.0
    if hit >= 0.0:
        # The thing keeps clear of the surface that it is held against.
        away = -(ray[3] * ray[6] + ray[4] * ray[7] + ray[5] * ray[8])
        if full:
            size = size_along(player, ray[6], ray[7], ray[8], radius, half_height) + HOLD_GAP
        else:
            size = math.hypot(ray[6], ray[7]) * radius + abs(ray[8]) * half_height + HOLD_GAP
        share, back = min(hit, 1.0), max(size - max(hit - 1.0, 0.0) * away, 0.0)
    for i in range(3):
        player[AIM + i] = share * ray[3 + i] + back * ray[6 + i]


@kernel
def hand_point(player, p, state, avatars):
    qpos, eye = state[0], avatars[1][p]
    return qpos[eye] + player[AIM], qpos[eye + 1] + player[AIM + 1], EYE_HEIGHT + player[AIM + 2]


@kernel
def lose_if_far(player, p, state, avatars, objects):
    at = objects[1][int(player[HELD])]
    x, y, z = hand_point(player, p, state, avatars)
    dx, dy, dz = x - state[0][at], y - state[0][at + 1], z - state[0][at + 2]
    if dx * dx + dy * dy + dz * dz > HOLD_LOSE * HOLD_LOSE:
        let_go(player, state, objects)


@kernel
def steer_held(player, p, timestep, state, avatars, objects, full):
    """Force and torque that bring a held thing to the hand, upright or, with full hands, as it has been rotated.

    Both are bounded, and both damped by construction.

    The force gives it, within two time steps, the velocity of the avatar plus one towards the hand.
    """
    qpos, qvel, force = state
    held = int(player[HELD])
    at, dof, mass = objects[1][held], objects[2][held], objects[3][held]
    walk = avatars[2][p]
    x, y, z = hand_point(player, p, state, avatars)
    vx, vy, vz = limited(
        HAND_GAIN * (x - qpos[at]), HAND_GAIN * (y - qpos[at + 1]), HAND_GAIN * (z - qpos[at + 2]), HAND_SPEED
    )
    rate = mass / (2 * timestep)
    fx, fy, fz = limited(
        rate * (vx + qvel[walk] - qvel[dof]),
        rate * (vy + qvel[walk + 1] - qvel[dof + 1]),
        rate * (vz - qvel[dof + 2]),
        HAND_FORCE,
    )
    force[dof], force[dof + 1], force[dof + 2] = fx, fy, fz + mass * 9.81
    if full:
        rx, ry, rz = rotation_to_pose(qpos, at, player)
    else:
        rx, ry, rz = rotation_to_upright(qpos, at, player[YAW] + player[TWIST])
    wx, wy, wz = limited(TWIST_GAIN * rx, TWIST_GAIN * ry, TWIST_GAIN * rz, TWIST_SPEED)
    rate = 1.0 / (3 * timestep)
    ax, ay, az = limited(
        rate * (wx - qvel[dof + 3]), rate * (wy - qvel[dof + 4]), rate * (wz - qvel[dof + 5]), TWIST_ACCELERATION
    )
    inertia = objects[4][held]
    force[dof + 3], force[dof + 4], force[dof + 5] = inertia[0] * ax, inertia[1] * ay, inertia[2] * az


@kernel
def limited(x, y, z, most):
    """(x, y, z) shortened to length ``most``."""
    size = math.sqrt(x * x + y * y + z * z)
    scale = most / size if size > most else 1.0
    return scale * x, scale * y, scale * z
