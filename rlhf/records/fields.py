"""Checks of the fields of an episode; each error is one line with the field, what it is and what it should be.

Arrays are compared as a whole: the checks of five minutes of play take a fraction of a millisecond.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from worlds.contract import MOVEMENT, MOVEMENT_BINS, TICKS_PER_STEP

SPLITS = ("train", "held_out")
AGENT, CO_PILOT = 0, 1  # who controlled the solver at a step
_BINS = np.tile(MOVEMENT_BINS.astype(np.uint8), TICKS_PER_STEP)  # of a step's numbers in a row, which compare faster
_INT8, _UINT8 = np.dtype(np.int8), np.dtype(np.uint8)
_SEEDS = range(-(2**63), 2**63)


class InvalidField(ValueError):
    """A field of an episode is not what it should be."""


def check_image(image: Any, steps: int) -> None:
    """Refuse frames that are not uint8 [steps, H, W, 3].

    Raises:
      InvalidField: saying what they are.
    """
    shape = image.shape[1:3] if isinstance(image, np.ndarray) and image.ndim == 4 and image.size else ("H", "W")
    _check_array("image", image, _UINT8, (steps, *shape, 3))


def check_movement(name: str, movement: Any, steps: int) -> None:
    """Refuse movement that is not int8 [steps, 8, components], or has bins that do not exist.

    Args:
      name: of the field.

    Raises:
      InvalidField: naming the first step at which there is such a bin.
    """
    shape = (steps, TICKS_PER_STEP, len(MOVEMENT))
    _check_array(name, movement, _INT8, shape)
    unknown = (
        np.ascontiguousarray(movement).view(_UINT8).reshape(steps, -1) >= _BINS
    )  # negative ones are too large, too
    if unknown.any():
        step, tick, component = np.argwhere(unknown.reshape(shape))[0].tolist()
        found, known = movement[step, tick, component], MOVEMENT[component]
        where = f"at step {step}, tick {tick}, where {known.name} has bins 0 to {len(known.values) - 1}"
        raise InvalidField(f"{name} has bin {found} {where}")


def check_controller(controller: Any, steps: int) -> None:
    """Refuse a controller that is not uint8 [steps], or has others than the agent and the co-pilot.

    Raises:
      InvalidField: naming the first step at which there is one.
    """
    _check_array("controller", controller, _UINT8, (steps,))
    unknown = controller > CO_PILOT
    if unknown.any():
        step = int(unknown.argmax())
        known = f"{AGENT} (agent) or {CO_PILOT} (co-pilot)"
        raise InvalidField(f"controller is {controller[step]} at step {step}, not {known}")


def check_texts(name: str, texts: Any, steps: int) -> None:
    """Refuse what is not a tuple of as many texts as there are steps.

    Raises:
      InvalidField: naming the first that is no text.
    """
    if not isinstance(texts, tuple):
        raise InvalidField(f"{name} is a {type(texts).__name__}, not a tuple of {steps} texts")
    if len(texts) != steps:
        raise InvalidField(f"{name} has {len(texts)} rows, not {steps}")
    if set(map(type, texts)) != {str}:
        for step, text in enumerate(texts):
            if not isinstance(text, str):
                raise InvalidField(f"{name} is {text!r} at step {step}, not text")


def check_requests(requests: Any, success_step: Any, steps: int) -> None:
    """Refuse requests outside the episode, and successes that are none of theirs.

    Args:
      requests: records with a ``step`` each.
      success_step: for each of them a step, from its own on, or None.

    Raises:
      InvalidField: naming the first that is wrong.
    """
    for name, value in (("requests", requests), ("success_step", success_step)):
        if not isinstance(value, tuple):
            raise InvalidField(f"{name} is a {type(value).__name__}, not a tuple")
    if len(success_step) != len(requests):
        several = f"{len(success_step)} values for {len(requests)} requests"
        raise InvalidField(f"success_step has {several}, not for each the step at which it succeeded, or None")
    for number, (request, success) in enumerate(zip(requests, success_step, strict=True)):
        if not _is_step(request.step, range(steps)):
            raise InvalidField(f"requests[{number}].step is {request.step!r}, not one of the steps 0 to {steps - 1}")
        if success is not None and not _is_step(success, range(request.step, steps)):
            known = f"None or a step from its request, {request.step}, to {steps - 1}"
            raise InvalidField(f"success_step[{number}] is {success!r}, not {known}")


def check_truth(truth: Any, steps: int) -> None:
    """Refuse events that no observation shows. One of the last step's is shown by the observation after it.

    Args:
      truth: records with ``step`` and ``sign``.

    Raises:
      InvalidField: naming the first.
    """
    if not isinstance(truth, tuple):
        raise InvalidField(f"truth is a {type(truth).__name__}, not a tuple of events")
    for number, event in enumerate(truth):
        if not _is_step(event.step, range(steps + 1)):
            raise InvalidField(f"truth[{number}].step is {event.step!r}, not one of the steps 0 to {steps}")
        if event.sign not in (1, -1):
            raise InvalidField(f"truth[{number}].sign is {event.sign!r}, not +1 or -1")


def check_about(fields: Mapping[str, Any]) -> None:
    """Refuse names, mappings, seeds and splits that are none.

    Args:
      fields: an episode's, by name.

    Raises:
      InvalidField: naming the first.
    """
    for name in ("episode_id", "world", "setter", "solver", "created"):
        if not isinstance(fields[name], str):
            raise InvalidField(f"{name} is {fields[name]!r}, not text")
    for name in ("config", "notes"):
        if not isinstance(fields[name], Mapping):
            raise InvalidField(f"{name} is a {type(fields[name]).__name__}, not a mapping")
    if fields["split"] not in SPLITS:
        raise InvalidField(f'split is {fields["split"]!r}, not "train" or "held_out"')
    if not _is_step(fields["seed"], _SEEDS):
        raise InvalidField(f"seed is {fields['seed']!r}, not a whole number of 64 bits")


def _check_array(name: str, array: Any, dtype: np.dtype, shape: tuple[int | str, ...]) -> None:
    """Raises InvalidField unless ``array`` is a NumPy array of ``dtype`` and ``shape``, which may have letters."""
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.shape != shape:
        kind = f"{array.dtype} {_shape(array.shape)}" if isinstance(array, np.ndarray) else f"a {type(array).__name__}"
        raise InvalidField(f"{name} is {kind}, not a NumPy array {dtype} {_shape(shape)}")


def _shape(shape: tuple[int | str, ...]) -> str:
    return f"[{', '.join(map(str, shape))}]"


def _is_step(value: object, steps: range) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and int(value) in steps
