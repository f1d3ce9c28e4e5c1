"""The world of a live game."""

from __future__ import annotations

import numpy as np

from annotation.games.body_keys import body_keys
from annotation.games.config import GameConfig
from annotation.games.live_world import PLAYERS, LiveWorld
from annotation.session.states import Kind
from worlds import registry
from worlds.contract import SETTER, SOLVER


def test_people_play_in_places_made_for_people_unless_the_settings_say_otherwise():
    entry = registry.get("playhouse")
    for settings, faces in (({}, True), ({"face_room": False}, False), ({"rooms": (1, 1)}, True)):
        config = GameConfig(kind=Kind.HUMAN_HUMAN, seed=4, height=12, width=16, place_settings=settings)
        world = LiveWorld(config, entry)
        assert world.place == entry.sample_config(4, **({"face_room": faces} | settings))
        world.close()
    assert entry.sample_config(4, face_room=True) != entry.sample_config(4)


def test_a_tutor_of_the_school_sees_the_room_and_the_agent_only_its_view():
    options = {"picture": True, "tutored": True}
    config = GameConfig(
        kind=Kind.HUMAN_HUMAN, seed=5, height=140, width=140, world="school", world_options=options, place_settings={}
    )
    world = LiveWorld(config, registry.get("school"))
    assert world.turn_based and world.boards == {}
    views = {player: world.picture(player) for player in PLAYERS}
    assert views[SETTER].shape == views[SOLVER].shape and not np.array_equal(views[SETTER], views[SOLVER])
    keys = {player: {key.name: key for key in body_keys(world.bodies[player])} for player in PLAYERS}
    assert {"point west", "turn left"} <= keys[SETTER].keys() and keys[SOLVER]["stay"].codes == ("Period", "Digit6")
    for key in (keys[SETTER]["turn left"], keys[SOLVER]["left"]):
        assert key.codes[0] == "ArrowLeft"
    before = world.world.state.problem.peer.direction
    world.tick({SETTER: np.array([keys[SETTER]["turn left"].bin]), SOLVER: np.array([keys[SOLVER]["stay"].bin])})
    assert world.end({SETTER: "look here", SOLVER: "Help please"})
    assert world.world.state.problem.peer.direction == (before - 1) % 4
    assert world.observations[SOLVER]["heard"].endswith(": look here")
    assert not np.array_equal(world.picture(SETTER), views[SETTER])
    world.close()
