"""Interface of every store of episodes, and the records that it returns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeVar

import numpy as np

from rlhf.records.episode import Episode
from rlhf.records.marks import Judgement, Mark
from rlhf.records.preferences import STATEMENTS, Statement
from rlhf.records.spaces import EpisodeSpaces
from rlhf.store.columns.compressed import CompressedEpisode, compress
from rlhf.store.columns.fingerprint import episode_fingerprint
from rlhf.store.columns.json_text import to_json
from rlhf.store.columns.transcript import EpisodeTranscript, transcript
from rlhf.store.group_writer import GroupWriter
from rlhf.store.read_ahead import read_ahead
from worlds.errors import UserError

Record = TypeVar("Record", bound=Mark | Judgement | Statement)
Kind = TypeVar("Kind", bound=Statement)


@dataclass(frozen=True)
class EpisodeRow:
    """One row of a listing of episodes; its frames are not read."""

    episode_id: str
    steps: int
    split: str
    setter: str
    solver: str
    created: str
    asked: str  # the setter's first words
    requests: int  # how many requests with a success check there were
    successes: int  # how many of them succeeded

    @classmethod
    def of(cls, episode: Episode) -> EpisodeRow:
        """The row of ``episode``."""
        return cls(
            episode_id=episode.episode_id,
            steps=len(episode),
            split=episode.split,
            setter=episode.setter,
            solver=episode.solver,
            created=episode.created,
            asked=next((words for words in episode.setter_utterance if words), ""),
            requests=len(episode.requests),
            successes=sum(step is not None for step in episode.success_step),
        )


def people_in(row: EpisodeRow) -> set[str]:
    """The names of the people who played, e.g. those of "human:ann" and "agent:bc+human:bob"."""
    players = (*row.setter.split("+"), *row.solver.split("+"))
    return {name for kind, _, name in (player.partition(":") for player in players) if kind == "human"}


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a dataset. An ignorable one costs no recording and goes away by itself."""

    file: str
    what: str
    hint: str
    ignorable: bool = False


@dataclass(frozen=True)
class Merged:
    """Numbers of records that a merge copied; skipped episodes were there already, equal to the last bit."""

    copied: int
    skipped: int
    marks: int
    judgements: int
    preferences: int = 0


class EpisodeStore(ABC):
    """Episodes, marks, judgements and preferences, looked up by episode id.

    An episode is durable when ``write`` returns, and all of a group when ``write_group`` does. A store holds episodes
    of one world and of the same spaces. Marks, judgements and preferences are sets: a record that is written twice is
    there once. Lists come in the order of recording (episodes) or sorted by episode, step and rater (all others). Every
    method may be called from several threads. All of them raise ``UserError`` for bad input or damaged data.
    """

    @abstractmethod
    def write(self, episode: Episode) -> None:
        """Record ``episode``; its id must be new, its world and spaces the store's."""

    @abstractmethod
    def write_group(self, episodes: Sequence[Episode]) -> None:
        """Record short ``episodes`` together, which takes less time than one by one: all or, on an error, none.

        Who reads one of them from a disk reads all, so they should be some hundred steps together. See
        :class:`rlhf.store.group_writer.GroupWriter`.
        """

    @abstractmethod
    def write_marks(self, marks: Iterable[Mark]) -> None:
        """Add ``marks`` of episodes that are in the store, all of them or, on an error, none."""

    @abstractmethod
    def write_judgements(self, judgements: Iterable[Judgement]) -> None:
        """Add ``judgements`` of episodes that are in the store, all of them or, on an error, none."""

    @abstractmethod
    def write_preferences(self, preferences: Iterable[Statement]) -> None:
        """Add ``preferences``, or inferred goals, of episodes that are in the store.

        All of one kind are added or, on an error, none of that kind.
        """

    @abstractmethod
    def read(self, episode_id: str) -> Episode:
        """The episode exactly as it was written."""

    def read_compressed(self, episode_id: str) -> CompressedEpisode:
        """Return the episode for learning, with compressed frames where the store has them so."""
        return compress(self.read(episode_id))

    def read_transcript(self, episode_id: str) -> EpisodeTranscript:
        """Return the transcript of the episode, without frames and movements."""
        return transcript(self.read(episode_id))

    @abstractmethod
    def marks(self, episode_id: str | None = None) -> list[Mark]:
        """The marks of one episode, or all."""

    @abstractmethod
    def judgements(self, episode_id: str | None = None) -> list[Judgement]:
        """The judgements of one episode, or all."""

    @abstractmethod
    def preferences(self, kind: type[Kind], episode_id: str | None = None) -> list[Kind]:
        """Return the preferences of one kind, e.g. ``ClipPair``, or the inferred goals, of one episode or all."""

    @abstractmethod
    def drop(self, episode_ids: Iterable[str]) -> int:
        """Remove these episodes with all records about them, for good; an unknown id removes nothing.

        Those that were dropped before are left out, so that a drop that was interrupted can be repeated.

        Returns:
          Number of episodes that were removed.
        """

    @abstractmethod
    def forget(self, name: str) -> int:
        """Remove every mark, judgement and preference of the rater or judge ``name``, in any spelling, for good.

        Returns how many there were.
        """

    @abstractmethod
    def remove_marks(self, rater: str, episode_id: str) -> int:
        """Remove the marks of one rater of one episode, for good; return how many there were."""

    @abstractmethod
    def remove_preferences(self, preferences: Iterable[Statement]) -> int:
        """Remove these preferences, for good; return how many of them there were."""

    def played_by(self, name: str) -> list[str]:
        """Ids of the episodes in which the person ``name`` played any part."""
        return [row.episode_id for row in self.rows() if name in people_in(row)]

    def fingerprints(self, episode_ids: Iterable[str] | None = None) -> dict[str, str]:
        """Fingerprints of these episodes, or of all, by id (see :mod:`rlhf.store.columns.fingerprint`).

        Raises:
          UserError: for an unknown id.
        """
        ids = self.ids() if episode_ids is None else episode_ids
        return {episode_id: episode_fingerprint(self.read(episode_id)) for episode_id in ids}

    def mark_counts(self) -> Mapping[str, int]:
        """Return how many marks there are of each episode that has some."""
        return Counter(mark.episode_id for mark in self.marks())

    @abstractmethod
    def verify(self) -> list[Problem]:
        """Read everything; return what is wrong."""

    @abstractmethod
    def _rows(self) -> Mapping[str, EpisodeRow]:
        """Rows by episode id, in the order of recording."""

    @abstractmethod
    def __str__(self) -> str:
        """Return the name of this store in messages."""

    def rows(self, split: str | None = None, solver: str | None = None) -> list[EpisodeRow]:
        """Listing of the episodes of ``split`` played by ``solver``; "agent" stands for every "agent:..."."""
        return [
            row
            for row in self._rows().values()
            if (split is None or row.split == split)
            and (solver is None or row.solver == solver or row.solver.startswith(f"{solver}:"))
        ]

    def ids(self, split: str | None = None, solver: str | None = None) -> list[str]:
        """Ids of the same episodes as ``rows``."""
        return [row.episode_id for row in self.rows(split, solver)]

    def stream(self, episode_ids: Iterable[str], threads: int = 2) -> Iterator[Episode]:
        """The episodes one after the other, in the given order, read ahead by ``threads``.

        Holds a few episodes in memory at a time, however many there are.
        """
        return read_ahead(self.read, episode_ids, threads)

    def merge(self, other: EpisodeStore) -> Merged:
        """Copy what ``other`` holds and this store does not. After an interruption, run it again.

        Raises:
          UserError: if an id stands for different episodes in the two; then nothing is copied.
        """
        known = set(self.ids())
        ids = other.ids()
        if (episode_id := self.first_difference(other)) is not None:
            different = f"episode {episode_id} differs between {other} and {self}"
            raise UserError(f"{different}; drop it from one of them, then merge again (nothing was copied)")
        shared = [episode_id for episode_id in ids if episode_id in known]
        with GroupWriter(self.write_group) as writer:
            for episode in other.stream(episode_id for episode_id in ids if episode_id not in known):
                writer.add(episode)
        records = self._new_records(other)
        self._write_records(*records)
        return Merged(len(ids) - len(shared), len(shared), *map(len, records))

    def first_difference(self, other: EpisodeStore) -> str | None:
        """Return the first id that stands for different episodes in the two stores; None if there is none."""
        known = set(self.ids())
        shared = (episode_id for episode_id in other.ids() if episode_id in known)
        return next((one for one in shared if not same_episode(self.read(one), other.read(one))), None)

    def _new_records(self, other: EpisodeStore) -> tuple[list[Mark], list[Judgement], list[Statement]]:
        """Return the marks, judgements and preferences that only ``other`` holds."""
        have_marks, have_judgements = set(self.marks()), set(self.judgements())
        marks = [mark for mark in other.marks() if mark not in have_marks]
        judgements = [judgement for judgement in other.judgements() if judgement not in have_judgements]
        return marks, judgements, list(self._new_preferences(other))

    def _new_preferences(self, other: EpisodeStore) -> Iterator[Statement]:
        for kind in STATEMENTS.values():
            known = set(self.preferences(kind))
            yield from (preference for preference in other.preferences(kind) if preference not in known)

    def _write_records(
        self, marks: Iterable[Mark], judgements: Iterable[Judgement], preferences: Iterable[Statement]
    ) -> None:
        self.write_marks(marks)
        self.write_judgements(judgements)
        self.write_preferences(preferences)

    def __contains__(self, episode_id: object) -> bool:
        return episode_id in self._rows()

    def __len__(self) -> int:
        return len(self._rows())


def same_episode(one: Episode, other: Episode) -> bool:
    """Return whether two episodes are equal in every field, bit for bit; as JSON, (1, 2) equals [1, 2]."""
    for field in fields(Episode):
        left, right = getattr(one, field.name), getattr(other, field.name)
        if isinstance(left, np.ndarray):
            if not _same_array(left, right):
                return False
        elif field.name == "seen":
            if left.keys() != right.keys() or not all(_same_array(left[name], right[name]) for name in left):
                return False
        elif field.name in ("config", "notes", "requests", "truth"):
            if to_json(left) != to_json(right):
                return False
        elif left != right:
            return False
    return True


def _same_array(one: np.ndarray, other: Any) -> bool:
    return isinstance(other, np.ndarray) and one.dtype == other.dtype and np.array_equal(one, other)


def in_order(records: Iterable[Record]) -> list[Record]:
    """Return the records sorted by episode, step (none first), then their other fields."""

    def place(record: Record) -> tuple[object, ...]:
        first = min(moments_of(record))
        return *first, *(-1 if value is None else value for value in vars(record).values())

    return sorted(records, key=place)


def moments_of(record: Mark | Judgement | Statement) -> tuple[tuple[str, int], ...]:
    """Return the episode and the step of every moment that ``record`` names, of stretches the first and the last.

    The step is -1 where a judgement names none.
    """
    if isinstance(record, Mark | Judgement):
        return ((record.episode_id, -1 if record.step is None else record.step),)
    return tuple((one.episode_id, step) for one in record.stretches for step in (one.begin, one.end - 1))


def episodes_of(record: Mark | Judgement | Statement) -> set[str]:
    """Return the ids of the episodes that ``record`` is about."""
    return {episode_id for episode_id, _ in moments_of(record)}


def table_of(kind: type[Statement]) -> str:
    """Return the name of the table of records of ``kind``."""
    return next(table for table, other in STATEMENTS.items() if other is kind)


def check_new(episode: Episode | EpisodeRow, known: Container[str], store: object) -> None:
    """Refuse an episode without an id, or whose id is taken.

    Raises:
      UserError: naming the id.
    """
    if not episode.episode_id:
        raise UserError("an episode has the empty string as its id; give it one that is unique in its dataset")
    if episode.episode_id in known:
        raise UserError(f"episode {episode.episode_id} is in {store} already; drop it, or give the new one another id")


def check_all_new(episodes: Iterable[Episode | EpisodeRow], known: Container[str], store: object) -> None:
    """Refuse episodes as :func:`check_new` does, and two of the same id."""
    ids: set[str] = set()
    for episode in episodes:
        check_new(episode, known, store)
        if episode.episode_id in ids:
            raise UserError(f"two episodes are called {episode.episode_id}; give one of them another id")
        ids.add(episode.episode_id)


def check_fits(episode: Episode, world: str, spaces: EpisodeSpaces, store: object) -> None:
    """Refuse an episode of another world or other spaces, such as another image size, than the store's.

    Raises:
      UserError: naming both.
    """
    name = f"episode {episode.episode_id}"
    if episode.world != world:
        raise UserError(f"{name} is of world {episode.world}, {store} holds {world}; record it elsewhere")
    if episode.spaces != spaces:
        first = spaces.differences(episode.spaces, (str(store), name))[0]
        raise UserError(f"{name} has other spaces than {store} ({first}); record it elsewhere")


def check_known(episode_ids: Iterable[str], known: Container[str], store: object) -> None:
    """Refuse ids that are not in the store.

    Raises:
      UserError: naming the first.
    """
    for episode_id in episode_ids:
        if episode_id not in known:
            raise UserError(f"no episode {episode_id} in {store}; `rlhf episodes list` shows those there are")


def check_steps(records: Iterable[Mark | Judgement | Statement], rows: Mapping[str, EpisodeRow], store: object) -> None:
    """Refuse marks, judgements and preferences of unknown episodes or of steps beyond an episode's end.

    Raises:
      UserError: naming the first.
    """
    for record in records:
        for episode_id, step in moments_of(record):
            check_known((episode_id,), rows, store)
            steps = rows[episode_id].steps
            if step >= steps or (step < 0 and getattr(record, "step", 0) is not None):
                raise UserError(f"episode {episode_id} has steps 0 to {steps - 1}, not {step}; count from 0")
