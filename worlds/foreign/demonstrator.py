"""Scripted solvers of foreign environments, with deliberate imperfections."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Protocol

import numpy as np

from worlds.contract import SOLVER, Action, Observation, World, WorldError
from worlds.contract.known_settings import check_chances
from worlds.foreign.minigrid import BabyAIBot, has_bot
from worlds.foreign.world import ForeignWorld
from worlds.spaces.random_action import random_action, within_legal

_NO_VALUES = np.zeros((1, 0), np.float32)
HELD = 4  # steps for which a random action is held, on average


class Adviser(Protocol):
    """Source of the actions of a demonstrator, in the environment's own form."""

    def advise(self) -> Any:
        """Return the action that is best now; None if there is no advice any more."""
        ...

    def did(self, action: Any) -> None:
        """Take note of the action that is played, as advised or not."""
        ...

    def avoided(self) -> Collection[str]:
        """Return the names of the bins that a mistake is not, as they would do nothing or end all play."""
        ...


class OwnAdviser:
    """The environment's own method ``demonstrate()``, which returns the action that is best now.

    Args:
      env: the environment.
    """

    def __init__(self, env: Any) -> None:
        self._env = env

    def advise(self) -> Any:
        return self._env.demonstrate()

    def did(self, action: Any) -> None:
        """See :class:`Adviser`."""

    def avoided(self) -> Collection[str]:
        return ()


class DemonstratorSolver:
    """A scripted solver that follows a demonstrator, but not always.

    The demonstrator is BabyAI's bot in BabyAI, and the method ``demonstrate()`` of an environment that has one; in
    others the solver acts at random. It does nothing before the setter has spoken, and after the environment has ended
    the episode.

    Args:
      perfect: never err.
      error: probability of a random action at a step.
      distraction: probability of starting a stretch of random actions at a step.
      distracted: (fewest, most) steps of such a stretch.
    """

    def __init__(
        self, perfect: bool = False, error: float = 0.1, distraction: float = 0.01, distracted: tuple[int, int] = (3, 8)
    ) -> None:
        check_chances("solver setting", error=error, distraction=distraction)
        fewest, most = distracted
        if not 1 <= fewest <= most:
            raise WorldError(f"solver setting distracted: {list(distracted)!r} is not (fewest, most) steps from 1")
        self._error, self._distraction = (0.0, 0.0) if perfect else (error, distraction)
        self._distracted = fewest, most

    def reset(self, world: World, seed: int) -> None:
        """Begin to play in ``world``, which has just been reset."""
        if not isinstance(world, ForeignWorld):
            raise WorldError("this solver plays foreign environments; name another")
        self._world, self._spec = world, world.spec(SOLVER).action
        self._adviser = find_adviser(world)
        self._rng = np.random.default_rng([seed, 1])
        self._random_until, self._held = -1, self._spec.silent()

    def act(self, observation: Observation) -> Action:
        """Return the advised action, or a random one."""
        legal = self._world.legal_now(SOLVER)
        action: Any = self._spec.silent(legal)
        if self._world.ended or not observation["setter_text"]:
            return action
        advised = None if self._adviser is None else self._adviser.advise()
        if self._adviser is None or advised is None:
            if self._rng.random() < 1 / HELD:
                self._held = random_action(self._spec, self._rng)
            return within_legal(self._spec, self._held, legal)  # type: ignore[return-value]
        translation = self._world.bridge.translations[SOLVER].action
        if self._errs():
            action = within_legal(self._spec, random_action(self._spec, self._rng, self._adviser.avoided()), legal)
        else:
            action["movement"][0], values = translation.read(advised)
            if "continuous" in action:
                action["continuous"][0] = values
        self._adviser.did(translation.build(action["movement"][0], action.get("continuous", _NO_VALUES)[0]))
        return action

    def _errs(self) -> bool:
        step = self._world.step_index
        if self._distraction and self._rng.random() < self._distraction:
            self._random_until = step + int(self._rng.integers(*self._distracted, endpoint=True))
        return step < self._random_until or (self._error > 0 and self._rng.random() < self._error)


def has_adviser(env: Any) -> bool:
    """Return True if an environment, or its package, has a demonstrator."""
    return has_bot(env) or callable(getattr(getattr(env, "unwrapped", env), "demonstrate", None))


def find_adviser(world: ForeignWorld) -> Adviser | None:
    """Return who advises a solver in a world that has just been reset; None for nobody."""
    if has_bot(world.env):
        return BabyAIBot(world.env, lambda: world.observed(SOLVER))
    inner = getattr(world.env, "unwrapped", world.env)
    return OwnAdviser(inner) if callable(getattr(inner, "demonstrate", None)) else None
