"""Persons that act by themselves: one that plans for a goal, and one that acts at random."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from worlds.contract import Action
from worlds.household.navigation.ways import Ways
from worlds.household.observing import near, visible
from worlds.household.players.places import places_of
from worlds.household.players.planner import Decision, Intent, Planner
from worlds.household.players.settings import PlannerSettings
from worlds.household.players.sight import Sight
from worlds.household.players.situation import Metres
from worlds.household.rules.joint import Act
from worlds.household.rules.refusals import Refusal
from worlds.household.state.home import NO_ROW, Home, State
from worlds.household.state.vocabulary import Condition, Held, Property, Verb
from worlds.household.tasks.goals import Goal

LOST_OUT = Refusal.OTHER_FIRST.sentence  # why an action failed of a person who was as quick as the other


class Player(Protocol):
    """A person that acts by itself."""

    def act(self, state: State, reason: str, intent: Intent | None = None) -> Decision:
        """Choose what to do now, knowing why the last action failed ("" if it did not) and what the partner intends."""
        ...

    def intent(self, state: State) -> Intent:
        """Return what the person is about to do since it acted last."""
        ...


class PlanningPlayer:
    """A person who plans for a goal; one who ``avoids`` leaves its partner the partner's sub-goal."""

    sight: Sight

    def __init__(
        self,
        home: Home,
        person: int,
        goal: Goal,
        seed: int,
        settings: PlannerSettings | None = None,
        full: bool = False,
        avoids: bool = False,
        puts_only: bool = False,
        metres: Metres | None = None,
    ) -> None:
        self.planner = Planner(home, goal, seed, settings, puts_only, metres)
        self._home, self._person, self._full, self._avoids = home, person, full, avoids
        self._last = Decision()

    def act(self, state: State, reason: str, intent: Intent | None = None) -> Decision:
        seen = visible(self._home, state, self._person, self._full)
        self.sight = Sight.of(state, self._person, seen, near(self._home, state, self._person))
        failed = reason not in ("", LOST_OUT)
        self._last = self.planner.decide(self.sight, failed, intent if self._avoids else None)
        return self._last

    def intent(self, state: State) -> Intent:
        return Intent(self._last.subgoal, not holds_something(state, self._person))


class RandomPlayer:
    """A person who walks, grabs, puts and opens at random: the baseline "Random"."""

    VERBS = (Verb.WALK_TOWARDS, Verb.GRAB, Verb.PUT_ON, Verb.OPEN)

    def __init__(self, home: Home, person: int, seed: int, containers_only: bool = False) -> None:
        self._home, self._person, self._containers_only = home, person, containers_only
        self._rng = np.random.default_rng([seed, 3])

    def act(self, state: State, reason: str, intent: Intent | None = None) -> Decision:
        home = self._home
        seen = visible(home, state, self._person)
        seen[[self._person, *home.doors]] = False
        reach = near(home, state, self._person) & seen
        verb = self.VERBS[self._rng.integers(len(self.VERBS))]
        properties = home.properties
        hand = Held.RIGHT_HAND
        if verb == Verb.GRAB:
            rows = np.flatnonzero(reach & (properties & Property.GRABBABLE != 0) & (state.held < Held.RIGHT_HAND))
            hand = Held.RIGHT_HAND if state.in_hand(self._person, hand) == NO_ROW else Held.LEFT_HAND
            rows = rows if state.in_hand(self._person, hand) == NO_ROW else rows[:0]
        elif verb == Verb.PUT_ON:
            hand = Held.RIGHT_HAND if state.in_hand(self._person, hand) != NO_ROW else Held.LEFT_HAND
            stays = reach & (properties & Property.GRABBABLE == 0)
            surfaces = stays & (properties & Property.SURFACES != 0)
            is_open = (properties & Property.CONTAINERS != 0) & (state.conditions & Condition.CLOSED == 0)
            rows = np.flatnonzero(surfaces | (stays & is_open))
            rows = rows if state.in_hand(self._person, hand) != NO_ROW else rows[:0]
        elif verb == Verb.OPEN:
            rows = np.flatnonzero(reach & (state.conditions & Condition.CLOSED != 0))
        else:
            wanted = properties & Property.CONTAINERS != 0 if self._containers_only else True
            rows = np.flatnonzero(seen & wanted & (state.parent != self._person))
        if not len(rows):
            return Decision(note="nothing to do at random")
        row = int(rows[self._rng.integers(len(rows))])
        if verb == Verb.PUT_ON and not home.has(row, Property.SURFACES):
            verb = Verb.PUT_IN
        return Decision((verb, row, hand))

    def intent(self, state: State) -> Intent:
        """Return no sub-goal: it has none."""
        return Intent(None, not holds_something(state, self._person))


def holds_something(state: State, person: int) -> bool:
    """Return True if a person holds something."""
    return any(state.in_hand(person, hand) != NO_ROW for hand in (Held.RIGHT_HAND, Held.LEFT_HAND))


def metres_of(home: Home, state: State, ways: Ways) -> Metres:
    """Return the ways between the fixtures and rooms of a home, for planners that count metres."""
    return Metres(places_of(home), state.centre, ways.distances)


def action_of(world: Any, player: str, act: Act | None, utterance: str) -> Action:
    """Return an action as the household takes it; None, or an act on a thing that the player does not see, does
    nothing.
    """
    action: Any = world.spec(player).action.silent()
    action["utterance"] = utterance
    pointer = None
    if act is not None:
        pointer = 0 if act[1] == NO_ROW else world.pointer_to(player, act[1])
    if act is not None and pointer is not None:
        action["movement"][0] = int(act[0]), pointer, int(act[2] == Held.LEFT_HAND)
    return action
