"""End-to-end tests: their division among processes, and a run of BC+RL that is over in seconds."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

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

# Longest first, so that two processes end at about the same time. All tests that start Ray are run by one of them.
_LONGEST = ("ray", "test_study", "test_iterate", "test_demo", "test_kill_improving")


class Scheduling(LoadScopeScheduling):
    """A division of the tests among processes: a file's tests in one process, and all that start Ray in one."""

    def _split_scope(self, nodeid: str) -> str:
        return _group(nodeid.partition("::")[0])


def _group(path: str) -> str:
    name = Path(path).stem
    return "ray" if name.startswith("test_ray") else name


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling:
    """Have pytest-xdist divide the tests so, whatever its ``--dist``."""
    return Scheduling(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest groups first."""
    here = Path(__file__).parent
    rank = {group: number for number, group in enumerate(_LONGEST)}
    own = sorted(
        (each for each in items if each.path.parent == here),
        key=lambda each: rank.get(_group(each.path.name), len(rank)),
    )
    ordered = iter(own)
    items[:] = [next(ordered) if each.path.parent == here else each for each in items]


PATIENT = ExecutorConfig(stall_sec=1800.0)  # processes take long to start on a busy machine


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
    return ImproveConfig(
        data=(folder / "data",), agent=folder / "clone", runs=folder / "runs", scripted_reward=True,
        slots=4, steps=5, batch=2, updates=4, evaluate_every=4, evaluation_episodes=2, checkpoint_every=2,
        threads=1, wandb="disabled", world=world, execution=PATIENT, ray=RayConfig(runners=2, object_store_mb=100),
    )  # fmt: skip
