"""Where an agent learned is where it plays next, unless another place is named: no setting is typed twice."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.play_settings import PLAY_SETTINGS_FILE
from annotation.games.places import places_of_dataset
from pipelines.cli.episodes import merge_datasets
from pipelines.stages.evaluate import EvaluateConfig, evaluate, resolve_config
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.settings.play_settings import (
    PlaySettings,
    settings_of_agent,
    settings_of_dataset,
    settings_of_datasets,
    world_differences,
)
from pipelines.stages.settings.world_config import DEFAULT_PLAYERS, PlayersConfig, WorldConfig
from rlhf.records.json_records import to_json
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


def test_a_dataset_keeps_the_settings_of_its_recording(tmp_path: Path) -> None:
    record(recording(tmp_path))
    assert settings_of_dataset(tmp_path) == (PlaySettings(WORLD, PLAYERS),)
    record(recording(tmp_path, episodes=3))
    assert settings_of_dataset(tmp_path) == (PlaySettings(WORLD, PLAYERS),)  # once
    assert settings_of_datasets([tmp_path / "nothing"]) == PlaySettings()
    with pytest.raises(Exception, match="'x'"):
        record(recording(tmp_path / "new", players=replace(PLAYERS, solver={"x": 1})))
    assert settings_of_dataset(tmp_path / "new") == ()


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
    (tmp_path / PLAY_SETTINGS_FILE).write_text(noted[:-1])
    for read, name in ((settings_of_dataset, "dataset"), (settings_of_agent, "play_settings")):
        with pytest.raises(UserError, match=rf"{name}\.json is damaged") as refused:
            read(tmp_path)
        assert "\n" not in str(refused.value)


def test_an_evaluation_is_where_its_agent_learned(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    agents = {"bc": an_agent(tmp_path / "bc", PlaySettings(WORLD, PLAYERS)), "demonstrator": "scripted"}
    config = resolve_config(EvaluateConfig(agents=agents))
    assert (config.world, config.players) == (WORLD, PLAYERS)
    assert capsys.readouterr().err == ""
    elsewhere = resolve_config(EvaluateConfig(agents=agents, world=WorldConfig(settings={"rooms": [1, 5]})))
    assert elsewhere.world == replace(WORLD, settings={"rooms": [1, 5]})  # and the rest is remembered
    told = capsys.readouterr().err
    assert "evaluating in other places than bc learned in: rooms [1, 5] instead of [1, 1], furniture the" in told


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
    assert "in other places than far learned in: rooms [1, 1] instead of [1, 5]" in capsys.readouterr().err


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
