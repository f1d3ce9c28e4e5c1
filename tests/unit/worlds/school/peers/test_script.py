"""Looking, walking and meeting, on rooms that are set up by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.worlds.school.small_rooms import empty_room, episode, put_peer
from worlds.school.grid import things
from worlds.school.grid.codes import EAST, GO_FORWARD, NO_OP, NORTH, SOUTH, TOGGLE, WEST
from worlds.school.grid.dialogue import INTRODUCTION
from worlds.school.peers.caretaker import Caretaker
from worlds.school.peers.script import direction_to, in_eye_contact


def script() -> Caretaker:
    return Caretaker(np.random.default_rng(0), "Pointing")


def test_direction_to_is_the_nearest_and_on_diagonals_the_next_anticlockwise():
    drawing = ["WNNNN", "WWNNE", "WW.EE", "WSSEE", "SSSSE"]
    names = {EAST: "E", SOUTH: "S", WEST: "W", NORTH: "N"}
    found = ["".join(names[direction_to((2, 2), (x, y))] for x in range(5)) for y in range(5)]
    assert [row.replace("S", ".", int(y == 2)) for y, row in enumerate(found)] == drawing


def test_walking_goes_the_shortest_way_around_things_and_the_agent():
    room = empty_room()
    peer, walker = put_peer(room, (2, 5), EAST), script()
    room.put(things.Fence(), (3, 5))
    room.agent = (2, 4)
    cells = []
    for _ in range(20):
        act = walker.walk_to(room, peer, (5, 5))
        peer.act(room, act)
        cells.append(peer.at)
    assert list(dict.fromkeys(cells)) == [(2, 5), (2, 6), (3, 6), (4, 6), (5, 6), (5, 5)]
    assert walker.walk_to(room, peer, (5, 5)) == NO_OP, "it is there"
    assert walker.walk_to(room, peer, room.agent) == NO_OP
    room.put(things.Apple(), (8, 5))
    acts = []
    for _ in range(6):
        acts.append(walker.use_at(room, peer, (8, 5)))
        peer.act(room, acts[-1])
    assert acts[-1] == TOGGLE and acts.count(GO_FORWARD) == 2


def test_a_door_is_there_again_when_the_peer_has_walked_through():
    room = empty_room()
    door, peer = things.Door("red"), put_peer(room, (3, 5), EAST)
    room.put(door, (4, 5))
    door.use(room)
    for there in (peer, door):
        peer.act(room, GO_FORWARD)
        assert room.at(4, 5) is there
    assert door.at == (4, 5) and peer.at == (5, 5) and not room.solid[4, 5]


@pytest.mark.parametrize("direction", range(4))
def test_eye_contact_needs_one_line_and_both_gazes(direction):
    room = empty_room()
    peer = put_peer(room, (5, 5), direction)
    met: set[tuple[int, int, int]] = set()
    for x in range(1, 9):
        for y in range(1, 9):
            for gaze in range(4):
                room.agent, room.direction = (x, y), gaze
                if (x, y) != (5, 5) and in_eye_contact(room, peer):
                    met.add((x, y, gaze))
    dx, dy = ((1, 0), (0, 1), (-1, 0), (0, -1))[direction]
    line = [(5 + k * dx, 5 + k * dy) for k in range(1, 9)]
    assert met == {(x, y, (direction + 2) % 4) for x, y in line if 0 < x < 9 and 0 < y < 9}


@pytest.mark.parametrize(
    ("wanted", "by_nothing", "by_asking", "by_looking"),
    [
        ("No", True, True, True),
        ("Eye_contact", False, False, True),
        ("Ask", False, True, False),
        ("Ask_Eye_contact", False, False, False),
    ],
)
def test_introductions(wanted, by_nothing, by_asking, by_looking):
    problem = episode(Problem="Boxes", Pragmatic_frame_complexity=wanted)
    peer, room = problem.peer, problem.room
    assert peer is not None

    def meets(asks: bool, looks: bool) -> bool:
        room.agent = peer.place[0], peer.place[1] + 2
        room.direction = NORTH if looks else SOUTH
        return script().meet(problem, INTRODUCTION if asks else "Help the exit ")

    assert [meets(False, False), meets(True, False), meets(False, True)] == [by_nothing, by_asking, by_looking]
    assert meets(True, True)
