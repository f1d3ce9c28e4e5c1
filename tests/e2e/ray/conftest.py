"""A run of BC+RL that is over in seconds, for the tests that start Ray."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
import torch

from agents.agent import InteractiveAgent
from agents.folder import save_agent
from agents.tokenizer import Tokenizer
from pipelines.stages.clone import read_episodes, spoken_texts
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.settings.world_config import WorldConfig
from rlhf.distributed.config import RayConfig
from rlhf.learning.config import ExecutorConfig
from tests.unit.rlhf import tiny_agent


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> ImproveConfig:
    """A run of a few updates on a little scripted play, by an agent that has learned nothing yet."""
    folder = tmp_path_factory.mktemp("ray")
    room = json.dumps({"rooms": [1, 1], "furniture": [0, 0], "objects": [3, 3]})
    world = WorldConfig(height=12, width=16, settings=room)
    recording = RecordConfig(data=folder / "data", episodes=4, steps=8, workers=1, world=world)
    record(recording)
    record(replace(recording, episodes=2, split="held_out"))
    tokenizer = Tokenizer.train(spoken_texts(read_episodes([folder / "data"])), 280)
    torch.manual_seed(0)
    agent = InteractiveAgent(tiny_agent.config(image_size=(12, 16), vocab_size=tokenizer.vocab_size))
    save_agent(agent, tokenizer, folder / "clone")
    patient = ExecutorConfig(stall_sec=1800.0)  # processes take long to start on a busy machine
    return ImproveConfig(
        data=(folder / "data",), agent=folder / "clone", runs=folder / "runs", scripted_reward=True,
        slots=4, steps=5, batch=2, updates=4, evaluate_every=4, evaluation_episodes=2, checkpoint_every=2,
        threads=1, wandb="disabled", world=world, execution=patient, ray=RayConfig(runners=2, object_store_mb=100),
    )  # fmt: skip
