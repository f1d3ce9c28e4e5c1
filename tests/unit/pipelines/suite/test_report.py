"""Live evaluation by scripted setters, and the report of a suite: what was judged, in numbers counted by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from agents.agent import InteractiveAgent
from agents.folder import save_agent
from agents.tokenizer import Tokenizer
from annotation.session.verdicts import Verdict, read_verdicts
from pipelines.stages.settings.world_config import WorldConfig
from pipelines.suite.live import LiveSuiteConfig, live_suite, with_verdicts
from pipelines.suite.report import ReportSuiteConfig, report_suite, text
from pipelines.suite.report_data import ALL
from pipelines.suite.request_kinds import INSTRUCTION, QUESTION
from rlhf.records.episode import Episode, Request
from rlhf.records.marks import Judgement
from rlhf.store import ParquetStore, open_store, same_episode
from rlhf.store.synthetic import synthetic_episode
from tests.unit.rlhf import tiny_agent
from worlds.contract import TaskSpec
from worlds.errors import UserError

STEPS, TAKES_OVER = 40, 10
KIND_OF = {"s0": INSTRUCTION, "s1": INSTRUCTION, "s2": QUESTION}


def write(
    store: ParquetStore, episode_id: str, notes: Mapping[str, Any], solver: str = "agent:x", setter: str = "human:bob"
) -> None:
    made = synthetic_episode(0, steps=STEPS, height=4, width=4, episode_id=episode_id)
    store.write(replace(made, notes=notes, solver=solver, setter=setter))


def about(agent: str, scenario: str, number: int) -> dict[str, Any]:
    facts = {"suite": "abc", "name": scenario, "agent": agent, "number": number, "kind": KIND_OF[scenario]}
    player = "scripted" if agent == "recorded" else agent
    return {"scenario": facts | {"step": TAKES_OVER, "limit": STEPS - TAKES_OVER, "player": player}}


@pytest.fixture
def store(tmp_path: Path) -> ParquetStore:
    """Two continuations of three scenarios by two agents, one as recorded."""
    store = open_store(tmp_path / "sts", create=True)
    for scenario in KIND_OF:
        for agent, count in (("BC", 2), ("RL", 2), ("recorded", 1)):
            for number in range(count):
                write(store, f"{agent}-{scenario}-{number}", about(agent, scenario, number))
    return store


def judged(store: ParquetStore, **said: str) -> None:
    """``said`` by judge, a letter for each episode of the store: step of success (a is the first that is judged), "."
    for failure, " " for nothing."""
    step = {".": None} | {letter: TAKES_OVER + number for number, letter in enumerate("abcdefgh")}
    for judge, letters in said.items():
        store.write_judgements(
            Judgement(episode, judge, letter != ".", step[letter], scripted=False)
            for episode, letter in zip(store.ids(), letters, strict=True)
            if letter != " "
        )


def test_success_is_counted_by_agent_and_kind(store: ParquetStore) -> None:
    # in order: of each scenario BC, BC, RL, RL, recorded
    judged(store, ann="a.bbc.. c.d.b a")
    result = report_suite(ReportSuiteConfig(data=(store.folder,)))
    assert result.suite is not None and result.live is None
    rows = {row.agent: row for row in result.suite.agents}
    assert {name: row.success[ALL].estimate for name, row in rows.items()} == {
        "BC": pytest.approx((0.5 + 0 + 0.5) / 3), "RL": pytest.approx((1 + 1 + 1) / 3),
        "recorded": pytest.approx((1 + 0 + 1) / 3),
    }  # fmt: skip
    assert rows["BC"].success[INSTRUCTION].estimate == 0.25 and rows["BC"].success[QUESTION].estimate == 0.5
    assert rows["RL"].outcomes == 4 and rows["RL"].played == 6 and rows["RL"].clusters == 3
    assert rows["RL"].difference is not None and result.suite.baseline == "BC" and rows["BC"].difference is None
    assert rows["RL"].difference.estimate == pytest.approx(2 / 3)
    assert "success over 3 scenarios" in text(result)
    assert result.suite.recorded_by == {"scripted": 3}
    curve = rows["BC"].cumulative
    assert curve.share[0] == 0 and curve.share[1] == pytest.approx(0.5 / 3) and curve.share[4] == pytest.approx(1 / 3)
    assert len(curve.steps) == STEPS - TAKES_OVER + 1
    other = report_suite(ReportSuiteConfig(data=(store.folder,), baseline="RL")).suite
    assert other is not None and other.baseline == "RL"
    with pytest.raises(UserError, match="nothing by XL was judged; there are BC, RL, recorded"):
        report_suite(ReportSuiteConfig(data=(store.folder,), baseline="XL"))


def test_several_judges_decide_by_majority_and_a_tie_is_half(store: ParquetStore) -> None:
    judged(store, ann="a              ", bob=".              ", cid="c              ")
    judged(store, dan=" a             ", eve=" .             ")
    result = report_suite(ReportSuiteConfig(data=(store.folder,)))
    assert result.suite is not None
    (row,) = result.suite.agents
    assert row.success[ALL].estimate == 0.75
    assert result.suite.agreement.ties == 1 and result.suite.agreement.several == 2
    assert "2 by several (1 tied)" in text(result)
    assert "success over 1 of 3 scenarios" in text(result), "the others are not judged yet"


def test_it_is_written_as_json_and_as_a_page(store: ParquetStore, tmp_path: Path) -> None:
    judged(store, ann="a.b.c..a..d..ba", bob="a.b.c.....  ...")
    result = report_suite(ReportSuiteConfig(data=(store.folder,), out=tmp_path / "out"))
    read = json.loads((tmp_path / "out" / "report.json").read_text())
    assert result.suite is not None
    assert read["suite"]["agents"][0]["success"][ALL]["estimate"] == result.suite.agents[0].success[ALL].estimate
    page = (tmp_path / "out" / "report.html").read_text()
    for words in ("BC", "recorded", "Krippendorff", "3 by scripted", "a tie counts one half", "instructions"):
        assert words in page, words
    assert "http" not in page and "<script" not in page and "Live" not in page
    assert open_store(store.folder).verify() == []


def test_judgements_that_are_left_out_change_no_rate_and_are_counted(store: ParquetStore) -> None:
    judged(store, ann="a.bbc..a..d..ba")
    before = report_suite(ReportSuiteConfig(data=(store.folder,))).suite
    said = zip(store.ids(), ("no request", "cannot tell", "no request"), strict=False)
    store.write_judgements([Judgement(episode, "bob", False, None, False, reason) for episode, reason in said])
    after = report_suite(ReportSuiteConfig(data=(store.folder,))).suite
    assert before is not None and after is not None and before.left_out == {}
    assert after.agents == before.agents and after.agreement == before.agreement
    assert after.left_out == {"no request": 2, "cannot tell": 1}
    assert "3 judgements are left out" in (store.folder / "report.html").read_text()


def test_stand_ins_are_never_named_people(store: ParquetStore) -> None:
    (first, *_) = store.ids()
    with pytest.raises(UserError, match="nothing has been judged yet"):
        report_suite(ReportSuiteConfig(data=(store.folder,)))
    store.write_judgements([Judgement(first, "scripted-0", True, 12, True)])
    with pytest.raises(UserError, match="only scripted judges; use --scripted"):
        report_suite(ReportSuiteConfig(data=(store.folder,)))
    result = report_suite(ReportSuiteConfig(data=(store.folder,), scripted=True))
    assert result.scripted and dict(result.circumstances.counts) == {"judgements by": "scripted stand-ins"}
    assert "No person judged anything" in (store.folder / "report.html").read_text()
    store.write_judgements([Judgement(first, "ann", False, None, False)])
    people = report_suite(ReportSuiteConfig(data=(store.folder,)))
    assert people.suite is not None and people.suite.agents[0].success[ALL].estimate == 0


def verdict(step: int, asked: int, words: str, success: bool) -> dict[str, Any]:
    return {"step": step, "request_step": asked, "request": words, "success": success}


def test_live_play_is_reported_beside_it(store: ParquetStore, tmp_path: Path) -> None:
    judged(store, ann="a.b.c..a..d..ba")
    live = open_store(tmp_path / "live", create=True)
    first = [verdict(9, 5, "lift the duck", True), verdict(30, 20, "what is this?", False)]
    write(live, "e0", {"verdicts": first}, "agent:BC")
    write(live, "e1", {"verdicts": [verdict(12, 5, "go to the door", True)]}, "agent:BC")
    write(live, "e2", {"verdicts": [verdict(7, 7, "go to the door", False)]}, "human:ann")
    write(live, "e3", {"verdicts": []}, "agent:BC")
    write(live, "e4", {}, "agent:BC")
    result = report_suite(ReportSuiteConfig(data=(store.folder, tmp_path / "live")))
    assert result.suite is not None and result.live is not None
    rows = {row.agent: row for row in result.live.agents}
    assert rows["agent:BC"].success[ALL].estimate == pytest.approx(2 / 3)
    assert (rows["agent:BC"].outcomes, rows["agent:BC"].clusters) == (3, 2)
    assert rows["agent:BC"].success[QUESTION].estimate == 0 and QUESTION not in rows["human:ann"].success
    assert rows["agent:BC"].cumulative.share == (0, 0, 0, 0, 0, *[pytest.approx(1 / 3)] * 3, pytest.approx(2 / 3))
    assert "Live interaction" in (store.folder / "report.html").read_text()
    alone = report_suite(ReportSuiteConfig(data=(tmp_path / "live",)))
    assert alone.suite is None and alone.live == result.live


def test_verdicts_of_scripted_setters_are_apart(tmp_path: Path) -> None:
    live = open_store(tmp_path / "live", create=True)
    write(live, "e0", {"verdicts": [verdict(9, 5, "lift the duck", True)]}, setter="scripted")
    with pytest.raises(UserError, match="only scripted judges; use --scripted"):
        report_suite(ReportSuiteConfig(data=(live.folder,)))
    write(live, "e1", {"verdicts": [verdict(9, 5, "lift the duck", False)]})
    for scripted in (True, False):
        result = report_suite(ReportSuiteConfig(data=(live.folder,), scripted=scripted))
        assert result.live is not None
        (row,) = result.live.agents
        assert (row.outcomes, row.success[ALL].estimate) == (1, float(scripted))


@pytest.mark.parametrize("wrong", [{"success": 1}, {"step": 3}, {"request": 7}, {"step": "x"}, {"request_step": -1}])
def test_a_damaged_verdict_is_refused(wrong: dict[str, Any], tmp_path: Path) -> None:
    live = open_store(tmp_path / "live", create=True)
    write(live, "e0", {"verdicts": [verdict(9, 5, "lift", True) | wrong]})
    with pytest.raises(UserError, match="episode e0: .* is no verdict on a request"):
        report_suite(ReportSuiteConfig(data=(tmp_path / "live",)))


def test_datasets_without_anything_to_report_are_refused(store: ParquetStore, tmp_path: Path) -> None:
    write(open_store(tmp_path / "play", create=True), "e0", {})
    with pytest.raises(UserError, match="no continuations and no verdicts"):
        report_suite(ReportSuiteConfig(data=(tmp_path / "play",)))
    broken = about("BC", "s0", 9)
    del broken["scenario"]["kind"]
    write(store, "broken", broken)
    with pytest.raises(UserError, match="episode broken: its notes on the scenario lack kind"):
        report_suite(ReportSuiteConfig(data=(store.folder,)))


# Live evaluation


LENGTH = 60


def asked(success: tuple[int | None, ...], name: str = "e") -> Episode:
    """An episode with a request every 20 steps, fulfilled at these steps."""
    made = synthetic_episode(0, steps=LENGTH, height=4, width=4, episode_id=name)
    requests = tuple(Request(20 * number, TaskSpec("lift", f"line {number}", {}, 50)) for number in range(len(success)))
    said = [f"line {step // 20}" if step % 20 == 0 else "" for step in range(LENGTH)]
    return replace(made, requests=requests, success_step=success, setter_utterance=tuple(said))


def test_verdicts_follow_the_truth() -> None:
    judged = with_verdicts(asked((5, None, 58)), LiveSuiteConfig(wrong=0.0, late=(2, 2)))
    late = with_verdicts(asked((25, None, None)), LiveSuiteConfig(wrong=0.0))  # done after the next request
    assert [verdict.success for verdict in read_verdicts(late.notes)] == [False, False, False]
    assert read_verdicts(judged.notes) == (
        Verdict(8, 0, "line 0", True),
        Verdict(39, 20, "line 1", False),  # when the setter asks for the next thing
        Verdict(59, 40, "line 2", True),  # not after the episode's end
    )


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


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"late": (3, 2)}, "late is"),
        ({"agents": {"person": "scripted"}}, "the demonstrator is scripted=scripted, not person=scripted"),
        ({"agents": {}}, "no agents"),
        ({}, "holds play without verdicts"),
    ],
)
def test_wrong_settings_and_other_play_are_refused(
    wrong: dict, message: str, config: LiveSuiteConfig, tmp_path: Path
) -> None:
    open_store(tmp_path / "play", create=True).write(synthetic_episode(0, steps=4, height=4, width=4))
    with pytest.raises(UserError, match=message):
        live_suite(replace(config, data=tmp_path / "play", **wrong))
