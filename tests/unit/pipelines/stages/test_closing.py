"""Whatever was opened is closed, however a command ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import pipelines.stages.executors
import pipelines.stages.improve
from agents.config import AgentConfig
from pipelines.presets.demo import WORLD, demo
from pipelines.stages.episodes.noted_episodes import EVERY_EPISODE
from pipelines.stages.evaluate import probe_episodes, probe_plans
from pipelines.stages.improve import Improvement
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.settings.world_config import WorldConfig
from tests.unit.agents import made_up_play
from worlds.errors import UserError

CONFIG = replace(demo().evaluate, episodes=3, world=WORLD)


class Opened:
    """How many worlds were made, and how often each was closed."""

    def __init__(self) -> None:
        self.closed: list[int] = []

    def watch(self, world: Any) -> Any:
        place = len(self.closed)
        self.closed.append(0)

        def close() -> None:
            self.closed[place] += 1

        world.close = close
        return world


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Opened:
    worlds, make = Opened(), WorldConfig.make

    def watched(config: WorldConfig, count: int, *drawn: bool, **named: bool) -> list[Any]:
        return [worlds.watch(world) for world in make(config, count, *drawn, **named)]

    monkeypatch.setattr(WorldConfig, "make", watched)
    return worlds


def broken_off(*_: Any, **__: Any) -> Iterator[Any]:
    raise KeyboardInterrupt
    yield


def test_worlds_of_an_evaluation_are_closed_when_it_breaks_off(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipelines.stages.evaluate.play", broken_off)
    with pytest.raises(KeyboardInterrupt):
        list(probe_episodes(CONFIG, "perfect", "go"))
    assert opened.closed == [1]


def test_the_world_in_which_places_are_looked_for_is_closed(opened: Opened) -> None:
    plans = probe_plans(replace(CONFIG, episodes=2), "go")
    next(plans)
    assert opened.closed == [0]
    plans.close()
    assert opened.closed == [1]


def test_the_world_of_a_recording_is_closed(opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipelines.stages.record_play.play", broken_off)
    with pytest.raises(KeyboardInterrupt):
        record(RecordConfig(data=tmp_path / "data", episodes=1, workers=1, world=WORLD))
    assert opened.closed == [1]


class Thing:
    """Something that is to be closed once."""

    def __init__(self) -> None:
        self.closes = 0

    def close(self) -> None:
        self.closes += 1

    def state_dict(self) -> dict[str, Any]:
        return {}


@pytest.fixture
def no_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    agent = SimpleNamespace(config=AgentConfig(image_size=(72, 96)), num_parameters=lambda: 1)
    monkeypatch.setattr(pipelines.stages.improve, "load_agent", lambda *_, **__: (agent, None))
    monkeypatch.setattr(pipelines.stages.improve, "improved_agent_card", lambda *_: None)
    monkeypatch.setattr(pipelines.stages.improve, "_check_held_out", lambda *_: None)
    monkeypatch.setattr(pipelines.stages.improve, "find_replayed", lambda *_: [])
    monkeypatch.setattr(pipelines.stages.improve, "begin_note", lambda *_: EVERY_EPISODE)


def test_an_executor_is_closed_where_improvement_cannot_begin(
    no_agent: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged(*_: Any, **__: Any) -> list[Any]:
        raise UserError("an episode is damaged")

    executor = Thing()
    monkeypatch.setattr(pipelines.stages.improve, "make_executor", lambda *_: executor)
    monkeypatch.setattr(pipelines.stages.improve, "held_out_episodes", damaged)
    with pytest.raises(UserError, match="damaged"):
        Improvement(ImproveConfig(), tmp_path)
    assert executor.closes == 1


def test_both_runners_are_closed_once(no_agent: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    executor, held_out = Thing(), Thing()
    monkeypatch.setattr(pipelines.stages.improve, "make_executor", lambda *_: executor)
    monkeypatch.setattr(
        pipelines.stages.improve,
        "held_out_episodes",
        lambda *_, **__: [made_up_play.episode("one", ["", "go"], ["", ""])],
    )
    monkeypatch.setattr(pipelines.stages.improve, "make_runner", lambda *_, **__: held_out)
    improvement = Improvement(ImproveConfig(), tmp_path)
    assert (executor.closes, held_out.closes) == (0, 0)
    for _ in range(2):
        improvement.close()
        assert (executor.closes, held_out.closes) == (1, 1)


def test_a_runner_is_closed_where_there_is_nothing_to_imitate(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(*_: Any) -> Any:
        raise UserError("no step to imitate")

    runner = Thing()
    monkeypatch.setattr(pipelines.stages.executors, "read_replayed", lambda *_: [])
    monkeypatch.setattr(pipelines.stages.executors, "make_runner", lambda *_: runner)
    monkeypatch.setattr(pipelines.stages.executors, "make_learner", nothing)
    with pytest.raises(UserError, match="no step to imitate"):
        pipelines.stages.executors.make_executor(ImproveConfig(), None, None)  # type: ignore[arg-type]
    assert runner.closes == 1
