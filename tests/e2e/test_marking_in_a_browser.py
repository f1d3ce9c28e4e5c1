"""The whole journey in real browsers: the admin invites a rater, who marks, loses the connection, and submits."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation.server.security.visitors import Role
from benchmarks.serving import make_study, served
from rlhf.records.marks import Mark
from rlhf.store import open_store
from tests.e2e.browsers import chromium, keeps_work, kept_for_later
from tests.e2e.visitors import Visitor, working
from tests.e2e.wires import Wire
from tests.patience import until

STEPS = 200


@pytest.mark.e2e
def test_an_episode_is_marked(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    make_study(folder, episodes=1, steps=STEPS)
    with chromium() as browser, served(folder) as (_, url, link):
        admin = Visitor(browser)
        admin.join(link, "Ada")
        admin.shot("home")
        admin.page.get_by_text("Run the study").click()
        admin.page.get_by_role("button", name="Make a link").click()
        invitation = admin.page.locator(".invitation-link").input_value()
        rater = Visitor(browser)
        rater.join(invitation, "Ben")
        rater.page.get_by_text("Mark episodes").click()
        rater.page.get_by_role("slider").wait_for()
        marks_online(rater)
        marks_offline(rater)
        corrects_and_submits(rater)
        marks = exported(folder, 3)
        admin.page.reload()
        admin.page.get_by_role("row").filter(has_text="play").get_by_text("1 of 1").wait_for()
        pseudonym = admin.page.get_by_role("row").filter(has_text="Ben").locator("code").inner_text()
        admin.shot("study")
        rater.page.goto(invitation)  # their own link, used: it leads home
        rater.page.get_by_role("heading", name="Hello, Ben").wait_for()
        rater.complaints = [said for said in rater.complaints if "404" not in said]
        rater.page.goto(f"{url}/study")
        rater.page.get_by_text("This page is for the study's leaders.").wait_for()
        assert rater.page.get_by_role("link", name="Consent").count() == 0
        assert rater.complaints == [] and admin.complaints == []
    episode = "synthetic-000000"
    expected = [(10, 1), (31, -1), (50, 1)]
    assert marks == [Mark(episode, pseudonym, step, sign, scripted=False) for step, sign in expected]


@pytest.mark.e2e
def test_requests_that_find_their_connection_closed_are_sent_again_and_count_once(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    make_study(folder, episodes=1, steps=STEPS)
    with working(folder, Role.RATER) as rater:
        wire = Wire(int(rater.url.rpartition(":")[2]))  # cookies do not depend on ports
        rater.page.goto(f"http://127.0.0.1:{wire.port}/mark")
        rater.page.get_by_role("slider").wait_for()
        rater.sees_all_loaded()
        for key in ("+", "-"):
            wire.resets = 1
            rater.press("Shift+ArrowRight", key)
            until(lambda: wire.resets == 0, "a request on a closed connection")
            rater.sees_saved()
        wire.resets = 1
        rater.press("End")
        rater.page.get_by_role("button", name="Submit episode").click()
        rater.page.get_by_role("button", name="Submit all the same").click()
        rater.page.get_by_text("All done.").wait_for()
        assert wire.resets == 0 and [(mark.step, mark.sign) for mark in exported(folder, 2)] == [(10, 1), (20, -1)]


def marks_online(rater: Visitor) -> None:
    rater.press("Shift+ArrowRight", "+")  # step 10
    rater.press("Shift+ArrowRight", "Shift+ArrowRight", "-")  # step 30
    rater.sees_marks((10, "+"), (30, "−"))
    rater.sees_saved()
    rater.sees_picture()
    scans_and_holds(rater)
    canvas = "c => c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some(value => value > 0)"
    assert rater.page.locator("canvas").evaluate(canvas)
    rater.press("[", "[")
    kept_for_later(rater.page)
    rater.sees_all_loaded()
    keeps_work(rater.page, "rlhf-marking", "kept.position === 10 && kept.episode.answers.length === 2")
    rater.shot("mark")


def scans_and_holds(rater: Visitor) -> None:
    """The mouse scans over the picture; a chosen moment stays while the mouse crosses picture and timeline."""
    at, slider = rater.at, rater.page.get_by_role("slider")
    picture, track = rater.page.locator(".picture").bounding_box(), slider.bounding_box()
    assert picture is not None and track is not None
    there = picture["x"] + picture["width"] * 0.755, picture["y"] + picture["height"] / 2
    assert at() == 30  # keys have chosen it
    rater.page.mouse.move(*there)
    assert at() == 30
    rater.page.mouse.click(*there)  # scans again
    rater.page.mouse.move(there[0] - 1, there[1])
    assert at() == int(STEPS * 0.75)
    rater.page.mouse.click(*there)  # chosen
    rater.page.mouse.move(track["x"] + track["width"] * 0.2, track["y"] + track["height"] / 2, steps=10)
    assert at() == int(STEPS * 0.75)
    rater.page.mouse.down()  # a press on the timeline goes there, and a drag goes on
    rater.page.mouse.move(track["x"] + track["width"] * 0.505, track["y"] + track["height"] / 2, steps=4)
    rater.page.mouse.up()
    assert at() == STEPS // 2


def marks_offline(rater: Visitor) -> None:
    """Without a connection: a mark, then the page is loaded again, then another mark. Then it comes back."""
    rater.context.set_offline(True)
    rater.press("Home", *["Shift+ArrowRight"] * 5, "+")  # step 50
    rater.page.get_by_text("no connection: 1 change kept in this browser").wait_for()
    rater.shot("mark-offline")
    keeps_work(rater.page, "rlhf-marking", "kept.position === 50 && kept.episode.answers.length === 3")
    rater.page.reload()
    rater.sees_marks((10, "+"), (30, "−"), (50, "+"))
    rater.press("Home", *["Shift+ArrowRight"] * 7, "-")  # step 70
    rater.page.get_by_text("no connection: 2 changes kept in this browser").wait_for()
    rater.context.set_offline(False)
    rater.sees_saved()


def corrects_and_submits(rater: Visitor) -> None:
    rater.page.reload()
    rater.sees_marks((10, "+"), (30, "−"), (50, "+"), (70, "−"))
    rater.press("End", "[", "Delete")  # the mark at 70
    rater.press("[", "[", "Alt+ArrowRight", "Alt+ArrowRight", "Control+z")  # 30 to 31
    rater.sees_marks((10, "+"), (31, "−"), (50, "+"))
    rater.sees_saved()
    # The connection is lost between submitting and what comes next: what is submitted is not shown for marking again.
    rater.page.route("**/api/tasks/marking/next", lambda route: route.abort("internetdisconnected"))
    rater.page.get_by_role("button", name="Submit episode").click()
    rater.page.get_by_role("alertdialog").filter(has_text="Submit it all the same?").wait_for()
    rater.shot("mark-asked")
    rater.page.get_by_role("button", name="Submit all the same").click()
    rater.page.get_by_text("the server cannot be reached").wait_for()
    assert rater.page.get_by_role("slider").count() == 0
    rater.page.unroute("**/api/tasks/marking/next")
    done = rater.page.get_by_text("All done.")
    rater.page.get_by_role("button", name="Try again").or_(done).click()  # the page itself tries again, too
    done.wait_for()


def exported(folder: Path, count: int) -> list[Mark]:
    """The dataset's marks, once the background has written them."""
    return until(lambda: found if len(found := open_store(folder / "play").marks()) >= count else None, "the marks")
