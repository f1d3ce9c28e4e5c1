"""The school in real browsers: a person as the agent, who asks the caretaker, and a person as the tutor of another."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from annotation.games.body_keys import body_keys
from annotation.server.security.visitors import Role
from benchmarks import serving
from pipelines.cli.main import main
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.settings.world_config import WorldConfig
from rlhf.records.episode import Episode
from rlhf.store import open_store
from tests.e2e.browsers import chromium
from tests.e2e.test_playing_in_a_browser import Somebody
from tests.e2e.test_playing_other_worlds_in_a_browser import SEED, serve_one_place
from tests.patience import until
from tests.processes import Printing
from worlds import registry
from worlds.contract import SETTER, SOLVER
from worlds.school.world import AGENT_ACTS, TUTOR_SPACE

ASKED = "Help please"
PLACE = {
    "only": {
        "Env_type": "Information_seeking", "Problem": "Boxes", "Cue_type": "Language_Color", "N": "2", "Peer": "Y",
        "Pragmatic_frame_complexity": "Ask", "Scaffolding": "N",
    },
    "size": 7,
}  # fmt: skip


@pytest.fixture(autouse=True)
def forked_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let servers start at once, as in other modules, and their games be in one place."""
    monkeypatch.setattr(serving, "start", partial(Printing, serve_one_place))


@pytest.mark.e2e
def test_a_person_asks_the_caretaker_and_eats_the_apple(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    recorded = some_play(folder)
    colour, moves = solution()
    with chromium() as browser, serving.served(folder, "--episode-seconds", "60", "--held-out", "0") as (_, url, _):
        ann = Somebody(browser, url, serving.new_people(folder, Role.SOLVER, 1)[0])
        ann.knows_the_keys()
        ann.starts("A scripted setter")
        ann.is_ready()
        ann.plays()
        ann.hears("eat the apple")
        ann.says(ASKED)
        ann.hears(f"Caretaker: {colour}")
        ann.shot("play-school")
        keys = key_of(AGENT_ACTS)
        for turn, move in enumerate(moves, 1):
            left = turns_left(ann)
            ann.page.keyboard.press(keys[move])
            until(lambda left=left: turns_left(ann) != left, f"turn {turn}: {move}")
        ann.sees("Saved. Thank you!")
        ann.sees("The task was achieved.")
        assert ann.complaints == []
    episode = played(folder, recorded)
    assert episode.success_step[0] is not None and ASKED in episode.utterance
    assert f"Caretaker: {colour}" in episode.texts["heard"]


@pytest.mark.e2e
def test_a_tutor_points_and_speaks_and_another_person_follows(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    recorded = some_play(folder, tutored=True)
    keys, tutor = key_of(AGENT_ACTS), key_of(TUTOR_SPACE)
    with chromium() as browser, serving.served(folder, "--episode-seconds", "60", "--held-out", "0") as (_, url, _):
        ann, bob = (
            Somebody(browser, url, serving.new_people(folder, role, 1)[0]) for role in (Role.SETTER, Role.SOLVER)
        )
        for somebody in (ann, bob):
            somebody.knows_the_keys()
        ann.starts("Two people")
        bob.click("Join as solver")
        for somebody in (ann, bob):
            somebody.is_ready()
        ann.plays()
        ann.says("the box that i point at")
        bob.hears("the box that i point at")
        ann.page.keyboard.press(tutor["point west"])
        # A moment after the key, and before the turns in which it is to be seen.
        until(lambda: ann.wait(0.02) or any('"pressed"' in message for message in ann.sent), "the tutor's key")
        for _ in range(3):
            left = turns_left(bob)
            bob.page.keyboard.press(keys["left"])
            until(lambda left=left: turns_left(bob) != left, "the turn")
        ann.shot("play-school-tutor")
        ann.click("End")
        for somebody in (ann, bob):
            somebody.sees("Saved. Thank you!")
        assert ann.complaints == [] and bob.complaints == []
    episode = played(folder, recorded)
    assert "the box that i point at" in episode.setter_utterance and episode.setter.startswith("human:")
    bins: Any = TUTOR_SPACE.components[0]
    assert bins.bins.index("point west") in episode.setter_movement[:, 0, 0]


def some_play(folder: Path, **options: Any) -> set[str]:
    """Record the play from which games take the world and its places. Returns the ids of its episodes."""
    world = WorldConfig(name="school", options={"picture": True} | options, settings=PLACE)
    record(RecordConfig(data=folder / "school", episodes=1, workers=1, world=world))
    return {row.episode_id for row in open_store(folder / "school").rows()}


def played(folder: Path, recorded: set[str]) -> Episode:
    """The one new episode, which replays to the bit."""
    store = open_store(folder / "school")
    (new,) = until(lambda: {row.episode_id for row in store.rows()} - recorded, "the recorded game", 0.1)
    assert main(["episodes", "verify", str(folder / "school")]) in (0, None)
    return store.read(new)


def key_of(body: Any) -> dict[str, str]:
    """The key of each act."""
    return {key.name: key.codes[0] for key in body_keys(body)}


def turns_left(somebody: Somebody) -> list[str]:
    """What the page says of the turns that are left; nothing once the game is over."""
    return somebody.page.locator(".big-clock").all_inner_texts()


def solution() -> tuple[str, list[str]]:
    """The colour of the right box, and the acts of a demonstrator who has been told it."""
    entry = registry.get("school")
    world: Any = entry.make()
    world.reset(options={"config": entry.sample_config(SEED, **PLACE)})[0]
    solver: Any = entry.make_solver(perfect=True)
    solver.reset(world, SEED)
    setter, silent = world.spec(SETTER).action.silent(), AGENT_ACTS.silent()
    names: Any = AGENT_ACTS.components[0]
    world.step({SETTER: setter, SOLVER: silent})
    seen = world.step({SETTER: setter, SOLVER: silent | {"utterance": ASKED}})[0]
    acts: list[str] = []
    while not world.state.problem.ended:
        action = solver.act(seen[SOLVER])
        acts.append(names.bins[int(action["movement"][0, 0])])
        seen = world.step({SETTER: setter, SOLVER: action | {"utterance": ""}})[0]
    return seen[SOLVER]["heard"].partition(": ")[2], acts
