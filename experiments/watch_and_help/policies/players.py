"""Helpers with learned policies: Hybrid, whose planner does what a policy chose, and HRL, of policies alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from experiments.watch_and_help.policies.choosing import LearnedHigh
from experiments.watch_and_help.policies.errand import GRABBING, PUTTING, Errand, Option
from experiments.watch_and_help.policies.guided import GuidedPlayer
from experiments.watch_and_help.policies.memory import Memory
from experiments.watch_and_help.policies.network import CandidatePolicy, stack
from worlds.household.players.subgoals import feasible_part
from worlds.household.rules.joint import Act
from worlds.household.state.home import NO_ROW, Home, State
from worlds.household.state.vocabulary import Held, Property, Verb
from worlds.household.tasks.goals import Goal
from worlds.household.tasks.predicates import Relation, parse

FETCHING = 30  # choices of the policy that grabs, each time that it is used


@dataclass(frozen=True)
class Policies:
    """The policies of the learned helpers.

    Args:
      put: brings it to its place, and uses ``grab``.
      cloned: chooses predicates as the planner does, which it was taught to imitate.
    """

    high: CandidatePolicy
    grab: CandidatePolicy
    put: CandidatePolicy
    cloned: CandidatePolicy


class LearnedLow:
    """Policies for actions; see :class:`experiments.watch_and_help.policies.guided.LowLevel`.

    What they were not taught is scripted: when both hands are full of what the predicate does not need, one thing is
    put on the nearest furniture.

    Args:
      goal: of which things that satisfy a predicate are not taken for another one.
    """

    def __init__(self, policies: Policies, goal: Goal) -> None:
        self._policies, self._goal = policies, [parse(text) for text in goal]

    def reset(self, home: Home, person: int, seed: int) -> None:
        self._home, self._person = home, person
        self._memory, self._rng = Memory(home, person), np.random.default_rng([seed, 6])
        self._text, self._fetched, self._busy = "", -1, False
        held = {Relation.ON: Held.ON, Relation.INSIDE: Held.INSIDE}
        self._settled = {
            one.text: tuple(
                (home.rows_of(other.place), held[other.relation])
                for other in self._goal
                if other.thing == one.thing and other.relation in held
            )
            for one in self._goal
        }

    def act(self, state: State, predicate: str, reason: str) -> Act:
        self._memory.update(state)
        if predicate != self._text:
            settled = self._settled.get(predicate, ())
            self._errand = Errand(self._home, self._person, self._memory, parse(predicate), settled)
            self._text, self._fetched, self._busy = predicate, -1, False
        if self._errand.has() == NO_ROW and (away := self._put_away(state)) is not None:
            self._busy = False
            return away
        if not self._busy or not self._errand.goes_on(state, reason):
            self._choose(state)
        self._busy = True
        return self._errand.act(state)

    def _choose(self, state: State) -> None:
        """Choose anew; whether to fetch, and then what to do for it."""
        if self._fetched >= FETCHING or self._errand.has() != NO_ROW:
            self._fetched = -1
        if self._fetched < 0:
            if self._draw(self._policies.put, state, PUTTING) != Option.FETCH:
                return
            self._fetched = 0
        self._fetched += 1
        self._draw(self._policies.grab, state, GRABBING)

    def _draw(self, policy: CandidatePolicy, state: State, options: tuple[Option, ...]) -> Option:
        view = self._errand.view(state, options)
        chosen, _ = policy.choose(stack([view]), self._rng)
        return self._errand.begin(int(chosen[0]))

    def _put_away(self, state: State) -> Act | None:
        """Return what puts a thing down if both hands are full; None otherwise, or without furniture in sight."""
        hands = (Held.RIGHT_HAND, Held.LEFT_HAND)
        if any(state.in_hand(self._person, hand) == NO_ROW for hand in hands):
            return None
        stays = (self._home.properties & int(Property.SURFACES | Property.GRABBABLE)) == int(Property.SURFACES)
        here = self._memory.room == state.room[self._person]
        rows = np.flatnonzero(stays & self._memory.seen & here)
        if not len(rows):
            return None
        near = rows[self._memory.near[rows]]
        if len(near):
            return Verb.PUT_ON, int(self._rng.choice(near)), hands[int(self._rng.integers(2))]
        offset = state.centre[rows, :2] - state.centre[self._person, :2]
        return Verb.WALK_TOWARDS, int(rows[np.argmin((offset**2).sum(1))]), Held.RIGHT_HAND


def learned_helper(
    policies: Policies, home: Home, goal: Goal, seed: int, low: bool, cloned: bool = False
) -> GuidedPlayer:
    """Return a helper with the solver's body.

    Args:
      goal: counts by predicate; predicates that the home has no place for are left out.
      low: True for actions by policies (HRL), False for those of the planner (Hybrid).
      cloned: predicates are chosen by the policy that imitates the planner, not by the one that learned from reward.
    """
    pursued = feasible_part(home, goal)
    acts = LearnedLow(policies, pursued) if low else None
    return GuidedPlayer(
        home, home.persons[1], pursued, seed, LearnedHigh(policies.cloned if cloned else policies.high), acts
    )
