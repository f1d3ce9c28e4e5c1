"""The guard: when it acts, what it sees, and what that costs."""

from __future__ import annotations

from tests.unit.worlds.school.small_rooms import empty_room
from worlds.school.grid.codes import ANTAGONISTIC, EAST, PEER_ACTS, WEST
from worlds.school.grid.things import Apple, Wall
from worlds.school.peers.body import Peer
from worlds.school.problems.adversarial_peer import AdversarialPeer
from worlds.school.problems.problem import TOGGLE, Settings


def guarded(direction: int = EAST, **settings: bool) -> AdversarialPeer:
    """Return an episode with an apple at (5, 5), the agent west of it, and the guard at (2, 5)."""
    problem = AdversarialPeer({"Version": "Social"}, Settings(**settings), 0)
    problem.room, problem.apple = empty_room(), Apple()
    problem.peer = Peer("red", ANTAGONISTIC, direction, problem.settings.hidden_npc)
    problem.room.put(problem.apple, (5, 5))
    problem.room.put(problem.peer, (2, 5))
    problem.room.agent, problem.room.direction = (4, 5), EAST
    return problem


def test_it_acts_every_fifth_step():
    for movement, acts in (("Rotating", {"rotate_left", "rotate_right"}),
                           ("Walking", {"rotate_left", "rotate_right", "go_forward"})):  # fmt: skip
        found = []
        for seed in range(6):
            problem = AdversarialPeer({"Version": "Social", "NPC_movement": movement}, Settings(), seed)
            for step in range(1, 80):
                problem.step(None, None)
                act = PEER_ACTS[problem.last_decision[0]]
                assert (act != "no_op") == (step % 5 == 0)
                found.append(act)
        assert set(found) == acts | {"no_op"}


def test_eating_is_rewarded_only_unseen():
    for direction, success in ((EAST, False), (WEST, True)):
        problem = guarded(direction)
        reward = problem.step(TOGGLE, None)
        assert problem.ended and problem.success == success and (reward > 0) == success
    hidden = guarded(EAST, hidden_npc=True)
    assert hidden.step(TOGGLE, None) == 0 and hidden.ended, "a guard that is not shown sees all the same"


def test_walls_hide_from_the_guard():
    problem = guarded(EAST)
    problem.room.put(Wall(), (3, 5))
    assert problem.step(TOGGLE, None) > 0.9


def test_what_counts_is_where_the_agent_was_before_it_acted():
    problem = guarded(EAST)
    problem.room.agent = (4, 1)  # outside the guard's view
    assert not problem.is_seen((4, 1)) and problem.is_seen((4, 2))
    problem.room.direction = 1
    problem.step(2, None)
    assert problem.room.agent == (4, 2) and not problem.seen


def test_without_a_guard_and_with_a_hidden_one():
    problem = AdversarialPeer({"Version": "Asocial", "Obstacles": "A_lot"}, Settings(), 3)
    assert problem.peer is None and problem.script is None
    hidden = AdversarialPeer({"Version": "Social", "NPC_movement": "Walking"}, Settings(hidden_npc=True), 3)
    before = hidden.peer and (hidden.peer.place, hidden.peer.direction)
    for _ in range(40):
        hidden.step(None, None)
    assert hidden.peer and (hidden.peer.place, hidden.peer.direction) == before
    assert hidden.information(*hidden.observe())["NPC_observed"] is False
