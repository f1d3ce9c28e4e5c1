"""The agents that people can play with: named on the command line, or found in the study's folder."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from agents import registry  # which imports no PyTorch
from worlds.errors import UserError

_DEPTH = 3  # folders below the study's that are looked through
_MOST_FOUND = 200
_FRESH_SEC = 5.0


@dataclass(frozen=True)
class Agent:
    """An agent's folder. Args: image: (height, width) in pixels of what it sees."""

    name: str
    folder: Path
    image: tuple[int, int]


class Agents:
    """Every agent there is now.

    Args:
      named: folder by name; if there is one, nothing is searched. study: folder to search otherwise.

    Raises:
      UserError: a named folder is no agent's.
    """

    def __init__(self, named: Mapping[str, Path], study: Path) -> None:
        self._study = study.expanduser()
        self._seen: tuple[float, list[Agent]] = (-math.inf, [])
        self._named = [_described(name, folder.expanduser()) for name, folder in named.items()]

    def all(self) -> list[Agent]:
        """The agents, by name; those that are trained while the server runs are found, too."""
        if self._named:
            return self._named
        now = time.monotonic()
        if now - self._seen[0] > _FRESH_SEC:  # lobbies ask every two seconds, each
            self._seen = now, sorted(_found(self._study), key=lambda agent: agent.name)
        return self._seen[1]

    def get(self, name: str) -> Agent | None:
        """The agent ``name``, None if there is none."""
        return next((agent for agent in self.all() if agent.name == name), None)


def _described(name: str, folder: Path) -> Agent:
    image = _image_size(folder, frozenset(registry.names()))
    if image is None:
        raise UserError(f"agent {name}: {folder} is not an agent's folder (`rlhf clone` makes one); mend --agents")
    return Agent(name, folder, image)


def _found(study: Path) -> Iterator[Agent]:
    """Agents in the folders below ``study``, named after their place in it."""
    kinds = frozenset(registry.names())
    for depth in range(1, _DEPTH + 1):
        for number, path in enumerate(study.glob("/".join(["*"] * depth) + "/config.json")):
            image = _image_size(path.parent, kinds)
            if image is not None:
                yield Agent(str(path.parent.relative_to(study)), path.parent, image)
            if number >= _MOST_FOUND:
                break


def _image_size(folder: Path, kinds: frozenset[str]) -> tuple[int, int] | None:
    """What the agent of one of ``kinds`` in ``folder`` sees; None if there is no agent."""
    try:
        said = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        height, width = said["image_size"]
        is_agent = said["model_type"] in kinds and (folder / "model.safetensors").is_file()
        return (int(height), int(width)) if is_agent else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
