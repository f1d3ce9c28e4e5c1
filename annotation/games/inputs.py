"""Turns keys and mouse, which a person moves at any time, into the world's movement bins, one row a tick."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from worlds.contract import BODY, HAND_GRAB, HAND_KEEP, HAND_RELEASE, HAND_THROW, UTTERANCE_MAX_CHARS
from worlds.spaces.action import ActionSpec, Discrete

MOST_MOUSE = 8.0  # ticks of full turning that follow a movement of the mouse at most
NOTCH = 3.0  # ticks of reaching out or drawing in for one notch of the wheel
SLOW_TURN = 0.3
MOST_LINES = 8  # waiting to be said; one is said each step


class Key(StrEnum):
    """Controls that a person can hold down. The browser maps keys and buttons to them."""

    FORWARD = "forward"
    BACK = "back"
    LEFT = "left"
    RIGHT = "right"
    TURN_LEFT = "turn_left"
    TURN_RIGHT = "turn_right"
    LOOK_UP = "look_up"
    LOOK_DOWN = "look_down"
    SLOW = "slow"  # turn slowly
    GRAB = "grab"  # held down: keep hold; let go: release
    PUSH = "push"
    PULL = "pull"
    # Of full hands:
    THROW = "throw"
    TILT_AWAY = "tilt_away"
    TILT_NEAR = "tilt_near"
    SPIN_LEFT = "spin_left"
    SPIN_RIGHT = "spin_right"
    ROLL_LEFT = "roll_left"
    ROLL_RIGHT = "roll_right"


# Component of the movement, and the pair of keys for its largest and its least value.
_AXES: dict[str, tuple[Key, Key]] = {
    "forward": (Key.FORWARD, Key.BACK),
    "strafe": (Key.RIGHT, Key.LEFT),
    "turn": (Key.TURN_LEFT, Key.TURN_RIGHT),
    "look": (Key.LOOK_UP, Key.LOOK_DOWN),
    "reach": (Key.PUSH, Key.PULL),
    "tilt": (Key.TILT_AWAY, Key.TILT_NEAR),
    "spin": (Key.SPIN_LEFT, Key.SPIN_RIGHT),
    "roll": (Key.ROLL_RIGHT, Key.ROLL_LEFT),
}


@dataclass(frozen=True)
class Inputs:
    """Inputs of one person since their last message.

    Args:
      tapped: controls that were pressed meanwhile, even if they are up again.
      turn: movement of the mouse to the left, in units of the largest turn of one tick.
      look: movement of the mouse upwards, in the same units.
      reach: notches of the wheel; away from the person is positive.
      say: a typed line; "" for none.
      pressed: of a body that its world declares: numbers of the keys that were pressed, in order, as
        :func:`annotation.games.body_keys.body_keys` lists them.
      chosen: key of a :class:`worlds.contract.live_play.Choice`; "" for none.
    """

    held: frozenset[Key] = frozenset()
    tapped: frozenset[Key] = frozenset()
    turn: float = 0.0
    look: float = 0.0
    reach: float = 0.0
    say: str = ""
    pressed: tuple[int, ...] = ()
    chosen: str = ""
    chosen_at: int = 0


def printable(text: str) -> str:
    """Return ``text`` as worlds take it: one line of printable letters, no longer than an utterance."""
    kept = "".join(c for c in text if c.isspace() or c.isprintable())
    return " ".join(kept.split())[:UTTERANCE_MAX_CHARS].strip()


class Voice:
    """Lines that a person has typed: one is said each step. Not for several threads at once."""

    def __init__(self, body: ActionSpec) -> None:
        self._body = body
        self._lines: deque[str] = deque(maxlen=MOST_LINES)

    def type(self, text: str) -> None:
        """Add a line, as the body says it."""
        if line := self._body.spoken(printable(text)):
            self._lines.append(line)

    @property
    def silent(self) -> bool:
        """True while no line waits to be said."""
        return not self._lines

    def line(self) -> str:
        """Return what the person says in this step; "" for nothing."""
        return self._lines.popleft() if self._lines else ""


class Hands(Voice):
    """One person's inputs between two ticks. Not for several threads at once.

    The mouse asks for angles that no single tick turns: each tick takes the bin next to what is still asked for, and
    what is left waits for the next, up to MOST_MOUSE, so that a view never turns on long after the hand stopped.

    Args:
      body: that the person plays, one of ``worlds.contract.BODIES``; keys for what it cannot do are ignored.
    """

    def __init__(self, body: ActionSpec = BODY) -> None:
        super().__init__(body)
        self._parts = {part.name: (column, part) for column, part in enumerate(body.discrete)}
        self._still = body.neutral_movement()[0]
        self._held: frozenset[Key] = frozenset()
        self._tapped: frozenset[Key] = frozenset()
        self._asked = {"turn": 0.0, "look": 0.0, "reach": 0.0}
        self._grabs = False
        self._has_thrown = False  # and the button to grab is still down

    def give(self, inputs: Inputs) -> None:
        """Add inputs of the person."""
        self._held, self._tapped = inputs.held, self._tapped | inputs.tapped
        for name, more in (("turn", inputs.turn), ("look", inputs.look), ("reach", NOTCH * inputs.reach)):
            if np.isfinite(more):
                self._asked[name] = float(np.clip(self._asked[name] + more, -MOST_MOUSE, MOST_MOUSE))
        self.type(inputs.say)

    def rest(self) -> None:
        """Release every control but the grip: a person who is away does not walk on."""
        self._held &= {Key.GRAB}
        self._forget()

    def watch(self) -> None:
        """Release everything, as another player is in control."""
        self._forget()
        self._grabs = False

    def _forget(self) -> None:
        self._tapped = frozenset()
        self._asked = dict.fromkeys(self._asked, 0.0)

    def tick(self) -> np.ndarray:
        """Return the movement of the next tick: int8 [components]."""
        down = self._held | self._tapped
        row = self._still.copy()
        for name, (column, part) in self._parts.items():
            if name == "hand":
                can_throw = part.count > HAND_THROW
                row[column] = self._hand(Key.GRAB in down, can_throw and Key.THROW in down)
            elif isinstance(part, Discrete):
                most, least = _AXES[name]
                row[column] = self._bin(part, (most in down) - (least in down), Key.SLOW in down)
        self._tapped = frozenset()
        return row

    @property
    def idle(self) -> bool:
        """False: the Playhouse's clock waits for nobody."""
        return False

    def _bin(self, part: Discrete, keys: int, slow: bool) -> int:
        name, values = part.name, np.array(part.values)
        by_key = keys * (SLOW_TURN if slow and name == "turn" else 1.0)
        wanted = by_key if keys else self._asked.get(name, 0.0)
        chosen = _nearest(values, wanted)
        if name in self._asked:
            self._asked[name] = 0.0 if keys else wanted - float(values[chosen])
        return chosen

    def _hand(self, grabs: bool, throws: bool) -> int:
        """Grab for as long as the button is down, so that a thing that comes into reach is taken; then release once.

        After a throw the button has to come up first: the thing that was thrown is not grabbed out of the air.
        """
        if throws:
            self._grabs, self._has_thrown = False, grabs
            return HAND_THROW
        self._has_thrown &= grabs
        grabs = grabs and not self._has_thrown
        let_go = self._grabs and not grabs
        self._grabs = grabs
        return HAND_GRAB if grabs else HAND_RELEASE if let_go else HAND_KEEP


def _nearest(values: np.ndarray, wanted: float) -> int:
    """Return the index of the value nearest to ``wanted`` that a later tick does not have to turn back."""
    away = np.abs(values - wanted)
    finest = np.abs(values[values != 0.0]).min()
    too_far = (np.abs(values) > abs(wanted)) & (away > finest / 2 + 1e-9)
    return int(np.where(too_far, np.inf, away).argmin())
