"""Agents to play with: named or found, fitting the dataset or refused, and unnamed to the setter who judges them."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

import pytest

from annotation.games.unfinished import Unfinished
from annotation.server.errors import Refused
from annotation.server.services.active_game import GameRequest
from annotation.server.services.agents import Agents, agent_computing, size_clashes
from annotation.server.services.games import Games
from annotation.session import states as session
from annotation.session.states import Kind, Role, SessionEvent, State
from rlhf.store import MemoryStore
from rlhf.store.synthetic import synthetic_episode
from tests.patience import until
from worlds.errors import UserError


def make_agent(folder: Path, height: int = 72, kind: str = "interactive_agent") -> Path:
    """A folder that looks like an agent's; what is in it cannot play."""
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps({"model_type": kind, "image_size": [height, 96]}))
    (folder / "model.safetensors").write_bytes(b"")
    return folder


def games(tmp_path: Path, **named: Path) -> Games:
    return Games(2, 300, Agents(named, tmp_path), Unfinished(tmp_path / "games"), lambda: None)


def test_agents_are_found_in_the_studys_folder(tmp_path: Path) -> None:
    make_agent(tmp_path / "bc")
    make_agent(tmp_path / "runs" / "rl" / "agent", height=36)
    make_agent(tmp_path / "runs" / "too" / "far" / "down")
    make_agent(tmp_path / "reward", kind="reward_model")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "config.json").write_text("{")
    found = Agents({}, tmp_path).all()
    assert [(agent.name, agent.image) for agent in found] == [("bc", (72, 96)), ("runs/rl/agent", (36, 96))]


def test_named_agents_are_the_only_ones(tmp_path: Path) -> None:
    make_agent(tmp_path / "bc")
    elsewhere = make_agent(tmp_path.parent / f"{tmp_path.name}-elsewhere")
    agents = Agents({"mine": elsewhere}, tmp_path)
    assert [agent.name for agent in agents.all()] == ["mine"]
    with pytest.raises(UserError, match="agent mine: .* is not an agent's folder"):
        Agents({"mine": tmp_path}, tmp_path)


def test_an_agent_of_another_image_size_is_refused_before_the_game(tmp_path: Path) -> None:
    make_agent(tmp_path / "small", height=36)
    store = MemoryStore()
    store.write(synthetic_episode(1, steps=4, height=72, width=96))
    for kind in (Kind.HUMAN_AGENT, Kind.EVALUATION):
        with pytest.raises(Refused, match="36x96 pixels, the dataset people holds 72x96"):
            games(tmp_path).start(GameRequest("p", "people", kind, agent="small"), store)


def test_datasets_that_no_agent_can_see_are_named_with_both_sizes(tmp_path: Path) -> None:
    make_agent(tmp_path / "small", height=36)
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


def test_an_evaluation_ignores_which_agent_is_wished_for(tmp_path: Path) -> None:
    playing = games(tmp_path, a=make_agent(tmp_path / "a"), b=make_agent(tmp_path / "b"))
    drawn = {playing._agent(GameRequest("p", "people", Kind.EVALUATION, agent="a"), None).name for _ in range(60)}
    assert drawn == {"a", "b"}
    assert {playing._agent(GameRequest("p", "d", Kind.HUMAN_AGENT, agent="a"), None).name for _ in range(20)} == {"a"}


@pytest.mark.parametrize("kind", [Kind.HUMAN_AGENT, Kind.EVALUATION])
def test_an_agent_that_cannot_be_loaded_is_reported_and_without_its_name_in_evaluations(
    tmp_path: Path, kind: Kind, caplog: pytest.LogCaptureFixture
) -> None:
    playing = games(tmp_path, secret=make_agent(tmp_path / "secret"))
    store = MemoryStore()
    running = playing.start(GameRequest("p", "people", kind), store)
    with suppress(Refused, session.TransitionRefused):  # on a busy machine the game may be over before
        running.join(Role.SETTER, "id", "p1")
        running.connect(Role.SETTER, lambda: None)
        running.game.do(Role.SETTER, SessionEvent.READY)
    until(lambda: running.over_since is not None, "the end of the game")
    view = running.game.screen(Role.SETTER).latest
    assert view is not None and view.state is State.ABANDONED and len(store) == 0
    assert "the agent" in view.notice and ("secret" in view.notice) == (kind is Kind.HUMAN_AGENT)
    assert ("the agent secret cannot play" in view.notice) == (kind is Kind.HUMAN_AGENT)
    assert str(tmp_path) not in view.notice  # the reason is for the log
    assert f"{tmp_path / 'secret'} is damaged" in caplog.text
    playing.close()
    with pytest.raises(Refused, match="stopping"):
        playing.start(GameRequest("p", "people", kind), store)


def test_evaluations_are_played_where_no_agent_was_trained(tmp_path: Path) -> None:
    playing = games(tmp_path)
    for kind, split, least in ((Kind.EVALUATION, "held_out", 500_000_000), (Kind.HUMAN_HUMAN, "train", 0)):
        config = playing._config(GameRequest("p", "people", kind, prompted=True), MemoryStore())
        assert config.split == split and least <= config.seed < least + 500_000_000
        assert config.steps == 1125 and config.prompt is not None
