"""Where things of a class may lie when an episode begins: a table, made by hand, in ``data/places.json``.

The classes of the places are those of Watch-And-Help; which thing may lie where is ours. A place that a home
lacks is passed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from worlds.data_files import read_entries
from worlds.household.state.vocabulary import Held

Place = tuple[Held, str]  # ON or INSIDE, and the class of the support or container

_ANY_OTHER = "any other"  # entry of the classes that have none


@lru_cache(maxsize=1)
def _table() -> Mapping[str, tuple[Place, ...]]:
    written = read_entries(Path(__file__).parent / "data" / "places.json", tuple[str, ...])
    return {name: tuple(map(_place, places)) for name, places in written.items()}


def _place(words: str) -> Place:
    held, name = words.split()
    return Held.ON if held == "on" else Held.INSIDE, name


def places_of(name: str) -> tuple[Place, ...]:
    """Return where things of a class may lie when an episode begins; all are as likely."""
    return _table().get(name) or _table()[_ANY_OTHER]
