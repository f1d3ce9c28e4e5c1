"""Kinds of recorded play (paper, section 3.1): people alone, agents alone, agents with a co-pilot, scripted people.

A kind is told from the record: who played the solver, up to the colon of its name, and "+co-pilot" where a co-pilot
took over at some step: "human", "agent", "agent+co-pilot", "scripted".
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pipelines.stages.episodes.noted_episodes import NotedEpisodes
from pipelines.stages.episodes.recordings import find_episodes
from rlhf.data.dataset import Dataset
from rlhf.data.mixed import MixedDataset
from rlhf.data.source import Source
from rlhf.records.episode import CO_PILOT
from rlhf.store import json_text
from rlhf.store.read_ahead import read_ahead
from worlds.errors import UserError

CO_PILOTED = "+co-pilot"


@dataclass(frozen=True)
class PlayGroup:
    """Episodes that share columns of a batch. ``kind``: "" where all play is one group."""

    kind: str
    weight: float
    sources: tuple[Source, ...]


def find_groups(data: Sequence[Path], split: str, solver: str | None, kinds: str) -> list[PlayGroup]:
    """The recorded play to imitate: that of ``solver`` as one group, or, if ``kinds`` names some, a group of each.

    Args:
      kinds: a JSON object of weights by kind. It takes the place of ``solver``.

    Raises:
      UserError: if there is no such play, or ``kinds`` is no such object.
    """
    weights = parse_play_kinds(kinds)
    if not weights:
        return [PlayGroup("", 1.0, tuple(find_episodes(data, split, solver)))]
    found: dict[str, list[Source]] = {}
    everything = find_episodes(data, split)
    for source, kind in zip(everything, play_kinds_of(everything), strict=True):
        found.setdefault(kind, []).append(source)
    for kind in weights:
        if kind not in found:
            there = ", ".join(f"{len(sources)} {name}" for name, sources in found.items())
            raise UserError(f"kinds: there are no episodes of kind {kind!r}; there are {there}")
    return [PlayGroup(kind, weight, tuple(found[kind])) for kind, weight in weights.items()]


def begun_with(groups: Sequence[PlayGroup], noted: NotedEpisodes) -> list[PlayGroup]:
    """``groups`` with the episodes that a run began with alone. Raises UserError as :meth:`NotedEpisodes.only` does."""
    return [replace(group, sources=tuple(noted.only(imitated(group), group.sources))) for group in groups]


def imitated(group: PlayGroup) -> str:
    """Name of what the episodes of ``group`` are used for, in a run's note of its episodes."""
    return f"imitated ({group.kind})" if group.kind else "imitated"


def parse_play_kinds(text: str) -> dict[str, float]:
    """Weights by kind. Raises UserError if ``text`` is not a JSON object of numbers above 0."""
    example = """write e.g. '{"human": 1, "agent+co-pilot": 0.5}'"""
    try:
        weights = json_text.from_json(text)
    except ValueError as error:
        raise UserError(f"kinds is not JSON ({error}); {example}") from error
    if not isinstance(weights, dict):
        raise UserError(f"kinds is a JSON object of weights; {example}")
    for kind, weight in weights.items():
        if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0.0 < weight < math.inf:
            raise UserError(f"kinds: the weight of {kind} is a number above 0, not {weight!r}; leave out what has none")
    return {kind: float(weight) for kind, weight in weights.items()}


def play_kinds_of(sources: Sequence[Source]) -> list[str]:
    """The kind of each episode; an agent's are read, as the listing does not tell whether a co-pilot was there."""
    kinds = [source.solver.partition(":")[0] for source in sources]
    by_agent = [place for place, kind in enumerate(kinds) if kind == "agent"]
    for place, episode in zip(by_agent, read_ahead(Source.read, [sources[place] for place in by_agent]), strict=True):
        if (episode.controller == CO_PILOT).any():
            kinds[place] += CO_PILOTED
    return kinds


def mixed(parts: Mapping[PlayGroup, Dataset]) -> Dataset:
    """The recordings of several groups as one to learn from; a single one as it is."""
    if len(parts) == 1:
        return next(iter(parts.values()))
    return MixedDataset(
        {group.kind: part for group, part in parts.items()}, {group.kind: group.weight for group in parts}
    )
