"""Fragments: packed and joined they are what they were, to the last bit, and misshapen ones are refused."""

import numpy as np
import pytest

from rlhf.replay.fragment import PER_SLOT, Fragment, concatenate, take
from rlhf.replay.packing import pack_array, pack_fragment, unpack_array, unpack_fragment
from tests.unit.rlhf import tiny_agent

AGENT = tiny_agent.agent()


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("shape", [(2, 3), (4, 3, 2), (0, 3), (3, 0, 2)])
@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.int8, np.bool_])
def test_arrays_are_unpacked_as_they_were(shape, dtype, swap):
    array = (np.random.default_rng(0).normal(size=shape) * 9).astype(dtype)
    if dtype == np.float32 and array.size:
        array.flat[:3] = np.nan, np.inf, -0.0
    found = unpack_array(pack_array(array, swap))
    assert found.dtype == array.dtype and found.shape == array.shape and found.tobytes() == array.tobytes()
    assert found.flags.writeable and found.flags.c_contiguous


def test_frames_that_hardly_change_are_small():
    frames = np.zeros((50, 4, 36, 48, 3), np.uint8)
    frames[:, :, 10:20, 10:20] = 200
    assert pack_array(frames, swap=True)["zlib"].numel() < frames.nbytes / 50


def test_fragments_are_packed_joined_and_divided():
    one, other = tiny_agent.fragment(AGENT, 4, 2), tiny_agent.fragment(AGENT, 4, 3, seed=1)
    both = concatenate([take(one, slice(1, 2)), unpack_fragment(pack_fragment(other))])
    assert (both.steps, both.columns) == (4, 4) and concatenate([one]) is one
    for name, array in both.arrays().items():
        axis = 0 if name in PER_SLOT else 1
        first, second = one.arrays()[name], other.arrays()[name]
        np.testing.assert_array_equal(array, np.concatenate([first.take([1], axis), second], axis))
    with pytest.raises(ValueError, match=r"\[4, 5\] steps"):
        concatenate([one, tiny_agent.fragment(AGENT, 5, 2)])
    with pytest.raises(ValueError, match="no fragments"):
        concatenate([])


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("image", lambda a: a[:-1], r"image is uint8 .*, not \[5, 2, ...\]"),
        ("reward", lambda a: a.astype(np.float64), r"reward is float64 \(5, 2\), not float32"),
        ("movement", lambda a: a[..., :-1], "movement is int8 "),
        ("movement", lambda a: a.astype(np.int64), "movement is int64 .* not int8"),
        ("utterance", lambda a: a[..., 0], "utterance is int64"),
        ("cell", lambda a: a[:-1], "cell is "),
        ("resets", lambda a: a[:1], "resets has shape"),
    ],
)
def test_misshapen_fragments_are_refused(name, change, message):
    good = tiny_agent.fragment(AGENT, 4, 2).arrays()
    Fragment.of(good).check(AGENT.config)
    with pytest.raises(ValueError, match=message):
        Fragment.of(good | {name: change(good[name])}).check(AGENT.config)
