"""Recovery after a crash: files of a dataset that its index does not name are used, removed or reported.

An unfinished file is removed, and so is one that the index has replaced or dropped. An episode that was
wholly written when its writer died gets its line. Files that this program did not write or cannot read,
and episodes that are not safe elsewhere, are left for ``verify`` to report.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from rlhf.records.episode import Episode
from rlhf.store.columns.fingerprint import episode_fingerprint
from rlhf.store.columns.tables import TABLE_NAMES, to_episode
from rlhf.store.contract import EpisodeRow, same_episode
from rlhf.store.files.checksums import Span
from rlhf.store.files.durable import UNFINISHED, is_growing
from rlhf.store.files.parquet_files import Damaged, files_in, ids_in, read_rows, row_counts, spans_of
from rlhf.store.files.row_groups import RecentGroups
from rlhf.store.folder.card import CARD_FILE
from rlhf.store.folder.index import COUNTED, TABLES, Entry, EpisodeIndex
from worlds.errors import UserError

Spans = Mapping[str, Span] | None  # by table, where in a file a part of it lies; None: the file is one part


@dataclass(frozen=True)
class Leftovers:
    """Files that a crash left in a dataset.

    Args:
      garbage: files to be removed.
      episodes: whole episodes without a line in the index.
      unreadable: files that the index does not use and that are damaged, foreign or contradict it, and why; they
        are kept.
    """

    garbage: tuple[Path, ...] = ()
    episodes: tuple[Entry, ...] = ()
    unreadable: tuple[tuple[Path, str], ...] = ()


def data_file(folder: Path, table: str, stem: str) -> Path:
    """Return the file of the rows of ``table`` that belong to the episodes of file ``stem``."""
    return folder / table / f"{stem}.parquet"


def unlisted(folder: Path, index: EpisodeIndex) -> list[str]:
    """Return the files of a dataset, relative to it, that its index does not name; none if nothing is to be cleaned."""
    used = {f"{table}/{entry.file}.parquet" for entry in index.entries().values() for table in TABLES}
    found = [
        f"{table}/{path.name}" for table in TABLE_NAMES for path in (folder / table).glob(f"*.parquet{UNFINISHED}")
    ]
    found += [path.name for kind in ("*.json*", CARD_FILE) for path in folder.glob(f"{kind}{UNFINISHED}")]
    found += [f"{table}/{path.name}" for table in TABLES for path in (folder / table).glob("*.parquet")]
    return sorted(set(found) - used)


def find(folder: Path, index: EpisodeIndex) -> Leftovers:
    """Classify every file that the index does not name. Without the lock, files of an active writer are among them."""
    names = [name for name in unlisted(folder, index) if not is_growing(folder / name)]
    removed = index.removed()
    garbage = [folder / name for name in names if name.endswith(UNFINISHED) or name in removed]
    stems = sorted({Path(name).stem for name in names if folder / name not in garbage})
    episodes: list[Entry] = []
    unreadable: list[tuple[Path, str]] = []
    for stem in stems:
        try:
            new = _not_in(index, folder, stem)
            episodes += new
            garbage += [] if new else [data_file(folder, table, stem) for table in TABLES]
        except Unreadable as error:
            unreadable.append((error.path, str(error)))
        except UserError as error:  # it may not be read
            unreadable.append((data_file(folder, "steps", stem), str(error)))
        except FileNotFoundError:
            if data_file(folder, "steps", stem).exists():
                unreadable.append((data_file(folder, "steps", stem), "its partner in episodes/ is missing"))
            else:  # the writer died between the two files: a row without steps is of no use
                garbage.append(data_file(folder, "episodes", stem))
    return Leftovers(tuple(garbage), tuple(episodes), tuple(unreadable))


def _not_in(index: EpisodeIndex, folder: Path, stem: str) -> list[Entry]:
    """Entries of the episodes in file ``stem`` that the index lacks.

    Raises:
      Unreadable: if the file cannot be read, or the index does not hold an equal of one whose id it has.
      FileNotFoundError: if one of the two files is missing.
    """
    new, recent = [], RecentGroups()
    places = [(episode_id, spans) for spans in _parts(folder, stem) for episode_id in _ids(folder, stem, spans)]
    for episode_id, spans in places:
        episode = _read(folder, stem, episode_id, spans, recent)
        listed = index.entries().get(episode.episode_id)
        if listed is None:
            new.append(_entry(episode, stem, spans))
        elif not _is_held(episode, folder, listed):
            why = f"another episode {episode.episode_id} than the one in the index, or the only whole copy of it"
            raise Unreadable(data_file(folder, "steps", stem), why)
    return new


def _entry(episode: Episode, stem: str, spans: Spans) -> Entry:
    return Entry(EpisodeRow.of(episode), stem, episode_fingerprint(episode), spans)


def _is_held(episode: Episode, folder: Path, entry: Entry) -> bool:
    """Return whether the dataset has an equal of ``episode`` where ``entry`` says."""
    try:
        return same_episode(episode, _read(folder, entry.file, episode.episode_id, entry.spans, RecentGroups()))
    except (Unreadable, FileNotFoundError):
        return False


def clean(folder: Path, index: EpisodeIndex) -> None:
    """Add whole episodes to the index and remove garbage. The caller holds the lock."""
    leftovers = find(folder, index)
    if leftovers.episodes:
        index.append(leftovers.episodes)
    for path in leftovers.garbage:
        path.unlink(missing_ok=True)


def rebuild(folder: Path) -> int:
    """Recreate the index from the files that can be read; return the number of episodes. The caller holds the lock.

    Files that the old index, if it can be read, has replaced or dropped do not come back.
    """
    index = EpisodeIndex(folder)
    removed = _to_remove(folder, index)
    stems = {path.stem: path.stat().st_mtime_ns for path in files_in(folder / "episodes")}
    entries: dict[str, Entry] = {}
    for stem in sorted(stems, key=lambda stem: (stems[stem], stem)):
        if removed & {f"{table}/{stem}.parquet" for table in TABLES}:
            continue
        for entry in _readable_entries(folder, stem):
            entries[entry.row.episode_id] = entry
    counts = {table: row_counts(folder / table) for table in COUNTED}
    index.rewrite(sorted(entries.values(), key=lambda entry: entry.row.created), remove=removed, counts=counts)
    return len(entries)


def _readable_entries(folder: Path, stem: str) -> Iterator[Entry]:
    """Yield an entry for every episode of file ``stem`` that can be read."""
    recent = RecentGroups()
    with suppress(Unreadable, FileNotFoundError):
        for spans in _parts(folder, stem):
            with suppress(Unreadable):
                for episode_id in _ids(folder, stem, spans):
                    with suppress(Unreadable):
                        yield _entry(_read(folder, stem, episode_id, spans, recent), stem, spans)


def _to_remove(folder: Path, index: EpisodeIndex) -> set[str]:
    """Files that still lie about although ``index`` has replaced or dropped them; none if it cannot be read."""
    try:
        # A name becomes free when its file is gone, and may have been given to another episode since.
        return index.removed() & set(unlisted(folder, index))
    except UserError:
        return set()


class Unreadable(Exception):
    """A file of the dataset that is damaged or foreign; the message says why."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(why)
        self.path = path


def _parts(folder: Path, stem: str) -> list[Spans]:
    """Return where in file ``stem`` its parts lie, each of which holds an episode or several.

    Raises:
      Unreadable: if that cannot be read.
      FileNotFoundError: if one of the two files is missing.
    """
    spans = []
    for table in TABLES:
        path = data_file(folder, table, stem)
        with _readable(path):
            spans.append(spans_of(path, table))
    if len(spans[0]) != len(spans[1]):
        raise Unreadable(path, "its partner in episodes/ has another number of episodes")
    return [dict(zip(TABLES, pair, strict=True)) for pair in zip(*spans, strict=True)] or [None]


def _ids(folder: Path, stem: str, spans: Spans) -> list[str]:
    """Return the ids of the episodes in a part of file ``stem``; raises as ``_parts``."""
    path = data_file(folder, "episodes", stem)
    with _readable(path):
        return ids_in(path, "episodes", None if spans is None else spans["episodes"])


def _read(folder: Path, stem: str, episode_id: str, spans: Spans, recent: RecentGroups) -> Episode:
    """Return an episode of file ``stem``; raises as ``_parts``."""
    rows = []
    for table in TABLES:
        path = data_file(folder, table, stem)
        with _readable(path):
            span = None if spans is None else spans[table]
            rows.append(read_rows(path, table, episode_id, span=span, recent=recent))
    with _readable(path):
        return to_episode(*rows)


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Turn the errors of reading ``path`` into ``Unreadable``."""
    try:
        yield
    except (Damaged, ValueError, TypeError, KeyError, MemoryError) as error:
        raise Unreadable(path, str(error)) from error
