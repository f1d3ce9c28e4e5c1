"""Presets fit together before anything is run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.config import AgentConfig
from experiments.babyai import experiment as babyai
from experiments.interactive_agents import ablations, probes, raters, sizes
from experiments.social_ai.feedback.settings import marked_study
from pipelines.cli.main import VERBS, Verb, main
from pipelines.cli.presets import preset_names, presets_of, starting_point
from pipelines.cli.usage import UsageError
from pipelines.loops.demo import DemoConfig, resolve_config
from pipelines.loops.rounds import resolve_config as resolve_rounds
from pipelines.presets import demo as preset
from pipelines.presets import flat, house, household, paper, room, small, tower
from pipelines.stages.clone import CloneConfig
from pipelines.stages.settings.world_config import WorldConfig
from rlhf.records.json_records import from_json, to_json
from worlds.contract import STEPS_PER_SECOND
from worlds.errors import UserError
from worlds.playhouse.games.registry import games
from worlds.playhouse.house.sampling import HouseSettings


def test_the_demo_is_a_preset_and_its_own_copy_each_time() -> None:
    assert "demo" in preset_names()
    assert isinstance(preset.demo(), DemoConfig) and preset.demo() == preset.demo()


def test_it_can_be_written_and_read_back() -> None:
    config = resolve_config(replace(preset.demo(), run=Path("somewhere"), seed=3))
    assert from_json(DemoConfig, to_json(config)) == config


def test_every_stage_reads_the_outputs_of_the_one_before() -> None:
    run = Path("there") / "run"
    config = resolve_config(replace(small.loop(), run=run, seed=2))
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
    seeds = [resolve_config(replace(preset.demo(), seed=seed)) for seed in range(4)]
    played = [s for config in seeds for s in (config.demonstrations.seed, config.play.seed)]
    assert len(set(played)) == len(played)


def test_an_agent_plays_in_the_world_it_was_cloned_in() -> None:
    config = preset.demo()
    assert config.improve.world == config.play.world == config.evaluate.world == config.demonstrations.world
    assert (
        resolve_config(replace(config, play=replace(config.play, world=WorldConfig()))).play.world == config.play.world
    )
    with pytest.raises(UserError, match="differ in their world"):
        resolve_config(replace(config, play=replace(config.play, world=WorldConfig(settings={}))))


def test_a_run_that_records_its_held_out_play_sets_no_share_aside() -> None:
    config, rounds = resolve_config(preset.demo()), resolve_rounds(tower.iterate())
    for recording in (config.demonstrations, config.play, rounds.demonstrations, rounds.play):
        assert recording.parts() == (recording,) and recording.split == "train"


def test_agents_of_published_results_read_and_say_what_they_did() -> None:
    studies = [
        ablations.experiment(),
        probes.experiment(),
        raters.experiment(),
        sizes.experiment(),
        marked_study(),
        *babyai.parts().values(),
    ]
    cloned = [clone for study in studies for clone in study.clones.values()]
    cloned += [small.loop().clone, tower.iterate().clone, household.demo().clone]
    assert len(cloned) > 20
    assert {(clone.text_length, clone.vocabulary) for clone in cloned} == {("size", 512)}
    assert (CloneConfig().text_length, CloneConfig().vocabulary) == ("auto", 2048)


def test_the_demo_keeps_room_raters_and_play_of_the_small_loop() -> None:
    ours, base = preset.demo(), small.loop()
    assert ours.demonstrations.world == base.demonstrations.world and ours.mark == base.mark
    assert ours.demonstrations.players.tasks == ours.play.players.tasks == small.ALL_TASKS
    assert replace(ours.play, players=base.play.players) == base.play
    assert replace(ours.clone, network=base.clone.network, text_length="size") == base.clone
    assert preset.refine().training.updates == ours.improve.updates


def test_its_world_and_agent_can_be_made() -> None:
    config = preset.demo()
    assert config.demonstrations.world.sample_config(0)
    AgentConfig.preset(config.clone.size, image_size=(config.play.world.height, config.play.world.width))


def kind_of(verb: Verb) -> Any:
    return verb.load()[0]


@pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS)
def test_every_preset_that_a_command_offers_gives_its_settings(verb: Verb) -> None:
    for name in presets_of(verb.function):
        config, rest = starting_point(verb.function, kind_of(verb), ["--preset", name, "--x=1"])
        assert isinstance(config, kind_of(verb)) and rest == ["--x=1"]


@pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS)
def test_other_presets_are_refused_and_only_those_that_work_are_named(verb: Verb) -> None:
    offered = presets_of(verb.function)
    for name in (*(name for name in preset_names() if name not in offered), "zzz"):
        with pytest.raises(UsageError, match=f"preset {name}") as refused:
            starting_point(verb.function, kind_of(verb), ["--preset", name])
        named = set(str(refused.value).partition(";")[2].replace(",", "").split()) & set(preset_names())
        assert named == set(offered)


@pytest.mark.parametrize("command", ["record", "mark", "clone", "reward", "improve", "evaluate"])
def test_every_stage_has_the_settings_of_demo_and_probes(command: str) -> None:
    assert {"demo", "probes"} <= set(presets_of(command))


def stage(command: str, name: str) -> Any:
    return starting_point(command, kind_of(VERBS[command]), ["--preset", name])[0]


def test_stages_are_those_of_the_whole_loop() -> None:
    whole, study, rounds = preset.demo(), probes.experiment(), tower.iterate()
    assert stage("clone", "demo") == whole.clone
    assert stage("record", "probes") == study.demonstrations
    assert stage("reward", "probes") == study.rewards["ibt"]
    assert stage("improve", "demo") == replace(whole.improve, replay=None)
    assert stage("improve", "probes") == replace(small.longer().improve, replay=None)
    assert stage("evaluate", "tower") == rounds.evaluate


def test_a_demo_of_another_preset_is_no_demo_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--preset", "probes"]) == 2
    message = capsys.readouterr().err
    refused = "preset probes has no settings for this command"
    assert message == f"error: {refused}; presets of this command: demo, household\n"


def test_help_offers_a_command_the_presets_it_has(capsys: pytest.CaptureFixture[str]) -> None:
    for command, offered in (
        ("iterate", "settings: flat, house, paper, room, tower, or your own FILE.py"),
        ("report", None),
    ):
        assert main([command, "--help"]) == 0
        message = " ".join(capsys.readouterr().out.split())
        assert (offered in message) if offered else ("--preset" not in message)


def test_a_file_of_the_user_s_gives_stages_too(tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(
        "from dataclasses import replace\nfrom pipelines.presets import demo as base\n"
        "def demo():\n    whole = base.demo()\n    return replace(whole, clone=replace(whole.clone, size='micro'))\n"
    )
    assert stage("clone", str(mine)).size == "micro"
    assert stage("mark", str(mine)) == preset.demo().mark


def test_the_room_is_the_demo_s() -> None:
    for command in ("record", "mark", "clone", "reward", "improve", "evaluate"):
        assert stage(command, "room") == stage(command, "demo")
    assert HouseSettings.of(preset="room") == HouseSettings.of(**preset.WORLD.sampling())


@pytest.mark.parametrize("name", ["room", "flat", "house", "paper"])
def test_houses_fit_together_at_every_difficulty(name: str) -> None:
    config = resolve_rounds(stage("iterate", name))
    worlds = [config.demonstrations.world, config.play.world, config.improve.world, config.evaluate.world]
    assert worlds == [worlds[0]] * 4
    assert config.demonstrations.world == stage("record", name).world
    assert config.mark == stage("mark", name)
    assert set(config.evaluate.probes) <= {*worlds[0].entry().probes, *worlds[0].entry().games}


def test_houses_grow_from_preset_to_preset() -> None:
    sizes = []
    for name, rooms in (("room", 1), ("flat", 2), ("house", 5)):
        settings = HouseSettings.of(**stage("record", name).world.sampling())
        assert settings.rooms == (rooms, rooms)
        sizes.append((settings.objects[1], len(settings.choices("kinds"))))
    assert sizes == sorted(sizes) and sizes[1][1] == 20
    assert stage("record", "paper").world.settings == house.WORLD.settings
    for name in ("flat", "house", "paper"):
        assert stage("record", name).world.image_size == (72, 96)


def test_the_flat_asks_for_every_language_game_and_reads_all_words() -> None:
    assert set(flat.TASKS) == set(games()) == {*flat.EVALUATED, *flat.NEVER_HELD_OUT}
    assert flat.iterate().clone.text_length == "auto"
    assert stage("mark", "house").per_five_minutes == stage("mark", "paper").per_five_minutes == 14.0
    assert room.iterate().evaluate.probes == ()


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
    assert (rl.movement_weight, rl.language_weight, rl.value_weight) == (0.5, 0.1, 1.0)
    assert (rl.no_op_kl_weight, rl.discount, whole.improve.slots) == (1e-3, 0.96, 96)
    assert whole.demonstrations.steps == whole.play.steps == 300 * STEPS_PER_SECOND == 1125
    assert (whole.clone.size, whole.mark.per_five_minutes) == ("5m", 14.0)
