"""Frames that stay compressed in memory are those of decoded play."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from agents.config import AgentConfig
from agents.tokenizer import Tokenizer
from rlhf.data.memory import MemoryDataset, encode_episodes
from rlhf.data.packed_frames import PackedFrames
from rlhf.records.episode import Episode
from rlhf.store.columns.compressed import CompressedEpisode, compress
from rlhf.store.synthetic import synthetic_episode
from tests.unit.rlhf.data.same_windows import same
from worlds.errors import UserError

SIZES = AgentConfig(image_size=(12, 16), vocab_size=280, setter_text_length=6, solver_text_length=3, utterance_length=4)
LENGTHS = (5, 1, 9)


@pytest.fixture(scope="module")
def episodes() -> list[Episode]:
    return [synthetic_episode(number, steps, 12, 16) for number, steps in enumerate(LENGTHS)]


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.train(["please lift the duck", "done"], 280)


@pytest.mark.parametrize("rows", [[0], [14, 0, 14, 5], [[6, 7], [5, 0]], []], ids=str)
def test_rows_are_drawn_as_an_array_gives_them(episodes: list[Episode], rows: list) -> None:
    whole = np.concatenate([episode.pictures() for episode in episodes])
    packed = PackedFrames([compress(episode) for episode in episodes], SIZES)
    taken = np.array(rows, np.int64)
    assert len(packed) == len(whole) and packed[taken].dtype == packed.dtype == np.uint8
    assert np.array_equal(packed[taken], whole[taken])


@pytest.mark.parametrize("compressed", [False, True])
def test_windows_and_excerpts_are_those_of_decoded_play(
    episodes: list[Episode], tokenizer: Tokenizer, compressed: bool
) -> None:
    given = [compress(episode) for episode in episodes] if compressed else episodes
    packed = encode_episodes(given, tokenizer, SIZES, packed=True)
    decoded = encode_episodes(given, tokenizer, SIZES)
    assert isinstance(packed.observations.image, PackedFrames)
    rows = [np.array([3, 1]), np.array([14, 8, 9])]
    for one, other in ((packed, decoded), (packed.excerpt(rows), decoded.excerpt(rows))):
        streams = [data.stream(3, 2, seed=1) for data in (one, other)]
        assert all(same(streams[0].next(), streams[1].next()) for _ in range(5))


def test_no_frame_is_in_memory_twice(tokenizer: Tokenizer) -> None:
    given = [compress(synthetic_episode(number, 60, 36, 48)) for number in range(20)]
    sizes = AgentConfig(**{**SIZES.to_dict(), "image_size": (36, 48), "spaces": None})
    decoded = 20 * 60 * 36 * 48 * 3
    peaks = []
    for packed in (False, True):
        tracemalloc.start()
        kept: MemoryDataset = encode_episodes(given, tokenizer, sizes, packed)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert len(kept) == 20
    assert peaks[0] < 1.5 * decoded and peaks[1] < 0.5 * decoded, f"{peaks} bytes at most, {decoded} decoded"


def test_episodes_that_cannot_be_drawn_are_named(episodes: list[Episode], tokenizer: Tokenizer) -> None:
    whole = compress(episodes[2])
    assert whole.frames is not None
    damaged = replace(whole, frames=(*whole.frames[:4], whole.frames[4][:60], *whole.frames[5:]))
    play = encode_episodes([episodes[0], damaged], tokenizer, SIZES, packed=True)
    assert isinstance(play.observations.image, PackedFrames)
    play.window(np.array([[0], [5]]))
    with pytest.raises(UserError, match=f"episode {whole.episode_id}: .* `rlhf episodes drop`"):
        play.window(np.array([[0], [9]]))
    large: CompressedEpisode = compress(synthetic_episode(7, 3, 24, 32))
    for packed in (True, False):
        with pytest.raises(UserError, match="image.height: the agent has 12, the episode 24"):
            encode_episodes([large], tokenizer, SIZES, packed)
