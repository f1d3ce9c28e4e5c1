"""Checks of the fields of an episode that only declared spaces have, as those of ``fields`` are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from rlhf.records.fields import InvalidField, check_array, check_image, check_movement, check_texts
from rlhf.records.spaces import EpisodeSpaces
from worlds.spaces.action import ActionSpec, Grammar
from worlds.spaces.observation import Entities, Grid, ObservationSpec, PlayerSpec

_INT16, _INT32, _FLOAT32, _BOOL = (np.dtype(kind) for kind in (np.int16, np.int32, np.float32, np.bool_))
ENTITY_COUNTS = "entity_counts"


def check_undeclared(fields: Mapping[str, Any]) -> None:
    """Refuse fields of declared spaces in an episode without any.

    Args:
      fields: an episode's, by name.

    Raises:
      InvalidField: naming the first.
    """
    for name in ("continuous", "setter_continuous"):
        if fields[name] is not None:
            raise InvalidField(f"{name} is given, but no spaces, of whose actions it would be")
    for name in ("seen", "texts"):
        _check_keys(name, fields[name], ())


def check_declared(fields: Mapping[str, Any], spaces: EpisodeSpaces, steps: int) -> None:
    """Refuse observations and actions that are not of the declared spaces.

    Args:
      fields: an episode's, by name.
      spaces: the episode's.
      steps: number of steps.

    Raises:
      InvalidField: naming the first field that is wrong, the step, the value and the range.
    """
    image = spaces.solver.observation.image
    if image is not None:
        check_image(fields["image"], steps, image)
    elif fields["image"] is not None:
        raise InvalidField("image is given, but the spaces declare none")
    check_solver(fields, spaces.solver, steps)
    _check_action("setter_", fields, spaces.setter, None, steps)


def check_solver(fields: Mapping[str, Any], player: PlayerSpec, steps: int) -> None:
    """Refuse what the solver observed, but for frames, and did if it is not of the declared spaces.

    Args:
      fields: an episode's, by name.
      player: the solver's spaces.
      steps: number of steps.

    Raises:
      InvalidField: naming the first field that is wrong, the step, the value and the range.
    """
    check_seen(fields["seen"], player, steps)
    _check_keys("texts", fields["texts"], player.observation.texts)
    for name, texts in fields["texts"].items():
        check_texts(f"texts[{name!r}]", texts, steps)
    _check_action("", fields, player.action, fields["seen"].get(ENTITY_COUNTS), steps)


def _check_action(
    player: str, fields: Mapping[str, Any], action: ActionSpec, entities: np.ndarray | None, steps: int
) -> None:
    """Refuse actions of the player whose fields begin with ``player``. Raises InvalidField."""
    check_movement(f"{player}movement", fields[f"{player}movement"], steps, action, entities)
    check_continuous(f"{player}continuous", fields[f"{player}continuous"], steps, action)
    _check_speech(f"{player}utterance", fields[f"{player}utterance"], action)


def check_continuous(name: str, values: Any, steps: int, action: ActionSpec) -> None:
    """Refuse continuous movement that is not float32 [steps, ticks, continuous components], or leaves its bounds.

    Args:
      name: of the field.
      values: None where no component is continuous.
      steps: number of steps.
      action: the declared space.

    Raises:
      InvalidField: naming the first step at which it does.
    """
    parts = action.continuous
    if not parts:
        if values is not None:
            raise InvalidField(f"{name} is given, but no component of the action is continuous")
        return
    check_array(name, values, _FLOAT32, (steps, action.ticks, len(parts)))
    low, high = np.array([[part.low, part.high] for part in parts], np.float32).T
    outside = ~((values >= low) & (values <= high))  # also where it is no number
    if outside.any():
        step, tick, column = np.argwhere(outside)[0].tolist()
        part = parts[column]
        where = f"at step {step}, tick {tick}, where {part.name} has {part.low} to {part.high}"
        raise InvalidField(f"{name} is {values[step, tick, column]} {where}")


def check_seen(seen: Any, player: PlayerSpec, steps: int) -> None:
    """Refuse arrays of observations that are not those that ``player`` declares.

    Args:
      seen: by name, see :class:`rlhf.records.episode.Episode`.
      player: the declared spaces.
      steps: number of steps.

    Raises:
      InvalidField: naming the first that is wrong.
    """
    known = player.observation
    _check_keys("seen", seen, seen_names(player))
    if known.grid is not None:
        _check_grid(seen["grid"], known.grid, steps)
    if known.entities is not None:
        _check_entities(seen, known.entities, steps)
    if known.vector is not None:
        check_array("vector", seen["vector"], _FLOAT32, (steps, known.vector.length))
        _check_finite("vector", seen["vector"], known.vector.names, None)
    if player.action.masked:
        _check_legal(seen["legal"], player.action, steps)


def seen_names(player: PlayerSpec) -> tuple[str, ...]:
    """Return the names of the arrays of observations that ``player`` declares, but for the image."""
    known: ObservationSpec = player.observation
    names = ["grid"] if known.grid is not None else []
    names += [ENTITY_COUNTS, "entity_categories", "entity_values"] if known.entities is not None else []
    names += ["vector"] if known.vector is not None else []
    return tuple(names + (["legal"] if player.action.masked else []))


def _check_keys(name: str, found: Any, wanted: Sequence[str]) -> None:
    if not isinstance(found, Mapping):
        raise InvalidField(f"{name} is a {type(found).__name__}, not a mapping")
    for key in wanted:
        if key not in found:
            raise InvalidField(f"{name} has no {key!r}, which the spaces declare")
    for key in found:
        if key not in wanted:
            raise InvalidField(f"{name} has {key!r}, which the spaces do not declare")


def _check_grid(grid: Any, known: Grid, steps: int) -> None:
    check_array("grid", grid, _INT16, (steps, *known.shape))
    unknown = grid.view(np.uint16) >= known.counts  # a category below 0 is a large number, too
    if unknown.any():
        step, row, column, channel = np.argwhere(unknown)[0].tolist()
        where = f"at step {step}, cell [{row}, {column}], where channel {channel} has categories 0 to "
        found = grid[step, row, column, channel]
        raise InvalidField(f"grid is {found} {where}{known.categories[channel] - 1}")


def _check_entities(seen: Mapping[str, Any], known: Entities, steps: int) -> None:
    counts, categories, values = (seen[name] for name in (ENTITY_COUNTS, "entity_categories", "entity_values"))
    check_array(ENTITY_COUNTS, counts, _INT32, (steps,))
    wrong = (counts < 0) | (counts > known.most)
    if wrong.any():
        step = int(wrong.argmax())
        raise InvalidField(f"{ENTITY_COUNTS} is {counts[step]} at step {step}, not 0 to {known.most}")
    rows = int(counts.sum(dtype=np.int64))
    check_array("entity_categories", categories, _INT16, (rows, len(known.categorical)))
    check_array("entity_values", values, _FLOAT32, (rows, len(known.real)))
    unknown = (categories < 0) | (categories >= known.counts)
    if unknown.any():
        row, column = np.argwhere(unknown)[0].tolist()
        part = known.categorical[column]
        where = f"{_entity(row, counts)}, where {part.name} has categories 0 to {part.count - 1}"
        raise InvalidField(f"entity_categories is {categories[row, column]} {where}")
    _check_finite("entity_values", values, known.real, counts)


def _check_finite(name: str, values: np.ndarray, names: Sequence[str], counts: np.ndarray | None) -> None:
    """Refuse what is not finite in ``values`` [steps, features], or [entities of all steps, features]."""
    wrong = ~np.isfinite(values)
    if wrong.any():
        row, column = np.argwhere(wrong)[0].tolist()
        where = f"at step {row}" if counts is None else _entity(row, counts)
        what = names[column] if names else f"number {column}"
        raise InvalidField(f"{name} is {values[row, column]} {where}, {what}, not finite")


def _entity(row: int, counts: np.ndarray) -> str:
    """The place of a row of entities that lie end to end, for a message."""
    ends = np.cumsum(counts)
    step = int(np.searchsorted(ends, row, side="right"))
    return f"at step {step}, entity {row - int(ends[step] - counts[step])}"


def _check_legal(legal: Any, action: ActionSpec, steps: int) -> None:
    counts = action.counts
    check_array("legal", legal, _BOOL, (steps, int(counts.sum())))
    none = ~np.logical_or.reduceat(legal, np.cumsum(counts) - counts, axis=1)
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
