"""Gymnasium environments: found by their ID, made, and bridged."""

from __future__ import annotations

import difflib
import importlib
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import gymnasium
import numpy as np

from worlds.contract import SOLVER, WorldError
from worlds.errors import described
from worlds.foreign import minigrid
from worlds.foreign.bridge import Bridge, Translation, Turn, number
from worlds.foreign.instructions import find_mission, mission_keys
from worlds.foreign.pictures import Picture, check_side, resized
from worlds.foreign_code.faults import FOREIGN
from worlds.foreign_code.trust import check_module
from worlds.foreign_code.watchdog import load_foreign
from worlds.spaces.gym_observation import ObservationTranslation, departure, translate_observation
from worlds.spaces.gym_spaces import translate_action
from worlds.spaces.observation import Departure, Image, ObservationSpec

# Packages that register environments only when they are imported, by how the names of these begin.
_PACKAGES = {
    "MiniGrid-": "minigrid", "BabyAI-": "minigrid", "ALE/": "ale_py", "Fetch": "gymnasium_robotics",
    "Adroit": "gymnasium_robotics", "AntMaze": "gymnasium_robotics", "FrankaKitchen": "gymnasium_robotics",
    "Hand": "gymnasium_robotics", "PointMaze": "gymnasium_robotics", "MiniWorld-": "miniworld",
    "highway-": "highway_env", "merge-": "highway_env", "procgen": "procgen", "Meta-World/": "metaworld",
}  # fmt: skip


class GymBridge:
    """A Gymnasium environment, in which the solver acts and the setter only speaks.

    Args:
      picture: side of a picture that the solver observes, pixels; None observes what the environment returns.
    """

    def __init__(
        self,
        env: gymnasium.Env,
        picture: int | None = None,
        neutral: Mapping[str, float] | None = None,
        leave_out: Sequence[str] = (),
    ) -> None:
        self.env: Any = env
        without = (*mission_keys(env.observation_space), *leave_out)
        bins, grids = (), None
        if minigrid.is_minigrid(env):
            bins, grids, resting = minigrid.symbols(env)
            neutral = resting if neutral is None else neutral
        action = translate_action(env.action_space, bins, neutral)
        translation = translate_observation(env.observation_space, grids, without, action.counts)
        if picture is not None:
            translation = with_picture(self, translation, check_side(picture), without)
        self.translations = {SOLVER: Translation(action, translation)}

    @property
    def most_steps(self) -> int | None:
        wrapped = self.env.spec.max_episode_steps if self.env.spec is not None else None
        own = getattr(self.env.unwrapped, "max_steps", None)
        return wrapped or (int(own) if isinstance(own, int) and own > 0 else None)

    def reset(self, seed: int) -> Turn:
        seen, info = _pair(self.env.reset(seed=seed), "reset", 2)
        return Turn({SOLVER: seen}, info or {})

    def step(self, actions: Mapping[str, Any]) -> Turn:
        seen, reward, *ends, info = _pair(self.env.step(actions[SOLVER]), "step", 5)
        terminated, truncated = (bool(number(end, "end")) for end in ends)
        return Turn({SOLVER: seen}, info or {}, number(reward, "reward"), terminated, truncated)

    def mission(self, seen: Mapping[str, Any], info: Mapping[str, Any], inner: Any) -> str | None:
        return find_mission(seen[SOLVER], info, inner)

    def outside(self, seen: Mapping[str, Any]) -> Departure | None:
        return departure(self.env.observation_space, seen[SOLVER])

    def render(self) -> np.ndarray | None:
        return rendered(self.env)

    def close(self) -> None:
        self.env.close()


def make_env(env_id: str, **settings: Any) -> gymnasium.Env:
    """Make a registered environment, such as "CartPole-v1" or "package:ID", with pictures if it draws any."""
    spec = find_env(env_id)
    if draws(spec):
        os.environ.setdefault("SDL_VIDEODRIVER", "dummy")  # pygame then opens no window and no sound card
        os.environ.setdefault("SDL_AUDIODRIVER", "dummy")
        settings = {"render_mode": "rgb_array"} | settings
    try:
        env = gymnasium.make(spec, disable_env_checker=True, **settings)
    except FOREIGN as error:
        raise WorldError(f"gym:{env_id} cannot be made: {described(error)}") from error
    if minigrid.has_bot(env):
        minigrid.quiet()
    return env


def find_env(env_id: str) -> Any:
    """Return the specification of a registered environment.

    Raises:
      WorldError: there is none; the message has the nearest names.
      UntrustedError: the user has neither named nor trusted the package of its name.
    """
    package, _, name = env_id.rpartition(":")
    if package and package not in _PACKAGES.values():
        check_module(package)
    package = package or next((module for begin, module in _PACKAGES.items() if name.startswith(begin)), "")
    if package and name not in gymnasium.registry:
        import_package(package, f"gym:{env_id}")
    if name not in gymnasium.registry:
        near = difflib.get_close_matches(name, list(gymnasium.registry), n=3, cutoff=0.5)
        hint = f"near: {', '.join(f'gym:{one}' for one in near)}" if near else "name its package too: gym:PACKAGE:ID"
        raise WorldError(f"Gymnasium has no environment {name!r}; {hint}")
    return gymnasium.registry[name]


def import_package(package: str, wanted: str) -> Any:
    """Import the package that an environment comes with. Raises WorldError if it is not installed, or fails."""
    try:
        return load_foreign(package, partial(importlib.import_module, package))
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != package.partition(".")[0]:
            raise WorldError(f"{wanted}: {package} fails to import: {described(error)}") from error
        raise WorldError(
            f"{wanted} is in the package {package}, which is not installed; pip install {package.replace('_', '-')}"
        ) from None
    except FOREIGN as error:
        raise WorldError(f"{wanted}: {package} fails to import: {described(error)}") from error


def draws(spec: Any) -> bool:
    """Return True if the environment of a specification draws pictures, as far as its class says."""
    try:
        maker: Any = gymnasium.envs.registration.load_env_creator(spec.entry_point)  # type: ignore[attr-defined]
    except Exception:  # what is wrong is reported where it is made
        return False
    metadata = getattr(maker, "metadata", None) or {}
    return "rgb_array" in (metadata.get("render_modes") or ())


def rendered(env: Any) -> np.ndarray | None:
    """Return the picture that an environment draws of itself; None if it draws none."""
    if getattr(env, "render_mode", None) != "rgb_array":
        return None
    picture = env.render()
    return None if picture is None else np.asarray(picture, np.uint8)


def with_picture(
    bridge: Bridge, translation: ObservationTranslation, side: int, without: tuple[str, ...]
) -> ObservationTranslation:
    """Return a translation that observes a picture of the environment besides its texts and numbers.

    MiniGrid's symbols are drawn as the agent's view, and no longer observed themselves.
    """
    env = bridge.env
    if minigrid.is_minigrid(env):
        return minigrid.pictured(env, side, without)
    if translation.spec.image is not None:
        scale: Callable[[Any], Picture] = lambda seen: resized(translation.read(seen)["image"], side)  # noqa: E731
        channels = translation.spec.image.channels
    elif getattr(env, "render_mode", None) == "rgb_array":
        # A return to a snapshot gives the bridge another environment.
        scale, channels = lambda seen: resized(bridge.render(), side), 3
    else:
        raise WorldError("setting picture: the environment draws no pictures; it has no render mode rgb_array")
    spec = ObservationSpec(
        Image(side, side, channels), translation.spec.grid, None, translation.spec.vector, translation.spec.texts
    )
    return ObservationTranslation(
        spec, lambda seen: translation.read(seen) | {"image": scale(seen)}, translation.masked
    )


def _pair(result: Any, call: str, length: int) -> Any:
    if not isinstance(result, tuple) or len(result) != length:
        wanted = "observation, info" if length == 2 else "observation, reward, terminated, truncated, info"
        raise TypeError(f"{call} returns {type(result).__name__}, not ({wanted})")
    return result
