"""Contract of stores: any episode reads back exactly, with the same fingerprint."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlhf.records.episode import Episode, Request
from rlhf.store import EpisodeStore, MemoryStore, episode_fingerprint, open_store, same_episode
from tests.contracts.stores.small_records import STORES, fresh, mark, small
from worlds.contract import MOVEMENT_BINS, TICKS_PER_STEP, Event, TaskSpec
from worlds.errors import UserError

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
OBJECT = st.dictionaries(st.text(), JSON, max_size=3)


@st.composite
def episodes(draw: Callable) -> Episode:
    steps, height, width = draw(st.integers(1, 5)), draw(st.integers(1, 9)), draw(st.integers(1, 9))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    texts = st.lists(st.text(), min_size=steps, max_size=steps).map(tuple)
    task = st.builds(TaskSpec, st.text(), st.text(), OBJECT, st.integers(0, 99))
    requests = draw(st.lists(st.builds(Request, st.integers(0, steps - 1), task), max_size=3))
    successes = [draw(st.none() | st.integers(request.step, steps - 1)) for request in requests]
    bins = (steps, TICKS_PER_STEP, len(MOVEMENT_BINS))
    return Episode(
        episode_id=draw(st.text(min_size=1)),
        world=draw(st.text()),
        config=draw(OBJECT),
        setter=draw(st.text()),
        solver=draw(st.text()),
        image=rng.integers(0, draw(st.sampled_from((2, 256))), (steps, height, width, 3), dtype=np.uint8),
        setter_text=draw(texts),
        solver_text=draw(texts),
        movement=rng.integers(0, MOVEMENT_BINS, bins, dtype=np.int8),
        utterance=draw(texts),
        setter_movement=rng.integers(0, MOVEMENT_BINS, bins, dtype=np.int8),
        setter_utterance=draw(texts),
        controller=rng.integers(0, 2, steps, dtype=np.uint8),
        requests=tuple(requests),
        truth=tuple(draw(st.lists(st.builds(Event, st.integers(0, steps), st.sampled_from((1, -1)), st.text())))),
        success_step=tuple(successes),
        seed=draw(st.integers(-(2**63), 2**63 - 1)),
        created=draw(st.text()),
        split=draw(st.sampled_from(("train", "held_out"))),
        notes=draw(OBJECT),
    )


@pytest.mark.parametrize("kind", STORES)
@settings(max_examples=25, deadline=None)
@given(episode=episodes())
def test_any_episode_reads_back_exactly(kind: str, episode: Episode) -> None:
    with fresh(kind) as store:
        store.write(episode)
        store.write(replace(episode, episode_id=episode.episode_id + "'"))
        back = store.read(episode.episode_id)
        assert same_episode(back, episode)
        assert store.read_transcript(episode.episode_id).notes == episode.notes
        for field in fields(Episode):
            one, other = getattr(back, field.name), getattr(episode, field.name)
            if isinstance(one, np.ndarray):
                assert np.array_equal(one, other) and one.dtype == other.dtype
            else:
                assert one == other
        assert store.verify() == []


def test_arrays_read_back_are_the_readers_own(store: EpisodeStore) -> None:
    store.write(small(1))
    for name in ("image", "movement", "setter_movement", "controller"):
        array = getattr(store.read("e1"), name)
        assert array.flags.writeable and array.flags.c_contiguous


def changes_of(episode: Episode) -> dict[str, object]:
    """For every field another value than that of ``episode``, which has one request; its success is at step 2."""
    (request,) = episode.requests
    changes = {
        "episode_id": "other", "world": "other", "config": {"a": 1}, "setter": "x", "solver": "x", "seed": 9,
        "created": "x", "split": "held_out", "notes": {"a": 1}, "success_step": (None,), "truth": (),
        "requests": (replace(request, step=request.step + 1),), "image": 255 - episode.image,
        "setter_text": ("x",) * 6, "solver_text": ("x",) * 6, "utterance": ("x",) * 6, "setter_utterance": ("x",) * 6,
        "movement": episode.movement * 0, "setter_movement": episode.movement * 0, "controller": 1 - episode.controller,
    }  # fmt: skip
    declared = {"spaces", "continuous", "setter_continuous", "seen", "texts"}
    assert set(changes) == {field.name for field in fields(Episode)} - declared
    return changes


def test_same_episode_sees_every_field() -> None:
    episode = small(1, success_step=(2,))
    assert same_episode(episode, replace(episode))
    for name, value in changes_of(episode).items():
        assert not same_episode(episode, replace(episode, **{name: value})), name


def test_fingerprints_differ_with_every_field_but_the_time_of_recording() -> None:
    episode = small(1, success_step=(2,))
    found = {"nothing": episode_fingerprint(episode)}
    for name, value in changes_of(episode).items():
        found[name] = episode_fingerprint(replace(episode, **{name: value}))
    assert found.pop("created") == found["nothing"]
    assert len(set(found.values())) == len(found)


def test_fingerprints_are_those_of_the_play_wherever_it_is_stored(store: EpisodeStore, tmp_path: Path) -> None:
    texture = np.arange(6 * 40 * 50 * 3).reshape(6, 40, 50, 3).astype(np.uint8)  # suits PNG's filter "sub"
    episodes = [small(seed, image=texture + np.uint8(seed)) for seed in range(3)]
    for episode in episodes:
        store.write(episode)
    found = store.fingerprints()
    assert found == {episode.episode_id: episode_fingerprint(episode) for episode in episodes}
    assert store.fingerprints(["e2", "e0"]) == {"e2": found["e2"], "e0": found["e0"]}
    store.write_marks([mark("e1")])
    other = MemoryStore()
    other.merge(store)
    back = open_store(tmp_path / "data", create=True)
    back.merge(other)
    assert store.fingerprints() == other.fingerprints() == back.fingerprints() == found
    with pytest.raises(UserError, match="no episode e7"):
        store.fingerprints(["e0", "e7"])


@pytest.mark.parametrize("smooth", [False, True])
def test_a_dataset_without_stored_fingerprints_has_the_same(tmp_path: Path, smooth: bool) -> None:
    written = open_store(tmp_path / "data", create=True)
    for seed in range(2):
        ramp = np.broadcast_to(np.arange(60, dtype=np.uint8)[:, None] + seed, (6, 8, 60, 3))
        written.write(small(seed, image=ramp) if smooth else small(seed))
    found = written.fingerprints()
    path = tmp_path / "data" / "index.jsonl"
    path.write_text(re.sub(r',"fingerprint":"\w+"', "", path.read_text()))
    assert "fingerprint" not in path.read_text()
    assert open_store(tmp_path / "data").fingerprints() == found and written.verify() == []
