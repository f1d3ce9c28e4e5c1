"""`rlhf reward` with preferences besides marks: learned from, evaluated, reported, resumed and refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.folder import load_agent
from pipelines.report.training import training_report
from pipelines.stages.chosen_preferences import count_preferences, find_preferences
from pipelines.stages.episodes.noted_episodes import EVERY_EPISODE
from pipelines.stages.outcomes.headlines import reward_headline
from pipelines.stages.reward import RewardConfig, judged_episodes, reward
from reward_models.inter_temporal import InterTemporalRewardModel
from reward_models.learning.config import RewardTrainingConfig
from reward_models.preferences.config import PreferenceConfig
from reward_models.registry import load_reward_model
from rlhf.records.marks import Mark
from rlhf.records.preferences import NOUNS, ClipPair, RequestVerdict, StretchScore, TakeOver
from rlhf.run.tracking import read_metrics
from rlhf.store import ParquetStore, open_store
from rlhf.store.synthetic import synthetic_episode
from tests.unit.pipelines.stages import small_training
from worlds.errors import UserError

ALL = PreferenceConfig(clip_pairs=1.0, verdicts=1.0, take_overs=1.0, scores=1.0, batch=2)


@pytest.fixture
def settings(tmp_path: Path) -> RewardConfig:
    """A training of seconds on ten episodes, two of them held out; nothing is marked."""
    store = open_store(tmp_path / "data", create=True)
    own = {"controller": np.array([0] * 6 + [1] * 4 + [0] * 2, np.uint8), "solver": "agent:x+human:bo"}
    for number in range(10):
        split = "held_out" if number > 7 else "train"
        store.write(replace(synthetic_episode(number, 12, 12, 16), split=split, **own))
    for name in store.ids():
        store.write_preferences(
            [
                ClipPair(name, 0, 5, name, 5, 10, "a", "ann", 2.0, False),
                ClipPair(name, 0, 5, name, 6, 11, "same", "ann", 2.0, False),
                RequestVerdict(name, 1, 10, "success", "ann", False),
                StretchScore(name, 1, 6, 1.0, 1.0, 5.0, "ann", False),
                StretchScore(name, 6, 12, 4.0, 1.0, 5.0, "ann", False),
            ]
        )
    small_training.untrained(store, tmp_path / "agent")
    training = RewardTrainingConfig(
        updates=4, steps=4, batch=3, learning_rate=1e-2, warmup=1, evaluate_every=2, log_every=1, preferences=ALL
    )
    return RewardConfig(
        data=(store.folder,), agent=tmp_path / "agent", runs=tmp_path, validation=0.3, checkpoint_every=2,
        wandb="disabled", training=training,
    )  # fmt: skip


def store_of(settings: RewardConfig) -> ParquetStore:
    return open_store(settings.data[0])


def test_results_and_report_say_what_each_kind_contributed(
    settings: RewardConfig, capsys: pytest.CaptureFixture[str]
) -> None:
    run = reward(settings).parent
    best, rows = json.loads((run / "best.json").read_text()), read_metrics(run)
    for kind in ALL.weights:
        for where in ("reward_model", "reward_model_validation", "reward_model_held_out"):
            assert best[f"{where}/{kind}_examples"] > 0
        assert 0.0 <= best[f"reward_model_held_out/kept_{kind}_accuracy"] <= 1.0
        assert best[f"reward_model_held_out/{kind}_loss"] > 0.0
        assert any(f"reward_model/{kind}" in row for row in rows)
        assert f"examples of {NOUNS[kind]} in held-out play" in reward_headline(rows)
    assert best["reward_model/clip_pairs_examples"] == 12 and best["reward_model_held_out/clip_pairs_examples"] == 4
    assert "12 examples of clip pairs, 6 of verdicts, 6 of take-overs and" in capsys.readouterr().err
    report = training_report(run)
    facts = {fact.name: fact.note for fact in report.facts}
    assert "12 examples learned from; loss" in facts["Clip pairs right, held-out play"]
    assert {f"{kind} right, held-out play" for kind in ("Verdicts", "Take-overs", "Scores")} <= set(facts)
    assert "Other preferences ordered as raters did" in {chart.title for chart in report.evaluation}
    assert "clip pairs" in (run / "reward_model" / "README.md").read_text()


def test_a_preference_added_or_lost_since_is_noticed_on_resuming(settings: RewardConfig) -> None:
    run = reward(settings).parent
    again = replace(settings, resume=run)
    assert reward(again) == run / "reward_model"
    store = store_of(settings)
    (first, *_) = store.ids("train")
    store.write(replace(synthetic_episode(77, 12, 12, 16), solver="agent:y"))
    store.write_preferences([ClipPair(first, 0, 4, store.ids()[-1], 0, 4, "a", "ann", 1.0, False)])
    reward(again)  # it is about an episode that the run does not use
    store.write_preferences([RequestVerdict(first, 2, 9, "failure", "ann", False)])
    with pytest.raises(UserError, match=f"the play or the marks of episode {first} changed since"):
        reward(again)
    with pytest.raises(UserError, match="training.preferences"):
        reward(replace(again, training=replace(settings.training, preferences=replace(ALL, scores=0.0))))


def test_raters_choose_preferences_too(settings: RewardConfig) -> None:
    store = store_of(settings)
    only = replace(settings.training, preferences=PreferenceConfig(clip_pairs=1.0))
    store.write_preferences(ClipPair(name, 0, 4, name, 4, 8, "b", "robot", None, True) for name in store.ids())
    with pytest.raises(UserError, match="people and scripts have judged this play .*--raters people"):
        reward(replace(settings, training=only))
    run = reward(replace(settings, training=only, raters=("scripted",))).parent
    assert json.loads((run / "best.json").read_text())["reward_model/clip_pairs_examples"] == 6
    with pytest.raises(UserError, match="no marks by eve"):
        reward(replace(settings, training=only, raters=("eve",), name="other"))


def test_a_kind_of_which_there_is_none_is_refused(settings: RewardConfig) -> None:
    store = store_of(settings)
    store.forget("ann")
    store.write_marks(Mark(name, "ann", step, sign, False) for name in store.ids() for step, sign in ((3, 1), (8, -1)))
    with pytest.raises(UserError, match=r"no clip pairs of training episodes .*--training.preferences.clip-pairs"):
        reward(settings)
    store.forget("ann")
    only = replace(settings.training, preferences=PreferenceConfig(clip_pairs=1.0))
    with pytest.raises(UserError, match=r"there are no marks or clip pairs in .*`rlhf preferences import`"):
        reward(replace(settings, training=only))
    assert not (settings.runs / "reward").exists()


def test_weights_choose_the_kinds_that_are_read(settings: RewardConfig) -> None:
    store = store_of(settings)
    found = find_preferences(settings.data, PreferenceConfig(take_overs=1.0))
    assert found == [TakeOver(name, 6, 10, "bo", False) for name in store.ids()]
    assert find_preferences(settings.data, PreferenceConfig()) == []
    store.write_marks(Mark(name, "ann", step, sign, False) for name in store.ids() for step, sign in ((3, 1), (8, -1)))
    for between, expected in ((0.0, 0), (1.0, len(store.ids()))):  # verdicts say which requests failed
        training = replace(settings.training, preferences=PreferenceConfig(), between_weight=between)
        _, _, judged = judged_episodes(replace(settings, training=training), EVERY_EPISODE)
        assert len(judged) == expected and all(isinstance(one, RequestVerdict) for one in judged)


def test_the_head_begins_with_the_weights_of_its_own_seed(settings: RewardConfig) -> None:
    still = replace(settings, head_seed=5, training=replace(settings.training, learning_rate=0.0, seed=2))
    trained, _ = load_reward_model(reward(still))
    agent, _ = load_agent(settings.agent)
    expected = InterTemporalRewardModel.from_agent(agent, seed=5).state_dict()
    assert all(torch.equal(value, expected[name]) for name, value in trained.state_dict().items())


def test_counts_in_words() -> None:
    assert count_preferences({}) == ""
    assert count_preferences({"clip_pairs": 1200, "scores": 1}) == "1,200 examples of clip pairs and 1 of scores"
