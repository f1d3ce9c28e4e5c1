"""`rlhf mark`: scripted raters mark a dataset's episodes. Marks of people are written with `store.write_marks`."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from annotation.marks import Mark
from annotation.scripted_rater import ScriptedRater
from pipelines.recordings import in_order, spread
from rlhf.errors import UserError
from rlhf.progress import announce, progress
from rlhf.store import EpisodeStore, open_store


@dataclass(frozen=True)
class MarkConfig:
    """Settings of `rlhf mark`. Marks of scripted raters are labelled as scripted and never called human.

    Args:
      data: folder of the dataset.
      raters: number of scripted raters; each marks every episode.
      delay: steps by which a mark comes late, on average.
      delay_sd: standard deviation of the delay, in steps.
      miss: share from 0 to 1 of events that stay unmarked.
      mistake: share from 0 to 1 of marks with the wrong sign.
      longest_delay: steps by which a mark comes late at most.
      delays: the delay of each rater in turn, for raters who differ; none where they are alike.
      misses: the share of missed events of each rater in turn; none where they are alike.
      mistakes: the share of wrong signs of each rater in turn; none where they are alike.
      solver: mark only episodes of this solver; None marks all.
      seed: seed of what raters miss, delay and mistake.
      share: share of those episodes that is marked, above 0 and up to 1, spread evenly over the recording; all raters
        mark the same.
    """

    data: Path = Path("data/play")
    raters: int = 1
    delay: float = 1.0
    delay_sd: float = 0.7
    miss: float = 0.1
    mistake: float = 0.05
    longest_delay: int = 3
    delays: tuple[float, ...] = ()
    misses: tuple[float, ...] = ()
    mistakes: tuple[float, ...] = ()
    solver: str | None = None
    seed: int = 0
    share: float = 1.0

    def __post_init__(self) -> None:
        if self.raters < 1:
            raise UserError(f"raters is at least 1, not {self.raters}")
        if self.longest_delay < 0:
            raise UserError(f"longest_delay is a number of steps from 0 on, not {self.longest_delay}")
        for name, several in (("delay", "delays"), ("miss", "misses"), ("mistake", "mistakes")):
            each = getattr(self, several)
            if each and len(each) != self.raters:
                raise UserError(f"{several} has {len(each)} numbers for {self.raters} raters; give one for each")
            for shown, value in ((name, getattr(self, name)), *((several, value) for value in each)):
                _check(shown, value, math.inf if name == "delay" else 1.0)
        _check("delay_sd", self.delay_sd, math.inf)
        if not 0.0 < self.share <= 1.0:
            raise UserError(f"share is above 0 and up to 1, not {self.share}")

    def rater(self, number: int) -> ScriptedRater:
        """The rater of this number, from 0 on."""
        delay, miss, mistake = (
            each[number] if each else alike
            for each, alike in ((self.delays, self.delay), (self.misses, self.miss), (self.mistakes, self.mistake))
        )
        return ScriptedRater(
            name=f"scripted-rater-{number}",
            delay=(delay, self.delay_sd),
            longest_delay=self.longest_delay,
            miss=miss,
            mistake=mistake,
            seed=self.seed + number,
        )


def _check(name: str, value: float, most: float) -> None:
    """Raises UserError if a setting is not from 0 to ``most``, or not a finite number."""
    if not (0.0 <= value <= most and value < math.inf):
        what = "a share between 0 and 1" if most == 1.0 else "a number of steps from 0 on"
        raise UserError(f"{name} is {what}, not {value}")


def mark(config: MarkConfig) -> int:
    """Mark the episodes and return the number of new marks. A rater's earlier marks on an episode are not doubled.

    Raises:
      UserError: if there is no episode to mark.
    """
    store = open_store(config.data)
    wanted = _to_mark(store, config)
    among = set(wanted)
    new: set[Mark] = set()
    known: set[Mark] = set()
    for number in range(config.raters):
        rater = config.rater(number)
        earlier = {mark for mark in store.marks() if mark.rater == rater.name and mark.episode_id in among}
        marked = {mark.episode_id for mark in earlier}
        todo = [episode_id for episode_id in wanted if episode_id not in marked]
        marks: set[Mark] = set()
        for episode_id in progress(todo, title=f"{rater.name} marks", unit="episodes"):
            episode = store.read(episode_id)
            marks.update(rater.mark(episode_id, len(episode), episode.truth))
        store.write_marks(marks)
        new |= marks
        known |= earlier
    announce(_summary(new, known, config))
    return len(new)


def _summary(new: Collection[Mark], known: Collection[Mark], config: MarkConfig) -> str:
    """How many marks are new, on how many episodes, and how many were there before."""
    written = f"wrote {_marks(new)} of {config.data}" if new else f"wrote no new marks of {config.data}"
    return f"{written}; {_marks(known)} were there already" if known else written


def _marks(marks: Collection[Mark]) -> str:
    episodes = len({mark.episode_id for mark in marks})
    return f"{len(marks)} marks on {episodes} episode{'s' * (episodes != 1)}"


def _to_mark(store: EpisodeStore, config: MarkConfig) -> list[str]:
    """Ids of the episodes that are marked: of every solver and split the same share. Raises UserError without any."""
    if not store.ids(solver=config.solver):
        solvers = ", ".join(sorted({row.solver for row in store.rows()}))
        if not solvers:
            raise UserError(f"{config.data} holds no episodes; record some with `rlhf record --data {config.data}`")
        raise UserError(
            f"solver is {config.solver}, but {config.data} has episodes only of {solvers}; name one of them"
        )
    if config.share == 1.0:
        return store.ids(solver=config.solver)
    rows = in_order(store.rows(solver=config.solver))
    return [row.episode_id for row in spread(rows, max(1, round(config.share * len(rows))))]
