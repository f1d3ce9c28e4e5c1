"""PettingZoo's parallel environments: found by their module, and bridged with one agent as the solver."""

from __future__ import annotations

import difflib
import pkgutil
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from worlds.contract import SETTER, SOLVER, WorldError
from worlds.errors import described
from worlds.foreign.bridge import Translation, Turn, number, rest
from worlds.foreign.gym_bridge import import_package, rendered, with_picture
from worlds.foreign.instructions import find_mission, mission_keys
from worlds.foreign.pictures import check_side
from worlds.foreign_code.faults import FOREIGN
from worlds.foreign_code.trust import check_module
from worlds.spaces.action import InvalidSpace
from worlds.spaces.gym_observation import departure, translate_observation
from worlds.spaces.gym_spaces import ActionTranslation, translate_action
from worlds.spaces.observation import Departure


class ParallelBridge:
    """A parallel environment in which one agent is the solver, perhaps another one the setter, and the rest rest.

    Args:
      solver: name of the solver's agent; None takes the only agent, or the one named "solver".
      setter: name of the setter's agent; None takes the one named "setter"; without one the setter only speaks.
      picture: side of a picture that the solver observes, pixels; None observes none.
    """

    def __init__(
        self,
        env: Any,
        solver: str | None = None,
        setter: str | None = None,
        idle: Sequence[str] = (),
        picture: int | None = None,
        neutral: Mapping[str, float] | None = None,
        leave_out: Sequence[str] = (),
    ) -> None:
        self.env: Any = env
        self._roles = cast_agents(tuple(env.possible_agents), solver, setter, tuple(idle))
        actions = translate_actions({agent: env.action_space(agent) for agent in env.possible_agents}, neutral or {})
        self.translations: dict[str, Translation] = {}
        for player, agent in self._roles.items():
            space = env.observation_space(agent)
            without = (*mission_keys(space), *(leave_out if player == SOLVER else ()))
            seen = translate_observation(space, without=without, counts=actions[agent].counts)
            if picture is not None and player == SOLVER:
                seen = with_picture(self, seen, check_side(picture), without)
            self.translations[player] = Translation(actions[agent], seen)
        self._idle = {agent: rest(actions[agent]) for agent in idle}

    @property
    def most_steps(self) -> int | None:
        inner = self.env.unwrapped
        found = next((getattr(inner, name, None) for name in ("max_steps", "max_cycles") if hasattr(inner, name)), None)
        return int(found) if isinstance(found, int) and found > 0 else None

    def reset(self, seed: int) -> Turn:
        observations, infos = self.env.reset(seed=seed)
        seen = {player: observations[agent] for player, agent in self._roles.items()}
        return Turn(seen, infos.get(self._roles[SOLVER]) or {})

    def step(self, actions: Mapping[str, Any]) -> Turn:
        """An agent that has left observes nothing more."""
        solver, alive = self._roles[SOLVER], set(self.env.agents)
        own = {agent: actions[player] for player, agent in self._roles.items()} | self._idle
        given = {agent: action for agent, action in own.items() if agent in alive}
        observations, rewards, terminated, truncated, infos = self.env.step(given)
        seen = {player: observations[agent] for player, agent in self._roles.items() if agent in observations}
        cut = bool(number(truncated.get(solver, False), "end"))
        over = bool(number(terminated.get(solver, False), "end")) or not (self.env.agents or cut)
        return Turn(seen, infos.get(solver) or {}, number(rewards.get(solver, 0.0), "reward"), over, cut)

    def mission(self, seen: Mapping[str, Any], info: Mapping[str, Any], inner: Any) -> str | None:
        said = find_mission(seen.get(SETTER), {}, None)
        other = find_mission(seen[SOLVER], info, inner)
        return said or (said if other is None else other)

    def outside(self, seen: Mapping[str, Any]) -> Departure | None:
        for player, agent in self._roles.items():
            if found := departure(self.env.observation_space(agent), seen[player]):
                return found._replace(name=f"{found.name} of {agent}")
        return None

    def render(self) -> np.ndarray | None:
        return rendered(self.env)

    def close(self) -> None:
        self.env.close()


def cast_agents(
    there: tuple[str, ...], solver: str | None, setter: str | None, idle: tuple[str, ...]
) -> dict[str, str]:
    """Return the agents of an environment by the players that they are."""
    names = [name for name in (solver, setter, *idle) if name is not None]
    unknown = next((name for name in names if name not in there), None)
    if unknown is not None:
        raise WorldError(f"the environment has no agent {unknown!r}; it has {', '.join(there)}")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise WorldError(f"agent {twice!r} is named twice; each is the solver, the setter or idle")
    free = [name for name in there if name not in names]
    if solver is None:
        solver = SOLVER if SOLVER in free else free[0] if len(free) == 1 else None
    if setter is None and SETTER in free and SETTER != solver:
        setter = SETTER
    left = [name for name in free if name not in (solver, setter)]
    if solver is None or left:
        raise WorldError(
            f"the environment has the agents {', '.join(there)}; name the solver with --world.solver-agent, the one "
            "that asks, if there is one, with --world.setter-agent, and all others with --world.idle-agents"
        )
    return {SOLVER: solver} | ({SETTER: setter} if setter is not None else {})


def translate_actions(
    action_spaces: Mapping[str, spaces.Space], neutral: Mapping[str, float]
) -> dict[str, ActionTranslation]:
    """Return the translation of each agent's actions."""
    names = {
        agent: [each.name for each in translate_action(space).components] for agent, space in action_spaces.items()
    }
    known = list(dict.fromkeys(name for own in names.values() for name in own))
    unknown = next((name for name in neutral if name not in known), None)
    if unknown is not None:
        raise InvalidSpace(f"neutral names {unknown!r}; components: {', '.join(known)}")
    return {
        agent: translate_action(space, (), {name: neutral[name] for name in names[agent] if name in neutral})
        for agent, space in action_spaces.items()
    }


def make_parallel(module: str, **settings: Any) -> Any:
    """Make the parallel environment of a module.

    Args:
      module: module with ``parallel_env``, e.g. "mpe2.simple_speaker_listener_v4", or "sisl.pursuit_v4" of
        PettingZoo.
    """
    maker = find_parallel(module)
    try:
        return maker(**settings)
    except FOREIGN as error:
        if "render_mode" in settings and isinstance(error, TypeError):  # it draws no pictures
            return make_parallel(module, **{name: one for name, one in settings.items() if name != "render_mode"})
        raise WorldError(f"pettingzoo:{module} cannot be made: {described(error)}") from error


def find_parallel(module: str) -> Any:
    """Return the function that makes a module's parallel environment.

    Raises:
      WorldError: there is none.
      UntrustedError: the module is neither PettingZoo's nor ours, and the user has neither named nor trusted it.
    """
    wanted = f"pettingzoo:{module}"
    own = module if module.startswith("pettingzoo.") or not _is_family(module) else f"pettingzoo.{module}"
    if not own.startswith(("pettingzoo.", "worlds.")):
        check_module(own)
    try:
        found = import_package(own, wanted) if "." not in own else _import_inner(own, wanted)
    except WorldError:
        raise
    except Exception as error:  # a foreign package may import when it is asked for a name
        raise WorldError(f"{wanted}: {own} fails to import: {described(error)}") from error
    maker = getattr(found, "parallel_env", None)
    if not callable(maker):
        raise WorldError(f"{wanted}: the module {own} has no parallel_env; name a module of a parallel environment")
    return maker


def _is_family(module: str) -> bool:
    """Return True if ``module`` begins with a family of PettingZoo's own environments, e.g. "sisl"."""
    return module.partition(".")[0] in ("atari", "butterfly", "classic", "mpe", "sisl")


def _import_inner(module: str, wanted: str) -> Any:
    """Import a module of a package; name its neighbours where there is none of this name."""
    package, _, name = module.rpartition(".")
    there = import_package(package, wanted)
    known = [each.name for each in pkgutil.iter_modules(getattr(there, "__path__", ()))]
    if known and name not in known and not hasattr(there, name):
        near = difflib.get_close_matches(name, known, n=3, cutoff=0.4)
        raise WorldError(f"{wanted}: {package} has no module {name}; near: {', '.join(near) or 'none'}")
    found = getattr(there, name, None)
    return (
        found
        if found is not None and callable(getattr(found, "parallel_env", None))
        else import_package(module, wanted)
    )
