"""What is observed in the school: codes of things and of the peer, what walls hide, and both in words."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from minigrid.core.constants import COLOR_NAMES, COLOR_TO_IDX, OBJECT_TO_IDX
from minigrid.wrappers import OneHotPartialObsWrapper

from tests.unit.worlds.school.small_rooms import empty_room, put_peer
from worlds.school.grid import things
from worlds.school.grid.codes import (
    CHANNELS,
    EAST,
    EMPTY,
    NO_OP,
    NONE,
    OBJECTS,
    PEER,
    PEER_ACT_IDS,
    POINT_EAST,
    STEPS,
    VIEW,
)
from worlds.school.grid.sight import shadows, view_cell, world_cell
from worlds.school.observing.published_words import published_surroundings
from worlds.school.observing.words import surroundings
from worlds.school.world import SchoolWorld

LOCKED = things.LockableBox("green", is_locked=True)
OPEN = things.Door("blue")
OPEN.is_open = True
EATEN = things.Apple()
EATEN.eaten, EATEN.color = True, "yellow"
# Thing, its code, what it is called here, and in the published code.
LOOKS = [
    (things.Wall(), (2, 5, 0, 0, 0, 0), "a wall", ""),
    (things.Fence(), (19, 5, 0, 0, 0, 0), "a fence", "grey fence"),
    (things.Door("brown"), (4, 6, 1, 0, 0, 0), "a closed brown door", "closed brown door"),
    (OPEN, (4, 2, 0, 0, 0, 0), "an open blue door", "open blue door"),
    (things.RemoteDoor("red"), (20, 0, 1, 0, 0, 0), "a closed red remote door", "closed red remotedoor"),
    (things.LockableBox("purple"), (13, 3, 1, 0, 0, 0), "a closed purple box", "closed purple lockablebox"),
    (LOCKED, (13, 1, 2, 0, 0, 0), "a locked green box", "locked green lockablebox"),
    (things.Switch("grey"), (12, 5, 0, 0, 0, 0), "a grey switch", "grey switch"),
    (things.Lever("yellow"), (21, 4, 0, NONE, 0, 0), "a yellow lever", "unactivated yellow lever"),
    (things.Apple(), (14, 0, 0, 0, 0, 0), "an apple", "red apple"),
    (EATEN, (14, 4, 0, 0, 0, 0), "an eaten apple", "yellow apple"),
    (things.AppleGenerator("blue"), (15, 2, 1, 0, 0, 0), "a square blue generator", "square blue applegenerator"),
    (things.AppleGenerator("blue", by_marble=True), (15, 2, 2, 0, 0, 0), "a round blue generator",
     "round blue applegenerator"),
    (things.GeneratorPlatform("green"), (16, 1, 0, 0, 0, 0), "a green platform", "green generatorplatform"),
    (things.Marble("brown"), (17, 6, 0, 0, 0, 0), "a brown marble", "brown marble"),
    (things.MarbleTee("brown"), (18, 6, 0, 0, 0, 0), "a brown marble tee", "brown marbletee"),
]  # fmt: skip


def seen(*cells: tuple[int, int, tuple[int, ...]]) -> np.ndarray:
    """Return a view that is empty but for cells, by steps ahead and to the right."""
    view = np.zeros((VIEW, VIEW, CHANNELS), np.uint8)
    view[..., 0] = EMPTY
    for ahead, right, code in cells:
        view[VIEW // 2 + right, VIEW - 1 - ahead] = code
    return view


@pytest.mark.parametrize(("thing", "code", "words", "published"), LOOKS, ids=[words for *_, words, _ in LOOKS])
def test_every_thing_has_a_code_from_everywhere_and_words(thing, code, words, published):
    for direction, (dx, dy) in enumerate(STEPS):
        room = empty_room()
        room.agent, room.direction = (5, 5), direction
        room.put(thing, (5 + 2 * dx, 5 + 2 * dy))
        image, lit = room.sight()
        assert tuple(image[3, 4]) == code and lit[3, 4]
        assert tuple(image[3, 5]) == tuple(image[3, 6]) == (EMPTY, 0, 0, 0, 0, 0)
    assert surroundings(seen((1, 0, code))) == f"{words} right in front of you"
    line = f"Right in front of you there is a {published}" if published else ""
    assert published_surroundings(seen((1, 0, code))) == line


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


def test_minigrid_observes_what_it_did_before():
    """Its wrappers count the entries of its tables, and its environments draw colours from them."""
    assert (len(OBJECT_TO_IDX), len(COLOR_TO_IDX), len(COLOR_NAMES)) == (11, 6, 6)
    image = OneHotPartialObsWrapper(gymnasium.make("MiniGrid-DoorKey-5x5-v0")).reset(seed=0)[0]["image"]
    assert image.shape == (7, 7, 20)
    assert all(OBJECTS[name] == number for name, number in OBJECT_TO_IDX.items())


# Walls "#", other cells that are seen ".", those that are not " ", the viewer "A"; the walls themselves are seen.
MASKS = {
    "nothing in the way": [".......", ".......", ".......", ".......", ".......", ".......", "...A..."],
    "ahead: what is hidden widens by a cell a row, up to the outermost columns": [
        "       ", "       ", ".     .", "..   ..", "...#...", ".......", "...A...",
    ],
    "on the diagonal: its row outwards, and all ahead of it and outwards": [
        "   ....", "   ....", "   ....", "   ....", "   ....", "  #....", "...A...",
    ],
    "beside: its row outwards, and the diagonal": [
        ".......", ".......", ".......", ".......", " ......", "  .....", "  #A...",
    ],
    "the outermost columns hide nothing": [".......", ".......", ".......", ".......", "#.....#", ".......", "...A..."],
    "between ahead and the diagonal: all ahead of it and outwards, not its row": [
        "   ....", "   ....", "   ....", ".  ....", "..#....", ".......", "...A...",
    ],
}  # fmt: skip


@pytest.mark.parametrize("drawing", MASKS.values(), ids=MASKS)
def test_walls_hide_what_is_drawn_and_left_and_right_are_alike(drawing):
    cells = np.array([list(row) for row in drawing]).T
    assert np.array_equal(shadows(cells == "#"), cells != " ")
    assert np.array_equal(shadows(cells[::-1] == "#"), cells[::-1] != " ")


@pytest.mark.parametrize("direction", range(4))
def test_view_cells_and_cells_of_the_room_are_inverse(direction):
    for i, j in np.ndindex(VIEW, VIEW):
        assert view_cell(20, 30, direction, world_cell(20, 30, direction, i, j)) == (i, j)
    (dx, dy), (right_x, right_y) = STEPS[direction], STEPS[(direction + 1) % 4]
    assert world_cell(20, 30, direction, 4, 5) == (20 + dx + right_x, 30 + dy + right_y)
    assert view_cell(20, 30, direction, (20 - dx, 30 - dy)) is None


def test_doors_hide_while_they_are_closed_and_fences_never():
    room = empty_room()
    room.agent, room.direction = (2, 5), EAST
    door = things.Door("blue")
    room.put(door, (4, 5))
    assert not room.sight()[1][3, 3] and room.sight(through=True)[1].all()
    door.use(room)
    assert room.sight()[1][3, 3]
    for hides, thing in ((False, things.Fence()), (False, things.Switch("red")), (True, things.RemoteDoor("red"))):
        room.put(thing, (4, 5))
        assert room.sight()[1][3, 3] != hides


APPLE, GREEN, BLUE, MARBLE = (14, 0, 0, 0, 0, 0), (13, 1, 1, 0, 0, 0), (13, 2, 1, 0, 0, 0), (17, 6, 0, 0, 0, 0)


def test_places_are_counted_in_steps_and_the_nearest_is_first() -> None:
    cells = [(6, 3, APPLE), (2, 0, APPLE), (0, -1, MARBLE), (3, -1, MARBLE), (0, 2, APPLE), (1, 1, APPLE)]
    assert surroundings(seen(*cells)).splitlines() == [
        "a brown marble right beside you, to the left",
        "an apple 2 steps to the right",
        "an apple 1 step ahead and 1 step to the right",
        "an apple 2 steps ahead",
        "a brown marble 3 steps ahead and 1 step to the left",
        "an apple 6 steps ahead and 3 steps to the right",
    ]


@pytest.mark.parametrize(
    ("channels", "words"),
    [
        ((0, 0, NONE, NO_OP), "a purple peer, facing you, 3 steps ahead"),
        ((0, 1, 3, POINT_EAST), "a purple peer, facing to your left, pointing to your right, 3 steps ahead"),
        ((0, 2, 1, NO_OP), "a purple peer, facing away from you, pointing to your left, 3 steps ahead"),
        ((1, 3, NONE, PEER_ACT_IDS["rotate_left"]),
         "a purple guard, facing to your right, who just did rotate left, 3 steps ahead"),
        ((0, 0, 2, NO_OP), "a purple peer, facing you, pointing ahead of you, 3 steps ahead"),
    ],
)  # fmt: skip
def test_the_peer_looks_points_and_acts(channels: tuple[int, ...], words: str) -> None:
    assert surroundings(seen((3, 0, (PEER, 3, *channels)))) == words


@pytest.mark.parametrize(
    ("cells", "lines"),
    [
        ([(3, 0, GREEN)], "3 steps in front of you there is a closed green lockablebox"),
        ([(0, 2, GREEN)], "2 steps to the right there is a closed green lockablebox"),
        ([(0, -2, GREEN)], "2 steps to the left there is a closed green lockablebox"),
        ([(0, -1, GREEN)], "Just to the left of you there is a closed green lockablebox"),
        ([(0, 1, BLUE)], "Just to the right of you there is a closed blue lockablebox"),
        ([(3, -3, (PEER, 4, 0, 0, NONE, NO_OP))], "3 steps in front of you and 3 steps to the left there is a friendly "
         "yellow peer. It is looking towards you."),
        ([(2, 0, (PEER, 3, 1, 3, 2, PEER_ACT_IDS["stop_point"]))], "2 steps in front of you there is a antagonistic "
         "purple peer. It is looking to the right of you. It is pointing in the same direction as you. It's last "
         "action is stop pointing."),
        ([(1, 0, (21, 4, 1, 7, 0, 0))],
         "Right in front of you there is a activated yellow lever with 7 timesteps left."),
        ([(1, 1, GREEN), (2, -1, BLUE), (4, 1, APPLE), (0, 0, APPLE)],
         "2 steps in front of you and 1 steps to the left there is a closed blue lockablebox\n"
         "4 steps in front of you and 1 steps to the right there is a red apple\n"
         "1 steps in front of you and 1 steps to the right there is a closed green lockablebox"),
    ],
)  # fmt: skip
def test_published_lines_are_those_of_the_papers_prompts(cells, lines: str) -> None:
    """Figures 25 and 26; columns come from left to right, the farthest first."""
    assert published_surroundings(seen(*cells)) == lines


def test_a_world_says_the_published_words_where_it_is_asked_to() -> None:
    options = {"config": SchoolWorld().sample(3)}
    worlds: list[Any] = [SchoolWorld(text=True, published_text=published) for published in (True, False)]
    said, other = (world.reset(options=options)[0]["solver"]["surroundings"] for world in worlds)
    assert said != other and all(" there is a " in line for line in said.splitlines())
