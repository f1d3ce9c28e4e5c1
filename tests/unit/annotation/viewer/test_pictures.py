"""Sharp pictures of episodes: drawn in the background, kept within a bound, and only where the replay is exact."""

from __future__ import annotations

import io
import logging
import os
import struct
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from annotation.games import Inputs, Key
from annotation.session.states import Kind, Role
from annotation.viewer.drawing import CHUNK_STEPS, sharp_size
from annotation.viewer.frames_file import pack_frames, unpack_frames
from annotation.viewer.pictures import PictureRequest, Pictures
from rlhf.replay.views import replayed_views
from rlhf.store import ParquetStore, open_store
from tests.patience import until
from tests.unit.annotation.games.playing import config, play
from worlds.errors import UserError

STEPS = CHUNK_STEPS + 5


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> ParquetStore:
    """One game of people, and the same with a picture that its world does not give."""
    made = open_store(tmp_path_factory.mktemp("dataset") / "play", create=True)

    def at_tick(game, tick):
        game.give(Role.SOLVER, Inputs(held=frozenset({Key.FORWARD}), turn=0.5))

    game = play(config(Kind.HUMAN_HUMAN, steps=STEPS, height=36, width=48), at_tick, made)
    episode = made.read(game.id)
    image = episode.image.copy()
    image[CHUNK_STEPS + 2] += 1
    made.write(replace(episode, episode_id="changed", image=image))
    return made


@pytest.fixture
def pictures(tmp_path: Path) -> Iterator[Pictures]:
    made = Pictures(tmp_path / "pictures", workers=1)
    yield made
    made.stop()


def request(store: ParquetStore, number: int) -> PictureRequest:
    name, fingerprint = list(store.fingerprints().items())[number]
    return PictureRequest(store.folder, name, fingerprint)


def decoded(frame: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(frame)).convert("RGB"))


def test_an_episode_is_drawn_as_its_world_shows_it(store: ParquetStore, pictures: Pictures) -> None:
    wanted = request(store, 0)
    assert pictures.chunk(wanted, 0) is None, "nobody waits"
    first, second = (unpack_frames(until(lambda n=n: pictures.chunk(wanted, n), "a chunk")) for n in (0, 1))
    assert (len(first), len(second)) == (CHUNK_STEPS, STEPS - CHUNK_STEPS)
    views = [view for _, view in replayed_views(store.read(wanted.episode_id), 288, 384)]
    for step in (0, 3, CHUNK_STEPS, STEPS - 1):
        frame = first[step] if step < CHUNK_STEPS else second[step - CHUNK_STEPS]
        np.testing.assert_array_equal(decoded(frame), views[step])


def test_an_episode_of_another_version_is_drawn_as_far_as_it_is_the_same(
    store: ParquetStore, pictures: Pictures, caplog: pytest.LogCaptureFixture
) -> None:
    wanted = request(store, 1)
    until(lambda: pictures.chunk(wanted, 0), "the chunk before the difference")

    def refused() -> bool:
        try:
            return pictures.chunk(wanted, 1) is not None
        except UserError as error:
            return "does not replay" in str(error)

    with caplog.at_level(logging.WARNING):
        until(refused, "the refusal")
    assert pictures.chunk(wanted, 0) is not None


def test_pictures_used_least_recently_go_first_and_all_are_forgotten(
    store: ParquetStore, pictures: Pictures, tmp_path: Path
) -> None:
    old = tmp_path / "pictures" / "old"
    old.mkdir(parents=True)
    (old / "00000.rlf").write_bytes(b"x" * 1000)
    os.utime(old, (1, 1))
    pictures._most_bytes = 500
    wanted = request(store, 0)
    until(lambda: pictures.chunk(wanted, 1), "the last chunk")
    until(lambda: not old.exists(), "the old ones gone")
    assert pictures.chunk(wanted, 0), "what is used stays"
    pictures.forget()
    assert not (tmp_path / "pictures").exists()
    assert until(lambda: pictures.chunk(wanted, 1), "it is drawn again")


def test_sizes_are_whole_multiples() -> None:
    assert sharp_size(36, 48) == sharp_size(72, 96) == (288, 384)
    assert sharp_size(240, 320) is None


def test_frames_of_a_file_are_found_by_its_index() -> None:
    frames = [b"", *(bytes([i]) * i for i in range(1, 5))]
    file = pack_frames(frames)
    assert file[:4] == b"RLF1" and struct.unpack_from("<I6I", file, 4) == (5, 32, 32, 33, 35, 38, 42)
    assert file[32:] == b"".join(frames)
    for part, expected in (((), frames), ((2, 2), frames[2:4]), ((3, 9), frames[3:])):
        assert unpack_frames(file, *part) == expected
