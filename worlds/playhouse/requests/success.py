"""What the hard-coded success checks of all requests have in common (paper, section 6.3).

Each check also reports, step by step, what the paper's guidelines for raters (A.2) call progress and regress. Only
evaluation and scripted raters may read that.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator

from worlds.contract import Event, TaskSpec
from worlds.playhouse.world import Playhouse

GO_STEPS = 2  # consecutive steps of standing there that count as being there
WRONG_STEPS = 3  # consecutive steps of standing before a wrong thing that count as having gone to it
STANDING = (0.15, math.radians(10.0))  # metres and angle that a standing solver may still move in a step
LIFT_HEIGHT = 0.25  # metres above where the target was
NEXT_TO = 0.5  # metres between two things, surface to surface
AT_REST = 0.01  # metres a thing at rest may move in a step


class PlayhouseTask:
    """The success check of one instruction.

    ``update`` is called once after every step, also after success. At the first call the solver has not yet heard
    the instruction; that call only notes the state of the world.

    Attributes:
      succeeded: True once the task has been done.
      over: True once it was done or can no longer be.
      latest: the last event so far; None before the first.
    """

    def __init__(self, spec: TaskSpec) -> None:
        self.spec = spec
        self.succeeded = self.over = False
        self.latest: Event | None = None
        self._heard = False

    def update(self, world: Playhouse, utterance: str) -> tuple[bool, tuple[Event, ...]]:
        """Judge the last step. An event's step is the index of the observation that shows it."""
        events: tuple[Event, ...] = ()
        if not self._heard:
            self._begin(world)
        elif not self.over:
            events = tuple(Event(world.step_index, sign, why) for sign, why in self._judge(world, utterance))
            self.latest = events[-1] if events else self.latest
        self._heard = True
        return self.succeeded, events

    def _succeed(self, why: str) -> tuple[int, str]:
        self.succeeded = self.over = True
        return 1, why

    @abstractmethod
    def _begin(self, world: Playhouse) -> None:
        """Look at the world as it is when the instruction is given."""

    @abstractmethod
    def _judge(self, world: Playhouse, utterance: str) -> Iterator[tuple[int, str]]:
        """Yield signs and reasons of the events of the last step."""
