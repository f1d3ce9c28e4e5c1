"""A mission of BabyAI is solved by keys in a real browser, and the episode is whole."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from annotation.server.security.visitors import Role
from annotation.server.services import games
from benchmarks import serving
from pipelines.cli.main import main
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.settings.world_config import WorldConfig
from rlhf.records.episode import Episode
from rlhf.store import open_store
from tests.e2e.browsers import chromium
from tests.e2e.patient_server import serve
from tests.e2e.test_playing_in_a_browser import Somebody
from tests.patience import until
from tests.processes import Printing
from worlds import registry
from worlds.contract import SETTER, SOLVER

BABYAI, SEED = "gym:BabyAI-GoToObj-v0", 3
KEYS = ("ArrowLeft", "ArrowRight", "ArrowUp", "Space", "KeyD", "KeyT", "Period")  # of BabyAI's actions, in their order
_PICTURE = """() => {
  const canvas = document.querySelector('.screen canvas');
  const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  const seen = pixels.filter((_, place) => place % 4 < 3);
  return seen.some((value) => value > 200) ? seen.reduce((sum, value) => (sum * 31 + value) % 4294967291, 7) : 0;
}"""  # a number of what the canvas shows; 0 for nothing


def serve_one_place(words: list[str]) -> int | None:
    """Do what servers of other tests do, with games in one place only."""
    games.TRAINING_SEEDS = range(SEED, SEED + 1)  # pyright: ignore[reportAttributeAccessIssue]
    return serve(words)


@pytest.fixture(autouse=True)
def forked_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let servers start at once, as in other modules, and their games be in one place."""
    monkeypatch.setattr(serving, "start", partial(Printing, serve_one_place))


@pytest.mark.e2e
def test_a_mission_is_solved_by_keys(tmp_path: Path) -> None:
    pytest.importorskip("minigrid")
    folder = tmp_path / "study"
    record(RecordConfig(data=folder / "babyai", episodes=2, workers=1, world=WorldConfig(name=BABYAI)))
    recorded = {row.episode_id for row in open_store(folder / "babyai").rows()}
    with chromium() as browser, serving.served(folder, "--episode-seconds", "60", "--held-out", "0") as (_, url, _):
        ann = Somebody(browser, url, serving.new_people(folder, Role.SOLVER, 1)[0])
        learns_the_keys(ann)
        ann.starts("A scripted setter")
        ann.is_ready()
        ann.plays()
        mission = waits_for_the_turn(ann)
        keys = solution()
        for key in keys:
            presses(ann, key)
        ann.sees("Saved. Thank you!")
        ann.sees("The task was achieved.")
        ann.shot("play-babyai-saved")
        assert ann.complaints == []
    (played,) = {row.episode_id for row in open_store(folder / "babyai").rows()} - recorded
    assert main(["episodes", "verify", str(folder / "babyai")]) in (0, None)
    episode = open_store(folder / "babyai").read(played)
    check_episode(episode, mission, keys, open_store(folder / "babyai").read(min(recorded)))


def learns_the_keys(ann: Somebody) -> None:
    """The tutorial teaches the keys of BabyAI's body, in BabyAI, and nothing that this body cannot do."""
    assert ann.page.get_by_role("button", name="Start").is_disabled()
    ann.click("Learn the keys")
    ann.page.locator(".tutorial .current").wait_for()
    ann.plays()
    lessons = ann.page.locator(".tutorial li")
    assert lessons.all_inner_texts()[1:] == ["right", "forward", "pickup", "drop", "toggle", "done", "Speak"]
    for number, key in enumerate(KEYS):
        ann.page.keyboard.press(key)
        until(lambda number=number: "done" in (lessons.nth(number).get_attribute("class") or ""), key, 0.05)
    ann.says("hello")
    ann.click("I know the keys")
    ann.sees("You have finished the tutorial")
    ann.page.get_by_role("link", name="All games").click()
    ann.page.get_by_role("button", name="Learn the keys again").wait_for()


def waits_for_the_turn(ann: Somebody) -> str:
    """The game shows where the solver stands while it waits, and is not paused. Returns what is asked."""
    asked = ann.page.locator(".spoken .words").first
    asked.wait_for()
    seen = until(lambda: ann.page.evaluate(_PICTURE), "the first picture", 0.1)
    ann.wait(1)
    assert ann.page.evaluate(_PICTURE) == seen and ann.page.locator(".screen .sheet").count() == 0
    assert "forward" in ann.page.locator(".side").inner_text()
    assert ann.page.locator(".big-clock").inner_text().endswith(" turns left")
    ann.shot("play-babyai")
    return asked.inner_text()


def solution() -> list[str]:
    """The keys that BabyAI's bot would press."""
    entry = registry.get(BABYAI)
    setter, solver = entry.make_setter(tasks=dict.fromkeys(entry.probes, 1.0)), entry.make_solver(perfect=True)
    world, keys = entry.make(), list[str]()
    seen: Any = world.reset(seed=SEED, options={"config": entry.sample_config(SEED)})[0]
    setter.reset(world, SEED)
    solver.reset(world, SEED)
    for _ in range(64):
        actions = {SETTER: setter.act(seen[SETTER]), SOLVER: solver.act(seen[SOLVER])}
        if seen[SOLVER]["setter_text"]:
            keys.append(KEYS[int(actions[SOLVER]["movement"][0, 0])])
        seen = world.step(actions)[0]
        if getattr(world, "ended"):  # noqa: B009
            break
    world.close()
    return keys


def presses(ann: Somebody, key: str) -> None:
    """Press a key, and wait until the picture has followed it."""
    before = ann.page.evaluate(_PICTURE)
    ann.page.keyboard.press(key)
    until(lambda: ann.page.evaluate(_PICTURE) != before, f"the picture after {key}", 0.05)


def check_episode(episode: Episode, mission: str, keys: list[str], other: Episode) -> None:
    """The keys are its actions, and its spaces those of the dataset's recorded play."""
    asked = episode.setter_utterance.index(mission)
    begin, end = asked + 1, asked + 1 + len(keys)  # the world goes on for a moment after the success
    assert [KEYS[column] for column in episode.movement[begin:end, 0, 0]] == keys
    assert episode.success_step == (end - 1,) and episode.demonstrated().all()
    assert episode.spaces == other.spaces is not None and episode.world == BABYAI
    assert episode.solver.startswith("human:") and episode.notes["kind"] == "practice-solving"
