"""Films: the frames that are shown at the times asked for, or one line that says which is not there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from pipelines.exchange.lerobot.video import Film, read_film
from worlds.errors import UserError

_SHADES = 16  # as many differ after the loss of video


def _film(path: Path, rate: float, frames: int) -> Path:
    film = Film(path, rate, 16, 16)
    shades = np.arange(frames, dtype=np.uint8) % _SHADES * (256 // _SHADES)
    film.add(np.broadcast_to(shades[:, None, None, None], (frames, 16, 16, 3)))
    film.close()
    return path


def _numbers(path: Path, stretches: Sequence[tuple[float, int]], rate: float) -> list[list[int]]:
    """Return the numbers of the frames that are read, less whole multiples of the number of shades."""
    read = [frames.mean(axis=(1, 2, 3)) / (256 // _SHADES) for frames in read_film(path, stretches, rate)]
    return [np.round(one).astype(int).tolist() for one in read]


def test_stretches_may_lie_in_any_order_and_apart(tmp_path: Path) -> None:
    film = _film(tmp_path / "film.mp4", 30, 48)
    stretches = [(12 / 30, 4), (0.0, 3), (33 / 30, 6), (6 / 30, 2), (7 / 30, 2)]
    found = _numbers(film, stretches, 30)
    assert found == [[12, 13, 14, 15], [0, 1, 2], [1, 2, 3, 4, 5, 6], [6, 7], [7, 8]]


def test_frames_are_those_at_the_times_of_the_steps(tmp_path: Path) -> None:
    assert _numbers(_film(tmp_path / "film.mp4", 30, 16), [(0.0, 3), (0.3, 2)], 10) == [[0, 3, 6], [9, 12]]


def test_times_may_differ_by_less_than_half_a_frame(tmp_path: Path) -> None:
    film = _film(tmp_path / "film.mp4", 10, 12)
    assert _numbers(film, [(0.04, 4), (0.36, 8)], 10) == [[0, 1, 2, 3], [4, 5, 6, 7, 8, 9, 10, 11]]


@pytest.mark.parametrize(
    ("rate", "stretches", "line"),
    [
        (60, [(0.0, 3)], "has no frame of its own for frame 1 of the episode from 0 s on, as if it had not 60 frames"),
        (38, [(0.1, 9)], "has no frame of its own for frame [2-9] of the episode from 0.1 s on, as if it had not 38"),
        (30, [(0.0, 3), (10 / 30, 8)], "ends 2 frames before the episode from 0.333333 s on does"),
        (30, [(9.0, 3)], "ends 3 frames before the episode from 9 s on does"),
    ],
)
def test_a_frame_that_is_not_there_is_refused(
    rate: float, stretches: list[tuple[float, int]], line: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=f"film.mp4 {line}"):
        _numbers(_film(tmp_path / "film.mp4", 30, 16), stretches, rate)
