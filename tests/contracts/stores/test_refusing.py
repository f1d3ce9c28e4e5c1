"""Contract of stores: episodes that do not belong, or hold impossible values, are refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rlhf.records.episode import Episode
from rlhf.store import EpisodeStore, MemoryStore, same_episode
from rlhf.store.synthetic import synthetic_episode
from tests.contracts.stores.small_records import small
from worlds.errors import UserError


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
    with pytest.raises(UserError, match="image.width: .* has 5, episode e2 7"):
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


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (small(9), "episode e9 is in .* already"),
        (small(2), "two episodes are called e2"),
        (small(7, world="another"), "episode e7 is of world another"),
        (synthetic_episode(7, 6, 5, 5, "e7"), "episode e7 has other spaces"),
        (small(7, notes={"a": object()}), "episode e7 cannot be recorded"),
    ],
)
def test_a_group_with_a_wrong_episode_is_not_written(store: EpisodeStore, wrong: Episode, message: str) -> None:
    store.write(small(9))
    with pytest.raises(UserError, match=message):
        store.write_group([small(2), wrong])
    assert store.ids() == ["e9"] and store.verify() == []
    store.write_group([])
    store.write_group([small(2), small(7)])
    assert store.ids() == ["e9", "e2", "e7"] and same_episode(store.read("e7"), small(7))
