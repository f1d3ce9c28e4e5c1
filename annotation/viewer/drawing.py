"""A process that draws sharp pictures of recorded episodes, so that the server answers meanwhile.

An episode is replayed in its world: views of the solver's at a larger size or, of an episode without pictures, those
that the world draws of itself; for people who watch the setter, a film of it. Every recorded observation is compared
with the one that the replay gives; from the first that differs on, nothing is drawn (see :mod:`rlhf.replay.views`).
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
from PIL import Image

from annotation.viewer.frames_file import pack_frames
from rlhf.records.episode import Episode
from rlhf.replay.views import filmed_views, recreated_views, replayed_views
from rlhf.store import open_store
from rlhf.store.files.durable import write_file
from worlds.errors import UserError

CHUNK_STEPS = 40  # pictures in one file: about eleven seconds of play
SHARP_WIDTH = 384  # pixels, about; recorded sizes are multiplied by whole numbers
_PALETTE = 128  # colours of a plain picture
_NICENESS = 10  # games go first


@dataclass(frozen=True)
class DrawingOrder:
    """An episode to draw.

    Args:
      folder: where the files with its pictures are written, one for every ``CHUNK_STEPS`` steps.
      film: draw the setter, for people who watch it, instead of the solver's view.
    """

    dataset: str
    episode_id: str
    folder: str
    film: bool = False


def chunk_file(folder: Path, number: int) -> Path:
    """Return the file with the pictures of the steps from ``number * CHUNK_STEPS`` on."""
    return folder / f"{number:05}.rlf"


def sharp_size(height: int, width: int) -> tuple[int, int] | None:
    """Return height and width of sharp pictures, pixels; None if recorded ones are as large.

    Args:
      height: of the recorded images, pixels.
      width: of the recorded images, pixels.
    """
    factor = round(SHARP_WIDTH / width)
    return (factor * height, factor * width) if factor > 1 else None


def draw_episodes(connection: Connection) -> None:
    """Draw the episodes of the orders that arrive; answer each with "" or why it could not be drawn to its end."""
    os.nice(_NICENESS)
    while True:
        try:
            order: DrawingOrder = connection.recv()
        except EOFError:
            return
        try:
            _draw(order)
            answer = ""
        except UserError as error:
            answer = str(error)
        except Exception as error:  # the process must live
            answer = f"{type(error).__name__}: {error}"
        connection.send(answer)


def _draw(order: DrawingOrder) -> None:
    folder = Path(order.folder)
    folder.mkdir(parents=True, exist_ok=True)
    for number, frames in enumerate(_chunks(order)):
        write_file(chunk_file(folder, number), pack_frames(frames))


def _chunks(order: DrawingOrder) -> Iterator[list[bytes]]:
    """Yield the encoded pictures of ``CHUNK_STEPS`` steps at a time."""
    episode = open_store(order.dataset).read(order.episode_id)
    frames: list[bytes] = []
    for _, view in filmed_views(episode) if order.film else _views(episode):
        frames.append(encode_frame(view))
        if len(frames) == CHUNK_STEPS:
            yield frames
            frames = []
    if frames:
        yield frames


def _views(episode: Episode) -> Iterator[tuple[int, np.ndarray]]:
    """Step and picture of every step. Raises UserError where none can be drawn."""
    if episode.image is None:
        return recreated_views(episode)
    size = sharp_size(*episode.image.shape[1:3])
    if size is None:
        raise UserError("the recorded pictures are as large as drawn ones")
    return replayed_views(episode, *size)


def encode_frame(view: np.ndarray) -> bytes:
    """Encode a picture, uint8 [height, width, 3], as lossless WebP.

    It has half the size of PNG and takes half the time, and every edge stays sharp.
    """
    file = io.BytesIO()
    Image.fromarray(view).save(file, "WEBP", lossless=True, quality=20, method=0)
    return file.getvalue()


def encode_plain(picture: np.ndarray) -> bytes:
    """Encode a picture of few colours, uint8 [height, width, 3], as PNG with a palette: small, and made quickly."""
    file = io.BytesIO()
    few = Image.fromarray(picture).quantize(_PALETTE, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    few.save(file, "PNG", compress_level=3)
    return file.getvalue()
