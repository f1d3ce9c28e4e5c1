"""Agents to play with: named or found, fitting the dataset or refused, and unnamed to the setter who judges them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.pretrained import PLAYHOUSE
from annotation.games.places import KnownPlaces, Sources
from annotation.games.unfinished import Unfinished
from annotation.server.errors import Refused
from annotation.server.services.active_game import ActiveGame, GameRequest
from annotation.server.services.agents import Agents, agent_computing, size_clashes
from annotation.server.services.games import Games
from annotation.session import states as session
from annotation.session.states import Kind, Role, SessionEvent, State
from rlhf.run.place_seeds import HELD_OUT_SEEDS, TRAINING_SEEDS
from rlhf.store import MemoryStore
from rlhf.store.synthetic import synthetic_episode
from tests.patience import until
from worlds.errors import UserError

ROOM = {"rooms": [1, 1], "objects": [3, 4], "colours": ["red", "blue"]}


def make_agent(folder: Path, height: int = 72, kind: str = "interactive_agent", role: str = "solver") -> Path:
    """A folder that looks like an agent's; what is in it cannot play."""
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps({"model_type": kind, "image_size": [height, 96], "role": role}))
    (folder / "model.safetensors").write_bytes(b"")
    return folder


def in_the_demos_room(folder: Path, **world: object) -> Path:
    """An agent that learned in rooms with few things, seen through a narrow lens."""
    settings = {"name": "playhouse", "height": 72, "width": 96, "settings": ROOM, "options": {"fov_y_deg": 60.0}}
    (make_agent(folder) / "play_settings.json").write_text(json.dumps({"world": settings | world, "players": {}}))
    return folder


def games(tmp_path: Path, held_out: float = 0.0, **named: Path) -> Games:
    return Games(2, 300, Agents(named, tmp_path), Unfinished(tmp_path / "games"), lambda: None, held_out=held_out)


def request(kind: Kind, agent: str = "", **more: Any) -> GameRequest:
    return GameRequest("p", "people", kind, agent=agent, **more)


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[Games]:
    """Games in which the only agent has learned in the demo's room."""
    playing = games(tmp_path, demo=in_the_demos_room(tmp_path / "demo"))
    yield playing
    playing.close()


def test_agents_are_found_in_the_studys_folder_unless_some_are_named(tmp_path: Path) -> None:
    mine = make_agent(tmp_path / "bc")
    make_agent(tmp_path / "runs" / "rl" / "agent", height=36)
    make_agent(tmp_path / "runs" / "too" / "far" / "down")
    make_agent(tmp_path / "reward", kind="reward_model")
    setter = make_agent(tmp_path / "setter", role="setter")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "config.json").write_text("{")
    found = Agents({}, tmp_path).all()
    assert [(agent.name, agent.image) for agent in found] == [("bc", (72, 96)), ("runs/rl/agent", (36, 96))]
    assert [agent.name for agent in Agents({"mine": mine}, tmp_path).all()] == ["mine"]
    for wrong, named in ((setter, "of a setter"), (tmp_path, "is not an agent's folder")):
        with pytest.raises(UserError, match=f"agent mine: .*{named}"):
            Agents({"mine": wrong}, tmp_path)


def test_the_pretrained_agent_is_offered_where_there_is_no_other(tmp_path: Path) -> None:
    (only,) = Agents({}, tmp_path).all()
    assert (only.name, only.folder, only.trouble) == ("pretrained", PLAYHOUSE, "")
    assert not size_clashes([only], {"small": (36, 48)})
    make_agent(tmp_path / "bc")
    assert [agent.name for agent in Agents({}, tmp_path).all()] == ["bc"]


def test_an_agent_of_another_image_size_is_refused_before_the_game(tmp_path: Path) -> None:
    make_agent(tmp_path / "small", height=36)
    store = MemoryStore()
    store.write(synthetic_episode(1, steps=4, height=72, width=96))
    for kind in (Kind.HUMAN_AGENT, Kind.EVALUATION):
        with pytest.raises(Refused, match="36x96 pixels, the dataset people holds 72x96"):
            games(tmp_path).start(request(kind, "small"), store)
    agents = Agents({}, tmp_path).all()
    (sentence,) = size_clashes(agents, {"play": (72, 96), "demo": (36, 96)})
    assert "dataset play" in sentence and "72x96" in sentence and "small 36x96" in sentence
    assert size_clashes([], {"play": (72, 96)}) == []


def test_threads_of_agents_are_shared_among_games_unless_they_are_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 16)
    assert [agent_computing(0, "cpu", games).threads for games in (1, 4, 64)] == [8, 3, 1]
    assert agent_computing(5, "cpu", 4).threads == 5
    with pytest.raises(UserError, match="no device is called 'gpu'"):
        agent_computing(0, "gpu", 1)


@pytest.mark.parametrize(("kind", "drawn"), [(Kind.EVALUATION, {"a", "b"}), (Kind.HUMAN_AGENT, {"a"})])
def test_an_evaluation_ignores_which_agent_is_wished_for(tmp_path: Path, kind: Kind, drawn: set[str]) -> None:
    playing = games(tmp_path, a=make_agent(tmp_path / "a"), b=make_agent(tmp_path / "b"))
    assert {playing._agent(request(kind, "a"), None, None).name for _ in range(60)} == drawn


@pytest.mark.parametrize("kind", [Kind.HUMAN_AGENT, Kind.EVALUATION])
def test_an_agent_that_cannot_be_loaded_is_reported_and_without_its_name_in_evaluations(
    tmp_path: Path, kind: Kind, caplog: pytest.LogCaptureFixture
) -> None:
    playing = games(tmp_path, secret=make_agent(tmp_path / "secret"))
    store = MemoryStore()
    running = playing.start(request(kind), store)
    with suppress(Refused, session.TransitionRefused):  # on a busy machine the game may be over before
        running.join(Role.SETTER, "id", "p1")
        running.connect(Role.SETTER, lambda: None)
        running.game.do(Role.SETTER, SessionEvent.READY)
    until(lambda: running.over_since is not None, "the end of the game")
    view = running.game.screen(Role.SETTER).latest
    assert view is not None and view.state is State.ABANDONED and len(store) == 0
    assert "the agent" in view.notice
    assert ("secret" in view.notice) == ("the agent secret cannot play" in view.notice) == (kind is Kind.HUMAN_AGENT)
    assert str(tmp_path) not in view.notice  # the reason is for the log
    assert f"{tmp_path / 'secret'} is damaged" in caplog.text
    playing.close()
    with pytest.raises(Refused, match="stopping"):
        playing.start(request(kind), store)


def test_evaluations_and_a_share_of_peoples_games_are_played_in_held_out_places(tmp_path: Path) -> None:
    playing = games(tmp_path, held_out=0.3)

    def config(asked: GameRequest) -> Any:
        return playing._config(asked, MemoryStore(), None, None)[0]

    evaluated = config(request(Kind.EVALUATION, prompted=True))
    assert (evaluated.split, evaluated.steps) == ("held_out", 1125) and evaluated.prompt is not None
    configs = [evaluated, *(config(request(Kind.HUMAN_HUMAN)) for _ in range(400))]
    held_out = [config for config in configs if config.split == "held_out"]
    assert 70 < len(held_out) < 170  # 120 expected; the standard deviation is 9
    assert all(config.seed in (HELD_OUT_SEEDS if config.split == "held_out" else TRAINING_SEEDS) for config in configs)
    for unrecorded in (request(Kind.PRACTICE_SETTING), GameRequest("p", "", Kind.HUMAN_HUMAN)):
        assert {config(unrecorded).split for _ in range(60)} == {"train"}


def test_games_with_an_agent_are_played_where_it_learned_unless_the_leader_says_where(demo: Games) -> None:
    def started(**more: Any) -> tuple[ActiveGame, Any]:
        running = demo.start(request(Kind.HUMAN_AGENT, "demo", **more), MemoryStore())
        assert running.game.config.world_options == {"fov_y_deg": 60.0}
        return running, running.game._live_world.place

    running, place = started()
    assert len(place["rooms"]) == 1 and 3 <= len(place["objects"]) <= 4
    expected = "Houses in which the agent demo learned: rooms 1, objects 3 to 4, colours red or blue, fov y deg 60."
    assert running.places == expected
    running, place = started(places=Sources(project=KnownPlaces(settings={"rooms": [2, 2]})))
    assert len(place["rooms"]) == 2, "but with the agent's options, which the leader did not set"
    assert running.places.startswith("Houses as the study's leader set them: rooms 2, ")


def test_who_evaluates_an_agent_does_not_recognise_it_by_its_houses(demo: Games) -> None:
    running = demo.start(request(Kind.EVALUATION), MemoryStore())
    assert running.places == "Houses in which the agent learned."
    assert running.game.config.place_settings == ROOM


def test_an_agent_with_other_world_options_than_the_dataset_is_refused_in_one_line(demo: Games) -> None:
    store = MemoryStore()
    played = synthetic_episode(1, steps=4, height=72, width=96)
    store.write(replace(played, world="playhouse", notes={"world_options": {"fov_y_deg": 75.0}}))
    learned = "agent demo learned with world options .*60.*, the dataset was recorded with .*75"
    with pytest.raises(Refused, match=learned):
        demo.start(request(Kind.HUMAN_AGENT, "demo"), store)
    with pytest.raises(Refused, match="no agent can play into the dataset people") as hidden:
        demo.start(request(Kind.EVALUATION), store)
    assert "demo" not in str(hidden.value)


def test_an_agent_that_does_not_say_where_it_learned_is_named_and_a_damaged_one_refused(tmp_path: Path) -> None:
    playing = games(tmp_path, old=make_agent(tmp_path / "old"))
    running = playing.start(request(Kind.HUMAN_AGENT, "old"), MemoryStore())
    assert running.places.startswith("Houses of the world's default settings. The agent old does not say where")
    playing.close()
    folder = in_the_demos_room(tmp_path / "demo", settings="[")
    with pytest.raises(UserError, match=r"agent demo: .*play_settings.json is damaged"):
        games(tmp_path, demo=folder)
    with pytest.raises(Refused, match=r"play_settings.json is damaged"):
        games(tmp_path).start(request(Kind.HUMAN_AGENT, "demo"), MemoryStore())
