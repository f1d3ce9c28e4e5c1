"""Play that goes on although a world fails: the episode at hand is ended and labelled, and the others are played."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from rlhf.records.episode import Episode
from rlhf.records.spaces import EpisodeSpaces
from worlds.contract import SOLVER, World, WorldError
from worlds.spaces.observation import InvalidObservation, PlayerSpec

LEAST = 3  # failures in a row, from the first play on, that end all play
FAILURE = "failure"  # in an episode's notes: the error of the world that ended it


@dataclass(frozen=True)
class Failure:
    """An episode that a failure of its world has ended.

    Args:
      episode_id: of the episode.
      message: world, step and error, in one line.
      steps: that were played before; the episode has no record if there are none.
      ends_process: True if the world has ended its process, or tried to.
    """

    episode_id: str
    message: str
    steps: int
    ends_process: bool = False


class GuardedSlot(Protocol):
    """A slot of play, as far as a guard needs it."""

    def cut_short(self, doing: str, reason: str) -> Episode | None:
        """End the episode because of a failure; return the steps before."""
        ...


class Guard:
    """Collects the failures of play, checks what worlds return, and times their calls.

    Args:
      failed: called with every failure.
      step_limit_sec: seconds that a reset or a step may take before it is interrupted, see
        :mod:`worlds.foreign_code.watchdog`; None where another process or thread times it.

    Attributes:
      slots: of the play under way.
    """

    def __init__(self, failed: Callable[[Failure], None], step_limit_sec: float | None = None) -> None:
        self.failed, self.step_limit_sec = failed, step_limit_sec
        self.slots: Sequence[GuardedSlot] = ()
        self._doing: tuple[str, float] | None = None  # the last call, and when it began

    def begin(self, doing: str) -> None:
        """Note that the call ``doing`` begins, for :meth:`waiting`."""
        self._doing = doing, time.monotonic()

    def end(self) -> None:
        """Note that the call has ended."""
        self._doing = None

    def waiting(self) -> tuple[str, float]:
        """Return the call under way and the seconds since it began; ("", 0) between calls."""
        doing = self._doing
        return ("", 0.0) if doing is None else (doing[0], time.monotonic() - doing[1])


def check_observation(spec: PlayerSpec, observations: Mapping[str, Any]) -> None:
    """Refuse observations in which the solver's leaves its declared spaces. Raises WorldError."""
    try:
        spec.check_observation(observations[SOLVER])
    except InvalidObservation as error:
        raise WorldError(f"its observation leaves the declared space: {error}") from None


def check_spaces(world: World, made: EpisodeSpaces) -> None:
    """Refuse a world whose spaces are no longer those with which it was made. Raises WorldError."""
    found = EpisodeSpaces.of(world)
    if found != made:
        first = found.differences(made, ("it", "the world that was made"))[0]
        raise WorldError(f"its reset changes its spaces: {first}")


def check_place(world: World, config: Mapping[str, Any]) -> None:
    """Refuse a reset that did not lead to the place ``config``. Raises WorldError."""
    if dict(world.config) != dict(config):
        raise WorldError("its reset leads to another place than the configuration that was given")
