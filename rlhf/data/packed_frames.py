"""Frames that stay PNG files in memory, a fraction of their size, and are drawn where they are taken.

Of plain houses a file is a tenth of a decoded frame, of furnished ones two fifths.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agents.config import AgentConfig
from rlhf.data.dataset import check_image_size
from rlhf.store.columns.compressed import CompressedEpisode
from rlhf.store.columns.png import decode_frames
from worlds.errors import UserError


def draw_frames(episode_id: str, files: Sequence[bytes], config: AgentConfig) -> np.ndarray:
    """Draw frames of one episode: uint8 [T, H, W, channels].

    Args:
      files: PNG files, one or more.

    Raises:
      UserError: naming the episode, if a file is damaged or shows another size than the agent sees.
    """
    known = config.player.observation.image
    assert known is not None
    try:
        frames = decode_frames(files, known.channels)
    except ValueError as error:
        raise UserError(
            f"episode {episode_id}: {error}; drop it with `rlhf episodes drop`, or put back a copy"
        ) from error
    check_image_size(episode_id, frames, config)
    return frames


class PackedFrames:
    """Frames of several episodes end to end. Indexed as an array uint8 [N, H, W, channels] is by arrays of rows.

    Args:
      episodes: with frames.

    Raises:
      UserError: naming the episode, if its first frame is damaged or shows another size than the agent sees.
    """

    dtype = np.dtype(np.uint8)

    def __init__(self, episodes: Sequence[CompressedEpisode], config: AgentConfig) -> None:
        self._config = config
        self._ids = [episode.episode_id for episode in episodes]
        self._starts = np.cumsum([0, *map(len, episodes)])
        self._files = [file for episode in episodes for file in episode.frames or ()]
        for episode in episodes:
            draw_frames(episode.episode_id, (episode.frames or ())[:1], config)

    def __len__(self) -> int:
        return len(self._files)

    @property
    def nbytes(self) -> int:
        """Bytes of all files."""
        return sum(map(len, self._files))

    def __getitem__(self, rows: np.ndarray) -> np.ndarray:
        """Return the frames of ``rows``, integers of any shape: uint8 [*rows, H, W, channels].

        Raises:
          UserError: naming the episode, if a frame is damaged or shows another size than the agent sees.
        """
        known = self._config.player.observation.image
        assert known is not None
        rows = np.asarray(rows)
        flat = rows.ravel()
        shape = *self._config.image_size, known.channels
        drawn = np.empty((len(flat), *shape), np.uint8)
        episodes = np.searchsorted(self._starts, flat, side="right") - 1
        for episode in np.unique(episodes).tolist():
            places = np.flatnonzero(episodes == episode)
            files = [self._files[row] for row in flat[places].tolist()]
            drawn[places] = draw_frames(self._ids[episode], files, self._config)
        return drawn.reshape(*rows.shape, *shape)
