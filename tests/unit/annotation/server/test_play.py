"""Playing over HTTP and WebSockets: the lobby, whole games, lost connections, and every refusal."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from annotation.server import sockets
from annotation.server.app import open_study
from annotation.server.clock import now
from annotation.server.config import ServeConfig
from annotation.server.db.tables import Person
from annotation.server.errors import Refused
from annotation.server.routes import play
from annotation.server.security.visitors import Role
from annotation.server.services import games as gaming
from annotation.server.services import removing
from annotation.server.services.listing import list_episodes
from annotation.server.study import Study
from annotation.session.prompts import CHALLENGE
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.settings.world_config import WorldConfig
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode
from tests import small_worlds
from tests.patience import until
from tests.unit.annotation.server.conftest import Browser, Enter
from tests.unit.annotation.server.players import Denied, Player, entering
from tests.unit.annotation.server.test_agents import in_the_demos_room

SECONDS = 4

pytestmark = pytest.mark.usefixtures("patient_server")


@pytest.fixture
def study(tmp_path: Path) -> Study:
    (tmp_path / "study").mkdir()
    return open_study(ServeConfig(data=tmp_path / "study", episode_seconds=SECONDS, games=2))


@pytest.fixture
def enter(study: Study) -> Iterator[Enter]:
    with entering(study) as enter:
        yield enter


def project(browser: Browser) -> str:
    return browser.said("GET", "/api/play")["projects"][0]["id"]


def start(browser: Browser, kind: str, role: str, **request: Any) -> str:
    body = {"project": project(browser), "kind": kind, "role": role} | request
    return browser.said("POST", "/api/play/games", body)["id"]


def a_pair(enter: Enter) -> tuple[Browser, Browser, str]:
    """A setter and a solver in a game of theirs."""
    enter(Role.ADMIN, "eve").said("POST", "/api/play/datasets", {"name": "people"})
    ann, bob = enter(Role.SETTER, "ann"), enter(Role.SOLVER, "bob")
    game_id = start(ann, "human-human", "setter")
    (listed,) = bob.said("GET", "/api/play")["games"]
    assert listed["id"] == game_id and listed["free"] == ["solver"] and listed["role"] is None
    bob.said("POST", f"/api/play/games/{game_id}/join", {"role": "solver"})
    return ann, bob, game_id


def both(enter: Enter, reads: bool = True) -> tuple[Browser, Browser, Player, Player, str]:
    """Setter and solver of a game of theirs, their connections, and its id; they are ready, and play has begun."""
    ann, bob, game_id = a_pair(enter)
    setter, solver = Player(ann, game_id), Player(bob, game_id, reads)
    for player in (setter, solver):
        player.say(do="ready")
    setter.sees(state="playing")
    return ann, bob, setter, solver, game_id


def denied(browser: Browser, game_id: str, **headers: str) -> int:
    """The status with which a socket is not opened."""
    with pytest.raises(Denied) as error:
        Player(browser, game_id, True, **headers)
    return error.value.status


def test_two_people_play_and_their_episode_waits_to_be_marked(enter: Enter, study: Study) -> None:
    ann, bob, setter, solver, game_id = both(enter)
    prompt = ann.said("GET", f"/api/play/games/{game_id}")["prompt"]
    assert prompt["text"] and bob.said("GET", f"/api/play/games/{game_id}")["prompt"] is None
    split = study.games.get(game_id).game.config.split
    setter.say(inputs={"say": "lift the <b>duck</b>"})
    solver.say(inputs={"held": ["forward"], "turn": 3.5})
    until(lambda: solver.view["dialogue"], "what was said")
    assert solver.view["dialogue"][0]["words"] == "lift the <b>duck</b>"
    assert Image.open(io.BytesIO(solver.picture)).size == (320, 240)
    setter.sees(state="ended")
    store = open_store(study.config.data / "people")
    episode = store.read(setter.view["saved"])
    assert episode.notes["prompt"]["text"] == prompt["text"] and len(episode) == SECONDS * 15 // 4
    people_ids = [browser.said("GET", "/api/me")["id"] for browser in (ann, bob)]
    assert [episode.setter, episode.solver] == [f"human:{person}" for person in people_ids]
    assert episode.setter_utterance.count("lift the <b>duck</b>") == 1
    assert (episode.movement[:, :, 0] == 2).any(), "the solver walked"
    assert episode.notes["place_settings"] == {} and episode.split == split
    assert setter.ended()[0] == solver.ended()[0] == 1000
    rater = enter(Role.RATER, "cid")
    until(lambda: rater.said("POST", "/api/tasks/marking/next")["assignment"], "the episode in the queue")
    (noted,) = until(lambda: open_store(store.folder).description.play_settings, "the settings of play in the dataset")
    assert noted["world"] == {"name": "playhouse", "height": 72, "width": 96, "settings": {}, "options": {}}
    lobby = ann.said("GET", "/api/play")
    assert lobby["games"] == [] and lobby["projects"][0]["places"] == "Houses as recorded in this dataset."
    late = Player(ann, game_id)  # a player who was away at the end still learns of it
    assert late.sees(state="ended")["saved"] == episode.episode_id


def test_a_lost_connection_pauses_the_game_and_the_same_person_resumes_it(enter: Enter) -> None:
    ann, bob, setter, solver, game_id = both(enter)
    for player in (setter, solver):
        player.say(inputs={"say": "hello"})
    until(lambda: len(setter.view["dialogue"]) == 2, "both lines")
    solver.close()
    step = setter.sees(state="paused", lost=["solver"])["step"]
    assert "solver" in setter.view["notice"]
    time.sleep(0.3)
    assert setter.view["step"] - step <= 1
    solver = Player(bob, game_id)
    setter.sees(state="playing")
    assert solver.sees(here=["setter", "solver"])["dialogue"] == setter.view["dialogue"]
    again = Player(bob, game_id)
    assert solver.ended() == (sockets.ELSEWHERE.code, sockets.ELSEWHERE.said)
    again.sees(state="playing")
    setter.sees(lost=[])
    assert setter.view["state"] == "playing", "nobody waits for a window that was replaced"
    setter.sees(state="ended")


def test_a_slow_connection_gets_few_and_new_views(enter: Enter) -> None:
    _, _, setter, solver, _ = both(enter, reads=False)
    until(lambda: setter.view["step"] >= 8)
    assert solver.views <= sockets.UNSEEN_VIEWS
    until(lambda: any(said.get("lag_ms", 0) > 500 for said in solver.notices), "a long delay")
    solver.say(seen=solver.views)
    until(lambda: solver.view["step"] >= 8, "the newest view at once")


def test_a_player_who_leaves_ends_the_game_and_it_is_kept(
    enter: Enter, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gaming.GameConfig, "shortest", 3)
    _, _, setter, solver, _ = both(enter)
    until(lambda: setter.view.get("step", 0) >= 4)
    solver.say(do="leave")
    assert solver.ended() == (1000, sockets.LEFT.said)
    name = setter.sees(state="ended")["saved"]
    assert open_store(study.config.data / "people").read(name).notes["ended"] == "solver left"


def test_before_play_a_closed_page_frees_its_place(enter: Enter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play, "GIVE_UP_SEC", 0.2)
    ann, bob, game_id = a_pair(enter)
    setter, solver = Player(ann, game_id), Player(bob, game_id)
    setter.sees(state="ready")
    solver.close()
    setter.sees(state="waiting")
    assert bob.said("GET", "/api/play")["games"][0]["free"] == ["solver"]
    setter.close()
    until(lambda: not ann.said("GET", "/api/play")["games"], "a deserted game closes")


def test_a_server_that_stops_keeps_the_play_so_far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gaming.GameConfig, "shortest", 3)
    (tmp_path / "study").mkdir()
    study = open_study(ServeConfig(data=tmp_path / "study", episode_seconds=300))
    with entering(study) as enter:
        browser = enter(Role.ADMIN, "eve")
        browser.said("POST", "/api/play/datasets", {"name": "people"})
        game_id = start(browser, "practice-solving", "solver")
        solver = Player(browser, game_id)
        solver.say(do="ready")
        until(lambda: solver.view.get("step", 0) >= 5)
    (row,) = open_store(tmp_path / "study" / "people").rows()
    assert open_store(tmp_path / "study" / "people").read(row.episode_id).notes["ended"] == "the server stopped"


def test_the_second_to_start_joins_the_first_and_the_setter_chooses_the_prompt(enter: Enter) -> None:
    enter(Role.ADMIN, "eve").said("POST", "/api/play/datasets", {"name": "people"})
    ann, bob, cid = enter(Role.SETTER, "ann"), enter(Role.SOLVER, "bob"), enter(Role.SETTER, "cid")
    waiting = start(bob, "human-human", "solver")
    assert start(ann, "human-human", "setter", prompted=False, agent="chosen before") == waiting
    assert ann.said("GET", f"/api/play/games/{waiting}")["prompt"] is None
    other = start(cid, "human-human", "setter", challenge=True)
    assert other != waiting, "that role is taken now"
    assert cid.said("GET", f"/api/play/games/{other}")["prompt"]["text"].endswith(CHALLENGE)


def test_two_who_start_at_the_same_moment_find_each_other(enter: Enter) -> None:
    enter(Role.ADMIN, "eve").said("POST", "/api/play/datasets", {"name": "people"})
    people = [(enter(Role.SETTER, "ann"), "setter"), (enter(Role.SOLVER, "bob"), "solver")]
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda person: start(person[0], "human-human", person[1]), people)
    assert first == second


def test_the_lobby_names_sizes_of_pictures_and_houses_which_the_leader_changes(enter: Enter, study: Study) -> None:
    eve = enter(Role.ADMIN, "eve")
    eve.said("POST", "/api/play/datasets", {"name": "people"})
    in_the_demos_room(study.config.data / "demo")
    lobby = eve.said("GET", "/api/play")
    (people,) = lobby["projects"]
    assert people["image"] is None and lobby["agents"] == [{"name": "demo", "image": [72, 96]}]
    assert people["places"] == "Houses of the world's default settings."
    assert people["with_agents"]["demo"]["places"].startswith("Houses in which the agent demo learned: rooms 1, ")
    place = f"/api/projects/{people['id']}"
    for settings, why in (('{"chimneys": 1}', "chimneys"), ("[1]", "JSON object"), ("{", "not JSON")):
        refusal = eve.ask("PATCH", place, {"place_settings": settings})
        assert refusal.status_code == 422 and why in refusal.text
    eve.said("PATCH", place, {"place_settings": '{"rooms": [2, 2]}'})
    set_so = "Houses as the study's leader set them: rooms 2"
    assert eve.projects()["people"]["places"] == f"{set_so}."
    (people,) = eve.said("GET", "/api/play")["projects"]
    assert people["with_agents"]["demo"] == {"places": f"{set_so}, fov y deg 60.", "trouble": ""}
    game_id = start(eve, "human-human", "setter")
    assert eve.said("GET", f"/api/play/games/{game_id}")["places"] == f"{set_so}."
    assert study.games.get(game_id).game.config.place_settings == {"rooms": [2, 2]}
    eve.said("PATCH", place, {"place_settings": ""})
    study.datasets.store("people").write(synthetic_episode(1, steps=4, height=36, width=48))
    assert eve.said("GET", "/api/play")["projects"][0]["image"] == [36, 48]
    eve.said("POST", f"/api/play/games/{game_id}/leave")
    body = {"project": people["id"], "kind": "human-agent", "role": "setter", "agent": "demo"}
    refused(eve, 409, "demo sees pictures of 72x96 pixels, the dataset people holds 36x48", "/api/play/games", body)


def test_practice_of_asking_and_the_tutorial_are_not_recorded(enter: Enter, study: Study) -> None:
    enter(Role.ADMIN, "eve").said("POST", "/api/play/datasets", {"name": "people"})
    ann, bob = enter(Role.SETTER, "ann"), enter(Role.SOLVER, "bob")
    practice, tutorial = start(ann, "practice-setting", "setter"), bob.said("POST", "/api/play/tutorial")["id"]
    assert ann.said("GET", f"/api/play/games/{practice}")["recorded"] is False
    assert bob.said("GET", f"/api/play/games/{tutorial}")["tutorial"] is True
    other, join = enter(Role.SOLVER, "cid"), f"/api/play/games/{tutorial}/join"
    refused(other, 404, "tutorial of another", join, {"role": "solver"})
    setter, solver = Player(ann, practice), Player(bob, tutorial)
    for player in (setter, solver):
        player.say(do="ready")
    until(lambda: solver.view.get("step", 0) >= 2)
    solver.say(do="end")
    for player in (solver, setter):
        player.sees(state="abandoned")
    assert setter.view["step"] == SECONDS * 15 // 4
    assert not open_store(study.config.data / "people").rows()
    assert not list(study.datasets.unfinished.folder.glob("*"))


def test_the_tutorial_teaches_the_body_of_a_datasets_world(enter: Enter, study: Study) -> None:
    small_worlds.register()
    world = WorldConfig(name="small-grid")
    record(RecordConfig(data=study.config.data / "grids", episodes=1, steps=12, workers=1, held_out=0, world=world))
    with study.database.writing() as session:
        list_episodes(session, study.datasets, now())
    ann = enter(Role.SETTER, "ann")
    (listed,) = ann.said("GET", "/api/play")["projects"]
    assert listed["taught_by"] == "small-grid" and listed["image"] is None
    game_id = ann.said("POST", "/api/play/tutorial", {"project": listed["id"]})["id"]
    about = ann.said("GET", f"/api/play/games/{game_id}")
    names = [name for part in small_worlds.WORLDS["small-grid"].solver_spec.action.discrete for name in part.bins]  # type: ignore[union-attr]
    assert about["tutorial"] and about["taught_by"] == "small-grid" and about["speaks"] is True
    assert [key["name"] for key in about["keys"]] == names
    ann.said("POST", f"/api/play/games/{game_id}/leave")
    plain = ann.said("POST", "/api/play/tutorial")["id"]
    assert ann.said("GET", f"/api/play/games/{plain}")["taught_by"] == ""


def refused(browser: Browser, status: int, words: str, path: str, body: Any = None) -> None:
    answer = browser.ask("POST", path, body)
    assert answer.status_code == status and words in answer.json()["error"], answer.text


def test_the_lobby_shows_the_games_that_a_person_may_play(enter: Enter) -> None:
    kinds = {role: enter(role, role.value).said("GET", "/api/play")["kinds"] for role in (Role.SETTER, Role.CO_PILOT)}
    assert set(kinds[Role.SETTER]) == {"human-human", "human-agent", "human-agent-human", "evaluation", "practice-setting"}  # fmt: skip # noqa: E501
    assert kinds[Role.CO_PILOT] == {"human-agent-human": ["co_pilot"]}
    admin = enter(Role.ADMIN, "eve").said("GET", "/api/play")
    assert admin["kinds"]["practice-solving"] == ["solver"] and admin["parts"] == ["setter", "solver", "co_pilot"]


def test_games_that_cannot_be_are_refused(enter: Enter, study: Study) -> None:
    eve, ann = enter(Role.ADMIN, "eve"), enter(Role.SETTER, "ann")
    games = "/api/play/games"
    body = {"project": "0" * 32, "kind": "human-human", "role": "setter"}
    refused(ann, 404, "no such project", games, body)
    for name in ("", "UPPER", "../x", "a/b", "x" * 41, ".", "-x"):
        assert eve.ask("POST", "/api/play/datasets", {"name": name}).status_code == 422
    eve.said("POST", "/api/play/datasets", {"name": "people"})
    refused(eve, 409, "already", "/api/play/datasets", {"name": "people"})
    body["project"] = project(ann)
    refused(ann, 403, "do not take part as solver", games, body | {"role": "solver"})
    refused(ann, 422, "no person plays the solver", games, body | {"kind": "human-agent", "role": "solver"})
    refused(ann, 409, "no such agent", games, body | {"kind": "human-agent", "agent": "nobody"})
    for wrong in ({"kind": "chess"}, {"role": "rater"}, {"more": 1}, {"prompted": "yes"}, {"project": "x"}):
        assert ann.ask("POST", games, body | wrong).status_code == 422
    start(ann, "human-human", "setter")
    refused(ann, 409, "another game", games, body)
    refused(ann, 409, "another game", "/api/play/tutorial")
    start(enter(Role.SETTER, "bob"), "human-human", "setter")
    refused(enter(Role.SETTER, "cid"), 409, "takes no more", games, body)


def test_a_seat_is_for_one_person_who_may_sit_there(enter: Enter) -> None:
    ann, bob, game_id = a_pair(enter)
    join = f"/api/play/games/{game_id}/join"
    cid, dan = enter(Role.SOLVER, "cid"), enter(Role.SETTER, "dan")
    refused(cid, 409, "this role is taken", join, {"role": "solver"})
    refused(dan, 403, "do not take part as solver", join, {"role": "solver"})
    refused(dan, 422, "no person plays the co_pilot", join, {"role": "co_pilot"})
    refused(bob, 409, "another game", join, {"role": "solver"})
    refused(cid, 404, "no such game", f"/api/play/games/{'0' * 32}/join", {"role": "solver"})
    refused(cid, 404, "not in this game", f"/api/play/games/{game_id}/leave")
    assert denied(cid, game_id) == 403 and denied(cid, "0" * 32) == 404
    for origin in ("http://evil.example", "null", ""):
        assert denied(ann, game_id, Origin=origin) == 403
    assert denied(ann, game_id, Cookie="") == 401
    bob.said("POST", f"/api/play/games/{game_id}/leave")
    cid.said("POST", join, {"role": "solver"})


def test_nobody_sits_down_in_a_project_that_was_closed_meanwhile(enter: Enter) -> None:
    """People who play in it play to the end."""
    ann, bob, game_id = a_pair(enter)
    bob.said("POST", f"/api/play/games/{game_id}/leave")
    admin, cid = enter(Role.ADMIN, "pat"), enter(Role.SOLVER, "cid")
    admin.said("PATCH", f"/api/projects/{project(ann)}", {"open": False})
    refused(cid, 409, "project is closed", f"/api/play/games/{game_id}/join", {"role": "solver"})
    assert ann.said("GET", f"/api/play/games/{game_id}")["id"] == game_id


MALFORMED = (
    "{", "[]", '{"do": "join"}', '{"do": "stop"}', '{"inputs": {"held": ["fly"]}}', '{"inputs": {"turn": 1e9}}',
    '{"inputs": {"turn": NaN}}', '{"role": "solver"}', '{"judge": {"request_step": -1, "said": "success"}}',
    b"\xff\xd8",
)  # fmt: skip


def test_malformed_long_and_too_many_messages_end_the_connection(enter: Enter) -> None:
    ann = enter(Role.SETTER, "ann")
    game_id = ann.said("POST", "/api/play/tutorial")["id"]
    long = json.dumps({"inputs": {"say": "x" * sockets.MESSAGE_CHARS}})
    for messages, end in (
        *(([message], sockets.NOT_UNDERSTOOD) for message in MALFORMED),
        ([long], sockets.TOO_LONG),
        ([json.dumps({"seen": 1})] * (3 * int(sockets.MESSAGES_AT_ONCE)), sockets.TOO_MANY),
    ):
        player = Player(ann, game_id)
        for message in messages:
            player.send(message)
        assert player.ended() == (end.code, end.said), messages[0]


def test_a_silent_browser_is_lost(enter: Enter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "WATCH_SEC", 0.05)
    monkeypatch.setattr(sockets, "SILENT_SEC", 2.0)
    ann, bob, game_id = a_pair(enter)
    setter, solver = Player(ann, game_id), Player(bob, game_id, reads=False)
    assert solver.ended() == (sockets.SILENT.code, sockets.SILENT.said)
    setter.sees(lost=["solver"])


@pytest.mark.parametrize(
    ("how", "said", "status"),
    [
        ("sign-out", sockets.SIGNED_OUT, 401),
        ("terms", sockets.TERMS_CHANGED, 428),
        ("role", sockets.TAKEN_OUT, 403),
        ("project", sockets.TAKEN_OUT, 403),
    ],
)
def test_a_player_who_may_no_longer_play_is_disconnected(
    how: str, said: sockets.End, status: int, enter: Enter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sockets, "WATCH_SEC", 0.05)
    monkeypatch.setattr(sockets, "ADMITTED_SEC", 0.1)
    ann, bob, game_id = a_pair(enter)
    admin = enter(Role.ADMIN, "ada")
    admin.said("POST", "/api/play/datasets", {"name": "other"})
    other, person = admin.projects()["other"]["id"], f"/api/people/{admin.person('ann')['id']}"
    setter, solver = Player(ann, game_id), Player(bob, game_id)
    for player in (setter, solver):
        player.sees(state="ready")
    time.sleep(0.3)
    assert setter.end is None
    if how == "sign-out":
        ann.said("POST", "/api/sign-out")
    elif how == "terms":
        admin.said("PUT", "/api/consent", {"text": "We keep what you play."})
    else:
        admin.said("PATCH", person, {"roles": ["rater", "solver"]} if how == "role" else {"projects": [other]})
    assert setter.ended() == (said.code, said.said) and denied(ann, game_id) == status
    if how != "terms":
        assert solver.end is None and solver.sees(lost=["setter"])


def test_nobody_starts_two_games_at_once(study: Study) -> None:
    first = study.games.entering("ann")
    with first, pytest.raises(Refused, match="another game"), study.games.entering("ann"):
        pass
    with study.games.entering("ann"):
        pass


@pytest.mark.parametrize("seen", [True, False])
def test_a_person_deleted_while_playing_stays_deleted(
    seen: bool, enter: Enter, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gaming.GameConfig, "shortest", 3)
    ann, _, setter, solver, _ = both(enter)
    name = ann.said("GET", "/api/me")["id"]
    admin = enter(Role.ADMIN, "ada")
    person_id = admin.person("ann")["id"]
    until(lambda: setter.view.get("step", 0) >= 4, "play")
    if seen:
        admin.said("POST", f"/api/people/{person_id}/removal", {"episodes": True})
    else:  # by the command, which knows nothing of this server's games
        with study.database.writing() as session:
            removing.remove_person(session, session.get_one(Person, person_id), True, now())
        removing.finish_removals(study.database, study.datasets, study.viewer)
    solver.sees(state="ended")
    store = study.datasets.store("people")
    until(lambda: not store.played_by(name) and not admin.said("GET", "/api/study")["removals"], "the end of it")
    assert len(store) == 0
