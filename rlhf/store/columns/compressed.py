"""Episodes for learning, with their frames as they are stored: a fraction of the size of decoded ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

import numpy as np

from rlhf.records.episode import Episode, demonstrated_steps, possible_steps
from rlhf.records.fields import InvalidField, check_controller, check_solver
from rlhf.records.spaces import EpisodeSpaces
from rlhf.store.columns.png import encode_frames


@dataclass(frozen=True, eq=False)
class CompressedEpisode:
    """T steps of the solver's side of an episode, with PNG files for frames.

    Args:
      frames: [T] files, for ``decode_frames``; None without pictures. The others: as in ``Episode``.

    Raises:
      InvalidField: if the movement, the controller, or what was observed besides frames has values that do not exist.
    """

    episode_id: str
    solver: str
    frames: tuple[bytes, ...] | None
    setter_text: tuple[str, ...]
    solver_text: tuple[str, ...]
    movement: np.ndarray
    utterance: tuple[str, ...]
    setter_utterance: tuple[str, ...]
    controller: np.ndarray
    spaces: EpisodeSpaces
    continuous: np.ndarray | None = None
    seen: Mapping[str, np.ndarray] = field(default_factory=dict)
    texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        try:
            check_solver(vars(self), self.spaces.solver, len(self))
            check_controller(self.controller, len(self))
        except InvalidField as error:
            raise InvalidField(f"episode {self.episode_id}: {error}") from None

    def __len__(self) -> int:
        return len(self.utterance)

    def demonstrated(self) -> np.ndarray:
        """Return the steps, bool [T], whose actions are to be imitated, as of an ``Episode``."""
        return demonstrated_steps(self.solver, self.controller) & possible_steps(
            self.movement, self.seen, self.spaces.solver.action
        )


def compress(episode: Episode) -> CompressedEpisode:
    """Return ``episode`` with its frames as PNG files."""
    frames = None if episode.image is None else tuple(encode_frames(episode.image))
    others = {one.name: getattr(episode, one.name) for one in fields(CompressedEpisode) if one.name != "frames"}
    return CompressedEpisode(frames=frames, **others)
