"""The guard of AdversarialPeer: it looks around, and nobody eats before its eyes."""

from __future__ import annotations

from typing import Any

import numpy as np

from worlds.school.grid.codes import GO_FORWARD, NO_OP, ROTATE_LEFT, ROTATE_RIGHT
from worlds.school.peers.script import Decision, Script

WAITS = 4  # steps between two acts


class Guard(Script):
    """The script of one episode."""

    meets = False

    def __init__(self, rng: np.random.Generator, walks: bool = False) -> None:
        super().__init__(rng)
        self.walks, self.waited = walks, 0

    def respond(self, problem: Any) -> Decision:
        """Wait, then turn or walk at random, without a word."""
        if self.waited < WAITS:
            self.waited += 1
            return NO_OP, None
        self.waited = 0
        if self.walks and self.rng.random() < 0.5:
            return GO_FORWARD, None
        return (ROTATE_LEFT if self.rng.random() < 0.5 else ROTATE_RIGHT), None
