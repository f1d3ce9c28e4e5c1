"""Every agent is asked the same, in houses and with words that training never saw."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
import torch

import pipelines.stages.evaluate
from agents.folder import save_agent
from agents.tokenizer import Tokenizer
from pipelines.presets.demo import WORLD, demo
from pipelines.stages.clone import new_agent
from pipelines.stages.evaluate import EvaluateConfig, evaluate, load_results, probe_episodes, probe_plans
from pipelines.stages.outcomes.paired import gain
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.settings.world_config import PlayersConfig, WorldConfig
from rlhf.run.place_seeds import FIRST_PROBE_SEED
from rlhf.run.statistics import points
from worlds.errors import UserError
from worlds.playhouse.games.asking import is_held_out

CONFIG = replace(demo().evaluate, episodes=3, world=WORLD)


@pytest.mark.parametrize("probe", WORLD.entry().probes)
def test_all_agents_get_the_same_held_out_episodes(probe: str) -> None:
    agents, scripted = list(probe_plans(CONFIG, probe)), list(probe_plans(CONFIG, probe, scripted_solver="perfect"))
    assert len(agents) == 3
    assert all(plan.solver is None for plan in agents) and all(plan.solver is not None for plan in scripted)
    for one, other in zip(agents, scripted, strict=True):
        assert (one.seed, one.config, one.steps) == (other.seed, other.config, other.steps)
        assert one.setter.task.spec == other.setter.task.spec
    seeds = [plan.seed for plan in agents]
    assert len(set(seeds)) == 3 and min(seeds) >= FIRST_PROBE_SEED
    for plan in agents:
        spec = plan.setter.task.spec
        assert spec.name == probe and is_held_out(spec.name, spec.arguments), spec
        assert plan.split == "held_out" and plan.tail == 0 and plan.steps == spec.max_steps


def test_training_instructions_are_asked_in_the_same_new_houses() -> None:
    for plan in probe_plans(replace(CONFIG, split="train"), "go"):
        spec = plan.setter.task.spec
        assert not is_held_out(spec.name, spec.arguments) and plan.split == "train" and plan.seed >= FIRST_PROBE_SEED


def test_results_are_written_and_read(tmp_path: Path) -> None:
    config = replace(CONFIG, agents={"A": "perfect", "B": "perfect"}, probes=("color",), out=tmp_path / "to" / "r.json")
    results = evaluate(config)
    assert [(r.agent, r.probe, len(r.success)) for r in results] == [("A", "color", 3), ("B", "color", 3)]
    assert results[0].seeds == results[1].seeds == tuple(sorted(results[0].seeds))
    assert results[0].success == results[1].success and results[0].steps == results[1].steps
    for episode in probe_episodes(CONFIG, "perfect", "color"):  # it ends as soon as it has succeeded
        (success,) = episode.success_step
        assert success is None or len(episode) == success + 1
    assert results[0].success == tuple(step is not None for step in results[0].steps)
    assert results[0].rate == sum(results[0].success) / 3 > 0.5
    assert load_results(config.out) == results


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"agents": {}}, "no agents to evaluate"),
        ({"agents": {"A": "perfect"}, "probes": ("dance",)}, "no probe task 'dance'; known: go, lift"),
        ({"agents": {"A": "nowhere"}}, "nowhere is not an agent's folder"),
        ({"agents": {"A": "scripted"}, "baseline": "C"}, "--baseline C is none of the evaluated agents: A"),
    ],
)
def test_impossible_evaluations_are_refused_before_playing(
    changes: dict, message: str, tmp_path: Path, plays: list
) -> None:
    with pytest.raises(UserError, match=message):
        evaluate(a_file(tmp_path, **changes))
    assert not plays


@pytest.mark.parametrize("text", [None, "", "{}x", "[1]", '[{"agent": "a"}]'])
def test_a_file_that_holds_no_results_is_named(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "results.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(UserError, match="results.json holds no results") as caught:
        load_results(path)
    assert "\n" not in str(caught.value)


# -- resuming from a file of results -------------------------------------------------------------------------------


@pytest.fixture
def plays(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """(folder, probe) of everything that is played; "perfect" always succeeds, others at every second place of "go"."""
    found: list[tuple[str, str]] = []

    def quick(config: EvaluateConfig, folder: str, probe: str, ends: object) -> Iterator[SimpleNamespace]:
        found.append((folder, probe))
        for number in range(config.episodes):
            won = folder == "perfect" or (number % 2 == 0 and probe == "go")
            yield SimpleNamespace(seed=FIRST_PROBE_SEED + number, success_step=(number if won else None,), notes={})

    monkeypatch.setattr("pipelines.stages.evaluate.probe_episodes", quick)
    return found


def a_file(tmp_path: Path, **changes: Any) -> EvaluateConfig:
    resolved = replace(CONFIG, agents={"A": "perfect"}, probes=("go", "lift"), out=tmp_path / "r.json")
    return replace(resolved, **changes)


def test_results_of_another_agent_are_added_to_those_that_are_there(tmp_path: Path, plays: list) -> None:
    first = evaluate(a_file(tmp_path))
    both = evaluate(a_file(tmp_path, agents={"B": "scripted"}, probes=("go", "color")))
    assert [(r.agent, r.probe) for r in both] == [("A", "go"), ("A", "lift"), ("B", "go"), ("B", "color")]
    assert both[:2] == first and load_results(tmp_path / "r.json") == both
    assert len(plays) == 4
    evaluate(a_file(tmp_path, probes=(), out=tmp_path / "all.json"))  # every probe of the world
    assert [probe for _, probe in plays[4:]] == list(WORLD.entry().probes)


def test_an_interrupted_evaluation_is_resumed(tmp_path: Path, plays: list, monkeypatch: pytest.MonkeyPatch) -> None:
    config = a_file(tmp_path, agents={"A": "perfect", "B": "scripted"})
    whole = evaluate(replace(config, out=tmp_path / "whole.json"))
    with monkeypatch.context() as patch:
        play = pipelines.stages.evaluate.probe_episodes

        def interrupted(config: EvaluateConfig, folder: str, probe: str, ends: object) -> Iterator[SimpleNamespace]:
            if (folder, probe) == ("scripted", "lift"):
                raise KeyboardInterrupt
            yield from play(config, folder, probe, ends)

        patch.setattr("pipelines.stages.evaluate.probe_episodes", interrupted)
        with pytest.raises(KeyboardInterrupt):
            evaluate(config)
    assert len(load_results(config.out)) == 3
    plays.clear()
    assert evaluate(config) == whole and plays == [("scripted", "lift")]
    assert evaluate(config) == whole and len(plays) == 1
    assert config.out.read_bytes() == (tmp_path / "whole.json").read_bytes()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"episodes": 4}, "episodes is 3 there and 4 here; name another file with --out"),
        ({"split": "train"}, 'split is "held_out" there and "train" here'),
        ({"greedy": True, "slots": 1}, "slots is 64 there and 1 here (and 1 more)"),
        ({"world": replace(WORLD, options={})}, "world.options.fov_y_deg is 60.0 there and null here"),
        ({"players": PlayersConfig()}, "holds results of other settings: players."),
        ({"agents": {"A": "scripted"}}, "an agent A of other weights; call this one by another name"),
    ],
)
def test_results_of_other_settings_are_not_changed(changes: dict, message: str, tmp_path: Path, plays: list) -> None:
    evaluate(a_file(tmp_path))
    before = (tmp_path / "r.json").read_bytes()
    with pytest.raises(UserError) as caught:
        evaluate(a_file(tmp_path, **{"agents": {"B": "perfect"}} | changes))
    assert message in str(caught.value) and "\n" not in str(caught.value)
    assert (tmp_path / "r.json").read_bytes() == before and len(plays) == 2


def test_agents_of_one_name_are_distinguished_by_their_weights(tmp_path: Path, plays: list) -> None:
    tokenizer = Tokenizer.train(["go to the red ball"], 300)
    for seed, name in enumerate(("one", "other")):
        torch.manual_seed(seed)
        save_agent(new_agent("nano", tokenizer, image_size=WORLD.image_size), tokenizer, tmp_path / name)
    one, other, moved = (str(tmp_path / name) for name in ("one", "other", "moved"))
    shutil.copytree(one, moved)
    evaluate(a_file(tmp_path, agents={"A": one}, probes=("go",)))
    evaluate(a_file(tmp_path, agents={"A": moved}, probes=("go", "lift")))
    assert plays == [(one, "go"), (moved, "lift")]
    with pytest.raises(UserError, match="an agent A of other weights"):
        evaluate(a_file(tmp_path, agents={"A": other}, probes=("color",)))
    assert [r.agent for r in evaluate(a_file(tmp_path, agents={"B": other}, probes=("go",)))] == ["A", "A", "B"]


def test_files_without_settings_and_of_something_else_are_not_written_over(tmp_path: Path, plays: list) -> None:
    config = a_file(tmp_path)
    results = [asdict(result) for result in evaluate(config)]
    plays.clear()
    for text, message in ((json.dumps(results), "was written by another version"), ('{"mine": 1}', "holds no results")):
        config.out.write_text(text)
        with pytest.raises(UserError, match=f"r.json {message} .* name another file with --out"):
            evaluate(config)
        assert config.out.read_text() == text and not plays
    config.out.write_text(json.dumps(results))
    assert [asdict(result) for result in load_results(config.out)] == results


# -- differences to a baseline -------------------------------------------------------------------------------------


@pytest.mark.usefixtures("plays")
def test_differences_to_a_baseline_are_printed_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = a_file(tmp_path, agents={"A": "scripted", "B": "perfect"}, episodes=40, baseline="A")
    results = evaluate(config)
    before, after = results[:2], results[2:]
    assert [result.difference for result in before] == [None, None]
    go, lift = (result.difference for result in after)
    assert go is not None and lift is not None and go.baseline == "A"
    assert (go.at_probe.estimate, lift.at_probe.estimate, go.over_all.estimate) == (0.5, 1.0, 0.75)
    assert go.at_probe == gain([after[:1]], [before[:1]]) and go.over_all == gain([after], [before])
    assert load_results(config.out) == results == evaluate(config)
    printed = [" ".join(line.split()) for line in capsys.readouterr().err.splitlines()]
    assert "differences to A in points, paired by episode, 95% intervals:" in printed
    assert f"go B {points(go.at_probe)}" in printed and f"all B {points(go.over_all)}" in printed


@pytest.mark.usefixtures("plays")
def test_a_baseline_may_be_of_an_earlier_command(tmp_path: Path) -> None:
    evaluate(a_file(tmp_path, agents={"A": "scripted"}))
    first = evaluate(a_file(tmp_path, agents={"B": "perfect"}, probes=("go", "color"), baseline="A"))
    assert [(r.agent, r.probe) for r in first if r.difference] == [("B", "go")]  # at what both have played
    later = evaluate(a_file(tmp_path, agents={"B": "perfect"}))  # lift is new
    assert not any(result.difference for result in later)  # that over all would leave it out
    compared = evaluate(a_file(tmp_path, agents={"B": "perfect"}, baseline="A"))
    assert [(r.agent, r.probe) for r in compared if r.difference] == [("B", "go"), ("B", "lift")]


def test_a_game_without_requests_is_given_up_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipelines.stages.evaluate._probe_in", lambda *_: None)
    monkeypatch.setattr("pipelines.stages.evaluate._TRIED", 3)
    config = EvaluateConfig(world=WORLD, episodes=100)
    with pytest.raises(UserError, match="^notice has held-out requests in 0 of 3 places: .* or leave it out of --pro"):
        next(probe_plans(config, "notice"))


# -- worlds --------------------------------------------------------------------------------------------------------


def test_worlds_of_evaluations_and_recordings_are_closed_when_they_break_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, closed, make = list[Any](), list[Any](), WorldConfig.make

    def watched(config: WorldConfig, count: int, *drawn: bool, **named: bool) -> list[Any]:
        worlds: list[Any] = make(config, count, *drawn, **named)
        for world in worlds:
            world.close = partial(closed.append, world)
        made.extend(worlds)
        return worlds

    monkeypatch.setattr(WorldConfig, "make", watched)
    plans = probe_plans(CONFIG, "go")  # which look for places in a world
    next(plans)
    assert len(made) == 1 and not closed
    plans.close()
    assert closed == made
    for module in ("evaluate", "record_play"):
        monkeypatch.setattr(f"pipelines.stages.{module}.play", Mock(side_effect=KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        list(probe_episodes(CONFIG, "perfect", "go"))
    with pytest.raises(KeyboardInterrupt):
        record(RecordConfig(data=tmp_path / "data", episodes=1, workers=1, world=WORLD))
    assert len(made) == 3 and closed == made
