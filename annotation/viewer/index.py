"""An index of the episodes and utterances of datasets: one SQLite file, which can be deleted at any time.

Filters and the search of dialogue query it instead of thousands of Parquet files. Each episode enters it once, in a
few milliseconds; a query returns the episodes that are in it so far.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from rlhf.store import EpisodeRow, ParquetStore
from rlhf.store.columns.transcript import EpisodeTranscript
from rlhf.store.files.durable import check_no_links, sqlite_files
from worlds.errors import UserError

VERSION = 2  # of the file's tables; a file of another version is recreated
_AT_ONCE = 50  # episodes of one transaction
_BUSY_SEC = 30.0
_TABLES = """
CREATE TABLE IF NOT EXISTS episodes (
  dataset TEXT NOT NULL, episode_id TEXT NOT NULL, place INTEGER NOT NULL, steps INTEGER NOT NULL, split TEXT NOT NULL,
  setter TEXT NOT NULL, solver TEXT NOT NULL, kind TEXT NOT NULL, created TEXT NOT NULL, asked TEXT NOT NULL,
  requests INTEGER NOT NULL, successes INTEGER NOT NULL, fingerprint TEXT NOT NULL, PRIMARY KEY (dataset, episode_id));
CREATE TABLE IF NOT EXISTS tasks (
  dataset TEXT NOT NULL, episode_id TEXT NOT NULL, task TEXT NOT NULL,
  PRIMARY KEY (dataset, episode_id, task)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS words (
  dataset TEXT NOT NULL, episode_id TEXT NOT NULL, step INTEGER NOT NULL, who TEXT NOT NULL, words TEXT NOT NULL,
  folded TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS words_of ON words (dataset, episode_id);
"""


@dataclass(frozen=True)
class Filters:
    """Filters of episodes; empty ones do not filter.

    Args:
      outcome: "succeeded" (all requests), "failed" (some request) or "none" (no request with a check).
      words: words that one utterance contains, in upper or lower case.
    """

    kind: str = ""
    split: str = ""
    player: str = ""
    task: str = ""
    outcome: str = ""
    shortest: int = 0
    longest: int = 0
    words: str = ""


@dataclass(frozen=True)
class IndexedEpisode:
    """An episode of the index."""

    row: EpisodeRow
    kind: str
    fingerprint: str
    tasks: tuple[str, ...]


class Index:
    """An index. Safe for threads and processes: each call has a connection of its own."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def differs(self, dataset: str, store: ParquetStore) -> tuple[int, int]:
        """Return the numbers of episodes that only the dataset has, and that only the index has.

        Of an episode that was recorded again with other content each has one.
        """
        with self._reading() as connection:
            known = _known(connection, dataset)
        there = store.fingerprints().items()
        return len(there - known), len(known - there)

    def update(self, dataset: str, store: ParquetStore, most: int | None = None) -> int:
        """Remove deleted episodes and add new ones, at most ``most``; return how many were added.

        An episode that cannot be read is listed without its words.
        """
        prints = store.fingerprints()
        rows = [row for row in store.rows() if row.episode_id in prints]
        with self._writing() as connection:
            known = _known(connection, dataset)
            for table in ("episodes", "tasks", "words"):
                gone = [(dataset, episode_id) for episode_id, _ in known - prints.items()]
                connection.executemany(f"DELETE FROM {table} WHERE dataset = ? AND episode_id = ?", gone)
            (places,) = connection.execute(
                "SELECT coalesce(max(place) + 1, 0) FROM episodes WHERE dataset = ?", (dataset,)
            ).fetchone()
        new = enumerate((row for row in rows if (row.episode_id, prints[row.episode_id]) not in known), places)
        taken, wanted = 0, islice(new, most)
        while batch := list(islice(wanted, _AT_ONCE)):
            transcripts = [_transcript_of(store, row.episode_id) for _, row in batch]
            with self._writing() as connection:
                for (place, row), transcript in zip(batch, transcripts, strict=True):
                    _insert(connection, dataset, place, row, prints[row.episode_id], transcript)
            taken += len(batch)
        return taken

    def find(self, dataset: str, filters: Filters) -> list[str]:
        """Return ids of the episodes that pass the filters, the latest recorded first."""
        conditions, values = _conditions(dataset, filters)
        query = f"SELECT episode_id FROM episodes WHERE {' AND '.join(conditions)} ORDER BY place DESC"
        with self._reading() as connection:
            return [episode_id for (episode_id,) in connection.execute(query, values)]

    def rows(self, dataset: str, episode_ids: Sequence[str]) -> list[IndexedEpisode]:
        """Return these episodes, in their order; unknown ones are left out."""
        with self._reading() as connection:
            found = (_row(connection, dataset, episode_id) for episode_id in episode_ids)
            return [row for row in found if row is not None]

    def hits(
        self, dataset: str, episode_ids: Sequence[str], words: str, most: int
    ) -> dict[str, list[tuple[int, str, str]]]:
        """Return step, player and words of each episode's first utterances that contain all of ``words``."""
        terms = _terms(words)
        where = " AND ".join(["dataset = ?", "episode_id = ?", *["folded LIKE ? ESCAPE '\\'"] * len(terms)])
        query = f"SELECT step, who, words FROM words WHERE {where} ORDER BY rowid LIMIT ?"
        with self._reading() as connection:
            return {
                episode_id: connection.execute(query, (dataset, episode_id, *terms, most)).fetchall()
                for episode_id in episode_ids
            }

    def choices(self, dataset: str) -> dict[str, list[str]]:
        """Return the values of the filters: kinds, splits, players and tasks."""
        queries = {
            "kinds": ("kind FROM episodes",),
            "splits": ("split FROM episodes",),
            "players": ("setter FROM episodes", "solver FROM episodes"),
            "tasks": ("task FROM tasks",),
        }
        with self._reading() as connection:
            return {
                name: sorted({value for part in parts for value in _distinct(connection, part, dataset)} - {""})
                for name, parts in queries.items()
            }

    def forget(self) -> None:
        """Empty the index; nothing of its contents is left in its file."""
        with self._writing() as connection:
            for table in ("episodes", "tasks", "words"):
                connection.execute(f"DELETE FROM {table}")
        with closing(self._connect()) as connection:
            connection.execute("VACUUM")

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with closing(self._connect()) as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with closing(self._connect()) as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")

    def _connect(self) -> sqlite3.Connection:
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            check_no_links(*sqlite_files(self.file))
            return _opened(self.file)
        except OSError as error:
            raise UserError(f"the index {self.file} cannot be made ({error.strerror}); check its folder") from error
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):  # busy, or the disk: a new file would not help
                raise UserError(f"the index {self.file} cannot be used ({error}); look after its disk") from error
            self.file.unlink(missing_ok=True)
            return _opened(self.file)


def _opened(file: Path) -> sqlite3.Connection:
    """A connection to an index of this version; of another, it is emptied first."""
    connection = sqlite3.connect(file, timeout=_BUSY_SEC, isolation_level=None)
    try:
        connection.execute("PRAGMA secure_delete = ON")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version != VERSION:
            connection.executescript("".join(f"DROP TABLE IF EXISTS {t};" for t in ("episodes", "tasks", "words")))
            connection.executescript(f"{_TABLES} PRAGMA user_version = {VERSION};")
        return connection
    except BaseException:
        connection.close()
        raise


def _known(connection: sqlite3.Connection, dataset: str) -> set[tuple[str, str]]:
    """Return id and fingerprint of the episodes that are in the index."""
    return set(connection.execute("SELECT episode_id, fingerprint FROM episodes WHERE dataset = ?", (dataset,)))


def _distinct(connection: sqlite3.Connection, column: str, dataset: str) -> set[str]:
    return {value for (value,) in connection.execute(f"SELECT DISTINCT {column} WHERE dataset = ?", (dataset,))}


def _transcript_of(store: ParquetStore, episode_id: str) -> EpisodeTranscript | None:
    try:
        return store.read_transcript(episode_id)
    except UserError:  # damaged, or dropped since
        return None


def _insert(
    connection: sqlite3.Connection,
    dataset: str,
    place: int,
    row: EpisodeRow,
    fingerprint: str,
    transcript: EpisodeTranscript | None,
) -> None:
    key = dataset, row.episode_id
    kind = kind_of(transcript) if transcript else ""
    values = (
        *key, place, row.steps, row.split, row.setter, row.solver, kind, row.created, row.asked, row.requests,
        row.successes, fingerprint,
    )  # fmt: skip
    connection.execute(f"INSERT OR REPLACE INTO episodes VALUES ({', '.join('?' * len(values))})", values)
    if transcript is None:
        return
    for table in ("tasks", "words"):
        connection.execute(f"DELETE FROM {table} WHERE dataset = ? AND episode_id = ?", key)
    tasks = {request.task.name for request in transcript.requests}
    connection.executemany("INSERT INTO tasks VALUES (?, ?, ?)", [(*key, task) for task in sorted(tasks)])
    said = [(*key, step, who, words, words.casefold()) for step, who, words in transcript.spoken()]
    connection.executemany("INSERT INTO words VALUES (?, ?, ?, ?, ?, ?)", said)


def kind_of(transcript: EpisodeTranscript) -> str:
    """Return the kind of play: the recording session's, or setter and solver, e.g. "scripted-agent+co-pilot"."""
    if named := transcript.notes.get("kind"):
        return str(named)
    setter, solver = (player.partition(":")[0] for player in (transcript.setter, transcript.solver.partition("+")[0]))
    return f"{setter}-{solver}" + ("+co-pilot" if transcript.taken_over else "")


def _row(connection: sqlite3.Connection, dataset: str, episode_id: str) -> IndexedEpisode | None:
    query = (
        "SELECT episode_id, steps, split, setter, solver, created, asked, requests, successes, kind, fingerprint "
        "FROM episodes WHERE dataset = ? AND episode_id = ?"
    )
    found = connection.execute(query, (dataset, episode_id)).fetchone()
    tasks = connection.execute(
        "SELECT task FROM tasks WHERE dataset = ? AND episode_id = ?", (dataset, episode_id)
    ).fetchall()
    return found and IndexedEpisode(EpisodeRow(*found[:9]), found[9], found[10], tuple(task for (task,) in tasks))


def _conditions(dataset: str, filters: Filters) -> tuple[list[str], list[Any]]:
    """Return the SQL conditions of ``filters``, and their values."""
    made: list[tuple[str, tuple[Any, ...]]] = [("dataset = ?", (dataset,))]
    for column in ("kind", "split"):
        if value := getattr(filters, column):
            made.append((f"{column} = ?", (value,)))
    if filters.player:
        made.append(("(setter = ? OR solver = ?)", (filters.player, filters.player)))
    if filters.task:
        inside = "SELECT episode_id FROM tasks WHERE dataset = ? AND task = ?"
        made.append((f"episode_id IN ({inside})", (dataset, filters.task)))
    if filters.outcome:
        made.append((_OUTCOMES[filters.outcome], ()))
    if filters.shortest:
        made.append(("steps >= ?", (filters.shortest,)))
    if filters.longest:
        made.append(("steps <= ?", (filters.longest,)))
    if terms := _terms(filters.words):
        spoken = " AND ".join(["dataset = ?", *["folded LIKE ? ESCAPE '\\'"] * len(terms)])
        made.append((f"episode_id IN (SELECT episode_id FROM words WHERE {spoken})", (dataset, *terms)))
    return [condition for condition, _ in made], [value for _, values in made for value in values]


_OUTCOMES = {
    "succeeded": "requests > 0 AND successes = requests",
    "failed": "successes < requests",
    "none": "requests = 0",
}
OUTCOMES: Iterable[str] = tuple(_OUTCOMES)


def _terms(words: str) -> list[str]:
    """Patterns for LIKE, one for each word."""
    return [f"%{_escaped(word)}%" for word in words.casefold().split()]


def _escaped(word: str) -> str:
    for sign in ("\\", "%", "_"):
        word = word.replace(sign, f"\\{sign}")
    return word
