"""Forms of settings on the command line that do not follow from their types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator

from worlds.contract.own_settings import own_settings


@dataclass(frozen=True)
class Form:
    """How a setting is typed.

    Args:
      metavar: placeholder of its words in the help text.
      by_place: it has no flag; its words are those without one, in the order of the fields.
    """

    metavar: str
    by_place: bool = False


@dataclass(frozen=True)
class Without:
    """Settings of a group that have no flags, as what holds the group gives them.

    Args:
      names: dotted names inside the group.
    """

    names: frozenset[str]


def without(*names: str) -> Without:
    """Return the mark of a group in which these settings have no flags."""
    return Without(frozenset(names))


NamedPlayers = Annotated[Mapping[str, str], Form("[NAME FOLDER ...]")]
"""Players by names that the user gives: an agent's folder, or the name of a scripted player."""
NamedFolders = Annotated[Mapping[str, Path], Form("[NAME FOLDER ...]")]
"""Folders by names that the user gives."""
OwnSettings = Annotated[Mapping[str, Any] | None, BeforeValidator(lambda given: given and own_settings(given))]
"""Settings that only a world, or its scripted players, know, by name; None: as the agent or the dataset remembers them.

A text is read as JSON."""

RunFolder = Annotated[Path, Form("[FOLDER]", by_place=True)]
RunFolders = Annotated[tuple[Path, ...], Form("RUN ...", by_place=True)]
DatasetFolder = Annotated[Path, Form("DATASET", by_place=True)]
SourceDataset = Annotated[Path, Form("SOURCE", by_place=True)]
TargetDataset = Annotated[Path, Form("TARGET", by_place=True)]
Repository = Annotated[str, Form("NAMESPACE/NAME")]
EpisodeId = Annotated[str, Form("EPISODE", by_place=True)]
EpisodeIds = Annotated[tuple[str, ...], Form("EPISODE ...", by_place=True)]
RecordsFile = Annotated[Path, Form("FILE", by_place=True)]
Person = Annotated[str, Form("PERSON", by_place=True)]
Result = Annotated[str, Form("RESULT", by_place=True)]
TrustedThings = Annotated[tuple[str, ...], Form("[THING ...]", by_place=True)]
WorldName = Annotated[str, Form("WORLD", by_place=True)]
GraphFile = Annotated[Path, Form("GRAPH", by_place=True)]
