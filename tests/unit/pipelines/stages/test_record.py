"""Recording: it is completed where it stopped, never mixes settings, and plays the worlds of others, in processes."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipelines.cli.main import main
from pipelines.stages.clone import read_episodes
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.settings.world_config import PlayersConfig, WorldConfig
from rlhf.store import open_store
from tests.patience import PATIENCE_SEC
from tests.unit.docs.pages import blocks
from tests.unit.pipelines.stages.small_training import ROOM, SETTINGS, WORLD
from worlds import registry
from worlds.contract import WorldError
from worlds.errors import UserError
from worlds.foreign_code.trust import permit


def config(folder: Path, episodes: int) -> RecordConfig:
    world = WorldConfig(height=24, width=32, settings=SETTINGS)
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


def test_later_numbers_of_a_seed_are_the_same_from_wherever_a_recording_begins(tmp_path: Path) -> None:
    all_of_them = record(replace(config(tmp_path / "whole", 5), split="held_out"))
    later = record(replace(config(tmp_path / "later", 2), split="held_out"), first=3)
    assert later == all_of_them[3:]
    one, other = (open_store(tmp_path / name).read(later[0]) for name in ("whole", "later"))
    assert one.config == other.config and np.array_equal(one.movement, other.movement)


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


@pytest.mark.parametrize(
    ("world", "players", "new"),
    [
        ("playhouse", {}, "places and requests"),
        ("household", {"setter": {"acts": True}}, "places"),
        ("school", {}, "places"),
    ],
)
def test_what_is_new_in_held_out_episodes_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], world: str, players: dict[str, Any], new: str
) -> None:
    settings = {"world": WorldConfig(world), "players": PlayersConfig(**players), "steps": 3, "held_out": 0.5}
    record(replace(config(tmp_path / "data", 2), **settings))
    told = f"1 of the 2 episodes are held out: with {new} that are never trained on"
    assert told in capsys.readouterr().err


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
    for wrong in ({"held_out": 1.0}, {"held_out": float("nan")}, {"split": "test"}):
        with pytest.raises(UserError, match=f"{next(iter(wrong))} is"):
            replace(whole, **wrong)


def test_recording_imports_no_pytorch() -> None:
    heavy = {"torch", "transformers", "datasets", "wandb"}
    code = f"import sys, pipelines.stages.record; print({heavy} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


# Worlds of others


OWN_WORLD = Path(__file__).parents[4] / "examples" / "own_world" / "discs.py"


DISCS = WorldConfig(str(OWN_WORLD), height=12, width=16)
OF_DISCS = RecordConfig(episodes=3, steps=6, workers=1, held_out=0.0, world=DISCS)
LAKE = ["--world.name", "gym:FrozenLake-v1", "--world.env", '{"is_slippery": false}', "--world.instruction", "cross"]


def test_workers_import_the_file_for_themselves_and_record_the_same(tmp_path: Path) -> None:
    names = record(replace(OF_DISCS, data=tmp_path / "one"))
    assert record(replace(OF_DISCS, data=tmp_path / "two", workers=2)) == names
    for name in names:
        one, two = (open_store(tmp_path / folder).read(name) for folder in ("one", "two"))
        assert np.array_equal(one.image, two.image) and np.array_equal(one.movement, two.movement)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_gymnasium_environment_is_recorded_with_its_own_settings(tmp_path: Path, workers: str) -> None:
    words = ["--data", str(tmp_path / "data"), "--episodes", "4", "--steps", "40", "--workers", workers]
    assert main(["record", *words, *LAKE, "--world.picture", "16"]) == 0
    store = open_store(tmp_path / "data")
    episodes = [store.read(episode_id) for episode_id in store.ids()]
    assert len(episodes) == 4 and {episode.world for episode in episodes} == {"gym:FrozenLake-v1"}
    for episode in episodes:
        assert episode.image is not None and episode.image.shape[1:] == (16, 16, 3)
        assert [(one.step, one.task.instruction) for one in episode.requests] == [(0, "cross")]
        assert episode.movement.shape[1:] == (1, 1) and set(episode.config) == {"seed"}


def test_a_file_and_its_name_are_the_same_world(tmp_path: Path) -> None:
    by_name = replace(OF_DISCS, world=replace(DISCS, name=registry.get(str(OWN_WORLD)).name))
    names = record(replace(OF_DISCS, data=tmp_path))
    assert record(replace(by_name, data=tmp_path)) == names


def test_the_scripted_player_of_the_documents_plays(tmp_path: Path) -> None:
    """A file that builds on the Playhouse registers a world of its own with another solver."""
    page = Path(__file__).parents[4] / "docs" / "world-contract.md"
    (source,) = (block.text for block in blocks(page) if "PoliteSolver" in block.text)
    (tmp_path / "polite.py").write_text(source)
    permit([str(tmp_path / "polite.py")])
    world = replace(DISCS, name=str(tmp_path / "polite.py"))
    names = record(replace(OF_DISCS, data=tmp_path / "data", episodes=1, steps=20, world=world))
    episode = open_store(tmp_path / "data").read(names[0])
    assert episode.world == "playhouse-polite" and "ok" in episode.utterance


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (None, "no world file .*world.py; known by name: .*playhouse"),
        ("x = 1", "world file .*world.py registers 0 worlds .none.; call register exactly once in it"),
        ("import nowhere_at_all", "world file .*world.py fails to import: ModuleNotFoundError: .*nowhere_at_all"),
    ],
)
def test_a_file_without_a_world_is_named(text: str | None, complaint: str, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / "world.py").write_text(text)
        permit([str(tmp_path / "world.py")])
    with pytest.raises(WorldError, match=complaint) as caught:
        registry.get(str(tmp_path / "world.py"))
    assert "\n" not in str(caught.value)


def test_another_file_with_the_same_world_is_refused(tmp_path: Path) -> None:
    registry.get(str(OWN_WORLD))
    copied = shutil.copy(OWN_WORLD, tmp_path / "own.py")
    permit([str(copied)])
    with pytest.raises(WorldError, match="another world is registered as 'discs'"):
        registry.get(str(copied))


def test_setters_of_another_world_are_refused(tmp_path: Path) -> None:
    record(replace(OF_DISCS, data=tmp_path / "data", episodes=1))
    playhouse = replace(DISCS, name="playhouse")
    with pytest.raises(UserError, match="is of the world discs, not of playhouse"):
        record(replace(OF_DISCS, data=tmp_path / "new", episodes=1, setters=tmp_path / "data", world=playhouse))


# Processes


SCRIPT = """
    from pathlib import Path
    from pipelines.stages.settings.world_config import WorldConfig
    from pipelines.stages.record import RecordConfig, record
    world = WorldConfig({name!r}, 12, 16, settings='{settings}')
    print(len(record(RecordConfig(Path({data!r}), episodes=4, steps=3, workers=2, world=world))))
"""


def run(script: str, folder: Path, name: str = "playhouse", settings: str = ROOM) -> subprocess.CompletedProcess[str]:
    file = folder / "script.py"
    file.write_text(textwrap.dedent(script.format(data=str(folder / "data"), name=name, settings=settings)))
    return subprocess.run([sys.executable, str(file)], capture_output=True, text=True, timeout=PATIENCE_SEC)


def test_a_script_without_a_main_guard_records_in_several_processes(tmp_path: Path) -> None:
    done = run(SCRIPT, tmp_path)
    assert (done.returncode, done.stdout) == (0, "4\n"), done.stderr
    assert len(open_store(tmp_path / "data").ids()) == 4


def test_a_world_of_the_script_itself_is_played_in_one_process(tmp_path: Path) -> None:
    own = """
    from dataclasses import replace
    from worlds import registry

    def make(**given):
        return registry.get("playhouse").make(**given)

    registry.register(replace(registry.get("playhouse"), name="mine", make=make))
    """
    done = run(own + SCRIPT, tmp_path, name="mine")
    assert (done.returncode, done.stdout) == (0, "4\n"), done.stderr
    assert "the world mine is defined in the script that runs" in done.stderr


def recording(folder: Path) -> subprocess.Popen[str]:
    """A recording without end that has stored its first episodes, in a session of its own."""
    words = ["record", f"--data={folder}", "--episodes=100000", "--steps=5", "--workers=2", *WORLD]
    process = subprocess.Popen(
        [sys.executable, "-m", "pipelines.cli.main", *words], stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    while not (folder / "steps").exists() or len(list((folder / "steps").glob("*.parquet"))) < 3:
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.01)
    return process


def children(pid: int) -> list[int]:
    listed = subprocess.run(["ps", "-o", "pid=,ppid=", "-A"], capture_output=True, text=True, check=True).stdout
    return [int(child) for child, parent in map(str.split, listed.splitlines()) if int(parent) == pid]


def test_ctrl_c_ends_a_recording_with_one_line_and_keeps_every_episode(tmp_path: Path) -> None:
    process = recording(tmp_path / "data")
    os.killpg(process.pid, signal.SIGINT)
    message = process.communicate(timeout=PATIENCE_SEC)[1]  # nobody holds the pipe any more
    assert process.returncode == 130 and "Traceback" not in message
    assert message.splitlines()[-1].startswith("stopped; every finished episode is kept in the dataset")
    assert open_store(tmp_path / "data").verify() == []


def test_a_recording_process_that_is_killed_is_one_line_with_signal_and_episode(tmp_path: Path) -> None:
    process = recording(tmp_path / "data")
    workers = children(process.pid)
    assert len(workers) == 2
    os.kill(workers[0], signal.SIGKILL)
    message = process.communicate(timeout=PATIENCE_SEC)[1]
    assert process.returncode == 1 and "Traceback" not in message
    last = message.splitlines()[-1]
    assert last.startswith(f"error: process {workers[0]} was killed by SIGKILL")
    assert "while playing episode scripted-" in last and "every finished episode is kept in the dataset" in last
    assert "the same command" in last
    assert open_store(tmp_path / "data").verify() == []
