"""Presets fit together before anything is run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agents.config import AgentConfig
from pipelines.demo import DemoConfig, settle
from pipelines.places import WorldConfig
from pipelines.rounds import settle as settle_rounds
from pipelines.runs import demo as preset
from pipelines.runs import tower
from rlhf.errors import UserError
from rlhf.json_records import from_json, to_json
from rlhf.presets import preset_names


def test_the_demo_is_a_preset_and_its_own_copy_each_time() -> None:
    assert "demo" in preset_names()
    assert isinstance(preset.demo(), DemoConfig) and preset.demo() == preset.demo()


def test_it_can_be_written_and_read_back() -> None:
    config = settle(replace(preset.demo(), run=Path("somewhere"), seed=3))
    assert from_json(DemoConfig, to_json(config)) == config


def test_every_stage_reads_what_the_one_before_wrote() -> None:
    run = Path("there") / "run"
    config = settle(replace(preset.demo(), run=run, seed=2))
    agent = run / "clone" / "agent"
    data = {config.demonstrations.data, config.play.data, config.mark.data}
    assert data == {*config.clone.data, *config.reward.data, *config.improve.data} == {run / "data"}
    assert config.clone.runs / config.clone.name / "agent" == agent == config.reward.agent == config.improve.agent
    assert config.play.solver == str(agent)
    assert config.improve.reward_model == config.reward.runs / config.reward.name / "reward_model"
    assert config.evaluate.agents == {
        "BC": str(agent), "BC+RL": str(run / "improve" / "agent"), "demonstrator": "scripted",
    }  # fmt: skip
    assert config.improve.replay == f"agent:{agent.parent.name}"


def test_seeds_of_play_and_of_runs_differ() -> None:
    seeds = [settle(replace(preset.demo(), seed=seed)) for seed in range(4)]
    played = [s for config in seeds for s in (config.demonstrations.seed, config.play.seed)]
    assert len(set(played)) == len(played)


def test_an_agent_plays_in_the_world_it_was_cloned_in() -> None:
    config = preset.demo()
    assert config.improve.world == config.play.world == config.evaluate.world == config.demonstrations.world
    with pytest.raises(UserError, match="differ in their world"):
        settle(replace(config, play=replace(config.play, world=WorldConfig())))


def test_a_run_that_records_its_held_out_play_sets_no_share_aside() -> None:
    config, rounds = settle(preset.demo()), settle_rounds(tower.iterate())
    for recording in (config.demonstrations, config.play, rounds.demonstrations, rounds.play):
        assert recording.parts() == (recording,) and recording.split == "train"


def test_its_world_and_agent_can_be_made() -> None:
    config = preset.demo()
    assert config.demonstrations.world.place(0)
    AgentConfig.preset(config.clone.size, image_size=(config.play.world.height, config.play.world.width))
