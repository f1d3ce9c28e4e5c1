"""Random actions of a declared space."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from worlds.spaces.action import ActionSpec, Discrete


def random_action(spec: ActionSpec, rng: np.random.Generator, without: Collection[str] = ()) -> dict[str, Any]:
    """Return a random action without words, held for all ticks of the step. Pointers point at nothing.

    Args:
      spec: the declared space.
      rng: source of chance.
      without: names of bins that are not drawn.
    """
    action = spec.silent()
    for column, part in enumerate(spec.discrete):
        if isinstance(part, Discrete):
            action["movement"][:, column] = rng.choice([b for b, name in enumerate(part.bins) if name not in without])
    for column, part in enumerate(spec.continuous):
        action["continuous"][:, column] = rng.uniform(part.low, part.high)
    return action
