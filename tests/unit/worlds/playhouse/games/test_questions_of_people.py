"""Questions that people asked the paper's agents (appendix B), verbatim, are read as what they are."""

from __future__ import annotations

from functools import cache

import pytest

from worlds.playhouse import Playhouse
from worlds.playhouse.games import registry
from worlds.playhouse.games.situation import Situation

INCLUDED = (
    "tennis ball in the playroom", "pink ball in the living room", "candle in the living room", "green rocket",
    "mug in the living room", "orange duck in the bathroom", "yellow duck", "tissue roll in the pantry",
    "grey pillow in the bedroom", "red lamp in the living room", "purple book in the living room",
    "footrest in the living room",
)  # fmt: skip
ROOMS = ("living room", "bedroom", "playroom", "bathroom", "pantry")


@cache
def situation() -> Situation:
    settings = {"preset": "house", "room_types": ROOMS, "include": INCLUDED}
    world = Playhouse(height=6, width=8, views=(), settings=settings)
    world.reset(seed=0)
    return Situation(world)


@pytest.mark.parametrize(
    ("question", "game"),
    [
        ("What are you noticing at right now?", "notice"),
        ("Count bananas in pantry room", "how many"),
        ("Count the number of objects which flys in the sky in the bed room?", "how many"),
        ("Count the pointy objects in the living room", "how many"),
        ("How many white colour objects are there n living room", "how many"),
        ("Tell me the count of candles", "how many"),
        ("Count the number of tissue rolls?", "how many"),
        ("Where is the pink ball?", "where is"),
        ("Where is the orange duck in the wash room", "where is"),
        ("Where is yellow duck present in house", "where is"),
        ("Where is the bed?", "where is"),
        ("Where is grey pillow?", "where is"),
        ("Where is green color flying object in living room", "where is"),
        ("Where is the purple color object in living room", "where is"),
        ("Is there five green color objects were present in the bed room or not", "how many or not"),
        ("Does there is the red object between the ball and candle in the living room?", "is there"),
        ("Is there a musical instrument in play room", "is there"),
        ("Wether mug exists in living room", "is there"),
        ("What is the color of the footrest in living room?", "color of"),
        ("Name the objects which are in pantry room", "name objects"),
        ("Tell me the names of playing objects in living room.", "name objects"),
        ("Tell me names of objects in pantry", "name objects"),
    ],
)
def test_it_is_read_as_its_game(question: str, game: str) -> None:
    found = registry.understand(question, situation())
    assert found is not None and found[0].name == game
