"""Comparison of a world with the contract: of the spaces that it declares, and of what reset and step return.

Agents, recordings and replay rely on the spaces that :meth:`worlds.contract.World.spec` declares. A world that differs
is refused here, in one line, before anything is played.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from gymnasium import spaces

from worlds.contract import SETTER, SOLVER, Action, World, WorldError, legal_values
from worlds.contract.tiers import SEEDED
from worlds.errors import described
from worlds.foreign_code.faults import FOREIGN, named_failure
from worlds.foreign_code.watchdog import call_within
from worlds.registry import WorldEntry
from worlds.spaces.action import InvalidAction, InvalidSpace
from worlds.spaces.as_gym import gym_action_space, gym_observation_space
from worlds.spaces.differences import differences
from worlds.spaces.observation import Departure, InvalidObservation, PlayerSpec

PLAYERS = (SETTER, SOLVER)
_LONGEST = 80  # characters of a value that a message quotes


@runtime_checkable
class DeclaresBounds(Protocol):
    """Optional part of a world that plays an environment of others, which declares types and bounds of its own."""

    def outside(self) -> Departure | None:
        """Return the first part of the last observation that is outside the environment's own space."""
        ...


@dataclass(frozen=True)
class Problem:
    """One difference between a world and the contract.

    Args:
      component: part of the world that differs, e.g. "solver's observation: image".
    """

    component: str
    found: str
    wanted: str

    def __str__(self) -> str:
        return f"{self.component}: {self.found}, wanted {self.wanted}"


def check_conforms(
    entry: WorldEntry,
    settings: Mapping[str, Any] | None = None,
    config: Mapping[str, Any] | None = None,
    step_limit_sec: float | None = None,
) -> None:
    """Make the world, reset it and play one step.

    Args:
      config: place to enter; None samples the place of seed 0.
      step_limit_sec: limit of the reset and of the step, seconds each; None sets no limit.

    Raises:
      WorldError: the world does not keep the contract (the message has the first problem), its code fails, or it
        declares that it cannot be played in.
    """
    entry.check_tier(SEEDED, "playing in it")
    settings = dict(settings or {})
    with named_failure(entry.name, "making the world"):
        world = entry.make(**settings)
    try:
        problems = space_problems(world, settings.get("height"), settings.get("width"))
        problems = problems or entry_problems(entry, world)
        refuse(entry.name, problems)
        if config is None:
            with named_failure(entry.name, "sampling the place of seed 0"):
                config = entry.sample_config(0)
        with named_failure(entry.name, "reset"):
            options = {"config": config}
            observed = call_within(step_limit_sec, entry.name, "reset", lambda: world.reset(seed=0, options=options))
        refuse(entry.name, reset_problems(world, observed))
        with named_failure(entry.name, "step 0"):
            result = call_within(step_limit_sec, entry.name, "step 0", lambda: world.step(all_silent(world)))
        refuse(entry.name, step_problems(world, result))
        for problem in bound_problems(world):
            warnings.warn(f"world {entry.name!r}: {problem}", stacklevel=2)
    finally:
        world.close()


def refuse(name: str, problems: list[Problem]) -> None:
    """Raise WorldError, in one line, if the world ``name`` has problems."""
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise WorldError(
            f"world {name!r} does not keep the contract of worlds: {problems[0]}{more}; `rlhf world check {name}` "
            "lists every problem"
        )


def all_silent(world: World) -> dict[str, Action]:
    """Return the actions in which no player does or says anything, as far as that is legal."""
    found: Any = {player: world.spec(player).action.silent(legal_values(world, player)) for player in PLAYERS}
    return found


def space_problems(world: World, height: int | None = None, width: int | None = None) -> list[Problem]:
    """Return how the declared players, observation spaces and action spaces differ from the contract.

    Args:
      height: requested height of the image, pixels; None accepts any. A world that declares its own spaces decides
        itself.
    """
    players = tuple(getattr(world, "possible_agents", ()))
    if set(players) != set(PLAYERS):
        return [Problem("possible_agents", _quoted(list(players)), _quoted(list(PLAYERS)))]
    problems: list[Problem] = []
    for player in PLAYERS:
        with named_failure(_name_of(world), f"the spaces of the {player}"):
            observed, acted = world.observation_space(player), world.action_space(player)
        try:
            spec = world.spec(player)
        except FOREIGN as error:
            where = f"{player}'s observation space" if isinstance(error, InvalidSpace) else f"{player}'s spaces"
            return [Problem(where, _quoted(observed), f"what World.spec declares ({described(error)})")]
        if not isinstance(spec, PlayerSpec):
            return [Problem(f"{player}'s spaces", _quoted(spec), "a PlayerSpec from World.spec")]
        problems += _differing_space(f"{player}'s observation space", observed, gym_observation_space(spec))
        problems += _differing_space(f"{player}'s action space", acted, gym_action_space(spec.action))
        problems += _differing_size(f"{player}'s observation space, image", world, spec, (height, width))
    return problems


def entry_problems(entry: WorldEntry, world: World) -> list[Problem]:
    """Return the differences of a world's spaces from those that its entry declares."""
    for player in PLAYERS if entry.spaces is not None else ():
        declared, found = (entry.spaces or {}).get(player), world.spec(player)
        if declared != found:
            first = differences(found, declared, ("the world", "its WorldEntry"))[0]
            return [Problem(f"{player}'s spaces", first, "the same, or no spaces in the WorldEntry")]
    return []


def _differing_space(where: str, space: spaces.Space, wanted: spaces.Dict) -> list[Problem]:
    """Return the parts of a space that are not those of the declared one; texts may be declared by any Text."""
    if not isinstance(space, spaces.Dict):
        return [Problem(where, _quoted(space), f"a Dict with {' and '.join(wanted.spaces)}, as World.spec declares")]
    problems = []
    for name, part in wanted.spaces.items():
        there = space.spaces.get(name)
        same = there == part or (isinstance(there, spaces.Text) and isinstance(part, spaces.Text))
        if not same:
            found = "missing" if there is None else _quoted(there)
            problems.append(Problem(f"{where}, {name}", found, f"{_quoted(part)}, as World.spec declares"))
    return problems


def _differing_size(where: str, world: World, spec: PlayerSpec, size: tuple[int | None, int | None]) -> list[Problem]:
    image = spec.observation.image
    if image is None or type(world).spec is not World.spec:
        return []
    fits = all(want in (None, have) for want, have in zip(size, image.shape, strict=False))
    asked = f"{size[0] or 'any'}x{size[1] or 'any'} pixels, as asked for"
    return [] if fits else [Problem(where, f"{image.height}x{image.width} pixels", asked)]


def reset_problems(world: World, result: Any) -> list[Problem]:
    """Return the differences from the contract of the result of ``reset`` and of the world after it."""
    if not (isinstance(result, tuple) and len(result) == 2):
        return [Problem("reset", _quoted(result), "(observations, infos)")]
    problems = observation_problems(world, result[0], "after reset")
    problems += _running_problems(world, 0)
    config = getattr(world, "config", None)
    try:
        same = isinstance(config, Mapping) and json.loads(json.dumps(config)) == config
    except (TypeError, ValueError):
        same = False
    if not same:
        problems.append(
            Problem("config", _quoted(config), "a dict that JSON keeps as it is (lists, no tuples or arrays)")
        )
    return problems


def step_problems(world: World, result: Any, step: int = 0) -> list[Problem]:
    """Return the differences from the contract of the result of step number ``step``."""
    where = f"after step {step}"
    if not (isinstance(result, tuple) and len(result) == 5):
        return [Problem(f"step {step}", _quoted(result), "(observations, rewards, terminations, truncations, infos)")]
    problems = observation_problems(world, result[0], where)
    for name, values in zip(("rewards", "terminations", "truncations", "infos"), result[1:], strict=True):
        if not isinstance(values, Mapping) or set(values) != set(PLAYERS):
            problems.append(Problem(f"{name} {where}", _quoted(values), f"a dict with {' and '.join(PLAYERS)}"))
    return problems + (_running_problems(world, step + 1) if getattr(world, "agents", ()) else [])


def bound_problems(world: World) -> list[Problem]:
    """Return the difference of the last observation from what the environment of a foreign world declares.

    It does not keep the world from being played.
    """
    found = world.outside() if isinstance(world, DeclaresBounds) else None
    wanted = "{}, as its observation_space declares; it is played and recorded all the same"
    return [Problem(f"environment's {found.name}", found.found, wanted.format(found.declared))] if found else []


def _running_problems(world: World, steps: int) -> list[Problem]:
    problems = []
    if sorted(world.agents) != sorted(PLAYERS):
        problems.append(Problem("agents", _quoted(world.agents), _quoted(list(PLAYERS))))
    if getattr(world, "step_index", None) != steps:
        found = _quoted(getattr(world, "step_index", "missing"))
        problems.append(Problem("step_index", found, f"{steps} after {steps} steps"))
    return problems


def observation_problems(world: World, observations: Any, where: str) -> list[Problem]:
    """Return the differences of both players' ``observations`` from the contract; ``where`` names them in messages."""
    if not isinstance(observations, Mapping) or set(observations) != set(PLAYERS):
        return [Problem(f"observations {where}", _quoted(observations), f"a dict with {' and '.join(PLAYERS)}")]
    problems: list[Problem] = []
    for player in PLAYERS:
        seen, place = observations[player], f"{player}'s observation {where}"
        if not isinstance(seen, Mapping):
            problems.append(Problem(place, _quoted(seen), "a dict, as World.spec declares"))
            continue
        try:
            world.spec(player).check_observation(seen)
        except InvalidObservation as error:
            problems.append(Problem(place, str(error), "as World.spec declares"))
    return problems


def action_problems(world: World, player: str, action: Any, where: str) -> list[Problem]:
    """Return the differences of an action from the player's declared space; ``where`` names it in messages."""
    if not isinstance(action, Mapping):
        return [Problem(where, _quoted(action), "a dict with movement and utterance")]
    spec = world.spec(player).action
    cast = dict(action)
    if isinstance(cast.get("movement"), (np.ndarray, list)):
        cast["movement"] = np.asarray(cast["movement"])
    try:
        spec.check(cast)
    except InvalidAction as error:
        return [Problem(where, str(error), "as World.spec declares")]
    return []


def _name_of(world: World) -> str:
    return str(getattr(world, "metadata", {}).get("name", type(world).__name__))


def _quoted(value: Any) -> str:
    """A value as a message shows it: arrays by type and shape, all else cut to one short line."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {list(value.shape)}"
    text = " ".join((str(value) if isinstance(value, spaces.Space) else repr(value)).split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
