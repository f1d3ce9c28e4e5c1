"""Episodes of a recording that failures of their world have ended: labelled, reported, and counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rlhf.records.episode import Episode
from rlhf.replay.guard import FAILURE, LEAST, Failure, Guard
from rlhf.run.progress import announce
from worlds.contract import WorldError
from worlds.errors import shows_tracebacks


@dataclass(frozen=True)
class PlayedEpisode:
    """What came of one plan.

    Args:
      episode: None where the world failed before the first step.
      failure: that ended it; None where nothing failed.
    """

    episode: Episode | None
    failure: Failure | None = None


def check_ends(ends: Sequence[Failure], episodes: int) -> None:
    """Report at the end of a command that a world ended its process, or tried to. Raises WorldError if any did."""
    if ends:
        raise WorldError(
            f"the world ended its process, or tried to, in {len(ends)} of {episodes} episodes; the others were played "
            f"({ends[0].message})"
        )


def guard(failed: Callable[[Failure], None], step_limit_sec: float | None = None) -> Guard | None:
    """Return a guard of play; None with RLHF_DEBUG=1, so that a failure is raised with its traceback.

    Args:
      step_limit_sec: seconds that a world may take for a reset or a step; None sets no limit.
    """
    return None if shows_tracebacks() else Guard(failed, step_limit_sec)


class Failures:
    """The failures of one recording, each reported in one line."""

    def __init__(self, episodes: int) -> None:
        self._episodes, self._whole = episodes, 0
        self._failed: list[Failure] = []

    def note(self, failure: Failure) -> None:
        """Report a failure.

        Raises:
          WorldError: all episodes have failed so far, and they are several or all.
        """
        self._failed.append(failure)
        if not self._whole and len(self._failed) >= min(LEAST, self._episodes):
            raise WorldError(failure.message)
        kept = f"its {failure.steps} steps before are recorded" if failure.steps else "it is not recorded"
        announce(f"{failure.message}; {kept}, and the other episodes are played")

    def noted(self, played: PlayedEpisode) -> Iterator[Episode]:
        """Yield the episode, if there is one, and report its failure, if there is one."""
        if played.failure is not None:
            self.note(played.failure)
        if played.episode is not None:
            yield self.counted(played.episode)

    def counted(self, episode: Episode) -> Episode:
        """Count an episode that was recorded."""
        self._whole += FAILURE not in episode.notes
        return episode

    @property
    def ends(self) -> list[Failure]:
        """The failures in which the world ended its process, or tried to."""
        return [failure for failure in self._failed if failure.ends_process]

    def report(self, data: Path) -> None:
        """Announce the number of failures, if there are any."""
        if self._failed:
            lost = sum(not failure.steps for failure in self._failed)
            unrecorded = f", {lost} of which are not recorded" if lost else ""
            announce(
                f"the world failed in {len(self._failed)} of {self._episodes} episodes{unrecorded}; what was played is "
                f"in {data}, with the error in the note {FAILURE!r}"
            )
