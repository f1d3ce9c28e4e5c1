"""Collaboration: rooms of all problems, what partners do, and what the agent's part must be."""

from __future__ import annotations

import numpy as np
import pytest

from worlds.errors import UserError
from worlds.school.grid.codes import EAST, GO_FORWARD, PEER_ACTS
from worlds.school.grid.things import Fence
from worlds.school.peers.partners import WANDERS, distance
from worlds.school.players.collaborator import collaborate
from worlds.school.problems.collaboration import LEFT_SIDE, RIGHT_SIDE, Collaboration
from worlds.school.problems.object_pairs import ObjectPairs
from worlds.school.problems.problem import DONE, Settings
from worlds.school.problems.shared_generator import LeverDoor, MarblePass, MarblePush

PROBLEMS: dict[str, type[Collaboration]] = {
    **dict.fromkeys(("Boxes", "Switches", "Generators", "Marble"), ObjectPairs),
    "MarblePass": MarblePass,
    "MarblePush": MarblePush,
    "LeverDoor": LeverDoor,
}
SEEDS = range(8)


def episode(problem: str, role: str, seed: int, version: str = "Social", **settings: object) -> Collaboration:
    parameters = {"Env_type": "Collaboration", "Problem": problem, "Role": role, "Version": version}
    return PROBLEMS[problem](parameters, Settings(**settings), seed)  # type: ignore[arg-type]


def play(problem: Collaboration, steps: int = 80) -> list[int]:
    """Have the demonstrator play; return the peer's acts."""
    acts: list[int] = []
    while not problem.ended and len(acts) < steps:
        problem.step(collaborate(problem), None)
        acts.append(problem.last_decision[0])
    return acts


@pytest.mark.parametrize("problem", PROBLEMS)
def test_agent_and_partner_are_on_two_sides_of_a_fence(problem: str) -> None:
    for seed in SEEDS:
        for role, left in (("A", True), ("B", False)):
            now = episode(problem, role, seed)
            fences = {thing.place[0] for thing in now.room.things() if isinstance(thing, Fence)}
            assert len(fences) == 1 and now.peer is not None
            (fence,) = fences
            assert fence == now.room.width // 2 + (1 if isinstance(now, ObjectPairs) else 0)
            assert (now.room.agent[0] < fence) == left == (now.peer.place[0] > fence)
            assert now.side == (LEFT_SIDE if left else RIGHT_SIDE)


@pytest.mark.parametrize("problem", PROBLEMS)
def test_what_both_have_to_reach_can_be_reached(problem: str) -> None:
    for seed in SEEDS:
        for size in (7, 10):
            now = episode(problem, "A", seed, size=size)
            assert now.peer is not None
            for start, side in ((now.room.agent, LEFT_SIDE), (now.peer.place, RIGHT_SIDE)):
                for cell in now.tasks(side):
                    assert start == cell or now.room.way(start, EAST, cell) >= 0


def test_the_opened_box_chooses_the_object_of_its_colour() -> None:
    for problem in ("Boxes", "Switches", "Generators", "Marble"):
        for seed in SEEDS:
            now = episode(problem, "A", seed)
            assert isinstance(now, ObjectPairs)
            assert {each.color for each in now.boxes} == {each.color for each in now.candidates}
            while now.chosen is None:
                now.step(None, None)
            (opened,) = [box for box in now.boxes if box.is_open]
            assert now.chosen.color == opened.color and now.steps < 40


def test_without_a_partner_the_marble_is_in_the_column_of_the_generator() -> None:
    for seed in SEEDS:
        for role in "AB":
            now = episode("MarblePass", role, seed, "Asocial")
            assert isinstance(now, MarblePass)
            assert now.peer is None and now.side == RIGHT_SIDE
            assert now.marble.place[0] == now.generator.place[0] == now.room.width - 2


def test_the_partner_passes_the_marble_when_the_agent_is_out_of_its_way() -> None:
    for seed in SEEDS:
        now = episode("MarblePass", "B", seed)
        assert isinstance(now, MarblePass)
        play(now, 40)
        assert now.marble.was_pushed and now.marble.place[0] == now.generator.place[0]


@pytest.mark.parametrize("problem", ["MarblePush", "LeverDoor"])
def test_partners_of_levers_walk_about_first_and_bump_into_nothing(problem: str) -> None:
    seen: set[int] = set()
    for seed in SEEDS:
        for role in "AB":
            now = episode(problem, role, seed)
            assert now.peer is not None
            things = {thing for thing in now.room.things() if thing is not now.peer}
            for _ in range(WANDERS):
                before = now.peer.place
                now.step(None, None)
                act = now.last_decision[0]
                seen.add(act)
                assert act != GO_FORWARD or distance(before, now.peer.place) == 1
            assert {thing for thing in now.room.things() if thing is not now.peer} == things
    assert {PEER_ACTS[act] for act in seen} == {"go_forward", "rotate_left", "rotate_right"}


def test_the_lever_closes_its_door_after_ten_steps() -> None:
    now = episode("LeverDoor", "A", 3)
    assert isinstance(now, LeverDoor)
    while not now.lever.is_on:
        now.step(collaborate(now), None)
    assert now.door.is_open and now.lever.countdown == 9  # it counts down in the step in which it is pulled
    for _ in range(8):
        now.lever.step(now.room)
        assert now.door.is_open
    now.lever.step(now.room)
    assert not now.door.is_open and not now.lever.use(now.room)  # and it can be pulled once only


def test_the_partner_pulls_the_lever_when_the_agent_is_at_the_door() -> None:
    for seed in SEEDS:
        now = episode("LeverDoor", "B", seed)
        assert isinstance(now, LeverDoor)
        while not now.lever.is_on:
            assert distance(now.room.agent, now.door.place) > 1 or now.steps < 40
            now.step(collaborate(now), None)
        assert distance(now.room.agent, now.door.place) == 1


def test_the_partner_pulls_the_lever_once_the_agent_is_beside_the_marble() -> None:
    for seed in SEEDS:
        now = episode("MarblePush", "A", seed)
        assert isinstance(now, MarblePush)
        beside = False
        while not now.lever.is_on:
            assert now.steps < 60
            now.step(collaborate(now), None)
            (x, y), (a, b) = now.room.agent, now.marble.place
            beside = beside or (abs(x - a), abs(y - b)) == (1, 0)
        assert beside
        away = episode("MarblePush", "A", seed)
        assert isinstance(away, MarblePush)
        (x, y), (a, b) = away.room.agent, away.marble.place
        if (abs(x - a), abs(y - b)) != (1, 0):
            while not away.ended:
                away.step(None, None)
            assert not away.lever.was_activated


def test_an_agent_that_stays_away_gets_no_help() -> None:
    for problem in ("MarblePush", "LeverDoor"):
        for seed in SEEDS:
            now = episode(problem, "B", seed)
            if distance(now.room.agent, now.door.place) <= 1 or (  # type: ignore[attr-defined]
                distance(now.room.agent, now.lever.place) <= 1  # type: ignore[attr-defined]
            ):
                continue
            while not now.ended:
                now.step(None, None)
            helped = now.marble.was_pushed if isinstance(now, MarblePush) else now.lever.is_on  # type: ignore[attr-defined]
            assert not now.success and not helped


def test_one_apple_is_eaten_by_each_and_the_agents_counts() -> None:
    now = episode("Boxes", "A", 2)
    while not now.partner_apple.eaten:
        now.step(None, None)
    assert not now.ended and not now.success
    play(now)
    assert now.ended and now.success and now.apple.eaten


def test_the_same_seed_gives_the_same_episode() -> None:
    for problem in PROBLEMS:
        first, second = episode(problem, "A", 5), episode(problem, "A", 5)
        assert np.array_equal(first.room.codes, second.room.codes)
        assert play(first) == play(second) and first.steps == second.steps


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"Problem": "Doors"}, "Problem is 'Doors'"),
        ({"Role": "C"}, "Role is 'C'"),
        ({"Version": "Sociable"}, "Version is 'Sociable'"),
        ({"Obstacles": "A_lot"}, "Obstacles is 'A_lot'"),
    ],
)
def test_wrong_parameters_are_refused(changed: dict[str, str], words: str) -> None:
    parameters = {"Env_type": "Collaboration", "Problem": "Boxes", "Role": "A"} | changed
    with pytest.raises(UserError, match=words):
        ObjectPairs(parameters, Settings(), 0)


@pytest.mark.parametrize("problem", PROBLEMS)
def test_role_meta_is_both_sides_of_one_room_for_half_of_the_reward_each(problem: str) -> None:
    for seed in range(4):
        now = episode(problem, "Meta", seed)
        kinds = furniture(now)
        rewards: list[float] = []
        sides = [now.side]
        while not now.ended:
            reward = now.step(collaborate(now), None)
            if now.side != sides[-1]:
                sides.append(now.side)
                assert furniture(now) == kinds and not now.apple.eaten and not now.success
            if reward:
                rewards.append(reward)
                assert reward == pytest.approx((1 - 0.1 * now.steps / 80) / 2)
        assert sides == [RIGHT_SIDE, LEFT_SIDE]
        assert len(rewards) == (2 if now.success else 1)


def furniture(now: Collaboration) -> set[tuple[object, ...]]:
    things = (thing for thing in now.room.things() if thing is not now.peer)
    return {(thing.type, thing.color, thing.at) for thing in things}


@pytest.mark.parametrize(("problem", "role"), [(problem, role) for problem in PROBLEMS for role in "AB"])
def test_demonstrators_progress_and_their_last_progress_is_the_apple(problem: str, role: str) -> None:
    for seed in range(4):
        now = episode(problem, role, seed)
        assert now.milestones() == []
        play(now)
        words = [word for word, _ in now.milestones()]
        assert words[-1] == "ate the apple" and len(words) >= 2
        assert "introduced itself" not in words
        gone = "the door closed too early", "the marble stopped"  # once the apple was there, neither matters
        assert all(sign > 0 for _, sign in now.milestones()) and not set(gone) & set(words)


def test_what_bars_the_way_to_the_apple_is_regress() -> None:
    early = episode("Switches", "A", 1)
    assert isinstance(early, ObjectPairs)
    early.candidates[1].use(early.room)
    assert early.milestones() == [("used an object too early", -1)]
    while early.chosen is None:
        early.step(None, None)
    assert early.milestones() == [("blocked the right switch", -1)]
    boxes = episode("Boxes", "B", 1)
    assert isinstance(boxes, ObjectPairs)
    boxes.boxes[0].bump(boxes.room, EAST, None)
    assert boxes.milestones() == [("blocked both boxes", -1)]
    door = episode("LeverDoor", "A", 3)
    assert isinstance(door, LeverDoor)
    door.lever.use(door.room)
    assert door.milestones() == [("pulled the lever", 1)]
    for _ in range(10):
        door.lever.step(door.room)
    assert door.milestones() == [("pulled the lever", 1), ("the door closed too early", -1)]
    astray = episode("MarblePass", "A", 3)
    assert isinstance(astray, MarblePass)
    astray.marble.bump(astray.room, 3, None)
    for _ in range(12):
        astray.marble.step(astray.room)
    assert astray.milestones() == [("pushed the marble astray", -1)]
    stopped = episode("MarblePush", "A", 3)
    assert isinstance(stopped, MarblePush)
    stopped.marble.bump(stopped.room, EAST, None)
    for _ in range(12):
        stopped.marble.step(stopped.room)
    assert stopped.milestones() == [("pushed the marble", 1), ("the marble stopped", -1)]
    done = episode("Boxes", "A", 2)
    done.step(DONE, None)
    assert done.milestones() == [("lost the apple", -1)]
