"""How settings are written on the command line where their annotation alone does not say it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

_NAMED = arg(metavar="[NAME FOLDER ...]", help_behavior_hint=lambda default: f"(default: {default or 'none'})")

NamedPlayers = Annotated[Mapping[str, str], _NAMED]
"""Who plays, by a name of the user's: an agent's folder, or the name of a scripted player."""

NamedFolders = Annotated[Mapping[str, Path], _NAMED]
"""Folders by a name of the user's."""

Dataset = Annotated[Positional[Path], arg(metavar="DATASET")]
SourceDataset = Annotated[Positional[Path], arg(metavar="SOURCE")]
TargetDataset = Annotated[Positional[Path], arg(metavar="TARGET")]
EpisodeId = Annotated[Positional[str], arg(metavar="EPISODE")]
EpisodeIds = Annotated[Positional[tuple[str, ...]], arg(metavar="EPISODE ...")]
MarksFile = Annotated[Positional[Path], arg(metavar="FILE")]
Person = Annotated[Positional[str], arg(metavar="PERSON")]
Result = Annotated[Positional[str], arg(metavar="RESULT")]
