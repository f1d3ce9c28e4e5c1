"""What the caretaker does before and after it is introduced."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.worlds.school.small_rooms import QUIET, information
from worlds.school.grid.codes import NONE, PEER_ACTS, POINT_EAST, STEPS
from worlds.school.grid.dialogue import INTRODUCTION
from worlds.school.peers.script import direction_to
from worlds.school.problems.labels import INFORMATION_PROBLEMS
from worlds.school.problems.problem import TOGGLE, Settings
from worlds.school.problems.types import make_problem

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
@pytest.mark.parametrize("seed", range(6))
def test_it_points_at_the_target_alone_and_then_looks_at_the_agent(kind, seed):
    problem = information(seed, Problem=kind, Cue_type="Pointing")
    for _ in range(45):
        problem.step(None, None)
        if problem.peer.pointing != NONE:
            break
    assert PEER_ACTS[problem.last_decision[0]].startswith("point_")
    (x, y), (dx, dy) = problem.peer.place, STEPS[problem.peer.pointing]
    met = [(x + k * dx, y + k * dy) for k in range(1, 10)]
    ends = [cell for cell in met if cell in (problem.target_cell, problem.distractor_cell)]
    assert ends[0] == problem.target_cell and len(ends) == 1
    pointed = problem.peer.pointing
    waits(problem, 3)
    assert problem.peer.pointing == pointed and problem.peer.place == (x, y)
    assert problem.peer.direction == direction_to((x, y), problem.room.agent)


@pytest.mark.parametrize("kind", SIX)
@pytest.mark.parametrize("seed", range(4))
def test_it_shows_how_and_brings_everything_back(kind, seed):
    problem = information(seed, Problem=kind, Cue_type="Emulation")
    before = {thing.type: thing.place for thing in problem.things}
    eaten = False
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
    for size, seeds in ((7, range(80)), (10, (1114,))):
        for seed in seeds:
            problem: Any = make_problem(QUIET | {"Problem": "Levers"} | cue, Settings(size=size), seed)
            assert all(problem.room.connects(problem.peer.place, cell) for cell in problem.goals())


def test_who_has_shown_how_does_not_bar_the_agents_way():
    shown = 0
    for seed in range(80):
        problem: Any = make_problem(QUIET | {"Problem": "Levers", "Cue_type": "Emulation"}, Settings(size=7), seed)
        while not problem.ended and not problem.demonstrated:
            problem.step(None, None)
        shown += problem.demonstrated
        assert not problem.demonstrated or all(
            problem.room.connects(problem.room.agent, cell) for cell in problem.goals()
        )
    assert shown > 40


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


def test_before_joint_attention_it_says_what_may_be_wrong():
    words = set()
    for seed in range(40):
        problem = information(seed, Problem="Boxes", Cue_type="Language_Color", JA_recursive="Y",
                              Pragmatic_frame_complexity="Ask")  # fmt: skip
        said = waits(problem, 4)
        assert said[1:] == [None] * 3
        words.add(said[0] == problem.target_colour)
        assert said[0] in (problem.target_colour, problem.distractor_colour)
        assert waits(problem, 2, INTRODUCTION) == [problem.target_colour, None]
    assert words == {True, False}


def test_before_joint_attention_it_points_at_a_decoy_and_stops_when_it_is_introduced():
    truths = set()
    for seed in range(12):
        problem = information(seed, Problem="Boxes", Cue_type="Pointing", JA_recursive="Y",
                              Pragmatic_frame_complexity="Ask")  # fmt: skip
        waits(problem, 40)
        pointed = problem.peer.pointing
        assert pointed != NONE
        x, y = problem.peer.place
        decoys = [
            cell
            for cell in (problem.target_cell, problem.distractor_cell)
            if cell is not None and direction_to((x, y), cell) == pointed and (x == cell[0] or y == cell[1])
        ]
        truths.add(problem.target_cell in decoys)
        waits(problem, 1, INTRODUCTION)
        assert problem.peer.pointing == NONE and PEER_ACTS[problem.last_decision[0]] == "stop_point"
        waits(problem, 35)
        assert problem.peer.pointing + POINT_EAST in range(5, 9)
        assert direction_to(problem.peer.place, problem.target_cell) == problem.peer.pointing
    assert truths == {True, False}
