"""Helped sessions over HTTP and sockets: the list comes and choices go, helpers stay hidden, ratings are kept."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from annotation.server.app import open_study
from annotation.server.config import ServeConfig
from annotation.server.security.visitors import Role
from annotation.server.study import Study
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.settings.world_config import WorldConfig
from rlhf.records.preferences import HelperRating
from rlhf.store import open_store
from tests.patience import until
from tests.unit.annotation.server.conftest import Browser, Enter
from tests.unit.annotation.server.players import Player, entering

RATINGS = {"knew_goal": 2, "helpful": 3, "trusted": 4}
STEPS = 3


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset of the household, made by `rlhf record`."""
    folder = tmp_path_factory.mktemp("recorded")
    world = WorldConfig(name="household", settings={"tasks": ["setup_table"]})
    record(RecordConfig(data=folder / "home", episodes=1, steps=4, workers=1, world=world))
    return folder / "home"


@pytest.fixture
def study(tmp_path: Path, home: Path, patient_server: None) -> Study:
    (tmp_path / "study").mkdir()
    shutil.copytree(home, tmp_path / "study" / "home")
    config = ServeConfig(data=tmp_path / "study", helpers=("random", "nobody"), helped_tasks=2)
    return open_study(config)


@pytest.fixture
def enter(study: Study) -> Iterator[Enter]:
    with entering(study) as enter:
        yield enter


def start(browser: Browser) -> Player:
    (project,) = browser.said("GET", "/api/play")["projects"]
    body = {"project": project["id"], "kind": "helped", "role": "setter"}
    game_id = browser.said("POST", "/api/play/games", body)["id"]
    about = browser.said("GET", f"/api/play/games/{game_id}")
    assert about["chooses"] and about["turn_based"] and about["keys"] == [] and about["prompt"] is None
    assert "helper" not in json.dumps(about) and about["task"]["of"] == 2
    player = Player(browser, game_id)
    player.say(do="ready")
    player.sees(state="playing")
    return player


def play(player: Player, steps: int) -> None:
    for step in range(steps):
        view = player.sees(step=step)
        assert view["board"]["step"] == step and view["board"]["goal"]
        player.say(inputs={"chosen": "turn_left-0-0", "chosen_at": step})
    player.sees(step=steps)


def test_a_person_plays_all_tasks_of_their_session(enter: Enter, study: Study) -> None:
    ann = enter(Role.SETTER, "ann")
    lobby = ann.said("GET", "/api/play")
    assert "helped" in lobby["kinds"] and lobby["projects"][0]["helped"] and lobby["projects"][0]["taught_by"] is None
    known = set(open_store(study.config.data / "home").ids())
    met = []
    for number in range(2):
        player = start(ann)
        play(player, STEPS)
        assert Image.open(io.BytesIO(player.picture)).size == (640, 240)
        assert player.boards_with_picture == 0, "a slow line brings the list before the picture"
        player.say(do="end")
        player.sees(state="judging")
        player.say(rate=RATINGS)
        episode_id = player.sees(state="ended")["saved"]
        episode = open_store(study.config.data / "home").read(episode_id)
        assert episode.notes["ratings"] == RATINGS and episode.notes["session"]["number"] == number
        assert episode.setter_movement[:, 0, 0].tolist() == [1] * STEPS
        met.append((episode.notes["helper"], episode.notes["session"]["task"]))
        player.ended()
        mine = ann.said("GET", "/api/me")["id"]
        rating = HelperRating(episode_id, 0, STEPS, 2, 3, 4, mine, False)
        store = open_store(study.config.data / "home")
        until(lambda store=store, name=episode_id: store.preferences(HelperRating, name), "the rating")
        assert store.preferences(HelperRating, episode_id) == [rating] and store.verify() == []
    assert {helper for helper, _ in met} == {"random", "nobody"} and {task for _, task in met} == {0, 1}
    assert len(set(open_store(study.config.data / "home").ids()) - known) == 2
    project = lobby["projects"][0]["id"]
    refused = ann.ask("POST", "/api/play/games", {"project": project, "kind": "helped", "role": "setter"})
    assert refused.status_code == 409 and "you have played all 2 tasks" in refused.json()["error"]


def test_choices_and_ratings_are_checked_by_the_server(enter: Enter) -> None:
    player = start(ann := enter(Role.SETTER, "ann"))
    player.say(inputs={"chosen": "open-1-0", "chosen_at": 7})
    player.say(rate=RATINGS)
    player.say(inputs={"chosen": "turn_left-0-0", "chosen_at": 0})
    player.sees(step=1)
    refusals = [notice["refused"] for notice in player.notices if "refused" in notice]
    assert refusals == ["that is not possible any more; choose again", "the episode is not over yet"]
    for message in ({"rate": RATINGS | {"helpful": 9}}, *({"inputs": {"chosen": key}} for key in ("<b>", "a" * 61, 5))):
        player.say(**message)
        assert player.ended()[0] == 1008, message
        player = Player(ann, player.game_id)


def test_a_world_without_helpers_is_refused(tmp_path: Path, enter: Enter, study: Study) -> None:
    open_store(study.config.data / "empty", create=True)
    eve = enter(Role.ADMIN, "eve")
    eve.said("POST", "/api/play/datasets", {"name": "people"})
    projects = {each["dataset"]: each for each in eve.said("GET", "/api/play")["projects"]}
    assert not projects["people"]["helped"] and projects["people"]["taught_by"] == ""
    body = {"project": projects["people"]["id"], "kind": "helped", "role": "setter"}
    refused = eve.ask("POST", "/api/play/games", body)
    assert refused.status_code == 409 and "no helpers are known" in refused.json()["error"]
