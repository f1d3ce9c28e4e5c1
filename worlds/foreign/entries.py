"""Entries of the registry for foreign environments: ``gym:ID``, ``pettingzoo:module`` and ``file.py:Class``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

import gymnasium
from pettingzoo import ParallelEnv

from worlds.contract import WorldError
from worlds.errors import described
from worlds.foreign.demonstrator import DemonstratorSolver
from worlds.foreign.gym_bridge import GymBridge, find_env, make_env
from worlds.foreign.mission import MISSION, MissionSetter, MissionTask, probe
from worlds.foreign.parallel_bridge import ParallelBridge, find_parallel, make_parallel
from worlds.foreign.world import ANY, LARGEST_SEED, ForeignWorld, Rules
from worlds.foreign_code.faults import FOREIGN
from worlds.registry import WorldEntry


def sample_config(seed: int) -> dict[str, Any]:
    """Return the configuration of the place of ``seed``, which is the seed itself."""
    return {"seed": seed % (LARGEST_SEED + 1)}


def gym_entry(name: str) -> WorldEntry:
    """Return the entry of a Gymnasium environment.

    Args:
      name: "gym:ID".
    """
    env_id = name.partition(":")[2]
    find_env(env_id)
    return _gym_entry(name, partial(make_env, env_id))


def pettingzoo_entry(name: str) -> WorldEntry:
    """Return the entry of a parallel environment of PettingZoo.

    Args:
      name: "pettingzoo:module".
    """
    module = name.partition(":")[2]
    find_parallel(module)
    return _parallel_entry(name, partial(make_parallel, module, render_mode="rgb_array"))


def class_entry(name: str, maker: Any) -> WorldEntry:
    """Return the entry of an environment that a class or a function of a Python file makes.

    Args:
      name: of the world.
      maker: class or function without required arguments, whose result is a ``gymnasium.Env`` or a ``ParallelEnv``.
    """
    make = partial(_made, name, maker)
    if isinstance(maker, type):
        is_gym, is_parallel = issubclass(maker, gymnasium.Env), issubclass(maker, ParallelEnv)
    else:
        env = make()
        is_gym, is_parallel = isinstance(env, gymnasium.Env), isinstance(env, ParallelEnv)
        env.close()
    if not (is_gym or is_parallel):
        raise WorldError(f"{name} is neither a gymnasium.Env nor a pettingzoo.ParallelEnv, nor does it make one")
    return _gym_entry(name, make) if is_gym else _parallel_entry(name, make)


def _made(name: str, maker: Any, **settings: Any) -> Any:
    if "rgb_array" in ((getattr(maker, "metadata", None) or {}).get("render_modes") or ()):
        settings = {"render_mode": "rgb_array"} | settings
    try:
        return maker(**settings)
    except FOREIGN as error:
        raise WorldError(f"{name} cannot be made: {described(error)}") from error


def _gym_entry(name: str, make_env: Callable[..., Any]) -> WorldEntry:
    def make(
        height: int | None = None,
        width: int | None = None,
        views: Sequence[str] = (),
        picture: int | None = None,
        instruction: str = "",
        success_return: float | None = None,
        linger: int = 4,
        max_steps: int | None = None,
        neutral: dict[str, float] | None = None,
        leave_out: tuple[str, ...] = (),
        success_at: Literal["any", "end"] = ANY,
        masked: bool = False,
        env: dict[str, Any] | None = None,
    ) -> ForeignWorld:
        """Make a world of a Gymnasium environment.

        Args:
          height: not used: a foreign world has the pictures that its environment draws.
          width: not used.
          views: not used.
          picture: side in pixels of a picture of the environment that the solver observes; without it, the solver
            observes what the environment itself returns.
          instruction: what the setter asks for, instead of the environment's own mission.
          success_return: sum of rewards from which an episode is a success, instead of an end with a reward above 0;
            a sum of 0 or below is judged when the episode ends.
          linger: steps for which the last observation is shown after the end.
          max_steps: steps after which an episode is cut, besides the environment's own limit.
          neutral: bin or value of a solver that does nothing, by the action's component.
          leave_out: names of parts of the observation that are left out, e.g. a second camera.
          success_at: "any" for a success that the environment's info reports at any step, "end" for one that it reports
            when the episode ends.
          masked: let the solver observe which actions are legal, where the environment's info says so.
          env: settings of the environment itself.
        """
        rules = Rules(instruction, success_return, linger, max_steps, success_at, masked)
        return ForeignWorld(name, GymBridge(make_env(**(env or {})), picture, neutral, leave_out), rules)

    return _foreign_entry(name, make)


def _parallel_entry(name: str, make_env: Callable[..., Any]) -> WorldEntry:
    def make(
        height: int | None = None,
        width: int | None = None,
        views: Sequence[str] = (),
        solver_agent: str | None = None,
        setter_agent: str | None = None,
        idle_agents: tuple[str, ...] = (),
        picture: int | None = None,
        instruction: str = "",
        success_return: float | None = None,
        linger: int = 4,
        max_steps: int | None = None,
        neutral: dict[str, float] | None = None,
        leave_out: tuple[str, ...] = (),
        success_at: Literal["any", "end"] = ANY,
        masked: bool = False,
        env: dict[str, Any] | None = None,
    ) -> ForeignWorld:
        """Make a world of a parallel environment of PettingZoo.

        Args:
          height: not used: a foreign world has the pictures that its environment draws.
          width: not used.
          views: not used.
          solver_agent: name of the agent that is the solver; by default the only one, or "solver".
          setter_agent: name of the agent that is the setter; without one, the setter only speaks.
          idle_agents: names of all other agents, which do nothing.
          picture: side in pixels of a picture of the environment that the solver observes; without it, the solver
            observes what the environment itself returns.
          instruction: what the setter asks for, instead of the environment's own mission.
          success_return: sum of the solver's rewards from which an episode is a success, instead of an end with a
            reward above 0; a sum of 0 or below is judged when the episode ends.
          linger: steps for which the last observation is shown after the end.
          max_steps: steps after which an episode is cut, besides the environment's own limit.
          neutral: bin or value of an agent that does nothing, by the action's component; each agent takes those that
            it has.
          leave_out: names of parts of the solver's observation that are left out, e.g. a second camera.
          success_at: "any" for a success that the solver's info reports at any step, "end" for one that it reports when
            the episode ends.
          masked: let the solver observe which actions are legal, where its info says so.
          env: settings of the environment itself.
        """
        rules = Rules(instruction, success_return, linger, max_steps, success_at, masked)
        inner = make_env(**(env or {}))
        bridge = ParallelBridge(inner, solver_agent, setter_agent, tuple(idle_agents), picture, neutral, leave_out)
        return ForeignWorld(name, bridge, rules)

    return _foreign_entry(name, make)


def _foreign_entry(name: str, make: Callable[..., ForeignWorld]) -> WorldEntry:
    """Return the entry of a foreign environment.

    Args:
      name: of the world.
      make: (height=, width=, views=, **options) -> the world.
    """
    return WorldEntry(
        name=name,
        make=make,
        sample_config=sample_config,
        make_solver=DemonstratorSolver,
        make_task=MissionTask,
        probe=probe,
        probes=(MISSION,),
        make_setter=MissionSetter,
        make_probe_setter=MissionSetter.of_one_request,
    )
