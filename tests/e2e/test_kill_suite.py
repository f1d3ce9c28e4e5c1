"""`rlhf suite play` is killed again and again; what it plays in the end is what it would have played at once."""

from __future__ import annotations

import json
import signal
import time
from dataclasses import replace
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
from tests.patience import PATIENCE_SEC
from tests.processes import Forked, rlhf
from tests.unit.rlhf import tiny_agent
from worlds.errors import UserError

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
    killed = killed_until_done(tmp_path, len(ids))
    assert killed == KILLS and len(ids) == len(suite.scenarios) * CONTINUATIONS
    once, often = open_store(tmp_path / "once"), open_store(tmp_path / "often")
    assert often.verify() == [] and sorted(often.ids()) == sorted(ids)
    for episode, other in zip(once.stream(ids), often.stream(ids), strict=True):
        assert same_episode(episode, replace(other, created=episode.created))


def killed_until_done(folder: Path, count: int) -> int:
    """How often it was killed before it was done, each time when some more continuations were there."""
    until, kills = time.monotonic() + PATIENCE_SEC, 0
    while time.monotonic() < until:
        before, process = there(folder), begun(folder)
        while process.status() is None and (kills == KILLS or there(folder) < before + 5):
            time.sleep(0.005)
        if process.status() is None and there(folder) < count:
            kills += process.kill() == -signal.SIGKILL
        if process.wait() == 0:
            return kills
    raise AssertionError(f"not done after {kills} kills")


def begun(folder: Path) -> Forked:
    words = ["suite", "play", "--suite", str(folder / "suite.json"), "--data", str(folder / "often")]
    words += ["--agents", "tiny", str(folder / "agent"), "--slots", "8", "--continuations", str(CONTINUATIONS)]
    return rlhf(folder, *words)


def there(folder: Path) -> int:
    """How many continuations are in the dataset."""
    try:
        return len(open_store(folder / "often"))
    except (UserError, OSError):
        return 0
