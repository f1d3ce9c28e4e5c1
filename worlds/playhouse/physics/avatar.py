"""The players' bodies in numbers: sizes, speeds, hands, and how their state and movement are laid out in arrays.

Walking is a force that drives the avatar's capsule to the wanted velocity, so that walls, furniture, things and the
other player stop it. Looking around is kinematic. A held thing is not fixed to the hand: bounded forces steer it to
the point in front of the eye, so that it still meets walls and tables, lags when it is heavy, and cannot explode.

Full hands also throw, rotate and offer what they hold: ``docs/play.md``. The arithmetic is in ``kernels/``.
"""

from __future__ import annotations

import math

import numpy as np

from worlds.contract import FULL_MOVEMENT

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

ROTATION_RATE = math.radians(120.0)  # rad/s at which full hands rotate a held thing
FULL_NEAREST = 1.1  # m from the eye, no more, at which full hands begin to hold
OFFER_REACH = 1.2  # m from the eye from which on a thing is held out to a player ...
OFFER_ANGLE = math.radians(45.0)  # ... who stands no farther beside the holder's gaze
THROW_SPEED, THROW_IMPULSE = 4.0, 6.0  # m/s and N s: what is heavier than 1.5 kg flies slower

THING_SPEED, THING_SPIN = 5.0, 25.0  # m/s and rad/s, the most that a loose thing gets

# Columns of a player's state, float64 [players, len]. AIM has three. Only full hands use the last five: OFFERS is 1 for
# a player who holds a thing out to the other; POSE has the four of the unit quaternion that brings an upright thing
# into the orientation wanted, in the frame of a player who looks along +x.
YAW, PITCH, HOLD, HELD, TWIST, AIM = range(6)
OFFERS = AIM + 3
POSE = OFFERS + 1
PLAYER_STATE = POSE + 4
NOTHING = -1.0

# Movement without TILT, SPIN and ROLL is that of the usual hands, whose arithmetic existing recordings fix.
FORWARD, STRAFE, TURN, LOOK, HAND, PUSH, TILT, SPIN, ROLL = range(len(FULL_MOVEMENT))
BIN_VALUES = np.zeros((len(FULL_MOVEMENT), max(len(c.values) for c in FULL_MOVEMENT)))
for _row, _component in zip(BIN_VALUES, FULL_MOVEMENT, strict=True):
    _row[: len(_component.values)] = _component.values
