"""Checks of the fields of an episode; each error is one line with the field, what it is and what it should be.

Arrays are compared as a whole: the checks of five minutes of play take a fraction of a millisecond.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from worlds.contract import BODY
from worlds.spaces.action import ActionSpec, Pointer
from worlds.spaces.observation import Image

SPLITS = ("train", "held_out")
AGENT, CO_PILOT = 0, 1  # who controlled the solver at a step
_UINT8 = np.dtype(np.uint8)
_SEEDS = range(-(2**63), 2**63)


class InvalidField(ValueError):
    """A field of an episode is not what it should be."""


def check_image(image: Any, steps: int, wanted: Image | None = None) -> None:
    """Refuse frames that are not uint8 [steps, H, W, channels].

    Args:
      image: the frames.
      steps: number of steps.
      wanted: the picture that is declared; None takes any size, in three channels.

    Raises:
      InvalidField: saying what they are.
    """
    known = isinstance(image, np.ndarray) and image.ndim == 4 and image.size
    shape = (*(image.shape[1:3] if known else ("H", "W")), 3) if wanted is None else wanted.shape
    check_array("image", image, _UINT8, (steps, *shape))


def check_movement(
    name: str, movement: Any, steps: int, action: ActionSpec = BODY, entities: np.ndarray | None = None
) -> None:
    """Refuse movement that is not of ``action``, or has bins or points at entities that do not exist.

    Args:
      name: of the field.
      movement: should be integers [steps, ticks, discrete components and pointers], int8 or int16.
      steps: number of steps.
      action: the declared space; that of the Playhouse is int8 [steps, 8, 6].
      entities: int32 [steps], number of entities observed at each step; None takes all that there can be.

    Raises:
      InvalidField: naming the first step at which there is such a value.
    """
    dtype = np.dtype(action.dtype)
    check_array(name, movement, dtype, (steps, action.ticks, len(action.discrete)))
    limits = action.limits
    unsigned = np.ascontiguousarray(movement).view(limits.dtype)  # negative values are too large, too
    unknown = (unsigned.reshape(steps, -1) >= limits).reshape(movement.shape)
    if entities is not None:
        pointers = [isinstance(component, Pointer) for component in action.discrete]
        unknown |= pointers & (movement > entities[:, None, None])
    if unknown.any():
        step, tick, column = np.argwhere(unknown)[0].tolist()
        found, known = movement[step, tick, column], action.discrete[column]
        if isinstance(known, Pointer):
            most = known.most if entities is None else entities[step]
            where = f"at step {step}, tick {tick}, where {known.name} has entities 1 to {most}, and 0 for none"
            raise InvalidField(f"{name} points at entity {found} {where}")
        where = f"at step {step}, tick {tick}, where {known.name} has bins 0 to {known.count - 1}"
        raise InvalidField(f"{name} has bin {found} {where}")


def check_controller(controller: Any, steps: int) -> None:
    """Refuse a controller that is not uint8 [steps], or has others than the agent and the co-pilot.

    Raises:
      InvalidField: naming the first step at which there is one.
    """
    check_array("controller", controller, _UINT8, (steps,))
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


def check_array(name: str, array: Any, dtype: np.dtype, shape: tuple[int | str, ...]) -> None:
    """Refuse what is no NumPy array of ``dtype`` and ``shape``.

    Args:
      name: of the field.
      array: its value.
      dtype: its type.
      shape: its shape; text stands for a side of unknown length.

    Raises:
      InvalidField: saying what it is.
    """
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.shape != shape:
        kind = f"{array.dtype} {_shape(array.shape)}" if isinstance(array, np.ndarray) else f"a {type(array).__name__}"
        raise InvalidField(f"{name} is {kind}, not a NumPy array {dtype} {_shape(shape)}")


def _shape(shape: tuple[int | str, ...]) -> str:
    return f"[{', '.join(map(str, shape))}]"


def _is_step(value: object, steps: range) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and int(value) in steps
