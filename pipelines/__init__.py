"""The loop of interactive RLHF as Python functions, and the commands built on the same stages.

    import pipelines as rl

    play = rl.record("data/play", episodes=20)

:mod:`pipelines.api` describes all names. It is imported when the first of them is used, so this import is instant.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pipelines.api import *  # noqa: F403  # type checkers see its names here


def __getattr__(name: str) -> Any:
    """The name of :mod:`pipelines.api` (PEP 562)."""
    if not name.startswith("_"):
        api = importlib.import_module("pipelines.api")
        if name in api.__all__:
            return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *importlib.import_module("pipelines.api").__all__})
