"""A suite from end to end: drawn from play, gone on from by an agent, judged in a browser that learns nothing of whose
continuations they are, and reported."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from agents.agent import InteractiveAgent
from agents.folder import save_agent
from agents.tokenizer import Tokenizer
from annotation.server.security.sessions import COOKIE
from annotation.server.security.visitors import Role
from annotation.viewer.drawing import CHUNK_STEPS
from annotation.viewer.frames_file import pack_frames
from benchmarks.serving import make_suite as judged_synthetic_suite
from benchmarks.serving import new_people, served
from pipelines.stages.episodes.recordings import read_episodes, spoken_texts
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.settings.world_config import WorldConfig
from pipelines.suite.make import MakeSuiteConfig, make_suite
from pipelines.suite.play import PlaySuiteConfig, play_suite
from pipelines.suite.report import ReportSuiteConfig, report_suite
from pipelines.suite.scenarios import Suite
from rlhf.records.marks import Judgement
from rlhf.store import open_store
from tests.e2e.browsers import chromium, keeps_work, kept_for_later
from tests.e2e.test_marking_in_a_browser import SHOTS, Visitor
from tests.patience import PATIENCE_MS, PATIENCE_SEC
from tests.unit.rlhf import tiny_agent

AGENT = "zaphod"  # a name that nothing else has
GOES_ON = 40  # steps
Said = tuple[bool, int | None]


def played_suite(folder: Path) -> Suite:
    """Two scenarios of scripted play in ``folder``/study/sts: two continuations each by an agent, one as recorded."""
    room = json.dumps({"rooms": [1, 1], "objects": [4, 6]})
    recordings = folder / "play"
    record(RecordConfig(data=recordings, episodes=2, steps=160, workers=1, world=WorldConfig(settings=room)))
    suite = make_suite(MakeSuiteConfig(recordings, folder / "suite.json", scenarios=2, steps=GOES_ON, room=20))
    tokenizer = Tokenizer.train(spoken_texts(read_episodes([recordings])), 280)
    torch.manual_seed(0)
    agent = InteractiveAgent(tiny_agent.config(image_size=(72, 96), vocab_size=tokenizer.vocab_size))
    save_agent(agent, tokenizer, folder / "agent")
    agents = {AGENT: "perfect" if SHOTS else str(folder / "agent"), "recorded": "recorded"}
    play_suite(PlaySuiteConfig(folder / "suite.json", None, folder / "study" / "sts", agents, continuations=2))
    return suite


class Judge(Visitor):
    """A judge whose browser keeps every answer of the server."""

    def __init__(self, browser: Any, **options: Any) -> None:
        super().__init__(browser, **options)
        self.answers: list[tuple[str, dict[str, str], bytes]] = []  # path, headers and body
        self.offline = False
        self.context.route("**/api/**", self._pass_on)

    def _pass_on(self, route: Any) -> None:
        if self.offline:
            route.abort("internetdisconnected")
            return
        answer = route.fetch(timeout=PATIENCE_MS)
        self.answers.append((route.request.url.partition("/api")[2], answer.headers, answer.body()))
        route.fulfill(response=answer)

    def loses(self, offline: bool) -> None:
        """The connection is lost, or back."""
        self.offline = offline
        self.context.set_offline(offline)

    def opened(self) -> str:
        """What is asked for in the continuation that is shown."""
        self.page.get_by_role("slider").wait_for()
        return self.page.locator(".request blockquote").inner_text()

    def at(self) -> int:
        return int(self.page.get_by_role("slider").get_attribute("aria-valuenow") or -1)

    def sees_verdict(self, text: str) -> None:
        self.page.locator(".verdict-said").filter(has_text=text).wait_for()

    def goes_on(self) -> None:
        """To the next; the page is another's then. As people do, once more where the page says that it is too early."""
        self.sees_saved()
        self.page.evaluate("document.querySelector('.bench').dataset.old = 'yes'")
        bench = self.page.locator(".bench[data-old]")
        trouble = bench.locator(".desk .trouble")
        self.press("Enter")
        end = time.monotonic() + PATIENCE_SEC
        while bench.count():
            for said in trouble.all_inner_texts():
                assert "not everything is saved yet" in said or "cannot be reached" in said, said
                self.press("Enter")
            assert time.monotonic() < end, bench.inner_text()
            self.page.wait_for_timeout(300)
        self.page.get_by_role("slider").or_(self.page.get_by_text("All done.")).wait_for()

    def may_lose_the_connection(self) -> None:
        """Waits until the page and the continuation are there without one."""
        kept_for_later(self.page)
        keeps_work(self.page, "rlhf-judging")


@pytest.mark.e2e
def test_a_suite_is_judged(tmp_path: Path) -> None:
    suite = played_suite(tmp_path)
    folder = tmp_path / "study"
    with chromium() as browser, served(folder) as (_, _, link):
        admin = Visitor(browser)
        admin.join(link, "Ada")
        admin.page.get_by_text("Run the study").click()
        admin.page.locator("form.row select").select_option("judge")
        admin.page.get_by_role("button", name="Make a link").click()
        judge = Judge(browser)
        judge.join(admin.page.locator(".invitation-link").input_value(), "Jo")
        judge.page.locator("a", has_text="Watch what a solver does after a request").click()
        said = [succeeds(judge), loses_the_connection(judge), changes_their_mind(judge)]
        said += [fails(judge) for _ in range(3)]
        judge.page.get_by_text("All done.").wait_for()
        found = exported(folder, 6)
        admin.page.reload()
        admin.page.get_by_role("row").filter(has_text="sts").get_by_text("6 of 6").wait_for()
        admin.shot("study-judging")
        check_nothing_tells(judge, suite, folder)
        assert judge.complaints == [] and admin.complaints == []
    assert sorted((one.success, one.step) for one in found) == sorted(said, key=lambda s: (s[0], s[1] or 0))
    check_report(folder, found)


@pytest.mark.e2e
def test_success_is_said_by_mouse_alone(tmp_path: Path) -> None:
    """From a moment chosen in the picture, the mouse crosses the timeline to the button, and the moment stays."""
    folder = tmp_path / "study"
    judged_synthetic_suite(folder, continuations=1, steps=60)
    with chromium() as browser, served(folder) as (_, url, _):
        judge = Visitor(browser)
        judge.context.add_cookies([{"name": COOKIE, "value": new_people(folder, Role.JUDGE, 1)[0], "url": url}])
        judge.page.goto(f"{url}/judge")
        slider = judge.page.get_by_role("slider")
        slider.wait_for()
        judge.sees_all_loaded()
        judge.sees_picture()
        picture, track = judge.page.locator(".picture").bounding_box(), slider.bounding_box()
        button = judge.page.get_by_role("button", name="succeeded here").bounding_box()
        assert picture is not None and track is not None and button is not None
        judge.page.mouse.move(picture["x"] + picture["width"] * 0.8, picture["y"] + picture["height"] / 2, steps=5)
        judge.page.mouse.down()
        judge.page.mouse.up()
        chosen = slider.get_attribute("aria-valuenow")
        judge.page.mouse.move(track["x"] + track["width"] * 0.1, track["y"] + track["height"] / 2, steps=10)
        judge.page.mouse.move(button["x"] + button["width"] / 2, button["y"] + button["height"] / 2, steps=10)
        judge.page.mouse.down()
        judge.page.mouse.up()
        judge.page.locator(".verdict-said").filter(has_text="Succeeded").wait_for()
        assert judge.page.locator(".mark").get_attribute("data-step") == chosen
        assert judge.complaints == []


@pytest.mark.e2e
def test_nothing_is_submitted_that_a_window_does_not_show(tmp_path: Path) -> None:
    """Two windows say different things of one continuation: the second is told, and shows the first's once reloaded."""
    folder = tmp_path / "study"
    judged_synthetic_suite(folder, continuations=1, steps=60)
    with chromium() as browser, served(folder) as (_, url, _):
        judge = Visitor(browser)
        judge.context.add_cookies([{"name": COOKIE, "value": new_people(folder, Role.JUDGE, 1)[0], "url": url}])
        other = judge.context.new_page()
        other.set_default_timeout(PATIENCE_MS)
        for page in (judge.page, other):
            page.goto(f"{url}/judge")
            page.get_by_role("slider").wait_for()
        judge.press("t", "s")
        judge.page.locator(".verdict-said").filter(has_text="Succeeded").wait_for()
        judge.sees_saved()
        other.keyboard.press("f")
        other.get_by_text("1 change not saved: you have said something else of this in another window").wait_for()
        other.keyboard.press("Enter")
        other.get_by_text("not everything is saved yet").wait_for()
        other.reload()
        other.locator(".verdict-said").filter(has_text="Succeeded").wait_for()
        other.wait_for_timeout(500)  # what this browser has kept is read
        other.locator('.saved[data-waiting="0"]').wait_for()
        other.keyboard.press("Enter")
        other.get_by_text("All done.").wait_for()
        assert [one.success for one in exported(folder, 1)] == [True] and judge.complaints == []


@pytest.mark.e2e
def test_who_has_tried_again_by_hand_is_not_interrupted(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    judged_synthetic_suite(folder, continuations=1, steps=60)
    with chromium() as browser, served(folder) as (_, url, _):
        judge = Visitor(browser)
        judge.context.add_cookies([{"name": COOKIE, "value": new_people(folder, Role.JUDGE, 1)[0], "url": url}])
        judge.page.clock.install()
        judge.page.route("**/api/tasks/judging/next", lambda route: route.abort("internetdisconnected"))
        judge.page.goto(f"{url}/judge")
        judge.page.get_by_text("the server cannot be reached").wait_for()
        judge.page.clock.pause_at(time.time() + 3600)  # the page has tried again by itself, and waits for the next time
        judge.page.get_by_text("the server cannot be reached").wait_for()
        judge.page.unroute("**/api/tasks/judging/next")
        judge.page.get_by_role("button", name="Try again").click()
        judge.page.get_by_role("slider").wait_for()
        judge.page.evaluate("document.querySelector('.bench').dataset.old = 'yes'")
        judge.page.clock.run_for(10_000)
        judge.page.get_by_role("slider").wait_for()
        assert judge.page.locator(".bench[data-old]").count() == 1 and judge.complaints == []


def succeeds(judge: Judge) -> Said:
    """The take-over, seven steps on, success; too early it is refused, and it can be undone and moved."""
    judge.opened()
    judge.press("Home", "s")
    judge.page.get_by_text("Success lies after the line").wait_for()
    judge.press("t", *["ArrowRight"] * 7, "s")
    step = judge.at()
    judge.sees_verdict("Succeeded")
    judge.press("Control+z")
    judge.sees_verdict("Did it succeed?")
    judge.press("Control+y", "Alt+ArrowRight")
    assert judge.at() == step + 1
    judge.sees_saved()
    judge.page.mouse.move(5, 5)
    judge.shot("judge")
    judge.goes_on()
    return True, step + 1


def loses_the_connection(judge: Judge) -> Said:
    """A verdict without a connection; the page is loaded again, the verdict changed, and then the server is back."""
    judge.opened()
    judge.may_lose_the_connection()
    judge.loses(True)
    judge.press("f")
    judge.page.get_by_text("no connection: 1 change kept in this browser").wait_for()
    judge.press("Enter")
    judge.page.get_by_text("not everything is saved yet").wait_for()
    keeps_work(judge.page, "rlhf-judging", "kept.episode.answers[0]?.success === false")
    judge.page.reload()
    judge.sees_verdict("Failed")
    judge.press("t", "ArrowRight", "ArrowRight", "s")
    judge.sees_verdict("Succeeded")
    judge.page.get_by_text("no connection: 1 change kept in this browser").wait_for()
    step = judge.at()
    judge.loses(False)
    judge.goes_on()
    return True, step


def changes_their_mind(judge: Judge) -> Said:
    """Success by click, the page is loaded again, then failure."""
    judge.opened()
    judge.press("t")
    judge.page.get_by_role("button", name="succeeded here").click()
    judge.sees_saved()
    judge.page.reload()
    judge.sees_verdict("Succeeded")
    judge.page.get_by_role("button", name="failed").click()
    judge.sees_verdict("Failed")
    judge.goes_on()
    return False, None


def fails(judge: Judge) -> Said:
    judge.opened()
    judge.press("f")
    judge.goes_on()
    return False, None


def exported(folder: Path, count: int) -> list[Judgement]:
    """The dataset's judgements, once the background has written them."""
    until = time.monotonic() + PATIENCE_SEC
    while len(found := open_store(folder / "sts").judgements()) < count and time.monotonic() < until:
        time.sleep(0.05)
    return found


def check_nothing_tells(judge: Judge, suite: Suite, folder: Path) -> None:
    """No answer of the server, its headers included, says whose continuation it is, or leads to its name."""
    store = open_store(folder / "sts")
    tell = [AGENT, "sts", suite.id, "scripted", "agent:", "recorded", "player", "held_out", "scenario", "kind"]
    tell += [row.episode_id for row in store.rows()] + [scenario.name for scenario in suite.scenarios]
    of_agents = {
        chunk for row in store.rows() for chunk in recorded_chunks(store.read_compressed(row.episode_id).frames)
    }
    shown = set()
    for path, headers, body in judge.answers:
        if "/frames?" in path and body and not body.startswith(b"{"):
            if "view=seen" in path:
                assert body in of_agents
                shown.add(body)
            body = b""  # pictures
        said = f"{path} {headers} {body.decode()}"
        assert [word for word in tell if re.search(rf"\b{re.escape(word)}", said)] == [], said
    assert shown and len(judge.answers) > 20


def recorded_chunks(frames: Sequence[bytes]) -> list[bytes]:
    """An episode's pictures as browsers get them."""
    return [pack_frames(frames[begin : begin + CHUNK_STEPS]) for begin in range(0, len(frames), CHUNK_STEPS)]


def check_report(folder: Path, judgements: list[Judgement]) -> None:
    """The report says of each agent what was judged of it."""
    told = report_suite(ReportSuiteConfig(data=(folder / "sts",)))
    assert told.suite is not None
    for agent in (AGENT, "recorded"):
        own = [one.success for one in judgements if f"-{agent}-" in one.episode_id]
        (row,) = [row for row in told.suite.agents if row.agent == agent]
        assert row.success["all"].estimate == pytest.approx(sum(own) / len(own))
        assert row.continuations == len(own)
    assert (folder / "sts" / "report.html").is_file()
