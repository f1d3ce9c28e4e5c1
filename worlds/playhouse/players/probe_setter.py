"""The setter of a probe, who makes one request and does its own part in it."""

from __future__ import annotations

import numpy as np

from worlds.contract import SETTER, Action, Observation, TaskSpec, silent, with_body
from worlds.playhouse.players.asking.own_part import OwnPart, takes_part
from worlds.playhouse.players.body import Body
from worlds.playhouse.requests.success import PlayhouseTask
from worlds.playhouse.scenarios.tasks import make_task
from worlds.playhouse.world import Playhouse


class ProbeSetter:
    """Makes a request at the first step; then it stands, or points, or takes what it is handed.

    Attributes:
      task: success check of the request.
    """

    def __init__(self, spec: TaskSpec) -> None:
        self._spec = spec
        self.task: PlayhouseTask = make_task(spec)

    def reset(self, world: Playhouse, seed: int) -> None:
        self._world, self._asked = world, False
        self._body: Body | None = None
        if takes_part(self.task):
            self._body = Body(world, SETTER, np.random.default_rng([seed, 0]))
            self._part = OwnPart(self._body)

    def act(self, observation: Observation) -> Action:
        action = self._do_part()
        if not self._asked:
            action["utterance"], self._asked = self._spec.instruction, True
        return with_body(action, self._world.body)

    def _do_part(self) -> Action:
        if self._body is None:
            return silent()
        self._body.sense()
        if not self._asked:
            self._part.asked(self.task)
        return self._part.point() or self._part.receive() or silent()
