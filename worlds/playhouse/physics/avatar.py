"""Avatars that move and handle things: one compiled pass over the ticks of a step, physics included.

Walking is a force that drives the avatar's capsule to the wanted velocity, so that walls, furniture, things and the
other player stop it. Looking around is kinematic. A held thing is not fixed to the hand: bounded forces steer it to
the point in front of the eye, so that it still meets walls and tables, lags when it is heavy, and cannot explode.

The pass runs without the interpreter and its lock, ``mj_step`` included.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from worlds.contract import HAND_GRAB, HAND_RELEASE, MOVEMENT, TICKS_PER_SECOND, TICKS_PER_STEP
from worlds.playhouse.physics.engine import mj_kinematics, mj_ray, mj_step

# Numba's cache on disk notices changes of this file only, so what the compiled code depends on is defined here; the
# exception is worlds.contract, which existing recordings fix.
SUBSTEPS = 4  # physics steps per tick
TIMESTEP_SEC = 1.0 / (TICKS_PER_SECOND * SUBSTEPS)
AVATAR_MASS_KG = 20.0
EYE_HEIGHT = 1.15  # m
WALK_SPEED = 1.5  # m/s
WALK_ACCELERATION = 10.0  # m/s^2, the most
TURN_RATE = math.radians(120.0)  # rad/s
LOOK_RATE = math.radians(60.0)
PITCH_MIN, PITCH_MAX = math.radians(-75.0), math.radians(60.0)

REACH = 1.6  # m from the eye to the nearest point of a thing that can be grabbed
AIM_TOLERANCE = 0.08  # m by which the crosshair may miss a thing
HOLD_NEAREST, HOLD_FARTHEST = 0.6, 1.5  # m from the eye to the middle of a held thing
HOLD_CLEARANCE = 0.30  # m at least between the avatar's axis and the surface of a held thing
HOLD_GAP = 0.03  # m between a held thing and a wall, floor or table
HOLD_LIFT = 0.12  # m by which a held thing is raised over the line of sight
HOLD_HIGHEST = 1.7  # m above the floor
HOLD_LOSE = 0.9  # m between a held thing and the hand at which the grip is lost
PUSH_RATE = 0.6  # m/s at which the hand reaches out or draws in
HAND_GAIN, HAND_SPEED = 12.0, 3.0  # 1/s and m/s: how a held thing approaches the hand
HAND_FORCE = 60.0  # N, beyond the thing's weight
TWIST_GAIN, TWIST_SPEED, TWIST_ACCELERATION = 10.0, 6.0, 200.0  # 1/s, rad/s, rad/s^2

THING_SPEED, THING_SPIN = 5.0, 25.0  # m/s and rad/s, the most that a loose thing gets

# Columns of a player's state, float64 [players, len].
YAW, PITCH, HOLD, HELD, TWIST, AIM = range(6)
PLAYER_STATE = AIM + 3
NOTHING = -1.0

FORWARD, STRAFE, TURN, LOOK, HAND, PUSH = range(len(MOVEMENT))
BIN_VALUES = np.zeros((len(MOVEMENT), max(len(c.values) for c in MOVEMENT)))
for _row, _component in zip(BIN_VALUES, MOVEMENT, strict=True):
    _row[: len(_component.values)] = _component.values


_jit = njit(nogil=True, cache=True, error_model="numpy")


@_jit
def advance(model, data, movement, first, last, players, hands, state, avatars, objects):
    """Play ticks ``first`` to before ``last`` of a step: control and physics.

    A step played in parts ends in the same bits as one played at once. So positions that depend on the joints' are
    brought up to date at the end of the step only: in its middle rays meet things where the last physics step began.

    Args:
      model: address of the MuJoCo model.
      data: address of the MuJoCo data.
      movement: int64 [players, TICKS_PER_STEP, components], checked bins.
      first: first tick.
      last: tick after the last one.
      players: float64 [players, PLAYER_STATE], changed in place.
      hands: scratch, see :func:`target`.
      state: (qpos, qvel, qfrc_applied), views into data.
      avatars: (body, qpos, dof), each int64 [players].
      objects: (body, qpos, dof, mass, inertia, radius, footprint, half_height), of the scene.
    """
    wanted = np.zeros((players.shape[0], 2))
    for tick in range(first, last):
        for p in range(players.shape[0]):
            _look(players[p], movement[p, tick])
            _walk(players[p], movement[p, tick], wanted[p])
            _use_hand(model, data, p, movement[p, tick], players, hands, state, avatars, objects)
        for _ in range(SUBSTEPS):
            for p in range(players.shape[0]):
                _drive(players[p], p, wanted[p], state, avatars)
                if players[p, HELD] >= 0:
                    _steer_held(players[p], p, state, avatars, objects)
            mj_step(model, data)
            _limit_speeds(state[1], objects[2])
    if last == TICKS_PER_STEP:
        mj_kinematics(model, data)


@_jit
def _limit_speeds(qvel, dofs):
    """Keep what a squeeze between wall and player sets free from flying through walls."""
    for dof in dofs:
        speed = math.sqrt(qvel[dof] ** 2 + qvel[dof + 1] ** 2 + qvel[dof + 2] ** 2)
        if speed > THING_SPEED:
            for i in range(3):
                qvel[dof + i] *= THING_SPEED / speed
        spin = math.sqrt(qvel[dof + 3] ** 2 + qvel[dof + 4] ** 2 + qvel[dof + 5] ** 2)
        if spin > THING_SPIN:
            for i in range(3, 6):
                qvel[dof + i] *= THING_SPIN / spin


@_jit
def _look(player, bins):
    player[YAW] += BIN_VALUES[TURN, bins[TURN]] * TURN_RATE / TICKS_PER_SECOND
    if player[YAW] > math.pi:
        player[YAW] -= 2 * math.pi
    elif player[YAW] < -math.pi:
        player[YAW] += 2 * math.pi
    pitch = player[PITCH] + BIN_VALUES[LOOK, bins[LOOK]] * LOOK_RATE / TICKS_PER_SECOND
    player[PITCH] = min(max(pitch, PITCH_MIN), PITCH_MAX)


@_jit
def _walk(player, bins, wanted):
    """Set the wanted velocity (x, y), m/s; a diagonal is not faster."""
    ahead, right = BIN_VALUES[FORWARD, bins[FORWARD]], BIN_VALUES[STRAFE, bins[STRAFE]]
    scale = WALK_SPEED / max(1.0, math.hypot(ahead, right))
    c, s = math.cos(player[YAW]), math.sin(player[YAW])
    wanted[0] = scale * (ahead * c + right * s)
    wanted[1] = scale * (ahead * s - right * c)


@_jit
def _drive(player, p, wanted, state, avatars):
    """Force on an avatar towards its wanted velocity; its body turns with its gaze."""
    qpos, qvel, force = state
    at, dof = avatars[1][p], avatars[2][p]
    if qpos[at + 2] != player[YAW]:
        qpos[at + 2] = player[YAW]
    if qvel[dof + 2] != 0.0:
        qvel[dof + 2] = 0.0
    ax = (wanted[0] - qvel[dof]) / (2 * TIMESTEP_SEC)
    ay = (wanted[1] - qvel[dof + 1]) / (2 * TIMESTEP_SEC)
    size = math.hypot(ax, ay)
    scale = AVATAR_MASS_KG * min(1.0, WALK_ACCELERATION / size) if size > 0.0 else 0.0
    force[dof] = scale * ax + 0.0  # + 0.0: MuJoCo wakes a sleeper for -0.0
    force[dof + 1] = scale * ay + 0.0


# ---- hands -----------------------------------------------------------------------------------------------------------


@_jit
def _use_hand(model, data, p, bins, players, hands, state, avatars, objects):
    """Grab, release, reach out and draw in, once a tick."""
    player = players[p]
    if bins[HAND] == HAND_RELEASE and player[HELD] >= 0:
        _let_go(player, state, objects)
    elif bins[HAND] == HAND_GRAB and player[HELD] < 0:
        found = target(model, data, p, players, hands, state, avatars, objects)
        if found >= 0:
            _take(player, p, found, state, avatars, objects)
    if player[HELD] >= 0:
        hold = player[HOLD] + BIN_VALUES[PUSH, bins[PUSH]] * PUSH_RATE / TICKS_PER_SECOND
        player[HOLD] = min(max(hold, HOLD_NEAREST), HOLD_FARTHEST)
        _place_hand(model, data, player, p, hands, state, avatars, objects)
        _lose_if_far(player, p, state, avatars, objects)


@_jit
def _let_go(player, state, objects):
    dof = objects[2][int(player[HELD])]
    for i in range(6):
        state[2][dof + i] = 0.0
    player[HELD] = NOTHING


@_jit
def _take(player, p, found, state, avatars, objects):
    """Begin to hold at the distance at which the thing is, and to keep its heading relative to the gaze."""
    qpos, at, eye = state[0], objects[1][found], avatars[1][p]
    dx, dy, dz = qpos[at] - qpos[eye], qpos[at + 1] - qpos[eye + 1], qpos[at + 2] - EYE_HEIGHT
    player[HELD] = found
    player[HOLD] = min(max(math.sqrt(dx * dx + dy * dy + dz * dz), HOLD_NEAREST), HOLD_FARTHEST)
    w, x, y, z = qpos[at + 3], qpos[at + 4], qpos[at + 5], qpos[at + 6]
    player[TWIST] = math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)) - player[YAW]


@_jit
def _place_hand(model, data, player, p, hands, state, avatars, objects):
    """Set where the middle of a held thing should be: beyond the avatar's body, and before any floor, wall or table."""
    qpos, eye, thing, ray = state[0], avatars[1][p], int(player[HELD]), hands[0]
    out = max(player[HOLD] * math.cos(player[PITCH]), HOLD_CLEARANCE + objects[6][thing])
    height = EYE_HEIGHT + player[HOLD] * math.sin(player[PITCH]) + HOLD_LIFT
    up = min(max(height, objects[7][thing] + HOLD_GAP), HOLD_HIGHEST) - EYE_HEIGHT
    ray[0], ray[1], ray[2] = qpos[eye], qpos[eye + 1], EYE_HEIGHT
    ray[3], ray[4], ray[5] = out * math.cos(player[YAW]), out * math.sin(player[YAW]), up
    hit = _cast(model, data, hands, hands[3].ctypes.data, -1)
    share, back = 1.0, 0.0
    if hit >= 0.0:
        # The thing, upright, keeps clear of the surface that it is held against.
        away = -(ray[3] * ray[6] + ray[4] * ray[7] + ray[5] * ray[8])
        size = math.hypot(ray[6], ray[7]) * objects[6][thing] + abs(ray[8]) * objects[7][thing] + HOLD_GAP
        share, back = min(hit, 1.0), max(size - max(hit - 1.0, 0.0) * away, 0.0)
    for i in range(3):
        player[AIM + i] = share * ray[3 + i] + back * ray[6 + i]


@_jit
def _hand_point(player, p, state, avatars):
    qpos, eye = state[0], avatars[1][p]
    return qpos[eye] + player[AIM], qpos[eye + 1] + player[AIM + 1], EYE_HEIGHT + player[AIM + 2]


@_jit
def _lose_if_far(player, p, state, avatars, objects):
    at = objects[1][int(player[HELD])]
    x, y, z = _hand_point(player, p, state, avatars)
    dx, dy, dz = x - state[0][at], y - state[0][at + 1], z - state[0][at + 2]
    if dx * dx + dy * dy + dz * dz > HOLD_LOSE * HOLD_LOSE:
        _let_go(player, state, objects)


@_jit
def _steer_held(player, p, state, avatars, objects):
    """Force and torque that bring a held thing to the hand, upright: both bounded, both damped by construction.

    The force gives it, within two time steps, the velocity of the avatar plus one towards the hand.
    """
    qpos, qvel, force = state
    held = int(player[HELD])
    at, dof, mass = objects[1][held], objects[2][held], objects[3][held]
    walk = avatars[2][p]
    x, y, z = _hand_point(player, p, state, avatars)
    vx, vy, vz = _limited(
        HAND_GAIN * (x - qpos[at]), HAND_GAIN * (y - qpos[at + 1]), HAND_GAIN * (z - qpos[at + 2]), HAND_SPEED
    )
    rate = mass / (2 * TIMESTEP_SEC)
    fx, fy, fz = _limited(
        rate * (vx + qvel[walk] - qvel[dof]),
        rate * (vy + qvel[walk + 1] - qvel[dof + 1]),
        rate * (vz - qvel[dof + 2]),
        HAND_FORCE,
    )
    force[dof], force[dof + 1], force[dof + 2] = fx, fy, fz + mass * 9.81
    rx, ry, rz = _rotation_to_upright(qpos, at, player[YAW] + player[TWIST])
    wx, wy, wz = _limited(TWIST_GAIN * rx, TWIST_GAIN * ry, TWIST_GAIN * rz, TWIST_SPEED)
    rate = 1.0 / (3 * TIMESTEP_SEC)
    ax, ay, az = _limited(
        rate * (wx - qvel[dof + 3]), rate * (wy - qvel[dof + 4]), rate * (wz - qvel[dof + 5]), TWIST_ACCELERATION
    )
    inertia = objects[4][held]
    force[dof + 3], force[dof + 4], force[dof + 5] = inertia[0] * ax, inertia[1] * ay, inertia[2] * az


@_jit
def _limited(x, y, z, most):
    """(x, y, z) shortened to length ``most``."""
    size = math.sqrt(x * x + y * y + z * z)
    scale = most / size if size > most else 1.0
    return scale * x, scale * y, scale * z


@_jit
def _rotation_to_upright(qpos, at, yaw):
    """Rotation vector (in the thing's own frame) from its orientation to the upright one with this heading."""
    w, x, y, z = qpos[at + 3], -qpos[at + 4], -qpos[at + 5], -qpos[at + 6]
    c, s = math.cos(yaw / 2), math.sin(yaw / 2)
    ew, ex, ey, ez = w * c - z * s, x * c + y * s, y * c - x * s, w * s + z * c
    if ew < 0.0:
        ew, ex, ey, ez = -ew, -ex, -ey, -ez
    size = math.sqrt(ex * ex + ey * ey + ez * ez)
    scale = 2.0 * math.atan2(size, ew) / size if size > 1e-9 else 2.0
    return scale * ex, scale * ey, scale * ez


# ---- aim -------------------------------------------------------------------------------------------------------------


@_jit
def target(model, data, p, players, hands, state, avatars, objects):
    """Return the object that a grab of player ``p`` would take, -1 if there is none.

    It is within reach, nobody holds it, nothing hides it, and the crosshair is on it or misses it by no more than
    AIM_TOLERANCE; of several, the one that the crosshair is deepest in.

    Args:
      hands: scratch for rays: (start, difference, normal where it hits: float64 [9]; geom hit: int32 [1]), and what
        they need to know: (geom_bodyid int32 [geoms]; groups of fixed geoms uint8 [6]).
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
        if miss > best_miss or _is_held(players, i):
            continue
        ray[3], ray[4], ray[5] = dx, dy, dz
        if in_sight(model, data, hands, avatars[0][p], objects[0][i]):
            best, best_miss = i, miss
    return best


@_jit
def _is_held(players, thing):
    for q in range(players.shape[0]):
        if players[q, HELD] == thing:
            return True
    return False


@_jit
def in_sight(model, data, hands, own_body, body):
    """Return True if nothing but ``body`` is between start and end of the ray (hands[0]: start, difference)."""
    hit = _cast(model, data, hands, 0, own_body)
    return hit < 0.0 or hit >= 1.0 or hands[2][hands[1][0]] == body


@_jit
def _cast(model, data, hands, groups, without_body):
    """Return the share of the ray of ``hands`` before it first meets something; negative if it meets nothing."""
    ray = hands[0].ctypes.data
    return mj_ray(model, data, ray, ray + 24, groups, 1, without_body, hands[1].ctypes.data, ray + 48)
