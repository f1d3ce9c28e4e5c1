"""Worlds whose actions point at things, played by people: what each can do now, as words that a page lists.

A page needs no knowledge of the world: it shows the things that a person sees with the actions that are possible on
each, and sends back the key of the one that was chosen. A step is played when everybody who plays has chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

ONESELF, ROOMS, NEAR, FAR = "oneself", "rooms", "near", "far"
GROUPS = (ONESELF, ROOMS, NEAR, FAR)  # of things, in the order in which pages list them


@dataclass(frozen=True)
class Choice:
    """An action that is possible now.

    Args:
      key: unique among the choices of one moment.
      words: on its button, e.g. "open" or "put the apple in it".
      movement: movement of its one tick, a value per component.
    """

    key: str
    words: str
    movement: tuple[int, ...]


@dataclass(frozen=True)
class ChoosableThing:
    """A thing that a player sees, and what can be done with it now.

    Args:
      group: one of GROUPS.
      name: e.g. "plate 2"; a thing keeps its name throughout an episode, and no other thing has it.
      detail: what is seen of it, e.g. "closed, on the kitchen table".
      choices: possible actions on it; none if it is only seen.
    """

    group: str
    name: str
    detail: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True)
class GoalPart:
    """A part of a player's own goal.

    Args:
      words: e.g. "2 plates on the kitchen table".
      known: how many the player has seen there, at most ``wanted``; None if it has not looked yet.
    """

    words: str
    wanted: int
    known: int | None


@dataclass(frozen=True)
class LiveStatus:
    """What a player knows of its situation: where it is, what it holds, why its last action failed ("" if it did not),
    and what it wants, if it has a goal of its own.
    """

    place: str
    hands: str
    feedback: str
    goal: tuple[GoalPart, ...] = ()


class LivePlay(Protocol):
    """People's play in a world that has just been reset, one for each episode. Asking changes nothing in the world."""

    steps: int  # after which the world ends the episode

    def choices(self, player: str) -> Sequence[ChoosableThing]:
        """Return what a player can do now. Called once after the reset and after every step."""
        ...

    def status(self, player: str) -> LiveStatus:
        """Return what a player knows of its situation. Called once after the reset and after every step."""
        ...

    def reached(self, player: str) -> bool | None:
        """Return True if a player's own goal is reached, which ends the episode; None if it has none."""
        ...

    def picture(self, player: str, height: int, width: int) -> np.ndarray:
        """Return only what a player may see: its own view and, beside it, the same moment from above: uint8 [height, 2
        * width, 3].
        """
        ...


@dataclass(frozen=True)
class Board:
    """What one player can do and knows at one step."""

    step: int
    things: tuple[ChoosableThing, ...]
    status: LiveStatus

    def movement_of(self, step: int, key: str) -> tuple[int, ...] | None:
        """Return the movement of a choice; None if it is not offered, or was so at another step only."""
        if step != self.step:
            return None
        return next((one.movement for thing in self.things for one in thing.choices if one.key == key), None)

    def message(self) -> dict[str, Any]:
        """Return it for a page, JSON-serialisable and short: a choice is its key and words, a thing a list."""
        status = self.status
        return {
            "step": self.step,
            "things": [
                [thing.group, thing.name, thing.detail, [[one.key, one.words] for one in thing.choices]]
                for thing in self.things
            ],
            "place": status.place,
            "hands": status.hands,
            "feedback": status.feedback,
            "goal": [[part.words, part.wanted, part.known] for part in status.goal],
        }
