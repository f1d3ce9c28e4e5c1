"""Parts of the experiment of Watch-And-Help, in the order in which they run.

A part is a module with the two functions of :class:`Part`.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol, cast

from experiments.engine.page import Section
from pipelines.stages.running.staged_run import Stage
from worlds.errors import UserError

MODULES: Mapping[str, str] = {
    "watch": "experiments.watch_and_help.watching.part",
    "policies": "experiments.watch_and_help.policies.part",
    "marks": "experiments.watch_and_help.marking.part",
    "help": "experiments.watch_and_help.helping.part",
}


class Part(Protocol):
    """Module of one part."""

    def stages(self, folder: Path, seed: int) -> Iterable[Stage]:
        """Return the stages of one seed; in the experiment's ``folder`` parts find each other's results."""
        ...

    def section(self, folder: Path) -> Section:
        """Return the part's results so far; no paragraphs if there are none."""
        ...


def load_parts(wanted: Sequence[str] = (), modules: Mapping[str, str] = MODULES) -> dict[str, Part]:
    """Return parts by name, in the order in which they run; all if none are wanted. Raises UserError for an unknown."""
    if unknown := [name for name in wanted if name not in modules]:
        raise UserError(f"no part {unknown[0]!r}; known: {', '.join(modules)}")
    return {
        name: cast(Part, importlib.import_module(modules[name])) for name in modules if not wanted or name in wanted
    }
