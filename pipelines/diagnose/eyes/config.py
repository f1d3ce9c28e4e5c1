"""Settings of the diagnosis of an agent's eyes."""

from __future__ import annotations

from worlds.errors import UserError
from worlds.ranges import Count, CountFromZero, Positive, ShareBelowOne
from worlds.settings import settings


@settings
class EyesConfig:
    """How an agent's eyes are measured.

    Args:
      solver: only play of this solver, e.g. "agent:clone"; none takes all.
      frames: largest number of frames, evenly spaced over the episodes.
      measured: share of the episodes that nothing learns from and everything is measured on, the agent's training
        included as far as it is known; there may be fewer that it did not learn from.
      least: pixels of a thing from which on it is in view.
      updates: updates of the network that is taught with the truth.
      probe_updates: updates of each probe of features that stay as they are.
      batch: frames of an update.
      learning_rate: of the taught network; probes have ten times as much.
      shift: largest shift of the taught network's pictures, in pixels.
      phrase: the instruction by which the agent's own match of words and pictures is asked for a thing.
    """

    solver: str | None = None
    frames: Count = 8000
    measured: ShareBelowOne = 0.34
    least: Count = 8
    updates: Count = 1500
    probe_updates: Count = 1000
    batch: Count = 128
    learning_rate: Positive = 1.5e-3
    shift: CountFromZero = 2
    phrase: str = "go to the {colour} {kind}"

    def __post_init__(self) -> None:
        if self.measured == 0:
            raise UserError("eyes.measured is above 0: some episodes have to be left to measure on")
        try:
            named = [self.phrase.format(colour=colour, kind=kind) for colour in "ab" for kind in "cd"]
        except (KeyError, IndexError, ValueError):
            named = []
        if len(set(named)) < 4:
            raise UserError(
                f"eyes.phrase names {{colour}} and {{kind}} and nothing else in braces, unlike {self.phrase!r}"
            )
