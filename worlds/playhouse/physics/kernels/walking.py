"""Walking and looking around, and the limits of what squeezes set free."""

from __future__ import annotations

import math

from worlds.contract import TICKS_PER_SECOND
from worlds.playhouse.physics.avatar import (
    AVATAR_MASS_KG,
    BIN_VALUES,
    FORWARD,
    LOOK,
    LOOK_RATE,
    PITCH,
    PITCH_MAX,
    PITCH_MIN,
    STRAFE,
    THING_SPEED,
    THING_SPIN,
    TURN,
    TURN_RATE,
    WALK_ACCELERATION,
    WALK_SPEED,
    YAW,
)
from worlds.playhouse.physics.kernels.compiling import kernel

_SLOW = 0.99  # share of the squares of the limits below which there is nothing to compute


@kernel
def look(player, bins):
    player[YAW] += BIN_VALUES[TURN, bins[TURN]] * TURN_RATE / TICKS_PER_SECOND
    if player[YAW] > math.pi:
        player[YAW] -= 2 * math.pi
    elif player[YAW] < -math.pi:
        player[YAW] += 2 * math.pi
    pitch = player[PITCH] + BIN_VALUES[LOOK, bins[LOOK]] * LOOK_RATE / TICKS_PER_SECOND
    player[PITCH] = min(max(pitch, PITCH_MIN), PITCH_MAX)


@kernel
def walk(player, bins, wanted):
    """Set the wanted velocity (x, y), m/s; a diagonal is not faster."""
    ahead, right = BIN_VALUES[FORWARD, bins[FORWARD]], BIN_VALUES[STRAFE, bins[STRAFE]]
    scale = WALK_SPEED / max(1.0, math.hypot(ahead, right))
    c, s = math.cos(player[YAW]), math.sin(player[YAW])
    wanted[0] = scale * (ahead * c + right * s)
    wanted[1] = scale * (ahead * s - right * c)


@kernel
def drive(player, p, wanted, timestep, state, avatars):
    """Force on an avatar towards its wanted velocity; its body turns with its gaze."""
    qpos, qvel, force = state
    at, dof = avatars[1][p], avatars[2][p]
    if qpos[at + 2] != player[YAW]:
        qpos[at + 2] = player[YAW]
    if qvel[dof + 2] != 0.0:
        qvel[dof + 2] = 0.0
    ax = (wanted[0] - qvel[dof]) / (2 * timestep)
    ay = (wanted[1] - qvel[dof + 1]) / (2 * timestep)
    size = math.hypot(ax, ay)
    scale = AVATAR_MASS_KG * min(1.0, WALK_ACCELERATION / size) if size > 0.0 else 0.0
    force[dof] = scale * ax + 0.0  # + 0.0: MuJoCo wakes a sleeper for -0.0
    force[dof + 1] = scale * ay + 0.0


@kernel
def limit_speeds(qvel, dofs):
    """Keep what a squeeze between wall and player sets free from flying through walls."""
    for dof in dofs:
        way = qvel[dof] ** 2 + qvel[dof + 1] ** 2 + qvel[dof + 2] ** 2
        turn = qvel[dof + 3] ** 2 + qvel[dof + 4] ** 2 + qvel[dof + 5] ** 2
        if way < _SLOW * THING_SPEED**2 and turn < _SLOW * THING_SPIN**2:
            continue
        speed = math.sqrt(way)
        if speed > THING_SPEED:
            for i in range(3):
                qvel[dof + i] *= THING_SPEED / speed
        spin = math.sqrt(turn)
        if spin > THING_SPIN:
            for i in range(3, 6):
                qvel[dof + i] *= THING_SPIN / spin
