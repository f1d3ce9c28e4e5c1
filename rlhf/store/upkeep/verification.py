"""Read all of a dataset and say what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rlhf.records.preferences import NOUNS
from rlhf.store.columns.fingerprint import episode_fingerprint
from rlhf.store.contract import EpisodeRow, EpisodeStore, Problem, check_steps
from rlhf.store.files.checksums import Span
from rlhf.store.files.parquet_files import Damaged, spans_of
from rlhf.store.folder import description
from rlhf.store.folder.description import DESCRIPTION_FILE, Description
from rlhf.store.folder.index import REBUILD, TABLES, EpisodeIndex
from rlhf.store.folder.records import RecordFolder
from rlhf.store.upkeep import recovery
from worlds.errors import UserError

_LOST = "put back a copy, or accept the loss with `rlhf episodes verify --rebuild`"

Folders = Sequence[RecordFolder[Any]]


def problems_of(store: EpisodeStore, folder: Path, index: EpisodeIndex, records: Folders) -> list[Problem]:
    """Everything that is wrong with the dataset of ``store`` in ``folder``."""
    described = description.load(folder)
    return [
        *_episodes(store, index, described),
        *_packs(folder, index),
        *_records(index, records),
        *_leftovers(folder, index),
    ]


def _episodes(store: EpisodeStore, index: EpisodeIndex, described: Description) -> Iterator[Problem]:
    """Every episode is read whole, with its checksums and pictures, and compared with its line in the index."""
    for episode_id, entry in index.entries().items():
        try:
            episode = store.read(episode_id)
        except UserError as error:
            if episode_id in index.entries():  # else another process has just dropped it
                yield _problem(error, f"*/{entry.file}.parquet")
            continue
        if (episode.world, episode.spaces) != (described.world, described.spaces):
            what = f"episode {episode_id} is of {episode.world}, or of spaces, that {DESCRIPTION_FILE} does not name"
            yield Problem(
                f"steps/{entry.file}.parquet", what, f"put back the right {DESCRIPTION_FILE}, or drop the episode"
            )
        same_play = entry.fingerprint in (None, episode_fingerprint(episode))
        if EpisodeRow.of(episode) != entry.row or not same_play:
            yield Problem(index.path.name, f"the line of episode {episode_id} disagrees with its file", REBUILD)


def _packs(folder: Path, index: EpisodeIndex) -> Iterator[Problem]:
    """Every file of many episodes has a footer for other programs, and no episodes but those of the index."""
    packs: dict[str, dict[str, set[Span]]] = {}
    for entry in index.entries().values():
        for table, span in (entry.spans or {}).items():
            packs.setdefault(entry.file, {name: set() for name in TABLES})[table].add(span)
    for stem, listed in packs.items():
        for table, spans in listed.items():
            path = recovery.data_file(folder, table, stem)
            try:
                found = set(spans_of(path, table))
            except FileNotFoundError:
                continue  # its episodes are reported, or it was just replaced
            except UserError as error:  # it may not be read
                yield _problem(error, f"{table}/{stem}.parquet")
                continue
            except Damaged as error:
                yield Problem(
                    f"{table}/{path.name}", f"other programs cannot read it: {error}", "put back a copy of it"
                )
                continue
            if unlisted := len(found - spans):
                what = f"{unlisted} of its episodes {'are' if unlisted > 1 else 'is'} not in the index"
                yield Problem(f"{table}/{path.name}", what, "put back a copy of it, and " + REBUILD)


def _records(index: EpisodeIndex, folders: Folders) -> Iterator[Problem]:
    for folder in folders:
        counted = dict(folder.counted())
        for path in folder.files():
            yield from _records_in(path, folder, index, counted.pop(path.name, 0))
        counted = {name: count for name, count in counted.items() if name in folder.counted()}  # else just removed
        if counted:
            several = f"{len(counted)} files" if len(counted) > 1 else f"the file {min(counted)}"
            lost = f"{several} with {sum(counted.values())} {_words(folder)}"
            yield Problem(
                f"{folder.folder.name}/", f"{lost} in the index {'are' if len(counted) > 1 else 'is'} missing", _LOST
            )


def _records_in(path: Path, folder: RecordFolder[Any], index: EpisodeIndex, counted: int) -> Iterator[Problem]:
    """Return the problems of one file of records, which has at least ``counted`` of them."""
    name = f"{folder.folder.name}/{path.name}"
    try:
        records = folder.read_file(path)
    except UserError as error:
        yield _problem(error, name)
        return
    if len(records) < counted:
        yield Problem(name, f"it holds {len(records)} of the {counted} {_words(folder)} in the index", _LOST)
    rows = index.rows()
    for record in records:
        try:
            check_steps([record], rows, index.path.parent)
        except UserError as error:
            yield Problem(name, str(error), "move the file out of the dataset, or put back what it speaks of")
            return


def _words(folder: RecordFolder[Any]) -> str:
    """Return the plural of the folder's records in messages, e.g. "clip pairs"."""
    return NOUNS.get(folder.folder.name, folder.folder.name)


def _leftovers(folder: Path, index: EpisodeIndex) -> Iterator[Problem]:
    left = recovery.find(folder, index)
    by_itself = "nothing: opening the dataset while no process writes to it repairs this"
    for path in left.garbage:
        yield Problem(str(path.relative_to(folder)), "left over from an interrupted write", by_itself, ignorable=True)
    for entry in left.episodes:
        what = f"episode {entry.row.episode_id} is recorded but not yet in the index"
        yield Problem(f"steps/{entry.file}.parquet", what, by_itself, ignorable=True)
    for path, why in left.unreadable:
        hint = "put back a copy of it, or move it out of the dataset"
        yield Problem(str(path.relative_to(folder)), f"not in the index and not to be taken in: {why}", hint)


def _problem(error: UserError, file: str) -> Problem:
    what, _, hint = str(error).partition("; ")
    return Problem(file, what, hint)
