"""The check, before play is recorded, that its pictures fit into memory. Imports nothing heavy."""

from __future__ import annotations

from rlhf.run.machine import usable_memory
from worlds.errors import UserError

_GIB = 2**30


def check_pictures(height: int, width: int, steps: int, episodes: int) -> None:
    """Refuse to record pictures that do not fit into memory.

    Args:
      height: height of a picture in pixels.
      width: width of a picture in pixels.
      steps: steps of an episode, each with a picture.

    Raises:
      UserError: if the episodes that are in memory at once do not fit.
    """
    at_once = episodes + 2  # one more is on its way to the dataset, packed and unpacked
    needed, usable = 3 * height * width * steps * at_once, usable_memory()
    if needed > usable:
        raise UserError(
            f"{at_once} episodes of {steps} pictures of {height}x{width} pixels are in memory at once and need "
            f"{needed / _GIB:,.1f} GiB, {usable / _GIB:,.1f} GiB are usable; use smaller --world.height and "
            "--world.width, or fewer --steps, --slots or --workers"
        )
