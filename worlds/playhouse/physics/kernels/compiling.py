"""The compiler's settings for what entry points call."""

from __future__ import annotations

from numba import njit

kernel = njit(nogil=True, error_model="numpy")  # without a cache of its own: the entry points have it
