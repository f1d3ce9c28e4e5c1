"""The sweep over rater noise: its settings, reuse of results, table and figure."""

from __future__ import annotations

import io
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from agents.agent import InteractiveAgent
from agents.folder import save_agent
from agents.tokenizer import Tokenizer
from experiments.engine.results_docs import read_tables
from experiments.interactive_agents import rater_noise as sweep
from experiments.interactive_agents.rater_noise import RaterNoiseConfig, plan_rater_noise
from experiments.interactive_agents.rater_noise_results import Noise
from reward_models.learning.training import RewardTrainingConfig
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode
from tests.unit.rlhf import tiny_agent
from worlds.contract import Event
from worlds.errors import UserError

USUAL = Noise(0.1, 1.0, 0.05, 1.0)
FEW: dict[str, Any] = dict(miss=(0.1, 1.0), delay=(1.0,), mistake=(0.05,), marked=(0.5, 1.0))


def test_every_setting_is_tried_once_and_differs_in_one_thing() -> None:
    noises = RaterNoiseConfig().noises()
    assert noises[0] == USUAL and len(noises) == len(set(noises)) == 13
    for noise in noises[1:]:
        assert sum(getattr(noise, axis) != getattr(USUAL, axis) for axis in sweep.AXES) == 1
    assert len({noise.name for noise in noises}) == 13


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> RaterNoiseConfig:
    folder = tmp_path_factory.mktemp("sweep")
    store = open_store(folder / "play", create=True)
    for number in range(36):
        episode = synthetic_episode(number, 24, 8, 8)
        truth = (Event(6, 1 if number % 3 else -1, "a"), Event(14, 1 if number % 2 else -1, "b"))
        store.write(replace(episode, truth=truth, split="held_out" if number >= 28 else "train"))
    tokenizer = Tokenizer.train(["please lift the ball"], 300)
    sizes = tiny_agent.config(vocab_size=tokenizer.vocab_size)
    agent = save_agent(InteractiveAgent(sizes), tokenizer, folder / "agent")
    training = RewardTrainingConfig(updates=2, steps=12, batch=4, evaluate_every=2, evaluation_episodes=4)
    return RaterNoiseConfig(
        data=(folder / "play",), agent=agent, run=folder / "runs" / "raters", validation=0.2, training=training, **FEW
    )


def test_a_sweep_reports_every_setting_and_resumes(config: RaterNoiseConfig, monkeypatch) -> None:
    path = plan_rater_noise(config).carry_out()
    folder, text = path.parent, path.read_text()
    results = {result["noise"]["miss"]: result for result in json.loads((folder / "results.json").read_text())[:2]}
    assert results[0.1]["accuracy"]["episodes"] == 8  # held out, and judged by clean marks: every event has one
    assert results[0.1]["episodes"] > 20 and 2 <= results[0.1]["update"] <= 2
    assert "a usable mark" in results[1.0]["failed"] or "too few" in results[1.0]["failed"]  # nothing was marked
    assert text.count("(usual)") == 4 and results[1.0]["failed"] in text
    with Image.open(io.BytesIO((folder / "raters.png").read_bytes())) as image:
        assert np.asarray(image.convert("L")).std() > 5
    trained = []
    original = sweep.train_reward_model
    monkeypatch.setattr(sweep, "train_reward_model", lambda *a, **k: trained.append(1) or original(*a, **k))
    again = plan_rater_noise(config).carry_out().read_text()
    assert read_tables(again) == read_tables(text) and trained == []
    more = replace(config, miss=(0.1, 0.5, 1.0))
    assert "without a mark: 0.5" in plan_rater_noise(more).carry_out().read_text() and trained == [1]


def test_results_of_other_play_are_not_mixed_in(config: RaterNoiseConfig, tmp_path: Path) -> None:
    grown = replace(config, data=(tmp_path / "play",), run=tmp_path / "runs")
    shutil.copytree(config.data[0], grown.data[0])
    plan_rater_noise(grown).carry_out()
    plan_rater_noise(grown).carry_out()
    open_store(grown.data[0]).write(synthetic_episode(99, 24, 8, 8))
    with pytest.raises(UserError, match="another experiment: inputs is"):
        plan_rater_noise(grown).carry_out()


def test_slow_raters_have_their_mean_delay() -> None:
    rater = sweep._rater(replace(USUAL, delay=6.0, miss=0.0), 0.7, seed=0)
    events = [Event(20 * k, 1, "") for k in range(200)]
    late = [mark.step % 20 for mark in rater.mark("e", 5000, events)]
    assert np.median(late) == 6 and np.mean(late) == pytest.approx(6.0, abs=0.3)
