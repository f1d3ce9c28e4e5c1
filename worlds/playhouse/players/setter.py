"""The scripted setter: a stand-in for a person who asks for things that are feasible and unambiguous."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from inspect import signature
from typing import Any

import numpy as np

from worlds.contract import SETTER, Action, Observation, TaskSpec, WorldError, silent, with_body
from worlds.playhouse.games.asking import Asker, check_name, make_task
from worlds.playhouse.games.instructions.bringing import HandOver
from worlds.playhouse.players.body import Body, toward
from worlds.playhouse.players.receiving import receive
from worlds.playhouse.players.setting_numbers import MOST_STEPS, is_number, is_whole
from worlds.playhouse.requests.ground_truth import distance
from worlds.playhouse.requests.success import PlayhouseTask
from worlds.playhouse.requests.tasks import PROBES, SPLITS
from worlds.playhouse.world import Playhouse

POINTING = "name what i point at"  # the game in which the setter looks at what it asks about
TRY_AGAIN = 8  # steps after which a setter that found nothing to ask for tries again
STROLL_STEPS = 40  # most steps spent on the way to one place


class ScriptedSetter:
    """Asks for one thing after another. Whoever plays calls ``task.update`` after each step; this is how it learns
    of success.

    Args:
      tasks: names of its tasks, all equally often, or a weight for each; None for all six probes.
        Games are asked for only by name.
      split: "train" or "held_out": it asks only for combinations of that split.
      first_request: (fewest, most) steps before it first speaks.
      pause: (fewest, most) steps between the end of a request and the next one; by default about 20 seconds, as
        between people, which makes some eight requests in five minutes.
      patience: steps after which it gives a request up; None for the task's own time limit.
      follow_up: ask for more after the first request.
      wander: chance per step of setting out for another place, for a setter that stands.

    Attributes:
      requests: (step, specification) of everything asked for in this episode.

    Raises:
      WorldError: a task or split that does not exist, or an impossible number.
    """

    def __init__(
        self,
        tasks: Sequence[str] | Mapping[str, float] | None = None,
        split: str = "train",
        first_request: tuple[int, int] = (0, 2),
        pause: tuple[int, int] = (60, 120),
        patience: int | None = None,
        follow_up: bool = True,
        wander: float = 0.0,
    ) -> None:
        self._weights = _weights(tasks)
        if split not in SPLITS:
            raise WorldError(f"no split named {split!r}; known: {', '.join(SPLITS)}")
        for name, pair in (("first_request", first_request), ("pause", pause)):
            _check_range(name, pair)
        if not is_number(wander) or not 0.0 <= wander <= 1.0:
            raise WorldError(f"setter setting wander: {wander!r} is not a probability between 0 and 1")
        if patience is not None and not (is_whole(patience) and patience >= 1):
            raise WorldError(f"setter setting patience: {patience!r} steps; give 1 or more, or None")
        if not isinstance(follow_up, bool):
            raise WorldError(f"setter setting follow_up: {follow_up!r} is neither true nor false")
        self.split, self.first_request, self.pause = split, first_request, pause
        self.patience, self.follow_up, self.wander = patience, follow_up, wander
        self.requests: list[tuple[int, TaskSpec]] = []
        self._task: PlayhouseTask | None = None

    @property
    def task(self) -> PlayhouseTask | None:
        """The last task asked for; None before the first request."""
        return self._task

    def reset(self, world: Playhouse, seed: int) -> None:
        """Begin an episode in ``world``, which has just been reset."""
        self._rng = np.random.default_rng([seed, 0])
        self._world, self._asker = world, Asker(world)
        self._body = Body(world, SETTER, self._rng)
        self._task, self.requests = None, []
        self._destination: np.ndarray | None = None
        self._left_to_walk = 0
        self._receiving: Iterator[Action] | None = None
        self._speak_at: int | None = world.step_index + self._some_steps(self.first_request)

    def act(self, observation: Observation) -> Action:
        """Return its action at this step; it speaks at most one request."""
        self._body.sense()
        action = self._move()
        step = self._world.step_index
        if self._speak_at is None and self.follow_up and self._is_finished(step):
            self._speak_at = step + self._some_steps(self.pause)
        if self._speak_at is not None and step >= self._speak_at:
            spec = self._choose()
            self._speak_at = step + TRY_AGAIN if spec is None else None
            if spec is not None:
                self._task = make_task(spec)
                self.requests.append((step, spec))
                if isinstance(self._task, HandOver):
                    self._receiving = receive(self._body, spec.arguments["things"]["among"])
                action["utterance"] = spec.instruction
        return with_body(action, self._world.body)

    def _move(self) -> Action:
        """Look at what it points at, or take what is being handed over; else stroll, or stand."""
        pointed_at = self._pointed_at()
        if pointed_at is not None:
            return silent(self._body.move(toward(self._body.where(pointed_at), None)))
        if self._receiving is not None:
            action = next(self._receiving, None)
            if action is not None:
                return action
            self._receiving = None
        return silent(self._walk()) if self.wander else silent()

    def _pointed_at(self) -> str | None:
        """Id of what it asks the name of, and therefore looks at, until that is answered."""
        task = self._task
        if task is None or task.over or task.spec.name != POINTING:
            return None
        return task.spec.arguments["target"]

    def _some_steps(self, fewest_most: tuple[int, int]) -> int:
        return int(self._rng.integers(fewest_most[0], fewest_most[1] + 1))

    def _is_finished(self, step: int) -> bool:
        asked, spec = self.requests[-1]
        return self._task is None or self._task.over or step - asked >= (self.patience or spec.max_steps)

    def _choose(self) -> TaskSpec | None:
        """Something to ask for, in words other than the last; None if there is nothing at present."""
        names, weights = list(self._weights), np.array(list(self._weights.values()))
        order = self._rng.choice(len(names), size=np.count_nonzero(weights), replace=False, p=weights / weights.sum())
        last = self.requests[-1][1].instruction if self.requests else ""
        for i in order:
            for _ in range(3):
                spec = self._asker.ask(names[i], self._rng, self.split)
                if spec is not None and spec.instruction != last:
                    return spec
        return None

    def _walk(self) -> np.ndarray:
        """A step of strolling: now and then to another place in the house, else stand."""
        here = self._body.me.position
        if self._destination is None and self._rng.random() < self.wander:
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
    known = signature(ScriptedSetter).parameters
    unknown = next((name for name in settings if name not in known), None)
    if unknown is not None:
        raise WorldError(f"no setter setting named {unknown!r}; known: {', '.join(known)}")
    return ScriptedSetter(**settings)


def _check_range(name: str, pair: Any) -> None:
    """Raises WorldError if ``pair`` is no (fewest, most) steps."""
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise WorldError(f"setter setting {name}: {pair!r} is not (fewest, most) steps")
    low, high = pair
    if not (is_whole(low) and is_whole(high) and 0 <= low <= high < MOST_STEPS):
        raise WorldError(f"setter setting {name}: {low}..{high} is not a range of steps")


def _weights(tasks: Sequence[str] | Mapping[str, float] | None) -> dict[str, float]:
    """Weight of each task asked for. Raises WorldError for tasks that do not exist and impossible weights."""
    if isinstance(tasks, str):
        raise WorldError(f"setter setting tasks: {tasks!r} is not a list of names; give [{tasks!r}]")
    weights = dict(tasks) if isinstance(tasks, Mapping) else dict.fromkeys(PROBES if tasks is None else tasks, 1.0)
    for name in weights:
        check_name(name)
    wrong = next((name for name, weight in weights.items() if not is_number(weight)), None)
    if wrong is not None:
        raise WorldError(f"setter setting tasks: the weight of {wrong} is a number, not {weights[wrong]!r}")
    if not weights or min(weights.values()) < 0 or sum(weights.values()) <= 0:
        raise WorldError("setter setting tasks: give at least one task with a weight above 0")
    return weights
