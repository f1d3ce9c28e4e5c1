"""What observations say of every object and of the peer, in every direction."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

from tests.unit.worlds.school.small_rooms import empty_room, put_peer
from worlds.school.grid import things
from worlds.school.grid.codes import EMPTY, NONE, NORTH, OBJECTS, PEER_ACT_IDS, POINT_EAST, STEPS, WALL

LOCKED = things.LockableBox("green", is_locked=True)
OPEN = things.Door("blue")
OPEN.is_open = True
EATEN = things.Apple()
EATEN.eaten, EATEN.color = True, "yellow"
ENCODINGS = [
    (things.Wall(), (2, 5, 0, 0, 0, 0)),
    (things.Fence(), (19, 5, 0, 0, 0, 0)),
    (things.Door("brown"), (4, 6, 1, 0, 0, 0)),
    (OPEN, (4, 2, 0, 0, 0, 0)),
    (things.RemoteDoor("red"), (20, 0, 1, 0, 0, 0)),
    (things.LockableBox("purple"), (13, 3, 1, 0, 0, 0)),
    (LOCKED, (13, 1, 2, 0, 0, 0)),
    (things.Switch("grey"), (12, 5, 0, 0, 0, 0)),
    (things.Lever("yellow"), (21, 4, 0, NONE, 0, 0)),
    (things.Apple(), (14, 0, 0, 0, 0, 0)),
    (EATEN, (14, 4, 0, 0, 0, 0)),
    (things.AppleGenerator("blue"), (15, 2, 1, 0, 0, 0)),
    (things.AppleGenerator("blue", by_marble=True), (15, 2, 2, 0, 0, 0)),
    (things.GeneratorPlatform("green"), (16, 1, 0, 0, 0, 0)),
    (things.Marble("brown"), (17, 6, 0, 0, 0, 0)),
    (things.MarbleTee("brown"), (18, 6, 0, 0, 0, 0)),
]


@pytest.mark.parametrize(("thing", "encoding"), ENCODINGS, ids=lambda one: getattr(one, "type", ""))
@pytest.mark.parametrize("direction", range(4))
def test_objects_look_the_same_from_everywhere(thing, encoding, direction):
    room = empty_room()
    room.agent, room.direction = (5, 5), direction
    (dx, dy) = STEPS[direction]
    room.put(thing, (5 + 2 * dx, 5 + 2 * dy))
    image, seen = room.sight()
    assert tuple(image[3, 4]) == encoding and seen[3, 4]
    assert tuple(image[3, 5]) == tuple(image[3, 6]) == (EMPTY, 0, 0, 0, 0, 0)


@pytest.mark.parametrize("agent", range(4))
@pytest.mark.parametrize("peer", range(4))
def test_gaze_and_pointing_are_those_that_the_agent_sees(agent, peer):
    """0 is towards the agent, 1 its left, 2 where it looks, 3 its right."""
    turned = {0: 2, 1: 3, 2: 0, 3: 1}  # quarter turns clockwise of the peer's direction from the agent's
    room = empty_room()
    room.agent, room.direction = (5, 5), agent
    (dx, dy) = STEPS[agent]
    friend = put_peer(room, (5 + 3 * dx, 5 + 3 * dy), peer)
    relative = turned[(peer - agent) % 4]
    assert tuple(room.sight()[0][3, 3]) == (11, 3, 0, relative, NONE, PEER_ACT_IDS["no_op"])
    for way, name in enumerate(("point_E", "point_S", "point_W", "point_N")):
        friend.act(room, PEER_ACT_IDS[name])
        pointed = turned[(way - agent) % 4]
        assert tuple(room.sight()[0][3, 3]) == (11, 3, 0, relative, pointed, POINT_EAST + pointed)
    friend.act(room, PEER_ACT_IDS["stop_point"])
    assert tuple(room.sight()[0][3, 3]) == (11, 3, 0, relative, NONE, PEER_ACT_IDS["stop_point"])
    friend.hidden = True
    room.refresh(friend)
    assert tuple(room.sight()[0][3, 3]) == (EMPTY, 0, 0, 0, 0, 0)


def test_what_is_left_of_the_agent_is_left_in_its_view():
    room = empty_room()
    room.agent, room.direction = (5, 5), NORTH
    room.put(things.Apple(), (4, 3))
    image, _ = room.sight()
    assert image[2, 4, 0] == OBJECTS["apple"] and (image[..., 0] == OBJECTS["apple"]).sum() == 1
    room.agent = (5, 1)
    assert room.sight(through=True)[0][:, :6, 0].tolist() == [[WALL] * 6] * 7, "the wall, and cells outside the room"


def test_minigrid_observes_what_it_did_before():
    """Its wrappers count the entries of its tables, and its environments draw colours from them."""
    from minigrid.core.constants import COLOR_NAMES, COLOR_TO_IDX, OBJECT_TO_IDX
    from minigrid.wrappers import OneHotPartialObsWrapper

    assert (len(OBJECT_TO_IDX), len(COLOR_TO_IDX), len(COLOR_NAMES)) == (11, 6, 6)
    env = OneHotPartialObsWrapper(gymnasium.make("MiniGrid-DoorKey-5x5-v0"))
    image = env.reset(seed=0)[0]["image"]
    assert image.shape == (7, 7, 20) and np.array_equal(image, env.reset(seed=0)[0]["image"])
    assert all(OBJECTS[name] == number for name, number in OBJECT_TO_IDX.items())
