"""Films: frames by their numbers, and which of them belong to which rows."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from pipelines.exchange.lerobot.films import Claim, frames_of
from pipelines.exchange.lerobot.video import Film, FilmFrames
from worlds.errors import UserError

_SHADES = 16  # as many differ after the loss of video


def _pictures(frames: int) -> np.ndarray:
    """Pictures whose shade is their number, less whole multiples of the number of shades."""
    shades = np.arange(frames, dtype=np.uint8) % _SHADES * (256 // _SHADES)
    return np.broadcast_to(shades[:, None, None, None], (frames, 16, 16, 3))


def _film(path: Path, times: Sequence[int], **options: str) -> Path:
    """Write a film whose frames are shown at ``times``, in thirtieths of a second."""
    with av.open(str(path), "w") as file:
        stream = file.add_stream("libx264", rate=30, options=options)
        stream.width = stream.height = 16
        stream.codec_context.time_base = Fraction(1, 30)
        for time, picture in zip(times, _pictures(len(times)), strict=True):
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="rgb24")
            frame.pts, frame.time_base = time, Fraction(1, 30)
            file.mux(stream.encode(frame))
        file.mux(stream.encode(None))
    return path


def _read(film: FilmFrames, numbers: Sequence[int]) -> list[int]:
    return np.round(film.read(numbers).mean(axis=(1, 2, 3)) / (256 // _SHADES)).astype(int).tolist()


@pytest.mark.parametrize(
    ("times", "options"),
    [
        (range(48), {"bf": "3", "g": "48"}),
        (range(5, 53), {"bf": "2", "g": "7"}),  # the first frame is shown late
        (np.cumsum(np.arange(48) % 3 + 1).tolist(), {"bf": "2"}),  # variable rate
    ],
)
def test_frames_are_read_by_their_numbers(times: Sequence[int], options: dict[str, str], tmp_path: Path) -> None:
    film = FilmFrames(_film(tmp_path / "film.mp4", times, **options))
    assert len(film.seconds) == 48 and film.seconds[0] == 0
    for numbers in ([12, 13, 14, 15], [0, 1, 2], [30, 33, 47], [31]):  # also backwards, and with gaps
        assert _read(film, numbers) == [number % _SHADES for number in numbers]
    film.close()


def test_a_film_that_has_lost_its_end_or_is_none_is_refused(tmp_path: Path) -> None:
    film = Film(tmp_path / "film.mp4", 10, 16, 16)
    film.add(_pictures(12))
    film.close()
    whole = film.path.read_bytes()
    at = whole.index(b"mdat") + 700
    film.path.write_bytes(whole[:at] + bytes(300) + whole[at + 300 :])
    with pytest.raises(UserError, match="film.mp4 is no film that can be read"):
        FilmFrames(film.path).read(range(12))
    film.path.write_bytes(whole[:200])
    with pytest.raises(UserError, match="film.mp4 is no film that can be read"):
        FilmFrames(film.path)


def _claims(*rows: int, drift: float = 0.0, begin: float = 0.0, spans: Sequence[float] = (), rate: int = 10) -> list:
    """Claims of episodes that lie end to end by their seconds, or that last ``spans`` seconds."""
    lengths = np.array(spans or [count / rate for count in rows])
    begins = begin + np.cumsum([0, *lengths[:-1]]) + drift * np.arange(len(rows))
    return [Claim(count, *both) for count, both in zip(rows, zip(begins, begins + lengths, strict=True), strict=True)]


def _even(frames: int, rate: float = 10) -> np.ndarray:
    return np.arange(frames) / rate


_UNEVEN = np.cumsum([0.0, *[0.1, 0.14, 0.06] * 10])[:30]


@pytest.mark.parametrize(
    ("seconds", "claims", "begins"),
    [
        (_even(30), _claims(10, 10, 10), [0, 10, 20]),
        (_even(30), _claims(10, 10, 10, drift=0.1), [0, 10, 20]),  # a whole frame an episode
        (_even(30), _claims(10, 10, 10, begin=0.05), [0, 10, 20]),
        (_even(30), [Claim(10, 0.0)] * 3, [0, 10, 20]),  # seconds that say nothing
        (_even(30, 29.97 / 3), _claims(10, 10, 10), [0, 10, 20]),
        (_UNEVEN, _claims(10, 20), [0, 10]),
        (_even(34), _claims(10, 10, 10), [0, 10, 20]),  # frames are left over
        (_even(33), _claims(10, 10, 10, spans=[1.1, 1.1, 1.1]), [0, 11, 22]),  # each film was a frame longer
        (_even(28), _claims(10, 10, 10), [0, 10, None]),  # the end is missing
        (_even(28), _claims(10, 10, 10, spans=[1.0, 0.8, 1.0]), [0, None, 18]),
        (_even(33), _claims(10, 10, 10, drift=0.1), [None] * 3),  # a frame longer, or drift
        (_even(30), _claims(10, 10, 10, spans=[1.1, 1.0, 0.9]), [None] * 3),  # seconds and rows contradict each other
        (_UNEVEN, _claims(10, 10), [None] * 2),
        (_even(30, 25), _claims(4, 4), [None] * 2),
        (_even(2), [Claim(1 << 62, 0.0, 0.2)], [None]),
    ],
)
def test_frames_are_counted_or_it_is_known_that_they_cannot_be(
    seconds: np.ndarray, claims: list[Claim], begins: list[int | None]
) -> None:
    found = frames_of(seconds, claims, 10).numbers
    assert [None if isinstance(some, str) else int(some[0]) for some in found] == begins
    for some, claim in zip(found, claims, strict=True):
        assert isinstance(some, str) or np.array_equal(some, some[0] + np.arange(claim.rows))
        assert not isinstance(some, str) or "frames" in some


def test_frames_beside_their_rows_need_a_tolerance_that_is_said() -> None:
    first, second = frames_of(_even(30, 24), _claims(4, 4), 10, 0.01).numbers
    assert isinstance(first, str) and "within 0.01 s of row 1" in first
    frames = frames_of(_even(30, 24), _claims(4, 4), 10, 0.017)
    first, second = frames.numbers
    assert not isinstance(first, str) and first.tolist() == [0, 2, 5, 7]
    assert not isinstance(second, str) and second.tolist() == [10, 12, 14, 17] and "within 0.017 s" in frames.note
