"""`rlhf mark`: marks or verdicts of scripted raters, or marks of setters' next requests, on a dataset's episodes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from annotation.mark_density import Markable, MarkablePlay, five_minutes_of, rater_of_density
from annotation.next_requests import NEXT_REQUEST, marks_before_requests
from annotation.scripted_rater import ScriptedRater
from pipelines.stages.episodes.recordings import evenly_spaced, in_order
from rlhf.records.marks import Mark
from rlhf.records.preferences import RequestVerdict
from rlhf.run.progress import announce, progress
from rlhf.store import EpisodeRow, EpisodeStore, open_store
from worlds.errors import UserError
from worlds.ranges import Count, Positive, Seed, Share, Steps
from worlds.settings import settings

Judged = Mark | RequestVerdict
JudgedOf = Callable[[str], Sequence[Judged]]  # an episode, by its id
_OF_RATERS = (
    "raters", "delay", "delay_sd", "miss", "mistake", "longest_delay", "delays", "misses", "mistakes",
    "per_five_minutes",
)  # fmt: skip
_NEARLY = 0.75  # share of the wanted marks below which the lack of events is reported
LateBy = Annotated[float, Field(ge=0)]


@settings
class MarkConfig:
    """Settings of `rlhf mark`. Its marks are labelled as scripted.

    Args:
      data: folder of the dataset.
      from_: "events" has scripted raters notice the tasks' own moments of progress and regress. "outcomes" has them say
        of each request whether it was carried out, by the tasks' own checks, and nothing of when. "requests" marks
        progress one step before each further request of the setter, whatever was done.
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
      most: marks or verdicts that a rater gives at most, on episodes of every solver and split in proportion; None sets
        no limit.
    """

    data: Path = Path("data/play")
    from_: Literal["events", "outcomes", "requests"] = "events"
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
    share: Annotated[float, Field(gt=0, le=1)] = 1.0
    per_five_minutes: Positive | None = None
    most: Count | None = None

    def __post_init__(self) -> None:
        for name in ("delays", "misses", "mistakes"):
            each = getattr(self, name)
            if each and len(each) != self.raters:
                raise UserError(f"{name} has {len(each)} numbers for {self.raters} raters; give one for each")
        usual = {each.name: each.default for each in fields(self)}
        given = [name for name in _OF_RATERS if getattr(self, name) != usual[name]]
        if self.from_ == "requests" and given:
            raise UserError(f"marks from requests have no rater: leave out {', '.join(given)}")

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


def mark(config: MarkConfig) -> list[Judged]:
    """Judge the episodes and return what is new. An episode that a rater has judged before is left as it is.

    Raises:
      UserError: if there is no episode to judge.
    """
    store = open_store(config.data)
    wanted = _to_mark(store, config)
    wanted_ids = set(wanted)
    new: set[Judged] = set()
    known: set[Judged] = set()

    for name, judged_of in _raters(store, wanted, config).items():
        there = store.preferences(RequestVerdict) if config.from_ == "outcomes" else store.marks()
        earlier = {one for one in there if one.rater == name and one.episode_id in wanted_ids}
        done = {one.episode_id for one in earlier}
        left_out = [episode_id for episode_id in wanted if episode_id not in done]
        found: set[Judged] = set()
        for episode_id in progress(left_out, title=f"{name} marks", unit="episodes"):
            given = judged_of(episode_id)
            left = len(given) if config.most is None else config.most - len(earlier) - len(found)
            found.update(given[: max(left, 0)])
            if left <= len(given) and config.most is not None:
                break
        store.write_marks([one for one in found if isinstance(one, Mark)])
        store.write_preferences([one for one in found if isinstance(one, RequestVerdict)])
        new |= found
        known |= earlier
    announce(f"{_summary(new, known, config)}{_density(store, wanted_ids, len(new | known), config)}")
    return sorted(new, key=lambda one: (one.episode_id, one.step if isinstance(one, Mark) else one.begin, one.rater))


def marks_in_five_minutes(store: EpisodeStore, config: MarkConfig, split: str | None = None) -> float | None:
    """Return how many marks each of the raters of ``config`` gave in five minutes of a dataset.

    None without play, for raters who stop after some marks, and where none marks events.

    Args:
      split: of the episodes, "train" or "held_out"; None for both.
    """
    if config.most is not None or config.from_ != "events":
        return None
    rows = {row.episode_id: row for row in store.rows(split=split, solver=config.solver)}
    marks = sum(mark.episode_id in rows for mark in store.marks())
    steps = config.share * config.raters * sum(row.steps for row in rows.values())
    return marks / steps * five_minutes_of(store) if steps else None


def _raters(store: EpisodeStore, wanted: Collection[str], config: MarkConfig) -> dict[str, JudgedOf]:
    """Return every rater by name; where a density is set, no more attentive than it needs."""
    if config.from_ == "requests":
        return {NEXT_REQUEST: lambda episode_id: marks_before_requests(store.read(episode_id))}

    @cache
    def to_judge(episode_id: str) -> Markable:
        episode = store.read(episode_id)
        return len(episode), episode.truth

    raters = [config.rater(number) for number in range(config.raters)]
    if config.from_ == "outcomes":
        return {rater.name: lambda episode_id, rater=rater: rater.judge(store.read(episode_id)) for rater in raters}
    if config.per_five_minutes is not None:
        play = MarkablePlay.of(map(to_judge, progress(wanted, title="counting what could be marked", unit="episodes")))
        five_minutes = five_minutes_of(store)
        raters = [rater_of_density(rater, config.per_five_minutes, play, five_minutes) for rater in raters]
    return {
        rater.name: lambda episode_id, rater=rater: rater.mark(episode_id, *to_judge(episode_id)) for rater in raters
    }


def _density(store: EpisodeStore, episodes: Collection[str], marks: int, config: MarkConfig) -> str:
    """Report how many marks a rater gave in five minutes, and that there were too few events for more."""
    steps = config.raters * sum(row.steps for row in store.rows() if row.episode_id in episodes)
    density, wanted = marks / steps * five_minutes_of(store), config.per_five_minutes
    if config.most is not None or config.from_ == "outcomes":
        return ""
    said = f"; {density:.1f} marks per five minutes" + (" and rater" if config.raters > 1 else "")
    if wanted is not None and density < _NEARLY * wanted:
        said += f" ({wanted:g} were wanted; play has too few events for more)"
    return said


def _summary(new: Collection[Judged], known: Collection[Judged], config: MarkConfig) -> str:
    """Report the numbers of new marks or verdicts, of their episodes, and of earlier ones."""
    noun = "verdicts" if config.from_ == "outcomes" else "marks"
    written = f"wrote {_counted(new, noun)} of {config.data}" if new else f"wrote no new {noun} of {config.data}"
    return f"{written}; {_counted(known, noun)} were there already" if known else written


def _counted(judged: Collection[Judged], noun: str) -> str:
    episodes = len({one.episode_id for one in judged})
    return f"{len(judged)} {noun} on {episodes} episode{'s' * (episodes != 1)}"


def _to_mark(store: EpisodeStore, config: MarkConfig) -> list[str]:
    """Return ids of the episodes to mark, the same share of every solver and split. Raises UserError without any."""
    if not store.ids(solver=config.solver):
        solvers = ", ".join(sorted({row.solver for row in store.rows()}))
        if not solvers:
            raise UserError(f"{config.data} holds no episodes; record some with `rlhf record --data {config.data}`")
        raise UserError(
            f"solver is {config.solver}, but {config.data} has episodes only of {solvers}; name one of them"
        )
    if config.share == 1.0 and config.most is None:
        return store.ids(solver=config.solver)
    rows = in_order(store.rows(solver=config.solver))
    chosen = evenly_spaced(rows, max(1, round(config.share * len(rows))))
    return [row.episode_id for row in (chosen if config.most is None else _interleaved(chosen))]


def _interleaved(rows: Sequence[EpisodeRow]) -> list[EpisodeRow]:
    """Return the rows in an order whose every beginning has the same share of each solver and split."""
    groups: dict[tuple[str, str], list[EpisodeRow]] = {}
    for row in rows:
        groups.setdefault((row.solver, row.split), []).append(row)
    at = {row.episode_id: (rank + 0.5) / len(group) for group in groups.values() for rank, row in enumerate(group)}
    return sorted(rows, key=lambda row: at[row.episode_id])
