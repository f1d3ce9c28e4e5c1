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
      key: that names it in messages; no two choices of one moment have the same.
      words: on its button, e.g. "open" or "put the apple in it".
      movement: of its one tick, a value for each component.
    """

    key: str
    words: str
    movement: tuple[int, ...]


@dataclass(frozen=True)
class ChoosableThing:
    """A thing that a player sees, and what can be done with it now.

    Args:
      group: one of GROUPS.
      name: e.g. "plate 2"; the same thing has the same name throughout an episode, and no other one has.
      detail: what is seen of it, e.g. "closed, on the kitchen table".
      choices: actions that are possible on it; none for one that is only seen.
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
      wanted: how many are wanted.
      known: how many the player has seen there, no more than are wanted; None where it has not looked yet.
    """

    words: str
    wanted: int
    known: int | None


@dataclass(frozen=True)
class LiveStatus:
    """What a player knows of its situation.

    Args:
      place: where it is, in words.
      hands: what it holds, in words.
      feedback: why its last action failed; "" if it succeeded.
      goal: what it wants; () for a player without a goal of its own.
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
        """Return what a player may see, and nothing else: its own view, and beside it the same moment from above.

        Args:
          player: who looks.
          height: of both pictures, pixels.
          width: of each of them, pixels.

        Returns:
          uint8 [height, 2 * width, 3].
        """
        ...


@dataclass(frozen=True)
class Board:
    """What one player can do and knows at one step.

    Args:
      step: number of the step that is chosen for.
      things: see :meth:`LivePlay.choices`.
      status: see :meth:`LivePlay.status`.
    """

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
