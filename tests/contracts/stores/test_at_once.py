"""Contract of stores: several threads and readers at once."""

from __future__ import annotations

import pickle
import threading
from pathlib import Path

import pytest

from rlhf.store import EpisodeStore, open_store, same_episode
from rlhf.store.columns.json_text import to_json
from tests.contracts.stores.small_records import judgement, mark, small
from worlds.errors import UserError


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
