"""A second dataset of the same play, with marks and judgements of its own or the same, that takes next to no room.

Files of play are never changed once they are written: dropped and repacked episodes are removed and written elsewhere.
So two datasets can have them in common, as hard links, and each can be added to, dropped from or deleted by itself.
In the same way a dataset takes in another's play at once.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

from rlhf.store.columns.tables import TABLE_NAMES
from rlhf.store.files.durable import UNFINISHED, explained, only_writer, sync, write_file
from rlhf.store.folder import description
from rlhf.store.folder.card import CARD_FILE
from rlhf.store.folder.index import INDEX_FILE, TABLES, EpisodeIndex
from rlhf.store.upkeep.recovery import data_file
from worlds.errors import UserError


def share_play(source: str | Path, into: str | Path) -> int:
    """Make ``into`` a dataset of the episodes that ``source`` has now, unmarked; return their number.

    Where the file system has no hard links between the two, files are copied. The dataset is there as a whole or not at
    all; what an interrupted attempt has left beside it is removed by the next.

    Raises:
      UserError: if ``source`` is no dataset, there is something at ``into``, or it cannot be written.
    """
    source, into = Path(source).expanduser(), Path(into).expanduser()
    described = description.load(source)
    if into.exists():
        raise UserError(f"there is something at {into} already; name a new folder for the dataset that shares play")
    unfinished = into.with_name(into.name + UNFINISHED)
    with explained("a dataset that shares play", into.parent), only_writer(source):
        shutil.rmtree(unfinished, ignore_errors=True)
        description.create(unfinished)
        shared = list(EpisodeIndex(source).entries().values())
        for stem in {entry.file for entry in shared}:
            for table in TABLES:
                share_file(data_file(source, table, stem), data_file(unfinished, table, stem))
        for table in TABLES:
            sync(unfinished / table)
        described.save(unfinished)
        EpisodeIndex(unfinished).rewrite(shared)
        os.rename(unfinished, into)
        sync(into.parent)
    return len(shared)


def share_dataset(source: Path, into: Path) -> None:
    """Make the empty folder ``into`` a second copy of a dataset; later changes of one do not reach the other.

    Raises:
      UserError: if ``source`` is no dataset.
      OSError: if ``into`` cannot be written.
    """
    description.load(source)
    with only_writer(source):
        stems = {entry.file for entry in EpisodeIndex(source).entries().values()}
        for table in TABLE_NAMES:
            (into / table).mkdir()
            for path in (source / table).glob("*.parquet"):
                if table not in TABLES or path.stem in stems:  # the rest was left by a crash
                    share_file(path, into / table / path.name)
        for name in (description.DESCRIPTION_FILE, INDEX_FILE, CARD_FILE):
            if (source / name).exists():
                write_file(into / name, (source / name).read_bytes())


def take_play(source: Path, folder: Path, index: EpisodeIndex) -> None:
    """Share the play of another dataset in one that is there: all of its episodes or, on an error or a crash, none.

    Args:
      source: the other dataset, of the same world and spaces, without an episode that is here.

    Raises:
      OSError: if ``folder`` cannot be written.
    """
    entries = EpisodeIndex(source).entries().values()
    stems = {entry.file: f"taken-{uuid4().hex}" for entry in entries}
    files = {(table, stem): data_file(folder, table, new) for stem, new in stems.items() for table in TABLES}
    index.expect(str(file.relative_to(folder)) for file in files.values())
    try:
        for (table, stem), file in files.items():
            share_file(data_file(source, table, stem), file)
        for table in TABLES:
            sync(folder / table)
        index.append(replace(entry, file=stems[entry.file]) for entry in entries)
    except BaseException:
        if not {entry.file for entry in index.entries().values()}.intersection(stems.values()):
            for file in files.values():
                file.unlink(missing_ok=True)
        raise


def share_file(file: Path, link: Path) -> None:
    """Have a file that is never changed at ``link``, too: as a hard link, or where there are none as a durable copy."""
    try:
        os.link(file, link)
    except OSError:
        write_file(link, file.read_bytes())
