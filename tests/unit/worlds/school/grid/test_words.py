"""What is seen in words: every kind of thing, every place, and nothing that is not in view."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.worlds.school.grid.test_encoding import ENCODINGS
from tests.unit.worlds.school.small_rooms import empty_room, put_peer
from worlds.school.grid import things
from worlds.school.grid.codes import CHANNELS, EMPTY, NO_OP, NONE, PEER, PEER_ACT_IDS, POINT_EAST, STEPS, VIEW
from worlds.school.grid.words import surroundings

WORDS = (
    "a wall", "a fence", "a closed brown door", "an open blue door", "a closed red remote door", "a closed purple box",
    "a locked green box", "a grey switch", "a yellow lever", "an apple", "an eaten apple", "a square blue generator",
    "a round blue generator", "a green platform", "a brown marble", "a brown marble tee",
)  # fmt: skip


def seen(*cells: tuple[int, int, tuple[int, ...]]) -> np.ndarray:
    """A view that is empty but for cells, by steps ahead and to the right."""
    view = np.zeros((VIEW, VIEW, CHANNELS), np.uint8)
    view[..., 0] = EMPTY
    for ahead, right, code in cells:
        view[VIEW // 2 + right, VIEW - 1 - ahead] = code
    return view


@pytest.mark.parametrize(("encoding", "words"), [(one[1], words) for one, words in zip(ENCODINGS, WORDS, strict=True)])
def test_every_thing_has_words(encoding: tuple[int, ...], words: str) -> None:
    assert surroundings(seen((1, 0, encoding))) == f"{words} right in front of you"


def test_places_are_counted_in_steps_and_the_nearest_is_first() -> None:
    apple, marble = (14, 0, 0, 0, 0, 0), (17, 6, 0, 0, 0, 0)
    cells = [(6, 3, apple), (2, 0, apple), (0, -1, marble), (3, -1, marble), (0, 2, apple), (1, 1, apple)]
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
        (
            (1, 3, NONE, PEER_ACT_IDS["rotate_left"]),
            "a purple guard, facing to your right, who just did rotate left, 3 steps ahead",
        ),
        ((0, 0, 2, NO_OP), "a purple peer, facing you, pointing ahead of you, 3 steps ahead"),
    ],
)  # fmt: skip
def test_the_peer_looks_points_and_acts(channels: tuple[int, ...], words: str) -> None:
    assert surroundings(seen((3, 0, (PEER, 3, *channels)))) == words


@pytest.mark.parametrize("direction", range(4))
def test_words_are_of_the_agents_own_view(direction: int) -> None:
    room = empty_room()
    room.agent, room.direction = (5, 5), direction
    (ahead_x, ahead_y), (right_x, right_y) = STEPS[direction], STEPS[(direction + 1) % 4]
    room.put(things.LockableBox("blue"), (5 + 2 * ahead_x + right_x, 5 + 2 * ahead_y + right_y))
    put_peer(room, (5 + ahead_x - right_x, 5 + ahead_y - right_y), (direction + 2) % 4)
    assert surroundings(room.sight()[0]).splitlines() == [
        "a purple peer, facing you, 1 step ahead and 1 step to the left",
        "a closed blue box 2 steps ahead and 1 step to the right",
    ]
