"""Demonstrations are watched in a real browser: films play, goals are said by keys and mouse, and go to the dataset."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation.server.security.visitors import Role
from benchmarks.serving import served
from experiments.watch_and_help.watching.recorded import record_shown
from rlhf.records.preferences import InferredGoal
from rlhf.store import open_store
from tests.e2e.browsers import chromium, keeps_work, wait_in
from tests.e2e.visitors import Visitor
from tests.patience import until

NUMBERS = (40, 61, 82)  # of tasks of test_1
_PIXELS = """c => {
  const pixels = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
  return new Set(pixels).size;
}"""


class Watcher(Visitor):
    """A rater who infers goals."""

    def opened(self) -> int:
        """Wait for the film of the demonstration that is shown; return its length in steps."""
        self.page.locator(".inferring canvas:not(.missing)[data-step='0']").wait_for()
        wait_in(self.page, "document.querySelector('.inferring canvas').width === 720")
        return int(self.page.get_by_role("slider").get_attribute("aria-valuemax") or 0) + 1

    def shows(self, step: int) -> None:
        """Wait until the picture of ``step`` is drawn, and so counts as seen."""
        self.page.locator(f".inferring canvas:not(.missing)[data-step='{step}']").wait_for()

    def says(self, name: str, count: int) -> None:
        """Wait until the form has this count of a predicate."""
        self.page.locator(f"[data-predicate={name}][aria-valuenow='{count}']").wait_for()


@pytest.mark.e2e
def test_goals_are_inferred(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    ids, _ = record_shown(folder / "shown", "test_1_tasks", NUMBERS)
    with chromium() as browser, served(folder) as (_, url, link):
        admin = Visitor(browser)
        admin.join(link, "Ada")
        ann = Watcher(browser)
        ann.signs_in(folder, Role.RATER, url, "Ann")
        ann.page.goto(url)
        ann.page.get_by_text("Infer goals").click()
        answers_by_keys(ann)
        answers_by_mouse(ann)
        cannot_tell(ann)
        ann.page.get_by_text("All done.").wait_for()
        inferred = until(lambda: found if len(found := inferred_goals(folder)) == len(NUMBERS) else None)
        admin.page.goto(f"{url}/study")
        admin.page.get_by_role("row").filter(has_text="3 of 3").get_by_text("shown").wait_for()
        admin.page.get_by_label("Raters for each demonstration of shown").fill("2")
        admin.press("Tab")
        admin.page.get_by_text("3 of 6").wait_for()
        assert ann.complaints == admin.complaints == []
    assert {one.episode_id for one in inferred} == set(ids)
    assert all(not one.scripted and one.seconds is not None and one.begin == 0 for one in inferred)
    said = ["{}", '{"holds_book_character":1,"sit_sofa":1}', '{"inside_apple_fridge":1,"on_plate_kitchentable":2}']
    assert sorted((one.goal for one in inferred), key=len) == said


def answers_by_keys(rater: Watcher) -> None:
    """The film plays and is stepped through; counts are set on their lines; an answer is undone; the page reloaded."""
    steps = rater.opened()
    assert rater.page.locator(".inferring canvas").evaluate(_PIXELS) > 50
    rater.press("4", "Space")  # plays at four times the speed
    wait_in(rater.page, "Number(document.querySelector('.inferring canvas').dataset.step) > 8")
    rater.press("Space", "End")
    rater.shows(steps - 1)
    rater.press("ArrowLeft")
    rater.shows(steps - 2)
    rater.press("ArrowRight")
    rater.shows(steps - 1)
    rater.sees_all_loaded()
    rater.press("g", "3", "ArrowDown")
    rater.says("on_plate_kitchentable", 2)
    rater.page.get_by_text("on the kitchen table: plates × 2").wait_for()
    rater.press("7", "9", "Tab", "2", "Delete")  # more than can be is nothing; the next line is left empty
    rater.says("on_plate_kitchentable", 2)
    rater.says("on_waterglass_kitchentable", 0)
    rater.press("Control+z", "Control+z", "Control+z")
    rater.says("on_plate_kitchentable", 3)
    rater.press("Control+y")
    rater.says("on_plate_kitchentable", 2)
    rater.page.get_by_role("spinbutton", name="apples in the fridge").focus()
    rater.press("ArrowUp")
    rater.sees_saved()
    keeps_work(rater.page, "rlhf-inferring", f"kept.position === {steps - 1}")
    rater.shot("watch")
    rater.page.reload()
    rater.shows(steps - 1)
    rater.says("on_plate_kitchentable", 2)
    rater.says("inside_apple_fridge", 1)
    rater.goes_on("Next (Enter)")


def answers_by_mouse(rater: Watcher) -> None:
    """Buttons set counts; the line goes to a moment; the page asks before the end was seen."""
    steps = rater.opened()
    track = rater.page.get_by_role("slider").bounding_box()
    assert track is not None
    rater.page.mouse.click(track["x"] + track["width"] * 0.5, track["y"] + track["height"] / 2)
    rater.shows(int(steps * 0.5))
    for name in ("sit_sofa", "holds_book_character"):
        rater.page.locator(f"[data-predicate={name}] button", has_text="+").click()
        rater.says(name, 1)
    assert rater.page.locator("[data-predicate=sit_sofa] button", has_text="+").is_disabled()
    rater.page.get_by_role("button", name="Next (Enter)").click()
    rater.page.get_by_text("You have not seen the end of the film.").wait_for()
    rater.press("Escape")
    rater.press("End")
    rater.shows(steps - 1)
    rater.goes_on("Next (Enter)")


def cannot_tell(rater: Watcher) -> None:
    """Without any predicate the page asks once more."""
    rater.opened()
    rater.press("Enter")
    rater.page.get_by_text("Submit this as").wait_for()
    rater.page.get_by_role("button", name="Submit all the same").click()


def inferred_goals(folder: Path) -> list[InferredGoal]:
    return open_store(folder / "shown").preferences(InferredGoal)
