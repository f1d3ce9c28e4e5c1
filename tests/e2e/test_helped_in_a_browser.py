"""A person plays Alice in the household by the list and the keyboard, is helped, and rates the helper."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from annotation.games.help_sessions import plan
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
from tests.e2e.browsers import chromium
from tests.e2e.test_playing_in_a_browser import Somebody
from tests.patience import until
from worlds import registry
from worlds.contract import SETTER, SOLVER

HELPER, SESSION_SEED, SETTINGS = "true_goal", 7, {"tasks": ["setup_table"]}
FEW_STEPS = 60


class Chosen(NamedTuple):
    """An action as the page names it, and the step's number."""

    step: int
    group: str
    thing: str
    words: str


@pytest.mark.e2e
def test_alice_is_helped_and_rates_the_helper(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    world = WorldConfig(name="household", settings=SETTINGS)
    record(RecordConfig(data=folder / "home", episodes=2, workers=1, world=world))
    recorded = {row.episode_id for row in open_store(folder / "home").rows()}
    seed, acts = solution()
    settings = ("--helpers", HELPER, "--helped-tasks", "1", "--helped-seed", str(seed))
    with chromium() as browser, serving.served(folder, *settings) as (_, url, _):
        ann = Somebody(browser, url, serving.new_people(folder, Role.SETTER, 1)[0])
        ann.starts("You act, a helper helps")
        ann.sees("Task 1 of 1")
        ann.is_ready()
        ann.plays()
        ann.page.locator(".goal li").first.wait_for()
        assert "not" in ann.page.locator(".goal").inner_text()
        for act in acts:
            waits_for(ann, act.step)
            if act.step == 10:
                ann.shot("play-household")
            chooses(ann, act)
        ann.sees("How was the helper?")
        ann.shot("play-rating")
        rates(ann, 6, 7, 5)
        ann.sees("Saved. Thank you!")
        ann.sees(f"The task was achieved. It took {len(acts)} steps.")
        assert not any(HELPER.encode() in message for message in ann.heard), "which helper it was stays hidden"
        ann.page.get_by_role("link", name="All games").click()
        ann.starts("You act, a helper helps")
        ann.sees("you have played all 1 tasks of the session")
        complaints = [said for said in ann.complaints if "409" not in said]
        assert complaints == []
    (played,) = {row.episode_id for row in open_store(folder / "home").rows()} - recorded
    assert main(["episodes", "verify", str(folder / "home")]) in (0, None)
    store = open_store(folder / "home")
    check_episode(store.read(played), len(acts))
    person = store.read(played).setter.removeprefix("human:")
    assert store.preferences(HelperRating) == [HelperRating(played, 0, len(acts), 6, 7, 5, person, False)]


def solution() -> tuple[int, list[Chosen]]:
    """A session whose one task takes few steps, and the choices that lead to its goal."""
    for seed in range(SESSION_SEED, SESSION_SEED + 100):
        (task,) = plan("anybody", [HELPER], 1, seed)
        place = registry.get("household").sample_config(task.place_seed, **SETTINGS)
        if sum(place["task"]["goal"].values()) == 2 and len(acts := played(place, task.place_seed)) <= FEW_STEPS:
            return seed, acts
    raise AssertionError("no task is so short")


def played(place: dict[str, Any], seed: int) -> list[Chosen]:
    """What the planning Alice chooses beside the helper."""
    entry = registry.get("household")
    assert entry.live_play is not None and entry.make_helper is not None
    world: Any = entry.make()
    seen = world.reset(seed=seed, options={"config": place})[0]
    live, helper = entry.live_play(world), entry.make_helper(HELPER)
    alice: Any = entry.make_setter(tasks={"setup_table": 1.0}, acts=True, silent=True)
    alice.reset(world, 0)
    helper.reset(world, seed)
    chosen = list[Chosen]()
    while world.agents and not live.reached(SETTER):
        action = alice.act(seen[SETTER])
        act, action["movement"][0] = named(live, world.step_index, action["movement"][0].tolist())
        chosen.append(act)
        seen = world.step({SETTER: action, SOLVER: helper.act(seen[SOLVER])})[0]
    return chosen


def named(live: Any, step: int, movement: list[int]) -> tuple[Chosen, tuple[int, ...]]:
    """The choice that is, or comes nearest to, the action ``movement``, and its own movement."""
    things, verb_and_thing = live.choices(SETTER), movement[:2]
    exact = [(thing, one) for thing in things for one in thing.choices if list(one.movement) == movement]
    same = [(thing, one) for thing in things for one in thing.choices if list(one.movement[:2]) == verb_and_thing]
    wait = [(thing, one) for thing in things for one in thing.choices if one.words == "wait"]
    thing, one = (exact or same or wait)[0]
    return Chosen(step, thing.group, thing.name, one.words), one.movement


def waits_for(ann: Somebody, step: int) -> None:
    shown = ann.page.locator(".big-clock")
    until(lambda: shown.inner_text().startswith(f"step {step} of"), f"step {step}; {shown.inner_text()}", 0.02)
    until(lambda: ann.page.locator('.choosing[aria-busy="false"]').count() == 1, "the list", 0.02)


def chooses(ann: Somebody, act: Chosen) -> None:
    """Find an action by typing, and choose it by keys alone."""
    panel = ann.page.locator(".choosing")
    if act.group == "oneself":
        button = panel.get_by_role("button", name=act.words, exact=True)
    elif act.group == "rooms":
        button = panel.get_by_role("button", name=f"walk to the {act.thing}", exact=True)
    else:
        panel.get_by_role("textbox").fill(act.thing)
        button = panel.get_by_role("button", name=f"{act.words}: {act.thing}", exact=True)
        panel.get_by_role("textbox").press("ArrowDown")
        for _ in range(40):
            if button.evaluate("element => element === document.activeElement"):
                break
            ann.page.keyboard.press("ArrowDown")
    button.press("Enter")


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
    assert episode.notes["helper"] == HELPER and episode.notes["goal_reached"] and len(episode) == steps
    assert episode.setter.startswith("human:") and episode.solver == "scripted" and episode.split == "held_out"
    assert (episode.movement[:, 0, 0] != 0).any(), "it helped"
    replay = SetterReplay(registry.get("household").make(), episode)
    seen: Any = replay.reset()[0]
    counts = np.cumsum([0, *episode.seen["entity_counts"]])
    for step in range(len(episode)):
        told = slice(counts[step], counts[step + 1])
        np.testing.assert_array_equal(seen["entity_values"], episode.seen["entity_values"][told])
        np.testing.assert_array_equal(seen["entity_categories"], episode.seen["entity_categories"][told])
        seen = replay.step(episode.solver_action(step))[0]
