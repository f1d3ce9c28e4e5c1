"""Our PNG files are PNG files, and read back exactly."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PIL import Image

from rlhf.store.columns.png import decode_frames, encode_frames
from rlhf.store.synthetic import synthetic_episode


def with_pillow(file: bytes) -> np.ndarray:
    picture = Image.open(io.BytesIO(file))
    picture.load()
    assert picture.mode == "RGB"
    return np.asarray(picture)


FRAMES = st.tuples(st.integers(1, 3), st.integers(1, 12), st.integers(1, 12), st.just(3)).flatmap(
    lambda shape: arrays(np.uint8, shape)
)


@given(FRAMES)
def test_any_frames_read_back_by_us_and_by_pillow(frames: np.ndarray) -> None:
    files = encode_frames(frames)
    assert np.array_equal(decode_frames(files), frames)
    assert np.array_equal(np.stack([with_pillow(file) for file in files]), frames)


@pytest.mark.parametrize("row_filter", range(5))
def test_every_filter_of_other_programs_is_understood(row_filter: int) -> None:
    """A PNG whose rows all have one of PNG's five filters, made by hand and judged by Pillow."""
    import struct
    import zlib

    rng = np.random.default_rng(row_filter)
    lines = np.concatenate([np.full((6, 1), row_filter), rng.integers(0, 256, (6, 3 * 7))], axis=1).astype(np.uint8)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 7, 6, 8, 2, 0, 0, 0))
    file = b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(lines.tobytes())) + chunk(b"IEND", b"")
    assert np.array_equal(decode_frames([file])[0], with_pillow(file))


@pytest.mark.parametrize("kind", ("cut", "flipped", "text", "empty", "longer", "other size"))
def test_a_damaged_frame_is_refused(kind: str) -> None:
    first, second = encode_frames(synthetic_episode(3, steps=2).image)
    other = encode_frames(synthetic_episode(3, steps=1, height=12, width=12).image)[0]
    damaged = {
        "cut": second[:-30],
        "flipped": second[:100] + bytes([second[100] ^ 0xFF]) + second[101:],
        "text": b"no picture",
        "empty": b"",
        "longer": second[:33] + second[33:].replace(b"IDAT", b"IDAX"),
        "other size": other,
    }[kind]
    for files in ([first, damaged], [damaged, first]):
        with pytest.raises(ValueError, match="damaged|not a readable picture|not all of one size"):
            decode_frames(files)
