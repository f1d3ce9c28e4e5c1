"""`rlhf mark`: scripted raters mark a dataset's episodes. Marks of people are written with `store.write_marks`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from annotation.scripted_rater import ScriptedRater
from rlhf.errors import UserError
from rlhf.progress import announce, progress
from rlhf.store import open_store


@dataclass(frozen=True)
class MarkConfig:
    """Settings of `rlhf mark`. Marks of scripted raters are labelled as scripted and never called human.

    Args:
      data: folder of the dataset. raters: how many scripted raters mark every episode.
      delay, delay_sd: steps by which a mark comes late. miss: share of events that go unmarked.
      mistake: share of marks with the wrong sign. solver: mark only episodes of this solver; None marks all.
    """

    data: Path = Path("data/play")
    raters: int = 1
    delay: float = 1.0
    delay_sd: float = 0.7
    miss: float = 0.1
    mistake: float = 0.05
    solver: str | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.raters < 1:
            raise UserError(f"raters is at least 1, not {self.raters}")
        for name in ("delay", "delay_sd"):
            if not 0.0 <= getattr(self, name) < math.inf:
                raise UserError(f"{name} is a number of steps from 0 on, not {getattr(self, name)}")
        for name in ("miss", "mistake"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise UserError(f"{name} is a share between 0 and 1, not {getattr(self, name)}")


def mark(config: MarkConfig) -> int:
    """Mark all episodes and return the number of marks. A rater's earlier marks on an episode are not doubled."""
    store = open_store(config.data)
    written, marked = 0, set()
    for number in range(config.raters):
        rater = ScriptedRater(
            name=f"scripted-rater-{number}",
            delay=(config.delay, config.delay_sd),
            miss=config.miss,
            mistake=config.mistake,
            seed=config.seed + number,
        )
        already = {mark.episode_id for mark in store.marks() if mark.rater == rater.name}
        marks = []
        todo = [episode_id for episode_id in store.ids(solver=config.solver) if episode_id not in already]
        for episode_id in progress(todo, title=f"{rater.name} marks", unit="episodes"):
            episode = store.read(episode_id)
            marks += rater.mark(episode_id, len(episode), episode.truth)
        store.write_marks(marks)
        written += len(marks)
        marked.update(mark.episode_id for mark in marks)
    announce(f"wrote {written} marks on {len(marked)} episodes of {config.data}")
    return written
