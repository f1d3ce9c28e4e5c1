"""Contract of stores: episodes are found by id, split, solver and player, and read in the requested order."""

from __future__ import annotations

import pytest

from rlhf.store import EpisodeStore
from tests.contracts.stores.small_records import small
from worlds.errors import UserError


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
