"""The play on which reward models are measured, in groups, and every model's scores of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from pipelines.diagnose.diagnosis import ALL_SOLVERS
from pipelines.stages.episodes.division import Division
from pipelines.stages.episodes.recordings import evenly_spaced, in_order
from reward_models.learning.ordering import RARE, OrderedPairs, Reliability, order_pairs
from reward_models.loaded import LoadedRewardModel, Scores
from reward_models.marks.marked_play import MarkedPlay, mark_play
from reward_models.marks.pairs import count_marks
from reward_models.scores.predicted_marks import SIGNS, MarkedSteps
from reward_models.scores.request_outcomes import RequestSpan, request_spans
from reward_models.scores.rescoring import Moment, Rescored, Speaker, Words, answers, heard_in, instructions, rescore
from rlhf.records.episode import Episode
from rlhf.records.marks import Mark
from rlhf.run.progress import progress
from rlhf.store import EpisodeRow, EpisodeStore, open_store
from worlds.errors import UserError

AT_ONCE = 16  # episodes in memory with their frames
AROUND_ANSWER, AROUND_SUCCESS = 4, 12  # steps before the moment in curves

Group = tuple[str, str]  # (part, solver)


@dataclass(eq=False)
class GroupPlay:
    """Data of one group, independent of the model; entry i of every list is of episode i.

    Args:
      raters: marked steps of each rater who saw the episode.
    """

    ids: list[str] = field(default_factory=list)
    raters: list[list[MarkedSteps]] = field(default_factory=list)
    spans: list[list[RequestSpan]] = field(default_factory=list)
    marks: int = 0

    def __add__(self, other: GroupPlay) -> GroupPlay:
        return GroupPlay(
            self.ids + other.ids, self.raters + other.raters, self.spans + other.spans, self.marks + other.marks
        )


@dataclass(eq=False)
class GroupScores:
    """Scores of one group by one model: lists over episodes, except ``words``, lists over chunks of them.

    Args:
      rewards: [T] of each episode.
      words: moments rescored under other words, by their speaker.
    """

    rewards: list[np.ndarray] = field(default_factory=list)
    pairs: list[OrderedPairs] = field(default_factory=list)
    mark_odds: list[tuple[Reliability, ...]] = field(default_factory=list)
    words: dict[Speaker, list[Rescored]] = field(default_factory=lambda: {"solver": [], "setter": []})

    def __add__(self, other: GroupScores) -> GroupScores:
        words: dict[Speaker, list[Rescored]] = {
            speaker: self.words[speaker] + other.words[speaker] for speaker in self.words
        }
        return GroupScores(
            self.rewards + other.rewards, self.pairs + other.pairs, self.mark_odds + other.mark_odds, words
        )


class Recordings:
    """Several datasets as one. Raises UserError if two of them have an episode of the same id."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._stores: dict[str, EpisodeStore] = {}  # by episode id
        self.sources: list[tuple[Path, list[EpisodeRow]]] = []
        self.marks: defaultdict[str, list[Mark]] = defaultdict(list)
        for folder in folders:
            store = open_store(folder)
            rows = in_order(store.rows())
            for row in rows:
                if row.episode_id in self._stores:
                    raise UserError(
                        f"episode {row.episode_id} is in {folder} and in another of the datasets; name only one of them"
                    )
                self._stores[row.episode_id] = store
            self.sources.append((folder, rows))
            for mark in store.marks():
                self.marks[mark.episode_id].append(mark)

    def read(self, ids: Sequence[str]) -> list[Episode]:
        """Read the episodes of ``ids``, in that order."""
        return [self._stores[episode_id].read(episode_id) for episode_id in ids]

    def chunks(self, ids: Sequence[str]) -> Iterator[list[Episode]]:
        """Yield the episodes of ``ids``, some at a time."""
        for begin in range(0, len(ids), AT_ONCE):
            yield self.read(ids[begin : begin + AT_ONCE])


def group_rows(recordings: Recordings, divisions: Sequence[Division], most: int) -> dict[Group, list[str]]:
    """Ids of the episodes to measure on, by part and solver; at most ``most`` of each, evenly spaced.

    An episode that any of the models learned from is "learned" for all of them. Play that raters saw and did not mark
    is not learned from; to keep the sample unbiased, the same share of it as of the marked play of a solver goes to
    "validation".
    """
    learned = frozenset[str]().union(*(one.learned for one in divisions))
    validation = frozenset[str]().union(*(one.validation for one in divisions)) - learned
    groups: defaultdict[Group, list[str]] = defaultdict(list)
    for _, rows in recordings.sources:
        for solver in dict.fromkeys(row.solver for row in rows):
            own = [row for row in rows if row.solver == solver]
            train = [row.episode_id for row in own if row.split != "held_out"]
            groups["held_out", solver] += [row.episode_id for row in own if row.split == "held_out"]
            fitted = [episode_id for episode_id in train if episode_id in learned]
            chosen = [episode_id for episode_id in train if episode_id in validation]
            rest = [episode_id for episode_id in train if episode_id not in learned and episode_id not in validation]
            if not fitted and not chosen:
                groups["transfer", solver] += rest
                continue
            share = len(chosen) / (len(fitted) + len(chosen))
            groups["learned", solver] += fitted
            groups["validation", solver] += sorted([*chosen, *evenly_spaced(rest, round(share * len(rest)))])
    return {group: evenly_spaced(ids, min(len(ids), most)) for group, ids in groups.items() if ids}


def who_rated(recordings: Recordings, ids: Sequence[str]) -> dict[str, list[str]]:
    """Names of the raters who saw each of ``ids``, the episodes of one group.

    A person is known to have seen an episode only if it has a mark of theirs. A scripted rater marks whole recordings,
    so it has seen episodes without its marks, too.
    """
    scripted = {mark.rater for episode_id in ids for mark in recordings.marks.get(episode_id, ()) if mark.scripted}
    return {
        episode_id: sorted(scripted | {mark.rater for mark in recordings.marks.get(episode_id, ())})
        for episode_id in ids
    }


def moments_of(marks: Sequence[Mark], raters: Sequence[str], steps: int, episode_id: str) -> list[MarkedSteps]:
    """Marked steps of each of ``raters`` on one episode; empty for raters without marks."""
    return [
        MarkedSteps.of(count_marks([m for m in marks if m.rater == rater], episode_id, steps).sum(axis=1))
        for rater in raters
    ]


@dataclass(eq=False)
class ModelScores:
    """All groups, and the scores of all models: ``scores[model][group]``."""

    play: dict[Group, GroupPlay]
    scores: list[dict[Group, GroupScores]]

    def pooled(self) -> ModelScores:
        """Add a group of all solvers after the groups of each part with several."""
        play: dict[Group, GroupPlay] = {}
        scores: list[dict[Group, GroupScores]] = [{} for _ in self.scores]
        for part in dict.fromkeys(part for part, _ in self.play):
            own = [group for group in self.play if group[0] == part]
            every = (part, ALL_SOLVERS)
            for group in own:
                play[group] = self.play[group]
                for found, ours in zip(self.scores, scores, strict=True):
                    ours[group] = found[group]
            if len(own) > 1:
                play[every] = sum((self.play[group] for group in own), GroupPlay())
                for found, ours in zip(self.scores, scores, strict=True):
                    ours[every] = sum((found[group] for group in own), GroupScores())
        return ModelScores(play, scores)


def score_models(
    recordings: Recordings,
    groups: Mapping[Group, Sequence[str]],
    models: Sequence[LoadedRewardModel],
    reach: int,
    seed: int,
) -> ModelScores:
    """Score every group by every model, as recorded and, at its moments, under other words."""
    scored = ModelScores({}, [{} for _ in models])
    heard: dict[Speaker, set[Words]] = {"solver": set(), "setter": set()}
    with_moments: dict[Group, list[str]] = {}
    for group, ids in groups.items():
        raters = who_rated(recordings, ids)
        scored.play[group] = GroupPlay()
        for found in scored.scores:
            found[group] = GroupScores()
        chunks = progress(recordings.chunks(ids), -(-len(ids) // AT_ONCE), f"{group[0]} {group[1]}")
        with_moments[group] = []
        for episodes in chunks:
            _add(scored.play[group], episodes, recordings, raters)
            marks = [mark for episode in episodes for mark in recordings.marks.get(episode.episode_id, ())]
            for model, found in zip(models, scored.scores, strict=True):
                own = mark_play(episodes, marks, model.tokenizer, model.sizes)
                _score(found[group], model, own, scored.play[group].raters[-len(episodes) :])
            for speaker, words in heard_in(episodes).items():
                heard[speaker] |= words
            with_moments[group] += [
                e.episode_id for e in episodes if answers([e], reach) or instructions([e], reach)
            ]  # fmt: skip
    for group, ids in with_moments.items():
        title = f"other words in {group[0]} {group[1]}"
        for episodes in progress(recordings.chunks(ids), -(-len(ids) // AT_ONCE), title):
            for model, found in zip(models, scored.scores, strict=True):
                _reword(found[group], model, episodes, heard, reach, seed)
    return scored


def _add(play: GroupPlay, episodes: Sequence[Episode], recordings: Recordings, raters: dict[str, list[str]]) -> None:
    for episode in episodes:
        marks = recordings.marks.get(episode.episode_id, [])
        play.ids.append(episode.episode_id)
        play.raters.append(moments_of(marks, raters[episode.episode_id], len(episode), episode.episode_id))
        play.spans.append(request_spans(episode))
        play.marks += len(marks)


def _score(
    found: GroupScores, model: LoadedRewardModel, play: MarkedPlay, raters: Sequence[Sequence[MarkedSteps]]
) -> None:
    """Add a model's scores of ``play`` with the marks of ``raters``."""
    for number, scored in enumerate(model.score(play.episodes)):
        found.rewards.append(scored.reward)
        found.pairs.append(order_pairs(scored.utility, play.marks_of(number)))
        found.mark_odds.append(_mark_odds(scored, raters[number]))


def _mark_odds(scored: Scores, raters: Sequence[MarkedSteps]) -> tuple[Reliability, ...]:
    """Reliability of predicted (+) and (-) against every rater's marks; none if the model predicts none.

    At an episode's first step a model predicts neither, by definition: that step is left out.
    """
    if scored.mark_probability is None:
        return ()
    odds = []
    for sign in SIGNS:
        yes = np.zeros(len(scored.reward))
        for moments in raters:
            yes[np.unique(moments[sign])] += 1
        yes = yes[1:]
        odds.append(Reliability.of(scored.mark_probability[1:, sign], yes, len(raters) - yes, RARE))
    return tuple(odds)


def _reword(
    found: GroupScores,
    model: LoadedRewardModel,
    episodes: Sequence[Episode],
    heard: dict[Speaker, set[Words]],
    reach: int,
    seed: int,
) -> None:
    play = mark_play(episodes, (), model.tokenizer, model.sizes).episodes
    wanted: tuple[tuple[Speaker, Callable[[Sequence[Episode], int], list[Moment]], int], ...] = (
        ("solver", answers, AROUND_ANSWER),
        ("setter", instructions, AROUND_SUCCESS),
    )
    for speaker, moments, before in wanted:
        own = moments(episodes, reach)
        found.words[speaker].append(rescore(model, play, episodes, own, speaker, heard, (before, reach), seed))
