"""Keys with which people play a body that its world declares: one for each bin of its discrete components."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from annotation.games.inputs import Inputs, Voice
from worlds.contract import BODIES, WorldError
from worlds.spaces.action import TURN_SEC, ActionSpec, Discrete

MOST_WAITING = 2  # keys that wait for their tick; more would be played long after they were pressed
_NATURAL = {
    "ArrowUp": ("forward", "up", "north", "ahead", "move forward"),
    "ArrowDown": ("down", "back", "backward", "south"),
    "ArrowLeft": ("left", "west", "turn left"),
    "ArrowRight": ("right", "east", "turn right"),
    "Space": ("pickup", "pick up", "pick", "grab", "take", "interact", "fire"),
    "KeyD": ("drop", "release", "put", "put down"),
    "KeyT": ("toggle", "open", "use"),
    "Period": ("done", "stay", "noop", "wait", "nothing"),
}
_CODES = {name: code for code, names in _NATURAL.items() for name in names}
_SHOWN = {"ArrowUp": "↑", "ArrowDown": "↓", "ArrowLeft": "←", "ArrowRight": "→", "Period": "."}


@dataclass(frozen=True)
class BodyKey:
    """A key, and the bin that it chooses.

    Args:
      codes: of the key and of others that do the same, as browsers name them, e.g. "ArrowUp".
    """

    codes: tuple[str, ...]
    shown: str
    name: str
    component: int
    bin: int


def is_turn_based(action: ActionSpec) -> bool:
    """Return True for a body without a clock of its own: a turn waits until a player takes it."""
    return action.ticks == 1 and action.tick_sec == TURN_SEC


def check_playable(name: str, bodies: Mapping[str, ActionSpec]) -> None:
    """Refuse a world whose players cannot be played with keys.

    Args:
      bodies: actions of each player.

    Raises WorldError naming the component that has no keys.
    """
    for player, body in bodies.items():
        for part in body.components:
            if not isinstance(part, Discrete):
                raise WorldError(
                    f"world {name!r} cannot be played live: {part.name!r} of the {player} is no choice among named "
                    "bins, and keys choose only these; record its episodes elsewhere"
                )


def body_keys(action: ActionSpec) -> tuple[BodyKey, ...]:
    """Return the keys of a declared body; () for those of the Playhouse, which have keys and a mouse of their own.

    The first nine bins have the number keys, and bins with natural names the arrows, space and the like. Of several
    components, the bins that do nothing have no key.
    """
    if action in BODIES:
        return ()
    alone = len(action.components) == 1
    bins = [
        (column, number, name, part)
        for column, part in enumerate(action.discrete)
        if isinstance(part, Discrete)
        for number, name in enumerate(part.bins)
        if alone or number != part.neutral
    ]
    taken: set[str] = set()
    keys = []
    for place, (column, number, name, part) in enumerate(bins):
        code = _CODES.get(name.lower().replace("_", " "), "")
        codes = [code] if code and code not in taken else []
        taken.update(codes)
        codes += [f"Digit{place + 1}"] if place < 9 else []
        if codes:
            shown = " ".join(_SHOWN.get(code, code.removeprefix("Key").removeprefix("Digit")) for code in codes)
            keys.append(BodyKey(tuple(codes), shown, name if alone else f"{part.name}: {name}", column, number))
    return tuple(keys)


def taught_by(world: str, action: ActionSpec) -> str:
    """Return the world whose tutorial teaches the keys of a body; "" for the Playhouse's, which many worlds share."""
    return "" if action in BODIES else world


class BodyHands(Voice):
    """One person's keys and lines for a declared body, between two ticks. Not for several threads at once."""

    def __init__(self, action: ActionSpec) -> None:
        super().__init__(action)
        self._keys = body_keys(action)
        self._pressed: deque[int] = deque(maxlen=MOST_WAITING)

    def give(self, inputs: Inputs) -> None:
        """Add inputs of the person."""
        self._pressed.extend(number for number in inputs.pressed if number < len(self._keys))
        self.type(inputs.say)

    def rest(self) -> None:
        """Forget the keys of a person who is away, or who watches another in control."""
        self._pressed.clear()

    watch = rest

    @property
    def idle(self) -> bool:
        """True while no key waits for its tick."""
        return not self._pressed

    def tick(self) -> np.ndarray:
        """Return the movement of the next tick: integers [discrete components]."""
        row = self._body.neutral_movement()[0]
        if self._pressed:
            key = self._keys[self._pressed.popleft()]
            row[key.component] = key.bin
        return row
