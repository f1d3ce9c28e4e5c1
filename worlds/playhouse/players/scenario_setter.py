"""The setter of a scenario, who walks to where the request makes sense, and makes it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from worlds.contract import SETTER, Action, Observation, TaskSpec, silent, with_body
from worlds.contract.written_scenarios import PosedScenario
from worlds.playhouse.games import asking
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.players.body import Body
from worlds.playhouse.players.steering import Aim
from worlds.playhouse.requests.ground_truth import distance
from worlds.playhouse.requests.success import PlayhouseTask
from worlds.playhouse.scenarios.appendix_b import scenarios
from worlds.playhouse.scenarios.posing import ARRIVES, Posed, pose, request_of
from worlds.playhouse.scenarios.scenario import Asks, CannotBePosed
from worlds.playhouse.scenarios.tasks import make_task
from worlds.playhouse.world import Playhouse

WALK_STEPS = 40  # most steps on the way to where it asks
TURN_STEPS = 12  # most steps of turning to what it asks about
THERE = 0.12  # metres from the place at which it stands
TURNED = math.radians(4.0)
LOOKS_DOWN = math.radians(-12.0)
BEFORE = "go somewhere"  # game that is asked for before some of the scenarios
BEFORE_STEPS = 90  # most steps of that
TRIES = 8  # steps in which the request does not make sense after which it is given up


class ScenarioSetter:
    """Plays the prelude of one scenario, asks, and then stands still.

    Args:
      asks_before: ask for something else first, as in the middle of play.

    Attributes:
      asked: step of the scenario's request; None before, and if it makes no sense any more.
      task: success check of the last request; None of one that only judges can check.
    """

    def __init__(self, posed: Posed, asks_before: bool = False) -> None:
        self._posed, self._asks_before = posed, asks_before
        self.asked: int | None = None
        self.task: PlayhouseTask | None = None

    def reset(self, world: Playhouse, seed: int) -> None:
        self._world, self._rng = world, np.random.default_rng([seed, 0])
        self._body = Body(world, SETTER, self._rng)
        self.asked, self.task = None, None
        self._walked = self._turned = self._tried = 0
        self._before_until = 0  # step after which nobody waits for what was asked before

    def act(self, observation: Observation) -> Action:
        return with_body(self._next(), self._world.body)

    def _next(self) -> Action:
        """Walk and turn to where the request makes sense, make it, and then stand."""
        body, step = self._body, self._world.step_index
        body.sense()
        if self.asked is not None:
            body.stand()
            return silent()
        movement = self._walk()
        if movement is not None:
            return silent(movement)
        body.stand()
        if self._asks_before:
            return self._ask_before(step)
        waits = self.task is not None and not self.task.over and step < self._before_until
        return silent() if waits or self._tried > TRIES else self._ask(step)

    def _walk(self) -> np.ndarray | None:
        """The movement of a step to the place, or of turning there; None once it stands and looks as it should."""
        body, (x, y) = self._body, self._posed.place
        here = body.me.position
        if self._walked < WALK_STEPS and distance(here, np.array([x, y])) > THERE:
            self._walked += 1
            route = body.plan.route(here, (x, y), ARRIVES, body.obstacles())
            if route is not None:
                return body.move(Aim((x, y), 0.02, LOOKS_DOWN) if len(route) < 2 else body.along(route))
        yaw = self._posed.yaw
        off = (yaw - body.me.yaw + math.pi) % (2 * math.pi) - math.pi
        if self._turned < TURN_STEPS and abs(off) > TURNED:
            self._turned += 1
            ahead = here[:2] + 2.0 * np.array([math.cos(yaw), math.sin(yaw)])
            return body.move(Aim((float(ahead[0]), float(ahead[1])), None, LOOKS_DOWN))
        return None

    def _ask_before(self, step: int) -> Action:
        self._asks_before = False
        spec = asking.Asker(self._world).ask(BEFORE, self._rng)
        return silent() if spec is None else self._say(spec, step)

    def _say(self, spec: TaskSpec, step: int) -> Action:
        self.task, self._before_until = make_task(spec), step + BEFORE_STEPS
        return {**silent(), "utterance": spec.instruction}

    def _ask(self, step: int) -> Action:
        """Make the request as it is to be understood now."""
        scenario = self._posed.scenario
        spec = request_of(scenario, Situation(self._world, self._body.plan))
        if spec is None and isinstance(scenario.check, Asks):
            self._tried += 1
            return silent()
        self.asked = step
        self.task = None if spec is None else make_task(spec)
        return {**silent(), "utterance": scenario.words}


class AppendixB:
    """The paper's appendix B as written scenarios."""

    @cached_property
    def numbers(self) -> Sequence[int]:
        return [number for number, line in scenarios().items() if line.can_be_posed]

    @cached_property
    def left_out(self) -> Mapping[int, str]:
        checks = {number: line.check for number, line in scenarios().items()}
        return {number: check.reason for number, check in checks.items() if isinstance(check, CannotBePosed)}

    def pose(self, number: int, seed: int) -> PosedScenario | None:
        """Pose a scenario; in every other place something else is asked before it."""
        line = scenarios()[number]
        posed = pose(line, seed)
        if posed is None:
            return None
        # Any, as it plays in a Playhouse alone and not in every world.
        setter: Any = ScenarioSetter(posed, asks_before=(number + seed) % 2 == 1)
        return PosedScenario(number, line.words, line.kind, posed.config, setter)
