"""Pictures of episodes as H.264 films, several episodes in a file, and films of any codec as pictures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from worlds.errors import UserError

_QUALITY = "18"  # constant rate factor: 0 is lossless, 23 the encoder's default
_KEY_FRAMES = 2  # frames from one key frame to the next, so that any frame is found fast


def _av() -> Any:
    """Return PyAV. Raises UserError if it is not installed."""
    try:
        import av
    except ModuleNotFoundError:
        raise UserError("films need PyAV: pip install 'interactive-rlhf[video]'") from None
    return av


class Film:
    """A film to which episodes are added one after the other.

    Args:
      path: file to write.
      rate: frames per second.
      height: pixels of a side.
      width: likewise.
    """

    def __init__(self, path: Path, rate: float, height: int, width: int) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.frames = 0
        self._av = _av()
        self._container = self._av.open(str(path), "w")
        self._stream: Any = self._container.add_stream("libx264", rate=Fraction(rate).limit_denominator(10_000))
        self._stream.height, self._stream.width = height, width
        # Colour at half resolution needs even sides.
        self._stream.pix_fmt = "yuv444p" if height % 2 or width % 2 else "yuv420p"
        self._stream.options = {"crf": _QUALITY, "g": str(_KEY_FRAMES), "bf": "0"}

    def add(self, pictures: np.ndarray) -> None:
        """Add frames uint8 [T, H, W, 3]."""
        for picture in pictures:
            frame = self._av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="rgb24")
            frame.pts, frame.time_base = self.frames, 1 / self._stream.codec_context.framerate
            self._container.mux(self._stream.encode(frame))
            self.frames += 1

    @property
    def size(self) -> int:
        """Bytes written so far, but for those that the encoder holds back."""
        return self.path.stat().st_size

    def info(self) -> dict[str, Any]:
        """Return what LeRobot notes of a film."""
        return {
            "video.height": self._stream.height,
            "video.width": self._stream.width,
            "video.codec": "h264",
            "video.pix_fmt": self._stream.pix_fmt,
            "video.is_depth_map": False,
            "video.channels": 3,
            "has_audio": False,
        }

    def close(self) -> None:
        """Write what the encoder holds back."""
        self._container.mux(self._stream.encode(None))
        self._container.close()


def read_film(path: Path, stretches: Sequence[tuple[float, int]], rate: float) -> Iterator[np.ndarray]:
    """Yield the frames of stretches of a film, uint8 [T, H, W, 3] each: those that are shown 1 / ``rate`` s apart.

    Args:
      path: the film.
      stretches: begin in seconds, and number of frames, of each; those in order are read fastest.
      rate: frames per second.

    Raises:
      UserError: it cannot be read, ends too early, or shows no frame, or one for two, when there should be one.
    """
    av = _av()
    try:
        with av.open(str(path)) as container:
            film = _ByTime(container, 0.5 / rate)
            for begin, wanted in stretches:
                episode, last, found = f"the episode from {begin:g} s on", None, list[np.ndarray]()
                for step in range(wanted):
                    frame = film.at(begin + step / rate)
                    if frame is None and film.ended:
                        raise UserError(f"{path} ends {wanted - step} frames before {episode} does")
                    if frame is None or frame is last:
                        problem = f"has no frame of its own for frame {step} of {episode}"
                        raise UserError(f"{path} {problem}, as if it had not {rate:g} frames per second")
                    found.append(frame.to_ndarray(format="rgb24"))
                    last = frame
                yield np.stack(found)
    except FileNotFoundError:
        raise UserError(f"there is no file {path}; download the dataset again") from None
    except (av.FFmpegError, IndexError, ValueError, OSError) as error:
        raise UserError(f"{path} is no film that can be read ({' '.join(str(error).split())})") from error


class _ByTime:
    """The frames of a film by the second at which they are shown.

    Args:
      container: the film, as PyAV opens it.
      most: seconds by which a frame may be shown too early or too late.
    """

    def __init__(self, container: Any, most: float) -> None:
        self._container, self._most = container, most
        self._stream = container.streams.video[0]
        self._begin()

    def at(self, second: float) -> Any:
        """Return the frame nearest to ``second``; None if it is too far away. A second before the last one is sought.

        Raises:
          ValueError: frames have no times.
        """
        if self._frame is not None and second < self._frame.time - self._most:
            self._container.seek(max(0, int((second - self._most) / self._stream.time_base)), stream=self._stream)
            self._begin()
        while self._ahead is not None and _between(self._ahead, second) <= _between(self._frame, second):
            self._frame, self._ahead = self._ahead, self._next()
        return self._frame if _between(self._frame, second) <= self._most else None

    @property
    def ended(self) -> bool:
        """Whether the frame that was just asked for would be the last one or after it."""
        return self._ahead is None

    def _begin(self) -> None:
        self._frames = self._container.decode(self._stream)
        self._frame, self._ahead = self._next(), self._next()

    def _next(self) -> Any:
        frame = next(self._frames, None)
        if frame is not None and frame.time is None:
            raise ValueError("its frames have no times")
        return frame


def _between(frame: Any, second: float) -> float:
    """Return the seconds between ``second`` and the time of a frame, which is infinitely far away if there is none."""
    return math.inf if frame is None else abs(frame.time - second)
