"""Every agent is asked the same, in houses and with words that training never saw."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pipelines.evaluate import EvaluateConfig, evaluate, load_results, probe_episodes, probe_plans
from pipelines.places import PROBE_SEEDS
from pipelines.runs.demo import WORLD, demo
from rlhf.errors import UserError
from worlds.playhouse.language import is_held_out

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
    assert len(set(seeds)) == 3 and min(seeds) >= PROBE_SEEDS
    for plan in agents:
        spec = plan.setter.task.spec
        assert spec.name == probe and is_held_out(spec.name, spec.arguments), spec
        assert plan.split == "held_out" and plan.tail == 0 and plan.steps == spec.max_steps


def test_training_instructions_are_asked_in_the_same_new_houses() -> None:
    plans = list(probe_plans(replace(CONFIG, split="train"), "go"))
    assert len(plans) == 3
    for plan in plans:
        spec = plan.setter.task.spec
        assert not is_held_out(spec.name, spec.arguments) and plan.split == "train" and plan.seed >= PROBE_SEEDS


def test_another_seed_asks_for_something_else() -> None:
    one, other = ({p.seed for p in probe_plans(replace(CONFIG, seed=seed), "go")} for seed in (0, 1))
    assert not one & other


def test_results_are_written_and_read(tmp_path: Path) -> None:
    config = replace(CONFIG, agents={"A": "perfect", "B": "perfect"}, probes=("color",), out=tmp_path / "to" / "r.json")
    results = evaluate(config)
    assert [(r.agent, r.probe, len(r.success)) for r in results] == [("A", "color", 3), ("B", "color", 3)]
    assert results[0].seeds == results[1].seeds == tuple(sorted(results[0].seeds))
    assert results[0].success == results[1].success and results[0].steps == results[1].steps
    assert results[0].success == tuple(step is not None for step in results[0].steps)
    assert results[0].rate == sum(results[0].success) / 3 > 0.5
    assert load_results(config.out) == results


def test_episodes_end_as_soon_as_they_have_succeeded() -> None:
    for episode in probe_episodes(CONFIG, "perfect", "color"):
        (success,) = episode.success_step
        assert success is None or len(episode) == success + 1


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"agents": {}}, "no agents to evaluate"),
        ({"agents": {"A": "perfect"}, "probes": ("dance",)}, "no probe task 'dance'; known: go, lift"),
        ({"agents": {"A": "nowhere"}}, "nowhere is not an agent's folder"),
    ],
)
def test_what_cannot_be_evaluated_is_refused(changes: dict, said: str) -> None:
    with pytest.raises(UserError, match=said):
        evaluate(replace(CONFIG, **changes))


@pytest.mark.parametrize("text", [None, "", "{}x", "[1]", '[{"agent": "a"}]'])
def test_a_file_that_holds_no_results_is_named(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "results.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(UserError, match="results.json holds no results") as caught:
        load_results(path)
    assert "\n" not in str(caught.value)


def test_the_defaults_name_no_agent() -> None:
    assert EvaluateConfig().agents == {}
