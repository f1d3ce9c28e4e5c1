"""Contents of a dataset as values that can be compared."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from rlhf.records.episode import Episode
from rlhf.records.marks import Judgement, Mark
from rlhf.records.spaces import EpisodeSpaces
from rlhf.store import open_store
from rlhf.store.columns.json_text import to_json


@dataclass(frozen=True)
class Contents:
    """Episodes, as digests by id, and their marks and judgements."""

    episodes: dict[str, str]
    marks: frozenset[Mark]
    judgements: frozenset[Judgement]

    def difference(self, other: Contents) -> str:
        """Describe the first difference."""
        for name in sorted({*self.episodes, *other.episodes}):
            here, there = self.episodes.get(name), other.episodes.get(name)
            if here != there:
                return f"episode {name} is {'missing' if here is None else 'new' if there is None else 'another'}"
        for what in ("marks", "judgements"):
            here, there = getattr(self, what), getattr(other, what)
            if here != there:
                return f"{len(there - here)} {what} are missing and {len(here - there)} are new"
        return "nothing"

    def between(self, old: Contents, new: Contents) -> str | None:
        """Describe what is in neither ``old`` nor ``new``, or is in both and missing."""
        for name in sorted({*self.episodes, *old.episodes, *new.episodes}):
            if self.episodes.get(name) not in (old.episodes.get(name), new.episodes.get(name)):
                return f"episode {name} is neither old nor new"
        for what in ("marks", "judgements"):
            here, before, after = getattr(self, what), getattr(old, what), getattr(new, what)
            if not before & after <= here <= before | after:
                return f"{what} are neither old nor new"
        return None


def contents(folder: Path) -> Contents:
    """Read the contents of the dataset in ``folder``."""
    store = open_store(folder)
    return Contents(
        {episode_id: digest(store.read(episode_id)) for episode_id in store.ids()},
        frozenset(store.marks()),
        frozenset(store.judgements()),
    )


def digest(episode: Episode) -> str:
    """Return a digest of all fields of ``episode`` but the time of its recording."""
    whole = hashlib.sha256()
    for field in fields(episode):
        value = getattr(episode, field.name)
        if field.name == "seen":
            for name in sorted(value):
                whole.update(name.encode() + _bytes_of(value[name]))
        elif field.name != "created":
            whole.update(_bytes_of(value))
        whole.update(b"\0")
    return whole.hexdigest()[:16]


def _bytes_of(value: Any) -> bytes:
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{value.shape}".encode() + np.ascontiguousarray(value).tobytes()
    if isinstance(value, EpisodeSpaces):
        return repr(value).encode()
    return to_json(value).encode(errors="surrogatepass")
