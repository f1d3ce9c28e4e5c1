"""The pipeline in worlds of other spaces: recorded, cloned, improved, resumed and evaluated."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from safetensors.numpy import load_file

from pipelines.charts.trace import trace
from pipelines.report.gathered import clips
from pipelines.stages.clone import CloneConfig, clone
from pipelines.stages.evaluate import EvaluateConfig, evaluate
from pipelines.stages.improve import improve
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.record import record
from pipelines.stages.record_config import RecordConfig
from pipelines.stages.settings.world_config import PlayersConfig, WorldConfig
from pipelines.suite.judge import JudgeSuiteConfig, judge_suite
from pipelines.suite.make import MakeSuiteConfig, make_suite
from pipelines.suite.play import PlaySuiteConfig, play_suite
from pipelines.suite.players import Context, DoesNotReplay, Recorded
from rlhf.learning.cloner import CloningConfig
from rlhf.run.tracking import read_metrics
from rlhf.store import open_store
from tests import small_worlds
from worlds.contract import SOLVER, WorldError
from worlds.errors import UserError

small_worlds.register()


class Made(NamedTuple):
    """A world's folder: "play" and "runs", with the clone's agent."""

    name: str
    folder: Path
    agent: Path


@pytest.fixture(scope="module", params=["small-things", "small-arm"])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp(request.param)
    record(
        RecordConfig(
            data=folder / "play", episodes=6, steps=16, workers=1, held_out=0.4,
            world=WorldConfig(name=request.param), players=PlayersConfig(setter={"pause": [1, 3]}),
        )
    )  # fmt: skip
    training = CloningConfig(updates=2, steps=6, batch=3, evaluate_every=2)
    agent = clone(
        CloneConfig(
            data=(folder / "play",), runs=folder / "runs", vocabulary=280, held_out=0, wandb="disabled",
            training=training,
        )
    )  # fmt: skip
    return Made(request.param, folder, agent)


def improvement(made: Made, name: str, **others: Any) -> ImproveConfig:
    settings: dict[str, Any] = dict(
        agent=made.agent, data=(made.folder / "play",), runs=made.folder / "runs", name=name, scripted_reward=True,
        updates=2, slots=2, steps=4, evaluate_every=1, evaluation_episodes=2, wandb="disabled",
    )  # fmt: skip
    return ImproveConfig(**settings | others)


def test_an_agent_is_improved_and_its_run_resumed_exactly(made: Made) -> None:
    whole = improve(improvement(made, "whole"))
    improve(improvement(made, "halved", updates=1))
    resumed = improve(improvement(made, "halved", resume=made.folder / "runs" / "halved"))
    one, other = (load_file(agent / "model.safetensors") for agent in (whole, resumed))
    before = load_file(made.agent / "model.safetensors")
    assert all(np.array_equal(one[name], other[name]) for name in one)
    assert any(not np.array_equal(one[name], before[name]) for name in one)
    last = read_metrics(made.folder / "runs" / "whole")[-1]
    assert last["step"] == 2 and last["held_out/requests"] >= 1


def test_agents_and_demonstrators_are_evaluated(made: Made) -> None:
    agents = {"bc": str(made.agent), "perfect": "perfect"}
    out = made.folder / "results.json"
    found = {one.agent: one for one in evaluate(EvaluateConfig(agents=agents, episodes=3, slots=2, out=out))}
    assert found["perfect"].success == (True, True, True) and len(found["bc"].success) == 3


def test_an_agent_records_alone_and_with_a_co_pilot(made: Made) -> None:
    settings: dict[str, Any] = dict(episodes=1, solver=str(made.agent), held_out=0, slots=1)
    configs = (
        RecordConfig(data=made.folder / "alone", steps=6, **settings),
        RecordConfig(data=made.folder / "shared", steps=20, shared_control=True, **settings),
    )
    recorded = [record(config)[0] for config in configs]
    alone, shared = (open_store(c.data).read(one) for c, one in zip(configs, recorded, strict=True))
    assert alone.solver == "agent:clone" and not alone.demonstrated().any()
    assert alone.spaces.solver == WorldConfig(name=made.name).solver_spec()
    assert shared.solver == "agent:clone+scripted"


def test_an_agent_is_refused_in_another_world(made: Made, tmp_path: Path) -> None:
    other = WorldConfig(name=next(name for name in small_worlds.WORLDS if name != made.name))
    with pytest.raises(UserError, match=f"was made for other spaces than those of the world {other.name}: "):
        record(RecordConfig(data=tmp_path / "data", episodes=1, steps=4, solver=str(made.agent), world=other))


def test_agents_continue_from_the_scenarios_of_a_suite(made: Made, tmp_path: Path) -> None:
    file, data = tmp_path / "suite.json", tmp_path / "sts"
    suite = make_suite(MakeSuiteConfig(data=made.folder / "play", out=file, scenarios=2, steps=5, room=1))
    agents = {"bc": str(made.agent), "recorded": "recorded", "perfect": "perfect"}
    ids = play_suite(PlaySuiteConfig(file, data=data, agents=agents, continuations=1, slots=2))
    assert len(suite.scenarios) == 2 and len(ids) == 6
    recordings, store = open_store(made.folder / "play"), open_store(data)
    for episode in map(store.read, ids):
        about = episode.notes["scenario"]
        recording = recordings.read(about["episode"])
        assert np.array_equal(episode.movement[: about["step"]], recording.movement[: about["step"]])
    assert len(judge_suite(JudgeSuiteConfig(data))) == 6
    episode = recordings.read(suite.scenarios[0].episode)
    name = next(name for name in ("grid", "vector", "entity_values") if name in episode.seen)
    wrong = Recorded.of(replace(episode, seen={**episode.seen, name: episode.seen[name][::-1].copy()}))
    world = WorldConfig(name=made.name).make(1)[0]
    seen: Any = world.reset(seed=episode.seed, options={"config": dict(episode.config)})[0][SOLVER]
    with pytest.raises(DoesNotReplay, match="does not replay: step 0 looks different"):
        Context(wrong, 3).act(0, seen, None)  # type: ignore[arg-type]


def test_a_suite_needs_a_world_that_replays(tmp_path: Path) -> None:
    world = WorldConfig(name="small-wind")
    record(RecordConfig(data=tmp_path / "play", episodes=2, steps=16, workers=1, held_out=0, world=world))
    needs = "world 'small-wind' is of the tier seeded; a test suite needs the tier exact: "
    with pytest.raises(WorldError, match=needs):
        make_suite(MakeSuiteConfig(data=tmp_path / "play", out=tmp_path / "suite.json", steps=5, room=1))


def test_what_shows_pictures_is_left_out_without_them(made: Made) -> None:
    agents = {"bc": str(made.agent), "perfect": "perfect"}
    assert clips(EvaluateConfig(agents=agents, world=WorldConfig(name=made.name)), "bc", "perfect") == ()
    store = open_store(made.folder / "play")
    drawn = trace(store.read(store.ids()[0]), np.zeros(16), ())
    assert drawn.image is None
    assert drawn.steps_per_second == small_worlds.WORLDS[made.name].solver_spec.action.steps_per_second
