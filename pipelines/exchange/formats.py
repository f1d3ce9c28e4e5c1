"""The formats, and the steps that all exports and imports share.

A format is a module with the functions of :class:`Format`. It gets a folder of its own that is renamed, or taken into
the target, when it has returned; an error or an interruption leaves the target as it was. To add a format, write its
module, its settings (``pipelines/exchange/settings.py``) and its row in ``FORMATS``, its name in ``FormatName`` and
its settings in ``pipelines/cli/exchange.py``.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Protocol, cast

from pipelines.exchange.bad_episodes import BadEpisodes
from pipelines.exchange.unfinished import unfinished
from rlhf.store import ParquetStore, open_store
from rlhf.store.contract import check_known
from worlds.errors import UserError

FormatName = Literal["lerobot", "minari", "rlds"]


@dataclass(frozen=True)
class Exported:
    """A finished export.

    Args:
      notes: one line each about what the format cannot hold, or holds with a loss.
    """

    episodes: int
    steps: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Imported:
    """A finished import.

    Args:
      notes: one line each about what was left out, or how it was understood.
    """

    episodes: int
    steps: int
    marks: int = 0
    notes: tuple[str, ...] = ()


class Format(Protocol):
    """The module of a format."""

    def export(self, store: ParquetStore, ids: Sequence[str], out: Path, settings: Any) -> Exported:
        """Write the episodes ``ids`` of ``store`` into the empty folder ``out``.

        Raises UserError if the format cannot hold them.
        """
        ...

    def import_(self, source: Path, store: ParquetStore, settings: Any, bad: BadEpisodes) -> Imported:
        """Write what ``source`` holds into the empty ``store``; ``bad`` reads each episode.

        Raises UserError naming the file of ``source`` that is missing or damaged, or of another version.
        """
        ...


@dataclass(frozen=True)
class FormatEntry:
    """One format of :data:`FORMATS`.

    Args:
      module: its module, which is imported when the format is used.
      install: what `pip install` is given if a package that the module imports is missing.
    """

    module: str
    install: str = "interactive-rlhf"


FORMATS: dict[str, FormatEntry] = {
    "lerobot": FormatEntry("pipelines.exchange.lerobot"),
    "minari": FormatEntry("pipelines.exchange.minari", "interactive-rlhf[minari]"),
    "rlds": FormatEntry("pipelines.exchange.rlds", "interactive-rlhf[rlds]"),
}


def load_format(name: str) -> Format:
    """Import the module of the format ``name``.

    Raises UserError if there is no such format, or a package that it needs is not installed.
    """
    if name not in FORMATS:
        raise UserError(f"there is no format {name}; there are {', '.join(FORMATS)}")
    entry = FORMATS[name]
    try:
        return cast(Format, importlib.import_module(entry.module))
    except ModuleNotFoundError as error:
        raise missing_package(name, error) from error


def missing_package(name: str, error: ModuleNotFoundError) -> UserError:
    """Return the error in words: the package of ``error``, and how it is installed for the format ``name``."""
    return UserError(
        f"the format {name} needs the package {(error.name or '').partition('.')[0]}, which is not installed; "
        f"pip install '{FORMATS[name].install}'"
    )


def export_episodes(
    data: Path, out: Path, to: str, settings: Any, episodes: Sequence[str] = (), split: str | None = None
) -> Exported:
    """Write a dataset in another library's format into a new folder.

    Args:
      episodes: ids of the episodes; empty exports all.
      split: of the episodes; None exports both.

    Raises UserError if ``data`` is no dataset, an id is unknown, ``out`` exists, or the format cannot hold the
    episodes.
    """
    form, store = load_format(to), open_store(data)
    check_known(episodes, set(store.ids()), store)
    wanted = set(store.ids(split))
    ids = [name for name in dict.fromkeys(episodes) or store.ids() if name in wanted]
    if not ids:
        kind = f"{split} " if split else ""
        raise UserError(
            f"{data} has no such {kind}episode to export; `rlhf episodes list {data}` shows those there are"
        )
    if out.exists():
        raise UserError(f"{out} exists already; name a new folder, or remove it")
    with unfinished(out) as folder:
        exported = form.export(store, ids, folder, settings)
        folder.rename(out)
    return exported


def import_episodes(source: Path, into: Path, of: str, settings: Any, skip_bad: bool = False) -> Imported:
    """Add what another library's format holds to a dataset, which is created if it does not exist.

    Args:
      skip_bad: leave out episodes that cannot be read, and name them; otherwise the first one ends the import.

    Raises UserError if ``source`` cannot be read, or does not fit the dataset; nothing is imported then.
    """
    form, bad = load_format(of), BadEpisodes(skip_bad)
    if not source.is_dir():
        raise UserError(f"there is no folder {source}; name that of a dataset in the format {of}")
    known = open_store(into) if into.exists() and any(into.iterdir()) else None
    with unfinished(into) as folder:
        store = open_store(folder, create=True)
        imported = form.import_(source, store, settings, bad)
        if not len(store):
            raise bad.nothing(source)
        if known is None:
            if into.exists():
                into.rmdir()
            folder.rename(into)
        else:
            if (episode_id := known.first_difference(store)) is not None:
                raise UserError(
                    f"{into} has another episode {episode_id} than {source}; import into another folder, or drop it "
                    "there first (nothing was imported)"
                )
            known.take(store)
            for kept in store.description.play_settings:
                known.note_play_settings(kept)
    return replace(imported, notes=(*bad.notes(), *imported.notes))
