"""Checks of settings: one line for what no world can have, which names the setting."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from worlds.contract import SETTER, SOLVER, WorldError


def check_positive(**sizes: Any) -> None:
    """Raise WorldError for a size that is not a whole number above zero."""
    for name, value in sizes.items():
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise WorldError(f"setting {name}: {value!r} is not a whole number above zero")


def check_flags(of: str = "setting", /, **flags: Any) -> None:
    """Raise WorldError for a setting that is neither True nor False; the text "false" would otherwise count as True."""
    for name, value in flags.items():
        if not isinstance(value, bool):
            raise WorldError(f"{of} {name}: true or false, not {value!r}")


def check_chances(of: str = "setting", /, **chances: Any) -> None:
    """Raise WorldError for a setting that is not a probability from 0 to 1."""
    for name, value in chances.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise WorldError(f"{of} {name}: {value!r} is not a probability from 0 to 1")


def check_known(settings: Collection[str], known: Collection[str], noun: str) -> None:
    """Raise WorldError for the first unknown setting of a ``noun``, e.g. "solver"."""
    unknown = next((name for name in settings if name not in known), None)
    if unknown is not None:
        raise WorldError(f"no {noun} setting named {unknown!r}; known: {', '.join(known) or 'none'}")


def check_views(views: Any) -> None:
    """Raise WorldError for what is no collection of players."""
    known = f"{SETTER}, {SOLVER}"
    if isinstance(views, str) or not isinstance(views, Collection):
        raise WorldError(f"setting views: {views!r} is no list of players; known: {known}")
    unknown = next((view for view in views if view not in (SETTER, SOLVER)), None)
    if unknown is not None:
        raise WorldError(f"setting views: {unknown!r} is no player; known: {known}")


def check_seed(seed: Any) -> None:
    """Raise WorldError for a seed that is not a whole number from 0 up."""
    if not isinstance(seed, int | np.integer) or isinstance(seed, bool) or seed < 0:
        raise WorldError(f"seed: {seed!r} is not a whole number from 0 up")
