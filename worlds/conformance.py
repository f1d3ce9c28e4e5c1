"""Comparison of a world with the contract: of the spaces that it declares, and of what reset and step return.

Agents, recordings and replay rely on the spaces of :mod:`worlds.contract` exactly: an image, two texts and the previous
movement are observed, and an action is a movement of fixed components and an utterance. A world that differs is
refused here, in one line, before anything is played.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

from worlds.contract import (
    MOVEMENT_BINS,
    MOVEMENT_NAMES,
    SETTER,
    SOLVER,
    TICKS_PER_STEP,
    World,
    WorldError,
    silent,
)
from worlds.faults import named_failure
from worlds.registry import WorldEntry

PLAYERS = (SETTER, SOLVER)
MOVEMENT_SHAPE = (TICKS_PER_STEP, len(MOVEMENT_BINS))
TEXTS = ("setter_text", "solver_text")

_IMAGE = "uint8 [{}, {}, 3]"
_MOVEMENT_SPACE = (
    f"worlds.contract.movement_space(): MultiDiscrete [{MOVEMENT_SHAPE[0]}, {MOVEMENT_SHAPE[1]}], a row a tick and "
    f"a column each for {', '.join(MOVEMENT_NAMES)}"
)
_TEXT_SPACE = "worlds.contract.Utterance()"
_LONGEST = 80  # characters of a value that a message quotes


@dataclass(frozen=True)
class Problem:
    """One difference between a world and the contract.

    Args:
      component: the part of the world that differs, e.g. "solver's observation: image".
      found: what the world has or does.
      wanted: what the contract wants there.
    """

    component: str
    found: str
    wanted: str

    def __str__(self) -> str:
        return f"{self.component}: {self.found}, wanted {self.wanted}"


def check_conforms(
    entry: WorldEntry, settings: Mapping[str, Any] | None = None, config: Mapping[str, Any] | None = None
) -> None:
    """Make the world, reset it and play one step.

    Args:
      entry: of the world.
      settings: keywords with which it is made, among them the size of the image.
      config: the place that is entered; None samples the one of seed 0.

    Raises:
      WorldError: the world does not keep the contract (the message has the first problem), or its code fails.
    """
    settings = dict(settings or {})
    with named_failure(entry.name, "making the world"):
        world = entry.make(**settings)
    try:
        problems = space_problems(world, settings.get("height"), settings.get("width"))
        refuse(entry.name, problems)
        if config is None:
            with named_failure(entry.name, "sampling the place of seed 0"):
                config = entry.sample_config(0)
        with named_failure(entry.name, "reset"):
            observed = world.reset(seed=0, options={"config": config})
        refuse(entry.name, reset_problems(world, observed))
        with named_failure(entry.name, "step 0"):
            result = world.step({player: silent() for player in PLAYERS})
        refuse(entry.name, step_problems(world, result))
    finally:
        world.close()


def refuse(name: str, problems: list[Problem]) -> None:
    """Raise WorldError, in one line, if the world ``name`` has problems."""
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise WorldError(
            f"world {name!r} does not keep the contract of worlds: {problems[0]}{more}; `rlhf doctor --world {name}` "
            "lists every problem"
        )


def space_problems(world: World, height: int | None = None, width: int | None = None) -> list[Problem]:
    """Return the differences of the declared players, observation spaces and action spaces from the contract.

    Args:
      world: not yet reset.
      height: of the image that was asked for, in pixels; None takes any.
      width: as ``height``.
    """
    players = tuple(getattr(world, "possible_agents", ()))
    if set(players) != set(PLAYERS):
        return [Problem("possible_agents", _quoted(list(players)), _quoted(list(PLAYERS)))]
    problems: list[Problem] = []
    for player in PLAYERS:
        with named_failure(_name_of(world), f"the spaces of the {player}"):
            observed, acted = world.observation_space(player), world.action_space(player)
        problems += _observation_space_problems(f"{player}'s observation space", observed, (height, width))
        problems += _action_space_problems(f"{player}'s action space", acted)
    return problems


def _observation_space_problems(where: str, space: spaces.Space, size: tuple[int | None, int | None]) -> list[Problem]:
    wanted = "a Dict with image, setter_text, solver_text and previous_movement (worlds.contract.observation_space)"
    if not isinstance(space, spaces.Dict):
        return [Problem(where, _quoted(space), wanted)]
    problems = _missing(where, space.spaces, ("image", *TEXTS, "previous_movement"), wanted)
    image = space.spaces.get("image")
    fits = (
        isinstance(image, spaces.Box)
        and image.dtype == np.uint8
        and len(image.shape) == 3
        and image.shape[2] == 3
        and all(want in (None, have) for want, have in zip(size, image.shape, strict=False))
    )
    if image is not None and not fits:
        asked = _IMAGE.format(size[0] or "height", size[1] or "width")
        problems.append(Problem(f"{where}, image", _quoted(image), f"Box(0, 255, uint8) {asked}"))
    for name in TEXTS:
        problems += _text_space_problems(f"{where}, {name}", space.spaces.get(name))
    return problems + _movement_space_problems(f"{where}, previous_movement", space.spaces.get("previous_movement"))


def _action_space_problems(where: str, space: spaces.Space) -> list[Problem]:
    wanted = "a Dict with movement and utterance (worlds.contract.action_space)"
    if not isinstance(space, spaces.Dict):
        return [Problem(where, _quoted(space), wanted)]
    problems = _missing(where, space.spaces, ("movement", "utterance"), wanted)
    problems += _movement_space_problems(f"{where}, movement", space.spaces.get("movement"))
    return problems + _text_space_problems(f"{where}, utterance", space.spaces.get("utterance"))


def _missing(where: str, there: Mapping[str, Any], names: tuple[str, ...], wanted: str) -> list[Problem]:
    return [Problem(f"{where}, {name}", "missing", wanted) for name in names if name not in there]


def _text_space_problems(where: str, space: spaces.Space | None) -> list[Problem]:
    """Problems of a space of text; none where it is missing, which is reported once."""
    if space is None or (isinstance(space, spaces.Text) and space.contains("go to the red ball")):
        return []
    return [Problem(where, _quoted(space), _TEXT_SPACE)]


def _movement_space_problems(where: str, space: spaces.Space | None) -> list[Problem]:
    bins = np.tile(MOVEMENT_BINS, (TICKS_PER_STEP, 1))
    if space is None or (isinstance(space, spaces.MultiDiscrete) and np.array_equal(space.nvec, bins)):
        return []
    return [Problem(where, _quoted(space), _MOVEMENT_SPACE)]


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
        space: Any = world.observation_space(player)
        problems += _one_observation_problems(
            f"{player}'s observation {where}", observations[player], space["image"].shape
        )
    return problems


def _one_observation_problems(where: str, observation: Any, image_shape: tuple[int, ...]) -> list[Problem]:
    if not isinstance(observation, Mapping):
        return [Problem(where, _quoted(observation), "a dict with image, texts and previous_movement")]
    wanted = "as in worlds.contract.Observation"
    problems = _missing(where, observation, ("image", *TEXTS, "previous_movement"), wanted)
    image = observation.get("image")
    if image is not None and not (_is_array(image, np.uint8) and image.shape == image_shape):
        problems.append(Problem(f"{where}, image", _quoted(image), _IMAGE.format(*image_shape) + ", as declared"))
    for name in TEXTS:
        if name in observation and not isinstance(observation[name], str):
            problems.append(Problem(f"{where}, {name}", _quoted(observation[name]), 'text, "" before the first words'))
    if "previous_movement" in observation:
        problems += movement_problems(f"{where}, previous_movement", observation["previous_movement"])
    return problems


def movement_problems(where: str, movement: Any) -> list[Problem]:
    """Return the differences of a step's movement from int8 [TICKS_PER_STEP, components] with bins that exist."""
    if not (_is_array(movement, np.int8) and movement.shape == MOVEMENT_SHAPE):
        return [Problem(where, _quoted(movement), f"int8 [{MOVEMENT_SHAPE[0]}, {MOVEMENT_SHAPE[1]}]")]
    bad = np.argwhere((movement < 0) | (movement >= MOVEMENT_BINS))
    if not len(bad):
        return []
    tick, part = bad[0]
    found = f"{MOVEMENT_NAMES[part]} is {movement[tick, part]} at tick {tick}"
    return [Problem(where, found, f"a bin from 0 to {MOVEMENT_BINS[part] - 1}")]


def _is_array(value: Any, dtype: type) -> bool:
    return isinstance(value, np.ndarray) and value.dtype == dtype


def _name_of(world: World) -> str:
    return str(getattr(world, "metadata", {}).get("name", type(world).__name__))


def _quoted(value: Any) -> str:
    """A value as a message shows it: arrays by type and shape, all else cut to one short line."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {list(value.shape)}"
    text = " ".join((str(value) if isinstance(value, spaces.Space) else repr(value)).split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
