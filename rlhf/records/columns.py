"""The fields of an episode that have a row for every step, from observations and actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rlhf.records.declared_fields import ENTITY_COUNTS, seen_names
from rlhf.records.fields import InvalidField
from rlhf.records.spaces import EpisodeSpaces
from worlds.contract import BODY
from worlds.spaces.action import ActionSpec

Row = tuple[Mapping[str, Any], Mapping[str, Any], Mapping[str, Any]]


def episode_columns(
    rows: Sequence[Row], controller: Sequence[int], spaces: EpisodeSpaces | None = None
) -> dict[str, Any]:
    """Return the fields of an :class:`~rlhf.records.episode.Episode` that have a row for every step, and ``spaces``.

    Args:
      rows: [T], the solver's observation, its action and the setter's action of each step.
      controller: [T], AGENT or CO_PILOT.
      spaces: of the episode; None is the body of the Playhouse and a picture.

    Raises:
      InvalidField: a part is missing at some step, or of another shape than at the first.
    """
    seen, solver, setter = zip(*rows, strict=True)
    if spaces is not None and spaces.of_the_playhouse:
        spaces = None
    pictured = spaces is None or spaces.solver.observation.image is not None
    bodies = (BODY, BODY) if spaces is None else (spaces.solver.action, spaces.setter)
    columns: dict[str, Any] = {
        "image": _stacked("image", seen) if pictured else None,
        "setter_text": tuple(o["setter_text"] for o in seen),
        "solver_text": tuple(o["solver_text"] for o in seen),
        "movement": _movement("movement", solver, bodies[0]),
        "utterance": tuple(a["utterance"] for a in solver),
        "setter_movement": _movement("setter_movement", setter, bodies[1]),
        "setter_utterance": tuple(a["utterance"] for a in setter),
        "controller": np.array(controller, np.uint8),
    }
    if spaces is None:
        return columns
    return columns | {
        "spaces": spaces,
        "continuous": _continuous("continuous", solver, bodies[0]),
        "setter_continuous": _continuous("setter_continuous", setter, bodies[1]),
        "seen": {name: _seen(name, seen) for name in seen_names(spaces.solver)},
        "texts": {name: tuple(o[name] for o in seen) for name in spaces.solver.observation.texts},
    }


def observed_at(seen: Mapping[str, np.ndarray], texts: Mapping[str, Sequence[str]], step: int) -> dict[str, Any]:
    """Return what the solver observed at one step besides the image, as its world gave it.

    Args:
      seen: as :class:`~rlhf.records.episode.Episode` has it.
      texts: as the episode has it.
      step: which step.
    """
    found: dict[str, Any] = {key: said[step] for key, said in texts.items()}
    for name, values in seen.items():
        if name in ("entity_categories", "entity_values"):
            begin = int(seen[ENTITY_COUNTS][:step].sum())
            found[name] = values[begin : begin + int(seen[ENTITY_COUNTS][step])]
        elif name != ENTITY_COUNTS:
            found[name] = values[step]
    return found


def _seen(name: str, observations: Sequence[Mapping[str, Any]]) -> np.ndarray:
    """Return part ``name`` of all steps; entities lie end to end."""
    if name == ENTITY_COUNTS:
        return np.array([len(o["entity_categories"]) for o in observations], np.int32)
    if name in ("entity_categories", "entity_values"):
        return np.concatenate([o[name] for o in observations])
    return _stacked(name, observations)


def _stacked(name: str, parts: Sequence[Mapping[str, Any]], key: str = "") -> np.ndarray:
    """Return part ``key`` (by default ``name``) of every step as one array [T, ...].

    Raises:
      InvalidField: it is missing at some step, or of another shape than at the first.
    """
    arrays: list[Any] = [part.get(key or name) for part in parts]
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


def _movement(name: str, actions: Sequence[Mapping[str, Any]], action: ActionSpec) -> np.ndarray:
    """Stack T movements as the type of ``action``.

    Raises:
      InvalidField: a value is none of that type, e.g. too large.
    """
    given = _stacked(name, actions, "movement")
    movement = given.astype(action.dtype, copy=False)
    wrong = movement != given
    if movement.ndim == 3 and wrong.any():
        step, tick, column = np.argwhere(wrong)[0].tolist()
        known = action.discrete[column]
        where = f"at step {step}, tick {tick}, where {known.name} has bins 0 to {known.count - 1}"
        raise InvalidField(f"{name} has bin {given[step, tick, column]} {where}")
    return movement


def _continuous(name: str, actions: Sequence[Mapping[str, Any]], action: ActionSpec) -> np.ndarray | None:
    return _stacked(name, actions, "continuous").astype(np.float32) if action.continuous else None
