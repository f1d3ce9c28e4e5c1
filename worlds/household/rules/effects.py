"""Effects of verbs: what an action that is possible changes in a state."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from worlds.household.homes import lay
from worlds.household.navigation.ways import Ways
from worlds.household.rules.bodies import carry, sit_on, stand_at, take
from worlds.household.rules.refusals import Refusal
from worlds.household.state.home import Home, State
from worlds.household.state.tables import Tables, holder, in_hand, outermost_container
from worlds.household.state.vocabulary import STEP_M, TURN_DEG, Condition, Held, Verb

Point = tuple[float, float]


class Scene(NamedTuple):
    """A home, its state in both forms, and its floor plan."""

    home: Home
    state: State
    t: Tables
    ways: Ways

    def xy(self, row: int) -> Point:
        """Return the centre of a thing, seen from above."""
        return float(self.state.centre[row, 0]), float(self.state.centre[row, 1])

    def stand(self, number: int, x: float, y: float, facing: float) -> None:
        """Put a person on its feet at a point of the floor, in the room in which ways to a room end there."""
        stand_at(self.t, number, x, y, facing, self.ways.room_at((x, y)))


def take_effect(scene: Scene, number: int, verb: int, row: int, hand: int) -> int:
    """Change the scene by an action of which no precondition fails.

    Returns NONE, or why the action is impossible after all; then nothing has changed.
    """
    return _EFFECTS[verb](scene, number, verb, row, hand)


def _wait(scene: Scene, number: int, verb: int, row: int, hand: int) -> int:
    return Refusal.NONE


def _turn(scene: Scene, number: int, verb: int, row: int, hand: int) -> int:
    angle = math.radians(TURN_DEG if verb == Verb.TURN_LEFT else -TURN_DEG)
    scene.state.facing[number] = math.remainder(float(scene.state.facing[number]) + angle, math.tau)
    carry(scene.t, number)
    return Refusal.NONE


def _walk_forward(scene: Scene, number: int, verb: int, row: int, hand: int) -> int:
    here, facing = scene.xy(scene.home.persons[number]), float(scene.state.facing[number])
    x, y = scene.ways.forward(here, facing, STEP_M)
    if math.dist(here, (x, y)) < _STANDING_M:
        return Refusal.BLOCKED
    scene.stand(number, x, y, facing)
    return Refusal.NONE


def _walk_towards(scene: Scene, number: int, verb: int, row: int, hand: int) -> int:
    here, facing = scene.xy(scene.home.persons[number]), float(scene.state.facing[number])
    target = holder(scene.t, row)
    (x, y), towards = scene.ways.advance(here, outermost_container(scene.t, row) if target < 0 else target, STEP_M)
    if math.dist(here, (x, y)) < _STANDING_M and abs(math.remainder(towards - facing, math.tau)) < _STANDING_RAD:
        return Refusal.ARRIVED
    scene.stand(number, x, y, towards)
    return Refusal.NONE


def _grab(scene: Scene, number: int, verb: int, row: int, hand: int) -> int:
    take(scene.t, number, row, hand)
    return Refusal.NONE


def _put(scene: Scene, number: int, verb: int, row: int, hand: int) -> int:
    held = Held.ON if verb == Verb.PUT_ON else Held.INSIDE
    item = in_hand(scene.t, scene.home.persons[number], hand)
    is_laid = lay(scene.home, scene.state, item, held, row, scene.xy(scene.home.persons[number]))
    return Refusal.NONE if is_laid else Refusal.NO_SPACE


def _switch(scene: Scene, number: int, verb: int, row: int, hand: int) -> int:
    before, after = _CHANGES[Verb(verb)]
    scene.state.conditions[row] = int(scene.state.conditions[row]) & ~before | after
    return Refusal.NONE


def _sit(scene: Scene, number: int, verb: int, row: int, hand: int) -> int:
    sit_on(scene.t, number, row, float(scene.home.yaw[row]))
    return Refusal.NONE


def _stand(scene: Scene, number: int, verb: int, row: int, hand: int) -> int:
    x, y = scene.ways.floor(scene.xy(scene.home.persons[number]))
    scene.stand(number, x, y, float(scene.state.facing[number]))
    return Refusal.NONE


_STANDING_M, _STANDING_RAD = 1e-3, 1e-3  # who moves less stands still
_CHANGES = {
    Verb.OPEN: (Condition.CLOSED, Condition.OPEN),
    Verb.CLOSE: (Condition.OPEN, Condition.CLOSED),
    Verb.SWITCH_ON: (Condition.OFF, Condition.ON),
    Verb.SWITCH_OFF: (Condition.ON, Condition.OFF),
}
_EFFECTS: dict[int, Callable[[Scene, int, int, int, int], int]] = {
    Verb.WAIT: _wait,
    Verb.TURN_LEFT: _turn,
    Verb.TURN_RIGHT: _turn,
    Verb.WALK_FORWARD: _walk_forward,
    Verb.WALK_TOWARDS: _walk_towards,
    Verb.GRAB: _grab,
    Verb.PUT_ON: _put,
    Verb.PUT_IN: _put,
    **dict.fromkeys(_CHANGES, _switch),
    Verb.SIT: _sit,
    Verb.STAND: _stand,
}
