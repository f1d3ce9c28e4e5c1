"""A suite from end to end: drawn from play, gone on from by an agent, and judged in a browser that learns nothing of
whose continuations they are."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from agents.agent import InteractiveAgent
from agents.folder import save_agent
from agents.tokenizer import Tokenizer
from annotation.viewer.drawing import CHUNK_STEPS
from annotation.viewer.frames_file import pack_frames
from benchmarks.serving import served
from pipelines.stages.episodes.recordings import read_episodes, spoken_texts
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.settings.world_config import WorldConfig
from pipelines.suite.make import MakeSuiteConfig, make_suite
from pipelines.suite.play import PlaySuiteConfig, play_suite
from pipelines.suite.scenarios import Suite
from rlhf.records.marks import Judgement
from rlhf.store import open_store
from tests.e2e.browsers import chromium
from tests.e2e.visitors import SHOTS, Visitor
from tests.patience import PATIENCE_MS, until
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
        self.context.route("**/api/**", self._pass_on)

    def _pass_on(self, route: Any) -> None:
        answer = route.fetch(timeout=PATIENCE_MS)
        self.answers.append((route.request.url.partition("/api")[2], answer.headers, answer.body()))
        route.fulfill(response=answer)

    def opened(self) -> str:
        """What is asked for in the continuation that is shown."""
        self.page.get_by_role("slider").wait_for()
        return self.page.locator(".request blockquote").inner_text()

    def sees_verdict(self, text: str) -> None:
        self.page.locator(".verdict-said").filter(has_text=text).wait_for()


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
        said = [succeeds(judge), changes_their_mind(judge)]
        said += [fails(judge) for _ in range(4)]
        judge.page.get_by_text("All done.").wait_for()
        found = exported(folder, 6)
        admin.page.reload()
        admin.page.get_by_role("row").filter(has_text="sts").get_by_text("6 of 6").wait_for()
        admin.shot("study-judging")
        check_nothing_tells(judge, suite, folder)
        assert judge.complaints == [] and admin.complaints == []
    assert sorted((one.success, one.step) for one in found) == sorted(said, key=lambda s: (s[0], s[1] or 0))


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
    return until(lambda: found if len(found := open_store(folder / "sts").judgements()) >= count else None, "them")


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
