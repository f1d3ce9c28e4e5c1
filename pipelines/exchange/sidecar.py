"""A file beside exported episodes with everything for which the other library's format has no place.

JSON Lines: a header with the version and the spaces, a line for each episode, then the marks, judgements and other
preferences of these episodes. With it, episodes that come back are those that were exported, to the last bit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipelines.exchange.gym_play import Columns, episode_columns
from pipelines.exchange.source_files import regular
from rlhf.records import json_records
from rlhf.records.checks import is_whole
from rlhf.records.episode import Episode
from rlhf.records.marks import Judgement, Mark
from rlhf.records.preferences import STATEMENTS, Statement
from rlhf.records.spaces import EpisodeSpaces
from rlhf.run.progress import bar
from rlhf.store import EpisodeStore, ParquetStore, episode_fingerprint
from rlhf.store.columns.json_text import from_json, to_json
from rlhf.store.columns.tables import EPISODE_COLUMNS, episode_row, episode_table, fields_of_row
from rlhf.store.contract import Record, episodes_of
from worlds.errors import UserError

SIDECAR_FILE = "interactive-rlhf.jsonl"
VERSION = 1
_RECORDS: dict[str, type] = {"mark": Mark, "judgement": Judgement, **STATEMENTS}
_NAMES = {kind: name for name, kind in _RECORDS.items()}


@dataclass(frozen=True)
class EpisodeAbout:
    """An episode's row of the table ``episodes``, and what checks its steps.

    ``unpictured`` is the fingerprint without its pictures, for formats that lose some of them.
    """

    row: Mapping[str, Any]
    fingerprint: str
    unpictured: str

    def __post_init__(self) -> None:
        if unknown := set(self.row) - set(EPISODE_COLUMNS):
            raise ValueError(f"an episode has no {min(unknown)}")
        episode_table([self.row])  # refuses values of other types
        if not is_whole(self.steps):
            raise ValueError(f"an episode's steps are a whole number, not {self.steps!r}")

    @property
    def steps(self) -> int:
        """Length of the episode."""
        return self.row["steps"]

    @classmethod
    def of(cls, episode: Episode) -> EpisodeAbout:
        """Return the row and the fingerprints of ``episode``."""
        return cls(episode_row(episode), episode_fingerprint(episode), episode_fingerprint(episode, pictures=False))

    def fields(self) -> dict[str, Any]:
        """Return the fields of the episode that are in its row. Raises ValueError or TypeError if one is damaged."""
        return fields_of_row(self.row)


@dataclass
class Sidecar:
    """The contents of the file.

    Args:
      spaces: of all episodes, also those of the Playhouse; None before the first.
      play_settings: with which the episodes were played, as ``dataset.json`` notes them.
    """

    spaces: EpisodeSpaces | None = None
    episodes: list[EpisodeAbout] = field(default_factory=list)
    records: list[Mark | Judgement | Statement] = field(default_factory=list)
    play_settings: tuple[Mapping[str, Any], ...] = ()

    @property
    def declared(self) -> EpisodeSpaces:
        """The spaces; there is an episode."""
        assert self.spaces is not None
        return self.spaces

    @property
    def steps(self) -> int:
        """Number of steps of all episodes."""
        return sum(about.steps for about in self.episodes)

    @classmethod
    def of(cls, store: ParquetStore, ids: Sequence[str]) -> Sidecar:
        """Return that of an export of the episodes ``ids``, to which :meth:`export` adds them."""
        return cls(records=records_about(store, ids), play_settings=store.description.play_settings)

    def export(self, store: ParquetStore, ids: Sequence[str]) -> Iterator[tuple[Episode, Sequence[Mark]]]:
        """Yield the episodes to be written, each with its marks, and add them."""
        marks: dict[str, list[Mark]] = defaultdict(list)
        for mark in _of(Mark, self.records):
            marks[mark.episode_id].append(mark)
        with bar("exporting", len(ids), "episodes") as shown:
            for episode in store.stream(ids):
                yield episode, marks[episode.episode_id]
                self.spaces = episode.spaces
                self.episodes.append(EpisodeAbout.of(episode))
                shown.advance()

    def write(self, path: Path) -> None:
        """Write the file."""
        header = {"sidecar": VERSION, "spaces": self.declared.to_json(), "play_settings": self.play_settings}
        with path.open("w", encoding="utf-8") as file:
            file.write(to_json(header) + "\n")
            for about in self.episodes:
                file.write(to_json({"episode": json_records.to_json(about)}) + "\n")
            for record in self.records:
                file.write(to_json({_NAMES[type(record)]: json_records.to_json(record)}) + "\n")

    @classmethod
    def read(cls, path: Path) -> Sidecar:
        """Read the file. Raises UserError naming the line that is wrong, or the version that is not known."""
        try:
            lines = regular(path).read_bytes().rstrip(b"\n").split(b"\n")
        except OSError as error:
            raise UserError(f"{path} cannot be read: {error.strerror or error}") from error
        found = cls()
        for number, line in enumerate(lines):
            try:
                found._take(from_json(line))
            except KeyError as error:
                raise UserError(f"{path}, line {number + 1}: {error} is missing or not known") from error
            except (ValueError, TypeError, AttributeError) as error:
                raise UserError(f"{path}, line {number + 1}: {' '.join(str(error).split())}") from error
        if found.spaces is None or not found.episodes:
            raise UserError(f"{path} has no spaces or no episodes; it is damaged")
        return found

    def episode(self, number: int, where: str, observations: Columns, actions: Columns, infos: Columns) -> Episode:
        """Return an episode that was exported. Raises UserError if the columns are not those of the episode."""
        about, problem = self.episodes[number], "has changed since it was exported"
        try:
            episode = Episode(**about.fields(), **episode_columns(observations, actions, infos, self.declared))
            if episode_fingerprint(episode) == about.fingerprint:
                return episode
        except (KeyError, ValueError, TypeError, IndexError) as error:
            problem += f" ({' '.join(str(error).split())})"
        raise UserError(f"{where} {problem}; without {SIDECAR_FILE} it is imported as another program's")

    def write_records(self, store: ParquetStore) -> int:
        """Write the marks, judgements, preferences and settings of play into ``store``; return the number of marks.

        Those of episodes that it does not have are left out.
        """
        for settings in self.play_settings:
            store.note_play_settings(settings)
        known = set(store.ids())
        records = [record for record in self.records if episodes_of(record) <= known]
        marks = list(_of(Mark, records))
        store.write_marks(marks)
        store.write_judgements(_of(Judgement, records))
        store.write_preferences(one for one in records if not isinstance(one, Mark | Judgement))
        return len(marks)

    def _take(self, said: Any) -> None:
        if self.spaces is None:
            if said["sidecar"] != VERSION:
                raise ValueError(f"version {said['sidecar']!r}; this program reads version {VERSION}")
            self.spaces = EpisodeSpaces.from_json(said["spaces"])
            self.play_settings = tuple(map(dict, said.get("play_settings", ())))
            return
        ((name, value),) = said.items()
        if name == "episode":
            self.episodes.append(json_records.from_json(EpisodeAbout, value))
        else:
            self.records.append(json_records.from_json(_RECORDS[name], value))


def records_about(store: EpisodeStore, ids: Sequence[str]) -> list[Mark | Judgement | Statement]:
    """Return all marks, judgements and preferences that are about the episodes ``ids`` alone."""
    wanted = set(ids)
    found: list[Mark | Judgement | Statement] = [*store.marks(), *store.judgements()]
    for kind in STATEMENTS.values():
        found += store.preferences(kind)
    return [record for record in found if episodes_of(record) <= wanted]


def _of(kind: type[Record], records: Iterable[Any]) -> Iterator[Record]:
    return (record for record in records if isinstance(record, kind))
