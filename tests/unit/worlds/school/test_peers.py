"""The peers of the school, on rooms that are set up by hand: how they move and meet, the caretaker, and the guard."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from tests.unit.worlds.school.small_rooms import QUIET, empty_room, information, put_peer
from worlds.school.grid import things
from worlds.school.grid.codes import (
    ANTAGONISTIC,
    EAST,
    GO_FORWARD,
    NO_OP,
    NONE,
    NORTH,
    PEER_ACTS,
    SOUTH,
    STEPS,
    WEST,
)
from worlds.school.grid.dialogue import INTRODUCTION
from worlds.school.parameters.names import INFORMATION_PROBLEMS
from worlds.school.peers.body import Peer
from worlds.school.peers.caretaker import Caretaker
from worlds.school.peers.script import direction_to, in_eye_contact
from worlds.school.problems.adversarial_peer import AdversarialPeer
from worlds.school.problems.problem import TOGGLE, Settings
from worlds.school.problems.types import make_problem


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
        peer.act(room, walker.walk_to(room, peer, (5, 5)))
        cells.append(peer.at)
    assert list(dict.fromkeys(cells)) == [(2, 5), (2, 6), (3, 6), (4, 6), (5, 6), (5, 5)]
    assert walker.walk_to(room, peer, (5, 5)) == NO_OP, "it is there"
    assert walker.walk_to(room, peer, room.agent) == NO_OP
    room.put(things.Apple(), (8, 5))
    acts = []
    for _ in range(6):
        acts.append(walker.use_at(room, peer, (8, 5)))
        peer.act(room, acts[-1])
    assert PEER_ACTS[acts[-1]] == "toggle_action" and acts.count(GO_FORWARD) == 2


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
    for x, y, gaze in product(range(1, 9), range(1, 9), range(4)):
        room.agent, room.direction = (x, y), gaze
        if (x, y) != (5, 5) and in_eye_contact(room, peer):
            met.add((x, y, gaze))
    dx, dy = STEPS[direction]
    line = [(5 + k * dx, 5 + k * dy) for k in range(1, 9)]
    assert met == {(x, y, (direction + 2) % 4) for x, y in line if 0 < x < 9 and 0 < y < 9}


@pytest.mark.parametrize(
    ("wanted", "sufficient"),  # by doing nothing, asking, looking, and both
    [
        ("No", [True, True, True, True]),
        ("Eye_contact", [False, False, True, True]),
        ("Ask", [False, True, False, True]),
        ("Ask_Eye_contact", [False, False, False, True]),
    ],
)
def test_introductions(wanted, sufficient):
    problem = information(Problem="Boxes", Pragmatic_frame_complexity=wanted)

    def meets(asks: bool, looks: bool) -> bool:
        problem.room.agent = problem.peer.place[0], problem.peer.place[1] + 2
        problem.room.direction = NORTH if looks else SOUTH
        return script().meet(problem, INTRODUCTION if asks else "Help the exit ")

    ways = [(False, False), (True, False), (False, True), (True, True)]
    assert [meets(asks, looks) for asks, looks in ways] == sufficient


SIX = INFORMATION_PROBLEMS[:6]


def waits(problem, steps, utterance=None):
    """Let the agent wait, and return the peer's words."""
    said = []
    for _ in range(steps):
        problem.step(None, utterance)
        said.append(problem.last_decision[1])
    return said


def test_the_colour_is_said_once_at_the_introduction():
    problem = information(Problem="Boxes", Cue_type="Language_Color", Pragmatic_frame_complexity="Ask")
    assert waits(problem, 3) == [None] * 3
    assert waits(problem, 1, INTRODUCTION) == [problem.target_colour]
    assert waits(problem, 5, INTRODUCTION) == [None] * 5
    line = f"Caretaker: {problem.target_colour} \n"
    assert problem.dialogue.history == "Conversation: \n" + line and problem.dialogue.heard == "NA \n"
    assert problem.dialogue.transcript.startswith("Conversation: \nYOU: Help please  \n" + line)


def test_feedback_comes_every_step_after_the_introduction():
    problem = information(Problem="Boxes", Cue_type="Language_Feedback")
    assert waits(problem, 1) == [None]
    words = waits(problem, 2)
    assert words[0] == words[1] and words[0] in ("Hot", "Warm", "Medium", "Cold")
    assert problem.dialogue.heard == f"NA \nCaretaker: {words[1]} \n"


@pytest.mark.parametrize("kind", SIX)
def test_it_points_at_the_target_alone_and_then_looks_at_the_agent(kind):
    for seed in range(4):
        problem = information(seed, Problem=kind, Cue_type="Pointing")
        for _ in range(45):
            problem.step(None, None)
            if problem.peer.pointing != NONE:
                break
        assert PEER_ACTS[problem.last_decision[0]].startswith("point_")
        (x, y), (dx, dy) = problem.peer.place, STEPS[problem.peer.pointing]
        met = [(x + k * dx, y + k * dy) for k in range(1, 10)]
        assert [cell for cell in met if cell in (problem.target_cell, problem.distractor_cell)] == [problem.target_cell]
        pointed = problem.peer.pointing
        waits(problem, 3)
        assert problem.peer.pointing == pointed and problem.peer.place == (x, y)
        assert problem.peer.direction == direction_to((x, y), problem.room.agent)


@pytest.mark.parametrize("kind", SIX)
def test_it_shows_how_and_brings_everything_back(kind):
    for seed in range(3):
        problem = information(seed, Problem=kind, Cue_type="Emulation")
        before, eaten = {thing.type: thing.place for thing in problem.things}, False
        for _ in range(75):
            problem.step(None, None)
            eaten = eaten or problem.apple.eaten
            if problem.demonstrated:
                break
        assert eaten and problem.demonstrated and not problem.ended
        assert {thing.type: thing.place for thing in problem.things} == before
        assert not problem.apple.eaten and not any(getattr(thing, "blocked", False) for thing in problem.things)
        assert PEER_ACTS[problem.last_decision[0]] == "no_op"


@pytest.mark.parametrize("cue", [{"Cue_type": "Emulation"}, {"Scaffolding": "Y"}])
def test_who_solves_the_problem_has_a_way_to_what_it_uses(cue):
    for size, seeds in ((7, range(40)), (10, (1114,))):
        for seed in seeds:
            problem: Any = make_problem(QUIET | {"Problem": "Levers"} | cue, Settings(size=size), seed)
            assert all(problem.room.connects(problem.peer.place, cell) for cell in problem.goals())


def test_who_has_shown_how_does_not_bar_the_agents_way():
    shown = 0
    for seed in range(40):
        problem: Any = make_problem(QUIET | {"Problem": "Levers", "Cue_type": "Emulation"}, Settings(size=7), seed)
        while not problem.ended and not problem.demonstrated:
            problem.step(None, None)
        shown += problem.demonstrated
        ways = [problem.room.connects(problem.room.agent, cell) for cell in problem.goals()]
        assert not problem.demonstrated or all(ways)
    assert shown > 20


def test_eating_what_the_peer_has_uncovered_is_no_success_while_it_demonstrates():
    for label, value, success in (("Cue_type", "Emulation", False), ("Scaffolding", "Y", True)):
        problem = information(Problem="Boxes", **{label: value})
        for _ in range(60):
            if problem.apple.at is not None:
                break
            problem.step(None, None)
        room = problem.room
        assert problem.apple.at is not None and not problem.apple.eaten
        free = [d for d in range(4) if room.at(*room.beside(problem.apple.at, d)) is None]
        room.agent, room.direction = room.beside(problem.apple.at, free[0]), (free[0] + 2) % 4
        problem.step(TOGGLE, None)
        assert problem.ended and problem.success == success


JOINT = {"Problem": "Boxes", "JA_recursive": "Y", "Pragmatic_frame_complexity": "Ask"}


def test_before_joint_attention_it_says_what_may_be_wrong():
    words = set()
    for seed in range(16):
        problem = information(seed, Cue_type="Language_Color", **JOINT)
        said = waits(problem, 4)
        assert said[1:] == [None] * 3
        words.add(said[0] == problem.target_colour)
        assert said[0] in (problem.target_colour, problem.distractor_colour)
        assert waits(problem, 2, INTRODUCTION) == [problem.target_colour, None]
    assert words == {True, False}


def test_before_joint_attention_it_points_at_a_decoy_and_stops_when_it_is_introduced():
    truths = set()
    for seed in range(12):
        problem = information(seed, Cue_type="Pointing", **JOINT)
        waits(problem, 40)
        pointed, (x, y) = problem.peer.pointing, problem.peer.place
        assert pointed != NONE
        cells = [cell for cell in (problem.target_cell, problem.distractor_cell) if cell is not None]
        decoys = [cell for cell in cells if direction_to((x, y), cell) == pointed and (x == cell[0] or y == cell[1])]
        truths.add(problem.target_cell in decoys)
        waits(problem, 1, INTRODUCTION)
        assert problem.peer.pointing == NONE and PEER_ACTS[problem.last_decision[0]] == "stop_point"
        waits(problem, 35)
        assert direction_to(problem.peer.place, problem.target_cell) == problem.peer.pointing
    assert truths == {True, False}


def guarded(direction: int = EAST, **settings: bool) -> AdversarialPeer:
    """Return an episode with an apple at (5, 5), the agent west of it, and the guard at (2, 5)."""
    problem = AdversarialPeer({"Version": "Social"}, Settings(**settings), 0)
    problem.room, problem.apple = empty_room(), things.Apple()
    problem.peer = Peer("red", ANTAGONISTIC, direction, problem.settings.hidden_npc)
    problem.room.put(problem.apple, (5, 5))
    problem.room.put(problem.peer, (2, 5))
    problem.room.agent, problem.room.direction = (4, 5), EAST
    return problem


@pytest.mark.parametrize(
    ("movement", "acts"),
    [("Rotating", {"rotate_left", "rotate_right"}), ("Walking", {"rotate_left", "rotate_right", "go_forward"})],
)
def test_the_guard_acts_every_fifth_step(movement, acts):
    found = set()
    for seed in range(6):
        problem = AdversarialPeer({"Version": "Social", "NPC_movement": movement}, Settings(), seed)
        for step in range(1, 80):
            problem.step(None, None)
            act = PEER_ACTS[problem.last_decision[0]]
            assert (act != "no_op") == (step % 5 == 0)
            found.add(act)
    assert found == acts | {"no_op"}


def test_eating_is_rewarded_only_where_the_guard_does_not_see_it():
    for direction, success in ((EAST, False), (WEST, True)):
        problem = guarded(direction)
        reward = problem.step(TOGGLE, None)
        assert problem.ended and problem.success == success and (reward > 0) == success
    walled = guarded(EAST)
    walled.room.put(things.Wall(), (3, 5))
    assert walled.step(TOGGLE, None) > 0.9
    hidden = guarded(EAST, hidden_npc=True)
    assert hidden.step(TOGGLE, None) == 0 and hidden.ended, "a guard that is not shown sees all the same"


def test_what_counts_is_where_the_agent_was_before_it_acted():
    problem = guarded(EAST)
    problem.room.agent = (4, 1)  # outside the guard's view
    assert not problem.is_seen((4, 1)) and problem.is_seen((4, 2))
    problem.room.direction = 1
    problem.step(2, None)
    assert problem.room.agent == (4, 2) and not problem.seen


def test_a_hidden_guard_stays_where_it_is():
    hidden = AdversarialPeer({"Version": "Social", "NPC_movement": "Walking"}, Settings(hidden_npc=True), 3)
    before = hidden.peer and (hidden.peer.place, hidden.peer.direction)
    waits(hidden, 40)
    assert hidden.peer and (hidden.peer.place, hidden.peer.direction) == before
    assert hidden.information(*hidden.observe())["NPC_observed"] is False
