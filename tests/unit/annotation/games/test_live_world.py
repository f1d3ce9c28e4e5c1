"""The world of a live game."""

from __future__ import annotations

from annotation.games.config import GameConfig
from annotation.games.live_world import LiveWorld
from annotation.session.states import Kind
from worlds import registry


def test_people_play_in_places_made_for_people_unless_the_settings_say_otherwise():
    entry = registry.get("playhouse")
    for settings, faces in (({}, True), ({"face_room": False}, False), ({"rooms": (1, 1)}, True)):
        config = GameConfig(kind=Kind.HUMAN_HUMAN, seed=4, height=12, width=16, place_settings=settings)
        world = LiveWorld(config, entry)
        assert world.place == entry.sample_config(4, **({"face_room": faces} | settings))
        world.close()
    assert entry.sample_config(4, face_room=True) != entry.sample_config(4)
