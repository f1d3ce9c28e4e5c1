"""Inputs of a person who chooses among the actions that the world offers, and of whom each step waits."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

from annotation.games.inputs import MOST_LINES, Inputs, printable
from annotation.session.states import Refusal, TransitionRefused
from worlds.contract.live_play import Board
from worlds.spaces.action import ActionSpec


class ChoosingHands:
    """One person's choice and lines for the next step. Not for several threads at once.

    A choice counts for the step that it was made for, and for no other: a thing at which it points may be gone then.

    Args:
      action: of the player whom the person plays; its steps have one tick.
      board: returns what the player can do now.
    """

    def __init__(self, action: ActionSpec, board: Callable[[], Board]) -> None:
        self._action, self._board = action, board
        self._chosen: tuple[int, tuple[int, ...]] | None = None  # step and movement
        self._lines: deque[str] = deque(maxlen=MOST_LINES)

    def give(self, inputs: Inputs) -> None:
        """Take a choice, which replaces an earlier one, and a line, which is said in the step that is chosen for.

        Raises:
          TransitionRefused: if the choice is not offered at the present step.
        """
        if line := self._action.spoken(printable(inputs.say)):
            self._lines.append(line)
        if not inputs.chosen:
            return
        movement = self._board().movement_of(inputs.chosen_at, inputs.chosen)
        if movement is None:
            raise TransitionRefused(Refusal.NOT_OFFERED)
        self._chosen = inputs.chosen_at, movement

    def rest(self) -> None:
        """Forget the choice of a person who is away."""
        self._chosen = None

    def watch(self) -> None:
        """Forget the choice, as another player is in control."""
        self._chosen = None

    @property
    def idle(self) -> bool:
        """True until an action is chosen for the present step."""
        return self._chosen is None or self._chosen[0] != self._board().step

    @property
    def silent(self) -> bool:
        """True: lines wait for the next choice."""
        return True

    def tick(self) -> np.ndarray:
        """Return the movement of the step: integers [discrete components]."""
        row = self._action.neutral_movement()[0]
        if not self.idle and self._chosen is not None:
            row[:] = self._chosen[1]
        self._chosen = None
        return row

    def line(self) -> str:
        """Return what the person says in this step; "" for nothing."""
        return self._lines.popleft() if self._lines else ""
