"""A helper that is guided by policies: one chooses the predicate to pursue, another one, or a planner, the actions."""

from __future__ import annotations

from typing import Protocol

from worlds.household.observing import near, visible
from worlds.household.players.acting import LOST_OUT, holds_something
from worlds.household.players.planner import NO_PLAN, Decision, Intent, Planner
from worlds.household.players.settings import PlannerSettings
from worlds.household.players.sight import Sight
from worlds.household.rules.joint import WAITING, Act
from worlds.household.state.home import Home, State
from worlds.household.tasks.goals import Goal

PATIENCE = 40  # steps for which a predicate is pursued before another one may be chosen (Watch-And-Help)


class HighLevel(Protocol):
    """A policy that chooses which predicate of a goal to pursue."""

    def reset(self, home: Home, person: int, goal: Goal, seed: int) -> None:
        """Begin an episode."""
        ...

    def see(self, state: State) -> None:
        """Take in what is visible to the person; called at every step, before :meth:`choose`."""
        ...

    def choose(self, state: State, reason: str) -> str | None:
        """Return a predicate of the goal, or None; asked once the last one is met or has been pursued for long."""
        ...


class LowLevel(Protocol):
    """A policy that chooses actions which lead to a predicate."""

    def reset(self, home: Home, person: int, seed: int) -> None:
        """Begin an episode."""
        ...

    def act(self, state: State, predicate: str, reason: str) -> Act:
        """Return the action of this step."""
        ...


class GuidedPlayer:
    """A person whose predicates a policy chooses: Watch-And-Help's Hybrid, and HRL with a policy for actions, too.

    Args:
      low: chooses actions; None leaves them to the planner (Hybrid).
    """

    def __init__(
        self,
        home: Home,
        person: int,
        goal: Goal,
        seed: int,
        high: HighLevel,
        low: LowLevel | None = None,
        settings: PlannerSettings | None = None,
    ) -> None:
        self.planner = Planner(home, goal, seed, settings, puts_only=True)
        self._home, self._person, self._high, self._low = home, person, high, low
        subgoals = self.planner.subgoals
        pursued = {one.text: int(count) for one, count in zip(subgoals.predicates, subgoals.wanted, strict=True)}
        high.reset(home, person, pursued, seed)
        if low is not None:
            low.reset(home, person, seed)
        self._chosen, self._since = None, 0

    def act(self, state: State, reason: str, intent: Intent | None = None) -> Decision:
        """See :meth:`worlds.household.players.acting.Player.act`."""
        seen = visible(self._home, state, self._person)
        sight = Sight.of(state, self._person, seen, near(self._home, state, self._person))
        self._high.see(state)
        if self._chosen is None or self._since >= PATIENCE:
            self._choose(state, reason)
        decision = self.planner.decide(sight, reason not in ("", LOST_OUT))
        if self._chosen is not None and self._chosen not in [one.text for one in self.planner.unmet()]:
            self._choose(state, reason)
            decision = self.planner.decide(sight)
        self._since += 1
        if self._chosen is None:
            return Decision(WAITING, None, NO_PLAN)
        return decision if self._low is None else Decision(self._low.act(state, self._chosen, reason))

    def _choose(self, state: State, reason: str) -> None:
        self._chosen, self._since = self._high.choose(state, reason), 0
        self.planner.only = self._chosen or ""

    def intent(self, state: State) -> Intent:
        """See :meth:`worlds.household.players.acting.Player.intent`."""
        return Intent(None, not holds_something(state, self._person))
