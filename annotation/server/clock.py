"""What time it is: seconds since 1970 (UTC), as the database keeps it."""

from __future__ import annotations

import time


def now() -> float:
    """Seconds since 1970."""
    return time.time()
