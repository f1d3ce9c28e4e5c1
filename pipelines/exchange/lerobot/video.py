"""Pictures of episodes as H.264 films, several episodes in a file, and films of any codec as pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from pipelines.exchange.source_files import regular
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
      height: pixels of a side.
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
        """Bytes written so far, except those that the encoder holds back."""
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


class FilmFrames:
    """The frames of a film by their numbers, in the order in which they are shown.

    Every method raises UserError if the film is missing or cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._av = path, _av()
        self._container: Any = None
        self._frames: Iterator[Any] = iter(())
        self._next = 0
        with self._readable(), self._opened() as container:
            stream = container.streams.video[0]
            shown = [packet.pts for packet in container.demux(stream) if packet.size and not packet.is_discard]
            if any(time is None for time in shown) or len(set(shown)) < len(shown) or not shown:
                raise ValueError("its frames have no times of their own")
            self._times = sorted(shown)
            self.seconds: np.ndarray = (np.array(self._times) - self._times[0]) * float(stream.time_base)

    def close(self) -> None:
        """Close the film."""
        if self._container is not None:
            self._container.close()
            self._container = None

    def read(self, numbers: Sequence[int]) -> np.ndarray:
        """Return frames, uint8 [len(numbers), height, width, 3]; those in order are read fastest."""
        with self._readable():
            if self._container is None or numbers[0] < self._next:
                self.close()
                self._container, self._next = self._opened(), 0
                self._frames = self._container.decode(self._container.streams.video[0])
            return np.stack([self._frame(number).to_ndarray(format="rgb24") for number in numbers])

    def _frame(self, number: int) -> Any:
        """Decode up to a frame. Raises ValueError if one is lost on the way, so that the others would be shifted."""
        for frame in self._frames:
            if frame.pts != self._times[self._next]:
                break
            self._next += 1
            if self._next > number:
                if frame.is_corrupt:
                    raise ValueError(f"frame {number} is damaged")
                return frame
        raise ValueError(f"frame {self._next} of {len(self._times)} cannot be decoded")

    def _opened(self) -> Any:
        return self._av.open(str(regular(self._path)))

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """Turn errors of reading into one line."""
        try:
            yield
        except FileNotFoundError:
            raise UserError(f"there is no file {self._path}; download the dataset again") from None
        except (self._av.FFmpegError, IndexError, ValueError, OSError) as error:
            self.close()
            raise UserError(f"{self._path} is no film that can be read ({' '.join(str(error).split())})") from error
