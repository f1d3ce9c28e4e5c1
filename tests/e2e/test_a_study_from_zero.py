"""From an empty folder to a trained reward model: an admin, two players and a rater in browsers, then commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.serving import served
from pipelines.stages.episodes.division import division_of
from reward_models.registry import load_reward_model
from rlhf.store import open_store
from tests.e2e.browsers import GAME_SEC, chromium, game_advances, played_enough
from tests.e2e.visitors import Visitor
from tests.patience import until
from tests.processes import rlhf

GAMES = 2


class Person(Visitor):
    """Somebody who has come by a link."""

    no_bugs = ("",)  # of what browsers say, errors of scripts alone count

    def __init__(self, browser: Any, link: str, name: str) -> None:
        super().__init__(browser)
        self.page.on("dialog", lambda dialog: dialog.accept())
        self.join(link, name)


@pytest.fixture(autouse=True)
def forked_servers() -> None:
    """Replace the fixture of all end-to-end tests: the server here starts as users start it."""


@pytest.mark.e2e
def test_people_make_a_reward_model(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    # two games are too few to hold one out by chance
    with chromium() as browser, served(folder, "--episode-seconds", str(GAME_SEC), "--held-out", "0") as (_, url, link):
        admin = Person(browser, link, "Ada")
        admin.page.goto(f"{url}/play")
        admin.click("Make it")
        admin.page.get_by_text("Start a game").first.wait_for()
        setter, solver, rater = (Person(browser, invited(admin, url, role), name) for role, name in CAST)
        for number in range(GAMES):
            they_play(setter, solver, url, f"lift the toy number {number}", first=number == 0)
            if number:
                marks(rater, url)  # the game before, while this one goes on
            played_enough(setter.page)
            setter.click("End")
            for person in (setter, solver):
                person.page.get_by_text("Saved. Thank you!").wait_for()
        marks(rater, url)
        rater.page.get_by_text("All done.").wait_for()
        for person in (admin, setter, solver, rater):
            assert person.complaints == []
    check(folder, learned(folder))


CAST = (("setter", "Ann"), ("solver", "Bob"), ("rater", "Cid"))


def invited(admin: Person, url: str, role: str) -> str:
    """A link for somebody who is to be ``role``."""
    admin.page.goto(f"{url}/study")
    admin.page.get_by_role("combobox", name="as").select_option(role)
    admin.click("Make a link")
    return admin.page.locator(".invitation-link").input_value()


def they_play(setter: Person, solver: Person, url: str, request: str, first: bool) -> None:
    """One game, from the lobby to the solver's answer."""
    for person in (setter, solver):
        person.page.goto(f"{url}/play")
        if first:
            person.click("I know them already")
    setter.page.get_by_role("radio", name="Two people").check()
    setter.click("Start")
    solver.click("Join as solver")
    for person in (setter, solver):
        person.page.get_by_role("button", name="I am ready").click()
    for person in (setter, solver):
        person.page.locator(".screen .sheet").wait_for(state="detached")
    setter.says(request)
    solver.hears(request)
    for key in ("w", "Space"):
        solver.page.keyboard.down(key)
    game_advances(solver.page, 2)
    for key in ("w", "Space"):
        solver.page.keyboard.up(key)
    solver.says("here you are")
    setter.hears("here you are")


def marks(rater: Person, url: str) -> None:
    """One episode: progress late, regress early."""
    slider, done = rater.page.get_by_role("slider"), rater.page.get_by_text("All done.")

    def opened() -> bool:
        rater.page.goto(f"{url}/mark")
        slider.or_(done).first.wait_for()
        return slider.is_visible()

    until(opened, "an episode to mark")  # one that is saved may not be listed yet
    rater.press("Shift+ArrowRight", "-", "Shift+ArrowRight", "Shift+ArrowRight", "+")
    rater.page.locator(".mark").nth(1).wait_for()
    rater.page.locator('.saved[data-waiting="0"]').wait_for()
    before = rater.page.url
    rater.page.get_by_role("button", name="Submit episode").click()
    rater.page.get_by_role("button", name="Submit all the same").click()  # most of it was not seen
    slider.or_(done).first.wait_for()
    assert rater.page.url == before


def learned(folder: Path) -> Path:
    """A reward model of what the people did and marked, made as docs/study.md says, only much shorter."""
    runs, play = folder / "runs", folder / "people"
    rlhf(folder, "marks", "collect", "--data", str(folder)).succeed()
    rlhf(
        folder, "clone", "--data", str(play), "--solver", "None", "--runs", str(runs), "--held-out", "0",
        "--training.updates", "2", "--training.batch", "2", "--training.steps", "8", "--wandb", "disabled",
    ).succeed()  # fmt: skip
    rlhf(
        folder, "reward", "--data", str(play), "--agent", str(runs / "clone" / "agent"), "--runs", str(runs),
        "--training.updates", "2", "--training.evaluate-every", "1", "--training.batch", "2", "--training.steps", "8",
        "--wandb", "disabled",
    ).succeed()  # fmt: skip
    return runs / "reward" / "reward_model"


def check(folder: Path, reward_model: Path) -> None:
    store = open_store(folder / "people")
    rows = store.rows()
    assert len(rows) == GAMES and all(row.setter.startswith("human:") for row in rows)
    for row in rows:
        found = {(mark.step, mark.sign, mark.scripted) for mark in store.marks(row.episode_id)}
        assert found == {(10, -1, False), (30, 1, False)}
        assert "here you are" in store.read(row.episode_id).utterance
    division = division_of(reward_model)
    assert division.learned | division.validation == set(store.ids()) and division.learned
    model, _ = load_reward_model(reward_model)
    assert all(np.isfinite(weights.detach().numpy()).all() for weights in model.parameters())
