"""A setter's own part in what it asked for: some games need more of it than words."""

from __future__ import annotations

from collections.abc import Iterator

from worlds.contract import Action, silent
from worlds.playhouse.games.instructions.bringing import HandOver
from worlds.playhouse.players.body import Body, toward
from worlds.playhouse.players.receiving import receive
from worlds.playhouse.requests.success import PlayhouseTask

POINTING = "name what i point at"  # the game in which the setter looks at what it asks about


def takes_part(task: PlayhouseTask) -> bool:
    """Return True if a setter does more in what it asks for than ask."""
    return isinstance(task, HandOver) or task.spec.name == POINTING


class OwnPart:
    """Looks at what it points at, and takes what is handed over to it."""

    def __init__(self, body: Body) -> None:
        self._body = body
        self._task: PlayhouseTask | None = None
        self._receiving: Iterator[Action] | None = None

    def asked(self, task: PlayhouseTask) -> None:
        """Note what has just been asked for."""
        self._task = task
        if isinstance(task, HandOver):
            self._receiving = receive(self._body, task.spec.arguments["things"]["among"])

    def point(self) -> Action | None:
        """Return a step of looking at what it asks the name of; None where it does not, or that is answered."""
        task = self._task
        if task is None or task.over or task.spec.name != POINTING:
            return None
        return silent(self._body.move(toward(self._body.where(task.spec.arguments["target"]), None)))

    def receive(self) -> Action | None:
        """Return a step of waiting for what is handed over, or of taking it; None where nothing is, or no more."""
        action = None if self._receiving is None else next(self._receiving, None)
        if action is None:
            self._receiving = None
        return action
