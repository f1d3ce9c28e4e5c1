"""How densely raters mark, in marks in five minutes of play."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from annotation.scripted_rater import ScriptedRater
from rlhf.store import EpisodeStore
from rlhf.store.parquet import ParquetStore
from worlds.contract import STEPS_PER_SECOND, Event

Markable = tuple[int, Sequence[Event]]  # steps of an episode, and its true moments of progress and regress
FIVE_MINUTES_SEC = 300.0


@dataclass(frozen=True)
class MarkablePlay:
    """What there is to mark."""

    steps: int
    events: int

    @classmethod
    def of(cls, episodes: Iterable[Markable]) -> MarkablePlay:
        """Count the steps and events of episodes."""
        found = [(steps, sum(0 <= event.step < steps for event in events)) for steps, events in episodes]
        return cls(sum(steps for steps, _ in found), sum(events for _, events in found))


def five_minutes_of(store: EpisodeStore) -> float:
    """Return the steps of five minutes in the world of a dataset."""
    clock = store.description.steps_per_second if isinstance(store, ParquetStore) else STEPS_PER_SECOND
    return FIVE_MINUTES_SEC * clock


def rater_of_density(rater: ScriptedRater, wanted: float, play: MarkablePlay, five_minutes: float) -> ScriptedRater:
    """Return the same rater, who overlooks as many further events as are too many.

    The mean number of its marks in five minutes is ``wanted``, or less where there are not so many events. Its delays
    and mistakes stay the same.
    """
    a_step = wanted / five_minutes
    spurious = min(rater.spurious, a_step)
    seen = (a_step - spurious) * play.steps / play.events if play.events else 1.0
    return replace(rater, spurious=spurious, miss=max(rater.miss, 1.0 - seen))
