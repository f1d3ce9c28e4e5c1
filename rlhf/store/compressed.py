"""Episodes for learning, with their frames as they are stored: a tenth of the size of decoded ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rlhf.records.episode import Episode
from rlhf.records.fields import InvalidField, check_controller, check_movement
from rlhf.store.png import encode_frames


@dataclass(frozen=True, eq=False)
class CompressedEpisode:
    """T steps of the solver's side of an episode, with PNG files for frames.

    Args:
      frames: [T] files, for ``decode_frames``. The others: as in ``Episode``.

    Raises:
      InvalidField: if the movement has bins, or the controller numbers, that do not exist.
    """

    episode_id: str
    solver: str
    frames: tuple[bytes, ...]
    setter_text: tuple[str, ...]
    solver_text: tuple[str, ...]
    movement: np.ndarray
    utterance: tuple[str, ...]
    setter_utterance: tuple[str, ...]
    controller: np.ndarray

    def __post_init__(self) -> None:
        try:
            check_movement("movement", self.movement, len(self))
            check_controller(self.controller, len(self))
        except InvalidField as error:
            raise InvalidField(f"episode {self.episode_id}: {error}") from None

    def __len__(self) -> int:
        return len(self.frames)


def compress(episode: Episode) -> CompressedEpisode:
    """``episode`` with its frames as PNG files."""
    return CompressedEpisode(
        episode_id=episode.episode_id,
        solver=episode.solver,
        frames=tuple(encode_frames(episode.pictures())),
        setter_text=episode.setter_text,
        solver_text=episode.solver_text,
        movement=episode.movement,
        utterance=episode.utterance,
        setter_utterance=episode.setter_utterance,
        controller=episode.controller,
    )
