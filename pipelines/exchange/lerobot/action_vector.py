"""Movement of a step as one vector of numbers, and back."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from worlds.spaces.action import ActionSpec, Continuous, Discrete


class ActionVector:
    """The vectors of an action space: the ticks of a step one after the other, all components of a tick side by side.

    A bin is the number that it stands for, or its index where the spec has no different numbers; a pointer is the
    number of the entity, 0 for nothing; a continuous component is its value. All of them are exact in float32.
    """

    def __init__(self, spec: ActionSpec) -> None:
        self._spec = spec

    @property
    def size(self) -> int:
        """Numbers of a vector; 0 of a player without movement."""
        return self._spec.ticks * len(self._spec.components)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Name of every number: the component, and the tick where a step has several."""
        ticks = [f" (tick {tick})" for tick in range(self._spec.ticks)] if self._spec.ticks > 1 else [""]
        return tuple(component.name + tick for tick in ticks for component in self._spec.components)

    def encode(self, movement: np.ndarray, continuous: np.ndarray | None) -> np.ndarray:
        """Return the vectors float32 [T, size].

        Args:
          movement: [T, ticks, discrete components and pointers], as of an episode.
          continuous: float32 [T, ticks, continuous components]; None without such.
        """
        spec, columns = self._spec, list[np.ndarray]()
        discrete, real = iter(range(len(spec.discrete))), iter(range(len(spec.continuous)))
        for component in spec.components:
            if isinstance(component, Continuous):
                assert continuous is not None, "the spaces of an episode are checked"
                columns.append(continuous[..., next(real)])
            else:
                bins = movement[..., next(discrete)]
                values = _values(component) if isinstance(component, Discrete) else None
                columns.append(bins.astype(np.float32) if values is None else values[bins])
        if not columns:
            return np.zeros((len(movement), 0), np.float32)
        return np.stack(columns, axis=-1).reshape(len(movement), -1).astype(np.float32, copy=False)

    def decode(self, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """Return the ``movement`` and ``continuous`` from which :meth:`encode` made ``vectors``.

        Raises ValueError if a number is not that of a bin, naming its step and component.
        """
        spec, steps = self._spec, len(vectors)
        ticks = vectors.reshape(steps, spec.ticks, len(spec.components))
        movement = np.zeros((steps, spec.ticks, len(spec.discrete)), spec.dtype)
        continuous = np.zeros((steps, spec.ticks, len(spec.continuous)), np.float32)
        discrete, real = iter(range(len(spec.discrete))), iter(range(len(spec.continuous)))
        for column, component in enumerate(spec.components):
            found = ticks[..., column]
            if isinstance(component, Continuous):
                continuous[..., next(real)] = found
                continue
            known = _values(component) if isinstance(component, Discrete) else None
            known = np.arange(component.count, dtype=np.float32) if known is None else known
            bins = np.argmax(found[..., None] == known, axis=-1)
            wrong = known[bins] != found
            if wrong.any():
                step, tick = np.argwhere(wrong)[0].tolist()
                raise ValueError(f"{component.name} is {found[step, tick]} at step {step}, which is no value of it")
            movement[..., next(discrete)] = bins
        return movement, continuous if spec.continuous else None


def _values(component: Discrete) -> np.ndarray | None:
    """Numbers that the bins stand for, float32 [bins]; None where they are not all different and finite."""
    values = np.array(component.values, np.float32)
    different = len(values) and np.isfinite(values).all() and len(np.unique(values)) == len(values)
    return values if different else None
