"""Contract of stores of episodes, for every kind."""

from __future__ import annotations

import os
import pickle
import re
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlhf.records.episode import Episode, Request
from rlhf.records.marks import Judgement, Mark
from rlhf.records.preferences import (
    PREFERENCES,
    ClipPair,
    Preference,
    RequestVerdict,
    StretchScore,
    TakeOver,
)
from rlhf.records.spaces import EpisodeSpaces
from rlhf.store import (
    EpisodeStore,
    MemoryStore,
    Merged,
    ParquetStore,
    episode_fingerprint,
    open_store,
    same_episode,
)
from rlhf.store.columns.compressed import compress
from rlhf.store.columns.json_text import to_json
from rlhf.store.synthetic import synthetic_episode, synthetic_play
from tests.unit.rlhf.declared_spaces import CONTINUOUS, ENTITIES, GREY, GRID, MIXED, SPACES
from worlds.contract import MOVEMENT_BINS, TICKS_PER_STEP, Event, TaskSpec
from worlds.errors import UserError

STORES = ("memory", "parquet", "packed")


class PackedStore(ParquetStore):
    """A dataset that is compacted after each episode, so that every read is of a shared file."""

    def write(self, episode: Episode) -> None:
        super().write(episode)
        self.compact()


@contextmanager
def fresh(kind: str) -> Iterator[EpisodeStore]:
    """An empty store of that kind."""
    if kind == "memory":
        yield MemoryStore()
    else:
        with tempfile.TemporaryDirectory() as folder:
            yield (ParquetStore if kind == "parquet" else PackedStore)(Path(folder) / "data", create=True)


@pytest.fixture(autouse=True, scope="module")
def no_waiting_for_the_disk() -> Iterator[None]:
    """Synchronising matters when the power fails, which no test here makes happen, and takes most of the time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> Iterator[EpisodeStore]:
    with fresh(request.param) as made:
        yield made


def small(seed: int, **changes: object) -> Episode:
    return replace(synthetic_episode(seed, steps=6, height=4, width=5, episode_id=f"e{seed}"), **changes)  # type: ignore[arg-type]


def mark(episode_id: str, step: int = 0, sign: int = 1, rater: str = "ann") -> Mark:
    return Mark(episode_id, rater, step, sign, scripted=False)


def judgement(episode_id: str, step: int | None = None, judge: str = "bo") -> Judgement:
    return Judgement(episode_id, judge, step is not None, step, scripted=True)


# Reading back


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


# Looking up


def test_ids_come_in_the_order_of_recording_and_by_split_and_solver(store: EpisodeStore) -> None:
    store.write(small(3, solver="agent:bc"))
    store.write(small(1, solver="human:ann", split="held_out"))
    store.write(small(2, solver="agent:bc+rl"))
    assert store.ids() == ["e3", "e1", "e2"] and len(store) == 3
    assert store.ids(split="held_out") == ["e1"]
    assert store.ids(solver="agent:bc") == ["e3"]
    assert store.ids(solver="agent") == ["e3", "e2"]
    assert store.ids(split="held_out", solver="agent") == []
    assert "e1" in store and "e9" not in store


def test_rows_agree_with_their_episodes(store: EpisodeStore) -> None:
    episode = small(4, split="held_out", success_step=(None,))
    store.write(episode)
    (row,) = store.rows()
    assert (row.episode_id, row.steps, row.split, row.setter, row.solver) == (
        "e4",
        6,
        "held_out",
        "scripted",
        "agent:synthetic",
    )
    assert (row.created, row.requests, row.successes) == (episode.created, 1, 0)
    assert row.asked == episode.requests[0].task.instruction


@pytest.mark.parametrize("threads", (1, 2, 5))
def test_many_episodes_are_read_in_the_requested_order(store: EpisodeStore, threads: int) -> None:
    for seed in range(7):
        store.write(small(seed))
    order = ["e5", "e0", "e6", "e5", "e1"]
    assert [episode.episode_id for episode in store.stream(order, threads)] == order
    assert [episode.seed for episode in store.stream(iter(store.ids()), threads)] == list(range(7))
    assert next(store.stream(order, threads)).seed == 5  # may be left half-way


def test_an_unknown_id_is_named(store: EpisodeStore) -> None:
    store.write(small(1))
    with pytest.raises(UserError, match="no episode e7"):
        store.read("e7")
    with pytest.raises(UserError, match="no episode e7"):
        list(store.stream(["e1", "e7"]))
    with pytest.raises(UserError, match="threads is 0"):
        list(store.stream(["e1"], threads=0))


# Refusing


def test_an_id_is_written_once(store: EpisodeStore) -> None:
    store.write(small(1))
    with pytest.raises(UserError, match="episode e1 is in .* already"):
        store.write(small(2, episode_id="e1"))
    assert store.read("e1").seed == 1


def test_one_world_and_one_image_size(store: EpisodeStore) -> None:
    with pytest.raises(UserError, match="empty string"):
        store.write(small(0, episode_id=""))
    store.write(small(1))
    with pytest.raises(UserError, match="world elsewhere"):
        store.write(small(2, world="elsewhere"))
    with pytest.raises(UserError, match="4x7 images, .* holds 4x5"):
        store.write(small(2, image=np.zeros((6, 4, 7, 3), np.uint8)))
    assert store.ids() == ["e1"]


def hand_changed(episode: Episode, name: str, value: int) -> Episode:
    """The same, but ``value`` at the last place of an array: what is checked when it is made may be changed later."""
    changed = replace(episode, **{name: getattr(episode, name).copy()})
    getattr(changed, name).flat[-1] = value
    return changed


BAD_VALUES = [("movement", 3), ("movement", -1), ("setter_movement", 99), ("controller", 2)]


@pytest.mark.parametrize(("name", "value"), BAD_VALUES)
def test_impossible_actions_are_not_written(store: EpisodeStore, name: str, value: int) -> None:
    store.write(small(1))
    with pytest.raises(UserError, match=f"episode e2 cannot be recorded: {name} .* {value} .*at step 5") as caught:
        store.write(hand_changed(small(2), name, value))
    assert "\n" not in str(caught.value) and store.ids() == ["e1"] and store.verify() == []


@pytest.mark.parametrize(("name", "value"), BAD_VALUES)
def test_impossible_actions_in_foreign_files_are_found(
    store: EpisodeStore, monkeypatch: pytest.MonkeyPatch, name: str, value: int
) -> None:
    store.write(small(1))
    changed = small(2)
    if isinstance(store, MemoryStore):  # it hands out the episode itself
        store.write(changed)
        getattr(changed, name).flat[-1] = value
    else:
        getattr(changed, name).flat[-1] = value
        with monkeypatch.context() as patch:
            patch.setattr(Episode, "check", lambda episode: None)
            store.write(changed)
    (problem,) = store.verify()
    assert "e2" in f"{problem.file} {problem.what}" and f"{name} " in problem.what and not problem.ignorable
    if not isinstance(store, MemoryStore):
        with pytest.raises(UserError, match=f"holds what no episode can: episode e2: {name} .*at step 5.*; .*drop"):
            store.read("e2")
        if name != "setter_movement":  # which nobody learns from
            with pytest.raises(UserError, match=f"episode e2: {name} "):
                store.read_compressed("e2")
    store.drop(["e2"])
    assert store.verify() == [] and same_episode(store.read("e1"), small(1))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("notes", {"score": float("nan")}),
        ("notes", {"when": object()}),
        ("config", {"x": np.float32(1)}),
        ("solver", "\ud800"),
        ("utterance", ("\ud800",) * 6),
    ],
)
def test_values_that_cannot_be_read_back_are_not_written(store: EpisodeStore, field: str, value: object) -> None:
    with pytest.raises(UserError, match="episode e2 cannot be recorded: ") as caught:
        store.write(small(2, **{field: value}))
    assert "\n" not in str(caught.value) and store.ids() == []


def test_notes_nested_without_end_are_not_written(store: EpisodeStore) -> None:
    nested: list = []
    for _ in range(100_000):
        nested = [nested]
    with pytest.raises(UserError, match="episode e2 cannot be recorded: its JSON is nested too deeply"):
        store.write(small(2, notes={"nested": nested}))


# Marks and judgements


def test_marks_and_judgements_are_sorted_sets(store: EpisodeStore) -> None:
    store.write(small(1))
    store.write(small(2))
    store.write_marks([mark("e2"), mark("e1", 5), mark("e1", 3, -1), mark("e1", 5)])
    store.write_marks(iter([mark("e1", 5), mark("e1", 5, rater="cy")]))
    assert store.marks() == [mark("e1", 3, -1), mark("e1", 5), mark("e1", 5, rater="cy"), mark("e2")]
    assert store.marks("e2") == [mark("e2")]
    assert store.marks("e9") == []
    store.write_judgements([judgement("e1", 2), judgement("e1"), judgement("e2")])
    store.write_judgements([judgement("e1")])
    assert store.judgements() == [judgement("e1"), judgement("e1", 2), judgement("e2")]
    assert store.judgements("e2") == [judgement("e2")]
    assert store.verify() == []


def test_marks_of_missing_episodes_and_steps_are_refused(store: EpisodeStore) -> None:
    store.write(small(1))
    with pytest.raises(UserError, match="no episode e2"):
        store.write_marks([mark("e1"), mark("e2")])
    with pytest.raises(UserError, match="steps 0 to 5, not 6"):
        store.write_marks([mark("e1"), mark("e1", 6)])
    with pytest.raises(UserError, match="steps 0 to 5, not 6"):
        store.write_judgements([judgement("e1"), judgement("e1", 6)])
    assert store.marks() == [] and store.judgements() == []
    store.write_marks([])
    store.write_judgements([])


PREFERRED = (
    ClipPair("e2", 0, 3, "e1", 2, 6, "a", "ann", 4.5, False),
    ClipPair("e1", 1, 3, "e1", 3, 5, "same", "ann", None, False),
    ClipPair("e1", 1, 3, "e1", 3, 5, "same", "ann", 2.0, False),
    RequestVerdict("e2", 1, 6, "success", "bo", False),
    RequestVerdict("e1", 1, 6, "cannot tell", "bo", False),
    TakeOver("e1", 2, 4, "ann", False),
    StretchScore("e1", 0, 6, 4.0, 1.0, 5.0, "cy", True),
)


@pytest.mark.parametrize("kind", PREFERENCES.values())
def test_preferences_are_sorted_sets(store: EpisodeStore, kind: type[Preference]) -> None:
    store.write(small(1))
    store.write(small(2))
    store.write_preferences(PREFERRED)
    store.write_preferences(PREFERRED[:1])
    found = store.preferences(kind)
    assert set(found) == {each for each in PREFERRED if isinstance(each, kind)} and len(set(found)) == len(found)
    assert [min(each.stretches) for each in found] == sorted(min(each.stretches) for each in found)
    assert store.preferences(kind, "e2") == [each for each in found if "e2" in {s.episode_id for s in each.stretches}]
    assert store.preferences(kind, "e9") == [] and store.verify() == []


def test_preferences_of_missing_episodes_and_steps_are_refused(store: EpisodeStore) -> None:
    store.write(small(1))
    with pytest.raises(UserError, match="no episode e2"):
        store.write_preferences([TakeOver("e1", 0, 2, "ann", False), PREFERRED[0]])
    with pytest.raises(UserError, match="steps 0 to 5, not 6"):
        store.write_preferences([PREFERRED[1], TakeOver("e1", 3, 7, "ann", False)])
    assert all(store.preferences(kind) == [] for kind in PREFERENCES.values())


def test_preferences_go_with_their_episodes_and_raters(store: EpisodeStore) -> None:
    store.write(small(1))
    store.write(small(2))
    store.write_preferences(PREFERRED)
    other = MemoryStore()
    assert other.merge(store).preferences == len(PREFERRED) and other.merge(store).preferences == 0
    assert other.preferences(ClipPair) == store.preferences(ClipPair)
    assert store.remove_preferences([PREFERRED[1], PREFERRED[5]]) == 2 == 2 + store.remove_preferences([PREFERRED[1]])
    assert store.preferences(TakeOver) == [] and len(store.preferences(ClipPair)) == 2
    assert store.forget("bo") == 2 and store.preferences(RequestVerdict) == []
    store.drop(["e2"])
    assert store.preferences(ClipPair) == [PREFERRED[2]] and store.preferences(StretchScore) == [PREFERRED[6]]
    assert store.verify() == []


# Dropping and merging


def test_drop_removes_episodes_with_their_marks_and_judgements(store: EpisodeStore) -> None:
    for seed in range(4):
        store.write(small(seed))
        store.write_marks([mark(f"e{seed}"), mark(f"e{seed}", 1)])
        store.write_judgements([judgement(f"e{seed}")])
    store.drop(["e0", "e2", "e2"])
    assert store.ids() == ["e1", "e3"]
    assert (
        {each.episode_id for each in store.marks()} == {"e1", "e3"} == {each.episode_id for each in store.judgements()}
    )
    assert same_episode(store.read("e3"), small(3))
    with pytest.raises(UserError, match="no episode e0"):
        store.read("e0")
    assert store.verify() == []
    store.write(small(0))
    assert store.ids() == ["e1", "e3", "e0"] and store.marks("e0") == []


def test_drop_of_an_unknown_id_removes_nothing(store: EpisodeStore) -> None:
    store.write(small(1))
    store.write_marks([mark("e1")])
    with pytest.raises(UserError, match="no episode e9"):
        store.drop(["e1", "e9"])
    assert store.ids() == ["e1"] and store.marks() == [mark("e1")]


@pytest.mark.parametrize("source", STORES)
def test_merge_copies_new_episodes_and_can_be_repeated(store: EpisodeStore, source: str) -> None:
    with fresh(source) as other:
        for seed in (1, 2):
            store.write(small(seed))
        store.write_marks([mark("e1")])
        for seed in (2, 3):
            other.write(small(seed))
        other.write_marks([mark("e2"), mark("e3")])
        other.write_judgements([judgement("e3")])
        assert store.merge(other) == Merged(copied=1, skipped=1, marks=2, judgements=1)
        assert store.ids() == ["e1", "e2", "e3"] and same_episode(store.read("e3"), small(3))
        assert store.marks() == [mark("e1"), mark("e2"), mark("e3")] and store.judgements() == [judgement("e3")]
        assert store.merge(other) == Merged(copied=0, skipped=2, marks=0, judgements=0)
        assert store.verify() == []


def test_merge_of_different_episodes_under_one_id_copies_nothing(store: EpisodeStore) -> None:
    other = MemoryStore()
    for seed in (1, 2):
        other.write(small(seed))
    store.write(small(2, notes={"edited": True}))
    with pytest.raises(UserError, match="episode e2 differs"):
        store.merge(other)
    assert store.ids() == ["e2"]


# At once


def test_threads_may_write_and_read_at_once(store: EpisodeStore) -> None:
    problems: list[BaseException] = []

    def play(player: int) -> None:
        try:
            for round_ in range(6):
                episode = small(100 * player + round_)
                store.write(episode)
                store.write_marks([mark(episode.episode_id)])
                assert same_episode(store.read(episode.episode_id), episode)
                assert store.marks(episode.episode_id) == [mark(episode.episode_id)]
        except BaseException as error:
            problems.append(error)

    players = [threading.Thread(target=play, args=(player,)) for player in range(3)]
    for player in players:
        player.start()
    for player in players:
        player.join()
    assert problems == []
    assert len(store) == 18 == len(store.marks()) and store.verify() == []


def test_a_dataset_on_disk_is_the_same_for_every_reader(tmp_path: Path) -> None:
    first = open_store(tmp_path / "data", create=True)
    second = open_store(tmp_path / "data", create=True)
    third = pickle.loads(pickle.dumps(first))
    first.write(small(1))
    second.write(small(2))
    third.write_marks([mark("e1")])
    assert first.ids() == second.ids() == third.ids() == ["e1", "e2"]
    assert same_episode(first.read("e2"), small(2)) and second.marks() == [mark("e1")]
    with pytest.raises(UserError, match="already"):
        first.write(small(2))
    second.compact()
    assert same_episode(first.read("e1"), small(1))
    third.drop(["e1"])
    assert first.ids() == ["e2"] and first.marks() == [] and same_episode(second.read("e2"), small(2))


def test_a_person_is_removed_with_all_their_words(store: EpisodeStore) -> None:
    for seed in range(3):
        store.write(small(seed))
    ids = store.ids()
    store.write_marks([mark(ids[0], 1, rater="ann"), mark(ids[0], 2, rater="bob")])
    store.write_marks([mark(ids[1], 1, rater="ann"), mark(ids[0], 1, rater="ann")])
    store.write_judgements([judgement(ids[2], judge="ann"), judgement(ids[2], judge="bo")])
    assert store.mark_counts() == {ids[0]: 2, ids[1]: 1}
    assert store.forget("ann") >= 3 and store.forget("ann") == 0 and store.forget("nobody") == 0
    assert store.marks() == [mark(ids[0], 2, rater="bob")] and store.judgements() == [judgement(ids[2], judge="bo")]
    assert store.mark_counts() == {ids[0]: 1} and store.ids() == ids


def test_players_are_listed_by_name(store: EpisodeStore) -> None:
    players = [("human:ann", "agent:bc+human:bob"), ("scripted", "human:annie"), ("agent:ann", "human:bob")]
    for seed, (setter, solver) in enumerate(players):
        store.write(small(seed, setter=setter, solver=solver))
    ids = store.ids()
    assert [store.played_by(name) for name in ("ann", "bob", "annie", "bc")] == [
        [ids[0]],
        [ids[0], ids[2]],
        [ids[1]],
        [],
    ]


def test_facts_of_an_episode_need_no_frames(store: EpisodeStore) -> None:
    store.write(small(4))
    episode = store.read(store.ids()[0])
    found = store.read_transcript(episode.episode_id)
    assert found.spoken() == [
        (step, who, words)
        for step in range(len(episode))
        for who, words in (("setter", episode.setter_utterance[step]), ("solver", episode.utterance[step]))
        if words
    ]
    assert (found.setter, found.solver, found.success_step) == (episode.setter, episode.solver, episode.success_step)
    assert to_json(found.requests) == to_json(episode.requests) and found.taken_over == bool(episode.controller.any())


def test_marks_of_one_rater_of_one_episode_are_removed(store: EpisodeStore) -> None:
    for seed in range(2):
        store.write(small(seed))
    first, second = store.ids()
    kept = [mark(first, 1, rater="bob"), mark(second, 1, rater="ann")]
    store.write_marks([mark(first, 1, rater="ann"), mark(first, 2, rater="ann"), *kept])
    assert store.remove_marks("ann", first) == 2 and store.remove_marks("ann", first) == 0
    assert store.marks() == kept and store.remove_marks("ann", "unknown") == 0


# Declared spaces


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
    for episode in played:
        store.write(episode)
    for episode in played:
        back = store.read(episode.episode_id)
        check_equal(back, episode)
        assert back.declared == spaces and np.array_equal(back.demonstrated(), episode.demonstrated())
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
