"""The folder ``rlhf/`` in an exported dataset: what LeRobot's files have no place for.

``rlhf.json`` has the version, the spaces and the settings of play. The tables beside it are those of a dataset
(``docs/dataset-format.md``): ``episodes/`` in files of some thousand, with the fingerprint of each, and one file of
each kind of marks and judgements that there are.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from rlhf.records.marks import Judgement, Mark
from rlhf.records.preferences import PREFERENCES
from rlhf.records.spaces import EpisodeSpaces
from rlhf.store import EpisodeStore
from rlhf.store.contract import episodes_of
from rlhf.store.json_text import from_json
from rlhf.store.parquet_files import Damaged, read_all, to_bytes
from rlhf.store.tables import EPISODES, episode_table, judgements_table, marks_table, preferences_table
from worlds.errors import UserError
from worlds.spaces.action import InvalidSpace

FOLDER = "rlhf"
ABOUT = "rlhf.json"
FORMAT = 1
_EPISODES_A_FILE = 1000


@dataclass(frozen=True)
class Sidecar:
    """What an export noted.

    Args:
      spaces: of every episode; None are those of the Playhouse.
      play_settings: those of the dataset.
      folder: where the tables lie.
    """

    spaces: EpisodeSpaces | None
    play_settings: tuple[Mapping[str, Any], ...]
    folder: Path

    def episodes(self) -> list[tuple[dict[str, Any], str]]:
        """Return the row of every episode, and its fingerprint at the export, in order.

        Raises:
          UserError: a file is damaged.
        """
        rows = []
        for path in sorted((self.folder / "episodes").glob("*.parquet")):
            table = _read(path, "episodes")
            if "fingerprint" not in table.column_names or not set(EPISODES.names) <= set(table.column_names):
                raise UserError(f"{path} has other columns than an export writes; export the dataset again")
            rows += [(row, row.pop("fingerprint")) for row in table.to_pylist()]
        return rows

    def write_records(self, store: EpisodeStore) -> int:
        """Write marks, judgements and other preferences into ``store``, which has the episodes.

        Returns:
          The number of marks.

        Raises:
          UserError: a file is damaged, or a record is about an episode or a step that there is not.
        """
        marks = self._records("marks", Mark)
        store.write_marks(marks)
        store.write_judgements(self._records("judgements", Judgement))
        store.write_preferences([each for table, kind in PREFERENCES.items() for each in self._records(table, kind)])
        return len(marks)

    def _records(self, table: str, kind: Any) -> list[Any]:
        path = self.folder / f"{table}.parquet"
        if not path.exists():
            return []
        rows = _read(path, table).to_pylist()
        try:
            return [kind(**row) for row in rows]
        except (TypeError, ValueError) as error:
            raise UserError(f"{path} is damaged ({error}); export the dataset again") from error


class SidecarWriter:
    """Writes the folder while episodes are exported.

    Args:
      out: folder of the exported dataset.
    """

    def __init__(self, out: Path) -> None:
        self._folder = out / FOLDER
        (self._folder / "episodes").mkdir(parents=True)
        self._rows: list[pa.Table] = []
        self._files = 0

    def add(self, episode: Any, fingerprint: str) -> None:
        """Add what the steps of ``episode`` do not say."""
        self._rows.append(episode_table(episode).append_column("fingerprint", pa.array([fingerprint])))
        if len(self._rows) == _EPISODES_A_FILE:
            self._flush()

    def close(
        self,
        store: EpisodeStore,
        ids: Iterable[str],
        spaces: EpisodeSpaces | None,
        play_settings: Sequence[Mapping[str, Any]],
    ) -> None:
        """Write the rest: the description, and marks and judgements that are about the episodes ``ids`` alone."""
        self._flush()
        for table, records in _tables(store, set(ids)):
            (self._folder / f"{table}.parquet").write_bytes(to_bytes([records]))
        about = {
            "format": FORMAT,
            "spaces": None if spaces is None else spaces.to_json(),
            "play_settings": list(play_settings),
        }
        (self._folder / ABOUT).write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")

    def _flush(self) -> None:
        if self._rows:
            path = self._folder / "episodes" / f"{self._files:05d}.parquet"
            path.write_bytes(to_bytes([pa.concat_tables(self._rows)]))
            self._rows, self._files = [], self._files + 1


def _tables(store: EpisodeStore, known: set[str]) -> Iterator[tuple[str, pa.Table]]:
    """Records that are about ``known`` episodes only, a table of each kind that there is."""
    marks = [mark for mark in store.marks() if mark.episode_id in known]
    judgements = [judgement for judgement in store.judgements() if judgement.episode_id in known]
    if marks:
        yield "marks", marks_table(marks)
    if judgements:
        yield "judgements", judgements_table(judgements)
    for table, kind in PREFERENCES.items():
        if records := [each for each in store.preferences(kind) if episodes_of(each) <= known]:
            yield table, preferences_table(table, records)


def read_sidecar(source: Path) -> Sidecar | None:
    """Return what an export noted in ``source``; None where another program wrote the dataset.

    Raises:
      UserError: it is damaged, or of another version.
    """
    path = source / FOLDER / ABOUT
    if not path.exists():
        return None
    try:
        about = from_json(path.read_bytes())
        version = about["format"]
        if version == FORMAT:
            spaces = None if about["spaces"] is None else EpisodeSpaces.from_json(about["spaces"])
            return Sidecar(spaces, tuple(map(dict, about["play_settings"])), path.parent)
    except (InvalidSpace, KeyError, OSError, TypeError, ValueError) as error:
        raise UserError(f"{path} is damaged ({' '.join(str(error).split())}); export the dataset again") from error
    raise UserError(f"{path} is of format {version}, this version reads {FORMAT}; install the version that wrote it")


def _read(path: Path, table: str) -> pa.Table:
    try:
        return read_all(path, table)
    except (Damaged, OSError, pa.ArrowException) as error:
        raise UserError(f"{path} is damaged ({error}); export the dataset again") from error
