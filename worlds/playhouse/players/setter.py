"""The scripted setter: a stand-in for a person who asks for things that are feasible and unambiguous."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from worlds.contract import SETTER, Action, Observation, TaskSpec, silent, with_body
from worlds.contract.known_settings import check_known
from worlds.playhouse.games.asking import Asker, make_task
from worlds.playhouse.players.asking.choosing import Chooser
from worlds.playhouse.players.asking.gestures import Gestures
from worlds.playhouse.players.asking.own_part import OwnPart
from worlds.playhouse.players.asking.settings import SetterSettings, Tasks
from worlds.playhouse.players.asking.talking import Talker
from worlds.playhouse.players.asking.weights import weights_of
from worlds.playhouse.players.body import Body
from worlds.playhouse.requests.ground_truth import distance
from worlds.playhouse.requests.success import PlayhouseTask
from worlds.playhouse.world import Playhouse

TRY_AGAIN = 8  # steps after which a setter that found nothing to ask for tries again
STROLL_STEPS = 40  # most steps spent on the way to one place
_CHOOSING, _TALKING, _GESTURES = 2, 3, 4  # streams of chance of their own: none changes what the others decide


class ScriptedSetter:
    """Asks for one thing after another. Whoever plays calls ``task.update`` after each step; this is how it learns
    of success. Only what it asks for is a request: other words of it neither end nor replace one.

    Args:
      settings: values of :class:`SetterSettings`, by name.

    Attributes:
      requests: (step, specification) of everything asked for in this episode.
    """

    def __init__(self, tasks: Tasks = None, **settings: Any) -> None:
        check_known(settings, [field.name for field in fields(SetterSettings)], "setter")
        self.settings = SetterSettings(tasks, **settings)
        self._weights = weights_of(tasks)
        self.requests: list[tuple[int, TaskSpec]] = []
        self._task: PlayhouseTask | None = None

    @property
    def task(self) -> PlayhouseTask | None:
        """The last task asked for; None before the first request."""
        return self._task

    def reset(self, world: Playhouse, seed: int) -> None:
        self._rng = np.random.default_rng([seed, 0])
        self._world, self._asker = world, Asker(world)
        self._body = Body(world, SETTER, self._rng)
        choosing, talking, gestures = (np.random.default_rng([seed, n]) for n in (_CHOOSING, _TALKING, _GESTURES))
        self._chooser = Chooser(self._asker, self._weights, self.settings, self._rng, choosing)
        self._talker = Talker(self._body, self.settings, talking)
        self._gestures = Gestures(self._body, self.settings, gestures)
        self._task, self.requests = None, []
        self._destination: np.ndarray | None = None
        self._left_to_walk = 0
        self._part = OwnPart(self._body)
        self._speak_at: int | None = world.step_index + self._some_steps(self.settings.first_request)
        self._talker.pause(world.step_index, self._speak_at)

    def act(self, observation: Observation) -> Action:
        """Return its action at this step; it speaks at most one request, or says something else."""
        self._body.sense()
        action = self._move()
        step = self._world.step_index
        if self._speak_at is None and self.settings.follow_up and self._is_finished(step):
            self._speak_at = step + self._some_steps(self.settings.pause)
            self._talker.pause(step, self._speak_at)
            self._gestures.ended()
        if self._speak_at is not None and step >= self._speak_at:
            action["utterance"] = self._ask(step)
        if not action["utterance"]:
            action["utterance"] = self._talker.say(step, waits=self._speak_at is None)
        return with_body(action, self._world.body)

    def _ask(self, step: int) -> str:
        """Make a request, and return its words; "" if there is nothing to ask for at present."""
        last = self.requests[-1][1] if self.requests else None
        spec = self._chooser.choose(last, self._task is not None and self._task.succeeded)
        self._speak_at = step + TRY_AGAIN if spec is None else None
        if spec is None:
            return ""
        self._task = make_task(spec)
        self.requests.append((step, spec))
        self._part.asked(self._task)
        self._talker.asked(step, self._task)
        self._gestures.asked(spec)
        return spec.instruction

    def _move(self) -> Action:
        """Look at what it points at, or take what is being handed over; else show what it means, stroll, or stand."""
        pointing = self._part.point()
        if pointing is not None:
            return pointing
        receiving = self._part.receive()
        if receiving is not None:
            return self._with_eyes(receiving)
        shown = self._gestures.move()
        if shown is not None:
            return silent(shown)
        return silent(self._walk()) if self.settings.wander else silent()

    def _with_eyes(self, action: Action) -> Action:
        """While it only waits to be handed something, look at who brings it."""
        waits = np.array_equal(action["movement"], silent()["movement"]) and self._body.held is None
        shown = self._gestures.move() if waits else None
        return action if shown is None else silent(shown)

    def _some_steps(self, fewest_most: tuple[int, int]) -> int:
        return int(self._rng.integers(fewest_most[0], fewest_most[1] + 1))

    def _is_finished(self, step: int) -> bool:
        asked, spec = self.requests[-1]
        return self._task is None or self._task.over or step - asked >= (self.settings.patience or spec.max_steps)

    def _walk(self) -> np.ndarray:
        """A step of strolling: now and then to another place in the house, else stand."""
        here = self._body.me.position
        if self._destination is None and self._rng.random() < self.settings.wander:
            spots = self._asker.plan.free_spots()
            self._destination, self._left_to_walk = spots[self._rng.integers(len(spots))], STROLL_STEPS
        if self._destination is not None:
            route = self._body.plan.route(here, self._destination, 0.2, self._body.obstacles())
            self._left_to_walk -= 1
            if route is None or self._left_to_walk <= 0 or distance(here, self._destination) < 0.3:
                self._destination = None
            else:
                return self._body.move(self._body.along(route))
        self._body.stand()
        return silent()["movement"]


def make_setter(**settings: Any) -> ScriptedSetter:
    """A scripted setter with the given settings, by name. Raises WorldError for a name that does not exist."""
    return ScriptedSetter(**settings)
