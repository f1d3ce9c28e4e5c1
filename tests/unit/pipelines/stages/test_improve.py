"""`rlhf improve` in the Playhouse: it resumes to the last bit, alone, with several models and with a learned setter."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
import torch

import pipelines.stages.executors
import pipelines.stages.improve
from agents.folder import load_agent, save_agent
from pipelines.stages.executors import make_environments, make_runner
from pipelines.stages.improve import held_out_episodes, improve
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.text_limits import noted_text_fit
from reward_models.autoregressive import AutoregressiveRewardModel
from reward_models.inter_temporal import InterTemporalRewardModel
from rlhf.learning.config import ExecutorConfig, LearnerConfig
from rlhf.learning.guards import GuardConfig
from rlhf.replay.learned_setter import LearnedSetterPlay
from rlhf.replay.setter_replay import SetterReplay
from rlhf.run.checkpoint import Checkpoints
from rlhf.run.tracking import read_metrics
from rlhf.store import open_store
from rlhf.store.transfer.shared_play import share_play
from tests.unit.pipelines.stages import small_improvement
from tests.unit.pipelines.stages.small_improvement import assert_same_end, measured
from worlds.contract import SETTER
from worlds.errors import UserError


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Recorded play, an agent, reward models "ibt", "ibt-1", "ar" and "ar-1", setters that "asks" and is "prompted"."""
    folder = tmp_path_factory.mktemp("made")
    small_improvement.make(folder)
    agent, tokenizer = load_agent(folder / "clone")
    save_agent(InterTemporalRewardModel.from_agent(agent, seed=1), tokenizer, folder / "ibt-1")
    save_agent(AutoregressiveRewardModel.from_agent(agent, seed=1), tokenizer, folder / "ar-1")
    agent.config.role = SETTER
    save_agent(agent, tokenizer, folder / "asks")
    agent.config.prompted = True
    with torch.no_grad():
        agent.language.speak.bias.fill_(9.0)  # type: ignore[union-attr]
    save_agent(agent, tokenizer, folder / "prompted")
    return folder


@pytest.fixture
def settings(made: Path, tmp_path: Path) -> ImproveConfig:
    return small_improvement.settings(made, tmp_path, guards=GuardConfig(patience=7))


# Resuming

CASES = {
    "in turns": {},
    "overlap": {"execution": ExecutorConfig(overlap=True)},
    "overlap, reuse, scripted": {
        "execution": ExecutorConfig(overlap=True, reuse=2, recent=2), "scripted_reward": True,
    },
    "reuse, ensemble with drawn marks": {"execution": ExecutorConfig(reuse=3, recent=3), "ensemble": ("ar",)},
    "utility": {"pays": "utility"},
    "a learned setter": {"setters": "agent:{}/asks"},
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_an_improvement_in_three_parts_ends_as_one_in_one_part(settings: ImproveConfig, made: Path, case: dict) -> None:
    case = case | {"ensemble": tuple(made / name for name in case.get("ensemble", ()))}
    settings = replace(settings, **case | {"setters": case.get("setters", "replayed").format(made)})
    whole = improve(settings).parent
    parts = improve(replace(settings, name="parts", updates=3)).parent
    improve(replace(settings, name="parts", resume=parts, updates=6))
    improve(replace(settings, name="parts", resume=parts, updates=9))
    assert_same_end(parts, whole)
    assert any("train/modelled_return" in row for row in measured(whole))  # its mean reaches over the resumption
    if settings.setters != "replayed":
        told = f"it acts while a learned setter, the agent in `{made / 'asks'}`, plays in the places of recorded ones"
        assert told in (whole / "agent" / "README.md").read_text()


def test_a_run_without_its_plays_in_progress_reports_that_it_begins_new_ones(
    settings: ImproveConfig, capfd: pytest.CaptureFixture[str]
) -> None:
    run = improve(replace(settings, updates=3)).parent
    capfd.readouterr()
    improve(replace(settings, resume=run, updates=6, drop_play=True))
    assert "plays in progress at the checkpoint are dropped" in capfd.readouterr().err
    assert json.loads((run / "config.json").read_text())["config"]["drop_play"] is False
    improve(replace(settings, resume=run, updates=9))
    assert "dropped" not in capfd.readouterr().err


def test_play_that_cannot_be_rebuilt_stops_the_resumption_with_its_place(settings: ImproveConfig) -> None:
    run = improve(replace(settings, updates=3)).parent
    checkpoints = Checkpoints(run)
    state, (agent, tokenizer) = checkpoints.latest().load_state(), checkpoints.latest().load_agent()
    state["trained"]["executor"]["runners"][0]["plays"]["slots"][1]["observation"] = "0" * 64
    checkpoints.save(3, agent, tokenizer, state)
    with pytest.raises(RuntimeError, match=r"slot 1: the \d+ steps of episode .* drop_play"):
        improve(replace(settings, resume=run))


def test_what_was_opened_is_closed_where_an_improvement_cannot_begin(
    settings: ImproveConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    executor, runner, damaged = Mock(), Mock(), Mock(side_effect=UserError("an episode is damaged"))
    with monkeypatch.context() as patch:
        patch.setattr(pipelines.stages.improve, "make_executor", lambda *_: executor)
        patch.setattr(pipelines.stages.improve, "held_out_episodes", damaged)
        with pytest.raises(UserError, match="damaged"):
            improve(settings)
    executor.close.assert_called_once_with()
    monkeypatch.setattr(pipelines.stages.executors, "make_runner", lambda *_: runner)
    monkeypatch.setattr(pipelines.stages.executors, "make_learner", damaged)
    with pytest.raises(UserError, match="damaged"):
        improve(settings)
    runner.close.assert_called_once_with()


# Held-out play, by an agent that learns nothing


@pytest.fixture
def still(made: Path, tmp_path: Path) -> ImproveConfig:
    """An improvement that learns nothing, against a model that samples a mark or none at every step."""
    return small_improvement.settings(
        made, tmp_path, reward_model=made / "ar", slots=2, updates=3, threads=1,
        learner=LearnerConfig(learning_rate=1e-30),
    )  # fmt: skip


def returns(config: ImproveConfig) -> list[float]:
    """Modelled returns of the held-out replays of a new run."""
    return [row["held_out/modelled_return"] for row in read_metrics(improve(config).parent)]


def test_sampling_noise_does_not_change_the_return_of_an_unchanged_agent(still: ImproveConfig) -> None:
    run = improve(still).parent
    improve(replace(still, resume=run, updates=5))
    rows = read_metrics(run)
    assert [row["step"] for row in rows] == [0, 1, 2, 3, 4, 5]
    fit = noted_text_fit(run)
    assert fit is not None and fit.setter.texts > 0, "the texts of what is replayed and imitated were measured"
    found = [row["held_out/modelled_return"] for row in rows]
    assert found == [found[0]] * 6
    assert found[0] != round(found[0] * 2) / 2  # expected, not sampled: two plays differ by half a mark or more
    rewards = {row["play/reward"] for row in rows[1:]}  # whole marks a step: 10 steps, less those that close a play
    assert len(rewards) > 1  # sampled
    assert all(any(n * one == pytest.approx(round(n * one), abs=1e-4) for n in range(5, 11)) for one in rewards)


def test_the_reward_of_an_ensemble_is_the_mean(still: ImproveConfig, made: Path) -> None:
    """On the same replays by the same agent, also after the run is resumed."""
    alone = [returns(replace(still, name=name, reward_model=made / name, updates=1))[0] for name in ("ar", "ar-1")]
    assert abs(alone[0] - alone[1]) > 1e-3
    both = replace(still, ensemble=(made / "ar-1",), updates=2)
    run = improve(both).parent
    found = returns(replace(both, resume=run, updates=4))
    assert found == pytest.approx([np.mean(alone)] * 5, abs=1e-5)
    card = (run / "agent" / "README.md").read_text(encoding="utf-8")
    assert f"the mean of the reward models in `{made / 'ar'}`, `{made / 'ar-1'}`" in card


def test_the_smallest_of_what_models_give_is_no_more_than_any(still: ImproveConfig, made: Path) -> None:
    single = replace(still, reward_model=made / "ibt", updates=1)
    both = replace(single, ensemble=(made / "ibt-1",))
    found = {
        name: returns(replace(config, name=name))[0]
        for name, config in {
            "first": single, "other": replace(single, reward_model=made / "ibt-1"), "mean": both,
            "minimum": replace(both, ensemble_by="minimum"), "weights": replace(both, ensemble_by="weights"),
            "deviation": replace(both, ensemble_by="mean_less_deviation", deviation_weight=0.0),
        }.items()
    }  # fmt: skip
    assert abs(found["first"] - found["other"]) > 1e-4
    assert found["minimum"] <= min(found["first"], found["other"]) + 1e-6
    assert found["deviation"] == pytest.approx(found["mean"], abs=1e-5)
    assert found["weights"] not in (found["first"], found["other"], found["mean"])
    with pytest.raises(UserError, match="needs several reward models"):
        replace(still, ensemble_by="minimum")


def test_patience_without_held_out_play_is_refused(still: ImproveConfig, tmp_path: Path) -> None:
    share_play(still.data[0], tmp_path / "data")
    store = open_store(tmp_path / "data")
    store.drop(store.ids(split="held_out"))
    config = replace(still, data=(store.folder,), name="patient", guards=GuardConfig(patience=2))
    with pytest.raises(UserError, match="no held-out play in .*`rlhf record --data .*data --split held_out"):
        improve(config)
    with pytest.raises(UserError, match="no held-out play by agent:bc in .* --solver AGENT`"):
        improve(replace(config, replay="agent:bc"))
    assert not (tmp_path / "patient").exists()
    with pytest.warns(UserWarning, match="no metric will show .* `rlhf record --data .*data --split held_out"):
        improve(replace(config, guards=GuardConfig(), updates=1))


# Learned setters


def test_setters_act_in_all_places_and_see_their_own_views(settings: ImproveConfig, made: Path) -> None:
    config = replace(settings, setters=f"agent:{made / 'prompted'}")
    episodes = held_out_episodes(config, 2, frames=False)
    agent, tokenizer = load_agent(made / "clone")
    runner = make_runner(config, agent, tokenizer, episodes, 2, 6, stagger=False)
    heard: list[tuple[list[np.ndarray], list[str], list[bool]]] = []
    setters: Any = runner._setters
    choose = setters.set

    def noting(seen: Any, prompts: list[str], resets: np.ndarray) -> Any:
        heard.append(([one["image"].copy() for one in seen], list(prompts), resets.tolist()))
        return choose(seen, prompts, resets)

    setters.set = noting
    fragment = runner.sample()
    assert len(heard) == 6, "once a step, for all places"
    assert [resets for _, _, resets in heard] == [[True, True]] + [[False, False]] * 5
    assert all(len(prompt.split()) > 3 for prompt in heard[0][1]) and heard[0][1] == heard[5][1]
    solver_saw = fragment.observations.image[:6]
    assert all(images[0].any() and not (images[0] == solver_saw[t, 0]).all() for t, (images, _, _) in enumerate(heard))
    words = fragment.observations.setter_tokens[1:, 0]
    assert (words != 0).any(axis=-1).all(), "it says something at every step, and the solver hears it"
    runner.close()


def test_plays_are_as_long_as_their_recordings(settings: ImproveConfig, made: Path) -> None:
    config = replace(settings, setters=f"agent:{made / 'asks'}")
    episodes = held_out_episodes(config, 2, frames=False)
    (env,) = make_environments(config, episodes, 1)
    assert isinstance(env, LearnedSetterPlay) and env.longest(episodes[0]) == len(episodes[0])
    assert type(make_environments(replace(config, setters="replayed"), episodes, 1)[0]) is SetterReplay
    people = [replace(episode, setter="human:ann") for episode in episodes]
    assert isinstance(make_environments(config, people, 1)[0], LearnedSetterPlay), "in the places of people, too"


def test_bad_setters_are_refused(settings: ImproveConfig, made: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match='setters are "replayed", "live" or agent:FOLDER, not \'people\''):
        replace(settings, setters="people")
    with pytest.raises(UserError, match="in the role of the solver, not of the setter"):
        improve(replace(settings, setters=f"agent:{made / 'clone'}"))
    assert not (tmp_path / "whole").exists(), "no run was begun"
