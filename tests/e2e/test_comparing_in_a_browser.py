"""Clips are compared in real browsers: the leader wants pairs, and two raters answer by keys and mouse."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from annotation.server.security.visitors import Role
from benchmarks.serving import make_study, served
from rlhf.records.preferences import ClipPair
from rlhf.store import open_store
from tests.e2e.browsers import chromium, wait_in
from tests.e2e.visitors import Visitor
from tests.patience import until

PAIRS, STEPS = 5, 15


class Comparer(Visitor):
    """A rater who compares clips."""

    def opened(self) -> None:
        """Stop at the first step of the pair that is shown, when both clips are drawn."""
        self.page.get_by_role("slider").wait_for()
        self.page.locator(".clip canvas.missing").first.wait_for(state="detached")
        self.press("Home")
        self.shows(0)
        wait_in(self.page, "[...document.querySelectorAll('.clip canvas')].every(c => c.width === 96)")

    def shows(self, step: int) -> None:
        """Wait until the pictures of ``step`` of both clips are drawn."""
        for clip in (0, 1):
            self.page.locator(f".clip:nth-child({clip + 1}) canvas[data-step='{step}']").wait_for()

    def plays(self, condition: str) -> None:
        """Wait until the first clip is at a ``step`` of which the condition holds. No step is there for long."""
        step = "Number(document.querySelector('.clip canvas')?.dataset.step)"
        wait_in(self.page, f"(step => {condition})({step})")

    def sees_answer(self, words: str) -> None:
        self.page.locator(".answer[aria-pressed=true]", has_text=words).wait_for()


@pytest.mark.e2e
def test_clips_are_compared(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    make_study(folder, episodes=6, steps=60)
    with chromium() as browser, served(folder) as (_, url, link):
        admin = Visitor(browser)
        admin.join(link, "Ada")
        wants_pairs(admin)
        ann, bob = Comparer(browser), Comparer(browser)
        for rater, name in ((ann, "Ann"), (bob, "Bob")):
            rater.signs_in(folder, Role.RATER, url, name)
            rater.page.goto(url)
            rater.page.get_by_text("Compare clips").click()
        answers_by_keys(ann)
        for key, words in (("b", "B is"), ("s", "the same"), ("b", "B is"), ("u", "cannot tell")):
            answers(ann, key, words)
        ann.page.get_by_text("All done.").wait_for()
        answers_by_mouse(bob)
        bob.page.get_by_text("All done.").wait_for()
        pairs = until(lambda: found if len(found := clip_pairs(folder)) == 2 * PAIRS else None)
        admin.page.reload()
        row = admin.page.get_by_role("row").filter(has_text=f"{2 * PAIRS} of {2 * PAIRS}")
        row.locator(".interval").wait_for()
        assert ann.complaints == bob.complaints == admin.complaints == []
    assert all(pair.seconds is not None and not pair.scripted for pair in pairs)
    said = Counter(pair.answer for pair in pairs)
    assert said["same"] == 1 and said["cannot tell"] == 1 and said["a"] + said["b"] == 2 * PAIRS - 2


def wants_pairs(admin: Visitor) -> None:
    """The leader sets the number of pairs, and two raters for each."""
    admin.page.get_by_text("Run the study").click()
    admin.page.get_by_role("button", name="Settings of the clips of play").click()
    form = admin.page.get_by_role("form", name="Settings of the clips of play")
    form.get_by_label("pairs of clips").fill(str(PAIRS))
    form.get_by_label("raters each").fill("2")
    form.get_by_role("button", name="Save").click()
    admin.page.get_by_text(f"0 of {2 * PAIRS}").wait_for()


def answers_by_keys(rater: Comparer) -> None:
    """Both clips play in a loop, stop and step together; the answer is changed and undone."""
    rater.plays("step >= 3")
    rater.opened()
    rater.press("ArrowRight", "ArrowRight")
    rater.shows(2)
    rater.press("End")
    rater.shows(STEPS - 1)
    rater.press("Space")  # plays on, and begins again
    rater.plays(f"step < {STEPS - 1}")
    rater.press("Enter")
    rater.page.get_by_text("Give an answer first").wait_for()
    rater.press("b", "a")
    rater.sees_answer("A is better")
    rater.press("Control+z")
    rater.sees_answer("B is better")
    rater.press("Control+y")
    rater.sees_answer("A is better")
    rater.goes_on()


def answers(rater: Comparer, key: str, words: str) -> None:
    rater.opened()
    rater.press(key)
    rater.sees_answer(words)
    rater.goes_on()


def answers_by_mouse(rater: Comparer) -> None:
    """A press on the line goes to a moment of both clips; the page is loaded again in the middle."""
    rater.opened()
    track = rater.page.get_by_role("slider").bounding_box()
    assert track is not None
    rater.page.mouse.click(track["x"] + track["width"] * 0.7, track["y"] + track["height"] / 2)
    rater.shows(int(STEPS * 0.7))
    rater.page.get_by_role("button", name="cannot tell").click()
    rater.sees_saved()
    rater.page.reload()
    rater.sees_answer("cannot tell")
    for _ in range(PAIRS):
        rater.opened()
        rater.page.get_by_role("button", name="A is better").click()
        rater.sees_answer("A is better")
        rater.goes_on("Next")


def clip_pairs(folder: Path) -> list[ClipPair]:
    return open_store(folder / "play").preferences(ClipPair)
