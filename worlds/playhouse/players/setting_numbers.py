"""Numbers in the settings of scripted players, which come from JSON and may be anything."""

from __future__ import annotations

import math
import numbers

MOST_STEPS = 2**31  # no setting of steps reaches it


def is_number(value: object) -> bool:
    """Return True if ``value`` is a finite number; true and false are none."""
    return is_whole(value) or (isinstance(value, float) and math.isfinite(value))


def is_whole(value: object) -> bool:
    """Return True if ``value`` is a whole number; true and false are none."""
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)
