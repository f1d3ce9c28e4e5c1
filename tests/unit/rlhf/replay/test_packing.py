"""Packed arrays and fragments are what they were, to the last bit, and small where frames are rendered."""

import numpy as np
import pytest

from rlhf.replay.packing import pack_array, unpack_array


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("shape", [(2, 3), (4, 3, 2), (0, 3), (3, 0, 2)])
@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.int8, np.bool_])
def test_arrays_are_unpacked_as_they_were(shape, dtype, swap):
    array = (np.random.default_rng(0).normal(size=shape) * 9).astype(dtype)
    found = unpack_array(pack_array(array, swap))
    assert found.dtype == array.dtype and found.flags.writeable and found.flags.c_contiguous
    np.testing.assert_array_equal(found, array)


def test_nan_and_infinity_are_kept():
    array = np.array([np.nan, np.inf, -0.0], np.float32)
    assert unpack_array(pack_array(array)).tobytes() == array.tobytes()


def test_frames_that_hardly_change_are_small():
    frames = np.zeros((50, 4, 36, 48, 3), np.uint8)
    frames[:, :, 10:20, 10:20] = 200
    assert pack_array(frames, swap=True)["zlib"].numel() < frames.nbytes / 50
