"""Episodes on disk: a folder of Parquet files and an index that is written last."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote
from uuid import uuid4

import pyarrow as pa

from rlhf.records.episode import Episode
from rlhf.records.fields import InvalidField
from rlhf.records.marks import Judgement, Mark, rater_key
from rlhf.records.preferences import STATEMENTS, Statement
from rlhf.store.columns.compressed import CompressedEpisode
from rlhf.store.columns.fingerprint import episode_fingerprint, stored_fingerprint
from rlhf.store.columns.tables import (
    TRANSCRIPT_COLUMNS,
    judgements_table,
    marks_table,
    preferences_table,
    to_compressed,
    to_episode,
    to_tables,
    to_transcript,
)
from rlhf.store.columns.transcript import EpisodeTranscript
from rlhf.store.contract import (
    EpisodeRow,
    EpisodeStore,
    Kind,
    Problem,
    check_all_new,
    check_known,
    check_steps,
    table_of,
)
from rlhf.store.files.durable import Busy, explained, only_writer, write_file
from rlhf.store.files.parquet_files import Damaged, damage, read_rows, to_bytes
from rlhf.store.files.row_groups import RecentGroups
from rlhf.store.folder import description
from rlhf.store.folder.card import add_card
from rlhf.store.folder.index import TABLES, Entry, EpisodeIndex
from rlhf.store.folder.records import RecordFolder
from rlhf.store.upkeep import recovery
from rlhf.store.upkeep.recovery import data_file
from worlds.errors import UserError

FILE_MB = 128.0  # steps of a file that compaction leaves as it is, 10^6 bytes
SETTER_SIDES = "sides/setter"  # in a dataset's folder: the dataset of its setters' sides, where it has one
_NAME_BYTES = 200  # file systems take 255

Read = TypeVar("Read")
Columns = Mapping[str, Sequence[str]]  # which of a table's columns to read
NO_COLUMNS: Columns = {}


class ParquetStore(EpisodeStore):
    """A dataset folder.

    An episode's two files are written, synchronised and renamed into place before its line is appended to the
    index, so whatever is in the index is whole; a writer that is killed loses at most the episode, or the group, that
    it was writing. Any number of processes may read and write one dataset: writers take turns by a lock that the
    system frees when its holder dies, and readers see what is in the index at each call. Opening a dataset
    removes what a crash has left, if no process is writing.

    Args:
      create: make an empty one if there is none.

    Raises:
      UserError: if there is no dataset that this version can read, or it cannot be made.
    """

    def __init__(self, folder: str | Path, create: bool = False) -> None:
        self.folder = Path(folder).expanduser()
        if create:
            description.create(self.folder)
        self.description = description.load(self.folder)
        self._index = EpisodeIndex(self.folder)
        self._computed: dict[str, str] = {}  # fingerprints of episodes whose lines lack them
        self._recent = RecentGroups()
        self._marks = RecordFolder(self.folder / "marks", Mark, marks_table, self._index)
        self._judgements = RecordFolder(self.folder / "judgements", Judgement, judgements_table, self._index)
        self._preferences = {
            table: RecordFolder(self.folder / table, kind, partial(preferences_table, table), self._index)
            for table, kind in STATEMENTS.items()
        }
        self._tidy_up()

    def write(self, episode: Episode) -> None:
        self.write_group([episode])

    def write_group(self, episodes: Sequence[Episode]) -> None:
        if not episodes:
            return
        tables = zip(TABLES, to_tables(episodes), strict=True)
        fingerprints = [episode_fingerprint(episode) for episode in episodes]
        files = {table: to_bytes([rows]) for table, rows in tables}
        first = episodes[0].episode_id
        with self._writing(f"episode {first}" if len(episodes) == 1 else f"{len(episodes)} episodes from {first} on"):
            check_all_new(episodes, self._rows(), self)
            self._fix_kind(episodes)
            stem = self._free_stem(first) if len(episodes) == 1 else f"group-{uuid4().hex}"
            with self._removed_unless_listed(stem):
                self._save(stem, files)
                self._index.append(
                    Entry(EpisodeRow.of(episode), stem, fingerprint)
                    for episode, fingerprint in zip(episodes, fingerprints, strict=True)
                )

    def write_marks(self, marks: Iterable[Mark]) -> None:
        marks = tuple(marks)
        with self._writing("marks"):
            check_steps(marks, self._rows(), self)
            self._marks.append(marks)

    def write_judgements(self, judgements: Iterable[Judgement]) -> None:
        judgements = tuple(judgements)
        with self._writing("judgements"):
            check_steps(judgements, self._rows(), self)
            self._judgements.append(judgements)

    def write_preferences(self, preferences: Iterable[Statement]) -> None:
        by_table: dict[str, list[Statement]] = {table: [] for table in STATEMENTS}
        for preference in preferences:
            by_table[table_of(type(preference))].append(preference)
        with self._writing("preferences"):
            for records in by_table.values():
                check_steps(records, self._rows(), self)
            for table, records in by_table.items():
                self._preferences[table].append(records)

    def read(self, episode_id: str) -> Episode:
        return self._read(episode_id, to_episode)

    def read_compressed(self, episode_id: str) -> CompressedEpisode:
        return self._read(episode_id, to_compressed)

    def read_transcript(self, episode_id: str) -> EpisodeTranscript:
        return self._read(episode_id, to_transcript, {"steps": TRANSCRIPT_COLUMNS})

    def note_play_settings(self, settings: Mapping[str, Any]) -> None:
        """Note that episodes were played with ``settings``, a JSON object, unless that is noted already."""
        with self._writing("the settings of play"):
            known = description.load(self.folder)
            self.description = known.with_settings(settings)
            if self.description is not known:
                self.description.save(self.folder)

    def fingerprints(self, episode_ids: Iterable[str] | None = None) -> dict[str, str]:
        entries = self._index.entries()
        ids = list(entries if episode_ids is None else episode_ids)
        check_known(ids, entries, self)
        for episode_id in ids:
            if not entries[episode_id].fingerprint and episode_id not in self._computed:
                self._computed[episode_id] = self._read(episode_id, stored_fingerprint)
        return {episode_id: entries[episode_id].fingerprint or self._computed[episode_id] for episode_id in ids}

    def _read(
        self, episode_id: str, understand: Callable[[pa.Table, pa.Table], Read], columns: Columns = NO_COLUMNS
    ) -> Read:
        entry, (about, steps) = self._tables(episode_id, columns)
        try:
            return understand(about, steps)
        except InvalidField as error:
            raise UserError(_invalid(data_file(self.folder, "steps", entry.file), error)) from error
        except (ValueError, TypeError, KeyError) as error:
            raise UserError(damage(data_file(self.folder, "steps", entry.file), error, episode_id)) from error
        except MemoryError as error:
            why = f"{len(steps)} pictures of its size do not fit into memory"
            raise UserError(damage(data_file(self.folder, "steps", entry.file), why, episode_id)) from error

    def marks(self, episode_id: str | None = None) -> list[Mark]:
        return self._marks.all() if episode_id is None else self._marks.of(episode_id)

    def judgements(self, episode_id: str | None = None) -> list[Judgement]:
        return self._judgements.all() if episode_id is None else self._judgements.of(episode_id)

    def preferences(self, kind: type[Kind], episode_id: str | None = None) -> list[Kind]:
        folder = self._preferences[table_of(kind)]
        records = folder.all() if episode_id is None else folder.of(episode_id)
        return [record for record in records if isinstance(record, kind)]

    def mark_counts(self) -> Mapping[str, int]:
        return self._marks.counts()

    def forget(self, name: str) -> int:
        with self._writing("the records without those of one person"):
            recovery.clean(self.folder, self._index)  # a file that a crash left unfinished may hold their marks
            whose = rater_key(name)
            marks = self._marks.remove(lambda mark: rater_key(mark.rater) == whose)
            judgements = self._judgements.remove(lambda judgement: rater_key(judgement.judge) == whose)
            others = [
                folder.remove(lambda each: rater_key(each.rater) == whose) for folder in self._preferences.values()
            ]
            return marks + judgements + sum(others)

    def remove_marks(self, rater: str, episode_id: str) -> int:
        with self._writing("the marks without those of one rater of one episode"):
            return self._marks.remove(lambda mark: (mark.rater, mark.episode_id) == (rater, episode_id))

    def remove_preferences(self, preferences: Iterable[Statement]) -> int:
        unwanted = set(preferences)
        tables = sorted({table_of(type(preference)) for preference in unwanted})
        with self._writing("the preferences without some"):
            return sum(self._preferences[table].remove(lambda each: each in unwanted) for table in tables)

    def drop(self, episode_ids: Iterable[str]) -> int:
        with self._writing("the dataset without the dropped episodes"):
            entries, gone = self._index.entries(), set(episode_ids) - self._index.dropped()
            check_known(sorted(gone), self._rows(), self)
            self._drop_setter_sides(gone)
            for folder in self._record_folders():  # first: no crash may leave marks without an episode
                folder.drop(gone)
            kept = {episode_id: entry for episode_id, entry in entries.items() if episode_id not in gone}
            touched = {entries[episode_id].file for episode_id in gone}
            shared: dict[str, list[str]] = {}
            for episode_id, entry in kept.items():
                if entry.file in touched:
                    shared.setdefault(entry.file, []).append(episode_id)
            from rlhf.store.upkeep import compaction

            compaction.repack(self.folder, self._index, kept, list(shared.values()), touched)
            return len(gone)

    def _drop_setter_sides(self, gone: set[str]) -> None:
        """Drop what is kept of the setters' sides of these episodes (:mod:`rlhf.replay.setter_side`)."""
        folder = self.folder / SETTER_SIDES
        if (folder / description.DESCRIPTION_FILE).is_file():
            sides = ParquetStore(folder)
            if theirs := gone.intersection(sides.ids()):
                sides.drop(theirs)

    def take(self, other: ParquetStore) -> None:
        """Add what ``other`` holds and this store does not: all of its episodes or, on an error or a crash, none.

        Marks, judgements and preferences come after the episodes; if a crash came between, another call adds them. Of
        two episodes with one id, that of this store is kept.

        Args:
          other: on the same disk, so that nothing is copied; it loses the episodes that this store has.

        Raises:
          UserError: if the episodes are of another world or have other spaces, or cannot be written.
        """
        records = self._new_records(other)
        if known := set(other.ids()).intersection(self.ids()):
            other.drop(known)
        new = other.ids()
        if new:
            with self._writing(f"{len(new)} episodes"):
                check_all_new(other.rows(), self._rows(), self)
                self._fix_kind([other.read(new[0])])
                from rlhf.store.transfer.shared_play import take_play

                take_play(other.folder, self.folder, self._index)
        try:
            self._write_records(*records)
        except BaseException:
            if new:
                self.drop(new)
            raise

    def compact(self, file_mb: float = FILE_MB, gathered: Callable[[], object] = lambda: None) -> int:
        """Put the episodes of small files together, for datasets that are copied or read by other programs.

        Others may read and record meanwhile. If it is interrupted, the dataset is whole. It needs space for one new
        file beside the old ones.

        Args:
          file_mb: megabytes (10^6 bytes) of steps from which on a file is left as it is.
          gathered: called after each episode.

        Returns:
          How many files of steps fewer there are because of it.

        Raises:
          UserError: if ``file_mb`` is no positive number, a file is damaged, or the disk is full; nothing is lost.
        """
        if not file_mb > 0:
            raise UserError(f"file_mb is {file_mb}; give a number of megabytes above 0")
        from rlhf.store.upkeep import compaction

        fewer = compaction.compact(self.folder, self._index, file_mb, self._writing, gathered)
        with self._writing("the marks in one file"):
            for folder in self._record_folders():
                folder.compact()
        return fewer

    def verify(self) -> list[Problem]:
        from rlhf.store.upkeep.verification import problems_of

        return problems_of(self, self.folder, self._index, self._record_folders())

    def _record_folders(self) -> tuple[RecordFolder[Any], ...]:
        """Return the folders of all tables but those of play."""
        return self._marks, self._judgements, *self._preferences.values()

    def _rows(self) -> Mapping[str, EpisodeRow]:
        return self._index.rows()

    def __str__(self) -> str:
        return str(self.folder)

    def __reduce__(self) -> tuple[type[ParquetStore], tuple[Path]]:
        """A copy in another process opens the folder again."""
        return ParquetStore, (self.folder,)

    @contextmanager
    def _writing(self, what: str) -> Iterator[None]:
        with explained(what, self.folder), only_writer(self.folder):
            add_card(self.folder)
            yield

    @contextmanager
    def _removed_unless_listed(self, stem: str) -> Iterator[None]:
        """On an error (or Ctrl-C), remove the files of ``stem``, unless they got into the index."""
        try:
            yield
        except BaseException:
            if stem not in {entry.file for entry in self._index.entries().values()}:
                for table in TABLES:
                    data_file(self.folder, table, stem).unlink(missing_ok=True)
            raise

    def _fix_kind(self, episodes: Iterable[Episode]) -> None:
        """World and spaces of the first episode become the dataset's. Raises UserError if those of another differ."""
        if self.description.world is None:
            self.description = description.load(self.folder)  # another process may have recorded the first
        fixed = self.description
        for episode in episodes:
            fixed = fixed.fixed_by(episode, self.folder)
        if fixed is not self.description:
            fixed.save(self.folder)
            self.description = fixed

    def _free_stem(self, episode_id: str) -> str:
        """The file name for an episode: its id as every file system takes it, made unique if it must be."""
        stem = quote(episode_id, safe="")
        stem = "%2E" + stem[1:] if stem.startswith(".") else stem
        if len(stem) > _NAME_BYTES or any(data_file(self.folder, table, stem).exists() for table in TABLES):
            stem = f"{stem[:_NAME_BYTES]}-{uuid4().hex}"
        return stem

    def _save(self, stem: str, files: Mapping[str, bytes]) -> None:
        for table in TABLES:
            write_file(data_file(self.folder, table, stem), files[table])

    def _tables(self, episode_id: str, columns: Columns = NO_COLUMNS) -> tuple[Entry, list[pa.Table]]:
        """The episode's rows in each of ``TABLES``; of those in ``columns``, only what it names."""
        entry, path = None, self.folder
        while True:
            entries = self._index.entries()
            check_known((episode_id,), entries, self)
            before, entry = entry, entries[episode_id]
            try:
                tables = []
                for table in TABLES:
                    path = data_file(self.folder, table, entry.file)
                    span = entry.span(table)
                    tables.append(read_rows(path, table, episode_id, columns.get(table), span, self._recent))
                return entry, tables
            except Damaged as error:
                raise UserError(damage(path, error, episode_id)) from error
            except FileNotFoundError as error:  # another process may have moved them: look the episode up again
                if entry == before:
                    raise UserError(damage(path, "it is missing", episode_id)) from error

    def _tidy_up(self) -> None:
        """Clean up after a crash, unless another process is writing or the dataset may only be read."""
        if recovery.unlisted(self.folder, self._index):
            try:
                with only_writer(self.folder, wait_sec=0):
                    recovery.clean(self.folder, self._index)
            except (OSError, Busy):
                pass  # what is left over does no harm; the next one to open the dataset may remove it


def rebuild_index(folder: str | Path) -> int:
    """Recreate a lost or damaged index from the recorded files; return the number of episodes found.

    Raises:
      UserError: if ``folder`` is no dataset of this version.
    """
    folder = Path(folder).expanduser()
    description.load(folder)
    with explained("a new index", folder), only_writer(folder):
        return recovery.rebuild(folder)


def _invalid(path: Path, why: InvalidField) -> str:
    return f"{path} holds what no episode can: {why}; record it again, or remove it with `rlhf episodes drop`"
