"""`rlhf mark`: marks of scripted raters on a dataset's episodes."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated

from agents.ranges import Count, Positive, Range, Seed, Share, Steps, check_ranges
from annotation.scripted_rater import ScriptedRater
from pipelines.stages.episodes.recordings import evenly_spaced, in_order
from pipelines.stages.mark_density import Markable, MarkablePlay, five_minutes_of, rater_of_density
from rlhf.records.marks import Mark
from rlhf.run.progress import announce, progress
from rlhf.store import EpisodeStore, open_store
from worlds.errors import UserError

_NEARLY = 0.75  # share of the wanted marks below which the lack of events is reported
LateBy = Annotated[float, Range(least=0, what="a number of steps")]


@dataclass(frozen=True)
class MarkConfig:
    """Settings of `rlhf mark`. Its marks are labelled as scripted.

    Args:
      data: folder of the dataset.
      raters: number of scripted raters; each marks every episode.
      delay: mean delay of a mark, in steps.
      delay_sd: standard deviation of the delay, in steps.
      miss: share from 0 to 1 of events that stay unmarked.
      mistake: share from 0 to 1 of marks with the wrong sign.
      longest_delay: longest delay of a mark, in steps.
      delays: delay of each rater, for raters who differ; none gives all the same.
      misses: share of missed events of each rater; none gives all the same.
      mistakes: share of wrong signs of each rater; none gives all the same.
      solver: mark only episodes of this solver; None marks all.
      seed: seed of the raters' delays, misses and mistakes.
      share: share of those episodes that is marked, above 0 and up to 1, spread evenly over the recording; all raters
        mark the same episodes.
      per_five_minutes: marks that a rater gives in five minutes of play, on average; it misses more events than miss
        says where there are more (raters of the paper gave 14). None marks all that it does not miss.
    """

    data: Path = Path("data/play")
    raters: Count = 1
    delay: LateBy = 1.0
    delay_sd: LateBy = 0.7
    miss: Share = 0.1
    mistake: Share = 0.05
    longest_delay: Steps = 3
    delays: tuple[LateBy, ...] = ()
    misses: tuple[Share, ...] = ()
    mistakes: tuple[Share, ...] = ()
    solver: str | None = None
    seed: Seed = 0
    share: Annotated[float, Range(above=0, most=1)] = 1.0
    per_five_minutes: Positive | None = None

    def __post_init__(self) -> None:
        check_ranges(self, UserError)
        for name in ("delays", "misses", "mistakes"):
            each = getattr(self, name)
            if each and len(each) != self.raters:
                raise UserError(f"{name} has {len(each)} numbers for {self.raters} raters; give one for each")

    def rater(self, number: int) -> ScriptedRater:
        """Create the rater of this number, counted from 0."""
        delay, miss, mistake = (
            each[number] if each else common
            for each, common in ((self.delays, self.delay), (self.misses, self.miss), (self.mistakes, self.mistake))
        )
        return ScriptedRater(
            name=f"scripted-rater-{number}",
            delay=(delay, self.delay_sd),
            longest_delay=self.longest_delay,
            miss=miss,
            mistake=mistake,
            seed=self.seed + number,
        )


def mark(config: MarkConfig) -> list[Mark]:
    """Mark the episodes and return the new marks. An episode that a rater has marked before is left as it is.

    Raises:
      UserError: if there is no episode to mark.
    """
    store = open_store(config.data)
    wanted = _to_mark(store, config)
    wanted_ids = set(wanted)
    new: set[Mark] = set()
    known: set[Mark] = set()

    @cache
    def to_judge(episode_id: str) -> Markable:
        episode = store.read(episode_id)
        return len(episode), episode.truth

    for rater in _raters(store, wanted, to_judge, config):
        earlier = {mark for mark in store.marks() if mark.rater == rater.name and mark.episode_id in wanted_ids}
        marked = {mark.episode_id for mark in earlier}
        unmarked = [episode_id for episode_id in wanted if episode_id not in marked]
        marks: set[Mark] = set()
        for episode_id in progress(unmarked, title=f"{rater.name} marks", unit="episodes"):
            marks.update(rater.mark(episode_id, *to_judge(episode_id)))
        store.write_marks(marks)
        new |= marks
        known |= earlier
    announce(f"{_summary(new, known, config)}{_density(store, wanted_ids, len(new | known), config)}")
    return sorted(new, key=lambda mark: (mark.episode_id, mark.step, mark.rater))


def marks_in_five_minutes(store: EpisodeStore, config: MarkConfig, split: str | None = None) -> float | None:
    """Return how many marks each of the raters of ``config`` gave in five minutes of a dataset; None without play.

    Args:
      store: dataset that they have marked.
      config: how they did.
      split: of the episodes, "train" or "held_out"; None for both.
    """
    rows = {row.episode_id: row for row in store.rows(split=split, solver=config.solver)}
    marks = sum(mark.episode_id in rows for mark in store.marks())
    steps = config.share * config.raters * sum(row.steps for row in rows.values())
    return marks / steps * five_minutes_of(store) if steps else None


def _raters(
    store: EpisodeStore, wanted: Collection[str], to_judge: Callable[[str], Markable], config: MarkConfig
) -> list[ScriptedRater]:
    """Return all raters; where a density is set, no more attentive than it needs."""
    raters = [config.rater(number) for number in range(config.raters)]
    if config.per_five_minutes is None:
        return raters
    play = MarkablePlay.of(map(to_judge, progress(wanted, title="counting what could be marked", unit="episodes")))
    five_minutes = five_minutes_of(store)
    return [rater_of_density(rater, config.per_five_minutes, play, five_minutes) for rater in raters]


def _density(store: EpisodeStore, episodes: Collection[str], marks: int, config: MarkConfig) -> str:
    """Report how many marks a rater gave in five minutes, and that there were too few events for more."""
    steps = config.raters * sum(row.steps for row in store.rows() if row.episode_id in episodes)
    density, wanted = marks / steps * five_minutes_of(store), config.per_five_minutes
    said = f"; {density:.1f} marks per five minutes" + (" and rater" if config.raters > 1 else "")
    if wanted is not None and density < _NEARLY * wanted:
        said += f" ({wanted:g} were wanted; play has too few events for more)"
    return said


def _summary(new: Collection[Mark], known: Collection[Mark], config: MarkConfig) -> str:
    """Report the numbers of new marks, of their episodes, and of earlier marks."""
    written = f"wrote {_marks(new)} of {config.data}" if new else f"wrote no new marks of {config.data}"
    return f"{written}; {_marks(known)} were there already" if known else written


def _marks(marks: Collection[Mark]) -> str:
    episodes = len({mark.episode_id for mark in marks})
    return f"{len(marks)} marks on {episodes} episode{'s' * (episodes != 1)}"


def _to_mark(store: EpisodeStore, config: MarkConfig) -> list[str]:
    """Return ids of the episodes to mark, the same share of every solver and split. Raises UserError without any."""
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
    return [row.episode_id for row in evenly_spaced(rows, max(1, round(config.share * len(rows))))]
