"""Forms of settings on the command line that do not follow from their types."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from tyro.conf import Positional, arg
from tyro.constructors import PrimitiveConstructorSpec

_NAMED = arg(metavar="[NAME FOLDER ...]", help_behavior_hint=lambda default: f"(default: {default or 'none'})")

NamedPlayers = Annotated[Mapping[str, str], _NAMED]
"""Players by names that the user gives: an agent's folder, or the name of a scripted player."""

# One JSON object; the configuration that holds it reads the text by worlds.contract.own_settings, and names itself in
# messages.
_JSON_OBJECT = PrimitiveConstructorSpec(
    nargs=1,
    metavar="JSON",
    instance_from_str=lambda words: None if words[0] == "None" else words[0],
    is_instance=lambda value: value is None or isinstance(value, Mapping | str),
    str_from_instance=lambda settings: ["None" if settings is None else json.dumps(settings)],
)
OwnSettings = Annotated[Mapping[str, Any] | None, _JSON_OBJECT]
"""Settings that only a world, or its scripted players, know, by name; None: as the agent or the dataset remembers them.

A configuration with such a field replaces it by :func:`worlds.contract.own_settings.own_settings` when it is made.
Files of older versions hold the JSON text of the mapping; :mod:`rlhf.records.json_records` reads both."""

NamedFolders = Annotated[Mapping[str, Path], _NAMED]
"""Folders by names that the user gives."""

RunFolder = Annotated[Positional[Path], arg(metavar="[FOLDER]")]
RunFolders = Annotated[Positional[tuple[Path, ...]], arg(metavar="RUN ...")]
DatasetFolder = Annotated[Positional[Path], arg(metavar="DATASET")]
SourceDataset = Annotated[Positional[Path], arg(metavar="SOURCE")]
TargetDataset = Annotated[Positional[Path], arg(metavar="TARGET")]
Repository = Annotated[str, arg(metavar="NAMESPACE/NAME")]
EpisodeId = Annotated[Positional[str], arg(metavar="EPISODE")]
EpisodeIds = Annotated[Positional[tuple[str, ...]], arg(metavar="EPISODE ...")]
RecordsFile = Annotated[Positional[Path], arg(metavar="FILE")]
Person = Annotated[Positional[str], arg(metavar="PERSON")]
Result = Annotated[Positional[str], arg(metavar="RESULT")]
TrustedThings = Annotated[Positional[tuple[str, ...]], arg(metavar="[THING ...]")]
WorldName = Annotated[Positional[str], arg(metavar="WORLD")]
