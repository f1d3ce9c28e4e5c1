"""The shapes that an eye may see, compiled: in rooms behind open doors, and of what is not shut away."""

from __future__ import annotations

import math

from worlds.household.observing.senses import is_enclosed
from worlds.household.rules.bodies import ASIDE_M, CHEST, FORWARD_M
from worlds.household.state.home import NO_ROW
from worlds.household.state.tables import holder, in_hand, inner
from worlds.household.state.vocabulary import Condition, Held

OUTSIDE = -1  # number of the person whose eye it is, for an eye above the home
DOORWAY_M = 0.5  # from here a door shows all of the room behind it
SLACK = 0.03  # radians, beside a door and a thing
BALL, SKIN = 4, 0xE8 | 0xB8 << 8 | 0x94 << 16  # a hand
HAND_M = 0.045  # its radius
HANGING = 0.02, -0.06  # of a hand that holds nothing: ahead in metres, and height as a share of the person's
NEARER_M, HIGHER_M = 0.25, 0.08  # what the eye's own person holds is shown so far ahead and above where it is
LOOK_DOWN_M = 1.25  # an eye above the home does not see what hangs higher

_NOWHERE, _CLOSED, _RIGHT, _LEFT = int(Held.NOWHERE), int(Condition.CLOSED), int(Held.RIGHT_HAND), int(Held.LEFT_HAND)


@inner
def gather(t, model, number, eye, yaw, angle, low, high, scene, xpos, xmat, palette):
    """Write the shapes that an eye may see, and return how many there are.

    Args:
      low: float64 [N], scratch; so is ``high``.
      scene: kind int32 [G], body int32 [G] and half sizes float64 [G, 3] of shapes, written.
      xpos: float64 [G, 3], positions, written.
      xmat: float64 [G, 9], orientations, written.
      palette: int32 [G], colours, written.
    """
    me = NO_ROW if number == OUTSIDE else t.persons[number]
    if me == NO_ROW:
        for room in model.rooms:
            low[room], high[room] = -math.pi, math.pi
    else:
        _look_through_doors(t, model, t.room[me], eye, yaw, angle, low, high)
    kind, _, half = scene
    count = 0
    for each in range(len(model.walls)):
        room, axis, side = model.walls[each, 0], model.walls[each, 1], model.walls[each, 2]
        if low[room] > high[room] or side * (eye[axis] - model.wall_centre[each, axis]) < 0.0:
            continue
        kind[count], palette[count] = model.wall_kind[each], model.wall_colour[each]
        for i in range(3):
            xpos[count, i], half[count, i] = model.wall_centre[each, i], model.wall_half[each, i]
        _turn(xmat, count, 1.0, 0.0)
        count += 1
    for row in range(len(t.parent)):
        if row != me and _is_seen(t, model, row, eye, yaw, low, high, me == NO_ROW):
            count = _add(t, model, row, me, number, scene, xpos, xmat, palette, count)
    for person in range(len(t.persons)):
        row = t.persons[person]
        if t.held[row] != _NOWHERE and low[t.room[row]] <= high[t.room[row]]:
            count = _add_hands(t, person, person == number, scene, xpos, xmat, palette, count)
    return count


@inner
def _look_through_doors(t, model, own, eye, yaw, angle, low, high):
    """Set the angles to the gaze between which each room is seen; ``low`` is above ``high`` where it is not."""
    for room in model.rooms:
        low[room], high[room] = math.inf, -math.inf
    low[own], high[own] = -angle, angle
    for _ in range(len(model.rooms)):
        for door in model.doors:
            one, other = t.between[door, 0], t.between[door, 1]
            if one == NO_ROW or other == NO_ROW or t.conditions[door] & _CLOSED:
                continue
            left, right = _span(t, door, eye, yaw)
            for here, there in ((one, other), (other, one)):
                begin, end = max(low[here], left), min(high[here], right)
                if begin < end and there != own:
                    low[there], high[there] = min(low[there], begin), max(high[there], end)


@inner
def _span(t, door, eye, yaw):
    """Return the angles to the gaze between which a door lies; all angles if the eye is in it."""
    axis = 0 if t.size[door, 0] > t.size[door, 1] else 1
    x, y, far = t.centre[door, 0] - eye[0], t.centre[door, 1] - eye[1], t.size[door, axis] / 2
    away = math.sqrt(x * x + y * y) - far
    if away < DOORWAY_M:
        return -math.pi, math.pi
    dx, dy = (far, 0.0) if axis == 0 else (0.0, far)
    one, other = _turned(x - dx, y - dy, yaw), _turned(x + dx, y + dy, yaw)
    if abs(one - other) > math.pi:
        return -math.pi, math.pi
    return min(one, other) - SLACK, max(one, other) + SLACK


@inner
def _turned(x, y, yaw):
    """Return the angle of a direction to the gaze, -pi to pi, positive to the left."""
    angle = math.atan2(y, x) - yaw
    return angle - 2.0 * math.pi * math.floor(angle / (2.0 * math.pi) + 0.5)


@inner
def _is_seen(t, model, row, eye, yaw, low, high, above):
    """Return True if a thing may be in the picture: in a room that is seen, between its angles, not shut away."""
    if t.held[row] == _NOWHERE or model.first[row] == model.first[row + 1]:
        return False
    left, right = low[t.room[row]], high[t.room[row]]
    for side in range(2):  # a door belongs to two rooms
        if t.between[row, side] != NO_ROW:
            left, right = min(left, low[t.between[row, side]]), max(right, high[t.between[row, side]])
    if left > right or is_enclosed(t, row):
        return False
    if above:
        return t.centre[row, 2] - t.size[row, 2] / 2 < LOOK_DOWN_M and t.size[row, 0] > 0.0
    x, y = t.centre[row, 0] - eye[0], t.centre[row, 1] - eye[1]
    away, reach = math.sqrt(x * x + y * y), model.radius[row] + NEARER_M
    if away <= reach:
        return True
    around = math.asin(reach / away) + SLACK
    angle = _turned(x, y, yaw)
    return angle + around >= left and angle - around <= right


@inner
def _add(t, model, row, me, number, scene, xpos, xmat, palette, count):
    """Write the shapes of a thing that show in its present condition; return how many there are then."""
    kind, _, half = scene
    cos, sin, x, y, z = 1.0, 0.0, t.centre[row, 0], t.centre[row, 1], t.centre[row, 2]
    for person in range(len(t.persons)):
        if t.persons[person] == row:
            cos, sin = math.cos(t.facing[person]), math.sin(t.facing[person])
    if me != NO_ROW and holder(t, row) == me:
        x += NEARER_M * math.cos(t.facing[number])
        y += NEARER_M * math.sin(t.facing[number])
        z += HIGHER_M
    for each in range(model.first[row], model.first[row + 1]):
        when = model.when[each]
        if (when > 0 and not t.conditions[row] & when) or (when < 0 and t.conditions[row] & -when):
            continue
        kind[count], palette[count] = model.kind[each], model.colour[each]
        ahead, left = model.offset[each, 0], model.offset[each, 1]
        xpos[count, 0], xpos[count, 1] = x + cos * ahead - sin * left, y + sin * ahead + cos * left
        xpos[count, 2] = z + model.offset[each, 2]
        for i in range(3):
            half[count, i] = model.half[each, i]
        _turn(xmat, count, cos, sin)
        count += 1
    return count


@inner
def _add_hands(t, number, own, scene, xpos, xmat, palette, count):
    """Write a person's hands: where what they hold is, or hanging; the eye's own only if they hold something."""
    kind, _, half = scene
    person = t.persons[number]
    cos, sin, high = math.cos(t.facing[number]), math.sin(t.facing[number]), t.size[person, 2]
    for hand in (_RIGHT, _LEFT):
        held = in_hand(t, person, hand)
        if own and held == NO_ROW:
            continue
        ahead, up = HANGING[0], HANGING[1] * high
        if held != NO_ROW:
            ahead, up = FORWARD_M, CHEST * high - t.size[held, 2] / 2
        if own:
            ahead, up = ahead + NEARER_M, up + HIGHER_M
        left = -ASIDE_M if hand == _RIGHT else ASIDE_M
        xpos[count, 0] = t.centre[person, 0] + cos * ahead - sin * left
        xpos[count, 1] = t.centre[person, 1] + sin * ahead + cos * left
        xpos[count, 2] = t.centre[person, 2] + up
        kind[count], palette[count] = BALL, SKIN
        half[count, 0], half[count, 1], half[count, 2] = HAND_M, HAND_M, HAND_M
        _turn(xmat, count, 1.0, 0.0)
        count += 1
    return count


@inner
def _turn(xmat, each, cos, sin):
    """Set the orientation of a shape that is turned about the vertical."""
    xmat[each, 0], xmat[each, 1], xmat[each, 2] = cos, -sin, 0.0
    xmat[each, 3], xmat[each, 4], xmat[each, 5] = sin, cos, 0.0
    xmat[each, 6], xmat[each, 7], xmat[each, 8] = 0.0, 0.0, 1.0
