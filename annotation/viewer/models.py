"""The reward models that a viewer may choose: those in the study's folder, and those that were named."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from rlhf.store.folder.description import DESCRIPTION_FILE
from worlds.errors import UserError

WEIGHTS_FILE, CONFIG_FILE = "model.safetensors", "config.json"
_KIND = "_reward_model"  # how the model type of every kind ends
_UNFINISHED = "checkpoints"  # of a run: models on the way to the one that it keeps
_DEEPEST, _MOST = 7, 200


@dataclass(frozen=True)
class FoundModel:
    """A reward model's folder. ``version`` changes when another model takes its place."""

    name: str
    folder: Path
    version: str


class Models:
    """Finds reward models, which may be trained while the viewer is open.

    Args:
      folder: to look through. named: folders of others, by name.

    Raises UserError if a named folder holds no reward model.
    """

    def __init__(self, folder: Path, named: Mapping[str, Path] | None = None) -> None:
        self._folder = folder
        self._named = {name: _named(name, path.expanduser()) for name, path in (named or {}).items()}
        self._found: dict[str, FoundModel] = {}

    def all(self) -> list[FoundModel]:
        """Return those there are now: the named ones, then the others by name."""
        self._found = {model.name: model for model in _search(self._folder)}
        named = [model for name, path in self._named.items() if (model := _model(name, path))]
        return named + [model for name, model in sorted(self._found.items()) if name not in self._named]

    def get(self, name: str) -> FoundModel | None:
        """The model ``name`` as it is now; None if there is none."""
        if name not in self._named and name not in self._found:
            self.all()
        folder = self._named.get(name) or (self._found[name].folder if name in self._found else None)
        return folder and _model(name, folder)


def _named(name: str, folder: Path) -> Path:
    if _model(name, folder) is None:
        raise UserError(f"{folder} ({name}) holds no reward model; `rlhf reward` makes one")
    return folder


def _search(folder: Path) -> Iterator[FoundModel]:
    found = 0
    for place, below, files in os.walk(folder):
        depth = len(Path(place).relative_to(folder).parts)
        keep = depth < _DEEPEST and DESCRIPTION_FILE not in files
        below[:] = sorted(name for name in below if keep and name != _UNFINISHED and not name.startswith("."))
        if CONFIG_FILE in files and WEIGHTS_FILE in files:
            model = _model(str(Path(place).relative_to(folder)), Path(place))
            if model is not None and found < _MOST:
                found += 1
                yield model


def _model(name: str, folder: Path) -> FoundModel | None:
    """The reward model in ``folder``; None if there is something else. Reads no weights."""
    try:
        kind = json.loads((folder / CONFIG_FILE).read_text(encoding="utf-8"))["model_type"]
        weights = (folder / WEIGHTS_FILE).stat()
    except (OSError, ValueError, TypeError, KeyError):
        return None
    if not str(kind).endswith(_KIND):
        return None
    return FoundModel(name, folder.absolute(), f"{folder.absolute()} {weights.st_size} {weights.st_mtime_ns}")
