"""A person plays Alice in the household by the list and the keyboard, is helped, and rates the helper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotation.server.security.visitors import Role
from annotation.session.ratings import HelperRatings, read_ratings
from benchmarks import serving
from pipelines.cli.main import main
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.settings.world_config import WorldConfig
from rlhf.records.episode import Episode
from rlhf.records.preferences import HelperRating
from rlhf.replay.setter_replay import SetterReplay
from rlhf.store import open_store
from tests.e2e.browsers import chromium, wait_in
from tests.e2e.test_playing_in_a_browser import Somebody
from tests.patience import until
from worlds import registry

HELPER = "true_goal"


@pytest.mark.e2e
def test_alice_is_helped_and_rates_the_helper(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    world = WorldConfig(name="household", settings={"tasks": ["setup_table"]})
    record(RecordConfig(data=folder / "home", episodes=1, steps=3, workers=1, world=world))
    recorded = {row.episode_id for row in open_store(folder / "home").rows()}
    settings = ("--helpers", HELPER, "--helped-tasks", "1")
    with chromium() as browser, serving.served(folder, *settings) as (_, url, _):
        ann = Somebody(browser, url, serving.new_people(folder, Role.SETTER, 1)[0])
        ann.starts("You act, a helper helps")
        ann.sees("Task 1 of 1")
        ann.is_ready()
        ann.plays()
        ann.page.locator(".goal li").first.wait_for()
        steps = chooses(ann)
        ann.shot("play-household")
        ann.click("End")
        ann.sees("How was the helper?")
        ann.shot("play-rating")
        rates(ann, 6, 7, 5)
        ann.sees("Saved. Thank you!")
        assert not any(HELPER.encode() in message for message in ann.heard), "which helper it was stays hidden"
        ann.page.get_by_role("link", name="All games").click()
        ann.starts("You act, a helper helps")
        ann.sees("you have played all 1 tasks of the session")
        assert [said for said in ann.complaints if "409" not in said] == []
    (played,) = {row.episode_id for row in open_store(folder / "home").rows()} - recorded
    assert main(["episodes", "verify", str(folder / "home")]) in (0, None)
    store = open_store(folder / "home")
    check_episode(store.read(played), steps)
    person = store.read(played).setter.removeprefix("human:")
    assert store.preferences(HelperRating) == [HelperRating(played, 0, steps, 6, 7, 5, person, False)]


def chooses(ann: Somebody) -> int:
    """Choose by mouse what is listed, and by keys alone what is found by typing. Returns the steps that were played."""
    panel = ann.page.locator(".choosing")
    panel.get_by_role("button", name="turn left", exact=True).click()
    waits_for(ann, 1)
    panel.get_by_role("group", name="Walk to another room").get_by_role("button").first.click()
    waits_for(ann, 2)
    thing = panel.locator(".things strong").last.inner_text()
    panel.get_by_role("textbox").fill(thing)
    panel.get_by_role("textbox").press("ArrowDown")
    wait_in(ann.page, "thing => document.activeElement.ariaLabel?.endsWith(`: ${thing}`)", thing)
    ann.page.keyboard.press("Enter")
    waits_for(ann, 3)
    return 3


def waits_for(ann: Somebody, step: int) -> None:
    shown = ann.page.locator(".big-clock")
    until(lambda: shown.inner_text().startswith(f"step {step} of"), f"step {step}; {shown.inner_text()}", 0.02)
    until(lambda: ann.page.locator('.choosing[aria-busy="false"]').count() == 1, "the list", 0.02)


def rates(ann: Somebody, *ratings: int) -> None:
    """Rate by keys."""
    send = ann.page.get_by_role("button", name="Send the ratings")
    assert send.is_disabled()
    for name, rating in zip(("knew my goal", "was helpful", "trusted"), ratings, strict=True):
        group = ann.page.get_by_role("group", name=name)
        group.get_by_role("radio", name=str(rating), exact=True).press("Space")
    send.press("Enter")


def check_episode(episode: Episode, steps: int) -> None:
    """It has the ratings, and replays to the bit."""
    assert read_ratings(episode.notes) == HelperRatings(knew_goal=6, helpful=7, trusted=5)
    assert episode.notes["helper"] == HELPER and not episode.notes["goal_reached"] and len(episode) == steps
    assert episode.setter.startswith("human:") and episode.solver == "scripted" and episode.split == "held_out"
    assert episode.setter_movement[:, 0, 0].all() and episode.movement[:, 0, 0].any(), "both did something"
    replay = SetterReplay(registry.get("household").make(), episode)
    seen: Any = replay.reset()[0]
    counts = np.cumsum([0, *episode.seen["entity_counts"]])
    for step in range(len(episode)):
        told = slice(counts[step], counts[step + 1])
        np.testing.assert_array_equal(seen["entity_values"], episode.seen["entity_values"][told])
        np.testing.assert_array_equal(seen["entity_categories"], episode.seen["entity_categories"][told])
        seen = replay.step(episode.solver_action(step))[0]
