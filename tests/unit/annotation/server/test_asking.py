"""People ask the agent that they teach themselves: who can, what is recorded, and that they mark it next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from agents.folder import save_agent
from agents.tokenizer import Tokenizer
from annotation.server.app import open_study
from annotation.server.config import ServeConfig
from annotation.server.errors import Refused
from annotation.server.security.visitors import Role
from annotation.server.study import Study
from annotation.server.teacher import Taught, TaughtAgent, Teacher
from rlhf.records.spaces import EpisodeSpaces
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode
from tests.patience import until
from tests.unit.agents import made_up_play
from tests.unit.annotation.games.test_real_agents import SIZES
from tests.unit.annotation.server.conftest import Browser, Enter
from tests.unit.annotation.server.players import Denied, Player, entering
from worlds import registry

SECONDS = 4
HEIGHT, WIDTH = 24, 32

pytestmark = pytest.mark.usefixtures("patient_server")


class Teaching:
    """Teaching in its first round, of which only the agent matters here."""

    def __init__(self, agent: Path) -> None:
        self.taught = TaughtAgent("BC", agent, "play-1", "asked-1")
        self.done = False

    def state(self, rater: str) -> Taught:
        return Taught(1, "marking", 1, 0, 0, None, None, (), (), "")

    def agent(self) -> TaughtAgent:
        if self.done:
            raise Refused(409, "this round is done")
        return self.taught


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny agent that has learned nothing."""
    made = made_up_play.agent(**(SIZES | {"image_size": (HEIGHT, WIDTH)}))
    return save_agent(made, Tokenizer.train(["yes"], made_up_play.VOCABULARY), tmp_path_factory.mktemp("agents") / "a")


@pytest.fixture
def teaching(agent: Path) -> Teaching:
    return Teaching(agent)


@pytest.fixture
def study(tmp_path: Path, teaching: Teaching) -> Study:
    store = open_store(tmp_path / "study" / "play-1", create=True)
    for seed in range(2):
        store.write(replace(synthetic_episode(seed, steps=12, height=HEIGHT, width=WIDTH), world="playhouse"))
    config = ServeConfig(data=tmp_path / "study", episode_seconds=SECONDS, held_out=0.0)
    return open_study(config, teacher=cast(Teacher, teaching))


@pytest.fixture
def enter(study: Study) -> Iterator[Enter]:
    with entering(study) as enter:
        yield enter


def asks(browser: Browser) -> Player:
    """Somebody who has begun to ask the agent, and has said a line."""
    player = Player(browser, browser.said("POST", "/api/teach/ask")["id"])
    player.sees(state="ready")
    player.say(do="ready")
    player.sees(state="playing")
    player.say(inputs={"say": "lift the duck"})
    until(lambda: player.view["dialogue"], "what was said")
    return player


def clip(browser: Browser) -> dict[str, object]:
    """The page of the clip that somebody is to mark."""
    assignment = browser.said("POST", "/api/tasks/marking/next")["assignment"]
    return browser.said("GET", f"/api/tasks/marking/{assignment}")


def refusal(browser: Browser) -> str:
    answer = browser.ask("POST", "/api/teach/ask")
    assert answer.status_code == 409, answer.text
    assert not browser.said("GET", "/api/teach")["asks"]
    return answer.json()["error"]


def test_what_a_person_asks_is_recorded_and_is_the_next_clip_that_they_mark(enter: Enter, study: Study) -> None:
    ann = enter(Role.RATER, "ann")
    assert ann.said("GET", "/api/teach")["asks"]
    begun = clip(ann)
    player = asks(ann)
    about = ann.said("GET", f"/api/play/games/{player.game_id}")
    assert (about["role"], about["kind"], about["taught"]) == ("setter", "human-agent", True)
    assert ann.ask("POST", "/api/teach/ask").json()["error"] == "you are in another game; leave that first"
    player.sees(state="ended")
    asked = clip(ann)
    assert asked["id"] != begun["id"] and asked["steps"] == SECONDS * 15 // 4
    assert [said["words"] for said in cast(list[dict[str, str]], asked["words"])][0] == "lift the duck"
    (row,) = open_store(study.config.data / "asked-1").rows()
    me = ann.said("GET", "/api/me")["id"]
    assert (row.setter, row.solver, row.split) == (f"human:{me}", "agent:BC", "train")
    assert len(open_store(study.config.data / "play-1")) == 2
    ann.said("POST", f"/api/tasks/marking/{asked['id']}/submit", {"answers": 0})
    assert clip(ann)["id"] == begun["id"]


def test_several_people_ask_at_once_and_nobody_else_sees_their_games(enter: Enter, study: Study) -> None:
    ann, bob, cid = (enter(Role.RATER, name) for name in ("ann", "bob", "cid"))
    players = [asks(ann), asks(bob)]
    assert cid.ask("GET", f"/api/play/games/{players[0].game_id}").status_code == 404
    with pytest.raises(Denied):
        Player(cid, players[0].game_id)
    for player in players:
        player.sees(state="ended")
    assert len({str(clip(browser)["id"]) for browser in (ann, bob)}) == 2
    assert len(open_store(study.config.data / "asked-1")) == 2


def test_nobody_asks_before_the_agent_has_played_or_once_the_round_is_done(
    enter: Enter, teaching: Teaching, tmp_path: Path
) -> None:
    ann = enter(Role.RATER, "ann")
    right = teaching.taught
    teaching.taught = replace(right, folder=tmp_path / "none")
    assert refusal(ann) == "there is no agent to ask yet"
    teaching.taught = replace(right, play="play-2")
    assert "plays its first clip" in refusal(ann)
    open_store(tmp_path / "study" / "play-2", create=True)
    assert "plays its first clip" in refusal(ann)
    teaching.taught, teaching.done = right, True
    assert refusal(ann) == "this round is done"
    assert not (tmp_path / "study" / "asked-1").exists()


def test_nobody_asks_where_the_setter_has_to_choose_actions(enter: Enter, study: Study, teaching: Teaching) -> None:
    store = open_store(study.config.data / "household", create=True)
    spaces = EpisodeSpaces.of(registry.get("household").make())
    replace(store.description, world="household", spaces=spaces).save(store.folder)
    teaching.taught = replace(teaching.taught, play="household")
    assert refusal(enter(Role.RATER, "ann")) == "in the world household nobody can ask by typing alone"
