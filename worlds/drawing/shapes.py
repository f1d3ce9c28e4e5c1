"""The shapes of a scene."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Shapes(NamedTuple):
    """Geoms of a scene, of which positions and orientations are given at each drawing.

    Args:
      kind: int32 [G], of :data:`worlds.drawing.kernels.geometry.DRAWN`, or HIDDEN.
      body: int32 [G], body of which each geom is a part.
      half: float64 [G, 3], half sizes along each geom's own axes, metres; an infinite plane's are infinite.
      finish: int32 [G], places in :data:`worlds.drawing.finishes.FINISHES`; None: all are plain.
    """

    kind: NDArray[np.int32]
    body: NDArray[np.int32]
    half: NDArray[np.float64]
    finish: NDArray[np.int32] | None = None
