"""``dataset.json``: what a dataset's folder holds, and whether this program can read it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rlhf.records.episode import Episode
from rlhf.records.spaces import EpisodeSpaces
from rlhf.store.columns.json_text import from_json, to_json
from rlhf.store.columns.schemas import FORMAT
from rlhf.store.columns.tables import TABLE_NAMES
from rlhf.store.contract import check_fits
from rlhf.store.files.durable import LOCK_FILE, explained, only_writer, write_file
from rlhf.store.folder.card import add_card, is_card
from rlhf.store.folder.index import INDEX_FILE, EpisodeIndex
from worlds.contract import BODY
from worlds.errors import UserError
from worlds.spaces.action import InvalidSpace

DESCRIPTION_FILE = "dataset.json"


@dataclass(frozen=True)
class Description:
    """The contents of ``dataset.json``.

    Args:
      created: ISO time.
      world: of every episode. None until the first episode fixes it.
      spaces: spaces that every episode declares; None until the first episode.
      play_settings: every combination of settings of the world and of the scripted players that `rlhf record` played
        with, in the order in which they came; empty of play from elsewhere.
    """

    created: str
    world: str | None = None
    spaces: EpisodeSpaces | None = None
    play_settings: tuple[Mapping[str, Any], ...] = ()

    @property
    def image_size(self) -> tuple[int, int] | None:
        """(height, width) in pixels of every picture; None without pictures, and until the first episode."""
        return None if self.spaces is None else self.spaces.image_size

    @property
    def steps_per_second(self) -> float:
        """Steps in a second of the world; the Playhouse's until the first episode."""
        body = BODY if self.spaces is None else self.spaces.solver.action
        return body.steps_per_second

    def fixed_by(self, episode: Episode, folder: Path) -> Description:
        """Return this description, with world and spaces of ``episode`` if it is the dataset's first.

        Raises:
          UserError: if the dataset is of another world or other spaces.
        """
        if self.world is None or self.spaces is None:
            return replace(self, world=episode.world, spaces=episode.spaces)
        check_fits(episode, self.world, self.spaces, folder)
        return self

    def with_settings(self, settings: Mapping[str, Any]) -> Description:
        """This description, with ``settings`` among those that were played with."""
        known = settings in self.play_settings
        return self if known else replace(self, play_settings=(*self.play_settings, settings))

    def save(self, folder: Path) -> None:
        """Write ``dataset.json``."""
        text = json.dumps(self.values(), indent=2, ensure_ascii=False)
        write_file(folder / DESCRIPTION_FILE, f"{text}\n".encode())

    def values(self) -> dict[str, Any]:
        """Return the contents of the file."""
        return {
            "schema_version": FORMAT,
            "created": self.created,
            "world": self.world,
            "image_size": self.image_size,
            "spaces": None if self.spaces is None else self.spaces.to_json(),
            "play_settings": self.play_settings,
        }


def create(folder: Path) -> None:
    """Make ``folder`` an empty dataset, unless it is a dataset already.

    Raises:
      UserError: if something else is in the folder or it cannot be written.
    """
    if (folder / DESCRIPTION_FILE).exists():
        return
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder} is a file; name a folder for the dataset")
    with explained("a dataset", folder):
        folder.mkdir(parents=True, exist_ok=True)
        _refuse_strangers(folder)
        with only_writer(folder):
            if (folder / DESCRIPTION_FILE).exists():  # another process was faster
                return
            for table in TABLE_NAMES:
                (folder / table).mkdir(exist_ok=True)
            EpisodeIndex.create(folder)
            now = datetime.now(UTC).isoformat(timespec="seconds")
            Description(now).save(folder)
            add_card(folder)


def load(folder: Path) -> Description:
    """Return what ``folder`` holds.

    Raises:
      UserError: if it is no dataset, or not one that this program can read.
    """
    path = folder / DESCRIPTION_FILE
    for table in TABLE_NAMES:
        if (folder / table).is_symlink():
            raise UserError(
                f"{folder / table} is a link; a dataset's files lie in its own folder: put the folder {table} in its "
                "place, or link the dataset as a whole"
            )
    try:
        values = from_json(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        raise UserError(_nothing_there(folder)) from None
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror or error}); check its permissions") from error
    except ValueError as error:
        raise UserError(f"{path} is damaged; put back a copy of it") from error
    version = values.get("schema_version") if isinstance(values, dict) else None
    if version != FORMAT:
        raise UserError(_other_version(path, version))
    return _checked(values, path)


def _checked(values: dict[str, Any], path: Path) -> Description:
    """Return the description with ``values``. Raises UserError, naming the first key of ``path`` that is wrong."""
    values = {"play_settings": []} | values  # which older versions did not write
    for name in sorted(_VALUES.keys() ^ (set(values) - {"schema_version"})):
        what = "is missing" if name in _VALUES else "is not one of its keys"
        raise UserError(_damaged(path, f"{name} {what}"))
    for name, (right, wanted) in _VALUES.items():
        if not right(values[name]):
            raise UserError(_damaged(path, f"{name} is {to_json(values[name])[:60]}, not {wanted}"))
    try:
        spaces = None if values["spaces"] is None else EpisodeSpaces.from_json(values["spaces"])
    except InvalidSpace as error:
        raise UserError(_damaged(path, str(error))) from error
    found = Description(values["created"], values["world"], spaces, tuple(values["play_settings"]))
    size = values["image_size"]
    if (None if size is None else tuple(size)) != found.image_size:
        raise UserError(_damaged(path, f"image_size is {to_json(size)}, not that of its spaces"))
    return found


def _damaged(path: Path, why: str) -> str:
    return f"{path} is damaged ({why}); put back a copy of it"


def _is_size(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(_is_whole(side) and 1 <= side <= MOST for side in value)


def _are_objects(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, dict) for each in value)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


MOST = 16_384  # pixels of a side: such a picture takes 0.8 GB
_VALUES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "created": (lambda value: isinstance(value, str), "text"),
    "world": (lambda value: value is None or isinstance(value, str), "text or null"),
    "image_size": (lambda value: value is None or _is_size(value), f"[height, width] from 1 to {MOST}, or null"),
    "spaces": (lambda value: value is None or isinstance(value, dict), "an object or null"),
    "play_settings": (_are_objects, "a list of objects"),
}


def _refuse_strangers(folder: Path) -> None:
    """A half-made dataset may be finished; anything else in the folder is not ours to mix with."""
    ours = {LOCK_FILE, INDEX_FILE, DESCRIPTION_FILE, *TABLE_NAMES}
    found = [entry for entry in folder.iterdir() if not is_card(entry)]
    strangers = sorted(entry.name for entry in found if entry.name.removesuffix(".part") not in ours)
    strangers += sorted(str(path.relative_to(folder)) for table in TABLE_NAMES for path in (folder / table).glob("*"))
    if strangers and not (folder / DESCRIPTION_FILE).exists():
        raise UserError(f"{folder} is not a dataset, it holds {strangers[0]}; name an empty or a new folder")


def _nothing_there(folder: Path) -> str:
    if not folder.exists():
        return f"there is no dataset at {folder}; check the path, or make one with `rlhf record`"
    if not folder.is_dir():
        return f"{folder} is a file, not the folder of a dataset; check the path"
    if (folder / INDEX_FILE).exists():
        return f"{folder} has lost its {DESCRIPTION_FILE}; put back a copy of it"
    if found := sorted(path.parent.name for path in folder.glob(f"*/{DESCRIPTION_FILE}")):
        others = f" (or {', '.join(found[1:4])}{', ...' if len(found) > 4 else ''})" if found[1:] else ""
        return f"{folder} is not a dataset, but holds some: name {folder / found[0]}{others}"
    return f"{folder} is not a dataset, it has no {DESCRIPTION_FILE}; check the path, or make one with `rlhf record`"


def _other_version(path: Path, version: Any) -> str:
    newer = isinstance(version, int) and version > FORMAT
    hint = "update interactive-rlhf" if newer else "record the play again, or read it with the version that wrote it"
    return f"{path} is of format {version}, this program reads format {FORMAT}; {hint}"
