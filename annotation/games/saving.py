"""The end of a game: its episode is made durable as soon as play is over, then judged, then stored."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from annotation.games.unfinished import UnfinishedGame
from rlhf.records.episode import Episode
from rlhf.store import EpisodeStore
from worlds.errors import UserError, disk_is_full

_log = logging.getLogger(__name__)


class EpisodeSaver:
    """Saves one played episode. Its methods wait for the disk: call them from the game's own thread.

    Args:
      keeps: folder that keeps it until then; None keeps it in memory alone.

    Attributes:
      trouble: reason for people to read why something is not on disk; "" if everything is.
    """

    def __init__(self, episode: Episode, store: EpisodeStore, keeps: UnfinishedGame | None) -> None:
        self._episode, self._store, self._keeps = episode, store, keeps
        self._kept_notes: Mapping[str, Any] | None = None  # None until the episode is kept
        self.trouble = ""

    def keep(self, notes: Mapping[str, Any]) -> None:
        """Make the episode durable with ``notes`` added, before it can be stored. Does nothing if it is."""
        if self._keeps is None or notes == self._kept_notes:
            return
        try:
            if self._kept_notes is None:
                self._keeps.keep(replace(self._episode, notes={**self._episode.notes, **notes}))
            else:
                self._keeps.note(notes)
            self._kept_notes, self.trouble = dict(notes), ""
        except (UserError, OSError) as error:
            what = "the episode is" if self._kept_notes is None else "your latest verdict is"
            self._complain(f"{what} not saved yet", error)

    def save(self, notes: Mapping[str, Any]) -> bool:
        """Store the episode with ``notes`` added. Returns False if that failed."""
        try:
            self._store.write(replace(self._episode, notes={**self._episode.notes, **notes}))
        except (UserError, OSError) as error:
            self._complain("the episode is not saved yet", error)
            return False
        self.trouble = ""
        return True

    def give_up(self) -> None:
        """Stop trying; the next start of the server continues."""
        if self._kept_notes is None:
            self.trouble = self.trouble.replace("not saved yet", "not saved").replace("; trying again", "")
        else:
            self.trouble = "the episode is kept on the server's disk; the next start of the server stores it"

    def _complain(self, what: str, error: Exception) -> None:
        why = "the server's disk is full" if disk_is_full(error) else "the server cannot write it"
        trouble = f"{what} ({why}); trying again"
        if trouble != self.trouble:
            _log.error("game %s: %s: %s", self._episode.episode_id, what, error)
        self.trouble = trouble
