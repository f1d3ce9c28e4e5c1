"""Episodes kept in memory: for tests, and for play that is used once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from threading import RLock

from rlhf.records.episode import Episode
from rlhf.records.fields import InvalidField
from rlhf.records.marks import Judgement, Mark, rater_key
from rlhf.records.preferences import Statement
from rlhf.records.spaces import EpisodeSpaces
from rlhf.store.columns.tables import check_recordable
from rlhf.store.contract import (
    EpisodeRow,
    EpisodeStore,
    Kind,
    Problem,
    check_all_new,
    check_fits,
    check_known,
    check_steps,
    episodes_of,
    in_order,
)


class MemoryStore(EpisodeStore):
    """A store that lives as long as its process. Episodes are handed out as they came in, not copied."""

    def __init__(self) -> None:
        self._episodes: dict[str, Episode] = {}
        self._listing: dict[str, EpisodeRow] = {}
        self._dropped: set[str] = set()
        self._marks: set[Mark] = set()
        self._judgements: set[Judgement] = set()
        self._preferences: set[Statement] = set()
        self._kind: tuple[str, EpisodeSpaces] | None = None  # fixed by the first episode
        self._lock = RLock()

    def write(self, episode: Episode) -> None:
        self.write_group([episode])

    def write_group(self, episodes: Sequence[Episode]) -> None:
        for episode in episodes:
            check_recordable(episode)
        with self._lock:
            check_all_new(episodes, self._listing, self)
            kind = self._kind
            for episode in episodes:
                kind = kind or (episode.world, episode.spaces)
                check_fits(episode, *kind, store=self)
            self._kind = kind
            self._episodes |= {episode.episode_id: episode for episode in episodes}
            self._listing |= {episode.episode_id: EpisodeRow.of(episode) for episode in episodes}

    def write_marks(self, marks: Iterable[Mark]) -> None:
        marks = tuple(marks)
        with self._lock:
            check_steps(marks, self._listing, self)
            self._marks.update(marks)

    def write_judgements(self, judgements: Iterable[Judgement]) -> None:
        judgements = tuple(judgements)
        with self._lock:
            check_steps(judgements, self._listing, self)
            self._judgements.update(judgements)

    def write_preferences(self, preferences: Iterable[Statement]) -> None:
        preferences = tuple(preferences)
        with self._lock:
            check_steps(preferences, self._listing, self)
            self._preferences.update(preferences)

    def read(self, episode_id: str) -> Episode:
        with self._lock:
            check_known((episode_id,), self._listing, self)
            return self._episodes[episode_id]

    def marks(self, episode_id: str | None = None) -> list[Mark]:
        with self._lock:
            return in_order(mark for mark in self._marks if episode_id in (None, mark.episode_id))

    def judgements(self, episode_id: str | None = None) -> list[Judgement]:
        with self._lock:
            return in_order(judgement for judgement in self._judgements if episode_id in (None, judgement.episode_id))

    def preferences(self, kind: type[Kind], episode_id: str | None = None) -> list[Kind]:
        with self._lock:
            found = [each for each in self._preferences if isinstance(each, kind)]
            return in_order(each for each in found if episode_id is None or episode_id in episodes_of(each))

    def drop(self, episode_ids: Iterable[str]) -> int:
        with self._lock:
            gone = set(episode_ids) - (self._dropped - self._listing.keys())
            check_known(gone, self._listing, self)
            for episode_id in gone:
                del self._episodes[episode_id], self._listing[episode_id]
            self._marks = {mark for mark in self._marks if mark.episode_id not in gone}
            self._judgements = {judgement for judgement in self._judgements if judgement.episode_id not in gone}
            self._preferences = {each for each in self._preferences if gone.isdisjoint(episodes_of(each))}
            self._dropped |= gone
            return len(gone)

    def forget(self, name: str) -> int:
        with self._lock:
            whose = rater_key(name)
            marks = {mark for mark in self._marks if rater_key(mark.rater) != whose}
            judgements = {judgement for judgement in self._judgements if rater_key(judgement.judge) != whose}
            preferences = {each for each in self._preferences if rater_key(each.rater) != whose}
            gone = len(self._marks) - len(marks) + len(self._judgements) - len(judgements)
            gone += len(self._preferences) - len(preferences)
            self._marks, self._judgements, self._preferences = marks, judgements, preferences
            return gone

    def remove_marks(self, rater: str, episode_id: str) -> int:
        with self._lock:
            kept = {mark for mark in self._marks if (mark.rater, mark.episode_id) != (rater, episode_id)}
            gone = len(self._marks) - len(kept)
            self._marks = kept
            return gone

    def remove_preferences(self, preferences: Iterable[Statement]) -> int:
        with self._lock:
            gone = self._preferences.intersection(preferences)
            self._preferences -= gone
            return len(gone)

    def verify(self) -> list[Problem]:
        with self._lock:
            episodes = list(self._episodes.values())
        return [problem for episode in episodes for problem in _problems(episode)]

    def _rows(self) -> Mapping[str, EpisodeRow]:
        with self._lock:
            return dict(self._listing)

    def __str__(self) -> str:
        return "the store in memory"


def _problems(episode: Episode) -> Iterator[Problem]:
    """Return the problems of an episode that was changed since it was written."""
    try:
        episode.check()
    except InvalidField as error:
        yield Problem("memory", str(error), "drop the episode, or undo what was changed in it")
