"""A helper that revises its goal by what its partner does, e.g. when she moves a thing that it placed."""

from __future__ import annotations

import numpy as np

from worlds.household.observing import near, visible
from worlds.household.players.acting import LOST_OUT, holds_something
from worlds.household.players.goal_posterior import GoalPosterior
from worlds.household.players.planner import NO_PLAN, Decision, Intent, Planner
from worlds.household.players.settings import PlannerSettings
from worlds.household.players.sight import Sight
from worlds.household.players.subgoals import feasible_part
from worlds.household.state.home import Home, State
from worlds.household.state.vocabulary import Held, Verb
from worlds.household.tasks.goals import Goal
from worlds.household.tasks.predicates import Relation, parse
from worlds.household.tasks.sets import PREDICATES

LOOKS = "looks for its partner"
_HANDS = (Held.RIGHT_HAND, Held.LEFT_HAND)
_RELATIONS = {Relation.ON: Held.ON, Relation.INSIDE: Held.INSIDE}


class RevisingPlayer:
    """A planning helper with a distribution over its partner's goals.

    It compares at every step what it sees with what it saw last. What its partner holds, or has put somewhere, is
    evidence for goals that want it; that she moved a thing which it placed is evidence against goals that want it
    there. It pursues what is more likely wanted than not. With nothing to do it goes to where it sees her.
    """

    def __init__(
        self, home: Home, person: int, guess: Goal, seed: int, settings: PlannerSettings | None = None
    ) -> None:
        self._home, self._person = home, person
        self._partner = next(row for row in home.persons if row != person)
        self._posterior, self._changed = GoalPosterior(guess), False
        goal = self._pursued()
        self.planner = Planner(home, goal, seed, settings, puts_only=True)
        self.revisions: list[tuple[int, dict[str, int]]] = [(0, goal)]
        self._step = 0
        self._by_class = self._predicates_of_things()
        self._things = np.array(sorted({row for name in self._by_class for row in home.rows_of(name)}), dtype=np.int64)
        self._last_seen: dict[int, tuple[int, int]] = {}  # how each thing was held, and by which row
        self._placed: dict[int, str] = {}  # predicate of each thing that it put somewhere
        self._rooms = home.rooms.tolist()

    def act(self, state: State, reason: str, intent: Intent | None = None) -> Decision:
        seen = visible(self._home, state, self._person)
        sight = Sight.of(state, self._person, seen, near(self._home, state, self._person))
        self._compare(sight)
        if self._changed:
            self._revise()
        self._step += 1
        decision = self.planner.decide(sight, reason not in ("", LOST_OUT))
        return self._look(sight) if decision.note == NO_PLAN else decision

    def intent(self, state: State) -> Intent:
        return Intent(None, not holds_something(state, self._person))

    def _predicates_of_things(self) -> dict[str, list[tuple[str, Held, set[int]]]]:
        """Return the predicates about things of each class: their text, how they are held, and the rows of places."""
        found: dict[str, list[tuple[str, Held, set[int]]]] = {}
        for text in PREDICATES:
            one = parse(text)
            if one.relation is not Relation.SIT:
                places = set(map(int, self._home.rows_of(one.place))) if one.relation in _RELATIONS else set()
                found.setdefault(one.thing, []).append((text, _RELATIONS.get(one.relation, Held.NOWHERE), places))
        return found

    def _compare(self, sight: Sight) -> None:
        """Learn from every thing that is seen elsewhere than it was."""
        for row in self._things.tolist():
            before = self._last_seen.get(row)
            if not sight.visible[row]:
                if row in self._placed and before is not None and self._is_in_view(sight, *before):
                    self._taken(row, sight)
                    del self._last_seen[row]
                continue
            now = int(sight.held[row]), int(sight.parent[row])
            if now == before:
                continue
            self._last_seen[row] = now
            if now[1] == self._person:
                self._placed.pop(row, None)
                continue
            own_put = before is not None and before[1] == self._person and now[0] not in _HANDS
            if own_put:
                self._placed[row] = self._predicate_at(row, now)
                continue
            if row in self._placed:
                self._taken(row, sight)
            if now[1] == self._partner and now[0] in _HANDS:
                self._posterior.saw_held(self._home.name_of(row))
                self._changed = True
            elif before is not None and (text := self._predicate_at(row, now)):
                self._posterior.saw_put(text, self._count(sight, text))
                self._changed = True

    def _taken(self, row: int, sight: Sight) -> None:
        """Note that the partner has moved a thing which this person had placed."""
        text = self._placed.pop(row)
        if text:
            others = sum(one == text for one in self._placed.values())
            self._posterior.saw_taken(text, max(others, self._count(sight, text)))
            self._changed = True

    def _is_in_view(self, sight: Sight, held: int, parent: int) -> bool:
        """Return True if the person sees the place at which a thing was."""
        if not sight.visible[parent]:
            return False
        fixture = self.planner.belief.index[parent]
        is_open = 0 <= fixture < len(self.planner.belief.is_open) and self.planner.belief.is_open[fixture]
        return held == Held.ON or (held == Held.INSIDE and bool(is_open))

    def _predicate_at(self, row: int, where: tuple[int, int]) -> str:
        """Return the predicate that a thing satisfies where it is; "" for none."""
        for text, held, places in self._by_class[self._home.name_of(row)]:
            if held == where[0] and where[1] in places:
                return text
        return ""

    def _count(self, sight: Sight, text: str) -> int:
        """Return how many visible things satisfy a predicate."""
        rows = self._home.rows_of(parse(text).thing).tolist()
        return sum(self._predicate_at(row, (int(sight.held[row]), int(sight.parent[row]))) == text for row in rows)

    def _pursued(self) -> dict[str, int]:
        return feasible_part(self._home, self._posterior.goal())

    def _revise(self) -> None:
        self._changed = False
        goal = self._pursued()
        if goal != self.revisions[-1][1]:
            self.revisions.append((self._step, goal))
            self.planner.set_goal(goal, puts_only=True)

    def _look(self, sight: Sight) -> Decision:
        """Stay where the partner is in view; else walk from room to room."""
        if sight.visible[self._partner]:
            return Decision(note=NO_PLAN)
        if sight.own_room == self._rooms[0]:
            self._rooms = [*self._rooms[1:], self._rooms[0]]
        return Decision((Verb.WALK_TOWARDS, self._rooms[0], Held.RIGHT_HAND), note=LOOKS)
