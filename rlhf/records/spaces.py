"""The spaces of an episode: what its solver observed and could do, and what its setter could do."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Protocol

from worlds.contract import BODY, SETTER, SOLVER, body_spec
from worlds.spaces.action import ActionSpec, InvalidSpace
from worlds.spaces.description import from_json, to_json
from worlds.spaces.differences import differences
from worlds.spaces.observation import PlayerSpec


class _HasSpaces(Protocol):
    """A world, as far as its spaces are concerned."""

    def spec(self, agent: str) -> PlayerSpec: ...


@dataclass(frozen=True)
class EpisodeSpaces:
    """Declared spaces of one episode.

    Args:
      solver: what the solver observes and can do.
      setter: what the setter can do; its observations are not recorded.
    """

    solver: PlayerSpec
    setter: ActionSpec

    @classmethod
    def of(cls, world: _HasSpaces) -> EpisodeSpaces:
        """Return the spaces that ``world`` declares."""
        return _spaces(world.spec(SOLVER), world.spec(SETTER).action)

    @classmethod
    def from_json(cls, said: Any) -> EpisodeSpaces:
        """Return what :meth:`to_json` wrote.

        Raises:
          InvalidSpace: naming the place and what is wrong there.
        """
        if not isinstance(said, Mapping) or set(said) != {"solver", "setter"}:
            raise InvalidSpace("spaces are not an object of solver and setter")
        return cls(
            from_json(said["solver"], where="spaces.solver"),
            from_json(said["setter"], ActionSpec, "spaces.setter"),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the spaces as JSON values."""
        return {"solver": to_json(self.solver), "setter": to_json(self.setter)}

    @cached_property
    def text(self) -> str:
        """The spaces as JSON text, the same for equal spaces."""
        return json.dumps(self.to_json(), separators=(",", ":"))

    @property
    def of_the_playhouse(self) -> bool:
        """True for the body of the Playhouse and a picture in three channels, of any size."""
        return self.setter == BODY and of_the_playhouse(self.solver)

    @property
    def image_size(self) -> tuple[int, int] | None:
        """(height, width) of pictures in pixels; None without pictures."""
        image = self.solver.observation.image
        return None if image is None else (image.height, image.width)

    def differences(self, other: EpisodeSpaces, names: tuple[str, str]) -> list[str]:
        """Return every difference from ``other`` in words."""
        solver = [f"solver.{each}" for each in differences(self.solver, other.solver, names)]
        return solver + [f"setter.{each}" for each in differences(self.setter, other.setter, names)]


@lru_cache(maxsize=64)
def _spaces(solver: PlayerSpec, setter: ActionSpec) -> EpisodeSpaces:
    """Return one object for equal spaces, so that their text is written once and not for every episode."""
    return EpisodeSpaces(solver, setter)


def of_the_playhouse(player: PlayerSpec) -> bool:
    """Return True for the body of the Playhouse and a picture in three channels, of any size, and nothing else."""
    image = player.observation.image
    return image is not None and player == body_spec(image.height, image.width)


@lru_cache(maxsize=64)
def playhouse_spaces(height: int, width: int) -> EpisodeSpaces:
    """Return the spaces of an episode of the Playhouse with pictures of ``height`` x ``width`` pixels."""
    return EpisodeSpaces(body_spec(height, width), BODY)
