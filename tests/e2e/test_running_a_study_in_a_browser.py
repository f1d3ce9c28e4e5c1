"""A study from consent to deletion: gold episodes that teach, numbers that are right, and somebody who leaves."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from benchmarks.serving import make_study, served
from rlhf.records.marks import Mark
from rlhf.store import ParquetStore, open_store
from tests.e2e.browsers import chromium
from tests.e2e.scripted_study import play, work_on
from tests.e2e.visitors import SHOTS, Visitor
from tests.patience import until
from tests.unit.annotation.server.test_removing import traces

EPISODES, STEPS = 8, 150
CONSENT = "We keep the marks that you give, under a made-up name.\nYou may ask us to delete them at any time."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study on which four scripted raters have worked; for pictures, with play in a house."""
    folder = tmp_path / "study"
    if SHOTS:
        play(folder, 14, 300)
    else:
        make_study(folder, EPISODES, STEPS)
    return folder


@pytest.mark.e2e
def test_a_study_is_run(folder: Path) -> None:
    pseudonyms = work_on(folder)
    store = open_store(folder / "play")
    marked = store.marks()
    gold = store.ids()[-1]
    store.write_marks([Mark(gold, "oracle", 20, 1, True), Mark(gold, "oracle", 60, -1, True)])
    with chromium() as browser, served(folder) as (_, _, link):
        admin = Visitor(browser)
        admin.join(link, "Eve")
        admin.page.get_by_text("Run the study").click()
        asks_for_consent(admin)
        makes_gold(admin, gold)
        rater = joins(admin, browser)
        trains(rater)
        sees_numbers(admin, store, marked)
        deletes(admin, folder, pseudonyms["Bob"])
        assert rater.complaints == [] and admin.complaints == []


def asks_for_consent(admin: Visitor) -> None:
    page = admin.page
    page.get_by_label("Raters for each episode of play").fill("5")
    page.get_by_role("button", name="Settings", exact=True).click()
    page.get_by_label("title, as its people see it").fill("Kitchen and bedroom")
    page.get_by_label("instructions for its people").fill("Mark questions, too.")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("rowheader", name="Kitchen and bedroom").wait_for()
    page.get_by_role("link", name="Consent").click()
    page.get_by_label("Consent text").fill(CONSENT)
    page.get_by_role("button", name="Publish").click()
    agrees(admin)
    page.get_by_role("link", name="Consent").click()
    page.get_by_text("1 of 5 people have agreed").wait_for()  # the scripted raters have not
    admin.shot("study-consent")


def agrees(visitor: Visitor) -> None:
    """They are shown the text before anything else."""
    visitor.page.wait_for_url(lambda url: "/consent#" in url)
    visitor.page.get_by_text("You may ask us to delete them").wait_for()
    visitor.shot("consent")
    visitor.page.get_by_role("button", name="I have read this and agree").click()
    visitor.page.wait_for_url(lambda url: "/consent" not in url)


def makes_gold(admin: Visitor, gold: str) -> None:
    page = admin.page
    page.goto(page.url.partition("/study")[0] + "/look")
    page.locator(f'a[title="{gold}"]').wait_for()
    admin.shot("look")
    page.locator(f'a[title="{gold}"]').click()
    page.get_by_label("known marks: those of").select_option("oracle")
    admin.press("]", "]", "]")
    page.wait_for_timeout(300)
    admin.shot("look-gold")
    page.get_by_role("button", name="Make it gold").click()
    page.get_by_text("it is given for training").wait_for()
    page.goto(page.url.partition("/look")[0] + "/study")


def joins(admin: Visitor, browser: Any) -> Visitor:
    admin.page.get_by_role("button", name="Make a link").click()
    link = admin.page.locator(".invitation-link").input_value()
    rater = Visitor(browser)
    rater.page.goto(link)
    rater.page.get_by_label("What shall we call you?").fill("Flo")
    rater.page.get_by_role("button", name="Join").click()
    agrees(rater)
    rater.page.get_by_text("Mark episodes").click()
    return rater


def trains(rater: Visitor) -> None:
    """One known mark found, one missed, one that is the rater's alone; then an ordinary episode."""
    page = rater.page
    page.get_by_text("For practice").wait_for()
    rater.shot("mark-practice")
    page.get_by_text("Mark questions, too.").wait_for()
    rater.press("Shift+ArrowRight", "Shift+ArrowRight", "ArrowRight", "ArrowRight", "+")  # step 22
    rater.press("End", "Shift+ArrowLeft", "-")
    rater.sees_saved()
    page.get_by_role("button", name="Submit episode").click()
    page.get_by_role("alertdialog").filter(has_text="of this episode. Submit it all the same?").wait_for()
    page.get_by_role("button", name="Submit all the same").click()
    said = page.get_by_text("You found 1 of 2 known marks")
    said.wait_for()
    assert "missed 1, and gave 1 that is not among them" in said.inner_text()
    known = page.locator(".row-track", has_text="known marks").locator(".small-mark")
    assert [mark.get_attribute("data-step") for mark in known.all()] == ["20", "60"]
    assert page.locator(".small-mark.missed:not(.sample)").get_attribute("data-step") == "60"
    page.wait_for_timeout(300)
    rater.shot("feedback")
    page.get_by_role("button", name="Next episode").click()
    page.get_by_role("button", name="Submit episode").wait_for()
    assert page.get_by_text("For practice").count() == 0


def sees_numbers(admin: Visitor, store: ParquetStore, marked: list[Mark]) -> None:
    """What is counted is what the marks in the dataset say when they are counted here."""
    page = admin.page
    page.get_by_role("link", name="Progress").click()
    page.locator(".figures dd").first.wait_for()
    admin.shot("study-progress")
    figures = page.locator(".figures dd").all_inner_texts()
    assert figures == [str(3 * len(store) + 1), str(len(marked) + 2), str(len(store))]
    page.get_by_role("link", name="Agreement").click()
    alpha = page.get_by_role("row").filter(has_text="Krippendorff's alpha").locator(".interval-value")
    alpha.wait_for()
    assert 0 < float(alpha.inner_text()) < 1
    admin.shot("study-agreement")
    page.get_by_role("link", name="Gold episodes").click()
    score = page.get_by_role("row").filter(has_text="Flo")
    score.wait_for()
    assert score.locator("td").all_inner_texts() == ["training", "1", "50%", "50%", "50%"]
    admin.shot("study-gold")


def deletes(admin: Visitor, folder: Path, pseudonym: str) -> None:
    page = admin.page
    page.get_by_role("link", name="Projects and people").click()
    admin.shot("study")
    page.get_by_role("row").filter(has=page.get_by_role("rowheader", name="Bob")).get_by_role(
        "button", name="Delete…"
    ).click()
    button = page.get_by_role("button", name="Delete for good")
    assert button.is_disabled()
    page.get_by_label("to confirm").fill("Bob")
    admin.shot("study-delete")
    button.click()
    page.get_by_role("rowheader", name="Bob").wait_for(state="detached")
    until(lambda: not traces(folder, pseudonym), "nothing of Bob is left", 0.2)
    assert os.path.exists(folder / "annotation.sqlite")
