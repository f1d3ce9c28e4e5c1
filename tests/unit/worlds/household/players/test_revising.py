"""A helper that revises its goal: what it learns from its partner's actions, and how soon."""

from __future__ import annotations

from typing import Any

from tests.unit.worlds.household.small_home import ROW, SmallWays, small_home
from worlds.household.players.acting import PlanningPlayer
from worlds.household.players.demonstrations import play
from worlds.household.players.goal_posterior import GoalPosterior
from worlds.household.players.guided import GuidedPlayer
from worlds.household.players.planner import NO_PLAN
from worlds.household.players.revising import RevisingPlayer
from worlds.household.state.vocabulary import Held
from worlds.household.tasks.progress import GoalCheck

SETTER, SOLVER = ROW["setter"], ROW["solver"]
WRONG, RIGHT = {"inside_apple_fridge": 2}, {"on_apple_coffeetable": 2}


def test_the_posterior_drops_what_is_refuted_and_expects_what_is_seen() -> None:
    posterior = GoalPosterior(WRONG, [RIGHT, {"on_apple_coffeetable": 1, "on_wine_coffeetable": 1}])
    assert posterior.goal() == WRONG
    posterior.saw_taken("inside_apple_fridge", 0)
    assert "inside_apple_fridge" not in posterior.goal()
    posterior.saw_put("on_apple_coffeetable", 1)
    posterior.saw_put("on_apple_coffeetable", 2)
    assert posterior.goal() == RIGHT


def test_it_drops_a_wrong_goal_in_the_step_in_which_it_sees_the_thing_taken() -> None:
    home, state = small_home()
    bob = RevisingPlayer(home, SOLVER, WRONG, 0)
    apple, fridge, table = ROW["apple"], ROW["fridge"], ROW["coffeetable"]
    state.room[:] = state.room[SOLVER]  # all in one room
    for held, parent in ((Held.RIGHT_HAND, SOLVER), (Held.INSIDE, fridge)):
        state.held[apple], state.parent[apple] = held, parent
        state.conditions[fridge] = 2  # open
        bob.act(state, "")
    assert bob.planner.subgoals.wanted.tolist() == [2]
    state.held[apple], state.parent[apple] = Held.RIGHT_HAND, SETTER
    bob.act(state, "")
    assert bob.revisions[-1][0] == 2 and "inside_apple_fridge" not in bob.revisions[-1][1]
    state.held[apple], state.parent[apple] = Held.ON, table
    bob.act(state, "")
    assert "on_apple_coffeetable" in bob.revisions[-1][1]


def test_a_wrong_goal_hinders_less_if_it_is_revised() -> None:
    def steps(bob: Any) -> int:
        home, state = small_home()
        alice = PlanningPlayer(home, SETTER, RIGHT, 3)
        ways: Any = SmallWays(home, state)
        helper = bob(home)
        return play(home, state, ways, GoalCheck(home, RIGHT, SETTER), alice, helper, 3, horizon=100).steps

    stubborn = steps(lambda home: PlanningPlayer(home, SOLVER, WRONG, 4, puts_only=True))
    revising = steps(lambda home: RevisingPlayer(home, SOLVER, WRONG, 4))
    assert revising < stubborn


class Chooses:
    """A policy that wants an apple in the fridge first, and then nothing."""

    def reset(self, home: Any, person: int, goal: Any, seed: int) -> None:
        self.goal, self.asked, self.seen = goal, 0, 0

    def see(self, state: Any) -> None:
        self.seen += 1

    def choose(self, state: Any, reason: str) -> str | None:
        self.asked += 1
        return "inside_apple_fridge" if self.asked == 1 else None


def test_a_guided_helper_pursues_what_the_policy_chooses_until_it_is_met() -> None:
    home, state = small_home()
    policy = Chooses()
    bob = GuidedPlayer(home, SOLVER, {"inside_apple_fridge": 2, "on_plate_sofa": 1, "sit_sofa": 1}, 0, policy)
    alice = PlanningPlayer(home, SETTER, {"on_plate_sofa": 1}, 0)
    alice.planner.set_goal({})
    check = GoalCheck(home, {"inside_apple_fridge": 2}, SETTER)
    ways: Any = SmallWays(home, state)
    played = play(home, state, ways, check, alice, bob, horizon=60)
    assert policy.goal == {"inside_apple_fridge": 2, "on_plate_sofa": 1}
    assert played.success
    assert {words.split()[0] for _, words in played.subgoals if words} == {"inside_apple_fridge"}
    assert policy.seen == played.steps
    assert bob.act(state, "").note == NO_PLAN and policy.asked == 2
