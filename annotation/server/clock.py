"""The time: seconds since 1970 (UTC), as the database keeps it."""

from __future__ import annotations

import time


def now() -> float:
    """Return the seconds since 1970."""
    return time.time()
