"""Contract of stores: play of declared spaces."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlhf.records.episode import Episode
from rlhf.records.spaces import EpisodeSpaces
from rlhf.store import EpisodeStore, MemoryStore, episode_fingerprint, open_store, same_episode
from rlhf.store.columns.compressed import compress
from rlhf.store.synthetic import synthetic_play
from tests.contracts.stores.small_records import fresh
from tests.unit.rlhf.declared_spaces import CONTINUOUS, ENTITIES, GREY, GRID, MIXED, SPACES
from worlds.errors import UserError


@pytest.fixture(params=SPACES)
def spaces(request: pytest.FixtureRequest) -> EpisodeSpaces:
    return SPACES[request.param]


def check_equal(one: Episode, other: Episode) -> None:
    """Every field is the same, bit for bit, of the same type, and arrays are the caller's own."""
    assert same_episode(one, other) and one.spaces == other.spaces and one.texts == other.texts
    assert list(one.seen) == list(other.seen)
    pairs = [(one.seen[name], other.seen[name]) for name in one.seen]
    names = ("image", "movement", "continuous", "setter_movement", "setter_continuous", "controller")
    pairs += [(getattr(one, name), getattr(other, name)) for name in names]
    for mine, theirs in pairs:
        assert (mine is None) == (theirs is None)
        if mine is not None:
            assert mine.dtype == theirs.dtype and mine.shape == theirs.shape and mine.tobytes() == theirs.tobytes()
            assert mine.flags.writeable and mine.flags.c_contiguous


def test_play_of_declared_spaces_reads_back_exactly(store: EpisodeStore, spaces: EpisodeSpaces, tmp_path: Path) -> None:
    played = [synthetic_play(seed, spaces, steps, f"e{seed}") for seed, steps in enumerate((7, 1, 4))]
    store.write(played[0])
    store.write_group(played[1:])
    for episode in played:
        back = store.read(episode.episode_id)
        check_equal(back, episode)
        assert back.spaces == spaces and np.array_equal(back.demonstrated(), episode.demonstrated())
        assert store.read_transcript(episode.episode_id).utterance == episode.utterance
        kept, made = store.read_compressed(episode.episode_id), compress(episode)
        assert (kept.frames, kept.texts, kept.spaces, len(kept)) == (made.frames, made.texts, made.spaces, len(episode))
        assert all(kept.seen[name].tobytes() == made.seen[name].tobytes() for name in made.seen)
        assert np.array_equal(kept.movement, made.movement) and np.array_equal(kept.demonstrated(), made.demonstrated())
    assert store.verify() == []
    found = {episode.episode_id: episode_fingerprint(episode) for episode in played}
    assert store.fingerprints() == found and len(set(found.values())) == 3
    other = open_store(tmp_path / "other", create=True)
    assert other.merge(store).copied == 3 and other.merge(store).skipped == 3
    path = tmp_path / "other" / "index.jsonl"
    path.write_text(re.sub(r',"fingerprint":"\w+"', "", path.read_text()))
    assert open_store(tmp_path / "other").fingerprints() == found


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    steps=st.integers(1, 6),
    spaces=st.sampled_from(list(SPACES.values())),
    texts=st.lists(st.text(), min_size=6, max_size=6),
)
def test_any_play_of_declared_spaces_reads_back_exactly(
    seed: int, steps: int, spaces: EpisodeSpaces, texts: list[str]
) -> None:
    episode = synthetic_play(seed, spaces, steps)
    further = {name: tuple(texts[:steps]) for name in spaces.solver.observation.texts}
    episode = replace(episode, texts=further, setter_text=tuple(texts[:steps]))
    with fresh("parquet") as store:
        store.write(episode)
        check_equal(store.read(episode.episode_id), episode)
        assert store.fingerprints() == {episode.episode_id: episode_fingerprint(episode)}


OTHER_SPACES = [
    (GRID, CONTINUOUS, "solver.observation.grid: {} has grid, episode e2 none"),
    (GREY, replace(GREY, setter=CONTINUOUS.setter), r"setter.components: {} has 1 \(act \(discrete\)\), episode e2 0"),
    (SPACES["playhouse"], ENTITIES, "solver.observation.image: {} has image, episode e2 none"),
    (MIXED, SPACES["playhouse"], "solver.observation.image.height: {} has 5, episode e2 4"),
]


@pytest.mark.parametrize(("held", "other", "message"), OTHER_SPACES)
def test_an_episode_of_other_spaces_is_refused_by_name(
    store: EpisodeStore, held: EpisodeSpaces, other: EpisodeSpaces, message: str
) -> None:
    store.write(synthetic_play(1, held, 3, "e1"))
    with pytest.raises(UserError, match=r"episode e2 has other spaces than .*" + message.format(".*")) as caught:
        store.write(synthetic_play(2, other, 3, "e2"))
    assert "\n" not in str(caught.value) and "record it elsewhere" in str(caught.value) and store.ids() == ["e1"]


def test_fingerprints_and_comparisons_see_every_declared_field(store: EpisodeStore) -> None:
    episode = synthetic_play(1, MIXED, 6, "e1")
    other = synthetic_play(2, MIXED, 6, "e1")
    assert episode.continuous is not None and episode.setter_continuous is not None
    changes = [{"continuous": other.continuous}, {"setter_continuous": other.setter_continuous}]
    changes += [{"seen": {**episode.seen, name: other.seen[name]}} for name in ("grid", "vector")]
    categories = np.where(episode.seen["entity_categories"] == 1, 2, 1).astype(np.int16)
    changes += [{"seen": {**episode.seen, "entity_categories": categories}}]
    changes += [{"texts": {**episode.texts, name: ("x",) * 6}} for name in episode.texts]
    renamed = replace(MIXED.setter.continuous[0], name="draught")
    setter = replace(MIXED.setter, components=(renamed, *MIXED.setter.components[1:]))
    changes += [{"spaces": replace(MIXED, setter=setter)}]
    changed = [replace(episode, **change) for change in changes]  # type: ignore[arg-type]
    assert not any(same_episode(episode, each) for each in changed)
    found = {episode_fingerprint(each) for each in (episode, *changed)}
    assert len(found) == len(changed) + 1
    store.write(episode)
    with pytest.raises(UserError, match="differs"):
        alike = MemoryStore()
        alike.write(changed[2])
        store.merge(alike)


BAD_PLAY = [
    ("grid", GRID, "grid is 99 at step 3, cell [6, 6], where channel 2 has categories 0 to 2", 99),
    ("entity_values", ENTITIES, "entity_values is nan at step 3, entity", np.nan),
    ("vector", CONTINUOUS, "vector is inf at step 3, number 38, not finite", np.inf),
    ("continuous", CONTINUOUS, "continuous is 1.5 at step 3, tick 0, where joint 27 has -1.0 to 1.0", 1.5),
    ("movement", GREY, "movement has bin 7 at step 3, tick 0, where act has bins 0 to 6", 7),
]


@pytest.mark.parametrize(("name", "spaces", "message", "value"), BAD_PLAY)
def test_values_that_declared_spaces_do_not_have_are_found(
    store: EpisodeStore, monkeypatch: pytest.MonkeyPatch, name: str, spaces: EpisodeSpaces, message: str, value: float
) -> None:
    changed = synthetic_play(2, spaces, 4, "e2")
    array = changed.seen[name] if name in changed.seen else getattr(changed, name)
    right = array.flat[-1]
    array.flat[-1] = value
    with pytest.raises(UserError, match=re.escape(f"episode e2 cannot be recorded: {message}")):
        store.write(changed)
    if isinstance(store, MemoryStore):
        array.flat[-1] = right
        store.write(changed)
        array.flat[-1] = value
    else:
        with monkeypatch.context() as patch:
            patch.setattr(Episode, "check", lambda episode: None)
            store.write(changed)
        for read in (store.read, store.read_compressed):
            with pytest.raises(UserError, match=re.escape(f"holds what no episode can: episode e2: {message}")):
                read("e2")
    (problem,) = store.verify()
    assert message in problem.what
