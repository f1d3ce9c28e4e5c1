"""Playing over HTTP and WebSockets: the lobby, whole games, lost connections, and every refusal."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from annotation.server import sockets
from annotation.server.app import create_app, open_study
from annotation.server.clock import now
from annotation.server.config import ServeConfig
from annotation.server.db.tables import Person
from annotation.server.errors import Refused
from annotation.server.routes import play
from annotation.server.security.visitors import Role
from annotation.server.services import games as gaming
from annotation.server.services import people, removing
from annotation.server.services.listing import list_episodes
from annotation.server.study import Study
from annotation.session.prompts import CHALLENGE
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.settings.world_config import WorldConfig
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode
from tests import small_worlds
from tests.patience import PATIENCE_SEC, until
from tests.unit.annotation.server.conftest import Browser
from tests.unit.annotation.server.players import Denied, Player, listening
from tests.unit.annotation.server.test_agents import make_agent

SECONDS = 4


@pytest.fixture
def study(tmp_path: Path) -> Study:
    (tmp_path / "study").mkdir()
    return open_study(ServeConfig(data=tmp_path / "study", episode_seconds=SECONDS, games=2))


@pytest.fixture
def enter(study: Study) -> Iterator[Callable[..., Browser]]:
    """Makes browsers of new people."""
    with listening(create_app(study)) as stranger:

        def signed_in(role: Role, name: str) -> Browser:
            with study.database.writing() as session:
                token = people.invite(session, role, now())[1]
            return stranger().join(token, name)

        yield signed_in


Enter = Callable[..., Browser]


@pytest.fixture(autouse=True)
def patient_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """No player is lost because they share a busy process with the server, which compiles its world first."""
    monkeypatch.setattr(sockets, "SILENT_SEC", PATIENCE_SEC)


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


def test_two_people_play_and_their_episode_waits_to_be_marked(enter: Enter, study: Study) -> None:
    ann, bob, game_id = a_pair(enter)
    prompt = ann.said("GET", f"/api/play/games/{game_id}")["prompt"]
    assert prompt["text"] and bob.said("GET", f"/api/play/games/{game_id}")["prompt"] is None
    setter, solver = Player(ann, game_id), Player(bob, game_id)
    setter.sees(state="ready", lost=[])
    for player in (setter, solver):
        player.say(do="ready")
    setter.sees(state="playing")
    setter.say(inputs={"say": "lift the <b>duck</b>"})
    solver.say(inputs={"held": ["forward"], "turn": 3.5})
    until(lambda: solver.view["dialogue"], "what was said")
    assert solver.view["dialogue"][0]["words"] == "lift the <b>duck</b>"
    assert Image.open(io.BytesIO(solver.picture)).size == (320, 240)
    setter.sees(state="ended")
    episode = open_store(study.config.data / "people").read(setter.view["saved"])
    assert episode.notes["prompt"]["text"] == prompt["text"] and len(episode) == SECONDS * 15 // 4
    people_ids = [browser.said("GET", "/api/me")["id"] for browser in (ann, bob)]
    assert [episode.setter, episode.solver] == [f"human:{person}" for person in people_ids]
    assert episode.setter_utterance.count("lift the <b>duck</b>") == 1
    assert (episode.movement[:, :, 0] == 2).any(), "the solver walked"
    assert setter.ended()[0] == solver.ended()[0] == 1000
    rater = enter(Role.RATER, "cid")
    until(lambda: rater.said("POST", "/api/tasks/marking/next")["assignment"], "the episode in the queue")
    assert ann.said("GET", "/api/play")["games"] == []
    late = Player(ann, game_id)  # a player who was away at the end still learns of it
    assert late.sees(state="ended")["saved"] == episode.episode_id


def test_a_lost_connection_pauses_the_game_and_the_same_person_resumes_it(enter: Enter) -> None:
    ann, bob, game_id = a_pair(enter)
    setter, solver = Player(ann, game_id), Player(bob, game_id)
    for player in (setter, solver):
        player.say(do="ready")
    setter.sees(state="playing")
    solver.close()
    step = setter.sees(state="paused", lost=["solver"])["step"]
    assert "solver" in setter.view["notice"]
    time.sleep(0.6)
    assert setter.view["step"] - step <= 1
    solver = Player(bob, game_id)
    setter.sees(state="playing")
    solver.sees(here=["setter", "solver"])
    setter.sees(state="ended")


def test_a_second_window_takes_over_and_the_first_is_notified(enter: Enter) -> None:
    ann, bob, game_id = a_pair(enter)
    setter, solver = Player(ann, game_id), Player(bob, game_id)
    for player in (setter, solver):
        player.say(do="ready")
    setter.sees(state="playing")
    again = Player(bob, game_id)
    assert solver.ended() == (sockets.ELSEWHERE.code, sockets.ELSEWHERE.said)
    again.sees(state="playing")
    setter.sees(lost=[])
    assert setter.view["state"] == "playing", "nobody waits for a window that was replaced"


def test_a_slow_connection_gets_few_and_new_views(enter: Enter) -> None:
    ann, bob, game_id = a_pair(enter)
    setter, solver = Player(ann, game_id), Player(bob, game_id, reads=False)
    for player in (setter, solver):
        player.say(do="ready")
    setter.sees(state="playing")
    before = solver.views
    until(lambda: setter.view["step"] >= 8)
    assert solver.views <= sockets.UNSEEN_VIEWS and before <= sockets.UNSEEN_VIEWS
    until(lambda: any(said.get("lag_ms", 0) > 500 for said in solver.notices), "a long delay")
    solver.say(seen=solver.views)
    until(lambda: solver.view["step"] >= 8, "the newest view at once")


def test_a_player_who_leaves_ends_the_game_and_it_is_kept(
    enter: Enter, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gaming.GameConfig, "shortest", 3)
    ann, bob, game_id = a_pair(enter)
    setter, solver = Player(ann, game_id), Player(bob, game_id)
    for player in (setter, solver):
        player.say(do="ready")
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
    with listening(create_app(study)) as stranger:
        with study.database.writing() as session:
            token = people.invite(session, Role.ADMIN, now())[1]
        browser = stranger().join(token, "eve")
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


def test_practice_of_asking_is_not_recorded(enter: Enter, study: Study) -> None:
    enter(Role.ADMIN, "eve").said("POST", "/api/play/datasets", {"name": "people"})
    ann = enter(Role.SETTER, "ann")
    game_id = start(ann, "practice-setting", "setter")
    assert ann.said("GET", f"/api/play/games/{game_id}")["recorded"] is False
    setter = Player(ann, game_id)
    setter.say(do="ready")
    setter.sees(state="abandoned")
    assert setter.view["step"] == SECONDS * 15 // 4
    assert not open_store(study.config.data / "people").rows()
    assert not list(study.datasets.unfinished.folder.glob("*"))


def test_a_player_who_rejoins_sees_the_whole_dialogue(enter: Enter) -> None:
    ann, bob, game_id = a_pair(enter)
    setter, solver = Player(ann, game_id), Player(bob, game_id)
    for player in (setter, solver):
        player.say(do="ready")
    setter.sees(state="playing")
    for number in range(6):
        for player in (setter, solver):
            player.say(inputs={"say": f"line {number}"})
    until(lambda: len(setter.view["dialogue"]) == 12, "twelve lines")
    again = Player(bob, game_id)
    assert until(lambda: again.view, "a view")["dialogue"] == setter.view["dialogue"]


def test_the_lobby_names_the_sizes_of_pictures(enter: Enter, study: Study) -> None:
    enter(Role.ADMIN, "eve").said("POST", "/api/play/datasets", {"name": "people"})
    make_agent(study.config.data / "small", height=36)
    ann = enter(Role.SETTER, "ann")
    lobby = ann.said("GET", "/api/play")
    assert lobby["projects"][0]["image"] is None
    assert lobby["agents"] == [{"name": "small", "image": [36, 96]}]
    study.datasets.store("people").write(synthetic_episode(1, steps=4, height=72, width=96))
    assert ann.said("GET", "/api/play")["projects"][0]["image"] == [72, 96]
    body = {"project": project(ann), "kind": "human-agent", "role": "setter", "agent": "small"}
    refused(ann, 409, "small sees pictures of 36x96 pixels, the dataset people holds 72x96", "/api/play/games", body)


def test_the_tutorial_is_not_kept(enter: Enter, study: Study) -> None:
    ann = enter(Role.SETTER, "ann")
    game_id = ann.said("POST", "/api/play/tutorial")["id"]
    assert ann.said("GET", f"/api/play/games/{game_id}")["tutorial"] is True
    refused(
        enter(Role.SOLVER, "bob"), 404, "tutorial of another", f"/api/play/games/{game_id}/join", {"role": "solver"}
    )
    solver = Player(ann, game_id)
    solver.say(do="ready")
    until(lambda: solver.view.get("step", 0) >= 2)
    solver.say(do="end")
    solver.sees(state="abandoned")
    assert study.datasets.names() == []


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


# ---- refusals ------------------------------------------------------------------------------------------------------


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
    refused(ann, 409, "no such agent", games, body | {"kind": "human-agent"})
    refused(ann, 409, "no such agent", games, body | {"kind": "evaluation"})
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
    for browser, path, status in ((cid, game_id, 403), (cid, "0" * 32, 404)):
        with pytest.raises(Denied) as denied:
            Player(browser, path)
        assert denied.value.status == status
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


@pytest.mark.parametrize("origin", ["http://evil.example", "null", ""])
def test_a_socket_of_another_site_is_refused(enter: Enter, origin: str) -> None:
    ann, _, game_id = a_pair(enter)
    with pytest.raises(Denied) as denied:
        Player(ann, game_id, Origin=origin)
    assert denied.value.status == 403


def test_a_socket_of_a_stranger_is_refused(enter: Enter) -> None:
    ann, _, game_id = a_pair(enter)
    with pytest.raises(Denied) as denied:
        Player(ann, game_id, Cookie="")
    assert denied.value.status == 401


@pytest.mark.parametrize(
    ("message", "end"),
    [
        ("{", sockets.NOT_UNDERSTOOD),
        ("[]", sockets.NOT_UNDERSTOOD),
        ('{"do": "join"}', sockets.NOT_UNDERSTOOD),
        ('{"do": "stop"}', sockets.NOT_UNDERSTOOD),
        ('{"inputs": {"held": ["fly"]}}', sockets.NOT_UNDERSTOOD),
        ('{"inputs": {"turn": 1e9}}', sockets.NOT_UNDERSTOOD),
        ('{"inputs": {"turn": NaN}}', sockets.NOT_UNDERSTOOD),
        ('{"role": "solver"}', sockets.NOT_UNDERSTOOD),
        ('{"judge": {"request_step": -1, "said": "success"}}', sockets.NOT_UNDERSTOOD),
        (b"\xff\xd8", sockets.NOT_UNDERSTOOD),
        (json.dumps({"inputs": {"say": "x" * sockets.MESSAGE_CHARS}}), sockets.TOO_LONG),
    ],
)  # fmt: skip
def test_malformed_messages_end_the_connection(enter: Enter, message: Any, end: sockets.End) -> None:
    ann = enter(Role.SETTER, "ann")
    player = Player(ann, ann.said("POST", "/api/play/tutorial")["id"])
    player.send(message)
    assert player.ended() == (end.code, end.said)


def test_too_many_messages_end_the_connection(enter: Enter) -> None:
    ann = enter(Role.SETTER, "ann")
    player = Player(ann, ann.said("POST", "/api/play/tutorial")["id"])
    for _ in range(3 * int(sockets.MESSAGES_AT_ONCE)):
        player.say(seen=1)
    assert player.ended() == (sockets.TOO_MANY.code, sockets.TOO_MANY.said)


def test_impossible_actions_are_refused_and_the_game_continues(enter: Enter) -> None:
    ann, bob, game_id = a_pair(enter)
    setter = Player(ann, game_id)
    for message, words in (
        ({"do": "end"}, "not begun"), ({"do": "take_over"}, "not for your role"),
        ({"judge": {"request_step": 1, "said": "success"}}, "not for your role"),
    ):  # fmt: skip
        setter.notices.clear()
        setter.say(**message)
        assert words in until(lambda: [said for said in setter.notices if "refused" in said])[0]["refused"]
    assert setter.end is None


def test_a_silent_browser_is_lost(enter: Enter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "WATCH_SEC", 0.05)
    monkeypatch.setattr(sockets, "SILENT_SEC", 2.0)
    ann, bob, game_id = a_pair(enter)
    setter, solver = Player(ann, game_id), Player(bob, game_id, reads=False)
    assert solver.ended() == (sockets.SILENT.code, sockets.SILENT.said)
    setter.sees(lost=["solver"])


def test_a_player_who_is_signed_out_plays_no_longer(
    enter: Enter, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sockets, "WATCH_SEC", 0.05)
    monkeypatch.setattr(sockets, "ADMITTED_SEC", 0.1)
    ann, _, game_id = a_pair(enter)
    setter = Player(ann, game_id)
    setter.sees(state="ready")
    time.sleep(0.3)
    assert setter.end is None
    ann.said("POST", "/api/sign-out")
    assert setter.ended() == (sockets.SIGNED_OUT.code, sockets.SIGNED_OUT.said)


@pytest.mark.parametrize("how", ["terms", "role", "project"])
def test_a_player_who_may_no_longer_play_is_disconnected(
    how: str, enter: Enter, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sockets, "WATCH_SEC", 0.05)
    monkeypatch.setattr(sockets, "ADMITTED_SEC", 0.1)
    ann, bob, game_id = a_pair(enter)
    admin = enter(Role.ADMIN, "ada")
    admin.said("POST", "/api/play/datasets", {"name": "other"})
    page = admin.said("GET", "/api/study")
    other = next(found["id"] for found in page["projects"] if found["dataset"] == "other")
    person = next(f"/api/people/{found['id']}" for found in page["people"] if found["name"] == "ann")
    setter, solver = Player(ann, game_id), Player(bob, game_id)
    for player in (setter, solver):
        player.sees(state="ready")
    if how == "terms":
        admin.said("PUT", "/api/consent", {"text": "We keep what you play."})
    else:
        admin.said("PATCH", person, {"roles": ["rater", "solver"]} if how == "role" else {"projects": [other]})
    said = sockets.TERMS_CHANGED if how == "terms" else sockets.TAKEN_OUT
    assert setter.ended() == (said.code, said.said)
    with pytest.raises(Denied) as denied:
        Player(ann, game_id)
    assert denied.value.status == (428 if how == "terms" else 403)
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
    ann, bob, game_id = a_pair(enter)
    name = ann.said("GET", "/api/me")["id"]
    admin = enter(Role.ADMIN, "ada")
    person_id = next(found["id"] for found in admin.said("GET", "/api/study")["people"] if found["name"] == "ann")
    setter, solver = Player(ann, game_id), Player(bob, game_id)
    for player in (setter, solver):
        player.say(do="ready")
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
