"""The planner: at every step it updates its belief, chooses a sub-goal, and takes the first action towards it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from worlds.contract import WorldError
from worlds.household.players import model as m
from worlds.household.players.belief import Belief
from worlds.household.players.search import SearchSettings, search
from worlds.household.players.settings import PlannerSettings
from worlds.household.players.sight import Sight
from worlds.household.players.situation import Metres, Supposition
from worlds.household.players.subgoals import Subgoal, Subgoals
from worlds.household.rules.joint import WAITING, Act
from worlds.household.state.home import NO_ROW, Home
from worlds.household.state.vocabulary import Condition, Held, Property, Verb
from worlds.household.tasks.goals import Goal
from worlds.household.tasks.predicates import Predicate

FAILURES = 3  # in a row, after which a sub-goal is left alone
ROUNDS = 3  # times that a walk is at the same point, after which it is a failure: rooms have corners without a way
BARRED_STEPS = 25  # for which it is
DOUBT_STEPS = 4  # without a sub-goal, after which a planner looks again at what it has done
CHANCES = 997  # random numbers of a search, which are used in turn
NEVER_CLOSED = {"toilet"}
CARRIED = Property.GRABBABLE | Property.CONTAINERS | Property.CAN_OPEN
HANDS = (Held.RIGHT_HAND, Held.LEFT_HAND)
NO_PLAN, PUTS_AWAY = "no plan: waits", "puts away what is not needed"


class Decision(NamedTuple):
    """An action, the sub-goal that it serves, and a note for the record, "" for an ordinary step."""

    act: Act = WAITING
    subgoal: Subgoal | None = None
    note: str = ""


class Intent(NamedTuple):
    """What a partner is about to do: its sub-goal, if it has one, and whether it holds nothing."""

    subgoal: Subgoal | None
    empty_handed: bool


class Planner:
    """A person who plans: tree search over sub-goals, and regression of each to actions.

    It plans at every step from what it sees and believes. A sub-goal is pursued for as long as it is available; else
    the best one is searched for.

    Attributes:
      done: True if nothing seems left to do.
      only: text of the one predicate to pursue; "" pursues the whole goal.
    """

    def __init__(
        self,
        home: Home,
        goal: Goal,
        seed: int,
        settings: PlannerSettings | None = None,
        puts_only: bool = False,
        metres: Metres | None = None,
    ) -> None:
        self.home, self.settings = home, settings or PlannerSettings()
        if self.settings.metre_cost and metres is None:
            raise WorldError("planner setting metre_cost: give the ways between things, too")
        self._rng = np.random.default_rng([seed, 2])
        self.belief = Belief(home, self._rng, self.settings.prior, self.settings.chance_open)
        self._metres = metres
        numbers = self.settings
        self._search = SearchSettings(
            numbers.simulations, numbers.rollout, numbers.depth, body_stays=numbers.body_stays
        )
        self._legs = np.empty((m.MOST_LEGS, 2), dtype=np.int64)
        self._opened, self._step, self._idle, self._failures = -1, 0, 0, 0
        self._last: tuple[Act, tuple[float, ...]] = (WAITING, ())
        self._walked: list[tuple[float, ...]] = []  # positions since something was done that is no walk
        self._cannot_put: set[tuple[int, int]] = set()
        self._carried = np.flatnonzero(
            home.properties & CARRIED == CARRIED
        )  # containers that are no places of a belief
        self._looked_into: set[int] = set()
        self._looking = NO_ROW  # one of them, to which this step leads
        self.closes, self.only = self.settings.closes, ""
        self.set_goal(goal, puts_only)

    def set_goal(self, goal: Goal, puts_only: bool = False) -> None:
        """Pursue another goal from now on; the belief is kept."""
        self.subgoals = Subgoals(self.home, self.belief.places, goal, puts_only)
        self._target = [0] * len(self.subgoals.predicates)  # of each predicate, the one of its targets that is used
        self._barred_until = np.zeros(len(self.subgoals), dtype=np.int64)
        self._current, self.done = -1, False
        self._remaining = self.subgoals.wanted

    def unmet(self) -> list[Predicate]:
        """Return the predicates for which something remained to be done at the last step."""
        return [one for one, count in zip(self.subgoals.predicates, self._remaining, strict=True) if count > 0]

    def interrupt(self) -> None:
        """Note that something else was done than was decided at the last step."""
        self._last = WAITING, ()

    def decide(self, sight: Sight, failed: bool = False, intent: Intent | None = None) -> Decision:
        """Choose what to do at this step.

        Args:
          failed: True if the last action failed, unless the partner was first.
          intent: what a partner is about to do, which is left to it; None if it is unknown.
        """
        self._step += 1
        self.belief.update(sight)
        self._note_failure(sight, failed)
        self._looking = NO_ROW
        self._choose_targets()
        supposed = Supposition(self.belief, sight, self.subgoals, self._search.rows_needed)
        self._remaining = supposed.remaining.copy()
        self.done = bool((self._remaining <= 0).all())
        decision = self._put_away(sight, supposed)
        if decision is None:
            decision = self._pursue(sight, supposed, intent)
        else:
            self._current = -1
        self._idle = 0 if decision.subgoal else self._idle + 1
        if self._idle >= DOUBT_STEPS and self.settings.doubts:
            self.belief.doubt(self.subgoals.things, sight)
        self._last = decision.act, tuple(sight.position)
        if decision.act[0] == Verb.OPEN and decision.act[1] not in self._carried:
            self._opened = int(self.belief.index[decision.act[1]])
        return decision

    # -- choice of a sub-goal -------------------------------------------------------------------------------

    def _pursue(self, sight: Sight, supposed: Supposition, intent: Intent | None) -> Decision:
        """Take the first action towards a sub-goal; wait if there is none, or no plan for any."""
        if len(self.subgoals) == 0:
            return Decision(note=NO_PLAN)
        barred = self._barred_until > self._step
        if self.only:
            wanted = np.array([one.text == self.only for one in self.subgoals.predicates])
            barred |= ~wanted[self.subgoals.table[:, 1]]
        model = supposed.model(self._target_of_each(), barred, self._metres, self.settings)
        self._avoid(model, supposed, intent)
        first = -1
        while first < 0:
            self._current = self._best(model, supposed)
            if self._current < 0:
                return Decision(note=NO_PLAN)
            first = m.regress(model, supposed.situations, 0, self._current, self._legs)
            model.subgoals[self._current, m.BARRED] = first < 0
        thing = int(self.subgoals.table[self._current, 2])
        missed = thing >= 0 and self.belief.missed[self.belief.index[self.subgoals.things[thing]]]
        act = self._look_into(sight) if missed else None
        return Decision(act or self._first_action(sight, supposed, model, first), self._described(self._current))

    def _best(self, model: m.Model, supposed: Supposition) -> int:
        """Return the sub-goal to pursue: the present one while it is available, else the best; -1 for none."""
        chances = self._rng.random(CHANCES)
        return int(search(model, supposed.situations, self._current, self._search, chances))

    def _avoid(self, model: m.Model, supposed: Supposition, intent: Intent | None) -> None:
        """Bar what the partner is about to do, unless nothing else is left and its hands are empty."""
        if intent is None or intent.subgoal is None:
            return
        barred = model.subgoals[:, m.BARRED]
        before = barred.copy()
        texts = np.array([one.text == intent.subgoal.predicate for one in self.subgoals.predicates])
        things = np.append(self.subgoals.things, NO_ROW)[self.subgoals.table[:, 2]]
        last = texts & (supposed.remaining <= 1)
        barred |= (things == intent.subgoal.thing) | last[self.subgoals.table[:, 1]]
        if intent.empty_handed and self._best(model, supposed) < 0:
            barred[:] = before

    def _choose_targets(self) -> None:
        """Choose one of several targets of a predicate: the first that is seen, and then always that one."""
        for number, targets in enumerate(self.subgoals.targets):
            if len(targets) > 1:
                fixtures = [self._fixture_of(number, target) for target in targets]
                if not self.belief.known[fixtures[self._target[number]]]:
                    known = [k for k, fixture in enumerate(fixtures) if self.belief.known[fixture]]
                    self._target[number] = known[0] if known else self._target[number]

    def _fixture_of(self, predicate: int, target: int) -> int:
        is_put = self.subgoals.sorts[predicate] == m.PUT
        return int(self.belief.places.fixture[target]) if is_put else target

    def _target_of_each(self) -> np.ndarray:
        """Return the place or the fixture of each sub-goal: int64 [S]."""
        chosen = [targets[k] if targets else -1 for targets, k in zip(self.subgoals.targets, self._target, strict=True)]
        return np.array(chosen, dtype=np.int64)[self.subgoals.table[:, 1]]

    def _described(self, subgoal: int) -> Subgoal:
        _, number, thing = (int(one) for one in self.subgoals.table[subgoal])
        targets = self.subgoals.targets[number]
        fixture = self._fixture_of(number, targets[self._target[number]]) if targets else -1
        return Subgoal(
            self.subgoals.predicates[number].text,
            int(self.subgoals.things[thing]) if thing >= 0 else NO_ROW,
            int(self.belief.rows[fixture]) if fixture >= 0 else NO_ROW,
        )

    # -- the action -------------------------------------------------------------------------------------------

    def _first_action(self, sight: Sight, supposed: Supposition, model: m.Model, first: int) -> Act:
        """Return what the first leg of the plan begins with: a walk, or what has to be done before one."""
        verb, item = Verb(int(self._legs[first, 0])), int(self._legs[first, 1])
        walks = not supposed.items[item, m.NEAR]
        leaves = walks or (verb == Verb.OPEN and item != self._opened)
        if (
            self.closes
            and leaves
            and self._has_to_close(supposed)
            and not self._leads_into(self._opened, supposed, first)
        ):
            return Verb.CLOSE, int(self.belief.rows[self._opened]), Held.RIGHT_HAND
        if not walks:
            return self._act(sight, verb, int(supposed.rows[item]))
        if supposed.body[m.SEAT] >= 0:
            return Verb.STAND, NO_ROW, Held.RIGHT_HAND
        room = m.room_of(model, supposed.situations, 0, item)
        row = supposed.rows[item] if room == supposed.body[m.ROOM] else self.belief.places.rooms[room]
        return Verb.WALK_TOWARDS, int(row), Held.RIGHT_HAND

    def _act(self, sight: Sight, verb: Verb, row: int) -> Act:
        """Return an action with the hand that does it."""
        hands = sight.hands()
        if verb in (Verb.PUT_ON, Verb.PUT_IN):
            thing = self.subgoals.things[self.subgoals.table[self._current, 2]]
            hand = next((hand for held, hand in hands if held == thing), Held.RIGHT_HAND)
        else:
            full = {hand for _, hand in hands}
            hand = Held.LEFT_HAND if Held.RIGHT_HAND in full else Held.RIGHT_HAND
        return verb, row, hand

    def _has_to_close(self, supposed: Supposition) -> bool:
        """Return True if the last container that was opened is still open, within reach, and no longer needed."""
        opened, places = self._opened, self.belief.places
        if opened < 0 or not (supposed.items[opened, m.NEAR] and supposed.items[opened, m.STATE]):
            return False
        if self.home.name_of(int(self.belief.rows[opened])) in NEVER_CLOSED:
            return False
        place = places.in_fixture[self.belief.rows[opened]]
        unfinished = supposed.remaining > 0
        if self.subgoals.satisfies[unfinished, :, place].any():
            return False
        things = supposed.items[supposed.fixtures :]
        inside = (things[:, m.PLACE] == place) & (things[:, m.STATE] == 1)
        return not (self.subgoals.member[unfinished] & inside).any()

    def _leads_into(self, fixture: int, supposed: Supposition, first: int) -> bool:
        """Return True if a leg of the plan is at something in a fixture."""
        return any(supposed.is_in(int(item), fixture) for item in self._legs[first:, 1])

    def _look_into(self, sight: Sight) -> Act | None:
        """Return a step towards the inside of a closed thing that can be carried; None if all have been looked into.

        The belief has no places in such things, so what is nowhere else may be in one of them.
        """
        closed = sight.conditions[self._carried] & Condition.CLOSED != 0
        self._looked_into |= set(self._carried[sight.visible[self._carried] & ~closed].tolist())
        belief, places = self.belief, self.belief.places
        found = []
        for row in self._carried.tolist():
            holders = belief.possible[belief.index[row]]
            if row in self._looked_into or sight.held[row] in HANDS or holders.sum() != 1:
                continue
            target, place = row, int(belief.sample[belief.index[row]])
            fixture = int(places.fixture[place])
            if not sight.visible[row] and fixture >= 0:
                target = int(places.fixtures[fixture])
                place = int(belief.sample[fixture])
            if sight.visible[target] or place < len(places.rooms):
                found.append((not sight.near[target], not sight.visible[target], row, target, place))
        if not found or len(sight.hands()) == len(HANDS):
            return None
        is_far, is_unseen, self._looking, target, place = min(found)
        if sight.held[sight.person] == Held.SITS and (is_far or is_unseen):
            return Verb.STAND, NO_ROW, Held.RIGHT_HAND
        if is_unseen:
            return Verb.WALK_TOWARDS, int(places.rooms[place]), Held.RIGHT_HAND
        return (Verb.WALK_TOWARDS, target, Held.RIGHT_HAND) if is_far else self._act(sight, Verb.OPEN, target)

    def _put_away(self, sight: Sight, supposed: Supposition) -> Decision | None:
        """Put down something that the goal does not need; None if there is no such thing in hand."""
        useless = [(row, hand) for row, hand in sight.hands() if not self._is_useful(row, supposed)]
        if not useless:
            return None
        row, hand = useless[0]
        fixtures = self.belief.places.fixtures
        here = sight.visible[fixtures] & (sight.room[fixtures] == sight.own_room)  # not what is seen through walls
        surfaces = fixtures[(self.belief.places.on_fixture[fixtures] >= 0) & here]
        surfaces = np.array([one for one in surfaces if (row, int(one)) not in self._cannot_put], dtype=np.int64)
        near = surfaces[sight.near[surfaces]]
        if len(near):
            return Decision((Verb.PUT_ON, int(near[0]), hand), note=PUTS_AWAY)
        if not len(surfaces):
            return None
        sits = sight.held[sight.person] == Held.SITS
        act: Act = (Verb.STAND, NO_ROW, hand) if sits else (Verb.WALK_TOWARDS, int(surfaces[0]), hand)
        return Decision(act, note=PUTS_AWAY)

    def _is_useful(self, row: int, supposed: Supposition) -> bool:
        """Return True for a thing in hand that is to be held, or put somewhere."""
        number = np.flatnonzero(self.subgoals.things == row)
        if not len(number):
            return False
        holds = self.subgoals.sorts == m.HOLD
        return bool(self.subgoals.member[holds | (supposed.remaining > 0), number[0]].any())

    # -- failures ---------------------------------------------------------------------------------------------

    def _note_failure(self, sight: Sight, failed: bool) -> None:
        """Leave a sub-goal alone for a while after several failures in a row."""
        (verb, target, used), position = self._last
        if verb == Verb.WAIT:
            return
        self._walked = [*self._walked, position] if verb == Verb.WALK_TOWARDS else []
        stuck = self._walked.count(tuple(sight.position)) >= ROUNDS
        if not (failed or stuck):
            self._failures = 0
            return
        self._failures = FAILURES if stuck else self._failures + 1
        if verb == Verb.PUT_ON and self._current < 0:
            self._cannot_put |= {(row, target) for row, hand in sight.hands() if hand == used}
        if self._failures >= FAILURES:
            self._failures, self._walked = 0, []
            if self._looking != NO_ROW:
                self._looked_into.add(self._looking)
            elif self._current >= 0:
                self._give_up(verb)
                self._current = -1

    def _give_up(self, verb: int) -> None:
        """Leave the present sub-goal alone, but for one whose place takes nothing where there is another such place."""
        number = int(self.subgoals.table[self._current, 1])
        other = self._target[number] + 1
        if verb in (Verb.PUT_ON, Verb.PUT_IN) and other < len(self.subgoals.targets[number]):
            self._target[number] = other
        else:
            self._barred_until[self._current] = self._step + BARRED_STEPS
