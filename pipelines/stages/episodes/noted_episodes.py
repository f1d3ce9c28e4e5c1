"""Which episodes a run began with, by fingerprints of their content: it is resumed with these and with no others.

A dataset may grow while a run is interrupted: episodes that were added since are left alone. One that is missing, or
whose content has changed under the same id, would let the run end otherwise, and is refused by name.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rlhf.data.source import Source
from rlhf.records.marks import Mark
from rlhf.store.durable import write_file
from worlds.errors import UserError

EPISODES_FILE = "episodes.json"  # in the folder of a run of clone, reward or improve

Marks = Mapping[str, str]  # digest of an episode's marks by its id


@dataclass(frozen=True)
class NotedEpisodes:
    """The episodes that a run began with.

    Args:
      run: the run's folder.
      parts: fingerprint by id, in the order in which they are used, by what they are used for; None notes nothing, as
        for a run that begins, or began with an older version: it takes the episodes that are there.
    """

    run: Path | None = None
    parts: Mapping[str, Mapping[str, str]] | None = None

    @property
    def ids(self) -> frozenset[str] | None:
        """Ids of all of them; None for every episode."""
        return None if self.parts is None else frozenset().union(*self.parts.values())

    def only(self, part: str, found: Sequence[Source], marks: Marks | None = None) -> list[Source]:
        """Those of ``found`` that the run began with, in the order in which it began with them.

        Args:
          part: what they are used for.
          found: the episodes that there are now.
          marks: digests of their marks, where the run learns from these.

        Raises:
          UserError: naming an episode that is missing, or whose content or marks have changed.
        """
        if self.parts is None:
            return list(found)
        noted = self.parts.get(part, {})
        there = {source.episode_id: source for source in found if source.episode_id in noted}
        kept = "put the datasets back as they were, or start a new run"
        if missing := [episode_id for episode_id in noted if episode_id not in there]:
            more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
            without = " or has no marks" if marks is not None else ""
            raise UserError(f"episode {missing[0]}{more}, which {self.run} began with, is missing{without}; {kept}")
        sources = [there[episode_id] for episode_id in noted]
        now = fingerprints(sources, marks)
        if changed := [episode_id for episode_id in noted if now[episode_id] != noted[episode_id]]:
            more = f" (and {len(changed) - 1} more)" if len(changed) > 1 else ""
            what = "play or the marks" if marks is not None else "play"
            raise UserError(f"the {what} of episode {changed[0]}{more} changed since {self.run} began; {kept}")
        return sources


EVERY_EPISODE = NotedEpisodes()


def note_episodes(run: Path, parts: Mapping[str, Sequence[Source]], marks: Marks | None = None) -> NotedEpisodes:
    """Write down which episodes the run in the folder ``run`` begins with, by what each is used for."""
    noted = {part: fingerprints(sources, marks) for part, sources in parts.items()}
    write_file(run / EPISODES_FILE, json.dumps({"schema_version": 1, "parts": noted}).encode())
    return NotedEpisodes(run, noted)


def noted_episodes(run: Path) -> NotedEpisodes:
    """What :func:`note_episodes` wrote down in ``run``; every episode there is, if an older version began the run.

    Raises:
      UserError: if the note is damaged.
    """
    path = run / EPISODES_FILE
    try:
        parts = json.loads(path.read_text(encoding="utf-8"))["parts"]
        return NotedEpisodes(run, {part: dict(fingerprints) for part, fingerprints in parts.items()})
    except FileNotFoundError:
        return EVERY_EPISODE
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UserError(f"{path} is damaged ({error}); take it from a copy, or start a new run") from None


def fingerprints(sources: Sequence[Source], marks: Marks | None = None) -> dict[str, str]:
    """Fingerprint of each of ``sources`` by its id, in their order; of its marks too, if their digests are given."""
    found: dict[str, str] = {}
    for store in dict.fromkeys(source.store for source in sources):
        found |= store.fingerprints(source.episode_id for source in sources if source.store is store)
    unmarked = "none"
    with_marks = {} if marks is None else {name: f"{found[name]}+{marks.get(name, unmarked)}" for name in found}
    return {source.episode_id: (found | with_marks)[source.episode_id] for source in sources}


def digest_marks(marks: Iterable[Mark]) -> dict[str, str]:
    """Digest of the marks of each marked episode, by its id: rater, step and sign of each, in any order."""
    given: dict[str, list[tuple[str, int, int]]] = {}
    for mark in marks:
        given.setdefault(mark.episode_id, []).append((mark.rater, mark.step, mark.sign))
    return {
        episode_id: hashlib.sha256(json.dumps(sorted(some)).encode()).hexdigest()[:32]
        for episode_id, some in given.items()
    }
