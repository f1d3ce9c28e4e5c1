"""Where an agent learned is where it plays next, unless another place is named: no setting is typed twice."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.play_settings import PLAY_SETTINGS_FILE
from annotation.games.places import places_of_dataset
from pipelines.cli.episodes import merge_datasets
from pipelines.cli.main import main
from pipelines.stages.evaluate import EvaluateConfig, evaluate, resolve_config
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.outcomes.results_file import EvaluatedWith
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.settings.play_settings import (
    PlaySettings,
    settings_of_agent,
    settings_of_dataset,
    settings_of_datasets,
    world_differences,
)
from pipelines.stages.settings.world_config import DEFAULT_PLAYERS, PlayersConfig, WorldConfig
from rlhf.records.json_records import from_json, to_json
from rlhf.run.checkpoint import Checkpoints
from rlhf.run.config import load_config
from rlhf.store import MemoryStore, open_store
from rlhf.store.folder.description import DESCRIPTION_FILE
from worlds.errors import UserError

_ROOM = {"rooms": [1, 1], "furniture": [0, 0], "objects": [3, 3], "room_size": [4.0, 4.0]}
ROOM = json.dumps(_ROOM)  # as people type it
WORLD = WorldConfig("playhouse", 12, 16, _ROOM, {"fov_y_deg": 60.0})
PLAYERS = PlayersConfig({"go": 1.0}, {"first_request": [0, 0]}, {"reaction": 0})


def recording(folder: Path, **changes: Any) -> RecordConfig:
    shown = RecordConfig(data=folder, episodes=2, steps=4, workers=1, world=WORLD, players=PLAYERS)
    return replace(shown, **changes)


def an_agent(folder: Path, settings: PlaySettings | None) -> str:
    folder.mkdir(parents=True)
    if settings is not None:
        (folder / PLAY_SETTINGS_FILE).write_text(json.dumps(to_json(settings)))
    return str(folder)


# -- what is remembered --------------------------------------------------------------------------------------------


def test_a_dataset_keeps_the_settings_of_its_recording(tmp_path: Path) -> None:
    record(recording(tmp_path))
    assert settings_of_dataset(tmp_path) == (PlaySettings(WORLD, PLAYERS),)
    record(recording(tmp_path, episodes=3))
    assert settings_of_dataset(tmp_path) == (PlaySettings(WORLD, PLAYERS),)  # once
    assert settings_of_datasets([tmp_path / "nothing"]) == PlaySettings()


def test_settings_that_nothing_can_be_played_with_are_not_remembered(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="'x'"):
        record(recording(tmp_path, players=replace(PLAYERS, solver={"x": 1})))
    assert settings_of_dataset(tmp_path) == ()


def test_the_first_of_several_settings_is_used_and_the_others_are_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record(recording(tmp_path))
    record(recording(tmp_path, seed=1, players=replace(PLAYERS, solver={})))
    assert len(settings_of_dataset(tmp_path)) == 2
    capsys.readouterr()
    assert settings_of_datasets([tmp_path]) == PlaySettings(WORLD, PLAYERS)
    assert "differs in players.solver; that of the first episodes is used" in capsys.readouterr().err
    settings_of_datasets([tmp_path], PlaySettings(players=PLAYERS))
    assert capsys.readouterr().err == ""  # nothing of that is asked


def test_foreign_play_gives_the_settings_it_has(tmp_path: Path) -> None:
    record(recording(tmp_path))
    path = tmp_path / DESCRIPTION_FILE
    about = json.loads(path.read_text())
    del about["play_settings"]  # as older versions wrote it, and as play of people is
    path.write_text(json.dumps(about))
    world = WorldConfig("playhouse", 12, 16, options=WORLD.options)
    assert settings_of_dataset(tmp_path) == (PlaySettings(world),)


def test_merged_play_and_games_are_where_the_first_was_played(tmp_path: Path) -> None:
    record(recording(tmp_path / "one"))
    merge_datasets(tmp_path / "one", tmp_path / "all")
    assert settings_of_dataset(tmp_path / "all") == (PlaySettings(WORLD, PLAYERS),)
    assert places_of_dataset(open_store(tmp_path / "all"), "playhouse").settings == _ROOM
    for empty in (open_store(tmp_path / "new", create=True), MemoryStore()):
        assert places_of_dataset(empty, "playhouse").settings is None


@pytest.mark.parametrize("noted", ['"x"', "[1]", '[{"world": {"height": "big"}}]', '[{"place": {}}]'])
def test_damaged_settings_are_named(tmp_path: Path, noted: str) -> None:
    record(recording(tmp_path))
    path = tmp_path / DESCRIPTION_FILE
    path.write_text(json.dumps(json.loads(path.read_text()) | {"play_settings": json.loads(noted)}))
    with pytest.raises(UserError, match=r"dataset\.json is damaged") as refused:
        settings_of_dataset(tmp_path)
    assert "\n" not in str(refused.value)
    (tmp_path / PLAY_SETTINGS_FILE).write_text(noted[:-1])
    with pytest.raises(UserError, match=r"play_settings\.json is damaged") as refused:
        settings_of_agent(tmp_path)
    assert "\n" not in str(refused.value)


# -- what follows from it ------------------------------------------------------------------------------------------


def test_an_evaluation_is_where_its_agent_learned(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    agents = {"bc": an_agent(tmp_path / "bc", PlaySettings(WORLD, PLAYERS)), "demonstrator": "scripted"}
    config = resolve_config(EvaluateConfig(agents=agents))
    assert (config.world, config.players) == (WORLD, PLAYERS)
    assert capsys.readouterr().err == ""
    elsewhere = resolve_config(EvaluateConfig(agents=agents, world=WorldConfig(settings={"rooms": [1, 5]})))
    assert elsewhere.world == replace(WORLD, settings={"rooms": [1, 5]})  # and the rest is remembered
    (line,) = capsys.readouterr().err.splitlines()
    assert (
        "evaluating in other places than bc learned in: rooms [1, 5] instead of [1, 1], furniture the default" in line
    )


def test_agents_of_different_places_are_not_evaluated_together_unless_the_places_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = replace(WORLD, settings={"rooms": [1, 5]})
    agents = {
        "bc": an_agent(tmp_path / "bc", PlaySettings(WORLD, PLAYERS)),
        "old": an_agent(tmp_path / "old", None),
        "far": an_agent(tmp_path / "far", PlaySettings(other, PLAYERS)),
    }
    with pytest.raises(
        UserError, match=r"bc and far learned in different places \(rooms \[1, 1\] instead of"
    ) as refused:
        evaluate(EvaluateConfig(agents=agents, out=tmp_path / "results.json"))
    assert f"--world.settings '{ROOM}'" in str(refused.value) and "\n" not in str(refused.value)
    assert resolve_config(EvaluateConfig(agents=agents, world=WorldConfig(settings=_ROOM))).world == WORLD
    (line,) = capsys.readouterr().err.splitlines()
    assert "in other places than far learned in: rooms [1, 1] instead of [1, 5]" in line


def test_the_settings_of_another_world_are_no_defaults() -> None:
    moon = PlaySettings(WorldConfig(name="moon"), PlayersConfig(setter={}))
    assert moon.or_else(PlaySettings(WORLD, PLAYERS)).complete() == PlaySettings(
        WorldConfig("moon", 12, 16, {}, {}), replace(DEFAULT_PLAYERS, setter={})
    )
    assert world_differences(WorldConfig(name="moon"), WORLD) == ["world moon instead of playhouse"]


def test_a_dataset_is_extended_with_its_own_settings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ids = record(recording(tmp_path))
    more = RecordConfig(data=tmp_path, episodes=3, steps=4, workers=1)
    assert set(ids) < set(record(more))  # refused if it were of other settings
    assert open_store(tmp_path).description.image_size == (12, 16)
    capsys.readouterr()
    record(replace(more, seed=1, episodes=1, world=WorldConfig(settings={"rooms": [1, 1]})))
    assert f"recording in other places than {tmp_path} holds: furniture the default instead" in capsys.readouterr().err


# -- the whole way, by commands ------------------------------------------------------------------------------------


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    monkeypatch.chdir(tmp_path)

    def command(*words: str) -> None:
        assert main(list(words)) == 0, words

    return command


TYPED = ["--world.height=12", "--world.width=16", f"--world.settings={ROOM}", '--world.options={"fov_y_deg": 60.0}']
TRAINING = ["--training.updates=1", "--training.batch=2", "--training.steps=2", "--wandb=disabled"]


def test_no_setting_is_typed_twice(run: Callable[..., None], capsys: pytest.CaptureFixture[str]) -> None:
    players = [
        '--players.tasks={"go": 1}',
        '--players.setter={"first_request": [0, 0]}',
        '--players.solver={"reaction": 0}',
    ]
    run("record", "--episodes=10", "--steps=6", "--workers=1", *TYPED, *players)
    run("mark", "--miss=0")
    run("clone", "--checkpoint-every=1", *TRAINING)
    agent, improved = Path("runs/clone/agent"), Path("runs/improve/agent")
    learned = PlaySettings(WORLD, PLAYERS)
    assert (
        settings_of_agent(agent) == settings_of_agent(Checkpoints(Path("runs/clone")).latest().agent_folder) == learned
    )
    assert "play_settings.json" in (agent / "README.md").read_text(encoding="utf-8")
    run("record", f"--solver={agent}", "--data=data/agents", "--episodes=2", "--steps=4", "--slots=2")
    assert settings_of_dataset(Path("data/agents")) == (learned,)
    run(
        "improve",
        "--scripted-reward",
        "--updates=1",
        "--slots=2",
        "--steps=2",
        "--checkpoint-every=1",
        "--wandb=disabled",
    )
    assert (
        settings_of_agent(improved)
        == settings_of_agent(Checkpoints(Path("runs/improve")).latest().agent_folder)
        == learned
    )
    assert json.loads(Path("runs/improve/config.json").read_text())["config"]["world"] == to_json(WORLD)
    both = [
        "evaluate",
        "--agents",
        "bc",
        str(agent),
        "bc+rl",
        str(improved),
        "--episodes=1",
        "--slots=1",
        "--probes",
        "go",
    ]
    run(*both)
    rows = json.loads(Path("results.json").read_text())
    assert len(rows) == 2
    for row in rows:
        resolved = from_json(EvaluatedWith, row["evaluated_with"])
        assert (resolved.world, resolved.players) == (WORLD, PLAYERS)
    assert "other places" not in capsys.readouterr().err
    run("improve", "--resume=runs/improve", "--updates=2", "--wandb=disabled")
    assert load_config(Path("runs/improve"), ImproveConfig).world == WORLD
