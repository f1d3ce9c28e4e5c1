"""The agents that people can play with: named on the command line, or found in the study's folder."""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from agents import pretrained, registry  # which import no PyTorch
from annotation.games import AgentComputing
from annotation.games.places import UNKNOWN, KnownPlaces, places_of_agent
from rlhf.records.spaces import EpisodeSpaces, of_the_playhouse
from worlds.contract import SOLVER, body_spec
from worlds.errors import UserError
from worlds.spaces.description import from_json
from worlds.spaces.observation import PlayerSpec

_DEPTH = 3  # folders below the study's that are looked through
_MOST_FOUND = 200
_FRESH_SEC = 5.0
PRETRAINED = "pretrained"
MOST_THREADS = 8  # of an agent in a game; more make one step no faster


@dataclass(frozen=True)
class Agent:
    """An agent that people can play with.

    Args:
      name: name of the agent.
      folder: folder of the agent.
      spaces: spaces that it was made for.
      places: in which it learned; nothing is known of agents of older versions.
      trouble: why nobody can play with it; "" if people can.
    """

    name: str
    folder: Path
    spaces: PlayerSpec
    places: KnownPlaces = UNKNOWN
    trouble: str = ""

    @property
    def image(self) -> tuple[int, int]:
        """Height and width of what it sees, pixels; (0, 0) without pictures."""
        seen = self.spaces.observation.image
        return (0, 0) if seen is None else (seen.height, seen.width)

    def fits(self, declared: EpisodeSpaces | None) -> bool:
        """Return True if the agent can be the solver of episodes with these spaces; None are those of a new dataset.

        A new dataset is recorded in the Playhouse, in pictures of the agent's size.
        """
        return of_the_playhouse(self.spaces) if declared is None else declared.solver == self.spaces


class Agents:
    """Every agent there is now: the pretrained one where no other is.

    Args:
      named: folder by name; if there is one, nothing is searched.
      study: folder to search otherwise.

    Raises UserError if a named folder is no agent's.
    """

    def __init__(self, named: Mapping[str, Path], study: Path) -> None:
        self._study = study
        self._seen: tuple[float, list[Agent]] = (-math.inf, [])
        self._named = [_described(name, folder.expanduser()) for name, folder in named.items()]

    def all(self) -> list[Agent]:
        """Return the agents by name, those included that were trained since the server was started."""
        if self._named:
            return self._named
        now = time.monotonic()
        if now - self._seen[0] > _FRESH_SEC:  # lobbies ask every two seconds, each
            found = sorted(_found(self._study), key=lambda agent: agent.name)
            self._seen = now, found or [_described(PRETRAINED, pretrained.PLAYHOUSE)]
        return self._seen[1]

    def get(self, name: str) -> Agent | None:
        """Return the agent ``name``; None if there is none."""
        return next((agent for agent in self.all() if agent.name == name), None)


def agent_computing(threads: int, device: str, games: int) -> AgentComputing:
    """Return how the agents of games compute.

    Args:
      threads: CPU threads of each agent; 0 divides the machine's processors among the games.

    Raises UserError if there is no such device.
    """
    if device != "cpu":
        from agents.computing import usable_device  # which imports PyTorch

        usable_device(device)
    share = (os.cpu_count() or 1) // games - 1  # a game computes physics and pictures on a processor of its own
    return AgentComputing(threads or min(max(share, 1), MOST_THREADS), device)


def size_clashes(agents: Sequence[Agent], sizes: Mapping[str, tuple[int, int]]) -> list[str]:
    """Return a sentence for every dataset in which no agent can play, as all see images of another size.

    The pretrained agent is nobody's choice, so where there is no other, nothing is said.

    Args:
      sizes: height and width of a dataset's images, pixels, by dataset.
    """
    chosen = [agent for agent in agents if agent.folder != pretrained.PLAYHOUSE]
    players = [agent for agent in chosen if of_the_playhouse(agent.spaces)]
    seen = {agent.image for agent in players}
    named = ", ".join(f"{agent.name} {agent.image[0]}x{agent.image[1]}" for agent in players[:5])
    return [
        f"no agent can play into the dataset {dataset}: its pictures have {size[0]}x{size[1]} pixels; "
        f"agents see {named}"
        for dataset, size in sizes.items()
        if seen and size not in seen
    ]


def _described(name: str, folder: Path) -> Agent:
    found = agent_in(name, folder)
    if found is None:
        hint = "(`rlhf clone` makes one), or of a setter; correct --agents"
        raise UserError(f"agent {name}: {folder} is not an agent's folder {hint}")
    if found.trouble:
        raise UserError(f"agent {name}: {found.trouble}")
    return found


def agent_in(name: str, folder: Path) -> Agent | None:
    """Return the agent in ``folder``; None if there is none, or it is a setter."""
    return _agent(name, folder, frozenset(registry.names()))


def _found(study: Path) -> Iterator[Agent]:
    """Find agents in the folders below ``study``, named by their path in it."""
    kinds = frozenset(registry.names())
    for depth in range(1, _DEPTH + 1):
        for number, path in enumerate(study.glob("/".join(["*"] * depth) + "/config.json")):
            found = _agent(str(path.parent.relative_to(study)), path.parent, kinds)
            if found is not None:
                yield found
            if number >= _MOST_FOUND:
                break


def _agent(name: str, folder: Path, kinds: frozenset[str]) -> Agent | None:
    """Return the agent in ``folder``; None if there is none of one of ``kinds``, or it is a setter."""
    try:
        said = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        is_agent = said["model_type"] in kinds and (folder / "model.safetensors").is_file()
        is_agent = is_agent and said.get("role", SOLVER) == SOLVER
        spaces = said.get("spaces")  # older folders of agents of the Playhouse have none
        found = Agent(name, folder, body_spec(*said["image_size"]) if spaces is None else from_json(spaces))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if not is_agent:
        return None
    try:
        return replace(found, places=places_of_agent(folder))
    except UserError as error:
        return replace(found, trouble=str(error))
