"""A stand-in for the co-pilot of shared control (paper, A.1).

It watches an agent play, takes the solver over when the agent fails, does what was asked as a scripted solver, and
hands back. It knows of failure from the ground truth, as a person would from watching. While it acts, the agent is
still run and its actions are ignored. The agent remembers what it sees and hears, and the co-pilot's words count as its
own last words.
"""

from __future__ import annotations

from typing import Literal, Protocol

import numpy as np

from rlhf.replay.referee import Referee
from worlds.contract import SOLVER, Action, Observation, Solver, World
from worlds.errors import UserError
from worlds.ranges import Count, Steps
from worlds.settings import settings
from worlds.spaces.action import ActionSpec

SCRIPTED = "scripted"
TREMBLE = 0.25  # share of a step's ticks in which one who does nothing may move all the same: muscles miss

# Watches until the agent fails, reacts after a moment, drives until it is done; a success or a new request ends it all.
State = Literal["watches", "reacts", "drives"]


class CoPilot(Protocol):
    """A co-pilot, who may take over the solver of one slot."""

    name: str  # in recordings

    def reset(self, world: World, seed: int) -> None:
        """Begin an episode in ``world``, which has just been reset."""
        ...

    def act(self, step: int, observation: Observation, referee: Referee) -> Action | None:
        """Return what the solver does at ``step`` where the co-pilot is in control; None where the agent is."""
        ...


@settings
class CoPilotConfig:
    """Settings of when the scripted co-pilot takes over and hands back, in steps.

    Args:
      patience: steps without progress after which the agent has failed.
      mistakes: regresses, since the request or since the agent got control back, after which the agent has failed.
      reaction: fewest and most steps from the failure to the take-over.
      longest: steps after which the co-pilot hands back, whatever it has achieved.
      idle: steps of doing nothing after which the co-pilot hands back and leaves the request as it is.
    """

    patience: Count = 40
    mistakes: Count = 1
    reaction: tuple[Steps, Steps] = (1, 4)
    longest: Count = 150
    idle: Count = 12

    def __post_init__(self) -> None:
        if not self.reaction[0] <= self.reaction[1]:
            raise UserError(f"co_pilot.reaction is (fewest, most) steps from 0, not {self.reaction}")


class ScriptedCoPilot:
    """Takes over when the ground truth says that the agent fails, and acts as ``solver``.

    Args:
      solver: its own scripted solver, which is reset at every take-over.
    """

    name = SCRIPTED

    def __init__(self, solver: Solver, config: CoPilotConfig | None = None) -> None:
        self._solver, self._config = solver, config or CoPilotConfig()

    def reset(self, world: World, seed: int) -> None:
        self._world, self._rng = world, np.random.default_rng([seed, 2])
        self._body = world.spec(SOLVER).action
        self._requests = self._events = 0  # of the referee's, how many it knows
        self._leaves = True  # whether it does not intervene until the next request
        self._watch(0)

    def act(self, step: int, observation: Observation, referee: Referee) -> Action | None:
        self._follow(step, referee)
        if self._state != "watches" and referee.done:
            self._watch(step)
        if self._state == "watches" and self._has_failed(step, referee):
            self._state = "reacts"
            self._ready = step + int(self._rng.integers(*self._config.reaction, endpoint=True))
        if self._state == "reacts" and step >= self._ready:
            self._state, self._since, self._still = "drives", step, 0
            self._solver.reset(self._world, int(self._rng.integers(2**31)))
        if self._state == "drives" and step - self._since >= self._config.longest:
            self._watch(step)
        return self._drive(step, observation) if self._state == "drives" else None

    def _drive(self, step: int, observation: Observation) -> Action | None:
        action = self._solver.act(observation)
        moves = moving_ticks(self._body, action)
        self._still = self._still + 1 if moves <= TREMBLE * self._body.ticks and not action["utterance"] else 0
        if self._still < self._config.idle:
            return action
        self._leaves = True
        self._watch(step)
        return None

    def _watch(self, step: int) -> None:
        """Let the agent play, and count its failures from ``step`` on."""
        self._state: State = "watches"
        self._since, self._mistakes = step, 0

    def _follow(self, step: int, referee: Referee) -> None:
        """Note new requests and the outcome of the last one since the step before."""
        if len(referee.requests) != self._requests:
            self._requests, self._leaves = len(referee.requests), False
            self._watch(step)
        for event in referee.events[self._events :]:
            self._mistakes += event.sign < 0
            if event.sign > 0 and self._state == "watches":
                self._since = step
        self._events = len(referee.events)

    def _has_failed(self, step: int, referee: Referee) -> bool:
        """Return whether the agent, which is in control, has failed at what was asked last."""
        if self._leaves or referee.done:
            return False
        return self._mistakes >= self._config.mistakes or step - self._since >= self._config.patience


def moving_ticks(body: ActionSpec, action: Action) -> int:
    """Return the number of ticks in which ``action`` is another movement than that of one who does nothing."""
    moves = (action["movement"] != body.neutral_movement()).any(axis=1)
    if "continuous" in action:
        moves |= (action["continuous"] != body.neutral_continuous()).any(axis=1)
    return int(moves.sum())
