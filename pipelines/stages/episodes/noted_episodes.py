"""Fingerprints of the episodes that a run began with. It is resumed with the same episodes.

Episodes that were added to a dataset since are not used. An episode that is missing, or whose content has changed,
would change the result, and is refused by name.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rlhf.data.source import Source
from rlhf.records.marks import Mark
from rlhf.records.preferences import Preference
from rlhf.store.files.durable import write_file
from worlds.errors import UserError

EPISODES_FILE = "episodes.json"  # in the folder of a run of clone, reward or improve

Marks = Mapping[str, str]  # digest of an episode's marks by its id


@dataclass(frozen=True)
class NotedEpisodes:
    """The episodes that a run began with.

    Args:
      parts: fingerprints by episode id, in the order of use, for each use ("imitated", "replayed", ...). None is for a
        new run, or one of an older version: it uses all episodes of its datasets.
    """

    run: Path | None = None
    parts: Mapping[str, Mapping[str, str]] | None = None

    @property
    def ids(self) -> frozenset[str] | None:
        """Ids of all of them; None for every episode."""
        return None if self.parts is None else frozenset().union(*self.parts.values())

    def only(self, part: str, found: Sequence[Source], marks: Marks | None = None) -> list[Source]:
        """Return those of ``found`` that the run began with, in the order of that time.

        Raises:
          UserError: if an episode is missing, or its content or marks have changed; it is named.
        """
        if self.parts is None:
            return list(found)
        noted = self.parts.get(part, {})
        present = {source.episode_id: source for source in found if source.episode_id in noted}
        hint = "put the datasets back as they were, or start a new run"
        if missing := [episode_id for episode_id in noted if episode_id not in present]:
            more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
            without = " or has no marks" if marks is not None else ""
            raise UserError(f"episode {missing[0]}{more}, which {self.run} began with, is missing{without}; {hint}")
        sources = [present[episode_id] for episode_id in noted]
        now = fingerprints(sources, marks)
        if changed := [episode_id for episode_id in noted if now[episode_id] != noted[episode_id]]:
            more = f" (and {len(changed) - 1} more)" if len(changed) > 1 else ""
            what = "play or the marks" if marks is not None else "play"
            raise UserError(f"the {what} of episode {changed[0]}{more} changed since {self.run} began; {hint}")
        return sources


EVERY_EPISODE = NotedEpisodes()


def note_episodes(
    run: Path,
    parts: Mapping[str, Sequence[Source]],
    marks: Marks | None = None,
    unmarked: Mapping[str, Sequence[Source]] | None = None,
) -> NotedEpisodes:
    """Save the episodes, by their use, that the run in the folder ``run`` begins with.

    Args:
      unmarked: further parts, in whose use marks do not matter.
    """
    noted = {part: fingerprints(sources, marks) for part, sources in parts.items()}
    noted |= {part: fingerprints(sources) for part, sources in (unmarked or {}).items()}
    write_file(run / EPISODES_FILE, json.dumps({"schema_version": 1, "parts": noted}).encode())
    return NotedEpisodes(run, noted)


def noted_episodes(run: Path) -> NotedEpisodes:
    """Read what :func:`note_episodes` saved in ``run``; :data:`EVERY_EPISODE` for a run of an older version.

    Raises:
      UserError: if the file is damaged.
    """
    path = run / EPISODES_FILE
    try:
        parts = json.loads(path.read_text(encoding="utf-8"))["parts"]
        return NotedEpisodes(run, {part: dict(fingerprints) for part, fingerprints in parts.items()})
    except FileNotFoundError:
        return EVERY_EPISODE
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UserError(f"{path} is damaged ({error}); restore it from a copy, or start a new run") from None


def fingerprints(sources: Sequence[Source], marks: Marks | None = None) -> dict[str, str]:
    """Return the fingerprint of each episode by its id, in order, combined with the digest of its marks if given."""
    found: dict[str, str] = {}
    for store in dict.fromkeys(source.store for source in sources):
        found |= store.fingerprints(source.episode_id for source in sources if source.store is store)
    unmarked = "none"
    with_marks = {} if marks is None else {name: f"{found[name]}+{marks.get(name, unmarked)}" for name in found}
    return {source.episode_id: (found | with_marks)[source.episode_id] for source in sources}


def digest_judged(marks: Iterable[Mark], preferences: Iterable[Preference]) -> dict[str, str]:
    """Return a digest of each episode's marks and preferences, in any order; without preferences that of its marks."""
    digests, given = digest_marks(marks), defaultdict[str, list[str]](list)
    for preference in preferences:
        text = json.dumps([type(preference).__name__, *vars(preference).values()])
        for episode_id in {stretch.episode_id for stretch in preference.stretches}:
            given[episode_id].append(text)
    for episode_id, texts in given.items():
        both = json.dumps([digests.get(episode_id), sorted(texts)])
        digests[episode_id] = hashlib.sha256(both.encode()).hexdigest()[:32]
    return digests


def digest_marks(marks: Iterable[Mark]) -> dict[str, str]:
    """Return a digest of each episode's marks (rater, step and sign, in any order), by the episode's id."""
    given: dict[str, list[tuple[str, int, int]]] = {}
    for mark in marks:
        given.setdefault(mark.episode_id, []).append((mark.rater, mark.step, mark.sign))
    return {
        episode_id: hashlib.sha256(json.dumps(sorted(some)).encode()).hexdigest()[:32]
        for episode_id, some in given.items()
    }
