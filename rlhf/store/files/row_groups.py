"""Row groups of play: the rows of one episode, or of several short ones that were recorded at once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from threading import Lock

import pyarrow as pa

_KEPT = 8  # groups in memory: of both tables, for a few readers at once; a group takes less than 1 MB


@dataclass(frozen=True)
class RowGroup:
    """Rows of one or several episodes.

    Args:
      rows: of all of them.
      places: first row of each episode and the row after its last, by its id.
    """

    rows: pa.Table
    places: Mapping[str, tuple[int, int]]

    @classmethod
    def of(cls, rows: pa.Table) -> RowGroup:
        """Return the group of ``rows``, which have a column ``episode_id``; an episode's rows follow one another."""
        places: dict[str, tuple[int, int]] = {}
        for row, episode_id in enumerate(rows["episode_id"].to_pylist()):
            places[episode_id] = places.get(episode_id, (row, row))[0], row + 1
        return cls(rows, places)

    def rows_of(self, episode_id: str) -> pa.Table:
        """Return the rows of an episode of the group."""
        begin, end = self.places[episode_id]
        return self.rows if len(self.places) == 1 else self.rows.slice(begin, end - begin)


class RecentGroups:
    """The groups that were read last: who reads one episode of a group usually reads the next one, too.

    A file of play never changes and its name is not used again if it holds a group, so that no group is out of date.
    May be used by several threads.
    """

    def __init__(self) -> None:
        self._groups: OrderedDict[Hashable, RowGroup] = OrderedDict()
        self._lock = Lock()

    def rows_of(self, episode_id: str, key: Hashable) -> pa.Table | None:
        """Return the rows of an episode in the group ``key``; None if it is not here."""
        with self._lock:
            group = self._groups.get(key)
            if group is None or episode_id not in group.places:
                return None
            self._groups.move_to_end(key)
        return group.rows_of(episode_id)

    def keep(self, group: RowGroup, key: Hashable) -> None:
        """Keep a group, instead of the one that was not used for longest."""
        with self._lock:
            self._groups[key] = group
            while len(self._groups) > _KEPT:
                self._groups.popitem(last=False)
