"""From where to go and what to look at, to the eight movement rows of one step.

How far to turn and to look up is decided once, from what is seen at the beginning of the step, and done in its first
ticks; when to stop walking, from where the walker will be by its own reckoning. So every row is a simple function of
what is seen when the step is decided, which is what a learner has.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit

from worlds.contract import MOVEMENT, TICKS_PER_SECOND, TICKS_PER_STEP, neutral_movement
from worlds.playhouse.physics.avatar import EYE_HEIGHT, LOOK_RATE, PITCH_MIN, TURN_RATE, WALK_ACCELERATION, WALK_SPEED

FORWARD, STRAFE, TURN, LOOK, HAND, REACH = range(len(MOVEMENT))
FORWARD_BIN, BACKWARD_BIN, LEFT_BIN, RIGHT_BIN, UP_BIN, DOWN_BIN, PULL_BIN, PUSH_BIN = 2, 0, 4, 0, 2, 0, 0, 2
ALIGNED = math.radians(25.0)  # a walker that has to turn by more than this turns before it walks
AT_TARGET = 0.05  # metres from the target within which its direction means nothing
TURN_DEAD_BAND, LOOK_DEAD_BAND = math.radians(1.0), math.radians(1.2)

_TURNS = np.array(MOVEMENT[TURN].values) * TURN_RATE / TICKS_PER_SECOND  # rad a tick, by bin
_LOOK = LOOK_RATE / TICKS_PER_SECOND  # rad a tick
_SPEED_GAIN = WALK_ACCELERATION / TICKS_PER_SECOND  # m/s a tick


@dataclass(frozen=True)
class Aim:
    """Aim of one step of steering.

    Args:
      towards: x, y to turn to; None keeps the heading.
      stop: distance (m) from ``towards`` at which to stand still; None only turns.
      pitch: radians to look up; None follows a thing at ``height`` above ``towards``.
      height: of the thing looked at (m), used where ``pitch`` is None.
    """

    towards: Sequence[float] | None = None
    stop: float | None = None
    pitch: float | None = None
    height: float = 0.0


def steer(x: float, y: float, yaw: float, pitch: float, speed: float, aim: Aim) -> tuple[np.ndarray, float]:
    """Steer a walker for one step.

    Args:
      x: where it is, metres.
      y: where it is, metres.
      yaw: radians.
      pitch: radians.

    Returns:
      The movement, int8 [TICKS_PER_STEP, components], and the speed with which the step ends if nothing is in the way.
    """
    movement = neutral_movement()
    tx, ty = (aim.towards[0], aim.towards[1]) if aim.towards is not None else (math.nan, math.nan)
    stop = math.inf if aim.stop is None else aim.stop
    wanted_pitch = math.nan if aim.pitch is None else aim.pitch
    return movement, _steer(movement, x, y, yaw, pitch, speed, float(tx), float(ty), stop, wanted_pitch, aim.height)


def pitch_to(flat_distance: float, height: float) -> float:
    """Return the pitch (rad) that aims at a thing ``flat_distance`` metres off and ``height`` metres high."""
    return math.atan2(height - EYE_HEIGHT, max(flat_distance, 1e-6))


def with_hand(movement: np.ndarray, hand: int) -> np.ndarray:
    """Set the hand of ``movement`` to ``hand`` (a code of the contract) in all ticks, in place, and return it."""
    movement[:, HAND] = hand
    return movement


@njit(cache=True)
def _steer(movement, x, y, yaw, pitch, speed, tx, ty, stop, wanted_pitch, height):
    turning = not math.isnan(tx)
    far = math.hypot(tx - x, ty - y) if turning else math.inf
    left = 0.0  # angle left to turn
    if turning and far > AT_TARGET:
        left = (math.atan2(ty - y, tx - x) - yaw + math.pi) % (2 * math.pi) - math.pi
    level = math.atan2(height - EYE_HEIGHT, far) if math.isnan(wanted_pitch) and turning else wanted_pitch
    up = 0.0 if math.isnan(level) else max(level, PITCH_MIN) - pitch  # angle left to look up
    for tick in range(TICKS_PER_STEP):
        if abs(left) > TURN_DEAD_BAND:
            turn = np.argmin(np.abs(_TURNS - left))
            movement[tick, TURN] = turn
            yaw, left = yaw + _TURNS[turn], left - _TURNS[turn]
        if abs(up) > LOOK_DEAD_BAND:
            movement[tick, LOOK] = UP_BIN if up > 0 else DOWN_BIN
            up -= _LOOK if up > 0 else -_LOOK
        far = math.hypot(tx - x, ty - y) if turning else math.inf
        walking = turning and abs(left) < ALIGNED and far - speed * speed / (2 * WALK_ACCELERATION) > stop
        if walking:
            movement[tick, FORWARD] = FORWARD_BIN
        wanted = WALK_SPEED if walking else 0.0
        speed = min(speed + _SPEED_GAIN, wanted) if wanted > speed else max(speed - _SPEED_GAIN, wanted)
        x += math.cos(yaw) * speed / TICKS_PER_SECOND
        y += math.sin(yaw) * speed / TICKS_PER_SECOND
    return speed
