"""Live evaluation by scripted setters: verdicts follow the ground truth, and play is kept and resumed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from agents.agent import InteractiveAgent
from agents.folder import save_agent
from agents.tokenizer import Tokenizer
from annotation.session.verdicts import Verdict, read_verdicts
from pipelines.stages.settings.world_config import WorldConfig
from pipelines.suite.live import LiveSuiteConfig, live_suite, with_verdicts
from pipelines.suite.report import ReportSuiteConfig, report_suite
from rlhf.records.episode import Episode, Request
from rlhf.store import open_store, same_episode
from rlhf.store.synthetic import synthetic_episode
from tests.unit.rlhf import tiny_agent
from worlds.contract import TaskSpec
from worlds.errors import UserError

STEPS = 60


def asked(success: tuple[int | None, ...], name: str = "e") -> Episode:
    """An episode with a request every 20 steps, fulfilled at these steps."""
    made = synthetic_episode(0, steps=STEPS, height=4, width=4, episode_id=name)
    requests = tuple(Request(20 * number, TaskSpec("lift", f"line {number}", {}, 50)) for number in range(len(success)))
    said = [f"line {step // 20}" if step % 20 == 0 else "" for step in range(STEPS)]
    return replace(made, requests=requests, success_step=success, setter_utterance=tuple(said))


def test_verdicts_follow_the_truth() -> None:
    judged = with_verdicts(asked((5, None, 58)), LiveSuiteConfig(wrong=0.0, late=(2, 2)))
    assert read_verdicts(judged.notes) == (
        Verdict(8, 0, "line 0", True),
        Verdict(39, 20, "line 1", False),  # when the setter asks for the next thing
        Verdict(59, 40, "line 2", True),  # not after the episode's end
    )


def test_what_succeeds_after_the_next_request_has_failed() -> None:
    judged = with_verdicts(asked((25, None, None)), LiveSuiteConfig(wrong=0.0))
    assert [verdict.success for verdict in read_verdicts(judged.notes)] == [False, False, False]


def test_setters_err_as_often_as_they_are_said_to() -> None:
    config = LiveSuiteConfig(wrong=0.3)
    verdicts = [
        verdict
        for number in range(400)
        for verdict in read_verdicts(with_verdicts(asked((5, None, 50), f"e{number}"), config).notes)
    ]
    wrong = sum(verdict.success == (verdict.request_step == 20) for verdict in verdicts) / len(verdicts)
    assert wrong == pytest.approx(0.3, abs=0.05)
    assert all(verdict.request_step <= verdict.step < verdict.request_step + 20 for verdict in verdicts)


def test_a_wrong_range_or_a_demonstrator_of_another_name_is_refused() -> None:
    with pytest.raises(UserError, match="late is"):
        LiveSuiteConfig(late=(3, 2))
    with pytest.raises(UserError, match="the demonstrator is scripted=scripted, not person=scripted"):
        LiveSuiteConfig(agents={"person": "scripted"})
    with pytest.raises(UserError, match="no agents"):
        live_suite(LiveSuiteConfig())


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> LiveSuiteConfig:
    """Settings for an agent that has learned nothing, and the demonstrator."""
    folder = tmp_path_factory.mktemp("live")
    tokenizer = Tokenizer.train(["lift the red duck", "what colour is the ball"], 280)
    torch.manual_seed(0)
    agent = InteractiveAgent(tiny_agent.config(image_size=(12, 16), vocab_size=tokenizer.vocab_size))
    save_agent(agent, tokenizer, folder / "tiny" / "agent")
    room = {"rooms": [1, 1], "furniture": [0, 0], "objects": [3, 3]}
    return LiveSuiteConfig(
        agents={"tiny": str(folder / "tiny" / "agent"), "scripted": "scripted"}, data=folder / "live", episodes=2,
        steps=200, world=WorldConfig(height=12, width=16, settings=room),
    )  # fmt: skip


def test_all_agents_are_asked_in_the_same_places_and_reported(config: LiveSuiteConfig) -> None:
    ids = live_suite(config)
    episodes = list(open_store(config.data).stream(ids))
    places: dict[str, list[str]] = {}
    for episode in episodes:
        places.setdefault(episode.solver, []).append(json.dumps(dict(episode.config), sort_keys=True, default=str))
        assert episode.split == "held_out"
        assert len(read_verdicts(episode.notes)) == len(episode.requests)
    assert set(places) == {"agent:tiny", "scripted"} and places["agent:tiny"] == places["scripted"]
    report = report_suite(ReportSuiteConfig(data=(config.data,), scripted=True))
    assert report.live is not None
    success = {row.agent: row.success["all"].estimate for row in report.live.agents}
    assert success["scripted"] > success["agent:tiny"]

    assert live_suite(config) == ids  # nothing is played again
    assert all(same_episode(one, open_store(config.data).read(one.episode_id)) for one in episodes)
    with pytest.raises(UserError, match="was judged with"):
        live_suite(replace(config, wrong=0.5))


def test_other_play_is_not_judged(config: LiveSuiteConfig, tmp_path: Path) -> None:
    open_store(tmp_path / "play", create=True).write(synthetic_episode(0, steps=4, height=4, width=4))
    with pytest.raises(UserError, match="holds play without verdicts"):
        live_suite(replace(config, data=tmp_path / "play"))
