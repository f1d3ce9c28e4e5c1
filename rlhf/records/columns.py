"""The fields of an episode that have a row for every step, from observations and actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rlhf.records.fields import InvalidField, wrong_bin
from rlhf.records.spaces import EpisodeSpaces
from worlds.spaces.action import ActionSpec
from worlds.spaces.observation import PlayerSpec
from worlds.spaces.steps import stack_observations

Row = tuple[Mapping[str, Any], Mapping[str, Any], Mapping[str, Any]]


def episode_columns(rows: Sequence[Row], controller: Sequence[int], spaces: EpisodeSpaces) -> dict[str, Any]:
    """Return the fields of an :class:`~rlhf.records.episode.Episode` that have a row for every step, and ``spaces``.

    Args:
      rows: [T], the solver's observation, its action and the setter's action of each step.
      controller: [T], AGENT or CO_PILOT.

    Raises:
      InvalidField: a part is missing at some step, or of another shape than at the first.
    """
    observed, solver, setter = zip(*rows, strict=True)
    seen = _seen(spaces.solver, observed)
    return {
        "image": seen.pop("image", None),
        "setter_text": tuple(one["setter_text"] for one in observed),
        "solver_text": tuple(one["solver_text"] for one in observed),
        **_done("", solver, spaces.solver.action),
        **_done("setter_", setter, spaces.setter),
        "controller": np.array(controller, np.uint8),
        "spaces": spaces,
        "seen": seen,
        "texts": {name: tuple(one[name] for one in observed) for name in spaces.solver.observation.texts},
    }


def _seen(player: PlayerSpec, observed: Sequence[Mapping[str, Any]]) -> dict[str, np.ndarray]:
    try:
        return stack_observations(player, observed)
    except (ValueError, KeyError, TypeError):
        for name in player.arrays:
            _stacked(name, observed, name)  # names what does not fit
        raise


def _stacked(name: str, parts: Sequence[Mapping[str, Any]], key: str) -> np.ndarray:
    """Return part ``key`` of every step as one array [T, ...].

    Raises:
      InvalidField: it is missing at some step, or of another shape than at the first.
    """
    arrays: list[Any] = [part.get(key) for part in parts]
    try:
        return np.stack(arrays)
    except ValueError:
        for step, array in enumerate(arrays):
            if not isinstance(array, np.ndarray):
                what = "missing" if array is None else f"a {type(array).__name__}"
                raise InvalidField(f"{name} is {what} at step {step}, not an array") from None
            if array.shape != arrays[0].shape:
                shapes = f"{list(array.shape)} at step {step}, not {list(arrays[0].shape)}"
                raise InvalidField(f"{name} has the shape {shapes} as before") from None
        raise


def _done(player: str, actions: Sequence[Mapping[str, Any]], action: ActionSpec) -> dict[str, Any]:
    """Return the fields of the player whose names begin with ``player``.

    Raises:
      InvalidField: a value is none of the action's type, e.g. too large.
    """
    given = _stacked(f"{player}movement", actions, "movement")
    movement = given.astype(action.dtype, copy=False)
    wrong = movement != given
    if movement.ndim == 3 and wrong.any():
        place = np.argwhere(wrong)[0].tolist()
        raise InvalidField(wrong_bin(f"{player}movement", given[tuple(place)], action, place))
    name, continuous = f"{player}continuous", None
    if action.continuous:
        continuous = _stacked(name, actions, "continuous").astype(np.float32)
    said = tuple(one["utterance"] for one in actions)
    return {f"{player}movement": movement, name: continuous, f"{player}utterance": said}
