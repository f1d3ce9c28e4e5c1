"""A second reward model: it scores held-out replays, ends a run that it disagrees with, and keeps the best agent."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.folder import load_agent, save_agent
from pipelines.report.training import training_report
from pipelines.stages.improve import improve
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.second_return import first_returns
from reward_models.inter_temporal import InterTemporalRewardModel
from reward_models.registry import load_reward_model
from rlhf.learning.alarms import read_alarms
from rlhf.learning.guards import GuardConfig
from rlhf.replay.slot import EpisodeResult
from rlhf.run.tracking import read_metrics
from rlhf.store import open_store
from rlhf.store.transfer.shared_play import share_play
from tests.unit.pipelines.stages import small_improvement
from tests.unit.pipelines.stages.small_improvement import assert_same_end
from tests.unit.rlhf import tiny_agent
from worlds.errors import UserError

MODELLED, SECOND = "held_out/modelled_return", "held_out/second_return"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Recorded play, an agent, reward models "ibt", "ar", "other" and "negated", which is "ibt" times -1."""
    folder = tmp_path_factory.mktemp("made")
    small_improvement.make(folder)
    agent, tokenizer = load_agent(folder / "clone")
    save_agent(InterTemporalRewardModel.from_agent(agent, seed=1), tokenizer, folder / "other")
    model, tokenizer = load_reward_model(folder / "ibt")
    assert isinstance(model, InterTemporalRewardModel)
    last = model.utility[-1]
    with torch.no_grad():
        for parameter in last.parameters():
            parameter.neg_()
    save_agent(model, tokenizer, folder / "negated")
    return folder


@pytest.fixture
def settings(made: Path, tmp_path: Path) -> ImproveConfig:
    return small_improvement.settings(made, tmp_path, second_reward_model=made / "other")


def values(run: Path, name: str) -> list[float]:
    return [row[name] for row in read_metrics(run) if name in row]


def test_returns_are_of_the_plays_with_which_a_fragment_begins() -> None:
    rewards = np.arange(12.0, dtype=np.float32).reshape(6, 2)  # T + 1 = 6 rows of 2 slots
    plays = {1: EpisodeResult("b", 2, 0, 0.0, ()), 0: EpisodeResult("a", 5, 0, 0.0, ())}
    assert first_returns(rewards, plays) == {"a": 2.0 + 4 + 6 + 8 + 10, "b": 3.0 + 5}
    assert first_returns(rewards, {}) == {}


def test_both_models_score_the_same_replays(settings: ImproveConfig, made: Path) -> None:
    """As if each had been the only one that rewards, on the replays of the same agent before its first update."""
    run = improve(replace(settings, second_reward_model=made / "negated")).parent
    first, second = values(run, MODELLED), values(run, SECOND)
    assert len(first) == 10 and max(map(abs, first)) > 1e-3
    assert second == pytest.approx([-value for value in first], abs=1e-5)
    changes = values(run, "held_out/second_change")
    assert changes == pytest.approx([value - second[0] for value in second], abs=1e-5)
    alone = improve(replace(settings, name="alone", reward_model=made / "ar", second_reward_model=None, updates=1))
    by_ar = improve(replace(settings, name="by-ar", second_reward_model=made / "ar", updates=1))
    assert values(by_ar.parent, SECOND)[0] == pytest.approx(values(alone.parent, MODELLED)[0], abs=1e-5)
    assert f"also scored by the reward model in `{made / 'ar'}`" in (by_ar / "README.md").read_text(encoding="utf-8")


def test_it_changes_no_training_without_patience(settings: ImproveConfig) -> None:
    runs = [
        improve(replace(settings, name=name, second_reward_model=second)).parent
        for name, second in (("with", settings.second_reward_model), ("without", None))
    ]
    weights = [(run / "agent" / "model.safetensors").read_bytes() for run in runs]
    assert weights[0] == weights[1] and values(runs[0], MODELLED) == values(runs[1], MODELLED)


def test_a_run_that_it_disagrees_with_ends_and_hands_out_the_best_agent(
    settings: ImproveConfig, made: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """By the negated model, the agent is the worse the more it is rewarded; until then it may have become better."""
    patient = GuardConfig(patience=1000, disagreement=1e-6)
    config = replace(settings, second_reward_model=made / "negated", updates=60, guards=patient)
    run = improve(config).parent
    first, second = values(run, MODELLED), values(run, SECOND)
    raised = read_alarms(run)
    assert raised is not None
    alarms = [alarm.update for alarm in raised.raised if alarm.kind == "disagreement"]
    assert alarms == [len(first) - 1] and len(first) < 61, "the alarm ends the run"
    assert first[-1] > first[0] and second[-1] < second[0]
    best = int(np.argmax(second))
    end, said = load_agent(run / "agent")[0].state_dict(), capfd.readouterr().err
    if best:
        kept = load_agent(run / "checkpoints" / f"step-{best:09d}" / "agent")[0].state_dict()
        assert f"the agent of update {best} had the highest return by the second reward model" in said
    else:
        kept = load_agent(made / "clone")[0].state_dict()
        assert "no later agent had a higher return by the second reward model on held-out replays" in said
    assert all(torch.equal(end[name], value) for name, value in kept.items())
    improve(replace(config, resume=run))
    assert "is finished" in capfd.readouterr().err
    parts = improve(replace(config, name="parts", updates=7)).parent
    improve(replace(config, name="parts", resume=parts, updates=60))
    assert_same_end(parts, run)
    report = training_report(run)
    assert "Return by the second reward model per episode" in [chart.title for chart in report.monitored]
    assert "Second return, held-out" in [fact.name for fact in report.facts]


def test_an_agent_that_no_update_made_better_is_the_one_that_it_began_from(
    settings: ImproveConfig, made: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    still = replace(settings.learner, learning_rate=1e-30)
    run = improve(replace(settings, learner=still, guards=GuardConfig(patience=2))).parent
    assert len(values(run, SECOND)) == 3, "two evaluations that were no better than the start"
    assert "the one it began from is kept" in capfd.readouterr().err
    ended, began = (load_agent(folder)[0].state_dict() for folder in (run / "agent", made / "clone"))
    assert all(torch.equal(ended[name], value) for name, value in began.items())


@pytest.mark.parametrize("guards", [GuardConfig(), GuardConfig(patience=4)], ids=["alarms", "patience"])
def test_a_run_in_three_parts_ends_as_one_in_one_part(settings: ImproveConfig, made: Path, guards: GuardConfig) -> None:
    settings = replace(settings, guards=replace(guards, disagreement=1e-6))
    whole = improve(settings).parent
    parts = improve(replace(settings, name="parts", updates=2)).parent
    improve(replace(settings, name="parts", resume=parts, updates=3))
    improve(replace(settings, name="parts", resume=parts, updates=9))
    assert_same_end(parts, whole)


def test_a_second_model_is_neither_added_nor_left_out_when_a_run_is_resumed(settings: ImproveConfig) -> None:
    run = improve(replace(settings, updates=2)).parent
    with pytest.raises(UserError, match="was begun with a second reward model"):
        improve(replace(settings, resume=run, second_reward_model=None))
    run = improve(replace(settings, name="without", updates=2, second_reward_model=None)).parent
    with pytest.raises(UserError, match="was begun without a second reward model"):
        improve(replace(settings, name="without", resume=run))


def test_a_second_model_that_does_not_fit_is_refused(settings: ImproveConfig, made: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="second_reward_model rewards the agent, too"):
        replace(settings, second_reward_model=settings.reward_model)
    with pytest.raises(UserError, match="not a reward model's folder"):
        improve(replace(settings, second_reward_model=tmp_path / "none"))
    with pytest.raises(UserError, match="holds an agent, not a reward model"):
        improve(replace(settings, second_reward_model=made / "clone"))
    agent, tokenizer = load_agent(made / "clone")
    longer = type(agent)(tiny_agent.config(image_size=(12, 16), setter_text_length=7))
    save_agent(InterTemporalRewardModel.from_agent(longer), tokenizer, tmp_path / "foreign")
    with pytest.raises(UserError, match="foreign was made for another agent than .*clone"):
        improve(replace(settings, second_reward_model=tmp_path / "foreign"))
    assert not (tmp_path / "whole").exists(), "no run was begun"
    share_play(settings.data[0], tmp_path / "data")
    store = open_store(tmp_path / "data")
    store.drop(store.ids(split="held_out"))
    with pytest.raises(UserError, match="second_reward_model scores replays .* leave out --second-reward-model"):
        improve(replace(settings, data=(store.folder,)))
