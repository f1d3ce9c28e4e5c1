"""Choice of the preferences that a reward model learns from beside marks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from reward_models.preferences.config import PreferenceConfig
from reward_models.preferences.recorded import recorded_take_overs, recorded_verdicts
from rlhf.records.preferences import NOUNS, PREFERENCES, Preference
from rlhf.store import EpisodeStore, open_store


def find_preferences(data: Sequence[Path], config: PreferenceConfig) -> list[Preference]:
    """Find the preferences in datasets of the kinds that have a weight, each once.

    Verdicts and take-overs are also those that recordings have in their notes, judgements and columns
    (:mod:`reward_models.preferences.recorded`).
    """
    found: dict[Preference, None] = {}
    for folder in data:
        store = open_store(folder)
        for table in config.weights:
            found |= dict.fromkeys(store.preferences(PREFERENCES[table]))
        found |= dict.fromkeys(_recorded(store, config.weights))
    return list(found)


def _recorded(store: EpisodeStore, tables: Collection[str]) -> Iterator[Preference]:
    if not {"verdicts", "take_overs"} & set(tables):
        return
    for row in store.rows():
        episode = store.read_transcript(row.episode_id)
        if "verdicts" in tables:
            yield from recorded_verdicts(episode, store.judgements(row.episode_id))
        if "take_overs" in tables and episode.taken_over:
            yield from recorded_take_overs(row.episode_id, row.solver, store.read_compressed(row.episode_id).controller)


def about(preferences: Iterable[Preference], episode_ids: Collection[str]) -> list[Preference]:
    """Return those of ``preferences`` that are about some of these episodes only."""
    return [one for one in preferences if all(stretch.episode_id in episode_ids for stretch in one.stretches)]


def episodes_in(preferences: Iterable[Preference]) -> set[str]:
    """Return the ids of the episodes that ``preferences`` are about."""
    return {stretch.episode_id for preference in preferences for stretch in preference.stretches}


def count_preferences(examples: Mapping[str, int]) -> str:
    """Describe numbers of examples by kind, e.g. "30 examples of clip pairs and 12 of verdicts"."""
    parts = [f"{count:,} of {NOUNS[kind]}" for kind, count in examples.items()]
    if not parts:
        return ""
    first, *others = parts
    first = first.replace(" of ", f" example{'' if first.startswith('1 ') else 's'} of ", 1)
    return " and ".join([", ".join([first, *others[:-1]]), *others[-1:]])
