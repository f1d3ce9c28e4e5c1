"""Presets fit together before anything is run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import agents.pretrained as agents
import reward_models.pretrained as reward_models
from pipelines.cli.main import VERBS, Verb
from pipelines.cli.presets import preset_names, presets_of, starting_point
from pipelines.cli.usage import UsageError
from pipelines.loops.loop import check_loop
from pipelines.loops.rounds import resolve_config, resolve_round, resolve_start
from pipelines.presets import demo as preset
from pipelines.presets import flat, paper, small, teach
from pipelines.stages.settings.world_config import WorldConfig
from worlds.contract import STEPS_PER_SECOND
from worlds.errors import UserError
from worlds.playhouse.games.registry import language_games


def test_every_stage_reads_the_outputs_of_the_one_before() -> None:
    run = Path("there") / "run"
    config = resolve_config(replace(small.loop(), run=run, seed=2))
    start, first, agent = resolve_start(config), resolve_round(config, 1), run / "clone" / "agent"
    played, improved = run / "play-1", run / "round-1" / "improve" / "agent"
    assert start.demonstrations.data == start.mark.data == run / "data" and first.play.data == first.mark.data == played
    assert start.clone.data == first.improve.data == (run / "data",) and first.reward.data == (run / "data", played)
    assert start.clone.runs / start.clone.name / "agent" == agent == first.reward.agent == first.improve.agent
    assert first.play.solver == str(agent)
    assert first.improve.reward_model == first.reward.runs / first.reward.name / "reward_model"
    assert start.evaluate.agents == {"BC": str(agent), "demonstrator": "scripted"}
    assert first.evaluate.agents == {"Round 1": str(improved)} and first.improve.replay_data == (played,)


def test_the_demo_begins_with_the_pretrained_agent_and_its_reward_model() -> None:
    run = Path("there") / "run"
    config = resolve_config(replace(preset.demo(), run=run))
    check_loop(config)
    start, first, second = resolve_start(config), resolve_round(config, 1), resolve_round(config, 2)
    assert start.agent == Path(first.play.solver) == first.reward.agent == first.improve.agent == agents.PLAYHOUSE
    assert first.reward.start == second.reward.start == reward_models.PLAYHOUSE
    imitated, played = run / "data", (run / "play-1", run / "play-2")
    assert first.reward.data == (imitated, *played[:1]) and second.reward.data == (imitated, *played)
    assert first.improve.data == (run / "data",) == (start.demonstrations.data,)
    other = replace(config, reward_start="previous")
    assert resolve_round(other, 2).reward.start == run / "round-1" / "reward" / "reward_model"


def test_people_who_teach_are_not_given_demonstrations_to_mark() -> None:
    run = Path("there") / "run"
    for own in (True, False):
        config = replace(teach.loop(own), run=run, agent=agents.PLAYHOUSE)
        start = resolve_start(config)
        assert start.data == start.mark.data == run / "demonstrations" / "data"
        assert resolve_round(config, 1).improve.data == (start.data,)
    assert resolve_start(replace(config, marked_demonstrations="raters")).data == run / "data"


def test_an_agent_plays_in_the_world_it_was_cloned_in() -> None:
    config = preset.demo()
    assert config.improve.world == config.play.world == config.evaluate.world == config.demonstrations.world
    assert replace(config, play=replace(config.play, world=WorldConfig())).play.world == config.play.world
    other = replace(config.world, settings={})
    moved = replace(config, world=other)
    assert moved.demonstrations.world == moved.play.world == moved.improve.world == moved.evaluate.world == other
    own = replace(config, world=WorldConfig())
    with pytest.raises(UserError, match="differ in their world"):
        resolve_config(replace(own, play=replace(own.play, world=WorldConfig(settings={}))))


def kind_of(verb: Verb) -> Any:
    return verb.load()[0]


@pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS)
def test_every_preset_that_a_command_offers_gives_its_settings(verb: Verb) -> None:
    for name in presets_of(verb.function):
        config, rest = starting_point(verb.function, kind_of(verb), ["--preset", name, "--x=1"])
        assert isinstance(config, kind_of(verb)) and rest == ["--x=1"]


@pytest.mark.parametrize("command", ["record", "demo", "iterate", "report"])
def test_other_presets_are_refused_and_only_those_that_work_are_named(command: str) -> None:
    verb = VERBS[command]
    offered = presets_of(verb.function)
    for name in (*(name for name in preset_names() if name not in offered), "zzz"):
        with pytest.raises(UsageError, match=f"preset {name}") as refused:
            starting_point(verb.function, kind_of(verb), ["--preset", name])
        named = set(str(refused.value).partition(";")[2].replace(",", "").split()) & set(preset_names())
        assert named == set(offered)


def stage(command: str, name: str) -> Any:
    return starting_point(command, kind_of(VERBS[command]), ["--preset", name])[0]


def test_a_file_of_the_user_s_gives_stages_too(tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(
        "from dataclasses import replace\nfrom pipelines.presets import demo as base\n"
        "def demo():\n    whole = base.demo()\n    return replace(whole, clone=replace(whole.clone, size='micro'))\n"
    )
    assert stage("clone", str(mine)).size == "micro"
    assert stage("mark", str(mine)) == preset.demo().mark


@pytest.mark.parametrize("name", ["flat", "house", "paper"])
def test_houses_fit_together_at_every_difficulty(name: str) -> None:
    config = resolve_config(stage("iterate", name))
    worlds = [config.demonstrations.world, config.play.world, config.improve.world, config.evaluate.world]
    assert worlds == [worlds[0]] * 4
    assert config.demonstrations.world == stage("record", name).world
    assert config.mark == stage("mark", name)
    assert set(config.evaluate.probes) <= {*worlds[0].entry().probes, *worlds[0].entry().games}


def test_the_flat_asks_for_every_language_game() -> None:
    assert set(flat.TASKS) == set(language_games()) == {*flat.EVALUATED, *flat.NEVER_HELD_OUT}


def test_the_paper_s_settings_are_those_of_its_table() -> None:
    """Table 1 of A.7, typed from the paper; the numbers stand in the preset as well."""
    whole = paper.iterate()
    for training in (whole.clone.training, whole.reward.training, whole.improve):
        assert (training.steps, training.batch) == (50, 96)
    for adam in (whole.clone.training, whole.reward.training, whole.improve.learner):
        assert (adam.beta1, adam.beta2, adam.learning_rate) == (0.0, 0.999, 1e-4)
    for bc in (whole.clone.training, whole.reward.training):
        assert (bc.movement_weight, bc.language_weight, bc.css_weight) == (1.0, 5.0, 1.0)
        assert (bc.warmup, bc.decay, bc.shift) == (0, 1.0, 0)
    rl = whole.improve.learner
    assert (rl.bc_movement_weight, rl.bc_language_weight, rl.css_weight) == (1.0, 5.0, 1.0)
    assert (rl.rl_movement_weight, rl.rl_language_weight, rl.value_weight) == (0.5, 0.1, 1.0)
    assert (rl.no_op_kl_weight, rl.discount, whole.improve.slots) == (1e-3, 0.96, 96)
    assert whole.demonstrations.steps == whole.play.steps == 300 * STEPS_PER_SECOND == 1125
    assert (whole.clone.size, whole.mark.per_five_minutes) == ("5m", 14.0)
