"""Inputs of a person who chooses among the actions that the world offers; each step waits for the choice."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from annotation.games.inputs import Inputs, Voice
from annotation.session.states import Refusal, TransitionRefused
from worlds.contract.live_play import Board
from worlds.spaces.action import ActionSpec


class ChoosingHands(Voice):
    """One person's choice and lines for the next step. Not for several threads at once.

    A choice counts for the step that it was made for, and for no other: a thing at which it points may be gone then.

    Args:
      board: returns what the player can do now.
    """

    def __init__(self, action: ActionSpec, board: Callable[[], Board]) -> None:
        super().__init__(action)
        self._board = board
        self._chosen: tuple[int, tuple[int, ...]] | None = None  # step and movement

    def give(self, inputs: Inputs) -> None:
        """Take a choice, which replaces the one before, and a line, which is said in the same step.

        Raises TransitionRefused if the choice is not offered at the present step.
        """
        self.type(inputs.say)
        if not inputs.chosen:
            return
        movement = self._board().movement_of(inputs.chosen_at, inputs.chosen)
        if movement is None:
            raise TransitionRefused(Refusal.NOT_OFFERED)
        self._chosen = inputs.chosen_at, movement

    def rest(self) -> None:
        """Forget the choice of a person who is away, or who watches another in control."""
        self._chosen = None

    watch = rest

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
        row = self._body.neutral_movement()[0]
        if not self.idle and self._chosen is not None:
            row[:] = self._chosen[1]
        self._chosen = None
        return row
