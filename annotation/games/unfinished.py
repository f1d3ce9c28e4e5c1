"""Unfinished games, which survive a killed server: their episode is not in its dataset yet, or not known to the study.

A game has a folder from its beginning until its episode is stored and known. The episode of an evaluation is kept there
as soon as play is over, and each verdict when it is given. The next server finishes games that a killed one has left.
Every step can be repeated after a crash: the episode's id is the game's.

    <game's id>/
      game.json    for which dataset it is played
      kept/        a dataset with the played episode, and `notes.json` with what belongs into its notes by now
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from rlhf.records.episode import Episode
from rlhf.store import open_store
from rlhf.store.contract import people_in
from rlhf.store.files.durable import UNFINISHED, Busy, check_no_links, explained, only_writer, sync, write_file
from rlhf.store.folder.description import DESCRIPTION_FILE
from worlds.errors import UserError

ABOUT_FILE, NOTES_FILE = "game.json", "notes.json"
_GONE = ".gone"  # suffix of what is being removed


def new_id() -> str:
    """Return a new id for a game and its episode."""
    return f"play-{uuid4().hex[:16]}"


class UnfinishedGame:
    """The folder of one game, locked until it is released or let go."""

    def __init__(self, folder: Path, held: ExitStack) -> None:
        self.id, self.folder, self._held = folder.name, folder, held
        self._about = (folder / ABOUT_FILE).read_bytes()
        self._kept = folder / "kept"

    @property
    def dataset(self) -> str:
        """The dataset for which it is played. Raises UserError if what is known of the game is damaged."""
        return self._said("dataset")

    @property
    def project_id(self) -> str:
        """The project of that dataset. Raises UserError as ``dataset`` does."""
        return self._said("project")

    def _said(self, name: str) -> str:
        # Not when the folder is opened: one that is damaged would keep every later game from being finished.
        try:
            return str(json.loads(self._about)[name])
        except (ValueError, TypeError, KeyError) as error:
            about = self.folder / ABOUT_FILE
            raise UserError(f"{about} is damaged ({error}); put back a copy, or remove {self.folder}") from error

    def keep(self, episode: Episode) -> None:
        """Make the played episode durable. Raises UserError if it cannot be written."""
        with explained(f"episode {episode.episode_id}", self.folder):
            if self._kept.exists():  # only `sync` failed the last time; the notes may be others since
                self.note(episode.notes)
            else:
                part = self._kept.with_name(self._kept.name + UNFINISHED)
                _remove(part)
                open_store(part, create=True).write(episode)
                part.rename(self._kept)
            sync(self.folder)

    def note(self, notes: Mapping[str, Any]) -> None:
        """Add notes to the kept episode, durably; nothing happens if it has been deleted meanwhile.

        Raises UserError if they cannot be written.
        """
        with explained("what was said of an episode", self.folder), suppress(FileNotFoundError):
            write_file(self._kept / NOTES_FILE, json.dumps(notes, ensure_ascii=False).encode())

    def episode(self) -> Episode | None:
        """Return the kept episode with its latest notes; None without one. Raises UserError if it is damaged."""
        if not (self._kept / DESCRIPTION_FILE).exists():
            return None
        store = open_store(self._kept)
        if self.id not in store:
            raise UserError(f"{self._kept} has no episode {self.id}; put back a copy, or remove {self.folder}")
        episode, notes = store.read(self.id), self._kept / NOTES_FILE
        if not notes.exists():
            return episode
        try:
            return replace(episode, notes={**episode.notes, **json.loads(notes.read_text(encoding="utf-8"))})
        except (ValueError, TypeError) as error:
            raise UserError(f"{notes} is damaged ({error}); remove it to do without what was said last") from error

    def release(self) -> None:
        """Remove the folder: the game is finished."""
        gone = self.folder.with_name(f"{self.id}-{uuid4().hex}{_GONE}")
        with suppress(FileNotFoundError):
            self.folder.rename(gone)
            _remove(gone)
        self._held.close()

    def let_go(self) -> None:
        """Unlock the folder and leave it to the next call of :meth:`Unfinished.left`."""
        self._held.close()


class Unfinished:
    """Every unfinished game of a study. Safe for threads and processes.

    Raises UserError if it is a link, as what is no game is removed from it.
    """

    def __init__(self, folder: Path) -> None:
        check_no_links(folder)
        self.folder = folder

    def begin(self, dataset: str, project_id: str) -> UnfinishedGame:
        """Create and lock the folder of a new game. Raises OSError if it cannot be written."""
        with self._alone():
            game = self.folder / new_id()
            game.mkdir()
            write_file(game / ABOUT_FILE, json.dumps({"dataset": dataset, "project": project_id}).encode())
            sync(self.folder)
            return UnfinishedGame(game, _held(game))

    def left(self) -> Iterator[UnfinishedGame]:
        """Yield the games that nobody has locked, each locked for the caller."""
        for game in self._folders():
            with ExitStack() as held:
                try:
                    with self._alone():
                        held.push(_held(game))
                    if not (game / ABOUT_FILE).exists():  # its server died while it made it, or it is done
                        _remove(game)
                        continue
                    found = UnfinishedGame(game, held.pop_all())
                except (Busy, FileNotFoundError):
                    continue
            yield found

    def played_by(self, name: str) -> list[Path]:
        """Return the folders of kept episodes in which the person ``name`` played."""
        kept = [game / part for game in self._folders() for part in ("kept", f"kept{UNFINISHED}")]
        return [path for path in kept if _plays(name, path)]

    def forget(self, name: str) -> None:
        """Remove every kept episode in which the person ``name`` played; after a crash call it again."""
        for game in self._folders():
            for gone in game.glob(f"*{_GONE}"):
                _remove(gone)
        for path in self.played_by(name):
            gone = path.with_name(f"{uuid4().hex}{_GONE}")
            with suppress(FileNotFoundError):
                path.rename(gone)
                _remove(gone)

    def _folders(self) -> list[Path]:
        """Return every game's folder, and finish what a dead server was removing."""
        if not self.folder.is_dir():
            return []
        found = sorted(path for path in self.folder.iterdir() if path.is_dir() and not path.is_symlink())
        for path in found:
            if path.name.endswith(_GONE):
                _remove(path)
        return [path for path in found if not path.name.endswith(_GONE)]

    def _alone(self) -> Any:
        """Hold the lock while a folder is made or taken over."""
        self.folder.mkdir(exist_ok=True)
        return only_writer(self.folder)


def _held(game: Path) -> ExitStack:
    """Lock a game's folder. Raises Busy if it is locked."""
    held = ExitStack()
    held.enter_context(only_writer(game, wait_sec=0))
    return held


def _plays(name: str, kept: Path) -> bool:
    """Return True if a person played in a kept episode, as far as it can be read."""
    if not (kept / DESCRIPTION_FILE).exists():
        return False
    return any(name in people_in(row) for row in open_store(kept).rows())


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
