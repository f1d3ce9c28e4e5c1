"""The report of a suite: what was judged, in numbers that can be counted by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipelines.suite.report import ReportSuiteConfig, report_suite, text
from pipelines.suite.report_data import ALL
from pipelines.suite.request_kinds import INSTRUCTION, QUESTION
from rlhf.records.marks import Judgement
from rlhf.store import ParquetStore, open_store
from rlhf.store.synthetic import synthetic_episode
from worlds.errors import UserError

STEPS, TAKES_OVER = 40, 10
KIND_OF = {"s0": INSTRUCTION, "s1": INSTRUCTION, "s2": QUESTION}


def write(
    store: ParquetStore, episode_id: str, notes: Mapping[str, Any], solver: str = "agent:x", setter: str = "human:bob"
) -> None:
    made = synthetic_episode(0, steps=STEPS, height=4, width=4, episode_id=episode_id)
    store.write(replace(made, notes=notes, solver=solver, setter=setter))


def about(agent: str, scenario: str, number: int) -> dict[str, Any]:
    result = {"suite": "abc", "name": scenario, "agent": agent, "number": number, "step": TAKES_OVER, "kind": KIND_OF[scenario]}  # fmt: skip # noqa: E501
    return {"scenario": result | {"limit": STEPS - TAKES_OVER, "player": "scripted" if agent == "recorded" else agent}}


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


def test_the_dataset_stays_whole(store: ParquetStore) -> None:
    judged(store, ann="a.b.c..a..d..ba")
    report_suite(ReportSuiteConfig(data=(store.folder,)))
    assert open_store(store.folder).verify() == []


def test_another_baseline_must_exist(store: ParquetStore) -> None:
    judged(store, ann="a.b.c..a..d..ba")
    result = report_suite(ReportSuiteConfig(data=(store.folder,), baseline="RL"))
    assert result.suite is not None and result.suite.baseline == "RL"
    with pytest.raises(UserError, match="nothing by XL was judged; there are BC, RL, recorded"):
        report_suite(ReportSuiteConfig(data=(store.folder,), baseline="XL"))


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


@pytest.mark.parametrize(
    "wrong",
    ["yes", {}, {"success": 1}, {"step": 3}, {"request": 7}, {"step": "x"}, {"request_step": -1}],
)
def test_a_damaged_verdict_is_refused(wrong: Any, tmp_path: Path) -> None:
    live = open_store(tmp_path / "live", create=True)
    result = (verdict(9, 5, "lift", True) | wrong) if isinstance(wrong, dict) and wrong else wrong
    write(live, "e0", {"verdicts": [result]})
    with pytest.raises(UserError, match="episode e0: .* is no verdict on a request"):
        report_suite(ReportSuiteConfig(data=(tmp_path / "live",)))


def test_a_dataset_of_neither_is_refused(tmp_path: Path) -> None:
    write(open_store(tmp_path / "play", create=True), "e0", {})
    with pytest.raises(UserError, match="no continuations and no verdicts"):
        report_suite(ReportSuiteConfig(data=(tmp_path / "play",)))


def test_incomplete_notes_are_refused(store: ParquetStore) -> None:
    broken = about("BC", "s0", 9)
    del broken["scenario"]["kind"]
    write(store, "broken", broken)
    with pytest.raises(UserError, match="episode broken: its notes on the scenario lack kind"):
        report_suite(ReportSuiteConfig(data=(store.folder,)))
