"""An improvement of seconds: recorded play in small rooms of the Playhouse, an agent, two reward models."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from agents.agent import InteractiveAgent
from agents.folder import save_agent
from agents.tokenizer import Tokenizer
from pipelines.stages.episodes.recordings import read_episodes, spoken_texts
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.settings.world_config import WorldConfig
from reward_models.autoregressive import AutoregressiveRewardModel
from reward_models.inter_temporal import InterTemporalRewardModel
from rlhf.learning.alarms import read_alarms
from rlhf.learning.config import LearnerConfig
from rlhf.run.tracking import read_metrics
from tests.unit.rlhf import tiny_agent

ROOM = json.dumps({"rooms": [1, 1], "furniture": [0, 0], "objects": [3, 3]})
WORLD = WorldConfig(height=12, width=16, settings=ROOM)


def make(folder: Path) -> None:
    """Fill ``folder`` with "data", "clone", "ibt" and "ar"."""
    recording = RecordConfig(data=folder / "data", episodes=4, steps=14, workers=1, world=WORLD)
    record(replace(recording, split="train"))
    record(replace(recording, episodes=2, split="held_out"))
    tokenizer = Tokenizer.train(spoken_texts(read_episodes([folder / "data"])), 280)
    torch.manual_seed(0)
    agent = InteractiveAgent(tiny_agent.config(image_size=(12, 16), vocab_size=tokenizer.vocab_size))
    with torch.no_grad():
        agent.language.speak.bias.fill_(-1.0)  # talkative
    save_agent(agent, tokenizer, folder / "clone")
    save_agent(InterTemporalRewardModel.from_agent(agent), tokenizer, folder / "ibt")
    save_agent(AutoregressiveRewardModel.from_agent(agent), tokenizer, folder / "ar")


def settings(made: Path, runs: Path, **others: Any) -> ImproveConfig:
    """Of an improvement of what :func:`make` put into the folder ``made``."""
    small: dict[str, Any] = dict(
        data=(made / "data",), agent=made / "clone", reward_model=made / "ibt", runs=runs, name="whole",
        slots=3, steps=5, batch=2, updates=9, evaluate_every=1, checkpoint_every=2, threads=2, torch_threads=1,
        wandb="disabled", world=WORLD, learner=LearnerConfig(learning_rate=1e-2),
    )  # fmt: skip
    return ImproveConfig(**small | others)


def measured(run: Path) -> list[dict[str, Any]]:
    """All rows of metrics without what depends on the time of day."""
    return [{k: v for k, v in row.items() if k != "time" and "second" not in k} for row in read_metrics(run)]


def assert_same_end(run: Path, other: Path) -> None:
    """See that two finished runs have the same metrics, alarms and weights, to the last bit."""
    assert measured(run) == measured(other)
    assert [row["step"] for row in measured(run)] == list(range(len(measured(run))))
    assert read_alarms(run) == read_alarms(other)
    for name in ("agent", f"checkpoints/step-{len(measured(run)) - 1:09d}/agent"):
        weights = [(one / name / "model.safetensors").read_bytes() for one in (run, other)]
        assert weights[0] == weights[1], name
