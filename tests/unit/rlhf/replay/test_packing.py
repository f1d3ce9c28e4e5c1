"""Packed arrays and fragments are what they were, to the last bit, and small where frames are rendered."""

import numpy as np
import pytest

from rlhf.replay.packing import pack_array, pack_fragment, unpack_array, unpack_fragment
from tests.unit.rlhf import tiny_agent


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


def test_fragments_are_unpacked_as_they_were():
    fragment = tiny_agent.fragment(tiny_agent.agent(), steps=4, slots=2)
    found = unpack_fragment(pack_fragment(fragment))
    for name, array in fragment.arrays().items():
        np.testing.assert_array_equal(getattr(found, name), array, err_msg=name)


def test_in_fragments_of_older_checkpoints_every_end_is_one_of_the_world():
    fragment = tiny_agent.fragment(tiny_agent.agent(), terminated=0.0)
    packed = pack_fragment(fragment)
    assert fragment.resets.any() and not fragment.terminated.any()
    del packed["terminated"]
    np.testing.assert_array_equal(unpack_fragment(packed).terminated, fragment.resets)


def test_frames_that_hardly_change_are_small():
    frames = np.zeros((50, 4, 36, 48, 3), np.uint8)
    frames[:, :, 10:20, 10:20] = 200
    assert pack_array(frames, swap=True)["zlib"].numel() < frames.nbytes / 50
