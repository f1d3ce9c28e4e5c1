"""Contract of stores: episodes and people are removed, and stores merged."""

from __future__ import annotations

import pytest

from rlhf.store import EpisodeStore, MemoryStore, Merged, same_episode
from tests.contracts.stores.small_records import STORES, fresh, judgement, mark, small
from worlds.errors import UserError


def test_a_drop_can_be_repeated(store: EpisodeStore) -> None:
    for seed in range(3):
        store.write(small(seed))
    first, *others = store.ids()
    kept = store.read(first)
    assert store.drop([first]) == 1
    assert store.drop([first]) == 0
    assert store.ids() == others
    with pytest.raises(UserError, match="no episode e9"):
        store.drop([first, "e9"])
    store.write(kept)  # the same id again is another episode
    assert store.drop([first]) == 1 and store.ids() == others


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
