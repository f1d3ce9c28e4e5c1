"""Kinds of recorded play (paper, section 3.1): "human", "agent", "agent+co-pilot" and "scripted".

The kind of an episode is the solver's name up to its colon, with "+co-pilot" if a co-pilot took over at some step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator

from pipelines.stages.episodes.noted_episodes import NotedEpisodes
from pipelines.stages.episodes.recordings import find_episodes
from rlhf.data.dataset import Dataset
from rlhf.data.source import Source
from rlhf.records.episode import CO_PILOT
from rlhf.store.read_ahead import read_ahead
from worlds.contract.own_settings import own_settings
from worlds.errors import UserError
from worlds.ranges import Positive

CO_PILOTED = "+co-pilot"


def _from_text(given: Any) -> Any:
    return own_settings(given, example='{"human": 1, "agent+co-pilot": 0.5}') if isinstance(given, str) else given


PlayKinds = Annotated[Mapping[str, Positive], BeforeValidator(_from_text)]
"""Weights by kind of play."""


@dataclass(frozen=True)
class PlayGroup:
    """Episodes that share columns of a batch.

    Args:
      kind: kind of play; "" if all play is one group.
      weight: share of the columns, relative to other groups.
    """

    kind: str
    weight: float
    sources: tuple[Source, ...]


def find_groups(data: Sequence[Path], split: str, solver: str | None, kinds: PlayKinds) -> list[PlayGroup]:
    """Find the recorded play to imitate: one group of ``solver``'s play, or a group for each of ``kinds``.

    Args:
      solver: solver of the episodes, if ``kinds`` is empty; None finds all.

    Raises:
      UserError: if there is no such play.
    """
    if not kinds:
        return [PlayGroup("", 1.0, tuple(find_episodes(data, split, solver)))]
    found: dict[str, list[Source]] = {}
    everything = find_episodes(data, split)
    for source, kind in zip(everything, play_kinds_of(everything), strict=True):
        found.setdefault(kind, []).append(source)
    for kind in kinds:
        if kind not in found:
            known = ", ".join(f"{len(sources)} {name}" for name, sources in found.items())
            raise UserError(f"kinds: there are no episodes of kind {kind!r}; there are {known}")
    return [PlayGroup(kind, weight, tuple(found[kind])) for kind, weight in kinds.items()]


def begun_with(groups: Sequence[PlayGroup], noted: NotedEpisodes) -> list[PlayGroup]:
    """Restrict ``groups`` to the episodes that a run began with. Raises UserError as :meth:`NotedEpisodes.only`."""
    return [replace(group, sources=tuple(noted.only(imitated(group), group.sources))) for group in groups]


def imitated(group: PlayGroup) -> str:
    """Return the use of the episodes of ``group``, as in the run's episodes.json."""
    return f"imitated ({group.kind})" if group.kind else "imitated"


def play_kinds_of(sources: Sequence[Source]) -> list[str]:
    """Return the kind of play of each episode. Agents' episodes are read to see if a co-pilot took over."""
    play_kinds = [source.solver.partition(":")[0] for source in sources]
    by_agent = [index for index, kind in enumerate(play_kinds) if kind == "agent"]
    for index, episode in zip(by_agent, read_ahead(Source.read, [sources[index] for index in by_agent]), strict=True):
        if (episode.controller == CO_PILOT).any():
            play_kinds[index] += CO_PILOTED
    return play_kinds


def mixed(parts: Mapping[PlayGroup, Dataset]) -> Dataset:
    """Combine the datasets of several groups into one; a single one is returned as it is."""
    if len(parts) == 1:
        return next(iter(parts.values()))
    from rlhf.data.mixed import MixedDataset

    return MixedDataset(
        {group.kind: part for group, part in parts.items()}, {group.kind: group.weight for group in parts}
    )
