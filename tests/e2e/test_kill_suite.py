"""`rlhf suite play` is killed again and again; what it plays in the end is what it would have played at once."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import torch

from agents.agent import InteractiveAgent
from agents.folder import save_agent
from agents.tokenizer import Tokenizer
from pipelines.stages.episodes.recordings import read_episodes, spoken_texts
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.settings.world_config import WorldConfig
from pipelines.suite.make import MakeSuiteConfig, make_suite
from pipelines.suite.play import PlaySuiteConfig, play_suite
from rlhf.store import open_store, same_episode
from tests.processes import kill_rlhf, rlhf
from tests.unit.rlhf import tiny_agent

CONTINUATIONS, KILLS = 6, 2


@pytest.mark.e2e
def test_a_killed_play_goes_on_to_the_same(tmp_path: Path) -> None:
    room = json.dumps({"rooms": [1, 1], "furniture": [0, 0], "objects": [3, 3]})
    play = tmp_path / "play"
    world = WorldConfig(height=12, width=16, settings=room)
    record(RecordConfig(data=play, episodes=2, steps=150, workers=1, world=world))
    suite = make_suite(MakeSuiteConfig(play, tmp_path / "suite.json", scenarios=4, steps=40))
    tokenizer = Tokenizer.train(spoken_texts(read_episodes([play])), 280)
    torch.manual_seed(0)
    agent = InteractiveAgent(tiny_agent.config(image_size=(12, 16), vocab_size=tokenizer.vocab_size))
    save_agent(agent, tokenizer, tmp_path / "agent")
    agents = {"tiny": str(tmp_path / "agent")}
    at_once = PlaySuiteConfig(tmp_path / "suite.json", None, tmp_path / "once", agents, CONTINUATIONS, slots=8)
    ids = play_suite(at_once)
    assert len(ids) == len(suite.scenarios) * CONTINUATIONS
    words = ["suite", "play", "--suite", str(tmp_path / "suite.json"), "--data", str(tmp_path / "often")]
    words += ["--agents", "tiny", str(tmp_path / "agent"), "--slots", "8", "--continuations", str(CONTINUATIONS)]
    for kill in range(KILLS):
        count = there(tmp_path / "often") + 5
        kill_rlhf(tmp_path, partial(has, tmp_path / "often", count), 3 * kill, *words)
        assert count <= there(tmp_path / "often") < len(ids)
    rlhf(tmp_path, *words).succeed()
    once, often = open_store(tmp_path / "once"), open_store(tmp_path / "often")
    assert often.verify() == [] and sorted(often.ids()) == sorted(ids)
    for episode, other in zip(once.stream(ids), often.stream(ids), strict=True):
        assert same_episode(episode, replace(other, created=episode.created))


def has(data: Path, count: int) -> bool:
    """Whether so many continuations are in the dataset."""
    return there(data) >= count


def there(data: Path) -> int:
    """How many continuations are in the dataset, which may not be there yet."""
    index = data / "index.jsonl"
    return len(index.read_bytes().splitlines()) if index.is_file() else 0
