"""Checks of the fields of an episode; each error is one line with the field, what it is and what it should be.

Arrays are compared as a whole: the checks of five minutes of play take a fraction of a millisecond.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from rlhf.records.spaces import EpisodeSpaces
from worlds.spaces.action import ActionSpec, Grammar, Pointer
from worlds.spaces.observation import Entities, Grid, PlayerSpec
from worlds.spaces.steps import ENTITIES, ENTITY_COUNTS, step_arrays

SPLITS = ("train", "held_out")
AGENT, CO_PILOT = 0, 1  # who controlled the solver at a step
_UINT8 = np.dtype(np.uint8)
_SEEDS = range(-(2**63), 2**63)


class InvalidField(ValueError):
    """A field of an episode is not what it should be."""


def check_play(fields: Mapping[str, Any], spaces: EpisodeSpaces, steps: int) -> None:
    """Refuse observations and actions of both players that are not of the declared spaces.

    Args:
      fields: an episode's, by name.

    Raises:
      InvalidField: naming the first field that is wrong, the step, the value and the range.
    """
    image = spaces.solver.observation.image
    if image is not None:
        check_array("image", fields["image"], _UINT8, (steps, *image.shape))
    elif fields["image"] is not None:
        raise InvalidField("image is given, but the spaces declare none")
    check_solver(fields, spaces.solver, steps)
    _check_action("setter_", fields, spaces.setter, None, steps)


def check_solver(fields: Mapping[str, Any], player: PlayerSpec, steps: int) -> None:
    """Refuse what the solver observed, but for frames, and did if it is not of the declared spaces.

    Args:
      fields: an episode's, by name.

    Raises:
      InvalidField: naming the first field that is wrong, the step, the value and the range.
    """
    _check_seen(fields["seen"], player, steps)
    _check_keys("texts", fields["texts"], player.observation.texts)
    for name, texts in fields["texts"].items():
        check_texts(f"texts[{name!r}]", texts, steps)
    _check_action("", fields, player.action, fields["seen"].get(ENTITY_COUNTS), steps)


def _check_action(
    player: str, fields: Mapping[str, Any], action: ActionSpec, entities: np.ndarray | None, steps: int
) -> None:
    """Refuse actions of the player whose fields begin with ``player``."""
    for name in ("movement", "continuous"):
        field, values = f"{player}{name}", fields[f"{player}{name}"]
        if name in action.arrays:
            dtype, shape = action.arrays[name]
            check_array(field, values, dtype, (steps, *shape))
        elif values is not None:
            raise InvalidField(f"{field} is given, but no component of the action is continuous")
    check_bins(f"{player}movement", fields[f"{player}movement"], action, entities)
    if action.continuous:
        _check_bounds(f"{player}continuous", fields[f"{player}continuous"], action)
    _check_speech(f"{player}utterance", fields[f"{player}utterance"], action)


def check_bins(name: str, movement: np.ndarray, action: ActionSpec, entities: np.ndarray | None = None) -> None:
    """Refuse movement that has bins or points at entities that do not exist.

    Args:
      movement: [steps, ticks, discrete components and pointers], of the action's type.
      entities: int32 [steps], number of entities observed at each step; None takes all that there can be.

    Raises:
      InvalidField: naming the first step at which there is such a value.
    """
    limits = action.limits
    unsigned = np.ascontiguousarray(movement).view(limits.dtype)  # negative values are too large, too
    unknown = (unsigned.reshape(len(movement), -1) >= limits).reshape(movement.shape)
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
        raise InvalidField(wrong_bin(name, found, action, (step, tick, column)))


def wrong_bin(name: str, value: Any, action: ActionSpec, place: Sequence[int]) -> str:
    """Return the message for a bin that does not exist at ``place``: step, tick and component."""
    step, tick, column = place
    known = action.discrete[column]
    return f"{name} has bin {value} at step {step}, tick {tick}, where {known.name} has bins 0 to {known.count - 1}"


def _check_bounds(name: str, values: np.ndarray, action: ActionSpec) -> None:
    parts = action.continuous
    low, high = np.array([[part.low, part.high] for part in parts], np.float32).T
    outside = ~((values >= low) & (values <= high))  # also where it is no number
    if outside.any():
        step, tick, column = np.argwhere(outside)[0].tolist()
        part = parts[column]
        where = f"at step {step}, tick {tick}, where {part.name} has {part.low} to {part.high}"
        raise InvalidField(f"{name} is {values[step, tick, column]} {where}")


def _check_seen(seen: Any, player: PlayerSpec, steps: int) -> None:
    known, arrays = player.observation, step_arrays(player)
    _check_keys("seen", seen, [name for name in arrays if name != "image"])
    for name, (dtype, shape) in arrays.items():
        if name == "image":
            continue
        if name in ENTITIES:
            check_array(name, seen[name], dtype, (int(seen[ENTITY_COUNTS].sum(dtype=np.int64)), *shape[1:]))
        else:
            check_array(name, seen[name], dtype, (steps, *shape))
        if name == ENTITY_COUNTS and known.entities is not None:
            _check_counts(seen[name], known.entities.most)
    if known.grid is not None:
        _check_grid(seen["grid"], known.grid)
    if known.entities is not None:
        _check_categories(seen["entity_categories"], known.entities, seen[ENTITY_COUNTS])
        _check_finite("entity_values", seen["entity_values"], known.entities.real, seen[ENTITY_COUNTS])
    if known.vector is not None:
        _check_finite("vector", seen["vector"], known.vector.names, None)
    if player.action.masked:
        _check_legal(seen["legal"], player.action)


def _check_keys(name: str, found: Any, wanted: Sequence[str]) -> None:
    if not isinstance(found, Mapping):
        raise InvalidField(f"{name} is a {type(found).__name__}, not a mapping")
    for key in wanted:
        if key not in found:
            raise InvalidField(f"{name} has no {key!r}, which the spaces declare")
    for key in found:
        if key not in wanted:
            raise InvalidField(f"{name} has {key!r}, which the spaces do not declare")


def _check_grid(grid: np.ndarray, known: Grid) -> None:
    unknown = grid.view(np.uint16) >= known.counts  # a category below 0 is a large number, too
    if unknown.any():
        step, row, column, channel = np.argwhere(unknown)[0].tolist()
        where = f"at step {step}, cell [{row}, {column}], where channel {channel} has categories 0 to "
        found = grid[step, row, column, channel]
        raise InvalidField(f"grid is {found} {where}{known.categories[channel] - 1}")


def _check_counts(counts: np.ndarray, most: int) -> None:
    wrong = (counts < 0) | (counts > most)
    if wrong.any():
        step = int(wrong.argmax())
        raise InvalidField(f"{ENTITY_COUNTS} is {counts[step]} at step {step}, not 0 to {most}")


def _check_categories(categories: np.ndarray, known: Entities, counts: np.ndarray) -> None:
    unknown = (categories < 0) | (categories >= known.counts)
    if unknown.any():
        row, column = np.argwhere(unknown)[0].tolist()
        part = known.categorical[column]
        where = f"{_entity(row, counts)}, where {part.name} has categories 0 to {part.count - 1}"
        raise InvalidField(f"entity_categories is {categories[row, column]} {where}")


def _check_finite(name: str, values: np.ndarray, names: Sequence[str], counts: np.ndarray | None) -> None:
    """Refuse what is not finite in ``values`` [steps, features], or [entities of all steps, features]."""
    wrong = ~np.isfinite(values)
    if wrong.any():
        row, column = np.argwhere(wrong)[0].tolist()
        where = f"at step {row}" if counts is None else _entity(row, counts)
        what = names[column] if names else f"number {column}"
        raise InvalidField(f"{name} is {values[row, column]} {where}, {what}, not finite")


def _entity(row: int, counts: np.ndarray) -> str:
    """Return the place of a row of entities that lie end to end, for a message."""
    ends = np.cumsum(counts)
    step = int(np.searchsorted(ends, row, side="right"))
    return f"at step {step}, entity {row - int(ends[step] - counts[step])}"


def _check_legal(legal: np.ndarray, action: ActionSpec) -> None:
    none = ~np.logical_or.reduceat(legal, np.cumsum(action.counts) - action.counts, axis=1)
    if none.any():
        step, column = np.argwhere(none)[0].tolist()
        raise InvalidField(f"legal rules out every value of {action.discrete[column].name} at step {step}")


def _check_speech(name: str, texts: Sequence[str], action: ActionSpec) -> None:
    if action.speech is None and any(texts):
        problem = ", but the player cannot speak"
    elif isinstance(action.speech, Grammar) and not _sentences(action.speech).issuperset(texts):
        problem = ", which is no sentence of the grammar"
    else:
        return
    known = _sentences(action.speech) if isinstance(action.speech, Grammar) else {""}
    step = next(step for step, text in enumerate(texts) if text not in known)
    raise InvalidField(f"{name} is {texts[step][:40]!r} at step {step}{problem}")


@lru_cache(maxsize=16)
def _sentences(grammar: Grammar) -> frozenset[str]:
    """Return every sentence of ``grammar``, and silence."""
    return frozenset(grammar.sentences()) | {""}


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
    """Refuse names, mappings, seeds and splits that are none; ``fields`` are an episode's, by name.

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


def check_array(name: str, array: Any, dtype: np.dtype, shape: tuple[int | None, ...]) -> None:
    """Refuse what is no NumPy array of ``dtype`` and ``shape``.

    Raises:
      InvalidField: saying what it is.
    """
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.shape != shape:
        raise InvalidField(not_an_array(name, array, dtype, shape))


def not_an_array(name: str, array: Any, dtype: Any, shape: tuple[object, ...]) -> str:
    """Return the message for what is not such an array; text in ``shape`` stands for a side of any length."""
    kind = f"{array.dtype} {_shape(array.shape)}" if isinstance(array, np.ndarray) else f"a {type(array).__name__}"
    return f"{name} is {kind}, not a NumPy array {np.dtype(dtype)} {_shape(shape)}"


def _shape(shape: tuple[object, ...]) -> str:
    return f"[{', '.join(map(str, shape))}]"


def _is_step(value: object, steps: range) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and int(value) in steps
