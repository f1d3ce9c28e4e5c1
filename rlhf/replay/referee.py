"""Referee of requests: follows what the setter asks for and checks success by the world's ground truth.

For evaluation, for scripted raters, and for the scripted-reward baseline. No agent ever sees its notes.
"""

from __future__ import annotations

from rlhf.records.episode import Request
from worlds.contract import Event, Task, TaskSpec, World
from worlds.registry import WorldEntry


class Referee:
    """Notes requests, events and successes of one episode."""

    def __init__(self, entry: WorldEntry) -> None:
        self._entry = entry
        self._task: Task | None = None
        self.requests: list[Request] = []
        self.events: list[Event] = []
        self.success_step: list[int | None] = []
        self.over_step: list[int | None] = []  # where each was done or could no longer be, as far as its task says so

    def ask(self, step: int, spec: TaskSpec, task: Task | None = None) -> None:
        """The setter asked for ``spec`` at ``step``; what it asked for before is over.

        ``task`` is the setter's own success check, where it has one: it learns of success when this looks.
        """
        self._task = self._entry.make_task(spec) if task is None else task
        self.requests.append(Request(step, spec))
        self.success_step.append(None)
        self.over_step.append(None)

    def look(self, world: World, step: int, utterance: str) -> tuple[Event, ...]:
        """Look at ``world`` after ``step``, in which the solver said ``utterance``; the events of this step."""
        if self._task is None:
            return ()
        success, events = self._task.update(world, utterance)
        if success and self.success_step[-1] is None:
            self.success_step[-1] = step
        if self.over_step[-1] is None and (success or getattr(self._task, "over", False)):
            self.over_step[-1] = step
        self.events.extend(events)
        return events

    @property
    def done(self) -> bool:
        """Return whether what was asked for last has succeeded."""
        return bool(self.success_step) and self.success_step[-1] is not None
