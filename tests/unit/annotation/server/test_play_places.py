"""Houses of people's games over HTTP: the line on the page, the leader's settings, what episodes and datasets keep."""

from __future__ import annotations

import json

from annotation.server.security.visitors import Role
from annotation.server.study import Study
from pipelines.stages.settings.play_settings import settings_of_dataset
from rlhf.store import open_store
from tests.patience import until
from tests.unit.annotation.server.players import Player
from tests.unit.annotation.server.test_agents import make_agent
from tests.unit.annotation.server.test_play import (  # noqa: F401  # fixtures among them
    Enter,
    a_pair,
    enter,
    patient_server,
    start,
    study,
)


def test_the_page_says_which_houses_are_played_and_the_leader_changes_them(enter: Enter, study: Study) -> None:  # noqa: F811
    eve = enter(Role.ADMIN, "eve")
    eve.said("POST", "/api/play/datasets", {"name": "people"})
    demo = make_agent(study.config.data / "demo")
    room = {"rooms": [1, 1], "objects": [3, 4]}
    world = {"name": "playhouse", "height": 72, "width": 96, "settings": room, "options": {"fov_y_deg": 60.0}}
    (demo / "play_settings.json").write_text(json.dumps({"world": world}))
    lobby = eve.said("GET", "/api/play")["projects"][0]
    assert lobby["places"] == "Houses of the world's default settings."
    assert lobby["with_agents"]["demo"] == {
        "places": "Houses in which the agent demo learned: rooms 1, objects 3 to 4, fov y deg 60.",
        "trouble": "",
    }
    place = f"/api/projects/{lobby['id']}"
    for settings, why in (('{"chimneys": 1}', "chimneys"), ("[1]", "JSON object"), ("{", "not JSON")):
        refusal = eve.ask("PATCH", place, {"place_settings": settings})
        assert refusal.status_code == 422 and why in refusal.text
    eve.said("PATCH", place, {"place_settings": '{"rooms": [2, 2]}', "title": "Two rooms"})
    (project,) = eve.said("GET", "/api/study")["projects"]
    assert project["place_settings"] == '{"rooms": [2, 2]}' and project["title"] == "Two rooms"
    assert project["places"] == "Houses as the study's leader set them: rooms 2."
    lobby = eve.said("GET", "/api/play")["projects"][0]
    assert lobby["with_agents"]["demo"]["places"] == "Houses as the study's leader set them: rooms 2, fov y deg 60."
    game_id = start(eve, "human-human", "setter")
    assert eve.said("GET", f"/api/play/games/{game_id}")["places"] == project["places"]
    assert study.games.get(game_id).game.config.place_settings == {"rooms": [2, 2]}
    eve.said("PATCH", place, {"place_settings": ""})
    assert eve.said("GET", "/api/play")["projects"][0]["places"] == "Houses of the world's default settings."


def test_an_episode_and_its_dataset_keep_the_settings_of_the_houses(enter: Enter, study: Study) -> None:  # noqa: F811
    ann, bob, game_id = a_pair(enter)
    config = study.games.get(game_id).game.config
    setter, solver = Player(ann, game_id), Player(bob, game_id)
    for player in (setter, solver):
        player.say(do="ready")
    setter.sees(state="ended")
    folder = study.config.data / "people"
    until(lambda: open_store(folder).description.play_settings, "the settings of play in the dataset")
    (noted,) = open_store(folder).description.play_settings
    assert noted["world"] == {"name": "playhouse", "height": 72, "width": 96, "settings": {}, "options": {}}
    episode = open_store(folder).read(setter.view["saved"])
    assert episode.notes["place_settings"] == {} and episode.split == config.split
    assert settings_of_dataset(folder)[0].world.settings == {}
    lobby = ann.said("GET", "/api/play")["projects"][0]
    assert lobby["places"] == "Houses as recorded in this dataset."
