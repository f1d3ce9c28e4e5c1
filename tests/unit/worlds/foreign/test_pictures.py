"""Pictures of environments at another size."""

from __future__ import annotations

import numpy as np
import pytest

from worlds.foreign.pictures import resized


@pytest.mark.parametrize("channels", [1, 2, 3, 4, 5])
def test_every_channel_is_the_mean_of_what_it_covers(channels: int) -> None:
    picture = np.random.default_rng(0).integers(256, size=(84, 84, channels), dtype=np.uint8)
    picture[..., -1] = 0  # of four channels, the last is no opacity
    found = resized(picture, 42)
    means = picture.reshape(42, 2, 42, 2, channels).mean(axis=(1, 3))
    assert found.shape == (42, 42, channels) and found.dtype == np.uint8
    assert np.abs(found - means).max() <= 1  # rows and columns are rounded in turn


def test_a_picture_without_channels_gets_one() -> None:
    assert resized(np.full((10, 20), 7, np.uint8), 8).tolist() == np.full((8, 8, 1), 7).tolist()
