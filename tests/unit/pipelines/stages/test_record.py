"""Recording resumes where it stopped, and never mixes worlds under one name."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipelines.stages.clone import read_episodes
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.settings.world_config import PlayersConfig, WorldConfig
from rlhf.store import open_store
from worlds.contract import WorldError
from worlds.errors import UserError

ROOM = json.dumps({"rooms": [1, 1], "furniture": [0, 1], "objects": [2, 3]})


def config(folder: Path, episodes: int) -> RecordConfig:
    world = WorldConfig(height=24, width=32, settings=ROOM)
    return RecordConfig(data=folder, episodes=episodes, steps=6, workers=1, world=world)


def test_an_interrupted_recording_is_completed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = record(config(tmp_path / "one", 2))
    store = open_store(tmp_path / "one")
    created = [store.read(episode_id).created for episode_id in first]
    store.drop(first[:1])  # as if it had been lost
    assert sorted(record(config(tmp_path / "one", 4))) == sorted(store.ids())
    assert "1 of 4 episodes are in" in capsys.readouterr().err
    assert store.read(first[1]).created == created[1]
    record(config(tmp_path / "other", 4))
    whole = open_store(tmp_path / "other")
    assert sorted(store.ids()) == whole.ids()
    for episode_id in whole.ids():
        one, other = store.read(episode_id), whole.read(episode_id)
        assert np.array_equal(one.image, other.image) and np.array_equal(one.movement, other.movement)


@pytest.mark.parametrize(
    "other",
    [
        {"world": WorldConfig(height=24, width=32, settings={"rooms": [1, 1], "objects": [5, 5]})},
        {"players": PlayersConfig(tasks={"go": 1.0})},
        {"steps": 7},
    ],
    ids=["world", "players", "steps"],
)
def test_other_settings_are_not_recorded_under_the_same_names(tmp_path: Path, other: dict) -> None:
    record(config(tmp_path, 2))
    with pytest.raises(UserError, match="recorded with other settings") as caught:
        record(replace(config(tmp_path, 3), **other))
    assert "\n" not in str(caught.value)
    assert len(open_store(tmp_path).ids()) == 2


def test_several_processes_record_what_one_does(tmp_path: Path) -> None:
    record(config(tmp_path / "one", 5))
    assert len(record(replace(config(tmp_path / "several", 5), workers=2))) == 5
    one, several = (read_episodes([tmp_path / name]) for name in ("one", "several"))
    assert [e.episode_id for e in one] == [e.episode_id for e in several]  # whichever process was faster
    assert all(np.array_equal(a.image, b.image) for a, b in zip(one, several, strict=True))


@pytest.mark.parametrize("wrong", [{"world": WorldConfig(name="moon")}, {"players": PlayersConfig(solver={"x": 1})}])
def test_impossible_settings_are_refused_before_any_process_begins(tmp_path: Path, wrong: dict) -> None:
    with pytest.raises(WorldError, match=r"moon|'x'"):
        record(replace(config(tmp_path, 2), workers=2, **wrong))


def test_an_episode_that_two_datasets_have_is_refused(tmp_path: Path) -> None:
    for name in ("one", "other"):
        record(config(tmp_path / name, 1))
    with pytest.raises(UserError, match=r"scripted-train-000000000 is in .*other and in another"):
        read_episodes([tmp_path / "one", tmp_path / "other"])


def test_recorded_setters_ask_again(tmp_path: Path) -> None:
    """Replayed beside the very solver that was recorded, they bring about the very same play."""
    first = config(tmp_path / "first", 3)
    record(first)
    again = replace(first, data=tmp_path / "again", setters=tmp_path / "first")
    ids = record(again)
    played, replayed = open_store(first.data), open_store(again.data)
    assert sorted(ids) == [f"scripted-of-{episode_id}" for episode_id in sorted(played.ids())]
    for episode in replayed.stream(ids):
        source = played.read(episode.episode_id.removeprefix("scripted-of-"))
        assert episode.setter == f"replay:{source.episode_id}"
        for name in ("image", "movement", "setter_movement"):
            assert np.array_equal(getattr(episode, name), getattr(source, name)), name
        for name in ("setter_utterance", "requests", "truth", "success_step", "config"):
            assert getattr(episode, name) == getattr(source, name), name
    assert record(again) == ids  # nothing is left to record


def test_which_recorded_setters_are_drawn_follows_from_the_seed(tmp_path: Path) -> None:
    record(replace(config(tmp_path / "first", 6), split="train"))
    drawn = [
        set(record(replace(config(tmp_path / f"{seed}", 2), setters=tmp_path / "first", seed=seed, steps=2)))
        for seed in range(4)
    ]
    assert len({frozenset(ids) for ids in drawn}) > 1
    with pytest.raises(UserError, match="has 6 episodes of the split train, so no setters for 7"):
        record(replace(config(tmp_path / "more", 7), setters=tmp_path / "first"))
    with pytest.raises(UserError, match="has 0 episodes of the split held_out"):
        record(replace(config(tmp_path / "more", 1), setters=tmp_path / "first", split="held_out"))
    assert not (tmp_path / "more").exists()


def test_an_agent_plays_on_the_device_that_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import agents.folder
    from agents.tokenizer import Tokenizer
    from pipelines.stages.clone import new_agent

    tokenizer = Tokenizer.train({"go to the red ball"}, 300)
    solver = agents.folder.save_agent(new_agent("nano", tokenizer, (24, 32)), tokenizer, tmp_path / "run" / "agent")
    real, devices = agents.folder.load_agent, []

    def load(folder: Path, **given: str) -> tuple:
        devices.append(given["device"])
        return real(folder, **given)

    monkeypatch.setattr(agents.folder, "load_agent", load)
    shown = replace(config(tmp_path / "one", 2), solver=str(solver))
    ids = record(shown)
    again = replace(shown, device="cpu:0")
    assert record(again) == ids and devices == ["cpu"]  # what is there already is the same, wherever played
    assert record(replace(again, data=tmp_path / "other")) == ids and devices == ["cpu", "cpu:0"]
    one, other = (open_store(tmp_path / name).read(ids[0]) for name in ("one", "other"))
    assert np.array_equal(one.movement, other.movement)


@pytest.mark.parametrize(
    ("world", "players", "new"),
    [
        ("playhouse", {}, "with places and requests that are never trained on"),
        ("household", {}, "with places and requests that are never trained on"),
        ("household", {"setter": {"acts": True}}, "with places that are never trained on"),
        ("school", {}, "with places that are never trained on"),
    ],
)
def test_what_is_new_in_held_out_episodes_is_said_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], world: str, players: dict[str, Any], new: str
) -> None:
    settings = replace(
        config(tmp_path / "data", 2), world=WorldConfig(world), players=PlayersConfig(**players), steps=3
    )
    record(replace(settings, held_out=0.5))
    assert f"1 of the 2 episodes are held out: {new}" in capsys.readouterr().err


def test_a_share_is_held_out_unless_a_split_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ids = record(config(tmp_path / "both", 10))
    assert "1 of the 10 episodes are held out" in capsys.readouterr().err
    both = open_store(tmp_path / "both")
    train, held_out = (record(replace(config(tmp_path / split, 10), split=split)) for split in ("train", "held_out"))
    assert sorted(both.ids(split="train")) == train[:9] and sorted(both.ids(split="held_out")) == held_out[:1]
    assert ids == sorted([*train[:9], *held_out[:1]])
    for split, episode_id in (("train", train[8]), ("held_out", held_out[0])):
        one, other = both.read(episode_id), open_store(tmp_path / split).read(episode_id)
        assert np.array_equal(one.image, other.image) and one.requests == other.requests
    assert record(config(tmp_path / "both", 10)) == ids  # all there


def test_a_share_that_is_held_out_leaves_something_to_train_on(tmp_path: Path) -> None:
    whole = config(tmp_path, 4)
    shares = {share: [part.episodes for part in replace(whole, held_out=share).parts()] for share in (0.0, 0.5, 0.99)}
    assert shares == {0.0: [4], 0.5: [2, 2], 0.99: [1, 3]}
    assert [part.split for part in replace(whole, held_out=0.5, setters=tmp_path).parts()] == ["train"]
    for wrong in (-0.1, 1.0, float("nan")):
        with pytest.raises(UserError, match="held_out is a share from 0 to less than 1"):
            replace(whole, held_out=wrong)
    with pytest.raises(UserError, match="split is"):
        replace(whole, split="test")


def test_recording_imports_no_pytorch() -> None:
    heavy = {"torch", "transformers", "datasets", "wandb"}
    code = f"import sys, pipelines.stages.record; print({heavy} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
