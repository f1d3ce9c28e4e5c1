"""`rlhf teach` in a real browser: clips, marks and verdicts, training, a test, and the next round."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import replace

import pytest

from annotation.server.config import ServeConfig
from annotation.server.errors import Refused
from annotation.server.teacher import Predicted, Taught
from pipelines.loops.loop import FREE, iterate
from pipelines.loops.rounds import LoopConfig, resolve_config
from pipelines.loops.teaching import Lessons
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.reward import RewardConfig
from pipelines.stages.running.staged_run import open_run
from reward_models.preferences.config import PreferenceConfig
from rlhf.records.preferences import ClipPair, RequestVerdict
from rlhf.run.config import load_config
from rlhf.store import open_store
from tests.e2e.teaching import signed_in
from tests.e2e.test_accessibility import found, unreached
from tests.e2e.test_loop import compared, tiny
from tests.e2e.visitors import Visitor
from tests.patience import until

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def lessons(tmp_path_factory: pytest.TempPathFactory) -> LoopConfig:
    """Rounds of an agent that was cloned before, whose demonstrations nobody has marked."""
    given = tmp_path_factory.mktemp("given") / "run"
    assert iterate(tiny(given, marks="people", marked_demonstrations="none", rounds=1)) is None
    config = tiny(
        given.parent / "taught", rounds=1, marks="people", marked_demonstrations="requests",
        data=given / "demonstrations" / "data", agent=given / "clone" / "agent",
    )  # fmt: skip
    learned = replace(config.reward.training, preferences=PreferenceConfig(verdicts=1.0, batch=2))
    config = resolve_config(replace(config, reward=replace(config.reward, training=learned)))
    open_run(config.run, config, "run", free=FREE)
    return config


PAIRS = 3
ASKED_SEC = 12  # a little more than the shortest play that is kept


def in_phase(teacher: Lessons, phase: str) -> Taught:
    def state() -> Taught | None:
        seen = teacher.state("")
        assert seen.phase != "failed", seen.trouble
        return seen if seen.phase == phase else None

    return until(state, f"the phase {phase}", pause_sec=0.2)


def taught_in_a_browser(config: LoopConfig, teacher: Lessons) -> AbstractContextManager[Visitor]:
    return signed_in(ServeConfig(data=config.run, port=0, episode_seconds=ASKED_SEC, held_out=0.0), teacher)


def test_a_person_teaches_an_agent_round_after_round(lessons: LoopConfig) -> None:
    teacher = Lessons(lessons, PAIRS)
    teacher.begin()
    try:
        with taught_in_a_browser(lessons, teacher) as person:
            assert in_phase(teacher, "marking").clips == 16
            judge(person, 10)  # of 16: nobody has to see them all
            ask(person)
            state = in_phase(teacher, "marking")
            assert (state.clips, state.marks) == (17, 11)
            person.click("Train")
            state = in_phase(teacher, "trained")
            assert (state.round, state.marks) == (1, 11) and state.verdicts > 5  # some asked for nothing
            assert [work.done for work in state.work] == [1.0] * 4
            person.sees("by the tasks' own checks")
            with pytest.raises(Refused, match="training has begun"):
                teacher.train()
            prefer(person)
            person.click("Again")
            person.sees("Round 2")
            state = in_phase(teacher, "marking")
            assert (state.round, state.predicted) == (2, Predicted(0, 0))
            judge(person, 1)
            until(lambda: teacher.state("").marks == 1, "a mark on a clip of the new agent")
    finally:
        teacher.close()
    again = Lessons(lessons, PAIRS)  # the same command after Ctrl-C
    again.begin()
    assert (again.state("").phase, again.state("").round) == ("marking", 2)
    again.close()


def judge(person: Visitor, count: int) -> None:
    """Mark so many clips once each, and say of its request that it was done, or was not."""
    for number in range(count):
        person.page.get_by_role("slider").wait_for()
        person.sees_all_loaded()
        person.press("Home", "ArrowRight", "ArrowRight", "+" if number % 2 else "-")
        until(lambda: len(person.marks()) == 1, "the mark")
        if number == 1:
            person.shot("teach-clip")
            assert found(person.page) == [] and unreached(person.page) == []
        clip = person.page.locator(".bench")
        clip.evaluate("bench => { bench.dataset.old = 'yes' }")
        person.press("s" if number % 3 else "f")
        until(lambda: person.page.locator(".bench[data-old]").count() == 0, "the next clip", 0.05)


def ask(person: Visitor) -> None:
    """Ask the agent by typing, and mark what it has done."""
    person.page.get_by_role("slider").wait_for()
    person.press("a")
    person.sees("I am ready")
    person.press("Enter")
    person.says("lift the duck")
    person.hears("lift the duck")
    person.shot("teach-ask")
    person.sees("It is the next clip for you to mark.")
    person.shot("teach-asked")
    assert found(person.page) == []
    person.press("Enter")
    person.page.get_by_role("slider").wait_for()
    person.sees_all_loaded()
    person.press("Home", ".")
    person.page.locator(".captions", has_text="lift the duck").wait_for()
    person.press("+")
    until(lambda: len(person.marks()) == 1, "the mark")
    clip = person.page.locator(".bench")
    clip.evaluate("bench => { bench.dataset.old = 'yes' }")
    person.press("s")
    until(lambda: person.page.locator(".bench[data-old]").count() == 0, "the next clip", 0.05)
    person.page.get_by_text("and 11 marks on 17 clips").wait_for()  # the last is in its dataset


def prefer(person: Visitor) -> None:
    """Say of every pair which agent does better, and take one answer back."""
    person.click("Compare")
    person.sees(f"0 of {PAIRS} pairs judged")
    person.page.locator(".clip canvas:not(.missing)").nth(1).wait_for()
    shown = person.page.content()
    assert not any(name in shown for name in ("round-1", "agent:", "BC"))
    person.shot("teach-compare")
    assert found(person.page) == [] and unreached(person.page) == []
    answer(person, "1")
    person.page.reload()
    person.sees(f"1 of {PAIRS} pairs judged")
    person.page.locator(".clip canvas:not(.missing)").nth(1).wait_for()
    answer(person, "Control+z")
    person.page.locator(".answer[aria-pressed=true]", has_text="1 is better").wait_for()
    for key in ("2", "0", "="):
        assert "you preferred" not in person.page.content()  # or people would learn which agent is which
        answer(person, key)
    person.sees("you preferred the new agent in")


def answer(person: Visitor, key: str) -> None:
    """Press a key that shows another pair, or a clip after the last one."""
    bench = person.page.locator(".bench")
    bench.evaluate("bench => { bench.dataset.old = 'yes' }")
    person.press(key)
    until(lambda: person.page.locator(".bench[data-old]").count() == 0, "the next pair", 0.05)
    person.page.locator(".stage canvas").first.wait_for()


def test_what_is_learned_from_is_in_the_datasets(lessons: LoopConfig) -> None:
    asked = open_store(lessons.run / "asked-1")
    (row,) = asked.rows()
    assert (row.solver, row.split, len(asked.marks())) == ("agent:BC", "train", 1)
    first = lessons.run / "round-1"
    assert asked.folder in load_config(first / "reward", RewardConfig).data
    assert asked.folder not in load_config(first / "improve", ImproveConfig).replay_data
    verdicts = open_store(lessons.run / "play-1").preferences(RequestVerdict)
    assert {verdict.answer for verdict in verdicts} == {"success", "failure"} and not verdicts[0].scripted
    pairs = open_store(lessons.run / "compared-1").preferences(ClipPair)
    assert len(pairs) == PAIRS and sum(pair.answer == "same" for pair in pairs) == 2
    (one,) = compared(lessons.run).rounds
    assert one.marks == 11
    assert [share.count for share in one.preferred.values()] == [1]
    assert lessons.data is not None
    given = open_store(lessons.data)
    assert open_store(lessons.run / "demonstrations" / "data").ids() == given.ids() and not given.marks()
